"""Columns made of records that were read one by one, for what no loop over bytes can take.

- They have the names, types and nulls of the columns that a loop fills: both obey `Column`.
- A value whose type another value decides is in the column of its own type; the others are null.
- A record that may hold itself is text, as JSON has it: columns cannot nest without end.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.columns.column import (
    Column,
    Filled,
    List,
    Number,
    Slot,
    Struct,
    bitmap,
    record_batch,
)
from byteloom.columns.payloads import Bytes, FixedBytes, Text
from byteloom.columns.record_texts import text_of_record
from byteloom.errors import FormatError, LimitExceeded, Unsupported, found_by
from byteloom.wire.record import collector_paused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.columns.column import Binary

__all__ = ["Cases", "Json", "Wide", "batch_of"]


@dataclass(frozen=True, slots=True)
class Cases(Struct):
    """A value of one of several types: a column for each, of which at most one is not null.

    kinds  the class that values of each column have
    """

    kinds: tuple[type, ...] = ()

    def column_of(self, value: object) -> int:
        """Return the number of the column that *value* belongs to; -1 for one without a column."""
        if value is None:
            return -1
        own = type(value)
        if own in self.kinds:
            return self.kinds.index(own)
        # The bytes that a processor made, or a number that its enum has no name for.
        found = [at for at, kind in enumerate(self.kinds) if isinstance(value, kind)]
        found += [at for at, kind in enumerate(self.kinds) if own is int and issubclass(kind, Enum)]
        return found[0] if found else -1


@dataclass(frozen=True, slots=True)
class Json(Column):
    """A record as text: an object of JSON, its bytes in hex."""


@dataclass(frozen=True, slots=True)
class Wide(Column):
    """Integers of which some are below 0 and others above 2^63 - 1."""

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:  # noqa: ARG002
        """One slot for the lowest 64 bits, and one for those above, which are all alike."""
        yield Slot("i8", table)
        yield Slot("i1", table)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return decimal128(20)."""
        words = np.empty((rows, 2), np.dtype("<i8"))
        words[:, 0], words[:, 1] = filled.take(rows), filled.take(rows)
        buffers = [bitmap(given), pa.py_buffer(words)]
        return pa.Array.from_buffers(pa.decimal128(20), rows, buffers)


def batch_of(
    columns: tuple[Column, ...],
    records: Sequence[Any],
    binary: Binary,
    path_of: Callable[[int], str] = "".format,
) -> pa.RecordBatch:
    """Return the columns of *records*; *binary* says how bytes and text come out.

    path_of      returns the path of a record, by its number
    FormatError  an instance that cannot be calculated, or whose value its column cannot have
    """
    with collector_paused():
        try:
            return record_batch(columns, _members(columns, records, binary))
        except FormatError as error:
            for number, record in enumerate(records):
                _check(columns, record, binary, path_of(number))
            raise error.inside(path_of(0)) from error.__cause__


def _check(columns: tuple[Column, ...], record: Any, binary: Binary, path: str) -> None:
    """Raise the error of a record that cannot be in these columns."""
    try:
        _members(columns, [record], binary)
    except FormatError as error:
        raise error.inside(path) from error.__cause__


def _members(columns: tuple[Column, ...], records: Sequence[Any], binary: Binary) -> list[pa.Array]:
    """Return the columns of records, some of which may be None."""
    made, some_lack = list[pa.Array](), _has_none(records)
    for column in columns:
        take = attrgetter(column.attribute or column.name)
        with _inside(column):
            if some_lack:
                values = [None if each is None else take(each) for each in records]
            else:
                values = list(map(take, records))
            made.append(_array(column, values, binary))
    return made


@contextmanager
def _inside(column: Column) -> Iterator[None]:
    """Name *column* in errors about its values, which are all of the same family."""
    name = column.name
    try:
        yield
    except FormatError as error:
        raise error.inside(name) from error.__cause__
    except RecursionError as error:
        found = "values calculated from each other"
        raise LimitExceeded(name, None, found, "fewer levels") from error
    except (OverflowError, UnicodeError, pa.ArrowException) as error:
        found = found_by("a value", error)
        wanted = f"a value that fits {_described(column)}"
        raise Unsupported(name, None, found, wanted) from error


def _described(column: Column) -> str:
    """Return in a few words which values a column can have."""
    if isinstance(column, Number) and column.form[0] in "iu":
        sign = "" if column.form[0] == "i" else "unsigned "
        return f"an {sign}integer of {8 * int(column.form[1:])} bits"
    return "its column, see its type"


def _array(column: Column, values: list[Any], binary: Binary) -> pa.Array:
    """Return *values* as the array of *column*."""
    is_nested = isinstance(column, Struct | List) and column.optional
    if is_nested and binary == "binary" and _has_none(values[:-1]):  # Arrow takes no views
        return _spread(column, values, binary)
    if isinstance(column, Number):
        column = replace(column, by=None, of=())
        return column.array(Filled(b"", _slots(column, values), binary), len(values))
    if not column.optional and _has_none(values):  # inside a null
        values = [_blank(column) if each is None else each for each in values]
    made = _natural(column, values, binary)
    return column.as_asked(made) if column.arrow else made


def _has_none(values: Sequence[Any]) -> bool:
    """Whether a value is None, without asking values whether they equal it."""
    return type(None) in {*map(type, values)}


def _spread(column: Column, values: list[Any], binary: Binary) -> pa.Array:
    """Return *values*, of which some are None: an array of the others, and one None, is spread out.

    None inside a record that may be missing would be carried through all of its columns.
    """
    present = [each for each in values if each is not None]
    given = np.array([each is not None for each in values], np.bool_)
    places = np.where(given, np.cumsum(given) - 1, len(present))
    return _array(column, [*present, None], binary).take(pa.array(places))


def _slots(column: Number, values: list[Any]) -> Iterator[np.ndarray[Any, Any]]:
    """Yield what a loop would have filled."""
    form = np.dtype(column.form)
    if _has_none(values):
        if column.optional:
            yield np.array([each is not None for each in values], np.uint8)
        yield np.array([0 if each is None else each for each in values], form)
        return
    if column.optional:
        yield np.ones(len(values), np.uint8)
    yield np.array(values, form)


def _blank(column: Column) -> Any:
    """Return what a column without nulls has where a null is around it."""
    match column:
        case FixedBytes(size=size):
            return bytes(size)
        case Text() | Json():
            return ""
        case Bytes():
            return b""
        case Wide():
            return 0
    return None


def _natural(column: Column, values: list[Any], binary: Binary) -> pa.Array:
    """Return the array of the column's natural type."""
    mask = pa.array([each is None for each in values], pa.bool_()) if column.optional else None
    match column:
        case Cases(columns=columns):
            return _struct(columns, _cases(column, values, binary), mask)
        case Struct(columns=columns):
            return _struct(columns, _members(columns, values, binary), mask)
        case List(item=item):
            sizes = [0 if each is None else len(each) for each in values]
            items = [one for each in values if each is not None for one in each]
            offsets = pa.array(np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))), pa.int32())
            return pa.ListArray.from_arrays(offsets, _items(item, items, binary), mask=mask)
        case Json():
            values = [text_of_record(each) if each else each for each in values]
    made = pa.array(values, _type_of(column, binary))
    if isinstance(made, pa.ChunkedArray):
        raise Unsupported(
            column.name, None, f"{made.nbytes} bytes", "at most 2 GiB, except as views"
        )
    return made


def _items(item: Column, values: list[Any], binary: Binary) -> pa.Array:
    """Return the elements of lists; an error has the number of the element, if it is of one list.

    It is, where `batch_of` looks for the record with the error.
    """
    try:
        return _array(item, values, binary)
    except FormatError:
        for number, each in enumerate(values):
            try:
                _array(item, [each], binary)
            except FormatError as error:
                raise error.inside(f"[{number}]") from error.__cause__
        raise


def _type_of(column: Column, binary: Binary) -> pa.DataType:
    """Return the natural type of a column that holds no others."""
    if isinstance(column, Wide):
        return pa.decimal128(20)
    if isinstance(column, FixedBytes):
        return pa.binary(column.size)
    if isinstance(column, Text | Json):
        return pa.string_view() if binary == "view" else pa.string()
    return pa.binary_view() if binary == "view" else pa.binary()


def _cases(column: Cases, values: list[Any], binary: Binary) -> list[pa.Array]:
    """Return each value in the column of its own type, null in the others."""
    where = [column.column_of(each) for each in values]
    known = {*where}
    return [
        _array(
            one,
            [each if at == number else None for each, at in zip(values, where, strict=True)]
            if number in known
            else [None] * len(values),
            binary,
        )
        for number, one in enumerate(column.columns)
    ]


def _struct(
    columns: tuple[Column, ...], arrays: list[pa.Array], mask: pa.Array | None
) -> pa.StructArray:
    made = [
        pa.field(column.name, array.type, nullable=column.optional)
        for column, array in zip(columns, arrays, strict=True)
    ]
    return pa.StructArray.from_arrays(arrays, fields=made, mask=mask)
