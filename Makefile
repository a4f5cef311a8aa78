# What one does with this repository. `make` alone lists it.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check test-long bench docs
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.duly-setup
BENCH_STAMP := $(VENV)/.duly-bench
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --no-input
# A name with a leading underscore is shared by benchmarks and is none itself.
BENCHES := $(filter-out bench/_%,$(sort $(wildcard bench/*.py)))
TYPED := src tools $(wildcard examples bench)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: $(STAMP) ## make .venv with the locked dependencies and Duly itself (no root needed)

# The stamp carries the hash of what was installed, so a restored or touched file installs nothing.
$(STAMP): pyproject.toml requirements/dev.txt tools/find_python.sh
	@set -e; \
	if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	  python=$$(tools/find_python.sh); \
	  echo "setup: making $(VENV) with $$python"; \
	  "$$python" -m venv --clear $(VENV); \
	fi; \
	sum=$$(cat pyproject.toml requirements/dev.txt | cksum); \
	if [ "$$(cat $(STAMP) 2>/dev/null)" != "$$sum" ]; then \
	  echo "setup: installing the locked dependencies"; \
	  $(PIP) install --require-hashes -r requirements/dev.txt; \
	  $(PIP) install --no-deps --no-build-isolation --editable .; \
	fi; \
	echo "$$sum" > $(STAMP)

demo: setup ## watch the main job: done once, killed, recovered, asked again, not repeated
	@$(BIN)/python -m examples.repo_digest.demo

test: setup ## run the tests but for the long ones
	@$(BIN)/python -m pytest

test-long: setup ## run the tests that take minutes
	@$(BIN)/python -m pytest -m long || test $$? = 5 # 5: there is none yet

# Every check runs, so that one look shows all that is wrong.
check: setup ## format, lint, types, rooms, and the rules of the house
	@failed=; \
	$(BIN)/ruff format --check --quiet . || failed="$$failed format (run: $(BIN)/ruff format .)"; \
	$(BIN)/ruff check --quiet . || failed="$$failed lint"; \
	$(BIN)/mypy $(TYPED) || failed="$$failed types"; \
	$(BIN)/lint-imports --no-logo || failed="$$failed rooms"; \
	$(BIN)/python -m pytest --quiet tests/house || failed="$$failed house"; \
	if [ -n "$$failed" ]; then echo "check: failed:$$failed" >&2; exit 1; fi

docs: setup ## write the generated pages anew: tables, settings, fields of definitions, statuses of the cases
	@$(BIN)/python tools/policy_tables.py
	@$(BIN)/python tools/settings_table.py
	@$(BIN)/python tools/definition_schema.py
	@$(BIN)/python tools/acceptance_cases.py

bench: setup $(BENCH_STAMP) ## measure; prints the disk's floor beside every number
	@set -e; for bench in $(BENCHES); do $(BIN)/python "$$bench"; done

$(BENCH_STAMP): requirements/bench.txt $(STAMP)
	@$(PIP) install --require-hashes -r requirements/bench.txt
	@touch $(BENCH_STAMP)
