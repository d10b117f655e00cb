"""Turn predicates on columns into predicates on partition values.

The rules:

- *Inclusive*: true for every partition that may have a matching row. *Strict*: true only for
  partitions in which every row matches.  A predicate that cannot be converted becomes true, or
  false.
- A literal of a transform that rounds down moves by one unit first, so that ``<`` and ``>`` become
  ``<=`` and ``>=`` of whole units.
- Years, months, days and hours before 1970 were written one too high by old Java; inclusive
  projections include both values, strict ones exclude both.

Source: Iceberg table spec, "Scan Planning" and "Partition Transforms".
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    And,
    BoundPredicate,
    BoundReference,
    BoundTransform,
    Expression,
    Operation,
    Or,
)
from byteloom.iceberg.expressions.wrapping import of_results, unwrapped_value
from byteloom.iceberg.transforms import (
    Bucket,
    Identity,
    TimeTransform,
    Transform,
    Truncate,
    apply_value,
)
from byteloom.iceberg.types import DecimalType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

__all__ = ["inclusive", "strict"]

_PREFIXES: Final = {
    Operation.STARTS_WITH: Operation.EQ,
    Operation.NOT_STARTS_WITH: Operation.NOT_EQ,
}
_LOW: Final = frozenset({Operation.LT, Operation.LT_EQ})
_HIGH: Final = frozenset({Operation.GT, Operation.GT_EQ})
_SAME: Final = frozenset({Operation.EQ, Operation.IN})
_OTHER: Final = frozenset({Operation.NOT_EQ, Operation.NOT_IN})
_NULLS: Final = frozenset({Operation.IS_NULL, Operation.NOT_NULL})
_TEXTS: Final = frozenset({"string", "binary"})
_RANGES: Final = {
    "int": (-(1 << 31), (1 << 31) - 1),
    "date": (-(1 << 31), (1 << 31) - 1),
}
_LONG_RANGE: Final = (-(1 << 63), (1 << 63) - 1)


def inclusive(bound: Expression, spec: PartitionSpec, schema: Schema) -> Expression:
    """Return an expression that is true for every partition that may have a row matching *bound*.

    Args:
        bound: An expression that was bound to *schema*.

    Returns:
        An expression on the fields of ``spec.partition_type(schema)``, for tuples passed through
        `unwrapped`.
    """
    return _Projection(spec, schema, _inclusive, TRUE, And).of(bound)


def strict(bound: Expression, spec: PartitionSpec, schema: Schema) -> Expression:
    """Return an expression that is true only for partitions in which every row matches *bound*.

    Args:
        bound: An expression that was bound to *schema*.

    Returns:
        An expression on the fields of ``spec.partition_type(schema)``, for tuples passed through
        `unwrapped`.
    """
    return _Projection(spec, schema, _strict, FALSE, Or).of(bound)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A predicate during projection: an operation, and literals of the source column's type."""

    operation: Operation
    literals: tuple[Any, ...] = ()


class _Projection:
    """Projects expressions on columns to the partition values of one spec."""

    def __init__(
        self,
        spec: PartitionSpec,
        schema: Schema,
        project: Callable[[Transform, Type, _Asked], _Asked | None],
        otherwise: Expression,
        join: type[And | Or],
    ) -> None:
        self.project = project
        self.otherwise = otherwise
        self.join = join
        partition = spec.partition_type(schema)
        self.fields: dict[int, list[tuple[PartitionField, BoundReference]]] = {}
        for field, nested in zip(spec.fields, partition.fields, strict=True):
            reference = BoundReference(nested, (nested.id,), True, nested.name)  # noqa: FBT003
            if len(field.source_ids) == 1:
                self.fields.setdefault(field.source_id, []).append((field, reference))

    def of(self, bound: Expression) -> Expression:
        """Project an expression, predicate by predicate."""
        if isinstance(bound, And | Or):
            return type(bound).of(self.of(bound.left), self.of(bound.right))
        if isinstance(bound, BoundPredicate):
            fields = self.fields.get(bound.term.reference.field.id, [])
            found = [self.one(bound, field, reference) for field, reference in fields]
            return reduce(self.join.of, found, self.otherwise)
        return bound

    def one(
        self, predicate: BoundPredicate, field: PartitionField, reference: BoundReference
    ) -> Expression:
        """Project a predicate on one partition field."""
        if isinstance(predicate.term, BoundTransform):
            if predicate.term.transform != field.transform:
                return self.otherwise
            asked = _predicate(_Asked(*_parts(predicate)), reference)
            return of_results(asked, predicate.term.transform, predicate.term.reference.type.kind)
        carried = self.project(field.transform, predicate.term.type, _Asked(*_parts(predicate)))
        return self.otherwise if carried is None else _predicate(carried, reference)


def _parts(predicate: BoundPredicate) -> tuple[Operation, tuple[Any, ...]]:
    """Return the operation and the literals of a predicate."""
    return predicate.operation, predicate.literals


def _predicate(asked: _Asked, reference: BoundReference) -> BoundPredicate:
    """Return the predicate on a partition value; a set with one literal becomes an equality."""
    literals = tuple(dict.fromkeys(asked.literals))
    operation = asked.operation
    if operation.is_set and len(literals) == 1:
        operation = Operation.EQ if operation is Operation.IN else Operation.NOT_EQ
    if not operation.is_set and len(literals) > 1:
        operation = Operation.IN if operation is Operation.EQ else Operation.NOT_IN
    return BoundPredicate(operation, reference, literals)


def _inclusive(transform: Transform, source: Type, asked: _Asked) -> _Asked | None:
    """The inclusive projection through one transform; None if there is no such projection."""
    if isinstance(transform, Identity):
        return asked
    if not _is_carried(transform, source, asked) or asked.operation.is_unary:
        return asked if _is_carried(transform, source, asked) else None
    if isinstance(transform, Bucket):
        return _applied(transform, source, asked) if asked.operation in _SAME else None
    if isinstance(transform, Truncate) and source.kind in _TEXTS:
        return _inclusive_prefix(transform, source, asked)
    return _widened(transform, source, _inclusive_rounded(transform, source, asked))


def _strict(transform: Transform, source: Type, asked: _Asked) -> _Asked | None:
    """The strict projection through one transform; None if there is no such projection."""
    if isinstance(transform, Identity):
        return asked
    if not _is_carried(transform, source, asked) or asked.operation.is_unary:
        return asked if _is_carried(transform, source, asked) else None
    if isinstance(transform, Bucket):
        return _applied(transform, source, asked) if asked.operation in _OTHER else None
    if isinstance(transform, Truncate) and source.kind in _TEXTS:
        return _strict_prefix(transform, source, asked)
    return _narrowed(transform, source, _strict_rounded(transform, source, asked))


def _is_carried(transform: Transform, source: Type, asked: _Asked) -> bool:
    """Return whether the transform says anything about the predicate: of null, but not of NaN."""
    if not isinstance(transform, Truncate | Bucket | TimeTransform):
        return False
    is_nan = asked.operation.is_unary and asked.operation not in _NULLS
    return transform.can_transform(source) and not is_nan


def _applied(
    transform: Transform, source: Type, asked: _Asked, operation: Operation | None = None
) -> _Asked:
    """Return the predicate, or one with another operation, with transformed literals."""
    literals = tuple(
        unwrapped_value(transform, source.kind, apply_value(transform, source, each))
        for each in asked.literals
    )
    return _Asked(operation or asked.operation, literals)


def _inclusive_rounded(transform: Transform, source: Type, asked: _Asked) -> _Asked | None:
    """Project a predicate on numbers or moments that are rounded down."""
    match asked.operation:
        case Operation.LT:
            moved = _moved(source, asked, -1)
            return moved and _applied(transform, source, moved, Operation.LT_EQ)
        case Operation.GT:
            moved = _moved(source, asked, 1)
            return moved and _applied(transform, source, moved, Operation.GT_EQ)
        case Operation.LT_EQ | Operation.GT_EQ | Operation.EQ | Operation.IN:
            return _applied(transform, source, asked)
    return None


def _strict_rounded(transform: Transform, source: Type, asked: _Asked) -> _Asked | None:
    """Project the same strictly, for partitions that match as a whole."""
    match asked.operation:
        case Operation.LT_EQ:
            moved = _moved(source, asked, 1)
            return moved and _applied(transform, source, moved, Operation.LT)
        case Operation.GT_EQ:
            moved = _moved(source, asked, -1)
            return moved and _applied(transform, source, moved, Operation.GT)
        case Operation.LT | Operation.GT | Operation.NOT_EQ | Operation.NOT_IN:
            return _applied(transform, source, asked)
    return None


def _moved(source: Type, asked: _Asked, by: int) -> _Asked | None:
    """Return the predicate with its literal moved by the smallest step; None beyond the range."""
    (value,) = asked.literals
    if isinstance(source, DecimalType):
        return _Asked(asked.operation, (value + Decimal(by).scaleb(-source.scale),))
    least, most = _RANGES.get(source.kind, _LONG_RANGE)
    if not least <= value + by <= most:
        return None
    return _Asked(asked.operation, (value + by,))


def _inclusive_prefix(transform: Truncate, source: Type, asked: _Asked) -> _Asked | None:
    """Project a predicate on text or bytes that are cut to their first characters."""
    operation = asked.operation
    if operation in _OTHER or _is_cut(transform, asked, Operation.NOT_STARTS_WITH):
        return None
    if operation in _PREFIXES:
        return _starting(transform, source, asked)
    whole = {Operation.LT: Operation.LT_EQ, Operation.GT: Operation.GT_EQ}
    return _applied(transform, source, asked, whole.get(operation))


def _strict_prefix(transform: Truncate, source: Type, asked: _Asked) -> _Asked | None:
    """Project the same strictly, for partitions that match as a whole."""
    operation = asked.operation
    if operation in _SAME or _is_cut(transform, asked, Operation.STARTS_WITH):
        return None
    if operation in _PREFIXES:
        return _starting(transform, source, asked)
    whole = {Operation.LT_EQ: Operation.LT, Operation.GT_EQ: Operation.GT}
    return _applied(transform, source, asked, whole.get(operation))


def _is_cut(transform: Truncate, asked: _Asked, operation: Operation) -> bool:
    """Return whether it is that operation, with a longer literal than partition values are."""
    return asked.operation is operation and len(asked.literals[0]) > transform.width


def _starting(transform: Truncate, source: Type, asked: _Asked) -> _Asked:
    """Return the predicate for a prefix of the kept text; an equality if it is all of that text."""
    is_whole = len(asked.literals[0]) == transform.width
    return _applied(transform, source, asked, _PREFIXES[asked.operation] if is_whole else None)


def _is_suspect(transform: Transform, source: Type) -> bool:
    """Return whether old Java wrote wrong values before 1970: for times, but not days of dates."""
    is_day_of_date = source.kind == "date" and str(transform) == "day"
    return isinstance(transform, TimeTransform) and not is_day_of_date


def _with_next(literals: Iterable[int]) -> tuple[int, ...]:
    """Return each literal, and for those before 1970 also the next one."""
    return tuple(
        value for each in literals for value in ((each, each + 1) if each < 0 else (each,))
    )


def _widened(transform: Transform, source: Type, asked: _Asked | None) -> _Asked | None:
    """Return a predicate that includes values written one too high before 1970."""
    if asked is None or not _is_suspect(transform, source):
        return asked
    if asked.operation in _LOW and asked.literals[0] < 0:
        return _Asked(asked.operation, (asked.literals[0] + 1,))
    if asked.operation in _SAME:
        return _Asked(asked.operation, _with_next(asked.literals))
    return asked


def _narrowed(transform: Transform, source: Type, asked: _Asked | None) -> _Asked | None:
    """Return a predicate that excludes values that may be one too high before 1970."""
    if asked is None or not _is_suspect(transform, source):
        return asked
    if asked.operation in _HIGH and asked.literals[0] <= 0:
        return _Asked(asked.operation, (asked.literals[0] + 1,))
    if asked.operation in _OTHER:
        return _Asked(asked.operation, _with_next(asked.literals))
    return asked
