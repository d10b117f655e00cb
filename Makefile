# Everything a contributor or a curious visitor runs. A machine needs Python 3.11+ and make; each
# target first brings .venv to what uv.lock says, which takes no time when it is there already.

PYTHON ?= python3
UV_VERSION := 0.13.9
EXTRAS ?= dev

UV := UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=.venv .venv/bin/uv
READY := .venv/.ready-$(subst $() ,-,$(EXTRAS))

.DEFAULT_GOAL := help

.PHONY: .venv
.venv: $(READY)  ## Set up .venv from uv.lock

.venv/bin/uv:
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("byteloom needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# --inexact keeps what a contributor put into .venv by hand, and uv itself.
$(READY): pyproject.toml uv.lock | .venv/bin/uv
	$(UV) sync --quiet --locked --inexact $(addprefix --extra ,$(EXTRAS))
	@touch $@
