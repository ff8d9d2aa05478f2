# Everything runs in .venv, made here from the exact versions in requirements.lock.

SHELL := /bin/sh
BIN := .venv/bin

# The first Python that is new enough and can make virtual environments; `make PYTHON=...` overrules.
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$python -c '$(USABLE)' >/dev/null 2>&1 && { echo $$python; break; }; done)

define NEED_PYTHON
onehead needs Python 3.11 or newer with its venv module (Debian: apt-get install python3-venv); \
found $(or $(PYTHON),none on the PATH); name one with: make PYTHON=/path/to/python3
endef

# Commands that tests start by the hundred would compile everything anew without it.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help venv demo test browser lint check docs selftest oldest bench goldens lock clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

venv: .venv/.installed ## the virtual environment, from the lock file

.venv/.locked: requirements.lock
	@[ -n "$(PYTHON)" ] && "$(PYTHON)" -c '$(USABLE)' >/dev/null 2>&1 || \
		{ echo "$(NEED_PYTHON)" >&2; exit 2; }
	@echo "Making a virtual environment in .venv with $(PYTHON)."
	@"$(PYTHON)" -m venv --clear .venv
	@echo "Installing the exact versions of requirements.lock into it; this can take some minutes."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

.venv/.installed: .venv/.locked pyproject.toml
	@echo "Installing onehead itself from this folder, editable."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --no-build-isolation -e '.[dev]'
	@touch $@

demo: venv ## grade a small sample class and show where the reports are
	@$(BIN)/onehead demo

test: lint ## lint, then all tests
	@echo "Running the tests."
	@$(BIN)/pytest -n 2

.venv/.browser: requirements-browser.lock .venv/.installed
	@echo "Installing Playwright, the exact versions of requirements-browser.lock."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint requirements.lock -r requirements-browser.lock
	@touch $@

build/pyodide: tests/browser/offline_pyodide.py .venv/.installed
	@echo "Fetching a Pyodide without numpy for the site, with npm and pip."
	@$(BIN)/python -m tests.browser.offline_pyodide $@

browser: .venv/.browser build/pyodide ## JupyterLab, Notebook, the site and the pages in a real Chromium
	@echo "Running the browser tests; pictures go to build/screenshots."
	@$(BIN)/pytest tests/browser

lint: venv ## ruff, mypy, import-linter and codespell
	@echo "Checking style, types, layers and spelling."
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/codespell exercises grader solutions release docs *.md

check: test ## everything that a change has to pass

selftest: venv ## the grader against its bank and mutants of the references; takes some minutes
	@$(BIN)/onehead selftest --mutants --pairs

OLDEST := 1.26.4
.venv-oldest/.installed: requirements.lock pyproject.toml
	@echo "Making .venv-oldest with numpy $(OLDEST), all else as in requirements.lock."
	@python3.11 -m venv --clear .venv-oldest
	@grep -v '^numpy==' requirements.lock >.venv-oldest/constraints.txt
	@.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint .venv-oldest/constraints.txt numpy==$(OLDEST) hypothesis -e .
	@touch $@

oldest: .venv-oldest/.installed ## the grader against its bank on Python 3.11 with the oldest numpy
	@.venv-oldest/bin/onehead selftest

docs: venv ## the documentation as a site, in build/docs; a broken link is an error
	@$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "Open build/docs/index.html"

bench: venv ## speed beside nbgrader and the bare checks, then 200 kills; takes long
	@$(BIN)/python benchmarks/speed.py
	@ONEHEAD_KILLS=200 $(BIN)/pytest -q tests/test_kills.py

goldens: venv ## rewrite the golden reports; review the difference
	@$(BIN)/python -m tests.make_goldens

lock: ## resolve requirements.lock again, on the oldest Python that is supported
	python3.11 -m venv --clear .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	CUSTOM_COMPILE_COMMAND='make lock' .venv-lock/bin/pip-compile --quiet --extra dev --extra docs \
		--upgrade --allow-unsafe --strip-extras --no-annotate --no-emit-index-url --no-emit-trusted-host \
		--no-emit-find-links --no-emit-options --output-file requirements.lock pyproject.toml
	rm -rf .venv-lock

clean: ## remove the virtual environment and what the tools left
	rm -rf .venv .venv-lock .venv-oldest build dist .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
