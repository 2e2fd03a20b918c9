# Everything a developer does here. Each target makes its own environment first, in .venv, from
# pyproject.toml alone; the stamp keeps that from being repeated.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help demo setup check test test-all fix bench docs clean

help:
	@echo "make demo      the whole story in a temporary home, with a real daemon"
	@echo "make test      the fast suite (under three minutes on two cores)"
	@echo "make test-all  the fast suite, the slow tests and the real agents (where installed)"
	@echo "make check     ruff, mypy, import-linter"
	@echo "make fix       what ruff can mend by itself"
	@echo "make bench     the figures of docs/operations.md, measured here"
	@echo "make docs      write the generated parts of docs again"
	@echo "make setup     the environment alone, in .venv"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(PY) -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

setup: $(READY)

demo: $(READY)
	@$(VENV)/bin/dormouse demo

test: $(READY)
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup

# The slow tests measure and count processes, so they run one at a time.
test-all: test
	$(PY) -m pytest -m slow
	$(PY) -m pytest -m clients

check: $(READY)
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

fix: $(READY)
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

# LOCOMO=FILE names LoCoMo's archive; without it that part is skipped, aloud.
bench: $(READY)
	$(PY) -m bench
	$(PY) -m bench.sizes
	$(PY) -m bench.second_set
	$(PY) -m bench.locomo
	$(PY) -m bench.peers

docs: $(READY)
	$(PY) -m tests.reference

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
