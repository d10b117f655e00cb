"""Rows of a table found by keys: a hash join of key columns, without a Python object per row.

The rules:

- Keys are compared as SQL does: null equals nothing. NaN equals NaN, and -0.0 equals 0.0.
- Two rows with the same key are refused: which of them a row of the table would become is
  undefined.
- Files whose statistics show that they have none of the keys are not read: a filter on the range
  of the keys, or on the keys themselves if they are few, is planned first.

Source: SQL, MERGE; Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import wanted_name
from byteloom.arrow.flags import flags_of
from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.iceberg.expressions.ast import FALSE, TRUE, Expression
from byteloom.iceberg.expressions.operators import col
from byteloom.iceberg.planning.scan_columns import optional
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.equality_deletes import Keys, comparable
from byteloom.iceberg.row_changes.assignments import one_array
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField

__all__ = ["KeyLookup", "key_fields"]

_FEW: Final = 200
"""Most keys that are planned one by one; more are planned by their range."""

_EXACT: Final = frozenset({"int", "long", "string", "date"})
"""Kinds of columns whose keys are planned: those of which a literal has one spelling and order."""


def key_fields(
    on: str | Sequence[str] | None, schema: Schema, given: Sequence[str]
) -> tuple[NestedField, ...]:
    """Return the columns of keys.

    Args:
        on: Their names; the table's identifier fields if None.
        schema: The table's schema.
        given: The names of the columns of the rows with the keys.

    Raises:
        ArgumentError: No name, or one that the table or the rows lack.
        Unsupported: A column that has no plain values.
    """
    if on is None:
        names = [schema.name(each) or "" for each in schema.identifier_field_ids]
    elif isinstance(on, str):
        names = [on]
    elif isinstance(on, Iterable):
        names = list(on)
    else:
        raise ArgumentError("on", None, type(on).__name__, "names of columns")
    if not names:
        wanted = "names of columns: the table has no identifier fields"
        raise ArgumentError("on", None, "no column", wanted)
    known = {each.name: each for each in schema.fields}
    for name in names:
        if name not in known:
            wanted = wanted_name(str(name), list(known), "a column of the table")
            raise ArgumentError("on", None, repr(name), wanted)
        if name not in given:
            raise ArgumentError("on", None, f"rows without column {name}", "all columns of the key")
        if not known[name].type.is_primitive or known[name].type.kind in {"variant", "unknown"}:
            found = f"column {name} of type {known[name].type}"
            raise Unsupported("on", None, found, "plain columns")
    return tuple(known[each] for each in dict.fromkeys(names))


class KeyLookup:
    """The rows with some keys, in which rows of the table are looked up.

    Attributes:
        rows: The rows.
    """

    def __init__(self, rows: pa.Table, fields: Sequence[NestedField]) -> None:
        """Hash the keys.

        Args:
            rows: Rows, with the key columns in the table's types.
            fields: The key columns.

        Raises:
            FormatError: Two rows with the same key.
        """
        self.rows, self._fields = rows, [optional(each) for each in fields]
        columns = [one_array(rows[each.name]) for each in self._fields]
        known = np.ones(rows.num_rows, np.bool_)
        for each in columns:
            known &= flags_of(each.is_valid())
        self._places = np.flatnonzero(known)
        self._columns = [each.filter(pa.array(known)) for each in columns]
        self._keys = Keys([_normal(each) for each in self._columns])
        self._row_of = self._rows_by_key()

    def _rows_by_key(self) -> NDArray[np.int64]:
        """Return the row of each key; refuse a key that two rows have."""
        numbers = self._keys.numbers([_normal(each) for each in self._columns])
        counts = np.bincount(numbers, minlength=len(self._keys))
        if (counts > 1).any():
            first, second = np.flatnonzero(numbers == int(np.argmax(counts > 1)))[:2].tolist()
            key = {
                of.name: each[first].as_py()
                for of, each in zip(self._fields, self._columns, strict=True)
            }
            found = f"{_text(key)} in rows {self._places[first]} and {self._places[second]}"
            raise FormatError("key", None, found, "each key in one row")
        made = np.empty(len(self._keys), np.int64)
        made[numbers] = self._places
        return made

    @property
    def filter(self) -> Expression:
        """A condition that all rows of the table with one of the keys satisfy."""
        found: Expression = TRUE if len(self._keys) else FALSE
        for field, values in zip(self._fields, self._columns, strict=True):
            found &= _condition(field, values)
        return found

    def __call__(self, columns: Columns) -> NDArray[np.int64]:
        """Return for each row of the table the number of the row with its key; -1 for none."""
        numbers = self._keys.numbers([_normal(project(each, columns)) for each in self._fields])
        if not len(self._keys):
            return numbers
        return np.where(numbers < 0, -1, self._row_of[numbers])


def _normal(array: pa.Array) -> pa.Array:
    """Return values in a form whose equal values are equal in Arrow; -0.0 is 0.0."""
    if pa.types.is_floating(array.type):
        array = pc.add(array, pa.scalar(0, array.type))
    return comparable(array)


def _condition(field: NestedField, values: pa.Array) -> Expression:
    """Return a condition that all of some values of a column satisfy, without nulls among them."""
    if field.type.kind not in _EXACT or not len(values):
        return TRUE
    column = col(field.name)
    distinct = pc.unique(values)
    if len(distinct) <= _FEW:
        return column.isin(distinct.to_pylist())
    ends = pc.min_max(values)
    return column.between(ends["min"].as_py(), ends["max"].as_py())


def _text(key: dict[str, Any]) -> str:
    """Return a key for an error."""
    return ", ".join(f"{name} = {value!r:.60}" for name, value in key.items())
