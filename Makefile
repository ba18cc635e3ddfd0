# Everything a newcomer needs: `make demo` shows the library at work, `make test` checks it.
# Both make their own virtual environment in .venv and install into it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SITE := build/site

.PHONY: demo test test-all checks docs clean

demo: $(VENV)/installed
	@echo; echo "== The epidemic example: nine variables, named and with counts as potentials"
	$(BIN)/liftgraph info examples/epidemic.json
	@echo; echo "== Is Alice sick, given an epidemic? What will be done, and the answer"
	$(BIN)/liftgraph query examples/epidemic.json Sick.alice --given Epid=true --explain
	@echo; echo "== And given only that Bob was treated: exactly, in fractions"
	$(BIN)/liftgraph query examples/epidemic.json Sick.alice --given Treat.bob.m1=true --exact
	@echo; echo "== Who is interchangeable with whom, and the lifted model that says so"
	$(BIN)/liftgraph lift examples/epidemic.json
	@echo; echo "Done. $(BIN)/liftgraph --help lists the other commands."

test: checks
	@echo "== pytest: tests and doctests; long ones are left to make test-all"
	$(BIN)/pytest -n auto
	@$(MAKE) --no-print-directory docs

test-all: checks
	@echo "== pytest: all tests, and more random models for each"
	LIFTGRAPH_EXAMPLES=200 $(BIN)/pytest -n auto -m "long or not long"
	@$(MAKE) --no-print-directory docs

checks: $(VENV)/installed-tests
	@echo "== ruff: style and common mistakes"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo "== mypy --strict: types"
	$(BIN)/mypy

docs: $(VENV)/installed-tests
	@echo "== sphinx: the documentation, warnings being errors, into $(SITE)"
	$(BIN)/sphinx-build -W --keep-going -n -q -E -b html docs $(SITE)
	$(BIN)/python docs/check_site.py $(SITE)

$(VENV)/installed: pyproject.toml | $(VENV)/made
	@echo "== Installing liftgraph into $(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-tests: pyproject.toml | $(VENV)/made
	@echo "== Installing liftgraph with its tests into $(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/installed

$(VENV)/made:
	@echo "== Making a virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo "== Debian keeps venv in a package of its own: apt-get install python3-venv"; \
	  apt-get install --yes --quiet python3-venv \
	    || { apt-get update --quiet && apt-get install --yes --quiet python3-venv; } \
	    || { echo "Please install python3-venv first."; exit 1; }; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
