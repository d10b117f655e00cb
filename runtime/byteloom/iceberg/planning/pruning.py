"""What a filter keeps of the entries of manifests, and what is left of it for their rows.

The rules:

- Entries are removed by their partitions, then by their statistics.
- In the residual of a partition, a predicate that every row satisfies is true, one that none can
  satisfy false; the others stay.  All partitions are evaluated at once; those with equal results
  share one residual.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from byteloom.arrow.flags import flags_of
from byteloom.iceberg.expressions import metrics, projection
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    And,
    BoundPredicate,
    Expression,
    Or,
)
from byteloom.iceberg.expressions.binding import references
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.expressions.stats import FieldStats
from byteloom.iceberg.expressions.wrapping import unwrapped
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema


__all__ = ["Filter", "Residuals", "may_match", "residuals"]


@dataclass(frozen=True)
class Filter:
    """A filter bound to a schema, and its projections to partition values.

    Attributes:
        bound: The filter.
        schema: The schema it was bound to.
        specs: The table's partition specs by id.
    """

    bound: Expression
    schema: Schema
    specs: Mapping[int, PartitionSpec]

    @cached_property
    def projected(self) -> dict[int, Expression]:
        """The inclusive projection to each spec's partition values."""
        return {
            spec_id: projection.inclusive(self.bound, spec, self.schema)
            for spec_id, spec in self.specs.items()
        }

    @cached_property
    def columns(self) -> frozenset[int]:
        """The ids of the columns whose statistics the filter uses."""
        return references(self.bound)

    def manifests(self, listed: ManifestList) -> Flags:
        """Return bool[manifest]: whether it may have a matching file."""
        keep = np.ones(len(listed), np.bool_)
        if self.bound == TRUE:
            return keep
        for spec_id, spec in self.specs.items():
            keep &= listed.may_match(spec, self.projected[spec_id])
        return keep

    def partitions(self, entries: Entries) -> Flags:
        """Return bool[entry]: whether its partition may have a matching row."""
        keep = np.ones(len(entries), np.bool_)
        if self.bound == TRUE:
            return keep
        for spec_id in entries.partitions:
            if (asked := self.projected[spec_id]) != TRUE:
                rows, tuples = entries.partition(spec_id)
                keep[rows] = may_match(asked, self.specs[spec_id], tuples)
        return keep

    def statistics(self, entries: Entries) -> Flags:
        """Return bool[entry]: whether its statistics allow a matching row.

        A count of 0 rows alone does not exclude a file: if it were wrong, all its rows would be
        lost silently.
        """
        if self.bound == TRUE:
            return np.ones(len(entries), np.bool_)
        return metrics.inclusive(self.bound, entries.stats)

    def delete_statistics(self, entries: Entries) -> Flags:
        """Return bool[entry]: whether the statistics of a delete file allow it to matter.

        Deletion vectors have none except their number of rows, which is checked when they are read.
        """
        if self.bound == TRUE:
            return self.statistics(entries)
        is_vector = np.asarray(entries.content_offset >= 0)
        return metrics.inclusive(self.bound, _Compared(entries)) | is_vector


class _Compared:
    """The statistics of delete files, for the columns that describe the rows they delete.

    Rows of an equality delete file equal the deleted rows in the columns that it compares; in
        other columns they may have any value.
    """

    def __init__(self, entries: Entries) -> None:
        ids = entries.table(columns={"equality_ids"}).column("equality_ids").combine_chunks()
        self._stats = entries.stats
        self._compares_all = entries.content != FileContent.EQUALITY_DELETES
        self._ids = ids.flatten().to_numpy(zero_copy_only=False)
        self._files = pc.list_parent_indices(ids).to_numpy(zero_copy_only=False)
        self.record_count = entries.record_count

    def of(self, field_id: int) -> FieldStats:
        """Return the statistics of a column; unknown if the files do not compare it."""
        compares = self._compares_all.copy()
        compares[self._files[self._ids == field_id]] = True
        stats = self._stats.of(field_id)
        return FieldStats(
            value_count=np.where(compares, stats.value_count, -1),
            null_count=np.where(compares, stats.null_count, -1),
            nan_count=np.where(compares, stats.nan_count, -1),
            lower=replace(stats.lower, sizes=np.where(compares, stats.lower.sizes, -1)),
            upper=replace(stats.upper, sizes=np.where(compares, stats.upper.sizes, -1)),
        )


def may_match(asked: Expression, spec: PartitionSpec, tuples: pa.StructArray) -> Flags:
    """Return bool[tuple]: whether a partition may have a matching row.

    Args:
        asked: An expression on partition values, projected to *spec*.
    """
    compared = unwrapped(spec, tuples)
    matches = evaluate(asked, compared)
    # Like all planners, keep files that match by values that wrapped around.
    if compared is not tuples:
        matches = pc.or_(matches, evaluate(asked, tuples))
    return flags_of(matches)


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
    answer = np.where(flags_of(some_match), _STAYS, _FALSE)
    return np.where(flags_of(all_match), _TRUE, answer)


def _left(bound: Expression, answers: dict[BoundPredicate, int]) -> Expression:
    """Return an expression in which the decided predicates are replaced by their constants."""
    if isinstance(bound, And | Or):
        return type(bound).of(_left(bound.left, answers), _left(bound.right, answers))
    if isinstance(bound, BoundPredicate):
        return (bound, TRUE, FALSE)[answers[bound]]
    return bound
