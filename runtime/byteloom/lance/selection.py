"""What a caller asks for: columns by their names, rows by their numbers, and filters.

Lance does not define a form of filters.  A scan takes expressions of `byteloom.iceberg`, and their
text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.arguments import wanted_name
from byteloom.arrow.flags import flags_of
from byteloom.errors import ArgumentError
from byteloom.lance.extensions import extended_schema
from byteloom.lance.types import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.on_arrow import ArrowCondition
    from byteloom.lance.fields import Field

__all__ = [
    "BATCH_ROWS",
    "Condition",
    "Filter",
    "ascending_once",
    "chosen",
    "condition_of",
    "row_numbers",
    "row_range",
    "without_columns",
]

_WHOLE: Final = None


def chosen(fields: Sequence[Field], columns: Sequence[str] | None) -> list[Field]:
    """Return the fields that *columns* name, in their order, narrowed to the requested ones.

    Args:
        columns: Names of fields at the top; ``points.item.x`` is an inner field, and the name of a
            list's item may be left out; a map and a packed struct come whole; None for all.

    Raises:
        FormatError: For a name that no field has.
    """
    if columns is None:
        return list(fields)
    if isinstance(columns, str):
        raise ArgumentError("columns", None, repr(columns), "a list of names")
    wanted: dict[int, set[int] | None] = {}
    for name in columns:
        path = _find(fields, name)
        top, leaf = path[0].id, path[-1].id
        kept = wanted.setdefault(top, set())
        if len(path) == 1 or kept is _WHOLE:
            wanted[top] = _WHOLE
        else:
            kept.add(leaf)
    by_id = {each.id: each for each in fields}
    return [
        by_id[top] if kept is _WHOLE else _narrowed(by_id[top], kept)
        for top, kept in wanted.items()
    ]


def _find(fields: Sequence[Field], name: Any) -> list[Field]:
    """The fields from the top down to the one with a name."""
    for each in fields:
        if each.name == name:
            return [each]
    for each in fields:
        if isinstance(name, str) and name.startswith(f"{each.name}."):
            rest = name[len(each.name) + 1 :]
            found = _inside(each, rest)
            if found:
                return [each, *found]
    known = [each.path for top in fields for each in top.walk()]
    wanted = wanted_name(str(name), known, "a column of the schema")
    raise ArgumentError("columns", None, repr(name), wanted)


def _inside(field: Field, name: str) -> list[Field]:
    """The fields from a child of *field* down to the one with a name; empty if there is none."""
    for each in field.children:
        if each.name == name:
            return [each]
        if name.startswith(f"{each.name}."):
            found = _inside(each, name[len(each.name) + 1 :])
            if found:
                return [each, *found]
    if field.is_list and len(field.children) == 1:
        found = _inside(field.children[0], name)
        return [field.children[0], *found] if found else []
    return []


def _narrowed(field: Field, kept: set[int]) -> Field:
    """A field with only those inner fields that are *kept*, or inside a kept one.

    Packed structs are whole, since they are stored row by row, and so are maps.
    """
    if field.id in kept or field.is_packed or field.type == "map":
        return field
    children = [
        _narrowed(each, kept)
        for each in field.children
        if any(one.id in kept for one in each.walk())
    ]
    return replace(field, children=children)


BATCH_ROWS: Final = 1 << 16
"""Rows of a batch by default."""


def row_range(rows: Any, count: int) -> range:
    """Return the selected range of *count* rows; all rows for None."""
    if rows is None:
        return range(count)
    if not isinstance(rows, range) or rows.step != 1:
        raise ArgumentError("rows", None, repr(rows), "a range of rows, one after the other")
    if len(rows) and not 0 <= rows.start < rows.stop <= count:
        raise ArgumentError("rows", None, repr(rows), f"rows 0 to {count}")
    return rows if len(rows) else range(0)


def row_numbers(rows: Any, count: int) -> np.ndarray:
    """Return numbers of rows, each below *count*."""
    given = rows.to_numpy(zero_copy_only=False) if isinstance(rows, pa.Array) else rows
    try:
        numbers = np.asarray(given)
    except ValueError:  # lists of different lengths
        numbers = np.empty((0, 0))
    if numbers.ndim != 1:
        raise ArgumentError("rows", None, type(rows).__name__, "a list of integers")
    if len(numbers) and numbers.dtype.kind not in "iu":
        _check_integers(rows)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < count):
        found = numbers.min() if numbers.min() < 0 else numbers.max()
        raise ArgumentError("rows", None, int(found), f"0 to {count - 1}")
    return numbers.astype(np.int64)


def ascending_once(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return numbers in order, each once, and the place of each; None if it is its own."""
    if (numbers[1:] > numbers[:-1]).all():
        return numbers, None
    return np.unique(numbers, return_inverse=True)


def without_columns(count: int) -> pa.Table:
    """Return a table of *count* rows that has no column: pyarrow loses their number elsewhere."""
    return pa.table({"": pa.nulls(count)}).select([])


def _check_integers(rows: Any) -> None:
    """Refuse the first of *rows* that is not an integer, however large."""
    values = rows.to_pylist() if isinstance(rows, pa.Array) else np.asarray(rows, object).tolist()
    for each in values:
        if isinstance(each, bool) or not isinstance(each, int | np.integer):
            raise ArgumentError("rows", None, f"{each!r}", "integers")


Filter: TypeAlias = "Expression | str"
"""A condition on rows, as `byteloom.iceberg.parse` and `col` make it, or its text."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter on the rows of a file or a dataset.

    Attributes:
        fields: The fields that it uses.
        schema: The schema of these fields, with storage types.
    """

    fields: list[Field]
    schema: pa.Schema
    _bound: ArrowCondition

    def rows(self, arrays: Sequence[pa.Array], count: int) -> np.ndarray:
        """Return the numbers of the rows that match, ascending.

        Args:
            arrays: The columns of `fields`.
            count: How many rows they have.
        """
        batch = pa.RecordBatch.from_arrays(list(arrays), schema=self.schema)
        if not arrays:
            batch = pa.record_batch({"": pa.nulls(count)})
        return np.flatnonzero(flags_of(self._bound.matches(batch)))


def condition_of(filter_: Filter | None, fields: Sequence[Field]) -> Condition | None:
    """Return *filter_* bound to the top-level *fields*; None for no filter.

    Raises:
        ArgumentError: For anything but a filter, and for one that does not fit the fields.
    """
    if filter_ is None:
        return None
    from byteloom.iceberg.expressions.on_arrow import ArrowCondition
    from byteloom.iceberg.expressions.text import as_expression

    bound = ArrowCondition(as_expression(filter_), extended_schema(arrow_schema(fields)))
    used = chosen(fields, bound.columns)
    return Condition(used, arrow_schema(used), bound)
