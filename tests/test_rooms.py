"""A package lists its public names, and its objects have a repr that describes them."""

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import byteloom
from byteloom import hfile, puffin

NEEDS_SPARK = ".spark."
"""The part of the name of every package that imports pyspark."""


def rooms() -> list[Any]:
    """Return the packages that say what is public, except the command line."""
    found = [each for each in pkgutil.walk_packages(byteloom.__path__, "byteloom.") if each.ispkg]
    mark = pytest.mark.peer("pyspark")
    return [
        pytest.param(each.name, id=each.name, marks=mark if NEEDS_SPARK in each.name else ())
        for each in found
        if ".cli" not in each.name and "__all__" in _source(each.name)
    ]


def _source(package: str) -> str:
    """Return the text of a package, without importing it."""
    folder = package.split(".")[1:]
    return Path(*byteloom.__path__, *folder, "__init__.py").read_text("utf-8")


@pytest.mark.parametrize("name", rooms())
def test_a_room_shows_what_is_public(name: str) -> None:
    """`dir` of a package has the names of `__all__`, and no submodules or imports."""
    room = import_module(name)
    assert dir(room) == sorted(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)


CELLS = pa.table({"row": [b"a", b"b", b"c"], "value": [b"1", b"2", b"3"]})


def test_an_hfile_is_arrow_and_says_how_much(tmp_path: Path) -> None:
    """An HFile has `num_rows`, a schema, an Arrow stream and a repr, without reading cells."""
    place = tmp_path / "cells.hfile"
    with hfile.HFileWriter(place) as writer:
        writer.write(CELLS)
    with hfile.open(place) as file:
        assert file.num_rows == 3
        streamed = pa.table(file)
        assert streamed.schema == file.schema
        assert streamed.equals(file.read())
        assert repr(file) == f"<HFile {place}: 3 cells, hbase>"


def test_a_puffin_file_says_what_it_is(tmp_path: Path) -> None:
    """The repr of a Puffin file has its path and its number of blobs."""
    place = tmp_path / "file.puffin"
    with puffin.PuffinWriter(place) as writer:
        writer.add(type="x", data=b"1", fields=[], snapshot_id=1, sequence_number=1)
    with puffin.open(place) as file:
        assert repr(file) == f"<PuffinFile {place}: 1 blob>"
