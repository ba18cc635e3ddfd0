# Everything a newcomer needs: `make demo` shows the library at work, `make test` checks it.
# Both make their own virtual environment in .venv and install into it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCALE := .venv-scale
TORCH ?= torch==2.13.0
SITE := build/site

.PHONY: demo test test-long test-scale test-all test-lowest test-3.14 test-3.14t soak checks docs clean

demo: $(VENV)/installed
	@$(BIN)/liftgraph demo

test: checks
	@echo "== pytest: tests and doctests; long ones and notebooks are left to make test-long"
	$(BIN)/pytest -n auto
	@$(MAKE) --no-print-directory docs NOTEBOOKS=off

test-long: checks
	@echo "== pytest: all tests, and more random models for each"
	LIFTGRAPH_EXAMPLES=200 $(BIN)/pytest -n auto -m "long or not long"
	@$(MAKE) --no-print-directory docs

# torch on the CPU and Spark on a local cluster, in an environment of their own: both are large.
test-scale: $(SCALE)/installed
	@echo "== pytest: colour passing by torch, and by Spark on a local cluster"
	$(SCALE)/bin/python -m pytest -n 2 --dist loadfile tests/scale \
	  src/liftgraph/distributed src/liftgraph/symmetry/colours/engines

test-all: test-long test-scale
	@$(MAKE) --no-print-directory test-lowest
	@$(MAKE) --no-print-directory test-3.14
	@$(MAKE) --no-print-directory test-3.14t

# The same tests with other versions, fewer random models for each, and without documentation.
# Warnings are no errors there: old libraries warn of each other.
OTHER_TESTS := -m pytest -n auto -W default::DeprecationWarning -W default::FutureWarning \
  --doctest-ignore-import-errors --ignore=tests/test_documentation.py --ignore=tests/test_packaging.py
OTHER_LIBRARIES := python-flint numba matplotlib pyarrow narwhals pandas polars duckdb networkx \
  pyagrum pgmpy shtab

# pandas has had a type of its own for text since version 3.
test-lowest: $(VENV)/installed-tests
	@echo "== pytest: with the lowest versions of libraries that pyproject.toml declares"
	$(PYTHON) -m venv --clear --without-pip .venv-lowest
	$(BIN)/python tests/lowest.py > .venv-lowest/requirements.txt
	$(BIN)/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
	  --only-binary :all: --requirement .venv-lowest/requirements.txt
	$(BIN)/uv pip install --quiet --python .venv-lowest/bin/python --no-deps --editable .
	LIFTGRAPH_EXAMPLES=20 .venv-lowest/bin/python $(OTHER_TESTS) \
	  --deselect tests/data/test_columns.py::test_text_in_frames_is_coded_as_its_values_are

test-3.14 test-3.14t: test-%: $(VENV)/installed-tests
	@echo "== pytest: on Python $*"
	@python=$$($(BIN)/python tests/pythons.py $*) || exit 0; set -e; \
	  $$python -m venv --clear --without-pip .venv-$*; \
	  install="$(BIN)/uv pip install --quiet --python .venv-$*/bin/python"; \
	  $$install --only-binary :all: numpy msgspec rich pytest pytest-xdist hypothesis; \
	  $$install --no-deps --editable .; \
	  for library in $(OTHER_LIBRARIES); do \
	    $$install --only-binary :all: $$library 2>/dev/null || echo "without $$library"; \
	  done; \
	  LIFTGRAPH_EXAMPLES=20 .venv-$*/bin/python $(OTHER_TESTS)

MINUTES ?= 10
SEED ?= 0
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)

soak: $(VENV)/installed-tests
	@echo "== The campaign: random attacks for $(MINUTES) minutes; what fails goes to tests/regressions"
	$(BIN)/python -m tests.soak $(MINUTES) --seed $(SEED) --jobs $(JOBS)

checks: $(VENV)/installed-tests
	@echo "== ruff: style and common mistakes"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo "== mypy --strict: types"
	$(BIN)/mypy

NOTEBOOKS ?= force

docs: $(VENV)/installed-tests
	@echo "== sphinx: the documentation, warnings being errors, into $(SITE)"
	$(BIN)/sphinx-build -W --keep-going -n -q -E -D nb_execution_mode=$(NOTEBOOKS) -b html docs $(SITE)
	$(BIN)/python docs/check_site.py $(SITE)

$(VENV)/installed: pyproject.toml | $(VENV)/made
	@echo "== Installing liftgraph into $(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-tests: pyproject.toml | $(VENV)/made
	@echo "== Installing liftgraph with its tests into $(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/installed

$(SCALE)/installed: pyproject.toml | $(SCALE)/made
	@java -version 2>/dev/null || { \
	  echo "== Spark runs on Java: apt-get install openjdk-17-jre-headless"; \
	  apt-get install --yes --quiet openjdk-17-jre-headless \
	    || { apt-get update --quiet && apt-get install --yes --quiet openjdk-17-jre-headless; } \
	    || { echo "Please install Java 17 first."; exit 1; }; }
	@echo "== Installing liftgraph with torch and Spark into $(SCALE)"
	$(SCALE)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	$(SCALE)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,gpu,spark]'
	@touch $@

$(VENV)/made $(SCALE)/made: %/made:
	@echo "== Making a virtual environment in $*"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo "== Debian keeps venv in a package of its own: apt-get install python3-venv"; \
	  apt-get install --yes --quiet python3-venv \
	    || { apt-get update --quiet && apt-get install --yes --quiet python3-venv; } \
	    || { echo "Please install python3-venv first."; exit 1; }; }
	$(PYTHON) -m venv $*
	@touch $@

clean:
	rm -rf $(VENV) $(SCALE) .venv-lowest .venv-3.14 .venv-3.14t build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
