"""The numbers and magics of a layout are in its spec alone: code takes them from there."""

from __future__ import annotations

from importlib import import_module
from inspect import getmembers, isclass
from typing import TYPE_CHECKING

import pytest
from tests.support.literals import ROOT, RUNTIME, literals

from byteloom.hfile.trailer import SIZES
from byteloom.wire import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOMS: dict[str, set[object]] = {
    "avro": {b"Obj\x01"},
    "hfile": {33, 212, 4096, 32767, b"PBUF", b'TRABLK"$'},
    "lance": {40, 48, b"LANC", b"TSSF"},
    "parquet": {b"PAR1", b"PARE"},
    "puffin": {4096, 8192, 12346, 12347, 65536, b"PFA1"},
}
"""Rooms, and what their specs say among others."""

ELSEWHERE = {
    ("hfile/writing/cell_columns.py", 32767): "the most tags that HBase reads back",
    ("hfile/writing/profiles.py", 32767): "what Hudi keeps the length of a whole key in",
    ("hfile/writing/writer.py", 4096): "cells that wait",
    ("hfile/search.py", 4096): "spare bytes of a buffer",
    ("puffin/theta.py", 4096): "the usual size of a sketch, which its writer chooses",
    ("puffin/theta_form.py", 63): "bits of an integer with a sign",
    ("puffin/metadata.py", 63): "bits of an integer with a sign",
}
"""What equals something in a layout by chance, and what it is."""


def _records(room: str) -> Iterator[type[Record]]:
    for path in (ROOT / "generated/byteloom_generated" / room).glob("[a-z]*.py"):
        module = import_module(f"byteloom_generated.{room}.{path.stem}")
        for _, cls in getmembers(module, lambda each: isclass(each) and issubclass(each, Record)):
            yield cls


def _facts(room: str) -> set[object]:
    """Return sizes, maxima, named numbers and magics, but no common ones such as 8 or 127."""
    found: set[object] = set(SIZES.values()) if room == "hfile" else set()
    for cls in _records(room):
        named = {value for name, value in vars(cls).items() if name[0].islower()}
        magics = {each for each in named if isinstance(each, bytes) and len(each) > 2}
        numbers = {getattr(cls, "SIZE", 0), *getattr(cls, "MOST", {}).values()}
        numbers |= {each for each in named if type(each) is int}
        found |= magics | {each for each in numbers if each > 32 and each not in {127, 255}}
    return found


def _modules(room: str) -> list[Path]:
    shared = [RUNTIME / "codecs" / "roaring.py"] if room == "puffin" else []
    return [*RUNTIME.glob(f"{room}/**/*.py"), *RUNTIME.glob(f"kernels/{room}_*.py"), *shared]


@pytest.mark.parametrize("room", ROOMS)
def test_facts_of_a_layout_are_in_its_spec_alone(room: str) -> None:
    """No module of a room spells out a size, bound or magic that a spec gives."""
    wanted = _facts(room)
    assert ROOMS[room] <= wanted
    found = {
        (path.relative_to(RUNTIME).as_posix(), each)
        for path in _modules(room)
        for each in literals(path) & wanted
    }
    assert found == {each for each in ELSEWHERE if each[0].startswith(f"{room}/")}
