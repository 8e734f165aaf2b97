# Everything sets itself up: a virtual environment in .venv, then what the goal needs.
SHELL := bash
.SHELLFLAGS := -eo pipefail -c
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
QUIX := .venv/bench/ready
PIP := $(BIN)/python -m pip install --disable-pip-version-check

.PHONY: help demo test check style types pure whole browser chaos wheel format bench clean
.DEFAULT_GOAL := help

help: ## Show this list.
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

demo: $(READY) ## Run the word count demo: broker, Spark and a live table.
	@$(BIN)/headrace demo word-count

test: style browser ## Run all tests, on a real broker and real Spark too.
	@$(MAKE) --no-print-directory --jobs 2 types whole

check: style ## Run the fast loop: format, lint, types, tests in pure Python.
	@$(MAKE) --no-print-directory --jobs 2 types pure

style: $(READY)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .

# What takes long: types and tests side by side, the files of tests in three processes.
types: $(READY)
	@$(BIN)/mypy

pure: $(READY)
	@$(BIN)/pytest -q -m "not spark"

whole: $(READY)
	@$(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

# Pages are tested in a real one. Where it is missing, Debian's is installed; elsewhere somebody has to do that.
browser: $(READY)
	@$(BIN)/python tests/pages/browser.py || { \
	  test "$$(id -u)" = 0 && command -v apt-get > /dev/null && echo "installing chromium ..." && \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium > /dev/null; \
	} || { echo "error: pages are tested in Chromium or Chrome, and none is here; install one, or name it with HEADRACE_BROWSER=/path"; exit 1; }

chaos: $(READY) ## Kill, stop and starve an application while records come; KILLS=20 is how often.
	@HEADRACE_CHAOS=$(or $(KILLS),20) $(BIN)/pytest -q -s -m spark tests/system/test_chaos.py tests/system/test_rough.py \
	  tests/system/test_smoke.py

wheel: $(READY) ## Build dist/headrace-*.whl, with the kernel compiled: what pip installs beside nothing but Java.
	@rm -rf dist
	@$(BIN)/python -m hatchling build --target wheel

format: $(READY) ## Format the code.
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

bench: $(READY) $(QUIX) ## Run the benchmarks against other systems; ONLY=W2 runs a part, RECORDS=200000 a smaller one.
	@$(BIN)/python -m bench $(if $(ONLY),--only $(ONLY)) $(if $(RECORDS),--records $(RECORDS))

clean: ## Remove the virtual environment and what tools left behind.
	rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# --no-build-isolation: the build needs pyspark, which is here already.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: Python 3.11 or newer is needed, this is %s; name another with make PYTHON=..." % sys.version.split()[0])'
	@echo "setting up .venv with pyspark (400 MB, about a minute the first time) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) --quiet --upgrade "pip>=25.1"
	@$(PIP) --group dev pyspark==4.3.0 | sed -n 's/^Collecting /  /p'
	@$(PIP) --quiet --no-build-isolation --editable .
	@touch $(READY)

$(QUIX): pyproject.toml $(READY)
	@echo "setting up .venv/bench with quixstreams ..."
	@$(PYTHON) -m venv .venv/bench
	@.venv/bench/bin/python -m pip install --disable-pip-version-check --quiet --upgrade "pip>=25.1"
	@.venv/bench/bin/python -m pip install --disable-pip-version-check --quiet --group bench
	@$(PIP) --quiet --group peers
	@touch $(QUIX)
