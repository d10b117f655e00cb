"""Tests that share a fixture of their module run in one worker, which makes it once."""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests by the module's fixtures that they use, each parameter by itself."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            used = item._fixtureinfo.name2fixturedefs
            shared = sorted(name for name, held in used.items() if held[-1].scope == "module")
            if shared:
                indices = item.callspec.indices if hasattr(item, "callspec") else {}
                parts = [f"{name}{indices.get(name, '')}" for name in shared]
                item.add_marker(pytest.mark.xdist_group("-".join([item.path.stem, *parts])))
