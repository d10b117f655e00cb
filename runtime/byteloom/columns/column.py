"""The columns of a scanner: the arrays filled for each, and the Arrow array built from them.

The rules all columns obey:

- A column declares its *slots*, the NumPy arrays that a loop (or a strided copy) fills, and takes
  as many filled ones to build its array: always in the same order, outer columns first.
- Slots belong to a *table*: table 0 has a row for each record, every list begins a table of its own
  with a row for each element.
- A null has zeros in its slots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.columns.views import BadRowError
from byteloom.errors import FormatError, found_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.columns.strided_rows import Rows
    from byteloom.wire.reader import Buffer

__all__ = [
    "PLACE", "Binary", "Column", "Filled", "Flag", "List", "Named", "Number", "Slot", "Struct",
    "bitmap", "record_batch", "slots_of",
]  # fmt: skip

Binary: TypeAlias = Literal["view", "binary"]
"""How bytes and text are returned: views into the input, or copied into their own buffers."""

PLACE: Final = "place"
"""The form of a slot of offsets or sizes: wide enough for the length of the input."""


class Slot(NamedTuple):
    """One array to fill: its NumPy dtype, its table, and how many elements it has beyond rows."""

    form: str
    table: int
    more: int = 0


@dataclass(slots=True)
class Filled:
    """Filled slots, from which arrays are built.

    data    the bytes that offsets in slots refer to
    slots   the arrays that are not taken yet
    binary  how bytes and text are returned
    """

    data: Buffer
    slots: Iterator[NDArray[Any]]
    binary: Binary

    def take(self, rows: int) -> NDArray[Any]:
        """Return the filled part of the next slot."""
        return next(self.slots)[:rows]


def slots_of(columns: tuple[Column, ...]) -> list[Slot]:
    """Return the slots of *columns*, in the order in which loops take them."""
    tables = count(1)
    return [slot for column in columns for slot in column.slots(0, tables)]


@dataclass(frozen=True, slots=True)
class Column:
    """The base of all columns.

    optional   the record may lack the field: the column has nulls
    arrow      the name of its Arrow type, if that is not the natural one
    attribute  the record's name for it, if that differs
    """

    name: str
    optional: bool = field(default=False, kw_only=True)
    arrow: str = field(default="", kw_only=True)
    attribute: str = field(default="", kw_only=True)

    def slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:
        """Yield the slots of this column, in *table*; *tables* numbers the tables of lists."""
        if self.optional:
            yield Slot("u1", table)
        yield from self.own_slots(table, tables)

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:
        """Yield the slots other than the one for nulls."""
        raise NotImplementedError

    def from_rows(self, rows: Rows) -> Iterator[NDArray[Any]]:
        """Yield the slots of fixed-size records, which need no loop."""
        raise NotImplementedError

    def array(self, filled: Filled, rows: int) -> pa.Array:
        """Return the column as an array of *rows* values."""
        given = filled.take(rows) if self.optional else None
        made = self.build(filled, rows, given)
        return self.as_asked(made) if self.arrow else made

    def as_asked(self, array: pa.Array) -> pa.Array:
        """Return *array*, cast to the type that the spec asks for."""
        wanted = pa.type_for_alias(self.arrow)
        same = _width(array.type) == _width(wanted) is not None
        if same and pa.types.is_temporal(wanted):
            return array.view(wanted)
        try:
            return array.cast(wanted)
        except pa.ArrowInvalid as error:
            found = found_by(f"values of {array.type}", error)
            raise FormatError(self.name, None, found, f"values of {wanted}") from None

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return the array in the column's natural type; *given* is 0 where it is null."""
        raise NotImplementedError


def record_batch(columns: Sequence[Column], arrays: Sequence[pa.Array]) -> pa.RecordBatch:
    """Return *arrays* as the columns that they are."""
    fields = [
        pa.field(column.name, array.type, nullable=column.optional)
        for column, array in zip(columns, arrays, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def _width(type_: pa.DataType) -> int | None:
    return type_.bit_width if pa.types.is_primitive(type_) else None


def bitmap(given: NDArray[Any] | None) -> pa.Buffer | None:
    """Return Arrow's validity bitmap; None if no row is null."""
    return None if given is None else pa.py_buffer(np.packbits(given != 0, bitorder="little"))


def _nulls(given: NDArray[Any] | None) -> pa.Array | None:
    return None if given is None else pa.array(given == 0)


@dataclass(frozen=True, slots=True)
class Number(Column):
    """An integer or a number of IEEE 754, read or calculated.

    form    of NumPy: ``u4``
    at      its offset in fixed-size records
    stored  its dtype there: ``<u4``
    bits    the number of bits that belong to it, from *shift* upwards; 0 for all
    by      calculates it from the numbers *of* the same rows; None where it is read
    """

    form: str
    at: int = field(default=0, kw_only=True)
    stored: str = field(default="", kw_only=True)
    shift: int = field(default=0, kw_only=True)
    bits: int = field(default=0, kw_only=True)
    by: Callable[..., Any] | None = field(default=None, kw_only=True)
    of: tuple[Number, ...] = field(default=(), kw_only=True)

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:
        """One slot for the number; floats are filled as integers with the same bits.

        What is calculated has the slots of the numbers that it is calculated from.
        """
        if self.by is None:
            yield Slot({"f4": "u4", "f8": "i8", "u8": "i8"}.get(self.form, self.form), table)
        for each in self.of:
            yield from each.own_slots(table, tables)

    def from_rows(self, rows: Rows) -> Iterator[NDArray[Any]]:
        """A strided copy for each slot."""
        if self.by is None:
            yield rows.column(self.stored, self.at, self.shift, self.bits)
        for each in self.of:
            yield from each.from_rows(rows)

    def values(self, filled: Filled, rows: int) -> NDArray[Any]:
        """Return the numbers in their own form, read or calculated."""
        if self.by is None:
            return filled.take(rows).view(self.form)
        numbers = [each.for_calculations(filled, rows) for each in self.of]
        with np.errstate(all="ignore"):  # as for zeros in rows that are null
            calculated = np.asarray(self.by(*numbers)).astype(self.form, copy=False)
        return np.ascontiguousarray(np.broadcast_to(calculated, rows))

    def for_calculations(self, filled: Filled, rows: int) -> NDArray[Any]:
        """Return the numbers with 64 bits, as records have them."""
        values = self.values(filled, rows)
        wide = {"f": "f8", "u": "u8" if self.form == "u8" else "i8"}.get(self.form[0], "i8")
        return values.astype(wide, copy=False)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return integers or floats."""
        values = self.values(filled, rows)
        buffers = [bitmap(given), pa.py_buffer(values)]
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), rows, buffers)


@dataclass(frozen=True, slots=True)
class Flag(Number):
    """A boolean."""

    def for_calculations(self, filled: Filled, rows: int) -> NDArray[Any]:
        """Return truth values."""
        flags: NDArray[Any] = self.values(filled, rows) != 0
        return flags

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return bool."""
        values = np.packbits(self.for_calculations(filled, rows), bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), rows, [bitmap(given), pa.py_buffer(values)])


@dataclass(frozen=True, slots=True)
class Named(Number):
    """A value of an enum: a dictionary of names; an unnamed value is given by its digits."""

    names: Mapping[int, str]

    def array(self, filled: Filled, rows: int) -> pa.Array:
        """Return the dictionary, or the numbers if the spec asks for them."""
        given = filled.take(rows) if self.optional else None
        if self.arrow and not self.arrow.endswith("string"):
            return self.as_asked(self.build_number(filled, rows, given))
        made = self.build(filled, rows, given)
        return self.as_asked(made) if self.arrow else made

    def build_number(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return the numbers themselves."""
        return Number.build(self, filled, rows, given)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return dictionary<int32, string>."""
        values = self.values(filled, rows)
        bounds = np.iinfo(values.dtype)  # an enum may name numbers that the field cannot have
        fitting = [each for each in sorted(self.names) if bounds.min <= each <= bounds.max]
        known = np.array(fitting, values.dtype)
        places = np.searchsorted(known, values).astype(np.int32)
        strange = np.isin(values, known, invert=True)
        labels = [self.names[int(value)] for value in known]
        if strange.any():
            others = np.unique(values[strange])
            places[strange] = len(known) + np.searchsorted(others, values[strange])
            labels += pa.array(others).cast(pa.string()).to_pylist()
        indices = pa.Array.from_buffers(pa.int32(), rows, [bitmap(given), pa.py_buffer(places)])
        return pa.DictionaryArray.from_arrays(indices, pa.array(labels, pa.string()))


@dataclass(frozen=True, slots=True)
class Struct(Column):
    """A nested record."""

    columns: tuple[Column, ...]

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:
        """The slots of its columns."""
        for column in self.columns:
            yield from column.slots(table, tables)

    def from_rows(self, rows: Rows) -> Iterator[NDArray[Any]]:
        """The slots of its columns."""
        for column in self.columns:
            yield from column.from_rows(rows)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return struct."""
        arrays = [column.array(filled, rows) for column in self.columns]
        fields = [
            pa.field(column.name, array.type, nullable=column.optional)
            for column, array in zip(self.columns, arrays, strict=True)
        ]
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=_nulls(given))


@dataclass(frozen=True, slots=True)
class List(Column):
    """A repeated field; *item* is the column of its elements, which have their own table."""

    item: Column

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:
        """The offsets of each row's elements, one more than rows; then the elements' slots."""
        yield Slot("i8", table, 1)
        yield from self.item.slots(next(tables), tables)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return list."""
        ends = filled.take(rows + 1)
        try:
            items = self.item.array(filled, int(ends[-1]))
        except BadRowError as error:
            raise BadRowError(int(np.searchsorted(ends, error.row, "right")) - 1) from None
        offsets = pa.array(ends.astype(np.int32))
        return pa.ListArray.from_arrays(offsets, items, mask=_nulls(given))
