"""Residuals: what is left of a filter in a partition whose values are known.

A predicate that every row of the partition satisfies becomes true, one that none can satisfy false;
the others stay. All partitions are evaluated at once; those with equal results share one residual.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byteloom.iceberg.expressions import projection
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    And,
    BoundPredicate,
    Expression,
    Or,
)
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.expressions.wrapping import unwrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema

__all__ = ["Residuals", "residuals"]

_STAYS, _TRUE, _FALSE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Residuals:
    """The residuals of many partitions.

    Attributes:
        which: int[partition]: the number of its residual.
        expressions: The distinct residuals.
    """

    which: np.ndarray
    expressions: tuple[Expression, ...]

    def of(self, partition: int) -> Expression:
        """Return the residual of one partition."""
        return self.expressions[int(self.which[partition])]


def residuals(
    bound: Expression, spec: PartitionSpec, schema: Schema, partitions: pa.StructArray
) -> Residuals:
    """Return the residual of *bound* in each of *partitions*.

    Args:
        bound: An expression bound to *schema*.
        partitions: Tuples of the type ``spec.partition_type(schema)``, whose fields have ids.
    """
    partitions = unwrapped(spec, partitions)
    leaves = list(dict.fromkeys(_predicates(bound)))
    if not leaves:
        return Residuals(np.zeros(len(partitions), np.intp), (bound,))
    answers = np.stack([_answer(each, spec, schema, partitions) for each in leaves], axis=1)
    distinct, which = np.unique(answers, axis=0, return_inverse=True)
    expressions = tuple(
        _left(bound, dict(zip(leaves, row.tolist(), strict=True))) for row in distinct
    )
    return Residuals(which.reshape(-1), expressions)


def _predicates(bound: Expression) -> Iterator[BoundPredicate]:
    """Yield the predicates of an expression."""
    if isinstance(bound, And | Or):
        yield from _predicates(bound.left)
        yield from _predicates(bound.right)
    elif isinstance(bound, BoundPredicate):
        yield bound


def _answer(
    predicate: BoundPredicate, spec: PartitionSpec, schema: Schema, partitions: pa.StructArray
) -> np.ndarray:
    """Return for each partition whether a predicate stays, or which constant it became."""
    all_match = evaluate(projection.strict(predicate, spec, schema), partitions)
    some_match = evaluate(projection.inclusive(predicate, spec, schema), partitions)
    answer = np.where(some_match.to_numpy(zero_copy_only=False), _STAYS, _FALSE)
    return np.where(all_match.to_numpy(zero_copy_only=False), _TRUE, answer)


def _left(bound: Expression, answers: dict[BoundPredicate, int]) -> Expression:
    """Return an expression in which the decided predicates are replaced by their constants."""
    if isinstance(bound, And | Or):
        return type(bound).of(_left(bound.left, answers), _left(bound.right, answers))
    if isinstance(bound, BoundPredicate):
        return (bound, TRUE, FALSE)[answers[bound]]
    return bound
