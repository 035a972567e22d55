# `make` alone lists what there is. Every command sets up what it needs in .venv,
# says so in a line, and does no step twice while constraints.txt and
# pyproject.toml stay as they are.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help serve build test check format audit bench notebooks clean \
	katex katex-dev browser

VENV := .venv
PYTHON := $(VENV)/bin/python
LOG := $(VENV)/setup.log
PIP := $(PYTHON) -m pip --disable-pip-version-check --quiet install \
	--no-build-isolation --constraint constraints.txt
PORT ?= 8000
JOBS ?= auto

# At every start the theme prints a long notice about its successor.
export NO_MKDOCS_2_WARNING := 1

# One line that tells what is going on; what a step itself prints goes to $(LOG)
# and is shown only where the step fails.
say = @printf '%s\n' "$(1)"
quietly = { $(1); } >>$(LOG) 2>&1 || { tail -n 5 $(LOG) >&2; \
	printf 'error: %s\n' "$(2) (all of it: $(LOG))" >&2; exit 1; }
no_packages = the packages could not be installed: is there a network?

help:
	@printf '%s\n' \
	  'make serve   set up, build the site, serve it (PORT=$(PORT))' \
	  'make test    set up, then all checks and all tests' \
	  'make check   format, lint, types, equations, translations, links' \
	  'make format  let ruff format and mend what it can' \
	  'make build   the site, into site/' \
	  'make audit   Lighthouse on the pages that must reach 100' \
	  'make notebooks  run the notebooks in full and store what they give (minutes)' \
	  'make bench   measure speed and memory beside other libraries (minutes)' \
	  'make clean   remove what was built or installed here'

serve: $(VENV)/site.done katex
	@$(PYTHON) -c 'import socket, sys; \
	  s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); \
	  sys.exit(s.connect_ex(("127.0.0.1", $(PORT))) == 0 and \
	  "error: port $(PORT) is taken; try: make serve PORT=8001")'
	$(call say,Building the site; its address follows. Control-C ends it.)
	@$(PYTHON) -m mkdocs serve --dev-addr 127.0.0.1:$(PORT)

build: $(VENV)/site.done katex
	$(call say,Building the site into site/)
	@$(PYTHON) -m mkdocs build --strict

test: $(VENV)/dev.done katex-dev browser check
	$(call say,Running the tests)
	@$(PYTHON) -m pytest --quiet --numprocesses $(JOBS) --dist loadfile

check: $(VENV)/dev.done katex
	$(call say,Checking format)
	@$(PYTHON) -m ruff format --quiet --check
	$(call say,Checking style)
	@$(PYTHON) -m ruff check --quiet
	$(call say,Checking types)
	@$(PYTHON) -m mypy --no-error-summary
	$(call say,Checking the text)
	@$(VENV)/bin/txl check >/dev/null
	$(call say,Checking translations)
	@$(VENV)/bin/txl i18n update --check
	@$(VENV)/bin/txl i18n lint --quiet
	$(call say,Checking links and formulas)
	@$(PYTHON) -m mkdocs build --strict

format: $(VENV)/dev.done
	@$(PYTHON) -m ruff check --quiet --fix-only
	@$(PYTHON) -m ruff format --quiet

audit: $(VENV)/dev.done katex browser
	$(call say,Measuring pages with Lighthouse)
	@$(PYTHON) -m tests.site.audit

bench: $(VENV)/dev.done
	$(call say,Measuring beside other libraries)
	@$(PYTHON) -m tests.benchmarks.bench

notebooks: $(VENV)/dev.done
	$(call say,Running the notebooks in full)
	@$(VENV)/bin/txl notebooks

clean:
	$(call say,Removing what was built or installed here)
	@rm -rf $(VENV) site dist .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find labml_txl tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The set-up, step by step.

$(PYTHON):
	$(call say,Making a virtual environment in $(VENV))
	@found=; for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found=$$name; break; fi; done; \
	if [ -z "$$found" ]; then \
	  echo 'error: no Python 3.11 or newer found; install one and try again' >&2; \
	  exit 1; fi; \
	if ! $$found -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "error: $$found cannot make virtual environments; on Debian or Ubuntu:" \
	    'apt-get install python3-venv' >&2; exit 1; fi; \
	rm -rf $(VENV) && $$found -m venv $(VENV)

$(VENV)/site.done: pyproject.toml constraints.txt | $(PYTHON)
	$(call say,Installing the packages that build the site)
	@$(call quietly,$(PIP) hatchling editables && $(PIP) --editable '.[site]',$(no_packages))
	@touch $@

$(VENV)/dev.done: pyproject.toml constraints.txt | $(VENV)/site.done
	$(call say,Installing torch and what the tests need)
	@$(call quietly,$(PIP) --editable '.[dev]',$(no_packages))
	@touch $@

# These look for themselves whether there is anything to do.
katex: $(VENV)/site.done
	@$(PYTHON) -m labml_txl.literate.equations.node

katex-dev: $(VENV)/site.done
	@$(PYTHON) -m labml_txl.literate.equations.node --dev

browser: $(VENV)/dev.done
	@$(PYTHON) -m tests.site.browser >/dev/null
