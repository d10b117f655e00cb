"""Check the totals in the summary of a snapshot against its files.

A list that lost a manifest looks sound by itself, but the totals in the summary still count the
manifest's files.

Source: Iceberg table spec, "Snapshots" and "Appendix F" (optional snapshot summary fields).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.table import Table
    from byteloom.iceberg.verification.manifests import Content

__all__ = ["check_totals"]

_ROWS: Final = ("total-records", "total-position-deletes", "total-equality-deletes")
"""The totals of rows: of data, of position deletes and of equality deletes."""

_CONTENTS: Final = len(FileContent)


def check_totals(table: Table, content: Content) -> Iterator[FormatError]:
    """Yield an error for each total of a snapshot that is not that of its files."""
    for snapshot in table.metadata.snapshots.values():
        parts = content.of(snapshot.snapshot_id)
        if parts is None:
            continue  # what cannot be read was reported already
        for name, found in _totals(parts).items():
            total = snapshot.summary.get(name)
            if total is not None and total != str(found):
                where = f"snapshots[{snapshot.snapshot_id}].summary.{name}"
                yield FormatError(
                    where, None, repr(total), f"{found}, as its manifests have in total"
                )


def _totals(parts: list[Entries]) -> dict[str, int]:
    """Return the totals of live files by name in a summary; rows only if all files count them."""
    files, rows = np.zeros(_CONTENTS, np.int64), np.zeros(_CONTENTS, np.int64)
    is_counted = np.ones(_CONTENTS, np.bool_)
    for each in parts:
        live = (
            (each.status != EntryStatus.DELETED) & (each.content >= 0) & (each.content < _CONTENTS)
        )
        np.add.at(files, each.content[live], 1)
        np.add.at(rows, each.content[live], each.record_count[live])
        is_counted[each.content[live & (each.record_count < 0)]] = False
    totals = {"total-data-files": int(files[0]), "total-delete-files": int(files[1:].sum())}
    return totals | {name: int(rows[at]) for at, name in enumerate(_ROWS) if is_counted[at]}
