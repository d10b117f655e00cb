"""Numbers and magics of HFile's layout stand once, in its specs, and code takes them from there."""

from __future__ import annotations

import ast
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path

from byteloom.hfile.block_types import MAGICS, TYPE_NAMES
from byteloom.hfile.trailer import SIZES
from byteloom.wire import Record

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "runtime/byteloom"
ROOMS = [*RUNTIME.glob("hfile/**/*.py"), *RUNTIME.glob("kernels/hfile_*.py")]

ELSEWHERE = {
    ("hfile/writing/rules.py", 32767): "the most tags that HBase reads back",
    ("hfile/writing/profiles.py", 32767): "what Hudi keeps the length of a whole key in",
    ("hfile/writing/writer.py", 4096): "cells that wait",
    ("hfile/batched.py", 4096): "spare bytes of a buffer",
}
"""Numbers that are equal to one of the layout by chance, and what they are."""


def literals(path: Path) -> set[object]:
    """The literals of a module, beside its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)}


def facts() -> set[int]:
    """Sizes of records and greatest values that are telling: 8 and 127 stand for much else."""
    found = set(SIZES.values())
    for path in (ROOT / "generated/byteloom_generated/hfile").glob("[a-z]*.py"):
        module = import_module(f"byteloom_generated.hfile.{path.stem}")
        for _, cls in getmembers(module, lambda each: isclass(each) and issubclass(each, Record)):
            sizes = {getattr(cls, "SIZE", 0), *getattr(cls, "MOST", {}).values()}
            found |= {each for each in sizes if each > 32 and each not in {127, 255}}
    return found


def test_numbers_of_the_layout_are_those_of_the_specs() -> None:
    """No module of the runtime spells out a size or a bound that a spec gives."""
    wanted = facts()
    assert {33, 212, 4096, 32767} <= wanted
    found = {
        (path.relative_to(RUNTIME).as_posix(), number)
        for path in ROOMS
        for number in literals(path) & wanted
    }
    assert found == ELSEWHERE.keys()


def test_magics_of_blocks_are_those_of_the_spec() -> None:
    """No module of the runtime spells out what a block begins with, as bytes or as a number."""
    magics: set[object] = {*MAGICS.values(), *TYPE_NAMES}
    assert b"DATABLK*" in magics
    assert not [path.name for path in RUNTIME.rglob("*.py") if literals(path) & magics]
