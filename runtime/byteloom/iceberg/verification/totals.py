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

import numpy as np

from byteloom.errors import FormatError
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.verification.manifests import Content

    Numbers = NDArray[np.int64]

__all__ = ["check_totals"]

_CONTENTS: Final = {
    FileContent.DATA: "records",
    FileContent.POSITION_DELETES: "position-deletes",
    FileContent.EQUALITY_DELETES: "equality-deletes",
}
"""What rows of each content are called."""

_DELETED: Final = {"removed-data-files": "deleted-data-files", "removed-records": "deleted-records"}
"""Names in which data is not removed, but deleted."""

_NOTHING: Final = np.zeros(3 * len(_CONTENTS) + 1, np.int64)


def check_totals(table: StoredTable, content: Content) -> Iterator[FormatError]:
    """Yield an error for each number of a snapshot that is not that of its files."""
    live: dict[int, Numbers] = {}
    for each in content.entries.values():
        live[id(each)] = _sums(each, each.status != EntryStatus.DELETED)
    for snapshot in table.metadata.snapshots.values():
        parts = content.of(snapshot.snapshot_id)
        if parts is None:
            continue  # what cannot be read was reported already
        total = sum((live[id(each)] for each in parts), _NOTHING)
        own = _own(parts, snapshot.snapshot_id)
        for name, found in {**_named("total", total), **own}.items():
            stated = snapshot.summary.get(name)
            if stated is not None and stated != str(found):
                where = f"snapshots[{snapshot.snapshot_id}].summary.{name}"
                kind = "in total" if name.startswith("total") else "of this snapshot"
                wanted = f"{found}, as its manifests have {kind}"
                yield FormatError(where, None, repr(stated), wanted)


def _own(parts: list[Entries], own: int) -> dict[str, int]:
    """Return the numbers of files that a snapshot added and removed by name in a summary."""
    added = removed = _NOTHING
    for each in parts:
        is_own = each.snapshot_id == own
        if is_own.any():
            added = added + _sums(each, is_own & (each.status == EntryStatus.ADDED))
            removed = removed + _sums(each, is_own & (each.status == EntryStatus.DELETED))
    return _named("added", added) | _named("removed", removed)


def _sums(entries: Entries, chosen: NDArray[np.bool_]) -> Numbers:
    """Return the numbers of the chosen files, of files without row counts, and of rows, by content.

    The last column is the number of deletion vectors.
    """
    made = []
    for kind in _CONTENTS:
        counts = entries.record_count[chosen & (entries.content == kind)]
        made += [len(counts), int((counts < 0).sum()), int(counts.sum())]
    return np.array([*made, (chosen & (entries.content_offset >= 0)).sum()], np.int64)


def _named(kind: str, sums: Numbers) -> dict[str, int]:
    """Return the known numbers by name: ``total``, ``added`` or ``removed``."""
    *numbers, vectors = sums.tolist()
    data, positions, equality = numbers[::3]
    made = {f"{kind}-data-files": data, f"{kind}-delete-files": positions + equality}
    if kind != "total":
        made[f"{kind}-position-delete-files"] = positions - vectors
        made[f"{kind}-equality-delete-files"] = equality
        made[f"{kind}-dvs"] = vectors
    rows = zip(_CONTENTS.values(), numbers[1::3], numbers[2::3], strict=True)
    made |= {f"{kind}-{name}": count for name, unknown, count in rows if not unknown}
    return {_DELETED.get(name, name): number for name, number in made.items()}
