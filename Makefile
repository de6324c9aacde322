# Two commands for newcomers: `make play` and `make test`. Both need only Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# What installs: uv where there is one (`make UV= play` does without it), else pip. Python's own pip
# can install into the environment from outside, which then needs none (5 s less); without such a
# one (pip 23 or newer), the environment gets its own.
UV := $(shell command -v uv)
HAS_PIP = $(shell $(PYTHON) -c 'import pip; pip.__version__ >= "23" and print("yes")' 2>/dev/null)
PIP = $(if $(HAS_PIP),$(PYTHON) -m pip --python $(BIN)/python,$(BIN)/python -m pip)
INSTALL = $(if $(UV),$(UV) pip install --python $(BIN)/python,$(PIP) --disable-pip-version-check install) \
	-q -c constraints.txt

# Who may install Debian's packages.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help play test lint chromium postgres nginx screenshots bench clean

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
	@$(PYTHON) -m venv $(if $(UV)$(HAS_PIP),--without-pip) $(VENV)
	@touch $@

# Bytecode is left to the first start, which makes only what it needs (some 4 s less).
$(VENV)/.play: $(VENV)/.made pyproject.toml constraints.txt
	@echo "==> Installing Bottega into $(VENV) (a quarter of a minute, the first time)"
	@$(INSTALL) --no-compile -e .
	@touch $@

# With a pip inside, as people who work on Bottega (and .ci/run) install more.
$(VENV)/.test: $(VENV)/.made pyproject.toml constraints.txt
	@echo "==> Installing Bottega and what its tests need into $(VENV) (a minute or two)"
	@$(INSTALL) --compile -e '.[dev]' pip
	@touch $@ $(VENV)/.play

# `make play PORT=8001` where another program has the usual port.
play: $(VENV)/.play
	@echo "==> Opening Bottega"
	@$(BIN)/bottega serve --open $(if $(PORT),--port $(PORT))

test: lint chromium postgres
	@echo "==> Compiling the games, which the tests then share"
	@$(BIN)/bottega warm
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

# Only its programs: the tests run their own in a temporary folder. Without Debian's, those from PyPI.
postgres: $(VENV)/.test
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || { \
		echo "==> Installing PostgreSQL (Debian's package) for the tests of the server"; \
		$(SUDO) apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq -y install \
			--no-install-recommends postgresql >/dev/null; } || \
		$(INSTALL) pgserver

# The proxy whose configuration we ship. It would begin to serve on a newcomer's machine, so that it is
# for `.ci/run` alone; without it, its tests are left out.
nginx:
	@command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || { \
		echo "==> Installing nginx (Debian's package) for the test of the proxy"; \
		$(SUDO) apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get -qq -y install \
			--no-install-recommends nginx-light >/dev/null; }

screenshots: $(VENV)/.test chromium
	@$(BIN)/bottega warm
	@$(BIN)/python tools/screenshots.py

bench: $(VENV)/.play
	@$(BIN)/bottega bench

clean:
	rm -rf $(VENV)
