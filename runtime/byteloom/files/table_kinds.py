"""Which format a table is of, by what is in its folder, and the command for such a table."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from byteloom.storage import Folder

__all__ = ["table_advice"]

_KINDS: Final = {
    ".hoodie": "it is a Hudi table, whose files `byteloom hudi files {}` lists",
    "_versions": "it is a Lance dataset, whose rows `byteloom lance cat {}` prints",
    "metadata": "it is an Iceberg table, whose rows `byteloom table scan {}` prints",
}
"""A folder in tables of each format, and what an error says of such a table."""

_METADATA: Final = (".metadata.json", ".metadata.json.gz")
"""The endings of Iceberg's metadata files: other things have folders called `metadata` too."""


def table_advice(folder: Folder, place: str) -> str:
    """Return what an error adds for a folder that was opened as a table of another format.

    Args:
        folder: The folder; one in a store is not looked at, since that takes another request.
        place: The folder as the caller named it.

    Returns:
        ``; it is a Hudi table, whose ...``, or ``""`` for a folder that is no table.
    """
    if folder.filesystem is not None or not Path(folder.path).is_dir():
        return ""
    inside = folder.folders()
    for name, advice in _KINDS.items():
        if name in inside and (
            name != "metadata" or any(each.endswith(_METADATA) for each in folder.files(name))
        ):
            return f"; {advice.format(quote(place))}"
    return ""
