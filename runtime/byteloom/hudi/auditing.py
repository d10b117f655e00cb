"""Check the indexes of a Hudi table against its data: `audit` reports where they disagree.

- The data is read as if there were no metadata: folders, timeline, base files and log files.
  Columns that no index describes are read too, since damage in them is a finding.
- Files that no completed instant wrote are left out, as every reader leaves them out.
- Whatever cannot be compared is listed, and never counted as right.  An error in one index or file
  does not hide what is wrong with the others.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from byteloom.errors import ArgumentError, ByteloomError
from byteloom.hudi.audit_data import audit_data
from byteloom.hudi.audit_files import audit_blooms, audit_listing
from byteloom.hudi.audit_records import audit_record_index, audit_secondary_index
from byteloom.hudi.audit_statistics import (
    audit_column_stats,
    audit_expression_index,
    audit_partition_stats,
)
from byteloom.hudi.definitions import EXPRESSIONS, SECONDARY
from byteloom.hudi.evidence import Evidence
from byteloom.hudi.findings import Audit, Skipped
from byteloom.hudi.properties import BACKUP, stored_properties
from byteloom.hudi.table import MetadataTable

__all__ = ["audit"]

_CHECKS: Final[dict[str, Callable[[MetadataTable, Evidence, Audit], None]]] = {
    "files": audit_listing,
    "column_stats": audit_column_stats,
    "partition_stats": audit_partition_stats,
    "bloom_filters": audit_blooms,
    "record_index": audit_record_index,
}


def audit(
    table: MetadataTable, indexes: Iterable[str] | None = None, *, rows: bool = True
) -> Audit:
    """Compare the indexes of *table* with its data.

    Args:
        table: The metadata table.
        indexes: Partitions of the metadata table; None for all that are enabled.
        rows: Whether to read all columns of all data files.  If not, only record keys and the
            columns that indexes describe are read, and damage elsewhere is not noticed.

    Raises:
        FormatError: For an index that the table does not have, and for a damaged timeline.
            Damage in an index or in a data file becomes a finding.
        StorageError: The timeline or the folders cannot be read.
    """
    wanted = table.partitions if indexes is None else list(indexes)
    for name in wanted:
        if name not in table.partitions:
            raise ArgumentError("index", None, name, f"one of {', '.join(table.partitions)}")
    out = Audit()
    for folder, path in ((table.data, ""), (table.folder, ".hoodie/metadata/")):
        if stored_properties(folder)[0] == BACKUP:
            reason = "hoodie.properties is missing or cut, and readers use its copy"
            out.skipped.append(Skipped("properties", f"{path}{BACKUP}", reason))
    evidence = Evidence(table, out, columns=_columns(table, wanted))
    for name in wanted:
        try:
            _one(name, table, evidence, out)
        except ByteloomError as error:
            out.skipped.append(Skipped(name, "the index", str(error)))
            out.errors += 1
    if rows:
        audit_data(table, evidence)
    return out


def _one(name: str, table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    if name in _CHECKS:
        _CHECKS[name](table, evidence, out)
    elif name.startswith(SECONDARY):
        audit_secondary_index(name, table, evidence, out)
    elif name.startswith(EXPRESSIONS):
        audit_expression_index(name, table, evidence, out)
    else:
        out.skipped.append(Skipped(name, "the index", "byteloom cannot compare this kind yet"))


def _columns(table: MetadataTable, indexes: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that secondary indexes are over."""
    there = (table.definitions.get(name) for name in indexes if name.startswith(SECONDARY))
    fields = (each.source_fields for each in there if each)
    return tuple(dict.fromkeys(each[0] for each in fields if each))
