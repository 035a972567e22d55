# `make` alone lists the commands. Each command installs what it needs in .venv, says so
# in a line, and repeats no step while constraints.txt and pyproject.toml are unchanged.
# PYTHON3 chooses the Python.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help serve build test test-setup check format refresh bench notebooks clean \
	hashes environment site dev katex katex-dev browser

VENV := .venv
PYTHON := $(VENV)/bin/python
LOG := $(VENV)/setup.log
# The site that `make check` builds and that the tests read.
TESTED := .cache/tested
# Only the project itself is built from source.
PIP := $(PYTHON) -m pip --disable-pip-version-check --no-color install \
	--progress-bar off --only-binary :all:
# HASHES=no also installs wheels that are not in the lists of hashes, such as those that
# a version gets later for a newer Python.
HASHES ?= yes
PYTHON3 ?=
PORT ?= 8000
JOBS ?= auto

# At every start the theme prints a long notice about its successor.
export NO_MKDOCS_2_WARNING := 1

# Prints a line of progress.
say = @printf '%s\n' "$(1)"

help:
	@printf '%s\n' \
	  'make serve       set up, build the site, serve it (PORT=$(PORT))' \
	  'make test        set up, then all checks and all tests' \
	  'make test-setup  tests that install packages or fetch them (minutes)' \
	  'make check       format, lint, types, equations, translations, links' \
	  'make format      format the code, scripts and style sheets; fix what ruff can' \
	  'make build       the site, into site/' \
	  'make refresh     the catalogs, records and figures that are made from other files' \
	  'make notebooks   run the notebooks in full and save their outputs (minutes)' \
	  'make bench       measure speed and memory beside other libraries (minutes)' \
	  'make clean       remove what was built or installed here'

serve: site katex
	@$(PYTHON) -c 'import socket, sys; \
	  s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); \
	  sys.exit(s.connect_ex(("127.0.0.1", $(PORT))) == 0 and \
	  "error: port $(PORT) is taken; try: make serve PORT=8001")'
	$(call say,Building the site; its address follows. Control-C ends it.)
	@$(PYTHON) -P -m mkdocs serve --dev-addr 127.0.0.1:$(PORT)

build: site katex
	$(call say,Building the site into site/)
	@$(PYTHON) -P -m mkdocs build --strict

test: dev browser check
	$(call say,Running the tests)
	@TXL_SITE=$(TESTED) $(PYTHON) -m pytest --quiet --numprocesses $(JOBS) \
	  --dist loadfile --no-loadscope-reorder --max-worker-restart 0

test-setup: dev katex
	$(call say,Running the tests that install and fetch packages)
	@$(PYTHON) -m pytest --quiet -m setup --numprocesses $(JOBS) --dist loadgroup \
	  --no-loadscope-reorder --max-worker-restart 0

check: dev katex-dev
	$(call say,Checking format)
	@$(PYTHON) -m ruff format --quiet --check
	@$(PYTHON) -m tests.prettier --check
	$(call say,Checking style)
	@$(PYTHON) -m ruff check --quiet
	$(call say,Checking types)
	@$(PYTHON) -m mypy --no-error-summary
	$(call say,Checking the text)
	@$(VENV)/bin/txl check >/dev/null
	$(call say,Checking translations)
	@$(VENV)/bin/txl i18n update --check
	@$(VENV)/bin/txl i18n lint
	$(call say,Checking links and formulas)
	@$(PYTHON) -m tests.site.built $(TESTED)

refresh: dev katex
	$(call say,Updating the files of the translators)
	@$(VENV)/bin/txl i18n update
	$(call say,Recording the values of the variables)
	@$(VENV)/bin/txl observe
	$(call say,Drawing the figures)
	@$(PYTHON) -m tests.figures
	@$(PYTHON) -m tests.architecture

format: dev katex-dev
	@$(PYTHON) -m ruff check --quiet --fix-only
	@$(PYTHON) -m ruff format --quiet
	@$(PYTHON) -m tests.prettier --write

bench: dev
	$(call say,Measuring beside other libraries)
	@$(PYTHON) -m tests.benchmarks.bench

notebooks: dev
	$(call say,Running the notebooks in full)
	@$(VENV)/bin/txl notebooks

clean:
	$(call say,Removing what was built or installed here)
	@[ ! -e $(VENV) ] || { rm -rf $(VENV).old && mv $(VENV) $(VENV).old; }
	@rm -rf $(VENV).old site dist .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find labml_txl tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The set-up, step by step. While a step changes $(VENV), a mark is in it. $(VENV) is
# made again if the mark is found, because the set-up was interrupted, or if its Python
# is gone, too old or not the one of PYTHON3.

MARK := $(VENV)/unfinished
NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'
WHICH := 'import sys; print(sys.version, sys.base_prefix)'

environment:
	@$(call usable) 2>/dev/null || { $(call find_python) && $(call make_environment); }

usable = { [ ! -e $(MARK) ] && $(PYTHON) -c $(NEW_ENOUGH) && $(PYTHON) -c 'import pip' \
	&& { [ -z '$(PYTHON3)' ] || \
	[ "$$($(PYTHON) -c $(WHICH))" = "$$('$(PYTHON3)' -c $(WHICH))" ]; }; }

find_python = { python=; \
	for name in $(if $(PYTHON3),'$(PYTHON3)',python3 python3.14 python3.13 python3.12 \
	  python3.11 python); do \
	  if "$$name" -c $(NEW_ENOUGH) 2>/dev/null; then python=$$name; break; fi; done; \
	if [ -z "$$python" ]; then echo 'error: $(or $(PYTHON3),what is installed) is no' \
	  'Python 3.11 or newer; install one, or name one: make $@ PYTHON3=…' >&2; \
	  exit 1; fi; }

# A Python without `ensurepip`, such as Debian's, can use any pip that is installed.
make_environment = { \
	echo "Making a virtual environment in $(VENV) with $$python"; \
	rm -rf $(VENV).old && { [ ! -e $(VENV) ] || mv $(VENV) $(VENV).old; } && \
	mkdir $(VENV) && : >$(MARK) || exit 1; \
	{ if "$$python" -c 'import ensurepip'; then "$$python" -m venv $(VENV); else \
	  "$$python" -m venv --without-pip $(VENV) && \
	  for pip in "$$python" python3; do \
	    "$$pip" -m pip --python $(PYTHON) install pip && break; done; \
	  fi && $(PYTHON) -m pip --version; } >$(LOG) 2>&1 || { \
	  tail -n 3 $(LOG) >&2; echo "error: $$python made no virtual environment; on" \
	    'Debian or Ubuntu: apt-get install python3-venv' >&2; exit 1; }; \
	rm -rf $(VENV).old $(MARK); }

site: environment
	@$(call packages,the packages that build the site,.[site],site.done,site)

dev: environment
	@$(call packages,torch and what the tests need,.[dev],dev.done site.done,site dev)

# $(call packages,what,from where,stamps,lists): a stamp contains what was installed,
# from where, and for which folder, because $(VENV) does not work in another one. The
# packages with known hashes are installed first. Few are left then: the project itself,
# and torch with its packages for graphics cards.
wanted = { pwd && cat pyproject.toml constraints.txt requirements/*.txt; }
HASHED = --require-hashes --no-deps $(foreach list,$(1),-r requirements/$(list).txt)
REST := --no-build-isolation --constraint constraints.txt
packages = $(wanted) | cmp -s - $(VENV)/$(firstword $(3)) || { \
	echo 'Installing $(1)' && : >$(MARK) && \
	if { { [ '$(HASHES)' = no ] || $(PIP) $(call HASHED,$(4)); } && \
	  $(PIP) $(REST) hatchling editables && $(PIP) $(REST) --editable '$(2)'; \
	} >$(LOG) 2>&1; then for stamp in $(3); do $(wanted) >$(VENV)/$$stamp; done; rm -f $(MARK); \
	else rm -f $(MARK); tail -n 5 $(LOG) >&2; \
	  echo 'error: the packages could not be installed; pip stopped at' \
	    "$$(sed -nE $(STEP) $(LOG) | tail -n 1) (all of it: $(LOG))" >&2; \
	  ! grep -q 'DO NOT MATCH THE HASHES' $(LOG) || echo 'It is not the file that this' \
	    'project was tested with. To take it all the same: make $@ HASHES=no' >&2; \
	  exit 1; fi; }
STEP := 's/^ *(Collecting|Downloading|Installing|Preparing|ERROR: No .* for) //p'

# The hashes of all wheels of the versions in constraints.txt, for every system, except
# those of torch and of its packages for graphics cards, since other indexes have other
# builds. The list of the tests does not repeat what the site needs.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --only-binary :all: \
	--no-annotate --no-header --generate-hashes --constraint constraints.txt
named = $$(sed -nE 's/^($(1))==.*/--no-emit-package \1/p' $(2))

hashes:
	@for extra in site dev; do \
	  printf 'hatchling\neditables\n' | $(LOCK) --extra $$extra \
	    $(call named,(torch|triton|nvidia|cuda)[a-z0-9-]*,constraints.txt) \
	    $$([ $$extra = site ] || echo $(call named,[a-z0-9.-]+,requirements/site.txt)) \
	    --output-file requirements/$$extra.txt pyproject.toml - || exit 1; done

# These commands find out by themselves whether anything has to be done.
katex: site
	@$(PYTHON) -m labml_txl.literate.equations.node

katex-dev: site
	@$(PYTHON) -m labml_txl.literate.equations.node --dev

browser: site
	@$(PYTHON) -m tests.site.browser >/dev/null
