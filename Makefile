# `make lab` opens the start notebook, `make app` the explorer alone, `make test` checks everything.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := .ci/constraints.txt
START := 00_start_here.ipynb
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)
# Without a screen the address is printed instead; JupyterLab refuses to run as root unless told to.
SHOW_FLAGS := $(if $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter Darwin,$(shell uname))),,--no-browser)
PUBLIC_WARNING := "Warning: others can open this page and start kernels. First do the five steps at the end of \
'An explorer served to others' in SECURITY.md: login and TLS, memory limit, idle kernels, upload space, own user."
LAB_FLAGS := $(SHOW_FLAGS) $(if $(filter 0,$(shell id -u)),--allow-root)
# A file's tests stay in one process, of which one waits for browsers while two compute: see
# tests/conftest.py and tests/scheduling.py.
TEST_FLAGS := --dist loadfile --no-loadscope-reorder
# The processes that the tests start share what was compiled once.
unexport PYTHONDONTWRITEBYTECODE
# Whose lowest versions are tested with those of what is always installed.
LOWEST_EXTRAS := accounting mixture parquet
COMMA := ,
SPACE := $(subst ,, )
QUICK_TESTS := tests/theory tests/laws tests/audit tests/analysis
# The types are checked by one process, while others test.
BESIDE = @$(MAKE) --jobs=2 --no-print-directory

.PHONY: help lab app test quick bench docs docs-check lite try-marimo try-oracles try-pyodide dist test-lowest sbom lint style types all-tests quick-tests browser assignments try-graders clean

help:
	@echo "make lab    install dpviz and open JupyterLab on notebooks/$(START)"
	@echo "make app    install dpviz and open the explorer as an application, without a notebook"
	@echo "make test   install what the tests need and run all of them"
	@echo "make quick  linters, types, and the tests of theory, audit and analysis that are fast"
	@echo "make bench  run all benchmarks into benchmarks/README.md; QUICK=1 only tries them"
	@echo "make docs   build the documentation into docs/_build; it needs no network to be read"
	@echo "make docs-check  its links, examples and spelling, and what a screen reader meets;"
	@echo "             CHECK_ARGS=--network follows links to other sites, too"
	@echo "make lite   build a site in build/lite whose notebooks run in the reader's browser"
	@echo "make try-marimo  show the explorer in marimo as the documentation says"
	@echo "make assignments  write the lessons as assignments for nbgrader and Otter into build"
	@echo "make try-oracles convert claims of opendp, Opacus, Tumult, prv-accountant, riskcal, gdpnum, live"
	@echo "make try-pyodide  compute the golden values in Pyodide; PYODIDE is a folder with its release"
	@echo "make try-graders  run both graders on them, some minutes a lesson; LESSONS='1 6' for some"
	@echo "make dist   build what is published, twice, check it, install it elsewhere and use it"
	@echo "make test-lowest  the tests of theory, audit, analysis and widgets with the oldest dependencies allowed"
	@echo "make sbom   list all packages that users install, with their licences, in docs"
	@echo "make clean  remove what the others made"

lab: $(VENV)/.lab
	$(BIN)/jupyter lab $(LAB_FLAGS) --ServerApp.ip=127.0.0.1 --ServerApp.root_dir=notebooks \
		--LabApp.default_url=/lab/tree/$(START) $(LAB_ARGS)

app: $(VENV)/.app
	@case ' $(APP_ARGS)' in *ip[=\ ]127.*|*ip[=\ ]localhost*|*ip[=\ ]::1*) ;; \
		*ip[=\ ]*) echo $(PUBLIC_WARNING) >&2 ;; esac
	$(BIN)/voila notebooks/app.ipynb $(SHOW_FLAGS) --Voila.config_file_paths=notebooks $(APP_ARGS)

test: $(VENV)/.test browser style
	$(BESIDE) types all-tests

quick: $(VENV)/.test style
	$(BESIDE) types quick-tests

all-tests:
	$(BIN)/python -m pytest -n 3 $(TEST_FLAGS)

quick-tests:
	$(BIN)/python -m pytest -n 2 $(TEST_FLAGS) -m 'not slow' $(QUICK_TESTS)

bench: $(VENV)/.bench browser
	QUICK=$(QUICK) $(BIN)/python -m benchmarks.run

# Any warning is an error; what an earlier version built is not left over.
docs: $(VENV)/.docs
	rm -rf docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build

docs-check: docs $(VENV)/.test browser
	$(BIN)/codespell README.md CITATION.cff docs --ignore-words-list fpr --skip docs/_build,docs/sbom.json
	$(BIN)/python -m pytest -q tests/test_docs.py
	$(BIN)/python -m docs.check $(CHECK_ARGS)

# Tools for other front ends have environments of their own.
lite:
	$(PYTHON) -m venv $(VENV)/lite
	$(VENV)/lite/bin/pip install --quiet --constraint $(CONSTRAINTS) . \
		'jupyterlite-core>=0.8,<0.9' 'jupyterlite-pyodide-kernel>=0.8,<0.9' 'jupyter-server>=2'
	rm -rf build/lite
	$(VENV)/lite/bin/python .ci/lite.py build/lite --no-sourcemaps

try-marimo: browser
	$(PYTHON) -m venv $(VENV)/marimo
	$(VENV)/marimo/bin/pip install --quiet --constraint $(CONSTRAINTS) . 'marimo>=0.25,<0.26' 'playwright>=1.50'
	$(VENV)/marimo/bin/python .ci/try_marimo.py

# A release of Pyodide with all packages; its own NumPy, SciPy and pandas are used.
try-pyodide:
	rm -rf build/pyodide
	$(PYTHON) -m venv $(VENV)/pyodide
	$(VENV)/pyodide/bin/pip install --quiet --constraint $(CONSTRAINTS) --no-deps --target build/pyodide . \
		typing-extensions pytest pluggy iniconfig packaging pygments
	node .ci/pyodide.mjs $(abspath $(PYODIDE)) $(CURDIR)/build/pyodide $(CURDIR)/tests/golden

# They need half a gigabyte, so `make test` has records of them instead.
try-oracles:
	$(PYTHON) -m venv $(VENV)/oracles
	$(VENV)/oracles/bin/pip install --quiet --constraint $(CONSTRAINTS) . pytest hypothesis \
		'opendp>=0.16,<0.17' 'prv-accountant>=0.2,<0.3' 'riskcal>=1.5,<2' 'gdpnum>=0.1.2,<0.2' sympy 'typeguard<5'
	$(VENV)/oracles/bin/pip install --quiet --no-deps \
		opacus==1.6.0 tmlt.analytics==0.21.0 tmlt.core==0.20.0 privacyguard-platform==0.0.2
	$(VENV)/oracles/bin/python -m pytest -q tests/claims/test_oracles.py

# Written without the graders, which have an environment of their own.
assignments: $(VENV)/.lab
	$(BIN)/python -m notebooks.assignments.make build/assignments

try-graders: $(VENV)/graders/.made
	rm -rf build/try-graders
	$(VENV)/graders/bin/python -m notebooks.assignments.try_graders build/try-graders $(LESSONS)

# Tools and the lowest versions have environments of their own.
dist:
	$(PYTHON) -m venv $(VENV)/dist
	$(VENV)/dist/bin/pip install --quiet 'build>=1.3' 'twine>=6' 'check-wheel-contents>=0.6'
	$(VENV)/dist/bin/python .ci/dist.py

test-lowest:
	rm -rf $(VENV)/lowest
	$(PYTHON) -m venv $(VENV)/lowest
	$(PYTHON) .ci/lowest.py $(LOWEST_EXTRAS) > $(VENV)/lowest/constraints.txt
	$(VENV)/lowest/bin/pip install --quiet --constraint $(VENV)/lowest/constraints.txt \
		--editable ".[test,$(subst $(SPACE),$(COMMA),$(LOWEST_EXTRAS))]"
	$(VENV)/lowest/bin/python -m pytest -n 2 $(TEST_FLAGS) -p no:anyio -m 'not slow' $(QUICK_TESTS) tests/widgets

# The packages of the project's users, listed by a tool in an environment of its own.
sbom:
	rm -rf $(VENV)/sbom
	$(PYTHON) -m venv $(VENV)/sbom/users
	$(VENV)/sbom/users/bin/pip install --quiet --constraint $(CONSTRAINTS) '.[lab,app,accounting,mixture,parquet,distributed,yaml,png,pdf]'
	$(VENV)/sbom/users/bin/pip uninstall --quiet --yes dpviz setuptools pip
	$(PYTHON) -m venv $(VENV)/sbom/tool
	$(VENV)/sbom/tool/bin/pip install --quiet 'cyclonedx-bom>=7,<8'
	$(VENV)/sbom/tool/bin/cyclonedx-py environment --output-reproducible --of JSON -o docs/sbom.json \
		--pyproject pyproject.toml $(VENV)/sbom/users/bin/python
	$(PYTHON) .ci/dependencies.py docs/sbom.json > docs/dependencies.md

lint: style types

style: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

browser:
	sh tests/browser/install.sh

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[lab,accounting,mixture,parquet]'
	@touch $@

$(VENV)/.app: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[app,accounting,mixture,parquet]'
	@touch $@

$(VENV)/.test: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[lab,app,accounting,mixture,parquet,distributed,test,dev]'
	@touch $@ $(VENV)/.lab $(VENV)/.app

$(VENV)/.docs: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[docs,accounting,mixture,parquet]'
	@touch $@

$(VENV)/graders/.made: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)/graders
	$(VENV)/graders/bin/pip install --quiet --constraint $(CONSTRAINTS) --editable . 'nbgrader>=0.9.6,<0.10' 'otter-grader>=7,<8'
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	$(PIP) --editable '.[bench]'
	@touch $@

clean:
	rm -rf $(VENV) docs/_build build dist tests/browser/node_modules js/node_modules js/test/.bundle screenshots
