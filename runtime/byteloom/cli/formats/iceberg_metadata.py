"""Iceberg table metadata: one JSON file, gzipped or plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.cli.report import Report
from byteloom.cli.table_info import describe
from byteloom.errors import ByteloomError
from byteloom.iceberg.metadata import TableMetadata
from byteloom.moments import text_of
from byteloom.storage.whole import read_whole
from byteloom.verification.formats import TABLE_METADATA
from byteloom.wire import Node

if TYPE_CHECKING:
    from byteloom.storage import Source
    from byteloom.wire.folding import Folding

__all__ = ["explain"]

_SNAPSHOTS = 100
_UNCHECKED = "the files that this one names; `byteloom verify` reads all of them"


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a table's metadata file."""
    root = Node(name="", start=0, end=source.size)
    name, title = TABLE_METADATA.name, TABLE_METADATA.title
    report = Report(source=source, format=name, title=title, root=root, unchecked=_UNCHECKED)
    try:
        metadata = TableMetadata.from_bytes(read_whole(source))
        _fill(report, metadata, folding=folding)
    except ByteloomError as error:
        report.error = error
    return report


def _fill(report: Report, metadata: TableMetadata, *, folding: Folding) -> None:
    """Add what is found."""
    facts = describe(metadata)
    report.properties = facts.pop("properties")
    report.tables["refs"] = facts.pop("refs")
    report.facts = facts
    snapshots = list(metadata.snapshots.values())
    shown = snapshots if folding.full else snapshots[-_SNAPSHOTS:]
    report.tables["snapshots"] = [_snapshot(each) for each in shown]


def _snapshot(snapshot: Any) -> dict[str, Any]:
    """One snapshot as a row."""
    facts = {
        "snapshot_id": snapshot.snapshot_id,
        "parent_id": snapshot.parent_snapshot_id,
        "sequence_number": snapshot.sequence_number,
        "committed_at": text_of(snapshot.timestamp_ms),
        "manifest_list": snapshot.manifest_list,
        "schema_id": snapshot.schema_id,
        "first_row_id": snapshot.first_row_id,
        "summary": dict(snapshot.summary),
    }
    return {key: each for key, each in facts.items() if each is not None}
