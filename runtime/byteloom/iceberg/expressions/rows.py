"""Evaluate bound expressions on the rows of a batch, by Arrow compute.

The rules:

- Every row matches or does not; nothing is unknown.  Null satisfies no comparison, and every
  ``!=``, ``not in``, ``not starts with`` and ``not nan``; NaN does so too, except that it is NaN.
- -0.0 and 0.0 are equal, text and bytes are ordered by their bytes.
- A column that the batch lacks counts as null.

Source: Iceberg expressions spec, "Predicates".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.datafiles.fields import FIELD_ID
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.ast import (
    AlwaysTrue,
    And,
    BoundPredicate,
    BoundTransform,
    Expression,
    Operation,
    Or,
)
from byteloom.iceberg.transforms import apply_array
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import FixedType
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.expressions.ast import BoundReference
    from byteloom.iceberg.types import Type

__all__ = ["evaluate", "matches"]

_FLOATING: Final = frozenset({"float", "double"})


def evaluate(bound: Expression, batch: pa.RecordBatch | pa.StructArray) -> pa.BooleanArray:
    """Return for each row of *batch* whether it matches; never null.

    Args:
        bound: An expression bound to a schema.
        batch: Columns that carry field ids (``PARQUET:field_id``), in any order.
    """
    fields, arrays = _parts(batch)
    by_id = {_field_id(each): array for each, array in zip(fields, arrays, strict=True)}
    length = len(batch)

    def column(reference: BoundReference) -> Any:
        found = by_id.get(reference.path[0])
        for field_id in reference.path[1:]:
            found = None if found is None else _child(found, field_id)
        return pa.nulls(length, arrow_type(reference.type)) if found is None else found

    return matches(bound, column, length)


def matches(
    bound: Expression, column: Callable[[BoundReference], Any], length: int
) -> pa.BooleanArray:
    """Return for each of *length* rows whether it matches; never null.

    Args:
        column: A function that returns the values of a column.
    """
    if isinstance(bound, And):
        left, right = matches(bound.left, column, length), matches(bound.right, column, length)
        return pc.and_(left, right)
    if isinstance(bound, Or):
        left, right = matches(bound.left, column, length), matches(bound.right, column, length)
        return pc.or_(left, right)
    if isinstance(bound, BoundPredicate):
        values = column(bound.term.reference)
        if isinstance(bound.term, BoundTransform):
            values = apply_array(bound.term.transform, bound.term.reference.type, values)
        return _OPERATIONS[bound.operation](values, bound)
    return pa.repeat(isinstance(bound, AlwaysTrue), length)


def _parts(batch: pa.RecordBatch | pa.StructArray) -> tuple[list[pa.Field], list[pa.Array]]:
    """Return the fields and columns of a batch or of an array of structs."""
    if isinstance(batch, pa.StructArray):
        return list(batch.type), batch.flatten()
    return list(batch.schema), list(batch.columns)


def _field_id(field: pa.Field) -> int:
    """The id that a field carries; -1 if it has none."""
    return int((field.metadata or {}).get(FIELD_ID, -1))


def _child(values: Any, field_id: int) -> Any:
    """Return the field of an array of structs, null where the struct is."""
    for number, each in enumerate(values.type):
        if _field_id(each) == field_id:
            return pc.struct_field(values, [number])
    return None


def _scalar(of: Type, value: Any) -> Any:
    """Return a storage value as an Arrow scalar that can be compared with a column."""
    made = storage_array(of, [value])
    return made.cast(pa.large_binary())[0] if _is_run(of) else made[0]


def _is_run(of: Type) -> bool:
    """Return whether values have a fixed number of bytes; Arrow does not order those."""
    return isinstance(of, FixedType) or of.kind == "uuid"


def _comparable(values: Any, bound: BoundPredicate) -> Any:
    """Return a column in a type that Arrow orders and that the literal has too."""
    if _is_run(bound.term.type):
        return values.cast(pa.large_binary())
    wanted = arrow_type(bound.term.type)
    return values if values.type == wanted else values.cast(wanted)


def _comparing(name: str, *, of_null: bool) -> Any:
    """Return a function that evaluates Arrow's comparison *name* with the only literal."""

    def run(values: Any, bound: BoundPredicate) -> Any:
        scalar = _scalar(bound.term.type, bound.literal)
        found = getattr(pc, name)(_comparable(values, bound), scalar)
        return pc.fill_null(found, of_null)

    return run


def _is_in(values: Any, bound: BoundPredicate) -> Any:
    """Evaluate membership in the literals."""
    literals = storage_array(bound.term.type, list(bound.literals))
    if _is_run(bound.term.type):
        literals = literals.cast(pa.large_binary())
    values = _comparable(values, bound)
    if bound.term.type.kind in _FLOATING:
        values, literals = pc.add(values, 0.0), pc.add(literals, 0.0)
    return pc.is_in(values, value_set=literals, skip_nulls=True)


def _starts_with(values: Any, bound: BoundPredicate) -> Any:
    """Evaluate whether text starts with the literal."""
    starts = pc.starts_with(_comparable(values, bound), pattern=bound.literal)
    return pc.fill_null(starts, fill_value=False)


def _is_nan(values: Any, _: BoundPredicate) -> Any:
    """Evaluate whether a value is NaN."""
    return pc.fill_null(pc.is_nan(values), fill_value=False)


_OPERATIONS: Final[dict[Operation, Callable[[Any, BoundPredicate], Any]]] = {
    Operation.IS_NULL: lambda values, _: pc.is_null(values),
    Operation.NOT_NULL: lambda values, _: pc.is_valid(values),
    Operation.IS_NAN: _is_nan,
    Operation.NOT_NAN: lambda values, bound: pc.invert(_is_nan(values, bound)),
    Operation.LT: _comparing("less", of_null=False),
    Operation.LT_EQ: _comparing("less_equal", of_null=False),
    Operation.GT: _comparing("greater", of_null=False),
    Operation.GT_EQ: _comparing("greater_equal", of_null=False),
    Operation.EQ: _comparing("equal", of_null=False),
    Operation.NOT_EQ: _comparing("not_equal", of_null=True),
    Operation.IN: _is_in,
    Operation.NOT_IN: lambda values, bound: pc.invert(_is_in(values, bound)),
    Operation.STARTS_WITH: _starts_with,
    Operation.NOT_STARTS_WITH: lambda values, bound: pc.invert(_starts_with(values, bound)),
}
