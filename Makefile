# make run   the main job, offline: every test in repository/ against its recorded completions
# make quick while you work: format, lint, types, layers, and the tests that catch most mistakes
# make test  before you hand in: everything that is checked, with real models and a real server
# make pythons  the wheel with every Python of this machine, and with the lowest versions of packages
# make fuzz  100,000 hostile documents, sessions and answers of servers, and what is killed at random;
#            with LVE_FUZZ_SECONDS=600, each door of tests/fuzz/test_doors.py for so long
# make held  counts what starts and rows cost, in instructions (valgrind)
# make mutation  plants 100 small faults, with a new seed each time: would the tests notice?
# make records  writes anew what tests hold word for word: look at the diff, each change is meant
# make fix   format and repair what can be repaired
# make site  the pages of docs/ as a site, in build/site
# make docs-words  how long each page of docs/ is
# make dist  the wheel and the source distribution, checked, and the list of what they need (SBOM), in build/
# make web   the pages of reports, from web/: needs Node
# make bench the measurements of benchmarks/README.md
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles a package when it is imported; most of what is installed never is.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
PYTEST := $(BIN)/pytest -n auto --maxprocesses 8 --dist worksteal
FUZZ := tests/fuzz tests/hostile tests/sandbox tests/child tests/extensions/ray \
	tests/checkers/library/test_hostile.py tests/checkers/test_hostile_answers.py
RECORDS := $(patsubst tests/%,%,$(sort $(shell grep -rl --include=test_calls.py support.recorded tests))) \
	cli/test_command_lines.py cli/test_help_pages.py checkers/library/test_reasons.py checkers/library/test_arguments.py \
	checkers/expression/test_results.py \
	models/test_wire_fields.py spec/test_spoiled_documents.py documents/test_pieces.py \
	extensions/importing/promptfoo/test_spoiled_configs.py extensions/opencompass/test_rendered_plans.py \
	extensions/reports/test_recorded_reports.py extensions/comparing/test_recorded_comparisons.py
RUN := $(VENV)/.installed
QUICK := $(VENV)/.installed-quick
DEV := $(VENV)/.installed-dev
SITE := $(VENV)/.installed-site
RELEASE := $(VENV)/.installed-release
LLAMA_CPP := $(VENV)/.downloaded-server
BROWSER := $(VENV)/.installed-browser
COMPILED := $(VENV)/.compiled-tests
STRANGER := $(VENV)/.installed-llm-katan

# Hundreds of tests start Python: compiling lve for each of them doubles their time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run quick test installed lint types tests quick-tests pythons pythons-short fuzz held mutation records fix docs docs-words site dist pictures web bench clean

run: $(RUN)
	$(BIN)/lve run repository --model replay

quick: lint types quick-tests

# On a fresh machine one core installs while the other checks types.
test:
	$(MAKE) --jobs=3 lint types installed pythons-short
	$(MAKE) tests

installed: $(DEV) $(BROWSER) $(COMPILED) $(STRANGER)

lint: $(QUICK)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(QUICK)
	$(BIN)/mypy

quick-tests: $(QUICK)
	$(PYTEST) --quick -r fE

# On a busy machine a test may miss a time limit: what fails runs once more, with nothing beside it.
AGAIN := { test $$? = 1 && $(BIN)/pytest --last-failed --last-failed-no-failures none; }
tests: installed
	$(PYTEST) -r a || $(AGAIN)

# TRY has its options: make pythons TRY="suites --only 3.13", TRY="bounds --extras sql mcp"
TRY ?= suites bounds
pythons: $(QUICK)
	PYTHONPATH=tests $(BIN)/python -m pythons $(TRY)

pythons-short: $(QUICK)
	PYTHONPATH=tests $(BIN)/python -m pythons short

fuzz: export LVE_FUZZ_INPUTS ?= 100000
fuzz: $(DEV)
	$(PYTEST) $(FUZZ) || $(AGAIN)
	$(PYTEST) -m hypothesis || $(AGAIN)

held: installed
	$(BIN)/python benchmarks/held.py

mutation: installed
	$(BIN)/python benchmarks/mutation.py --n 100 --most 25 --seconds 1500

records: $(DEV)
	for test in $(RECORDS); do PYTHONPATH=tests $(BIN)/python tests/$$test || exit 1; done

fix: $(QUICK)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DEV)
	$(BIN)/python docs/generate_options.py
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_names.py
	$(BIN)/python docs/generate_checks.py
	$(BIN)/python docs/generate_gallery.py
	$(BIN)/python docs/generate_messages.py
	$(BIN)/python docs/generate_test_schema.py
	$(BIN)/python docs/generate_providers.py
	$(BIN)/python docs/generate_rooms.py
	$(BIN)/python docs/generate_repository.py

docs-words:
	@$(PYTHON) docs/words.py

site: $(SITE)
	$(BIN)/python -m mkdocs build

dist: $(RELEASE)
	rm -rf build/dist build/installed
	$(BIN)/python -m hatchling build --directory build/dist
	$(BIN)/twine check --strict build/dist/*
	$(BIN)/check-wheel-contents build/dist/*.whl
	$(BIN)/python -m venv build/installed
	build/installed/bin/pip install --quiet --disable-pip-version-check build/dist/*.whl
	build/installed/bin/lve run repository --model replay --quiet
	$(BIN)/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml \
	--output-file build/lve.cdx.json build/installed/bin/python

# Look at them before you commit them.
pictures: $(DEV) $(BROWSER)
	$(BIN)/python docs/generate_screenshots.py

web:
	cd web && npm ci --ignore-scripts --no-audit --no-fund && npm run types && npm run lint \
	&& npm run build

bench: $(DEV)
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/faults.py
	$(BIN)/python benchmarks/pytest_collect.py

# An old pip, such as Python 3.11's, takes twice as long to install the rest.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	-$(PIP) --upgrade pip

$(RUN): pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(QUICK): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev-quick]'
	touch $(RUN) $@

# The tests use real local models and recognizers: see the sizes in pyproject.toml. PyTorch's own
# index, where it can be reached, has a build without the 2 GB for graphics cards.
TORCH := https://download.pytorch.org/whl/cpu
$(DEV): $(QUICK) $(LLAMA_CPP)
	$(PIP) --editable ".[dev,dev-models$$(ls $(VENV)/llama/*.whl >/dev/null 2>&1 && echo ,dev-server)]" \
	--find-links $(VENV)/llama \
	$$(curl --silent --fail --head --max-time 5 --output /dev/null $(TORCH)/torch/ \
	&& echo --extra-index-url $(TORCH))
	touch $@

$(RELEASE): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev-release]'
	touch $@

# A site needs neither models nor lve itself.
$(SITE): pyproject.toml | $(BIN)/python
	$(PIP) "$$(grep --only-matching 'mkdocs-material[^"]*' pyproject.toml)"
	touch $@

# The tests of pages use a real browser, without windows where there is such a package: it is smaller
# and pages take a third of the time. Where none can be installed, they are skipped and say so.
BROWSERS := chromium-headless-shell chromium chromium-browser
$(BROWSER): | $(BIN)/python
	for name in $(BROWSERS); do command -v $$name && break; done >/dev/null \
	|| { test $$(id -u) = 0 && apt-get update -qq \
	&& { apt-get install --yes -qq chromium-headless-shell || apt-get install --yes -qq chromium; }; \
	} >/dev/null \
	|| echo "NO BROWSER: the tests of pages will be skipped." \
	"Debian: apt-get install chromium-headless-shell" >&2
	touch $@

# llama.cpp's server is a Python package, which would compile llama.cpp; npm has llama.cpp compiled, of a
# release that fits. Where that can't be had, the tests against the server are skipped and say so.
LLAMA := $(subst [server],,$(shell grep -o 'llama-cpp-python\[server\]==[0-9.]*' pyproject.toml))
LIBRARY_Linux_x86_64 := linux-x64
LIBRARY_Linux_aarch64 := linux-arm64
LIBRARY := @node-llama-cpp/$(LIBRARY_$(shell uname -s)_$(shell uname -m))@3.19.1
$(LLAMA_CPP): Makefile | $(BIN)/python
	rm -rf $(VENV)/llama && mkdir $(VENV)/llama
	{ npm pack --silent --pack-destination $(VENV)/llama $(LIBRARY) \
	&& tar -xzf $(VENV)/llama/*.tgz -C $(VENV)/llama --strip-components=3 package/bins \
	&& $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-cache-dir \
	--config-settings wheel.cmake=false --wheel-dir $(VENV)/llama $(LLAMA); } >/dev/null \
	|| echo "NO REAL SERVER: its tests will be skipped" >&2
	touch $@

# A server that somebody else wrote, in an environment of its own: it needs uvloop, without which most
# tests run.
$(STRANGER): Makefile | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/stranger
	$(VENV)/stranger/bin/python -m pip install --quiet --disable-pip-version-check "llm-katan>=0.22" \
	|| echo "NO LLM-KATAN: its tests will be skipped" >&2
	touch $@

# pytest compiles tests when they are imported for the first time. One process does that for all
# workers, each of which would do it at the same time. What is wrong with a test, `tests` says.
$(COMPILED): | $(DEV)
	$(BIN)/pytest --collect-only --quiet >/dev/null 2>&1 || true
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
