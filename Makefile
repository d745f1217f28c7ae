# Everything happens in .venv, which these targets make with python3 alone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-print-directory

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s%s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: $(VENV)/.demo ## select prototypes of handwritten digits, print them and save a picture
	$(BIN)/python examples/digits.py

.PHONY: test
test: lint types layers pytest ## run every check: lint, types, layers, pytest

.PHONY: lint
lint: $(VENV)/.test ## check style and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

.PHONY: types
types: $(VENV)/.test ## check types
	$(BIN)/mypy

.PHONY: layers
layers: $(VENV)/.test ## check that a layer imports only what is below it
	$(BIN)/lint-imports --no-logo

.PHONY: pytest
pytest: $(VENV)/.test ## run the tests (ARGS="-k name" for some of them)
	$(BIN)/pytest $(ARGS)

.PHONY: format
format: $(VENV)/.test ## rewrite the code in the house format
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

.PHONY: bench
bench: $(VENV)/.bench ## measure against peers, about 25 minutes (ARGS="--quick" for 3)
	$(BIN)/python -m benchmarks $(ARGS)

.PHONY: paper
paper: $(VENV)/.test ## run the paper's experiments on the data in PROTOSPOT_DATA, about an hour
	$(BIN)/python -m experiments all --out results $(ARGS)
	$(BIN)/python -m experiments page --out results

.PHONY: clean
clean: ## remove the environment, caches and builds
	rm -rf $(VENV) build dist results .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests examples benchmarks experiments -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps .demo, .test and .bench say that the environment holds what pyproject.toml and
# constraints.txt ask for; pip brings it up to date when either file changes.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check \
  --constraint constraints.txt

$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the demo needs into $(VENV)"
	@$(INSTALL) --editable '.[report]'
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the checks need into $(VENV)"
	@$(INSTALL) --editable '.[test,lint]'
	@touch $@

$(VENV)/.bench: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the benchmarks need into $(VENV)"
	@$(INSTALL) --editable '.[bench]'
	@touch $@

# Debian leaves ensurepip, which venv needs, to a package of its own.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "$(PYTHON) is not installed. On Debian and Ubuntu: apt install python3 python3-venv" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "protospot needs Python 3.11 or newer, but $(PYTHON) is" \
	    "$$($(PYTHON) --version 2>&1). Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; \
	  exit 1; }
	@{ $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null && $(PYTHON) -m venv --clear $(VENV); } || { \
	  rm -rf $(VENV); \
	  echo "$(PYTHON) -m venv does not work here." \
	    "On Debian and Ubuntu: apt install python3-venv" >&2; \
	  exit 1; }
