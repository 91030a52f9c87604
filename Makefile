# `make lab` opens the start notebook, `make app` the explorer alone, `make test` checks a change.

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
# The tests of a file stay in one process, those of the browser come last, and few random examples are
# tried: see tests/conftest.py and tests/scheduling.py.
TEST_FLAGS := --dist loadfile --no-loadscope-reorder -m 'not slow' --hypothesis-profile quick
QUICK_TESTS := tests/theory tests/laws tests/audit tests/analysis
# The processes that the tests start share what was compiled once.
unexport PYTHONDONTWRITEBYTECODE
# The types are checked by one process, while others test.
BESIDE = @$(MAKE) --jobs=2 --no-print-directory
# The extras that each environment marker stands for.
EXTRAS_lab := lab,mixture,parquet
EXTRAS_app := app,mixture,parquet
EXTRAS_test := lab,app,mixture,parquet,distributed,test,dev
EXTRAS_docs := docs,mixture,parquet
EXTRAS_bench := bench

.PHONY: help lab app test quick bench docs dist assignments prove clean style types all-tests quick-tests browser

help:
	@echo "make lab    install dpviz and open JupyterLab on notebooks/$(START)"
	@echo "make app    install dpviz and open the explorer as an application, without a notebook"
	@echo "make test   install what the tests need and check a change: style, types, and all tests but the slow ones"
	@echo "make quick  style, types, and those of these tests that are of theory, audit and analysis"
	@echo "make docs   build the documentation into docs/_build; it needs no network to be read"
	@echo "make bench  run all benchmarks into benchmarks/README.md; QUICK=1 only tries them"
	@echo "make assignments COURSE=SECRET  write the lessons as assignments for nbgrader and Otter into build"
	@echo "make dist   build what is published, twice, check it, install it elsewhere and use it"
	@echo "make prove  run what is run before a release; .ci/prove has its parts, which run alone, too"
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
	$(BIN)/python -m pytest -n 2 $(TEST_FLAGS)

quick-tests:
	$(BIN)/python -m pytest -n 2 $(TEST_FLAGS) $(QUICK_TESTS)

style: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

browser:
	sh tests/browser/install.sh

# Any warning is an error; what an earlier version built is not left over.
docs: $(VENV)/.docs
	rm -rf docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto -b html docs docs/_build

bench: $(VENV)/.bench browser
	QUICK=$(QUICK) $(BIN)/python -m benchmarks.run

# Written without the graders, which have an environment of their own.
assignments: $(VENV)/.lab
	$(BIN)/python -m notebooks.assignments.make build/assignments "$(COURSE)"

# The tools that build and check have an environment of their own.
dist:
	$(PYTHON) -m venv $(VENV)/dist
	$(VENV)/dist/bin/pip install --quiet 'build>=1.3' 'twine>=6' 'check-wheel-contents>=0.6'
	$(VENV)/dist/bin/python .ci/release.py dist

prove:
	.ci/prove

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.bench: $(VENV)/.test
$(VENV)/.%: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[$(EXTRAS_$*)]'
	@touch $@ $(if $(filter test,$*),$(VENV)/.lab $(VENV)/.app)

clean:
	rm -rf $(VENV) docs/_build docs/reference/objects build dist tests/browser/node_modules js/node_modules js/test/.bundle screenshots
