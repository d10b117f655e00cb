"""Verification: report everything wrong with a table that reading can show.

`verify` checks the metadata against the spec's rules, each manifest against its lists, deletes
against the files they delete from, and every file against its manifest entry.  Damage is not raised
but returned, each finding with its place.  For a moved table there is a finding too; its files are
checked where its metadata names them, not where the table was found.

Source: Iceberg table spec, version 1 to 3; Puffin spec.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import MissingFile
from byteloom.iceberg.verification.commits import check_commits
from byteloom.iceberg.verification.documents import check_document, check_locations, check_name
from byteloom.iceberg.verification.files import check_files
from byteloom.iceberg.verification.history import check_history
from byteloom.iceberg.verification.manifests import Content, check_manifests
from byteloom.iceberg.verification.schemas import check_schemas
from byteloom.iceberg.verification.snapshots import check_snapshots, check_totals
from byteloom.iceberg.verification.statistics import check_statistics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.errors import ByteloomError
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["verify"]


def verify(
    table: StoredTable, *, files: bool = True, rows: bool = True, part: tuple[int, int] = (0, 1)
) -> list[ByteloomError]:
    """Return everything that is wrong with *table*; an empty list if it is sound.

    If the table was moved, a `MovedTable` reports that the files checked are those that the
    metadata names.  It comes first if these files are sound or missing, otherwise last.  If the
    metadata names files in a store, they are checked only if the table was opened with *allow*.

    Args:
        files: Also check data files, delete files and statistics, not only metadata.
        rows: Also read every row of data files and delete files; otherwise only size, row count and
            nulls in required columns of each file, and statistics as its footer has them.
        part: Number of a part of the files, from 0, and of how many parts: each file is in one
            part, and all other checks are in the first.
    """
    if table.relocation.is_copy_of_remote:
        return _with_copy(table, part)
    content = Content()
    found = list(_of_metadata(table, content))
    if part[0] != 0:
        found.clear()
    elif files:
        found += check_statistics(table, content)
    if files:
        found += check_files(table, content, part, rows=rows)
    for each in found:
        table.relocation.name(each)
    return _with_moved(table, found, part, "files" if files else "manifests")


def _with_copy(table: StoredTable, part: tuple[int, int]) -> list[ByteloomError]:
    """Return what is wrong with the metadata, and a finding that its files are in a store."""
    if part[0] != 0:
        return []
    moved = table.relocation.moved()
    return list(filter(None, [*_of_document(table), moved]))


def _with_moved(
    table: StoredTable, found: list[ByteloomError], part: tuple[int, int], kind: str
) -> list[ByteloomError]:
    """Return the findings in a part of the files, with one more if the table was moved."""
    moved = table.relocation.moved()
    if moved is None or (part[0] != 0 and not found):
        return found
    missing = sum(isinstance(each, MissingFile) for each in found)
    those = f"the {kind} at {moved.old}"
    checked = f"{those} were checked"
    if missing < len(found):
        checked += " and are not all sound"
    elif missing:
        checked = f"{missing:,} of {those} {'is' if missing == 1 else 'are'} missing"
    elif part[1] == 1:
        checked += " and are sound"
    moved = table.relocation.moved(checked)
    return list(filter(None, [*found, moved] if missing < len(found) else [moved, *found]))


def _of_metadata(table: StoredTable, content: Content) -> Iterator[ByteloomError]:
    """Yield what is wrong with metadata, outermost first; *content* receives the entries."""
    yield from _of_document(table)
    yield from check_manifests(table, content)
    yield from check_snapshots(table, content)
    yield from check_commits(table, content)
    yield from check_totals(table, content)


def _of_document(table: StoredTable) -> Iterator[ByteloomError]:
    """Yield what is wrong with the metadata file by itself."""
    yield from check_name(table.metadata, table.metadata_location)
    yield from check_document(table.metadata)
    yield from check_locations(table.metadata)
    yield from check_schemas(table.metadata)
    yield from check_history(table.metadata)


def __dir__() -> list[str]:
    return __all__
