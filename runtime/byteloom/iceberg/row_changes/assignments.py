"""New values for columns of rows: given ones, or expressions of Arrow on the rows' old values.

The rules:

- Expressions see the rows as they were, so that two columns can be exchanged.
- Numbers are cast to the column's type if no value changes; other values must be of the column's
  type, as for rows that are appended.

Source: SQL, UPDATE.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.arguments import wanted_name
from byteloom.errors import ArgumentError, FormatError, found_by
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.row_changes.new_rows import LAST_UPDATED
from byteloom.iceberg.writing.rows import rows_of
from byteloom.late import pa_dataset, pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField

__all__ = ["Assignments", "one_array", "with_columns"]


class Assignments:
    """The new values of some columns.

    Attributes:
        sets: Their names, if none of the values depends on a row.
    """

    def __init__(self, given: Any, schema: Schema) -> None:
        """Check the columns.

        Args:
            given: By the name of a column, its new value or an expression.
            schema: The table's schema.

        Raises:
            ArgumentError: A column that the table lacks, or none at all.
            FormatError: A value that the column cannot have.
        """
        if not isinstance(given, Mapping) or not given:
            found = "no column" if isinstance(given, Mapping) else type(given).__name__
            raise ArgumentError("values", None, found, "new values by the names of columns")
        known = [each.name for each in schema.fields]
        for name in given:
            if not isinstance(name, str):
                raise ArgumentError("values", None, repr(name), "the name of a column")
            if name not in known:
                wanted = wanted_name(name, known, "a column of the table")
                raise ArgumentError(f"column {name}", None, "not in the table", wanted)
        self._schema = schema
        self._expressions = {
            name: each for name, each in given.items() if isinstance(each, pc.Expression)
        }
        self._values = {
            name: self._value(name, each)
            for name, each in given.items()
            if name not in self._expressions
        }
        self.sets = frozenset() if self._expressions else frozenset(self._values)

    def _value(self, name: str, value: Any) -> pa.Array:
        """Return a value as an array of one value of its column's type."""
        field = self._schema.find(name)
        assert field is not None  # noqa: S101  checked before
        if isinstance(value, pa.Scalar):
            return pa.array([value], value.type)
        if isinstance(value, float | Decimal):
            return pa.array([value])  # Arrow would cut a fraction off for a column of integers
        try:
            return pa.array([value], arrow_type(field.type))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            found, wanted = f"{value!r:.60}", f"a value of {field.type}"
            raise FormatError(f"column {name}", None, found, wanted) from error

    def __call__(self, rows: pa.RecordBatch, _: NDArray[np.int64] | None, /) -> pa.RecordBatch:
        """Return rows with the new values."""
        index = pa.array(np.zeros(rows.num_rows, np.int64))
        made = {name: each.take(index) for name, each in self._values.items()}
        return with_columns(rows, made | self._evaluated(rows), self._schema)

    def _evaluated(self, rows: pa.RecordBatch) -> dict[str, pa.Array]:
        """Return the values of the expressions."""
        if not self._expressions:
            return {}
        names = list(self._expressions)
        source = pa_dataset.dataset(pa.Table.from_batches([rows]))
        try:
            found = source.to_table(columns=self._expressions, use_threads=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            where = f"column {', '.join(names)}"
            wanted = "expressions on the table's columns"
            found = found_by("an expression that fails", error)
            raise FormatError(where, None, found, wanted) from error
        return {name: one_array(found[name]) for name in names}


def with_columns(
    rows: pa.RecordBatch, columns: Mapping[str, pa.Array], schema: Schema
) -> pa.RecordBatch:
    """Return rows with new values in some columns, as rows that were updated.

    Args:
        rows: The rows, with those columns of `stored_columns` that get no new values.
        columns: The new values by the names of columns.
        schema: The table's schema.

    Raises:
        FormatError: A value that its column cannot have.
    """
    given = {
        each.name: columns[each.name] if each.name in columns else rows[each.name]
        for each in schema.fields
    }
    for each in schema.fields:
        if each.name in columns:
            given[each.name] = _number(given[each.name], each)
    (made,) = rows_of(pa.RecordBatch.from_pydict(given), schema)
    for name in rows.schema.names:
        if name in given:
            continue
        of = rows.schema.field(name)
        held = pa.nulls(rows.num_rows, of.type) if name == LAST_UPDATED.name else rows[name]
        made = made.append_column(of, held)
    return made


def _number(array: pa.Array, field: NestedField) -> pa.Array:
    """Return numbers in the type of a column; all other values as they are."""
    of = arrow_type(field.type)
    if array.type == of or not (_is_number(array.type) and _is_number(of)):
        return array
    try:
        return array.cast(of)
    except pa.ArrowException as error:
        found, wanted = found_by("numbers of another type", error), f"numbers of {field.type}"
        raise FormatError(f"column {field.name}", None, found, wanted) from error


def _is_number(of: pa.DataType) -> bool:
    return bool(pa.types.is_integer(of) or pa.types.is_floating(of) or pa.types.is_decimal(of))


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    if not column.num_chunks:
        return pa.array([], column.type)
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
