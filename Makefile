# Two commands for newcomers: `make play` and `make test`. Both need only Python 3.11+ and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: help play test lint bench clean

help:
	@echo "make play   set everything up and open the games in the browser"
	@echo "make test   set everything up and run all tests"
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

test: lint
	@echo "==> Running the tests"
	@$(BIN)/python -m pytest -n 2

lint: $(VENV)/.test
	@echo "==> Checking style and types"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/.play
	@$(BIN)/bottega bench

clean:
	rm -rf $(VENV)
