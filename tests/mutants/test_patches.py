"""Faults are put into functions that are already imported."""

from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from tests.mutants.patches import functions_below, patch

SOURCE: Final = """\
from functools import lru_cache

LIMIT = 3

def above(value, least=1):
    return value > LIMIT

def counting():
    return lambda value: value + 1

class Held:
    kind = 5

    @property
    def size(self):
        return [each + 2 for each in (1,)]

@lru_cache
def cached():
    return 7
"""


def loaded(path: Path) -> ModuleType:
    """Return the source as a module of a file."""
    module = ModuleType("patched")
    exec(compile(SOURCE, str(path), "exec"), vars(module))  # noqa: S102
    return module


@pytest.mark.parametrize(
    ("old", "new", "expression", "value"),
    [
        ("value > LIMIT", "value >= LIMIT", "above(3)", True),
        ("value + 1", "value - 1", "counting()(1)", 0),
        ("each + 2", "each + 3", "Held().size", [4]),
        ("return 7", "return 8", "cached()", 8),
        ("return 7", "return 7.0", "str(cached())", "7.0"),
    ],
)
def test_functions_do_what_is_changed(
    tmp_path: Path, old: str, new: str, expression: str, value: object
) -> None:
    """A patch changes functions, nested ones and methods, wherever they were imported."""
    path = tmp_path / "module.py"
    module = loaded(path)
    functions = functions_below(str(tmp_path))
    assert patch(functions, str(path), SOURCE, SOURCE.replace(old, new))
    assert eval(expression, vars(module)) == value  # noqa: S307


@pytest.mark.parametrize(
    ("old", "new"), [("LIMIT = 3", "LIMIT = 4"), ("least=1", "least=2"), ("kind = 5", "kind = 6")]
)
def test_what_an_import_runs_is_not_patched(tmp_path: Path, old: str, new: str) -> None:
    """A change to a constant, a default or a class body is reported as not patched."""
    path = tmp_path / "module.py"
    module = loaded(path)
    functions = functions_below(str(tmp_path))
    assert not patch(functions, str(path), SOURCE, SOURCE.replace(old, new))
    assert module.LIMIT == 3


def test_what_no_function_has_is_not_patched(tmp_path: Path) -> None:
    """A change to a file that is not imported is reported as not patched."""
    path = tmp_path / "module.py"
    changed = SOURCE.replace("return 7", "return 8")
    assert not patch(functions_below(str(tmp_path)), str(path), SOURCE, changed)
