"""Everyday formats and small nasty ones, edited at every attribute: kept, or refused by name."""

from __future__ import annotations

import importlib
from copy import deepcopy
from dataclasses import fields, is_dataclass
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.strangers import imported_from, inputs, specs, write_records

from byteloom.errors import ByteloomError
from byteloom.wire import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST = 100_000
"""Bytes of an input that is edited; the larger ones have nothing that these lack."""

_EMPTY: tuple[object, ...] = (None, b"", "", [])


def _attributes(record: Any, depth: int = 0) -> Iterator[tuple[Any, str]]:
    """Yield the attributes of *record*, and of the first records in it, each with its owner."""
    if isinstance(record, list):
        for each in record[:2]:
            yield from _attributes(each, depth + 1)
    elif is_dataclass(record) and depth < 6:
        for each in fields(record):
            if each.init and each.compare:
                yield record, each.name
                yield from _attributes(getattr(record, each.name), depth + 1)


def _edits(value: Any) -> Iterator[Any]:
    """Yield other values that somebody might assign."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (int(value) + 1, 0)
    elif value and type(value) in {bytes, str, list}:
        yield from (value[:-1], value + deepcopy(value[-1:]))
    yield None


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal, nothing as good as empty."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if is_dataclass(one) and type(one) is type(other):
        names = [each.name for each in fields(one) if each.compare]
        return all(_same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (isnan(one) and isnan(other))
    return bool(one == other) or (one in _EMPTY and other in _EMPTY)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Generate all specs into a folder that modules are imported from."""
    folder = tmp_path_factory.mktemp("edited")
    write_records(specs(), folder)
    with imported_from(folder):
        yield folder


def test_every_edit_reads_back_or_is_refused(classes: Path) -> None:
    """No edit of one attribute is lost, or written so that it reads as something else."""
    kept = refused = 0
    for name, data in inputs():
        module = importlib.import_module(name)
        assert str(module.__file__).startswith(str(classes))
        members = [each for each in vars(module).values() if isinstance(each, type)]
        kind = next(
            each for each in members if issubclass(each, Record) and vars(each).get("NAME") == name
        )
        try:
            places = list(_attributes(kind.from_bytes(data))) if len(data) < _MOST else []
        except ByteloomError:
            continue
        for number in range(0, len(places), max(1, len(places) // 25)):
            for edit in _edits(getattr(*places[number])):
                record = kind.from_bytes(data)
                owner, attribute = next(islice(_attributes(record), number, None))
                setattr(owner, attribute, edit)
                try:
                    written = record.to_bytes()
                except ByteloomError:
                    refused += 1
                    continue
                assert _same(record, kind.from_bytes(written)), (name, attribute, edit)
                kept += 1
    assert kept > 1000
    assert refused > 500
