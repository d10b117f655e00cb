"""The cells given to a writer: columns that a compiled loop reads, what is refused, and their sums.

- Columns have the names that a scan gives; `key` is another name of ``row``. A column that is left
  out has one value in all cells: no family, no qualifier, the latest timestamp, a put, no sequence
  number.
- A column of another name is refused, since it would be lost; so is a null, which no cell can hold.
- So are, besides what the layout forbids, cells that HBase writes but could not read back. Tags and
  sequence numbers would be lost in a file whose settings leave them out. Without a delta encoding
  HBase's reader takes a negative timestamp, or more than 32,767 bytes of tags, for damage; with
  one, it assumes the first cell's family for all cells.
- Sums and extremes over all cells are for the file info.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError, FormatError, beginning
from byteloom.hfile.bloom_keys import Keys, keys_of, no_names
from byteloom.hfile.cells import COLUMNS
from byteloom.hfile.writing.settings import Settings
from byteloom.kernels.hfile_cells import KEY_LEAST
from byteloom_generated.hfile.cell import Cell
from byteloom_generated.hfile.cell_scan import PUT_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Columns",
    "Summary",
    "check_cells",
    "check_columns",
    "columns_of",
    "integers_of",
    "not_bytes",
]

_KEY: Final = "key"
_BINARY: Final = tuple(each.name for each in PUT_CELLS.columns if each.form == "view")
_NUMBERS: Final[dict[str, tuple[pa.DataType, int]]] = {
    each.name: (pa.from_numpy_dtype(each.form), each.default)
    for each in PUT_CELLS.columns
    if each.form != "view"
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of one batch: the places and the bytes of each column."""

    binary: tuple[Keys, ...]
    numbers: tuple[NDArray[Any], ...]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.binary[0])

    def part(self, begin: int, end: int) -> Columns:
        """Return some of the cells."""
        return Columns(
            tuple(each.part(begin, end) for each in self.binary),
            tuple(each[begin:end] for each in self.numbers),
        )

    def values(self, number: int) -> list[bytes | int]:
        """Return the values of one cell, in the order of the columns of a put."""
        found: dict[str, bytes | int] = {}
        found |= zip(_NUMBERS, (int(each[number]) for each in self.numbers), strict=True)
        found |= zip(_BINARY, (each.at(number) for each in self.binary), strict=True)
        return [found[each.name] for each in PUT_CELLS.columns]

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Yield the arrays of all columns, as the loop that puts cells takes them."""
        for column in PUT_CELLS.columns:
            if column.name in _NUMBERS:
                yield self.numbers[list(_NUMBERS).index(column.name)]
            else:
                yield from self.binary[_BINARY.index(column.name)]

    def shown(self, name: str, number: int) -> str:
        """Return the value of a cell as an error shows it; for bytes, only their number."""
        if name in _NUMBERS:
            return str(self.numbers[list(_NUMBERS).index(name)][number])
        return f"{len(self.binary[_BINARY.index(name)].at(number)):,} bytes"


def check_columns(names: Sequence[str]) -> list[str]:
    """Return *names* with ``row`` for ``key``.

    Raises:
        FormatError: For unknown columns, for repeated ones, and without rows.
    """
    found = [("row" if name == _KEY else name) for name in names]
    for name in found:
        if name not in COLUMNS:
            known = ", ".join((*COLUMNS, _KEY))
            wanted = f"one of {known}; on the command line --columns maps others"
            raise ArgumentError("columns", None, repr(name), wanted)
        if found.count(name) > 1:
            raise ArgumentError("columns", None, f"{name!r} twice", "it once, as row or as key")
    if "row" not in found:
        raise ArgumentError("columns", None, ", ".join(found), "a column row, or key")
    return found


def columns_of(data: Any) -> Iterator[Columns]:
    """Yield the batches of Arrow data.

    Args:
        data: A batch, a table, a stream, or a list or generator of them.

    Raises:
        FormatError: For unknown columns.
    """
    for batch in batches_of(data):
        names = check_columns(batch.schema.names)
        given = dict(zip(names, batch.columns, strict=True))
        if batch.num_rows:
            yield Columns(
                tuple(_binary(given, name, batch.num_rows) for name in _BINARY),
                tuple(_numbers(given, name, batch.num_rows) for name in _NUMBERS),
            )


def not_bytes(name: str, kind: pa.DataType) -> ArgumentError:
    """Return the error about a column *name* of another type than bytes or text."""
    wanted = "bytes or text"
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind):
        wanted += "; a .csv file as input has text, in Python `column.cast('string')` makes it"
    return ArgumentError(name, None, str(kind), wanted)


def _binary(given: dict[str, Any], name: str, count: int) -> Keys:
    keys = no_names(count)
    if name in given:
        try:
            keys = keys_of(given[name])
        except pa.ArrowException as error:
            raise not_bytes(name, given[name].type) from error
        except FormatError as error:
            error.path = name
            raise
    for array in keys:  # one type of array for the compiled loop
        array.flags.writeable = False
    return keys


def _numbers(given: dict[str, Any], name: str, count: int) -> NDArray[Any]:
    """Return a column as integers; ``timestamp`` may also be an Arrow timestamp."""
    wanted, default = _NUMBERS[name]
    if name not in given:
        out = np.full(count, default, wanted.to_pandas_dtype())
    else:
        out = integers_of(name, given[name]).to_numpy(zero_copy_only=False)
    out.flags.writeable = False
    return out


def integers_of(name: str, array: Any) -> Any:
    """Return the values of the column *name*, an array or chunks of one, as the writer's integers.

    Raises:
        ArgumentError: For other values, and nulls.
    """
    wanted, _ = _NUMBERS[name]
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    is_moment = name == "timestamp" and pa.types.is_timestamp(array.type)
    if not (is_moment or pa.types.is_integer(array.type) or pa.types.is_null(array.type)):
        needed = "integers or timestamps" if name == "timestamp" else "integers"
        raise ArgumentError(name, None, f"{array.type}", needed)
    if array.null_count:
        raise ArgumentError(name, None, f"{array.null_count} nulls", "a number in every row")
    try:
        if is_moment:
            array = array.cast(pa.timestamp("ms", array.type.tz)).cast(pa.int64())
        return array.cast(wanted)
    except pa.ArrowException as error:
        raise ArgumentError(name, None, f"{array.type}", f"numbers that fit {wanted}") from error


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


_SERIALIZED: Final = 4
"""Bytes that HBase adds to the length of a cell: the size of the length field."""

_LEN_TAGS: Final = 2


@dataclass(slots=True)
class Summary:
    """Sums, and greatest values.

    Attributes:
        biggest: Bytes of the biggest cell, as HBase counts them.
        biggest_key: Key of the first cell of that size.
    """

    len_keys: int = 0
    len_values: int = 0
    max_mvcc: int = 0
    max_tags: int = 0
    biggest: int = 0
    biggest_key: bytes = b""

    def add(self, cells: Columns) -> int | None:
        """Add at least one cell; return the number of a new biggest cell, if there is one."""
        rows, families, qualifiers, values, tags = cells.binary
        self.len_keys += KEY_LEAST * len(cells) + rows.size + families.size + qualifiers.size
        self.len_values += values.size
        self.max_mvcc = max(self.max_mvcc, int(cells.numbers[2].max()))
        ends = rows.ends + values.ends
        for each in (families, qualifiers):
            if each.size:
                ends += each.ends
        sizes = ends[1:] - ends[:-1]
        if tags.size:
            lengths = tags.lengths
            self.max_tags = max(self.max_tags, int(lengths.max()))
            sizes += lengths + _LEN_TAGS * (lengths > 0)
        index = int(sizes.argmax())
        size = Cell.MIN_SIZE + KEY_LEAST + _SERIALIZED + int(sizes[index])
        if size <= self.biggest:
            return None
        self.biggest = size
        return index
