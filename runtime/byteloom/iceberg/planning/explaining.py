"""Explain a plan: what each rule removed, and why a file was kept or removed.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import ByteloomError
from byteloom.iceberg.expressions import metrics
from byteloom.iceberg.expressions.ast import And, BoundPredicate, BoundReference, Expression, Or
from byteloom.iceberg.expressions.binding import references
from byteloom.iceberg.expressions.spelling import storage_text
from byteloom.iceberg.planning.planned_scan import DATA
from byteloom.iceberg.planning.planner import Planner
from byteloom.iceberg.planning.pruning import may_match
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.iceberg.values import from_binary
from byteloom.late import pc
from byteloom.redaction import RedactedRepr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.planning.planned_scan import PlannedScan
    from byteloom.iceberg.types import Type

__all__ = ["FileExplanation", "explain_file"]

_MANIFEST = "the partition summaries of its manifest"
_PARTITION = "its partition"
_STATISTICS = "its statistics"
_LIMIT = "the limit"
_NEAREST = 3
"""Number of live files that are suggested for one that is not live."""


@dataclass(frozen=True, slots=True, repr=False)
class FileExplanation(RedactedRepr):
    """Why one data file was kept or removed.

    Attributes:
        path: As written.
        manifest: The manifest that has it; None for a file that is not live in the snapshot.
        rule: The rule that removed the file; None if the file must be read.
        reasons: The predicates that no row can satisfy, each with the statistics that show it.
        deletes: The delete files that apply to it.
        residual: The part of the filter that its rows must still satisfy; None for a file that was
            removed.
        nearest: If it is not live, a few live files whose paths end as this one does.
    """

    path: str
    manifest: str | None
    rule: str | None = None
    reasons: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    residual: Expression | None = None
    nearest: tuple[str, ...] = ()

    @property
    def is_planned(self) -> bool:
        """Whether the file must be read."""
        return self.residual is not None

    def __str__(self) -> str:
        """The explanation as a few lines of text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the explanation."""
        yield self.path
        if self.manifest is None:
            yield "  is not a live data file of the snapshot"
            yield from (f"  did you mean {each}?" for each in self.nearest)
            return
        yield f"  in {self.manifest}"
        if self.rule is not None:
            yield f"  removed by {self.rule}:"
            yield from (f"    {each}" for each in self.reasons)
            return
        yield f"  must be read; of the filter is left: {self.residual}"
        yield from (f"  with deletes of {each}" for each in self.deletes)


def explain_file(scan: PlannedScan, path: str) -> FileExplanation:
    """Return why a scan keeps or removes the file whose path metadata writes as *path*."""
    planner, near = Planner(scan), list[str]()
    ending = f"/{path.rpartition('/')[2]}"
    for source in scan.sources():
        listed = source.listed.take(np.flatnonzero(source.kept(DATA)))
        for all_entries in planner.entries(listed, source, scan.pruning.columns):
            entries = source.of_change(all_entries)
            paths = entries.table(columns={"file_path"}).column(0)
            row = pc.index(paths, path).as_py()
            if row >= 0:
                found = entries.take(np.array([row]))
                return _explained(scan, path, found, listed.take(found.manifest))
            alike = paths.filter(pc.ends_with(paths, ending))
            near += alike.slice(0, _NEAREST - len(near)).to_pylist()
    return FileExplanation(path, None, nearest=tuple(near))


def _explained(
    scan: PlannedScan, path: str, entries: Entries, manifest: ManifestList
) -> FileExplanation:
    """Return the explanation of a file: *entries* has its row, *manifest* its manifest's."""
    name = manifest.paths[0]
    for rule, reasons in _removals(scan, entries, manifest):
        if reasons:
            return FileExplanation(path, name, rule, reasons)
    plan = scan.plan()
    row = pc.index(plan.files.column("file_path"), path).as_py()
    if row < 0:
        return FileExplanation(path, name, _LIMIT, ("enough rows are found before",))
    task = plan.task(row)
    deletes = tuple(each.file_path for each in task.deletes)
    return FileExplanation(path, name, None, (), deletes, task.residual)


def _removals(
    scan: PlannedScan, entries: Entries, manifest: ManifestList
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the rules in order, each with its reasons to remove the file; none if it is kept."""
    spec_id = int(entries.spec_id[0])
    spec = scan.table.metadata.partition_specs[spec_id]
    asked, tuples = scan.pruning.projected[spec_id], entries.partition(spec_id)[1]
    wrong = _blamed(asked, lambda each: bool(manifest.may_match(spec, each)[0]))
    yield _MANIFEST, tuple(f"{each}: no file of the manifest can satisfy it" for each in wrong)
    wrong = _blamed(asked, lambda each: bool(may_match(each, spec, tuples)[0]))
    values = dict(zip(spec.partition_type(scan.schema).fields, tuples.flatten(), strict=True))
    texts = {each.id: _value(each.type, column) for each, column in values.items()}
    yield _PARTITION, tuple(f"{each}: it is {_of_field(each, texts)}" for each in wrong)
    wrong = _blamed(
        scan.bound,
        lambda each: bool(metrics.inclusive(each, entries.stats)[0]),
    )
    yield _STATISTICS, tuple(f"{each}: {_facts(each, entries)}" for each in wrong)


def _blamed(asked: Expression, holds: Callable[[Expression], bool]) -> tuple[Expression, ...]:
    """Return the smallest parts of an expression that are false; none if it is true."""
    if holds(asked):
        return ()
    if isinstance(asked, And | Or):
        return (*_blamed(asked.left, holds), *_blamed(asked.right, holds)) or (asked,)
    return (asked,)


def _value(of: Type, column: pa.Array) -> str:
    """Return a partition value as text."""
    value = storage_values(of, column)[0]
    return "null" if value is None else storage_text(of, value)


def _of_field(blamed: Expression, texts: dict[int, str]) -> str:
    """Return the partition value that a predicate refers to."""
    fields = sorted(references(blamed))
    return ", ".join(texts[each] for each in fields) or "of no partition"


def _facts(blamed: Expression, entries: Entries) -> str:
    """Return the statistics of a predicate's columns, in words."""
    if not references(blamed):
        return "no row can"
    rows = int(entries.record_count[0])
    terms = {each.field.id: each for each in _terms(blamed)}
    return "; ".join(_fact(term, entries, rows) for term in terms.values())


def _terms(blamed: Expression) -> Iterator[BoundReference]:
    """Yield the columns in an expression."""
    if isinstance(blamed, And | Or):
        yield from _terms(blamed.left)
        yield from _terms(blamed.right)
    elif isinstance(blamed, BoundPredicate):
        yield blamed.term.reference


def _fact(term: BoundReference, entries: Entries, rows: int) -> str:
    """Return the statistics of a column, in words."""
    stats = entries.stats.of(term.field.id)
    lower, upper = (_bound(term.type, each) for each in (stats.lower, stats.upper))
    span = f"is from {lower or 'unknown'} to {upper or 'unknown'}" if lower or upper else ""
    counts = {"null": stats.null_count, "NaN": stats.nan_count, "value": stats.value_count}
    counted = [_counted(int(each[0]), name) for name, each in counts.items() if each[0] >= 0]
    all_rows = _counted(rows, "row") if rows >= 0 else "an unknown number of rows"
    return f"{term.name} {span or 'has no bounds'} in {', '.join((all_rows, *counted))}"


def _counted(count: int, name: str) -> str:
    """Return a count with its unit *name*, in the singular or plural."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _bound(of: Type, spans: Spans) -> str:
    """Return a bound as text; empty if it is unknown."""
    if spans.sizes[0] < 0:
        return ""
    data = spans.data[spans.places[0] : spans.places[0] + spans.sizes[0]].tobytes()
    try:
        return storage_text(of, from_binary(of, data))
    except ByteloomError:
        return f"bytes {data.hex()}"
