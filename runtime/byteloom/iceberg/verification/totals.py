"""Check the numbers in the summary of a snapshot against its files.

The rules:

- Totals are those of all live files.  A list that lost a manifest looks sound by itself, but the
  totals still count the manifest's files.
- Numbers of added and removed files are those of the files that the snapshot added and deleted.
- Writers leave out any of them, and do not count bytes in the same way: those are not compared.

Source: Iceberg table spec, "Snapshots" and "Appendix F" (optional snapshot summary fields).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.table import Table
    from byteloom.iceberg.verification.manifests import Content

__all__ = ["check_totals"]

_CONTENTS: Final = {
    FileContent.DATA: "records",
    FileContent.POSITION_DELETES: "position-deletes",
    FileContent.EQUALITY_DELETES: "equality-deletes",
}
"""What rows of each content are called."""

_DELETED: Final = {"removed-data-files": "deleted-data-files", "removed-records": "deleted-records"}
"""Names in which data is not removed, but deleted."""


def check_totals(table: Table, content: Content) -> Iterator[FormatError]:
    """Yield an error for each number of a snapshot that is not that of its files."""
    for snapshot in table.metadata.snapshots.values():
        parts = content.of(snapshot.snapshot_id)
        if parts is None:
            continue  # what cannot be read was reported already
        for name, found in _numbers(parts, snapshot.snapshot_id).items():
            stated = snapshot.summary.get(name)
            if stated is not None and stated != str(found):
                where = f"snapshots[{snapshot.snapshot_id}].summary.{name}"
                kind = "in total" if name.startswith("total") else "of this snapshot"
                wanted = f"{found}, as its manifests have {kind}"
                yield FormatError(where, None, repr(stated), wanted)


def _numbers(parts: list[Entries], own: int) -> dict[str, int]:
    """Return the numbers of live, added and removed files by name in a summary."""
    live, added, removed = _Sums(), _Sums(), _Sums()
    for each in parts:
        live.add(each, each.status != EntryStatus.DELETED)
        is_own = each.snapshot_id == own
        added.add(each, is_own & (each.status == EntryStatus.ADDED))
        removed.add(each, is_own & (each.status == EntryStatus.DELETED))
    numbers = live.named("total")
    return numbers | added.named("added") | removed.named("removed")


class _Sums:
    """Numbers of some files, and of their rows; rows are None if unknown."""

    def __init__(self) -> None:
        """Begin without files."""
        self.files = dict.fromkeys(_CONTENTS, 0)
        self.rows: dict[FileContent, int | None] = dict.fromkeys(_CONTENTS, 0)
        self.vectors = 0

    def add(self, entries: Entries, chosen: NDArray[np.bool_]) -> None:
        """Add the chosen entries."""
        self.vectors += int((chosen & (entries.content_offset >= 0)).sum())
        for kind in _CONTENTS:
            counts = entries.record_count[chosen & (entries.content == kind)]
            self.files[kind] += len(counts)
            rows = None if (counts < 0).any() else int(counts.sum())
            before = self.rows[kind]
            self.rows[kind] = None if before is None or rows is None else before + rows

    def named(self, kind: str) -> dict[str, int]:
        """Return the known numbers by name: ``total``, ``added`` or ``removed``."""
        data, positions, equality = self.files.values()
        made: dict[str, int | None] = {
            f"{kind}-data-files": data,
            f"{kind}-delete-files": positions + equality,
        }
        if kind != "total":
            made[f"{kind}-position-delete-files"] = positions - self.vectors
            made[f"{kind}-equality-delete-files"] = equality
            made[f"{kind}-dvs"] = self.vectors
        for content, rows in _CONTENTS.items():
            made[f"{kind}-{rows}"] = self.rows[content]
        return {
            _DELETED.get(name, name): number for name, number in made.items() if number is not None
        }
