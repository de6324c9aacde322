# Two commands for newcomers: `make play` and `make test`. Both need only Python 3.11+ and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

# Who may install Debian's packages.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help play test lint chromium screenshots bench clean

help:
	@echo "make play   set everything up and open the games in the browser"
	@echo "make test   set everything up and run all tests"
	@echo "make screenshots  take the pictures of the documentation anew"
	@echo "make bench  measure the rules' speed on this machine"
	@echo "make clean  remove the environment"

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Bottega needs Python 3.11 or newer; try make PYTHON=python3.12 ..."; exit 1; }
	@echo "==> Making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.play: $(VENV)/.made pyproject.toml constraints.txt
	@echo "==> Installing Bottega into $(VENV) (a minute, the first time)"
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml constraints.txt
	@echo "==> Installing Bottega and what its tests need into $(VENV) (a minute or two)"
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.play

play: $(VENV)/.play
	@echo "==> Opening Bottega"
	@$(BIN)/bottega serve --open

test: lint chromium
	@echo "==> Running the tests"
	@$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.test
	@echo "==> Checking style and types"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

chromium:
	@command -v chromium >/dev/null || { \
		echo "==> Installing Chromium (Debian's package) for the browser tests"; \
		$(SUDO) apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq -y install chromium >/dev/null; }

screenshots: $(VENV)/.test chromium
	@$(BIN)/python tools/screenshots.py

bench: $(VENV)/.play
	@$(BIN)/bottega bench

clean:
	rm -rf $(VENV)
