"""Refuse cells that HBase writes but could not read back, in addition to the rules of the layout.

- Tags and sequence numbers would be lost in a file whose settings leave them out.
- Without a delta encoding HBase's reader takes a negative timestamp, or more than 32,767
  bytes of tags, for damage; with one, it assumes the first cell's family for all cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from byteloom.errors import ArgumentError, beginning
from byteloom.hfile.writing.cell_columns import Columns
from byteloom.hfile.writing.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["check_cells"]

_MOST_CELL: Final = 1 << 30
_MOST_TAGS: Final = 32767
_SHOWN: Final = 60


def check_cells(columns: Columns, settings: Settings, family: bytes | None, number: int) -> None:
    """Refuse cells that HBase would not read back.

    Args:
        family: The family of the cells before, if all must have the same; None before the first
            cell.
        number: Number of the first cell in the file.

    Raises:
        FormatError: For the first such cell.
    """
    if not len(columns):
        return
    found = [
        (int(wrong.argmax()), name, wanted)
        for wrong, name, wanted in chain(
            _of_delta(columns, family) if settings.is_delta else _of_plain(columns),
            _of_any(columns, settings),
        )
    ]
    if found:
        index, name, wanted = min(found)
        row = beginning(columns.binary[0].at(index), _SHOWN)
        value = columns.shown(name, index) if name else "more"
        path = f"cells[{number + index}]{'.' if name else ''}{name}"
        raise ArgumentError(path, None, f"{value} in row {row}", wanted)


_Broken: TypeAlias = "Iterator[tuple[NDArray[np.bool_], str, str]]"
"""The broken rules: of each the cells that break it, the column, and what was wanted."""


def _of_delta(columns: Columns, family: bytes | None) -> _Broken:
    families = columns.binary[1]
    family = families.at(0) if family is None else family
    is_other = families.lengths != len(family)
    if is_other.any() or families.joined() != family * len(families):
        is_other = np.array([families.at(index) != family for index in range(len(families))])
        wanted = "one family in a file with a delta encoding: HBase would read wrong cells"
        yield is_other, "family", wanted


def _of_plain(columns: Columns) -> _Broken:
    times, tags = columns.numbers[0], columns.binary[4]
    back = "HBase does not read {} back without a delta encoding"
    if times.min() < 0:
        yield times < 0, "timestamp", f"0 or more: {back.format('others')}"
    if tags.size > _MOST_TAGS and tags.lengths.max() > _MOST_TAGS:
        wanted = f"at most {_MOST_TAGS} bytes: {back.format('more')}"
        yield tags.lengths > _MOST_TAGS, "tags", wanted


def _of_any(columns: Columns, settings: Settings) -> _Broken:
    mvccs, tags = columns.numbers[2], columns.binary[4]
    if mvccs.min() < 0:
        yield mvccs < 0, "mvcc", "0 or more: HBase does not read others back"
    if not settings.mvcc and mvccs.any():
        yield mvccs != 0, "mvcc", "0: the file is written without (mvcc=True keeps them)"
    if not settings.tags and tags.size:
        yield tags.lengths > 0, "tags", "none: the file is written without (tags=True keeps them)"
    if sum(each.size for each in columns.binary) > _MOST_CELL:
        sizes = np.sum([each.lengths for each in columns.binary], axis=0)
        if sizes.max() > _MOST_CELL:
            yield sizes > _MOST_CELL, "", "a cell of at most 1 GiB"
