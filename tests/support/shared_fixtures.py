"""Tests that share a fixture of their module run in one worker, which makes it once."""

from __future__ import annotations

import zlib

import pytest


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests by the module's fixtures that they use, each parameter by itself."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            used = item._fixtureinfo.name2fixturedefs
            shared = sorted(name for name, held in used.items() if held[-1].scope == "module")
            if shared:
                parts = [f"{name}{_parameter(item, name)}" for name in shared]
                item.add_marker(pytest.mark.xdist_group("-".join([item.path.stem, *parts])))


def _parameter(item: pytest.Function, name: str) -> str:
    """Return a key that identifies the parameter of a fixture; tests may list some of them."""
    if not hasattr(item, "callspec") or name not in item.callspec.params:
        return ""
    value = item.callspec.params[name]
    parts = value if isinstance(value, tuple) else (value,)
    if all(isinstance(each, str | int) for each in parts):  # what every worker writes alike
        return str(zlib.crc32(repr(value).encode()))
    return str(item.callspec.indices[name])
