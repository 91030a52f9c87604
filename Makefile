# Two commands: `make lab` opens the start notebook, `make test` checks everything.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := .ci/constraints.txt
START := 00_start_here.ipynb
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)
# Jupyter refuses to run as root unless told to; without a screen it prints the address instead.
LAB_FLAGS := $(if $(filter 0,$(shell id -u)),--allow-root)
LAB_FLAGS += $(if $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter Darwin,$(shell uname))),,--no-browser)

.PHONY: help lab test lint browser clean

help:
	@echo "make lab    install dpviz and open JupyterLab on notebooks/$(START)"
	@echo "make test   install what the tests need and run all of them"
	@echo "make clean  remove what the other two made"

lab: $(VENV)/.lab
	$(BIN)/jupyter lab $(LAB_FLAGS) --ServerApp.ip=127.0.0.1 --ServerApp.root_dir=notebooks \
		--LabApp.default_url=/lab/tree/$(START) $(LAB_ARGS)

test: $(VENV)/.test browser lint
	$(BIN)/python -m pytest

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

browser:
	sh tests/browser/install.sh

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[lab,accounting,mixture,parquet]'
	@touch $@

$(VENV)/.test: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	$(PIP) --editable '.[lab,accounting,mixture,parquet,test,dev]'
	@touch $@ $(VENV)/.lab

clean:
	rm -rf $(VENV) tests/browser/node_modules screenshots
