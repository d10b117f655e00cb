"""Nulls in required columns of data files.

The rules:

- A value is missing if it is null and the struct around it is not.
- Row groups and stripes whose statistics count no nulls are not read.

Source: Iceberg table spec, "Schemas and Data Types".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    BoundPredicate,
    Expression,
    Operation,
    Or,
)
from byteloom.iceberg.expressions.binding import bind_reference
from byteloom.iceberg.types import MapType
from byteloom.iceberg.verification.observed import parts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from byteloom.iceberg.reading.data_file import TableFile
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.verification.observed import Seen

__all__ = ["RequiredColumns"]


class RequiredColumns:
    """The columns that must have a value in each row."""

    def __init__(self, schema: Schema) -> None:
        """Choose the columns of a table's current schema; nothing is read."""
        self._names = {each: schema.name(each) for each in _required(schema)}
        tops = {(*schema.parents(each), each)[0] for each in self._names}
        self._columns = [each for each in schema.fields if each.id in tops]
        self._filter = _may_miss(schema, self._names)
        self._has_repeated = any(map(schema.is_in_repeated, self._names))

    def check(self, data: TableFile, seen: Mapping[int, Seen] | None = None) -> None:
        """Raise `FormatError` for the first null in a required column of a data file.

        Args:
            seen: The values of its columns outside of lists and maps, if rows were read.
        """
        are_seen = seen is not None and not self._has_repeated
        has_nulls = any(each in self._names and of.nulls for each, of in (seen or {}).items())
        if not self._columns or (are_seen and not has_nulls):
            return
        for piece in data.pieces(self._columns, TRUE if has_nulls else self._filter):
            for field, array in zip(piece.fields, piece.arrays, strict=True):
                for number, part, _ in parts_of(field, array):
                    if number in self._names and part.null_count:
                        row = piece.start + _first_null(part) if part is array else None
                        raise self._missing(number, row)

    def _missing(self, number: int, row: int | None) -> FormatError:
        """Return the error about a null."""
        found = "null" if row is None else f"null in row {row}"
        wanted = "a value: the column is required"
        return FormatError(f"column {self._names[number]}", None, found, wanted)


def _required(schema: Schema) -> list[int]:
    """Return the ids of the required fields; keys of maps are required in any file."""
    fields = schema.field_by_id
    keys = {each.type.key_id for each in fields.values() if isinstance(each.type, MapType)}
    return [number for number, each in fields.items() if each.required and number not in keys]


def _may_miss(schema: Schema, names: dict[int, str]) -> Expression:
    """Return an expression that is true for rows that may lack a required value."""
    if any(map(schema.is_in_repeated, names)):
        return TRUE
    terms = [bind_reference(each, schema, trusts_required=False) for each in names.values()]
    missing: Expression = FALSE
    for each in terms:
        missing = Or.of(missing, BoundPredicate(Operation.IS_NULL, each))
    return missing


def _first_null(array: pa.Array) -> int:
    """Return the first row that is null."""
    return int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
