# Everything a contributor or a curious visitor runs. A machine needs Python 3.11+ and make; each
# target first brings .venv to what uv.lock says, which takes no time when it is there already.

, := ,
PYTHON ?= python3
UV_VERSION := 0.13.9
EXTRAS ?= dev

UV := HATCH_BUILD_NO_HOOKS=1 UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=.venv .venv/bin/uv
READY := .venv/.ready-$(subst $() ,-,$(EXTRAS))
KAITAI := tests/peers/kaitai
PYTEST := .venv/bin/python -m pytest
# Without machine code of its kernels byteloom works all the same, slower at first. It is made after
# .venv is set up, not by the hook that makes it for a wheel, whose build takes all dependencies. A
# new checkout starts with what another one made with the same compiler, and keeps what is not stale.
MADE := runtime/byteloom/native/compiled
COMPILER = $(shell (.venv/bin/python -VV; cat uv.lock runtime/byteloom/native/*.py) | cksum)
KEPT = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/byteloom/native-$(subst $() ,-,$(COMPILER))
NATIVE = kept=$(KEPT); \
	test -e $(MADE) || test ! -e $$kept || cp -R $$kept $(MADE); \
	if ! .venv/bin/python -m byteloom.native.build; then \
		echo "make: kernels were not compiled"; \
	elif ! cmp -s $(MADE)/index.json $$kept/index.json; then \
		mkdir -p $$kept && cp -R $(MADE) $$kept.$$$$ && rm -rf $$kept && mv $$kept.$$$$ $$kept; \
	fi
# What tests never import is half of what .venv holds: tests of others, what mypy has compiled, ...
UNUSED := /(tests?|pip|setuptools|lexers|mypyc?|cuda|dialects|hive_metastore|datastore)/
# What the site shows, from where it is, so that links between pages lead somewhere here and there.
PAGES := '*.md' LICENSE 'docs/*.svg' 'docs/*.css' 'generated/reference/*' 'codegen/byteloom_codegen/schema/*' ':!tests'
PARALLEL := --numprocesses=auto --dist=loadgroup
# The demo brings Spark, whose tests take minutes: they run where .venv was set up for tests with it,
# by `make peers` or with EXTRAS.
WITH_SPARK = $(wildcard .venv/.ready-dev*spark)$(findstring spark,$(EXTRAS))

# Bytecode is kept, whatever the environment says: without it each of the many processes that tests
# start compiles all modules again, which takes longer than most of the tests.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help:  ## List these targets
	@awk -F':.*## ' '/^[.a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo:  ## See byteloom at work on a million rows, with Spark
	@$(MAKE) --no-print-directory .venv EXTRAS="codegen spark"
	.venv/bin/python -m examples.demo

.PHONY: test
test: $(READY)  ## Run the tests; what this machine lacks for some is named at the end
	@$(NATIVE)
	$(if $(WITH_SPARK),,BYTELOOM_WITHOUT=pyspark )$(PYTEST) $(PARALLEL)

.PHONY: check
check: lint test  ## Run all that a change must pass

.PHONY: lint
lint: $(READY)  ## Check style, types, import contracts, and that generated code is fresh
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/byteloom generate --check

.PHONY: format
format: $(READY)  ## Let ruff format, and fix what it can
	.venv/bin/ruff check --fix; fixed=$$?; .venv/bin/ruff format && exit $$fixed

.PHONY: generate
generate: $(READY)  ## Regenerate generated/ from specs/
	.venv/bin/byteloom generate

.PHONY: corpus
corpus: $(READY)  ## Test on files by other producers (BYTELOOM_CORPUS=dir ONLY=iceberg/files)
	BYTELOOM_CORPUS_ONLY=$(ONLY) $(PYTEST) $(PARALLEL) -m 'corpus and not slow'

.PHONY: bench
bench: $(READY)  ## Measure against peers, in the same run (ONLY=name; PAGE=1 writes docs/benchmarks.md)
	BYTELOOM_BENCH_PAGE=$(PAGE) $(PYTEST) -m bench -s -p no:randomly $(if $(ONLY),-k $(ONLY)) tests/bench/bench_*.py

.PHONY: spec-mutants
spec-mutants: $(READY)  ## Put each small fault into a copy of the specs, and list those that no test notices (ONLY=)
	.venv/bin/python -m tests.mutants --count $(or $(N),100000) --seed $(or $(SEED),0) --only '$(or $(ONLY),specs/*.ksy)'

.PHONY: sweep
sweep: $(READY)  ## Run the exhaustive tests, and properties on new examples: an hour
	HYPOTHESIS_PROFILE=search $(PYTEST) $(PARALLEL) -m 'slow or hypothesis'

.PHONY: mutants
mutants: $(READY)  ## Put small faults into a copy of the code, and list those that no test notices (N=20 SEED=0 ONLY= CRITICAL=1 QUICK=1)
	@$(NATIVE)
	.venv/bin/python -m tests.mutants --count $(or $(N),20) --seed $(or $(SEED),0) --only '$(or $(ONLY),*)' $(if $(CRITICAL),--critical) $(if $(QUICK),--quick)

.PHONY: peers
peers: $(KAITAI)/node_modules/.package-lock.json  ## Add what peer tests need: Spark, pylance, the Kaitai compiler, a driver for browsers
	@$(MAKE) --no-print-directory .venv EXTRAS="dev browser lance spark"

.PHONY: native
native: $(READY)  ## Compile kernels that have changed ahead of time, as an installation does
	@$(NATIVE)

.PHONY: docs
docs:  ## Build the site in build/site/; a dead link is an error
	@$(MAKE) --no-print-directory .venv EXTRAS="dev docs"
	@rm -rf build/pages && mkdir -p build/pages
	@git ls-files --cached --others --exclude-standard $(PAGES) | tar cf - -T - | tar xf - -C build/pages
	@.venv/bin/python docs/navigation.py < mkdocs.yml > build/mkdocs.yml
	.venv/bin/zensical build --strict --config-file build/mkdocs.yml

.PHONY: wheel
wheel: .venv/bin/uv  ## Build in dist/ the source and a wheel with compiled kernels, beside those for other Pythons
	rm -rf build/dist
	@echo "make: compiling kernels and building the wheel, which takes some minutes"
	.venv/bin/uv build --quiet --python $(PYTHON) --out-dir build/dist
	.venv/bin/uv tool run --quiet --from 'twine>=6,<7' twine check --strict build/dist/byteloom-*
	@mkdir -p dist
	@cd build/dist && version=$$(basename byteloom-*.tar.gz .tar.gz) && \
		find ../../dist -name 'byteloom-*' ! -name "$$version[-.]*" -delete && mv byteloom-* ../../dist
	@ls dist/byteloom-*

.PHONY: lock
lock: .venv/bin/uv  ## Bring uv.lock to what pyproject.toml says (UPGRADE=1: newest releases)
	$(UV) lock $(if $(UPGRADE),--upgrade)

.PHONY: .venv
.venv: $(READY)  ## Set up .venv from uv.lock (PYTHON=python3.13 EXTRAS="dev spark")

.PHONY: clean
clean:  ## Remove everything that make created
	rm -rf .venv build dist runtime/byteloom/native/compiled $(KAITAI)/node_modules tests/peers/*/build .*_cache .hypothesis
	find runtime codegen generated tests examples -name __pycache__ -prune -exec rm -rf {} +

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("byteloom needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# --inexact keeps what a contributor put into .venv by hand, and uv itself.
$(READY): pyproject.toml uv.lock | .venv/bin/uv
	@echo "make: $(if $(wildcard .venv/.ready-*),bringing .venv up to date,installing dependencies and compiling kernels$(,) which takes some minutes the first time)"
	$(UV) sync --quiet --locked --inexact $(addprefix --extra ,$(EXTRAS))
	@.venv/bin/python -m compileall -qq -j 0 -x '$(UNUSED)' .venv/lib || true
	@test -e $(MADE)/index.json || { $(NATIVE); }
	@touch $@

$(KAITAI)/node_modules/.package-lock.json: $(KAITAI)/package-lock.json
	npm ci --prefix $(KAITAI) --no-audit --no-fund
	@touch $@
