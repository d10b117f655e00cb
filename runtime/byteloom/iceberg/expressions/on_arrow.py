"""Expressions on Arrow data without an Iceberg schema, such as those that filter Lance scans.

- A column gets an Iceberg type that fits all of its values: integers of fewer bits are `int`, those
  of 64 bits without a sign `decimal(20, 0)`, seconds and milliseconds become microseconds.
- An extension type is compared as its storage type, `arrow.uuid` as `uuid`.
- Of lists, maps and types that Iceberg lacks, predicates can only ask whether a value is null.

Source: Iceberg expressions spec; Iceberg table spec, "Primitive Types".
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported, found_by
from byteloom.iceberg.arrow_types import arrow_type, plain_values, primitive_of
from byteloom.iceberg.expressions.ast import (
    And,
    BoundReference,
    Expression,
    Not,
    Operation,
    Or,
    Predicate,
    TransformTerm,
)
from byteloom.iceberg.expressions.binding import bind
from byteloom.iceberg.expressions.rows import matches
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import BooleanType, DecimalType, NestedField, StructType, Type
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ArrowCondition"]

_UNSIGNED: Final = DecimalType(20, 0)
_OF_NULLS: Final = frozenset({Operation.IS_NULL, Operation.NOT_NULL})


class ArrowCondition:
    """An expression on the columns of Arrow data.

    Attributes:
        columns: The names of the columns it refers to, each once; ``a.b`` for a field of a struct.
    """

    def __init__(self, expression: Expression, schema: pa.Schema) -> None:
        """Bind *expression* to the columns of *schema*.

        Raises:
            FormatError: Columns that *schema* does not have, and literals that cannot be compared
                with them.
            Unsupported: A column of a type that the predicate cannot use.
        """
        fields, self._others = _fields(schema, count(1), "")
        self._schema = Schema(fields)
        predicates = list(_predicates(expression))
        for each in predicates:
            self._refuse_other(each)
        self._bound = bind(expression, self._schema, trusts_required=False)
        self.columns: list[str] = list(dict.fromkeys(map(_name, predicates)))

    def matches(self, batch: pa.RecordBatch) -> pa.BooleanArray:
        """Return for each row of *batch* whether it matches; never null.

        Args:
            batch: A batch with at least the columns of `columns`.

        Raises:
            FormatError: Values that their Iceberg type does not have.
        """

        def column(reference: BoundReference) -> Any:
            top, *inner = self._schema.path(reference.field.id)
            values = _storage(batch.column(top))
            for name in inner:
                at = values.type.get_field_index(name)
                values = _storage(pc.struct_field(values, [at]))
            if reference.name in self._others or pa.types.is_struct(values.type):
                return values  # whose nulls are asked for, nothing else
            try:
                return values.cast(arrow_type(reference.type))
            except pa.ArrowInvalid as error:
                found = found_by("a value outside of its type", error)
                raise FormatError(reference.name, None, found, f"{reference.type}") from error

        return matches(self._bound, column, len(batch))

    def _refuse_other(self, predicate: Predicate) -> None:
        """Refuse a column whose type Iceberg does not have, unless its nulls are asked for."""
        type_ = self._others.get(name := _name(predicate))
        is_plain = not isinstance(predicate.term, TransformTerm)
        if type_ is not None and not (is_plain and predicate.operation in _OF_NULLS):
            wanted = (
                "a column of numbers, text, bytes, truth values or moments, or only `is null` "
                "or `is not null`"
            )
            raise Unsupported("filter", None, f"{name}, a column of {type_}", wanted)


def _predicates(expression: Expression) -> Iterator[Predicate]:
    """Yield the predicates in an expression."""
    if isinstance(expression, And | Or):
        yield from _predicates(expression.left)
        yield from _predicates(expression.right)
    elif isinstance(expression, Not):
        yield from _predicates(expression.child)
    elif isinstance(expression, Predicate):
        yield expression


def _name(predicate: Predicate) -> str:
    """Return the name of the column of a predicate."""
    term = predicate.term
    return (term.reference if isinstance(term, TransformTerm) else term).name


def _fields(
    fields: Any, ids: Iterator[int], prefix: str
) -> tuple[list[NestedField], dict[str, pa.DataType]]:
    """Return the fields, and the names of those without an Iceberg type, with their types."""
    found, others = [], {}
    for each in fields:
        name = f"{prefix}{each.name}"
        type_: Type | None
        stored = getattr(each.type, "storage_type", each.type)
        if pa.types.is_struct(stored):
            inner, inner_others = _fields(stored, ids, f"{name}.")
            others.update(inner_others)
            type_ = StructType(tuple(inner))
        else:
            type_ = _type_of(each.type)
        if type_ is None:
            others[name], type_ = each.type, BooleanType()  # any: only its nulls are asked for
        found.append(NestedField(next(ids), each.name, type_))
    return found, others


def _storage(values: Any) -> Any:
    """Return the values of an extension type in its storage type."""
    return values.storage if isinstance(values.type, pa.BaseExtensionType) else values


def _type_of(of: Any) -> Type | None:
    """Return an Iceberg type that fits all values of an Arrow type; None if there is none."""
    return _UNSIGNED if plain_values(of) == pa.uint64() else primitive_of(of)
