"""Whether a snapshot waits to be published: it is then of no branch, until it is picked for one.

The rules:

- A caller can stage a snapshot itself, under a name or without one.
- With a ``wap_id`` the table decides: if it sets ``write.wap.enabled``, the snapshot is staged
  under this name; if not, the branch gets it as usual, and the name is not written.

Source: Java's ``SnapshotSummary`` (``wap.id``) and ``SparkWriteConf``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import ArgumentError
from byteloom.iceberg.properties import Properties

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["WAP_ID", "Staging", "staging_of"]

WAP_ID: Final = "wap.id"
"""The key of the summary that has the name."""

_ENABLED: Final = "write.wap.enabled"


class Staging(NamedTuple):
    """How a snapshot is committed.

    Attributes:
        is_staged: Whether no branch gets it.
        summary: Further keys of its summary.
    """

    is_staged: bool
    summary: dict[str, str]


def staging_of(table: StoredTable, stage: bool | str, wap_id: str | None) -> Staging:  # noqa: FBT001
    """Return how a snapshot is committed.

    Args:
        table: The table.
        stage: Whether the caller stages it, or its name.
        wap_id: Its name, if the table stages such snapshots.

    Raises:
        ArgumentError: Both, or an empty name.
        FormatError: A property of the table that is not true or false.
    """
    if wap_id is None:
        named = {WAP_ID: stage} if isinstance(stage, str) else {}
        return Staging(stage is not False, named)
    if stage is not False:
        raise ArgumentError("stage", None, f"{stage!r} and a wap_id", "one of both")
    if not wap_id:
        raise ArgumentError("wap_id", None, repr(wap_id), "a name that is not empty")
    if Properties(table.metadata.properties).flag(_ENABLED):
        return Staging(is_staged=True, summary={WAP_ID: wap_id})
    return Staging(is_staged=False, summary={})
