"""Records as their class reads them, and as a walk does, in a form that tests can compare."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.errors import FormatError
from byteloom.wire import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["flipped", "read", "walked"]


def read(cls: Any, data: bytes, name: str, **given: Any) -> tuple[list[Any], str]:
    """Records up to the end, or up to the one that is refused, and the error about it."""
    found: list[Any] = []
    reader = Reader(data)
    try:
        while reader.pos < len(data):
            found.append(reader.record(f"{name}[{len(found)}]", partial(cls.read, **given)))
    except FormatError as error:
        return found, str(error)
    return found, ""


def walked(
    walk: Any, data: bytes, parameters: Mapping[str, int | bytes], usual: int = 40
) -> tuple[dict[str, Any], str]:
    """The columns of a walk, and the error about the record that ends it.

    usual  bytes for each of which there is room for a row at first
    """
    words, names = np.frombuffer(data, np.uint8), [each.name for each in walk.columns]
    whole = np.array([[0, len(data)]])
    found = replace(walk, usual=usual).over(words, whole, names, 1000, parameters)
    error = "" if found.code == 0 else str(walk.refusal(words, len(data), found, parameters))
    columns = {each.name: _values(each, found, data) for each in walk.columns}
    return columns, error


def flipped(data: bytes) -> list[bytes]:
    """*data* with each of its bits flipped, and cut after each byte."""
    number = int.from_bytes(data, "big")
    flips = [(number ^ 1 << bit).to_bytes(len(data), "big") for bit in range(8 * len(data))]
    return [*flips, *(data[:end] for end in range(len(data)))]


def _values(column: Any, found: Any, data: bytes) -> list[Any]:
    if not column.items:
        return _plain(column, found.columns[column.name], found.rows, data)
    offsets = found.offsets[column.name].tolist()
    items = _plain(column, found.columns[column.name], offsets[-1], data)
    assert (offsets[0], len(offsets)) == (0, found.rows + 1)
    return [items[start:end] for start, end in pairwise(offsets)]


def _plain(column: Any, filled: Any, count: int, data: bytes) -> list[Any]:
    if column.form == "view":
        return [_viewed(each.tobytes(), data) for each in filled[: 16 * count].reshape(-1, 16)]
    values: list[Any] = filled.view(column.form)[:count].tolist()
    return values


def _viewed(view: bytes, data: bytes) -> bytes:
    size, at = int.from_bytes(view[:4], "little"), int.from_bytes(view[12:], "little")
    return view[4 : 4 + size] if size <= 12 else data[at : at + size]
