"""Verification: everything that is wrong with a table, as far as can be seen.

`verify` checks the metadata against the spec's rules, each manifest against its lists, deletes
against the files they delete from, and every file against what is said of it.  It raises nothing
for damage: what it finds comes back, each with its place.

Source: Iceberg table spec, version 1 to 3; Puffin spec.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.iceberg.verification.files import check_files
from byteloom.iceberg.verification.history import check_history
from byteloom.iceberg.verification.manifests import Content, check_manifests
from byteloom.iceberg.verification.paths import check_locations
from byteloom.iceberg.verification.schemas import check_schemas
from byteloom.iceberg.verification.snapshots import check_snapshots
from byteloom.iceberg.verification.statistics import check_statistics
from byteloom.iceberg.verification.totals import check_totals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.errors import ByteloomError
    from byteloom.iceberg.table import Table

__all__ = ["verify"]


def verify(table: Table, *, files: bool = True) -> list[ByteloomError]:
    """Return all that is wrong with *table*; nothing for a sound one.

    files  look into data files, delete files and statistics too, not only at metadata
    """
    return list(_found(table, files=files))


def _found(table: Table, *, files: bool) -> Iterator[ByteloomError]:
    """What is wrong, from the outside in."""
    yield from check_locations(table.metadata)
    yield from check_schemas(table.metadata)
    yield from check_history(table.metadata)
    content = Content()
    yield from check_manifests(table, content)
    yield from check_snapshots(table, content)
    yield from check_totals(table, content)
    if files:
        yield from check_statistics(table)
        yield from check_files(table, content)


def __dir__() -> list[str]:
    return __all__
