"""Whether new files still fit their table, which another writer may have changed since.

The rules:

- Delete files are those of the table's version, which a writer can raise.
- Rows have a value in each required column. One that was added or made required since may have none
  in them, unless a new one has a default, which readers use for files without the column.

Source: Iceberg table spec, "Schemas and Data Types", "Default values" and "Delete Formats".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import CommitConflict, Unsupported
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.schema import Schema

__all__ = ["check_deletes", "check_rows"]

_VECTORS: Final = 3
"""The first version that deletes rows by vectors."""

_DELETES: Final = {
    1: "no deletes in version 1",
    2: "files of positions or keys in version 2",
    3: "deletion vectors, or files of keys, in version 3",
}
"""The delete files that each version has."""


def check_deletes(
    added: Iterable[Mapping[str, Any]], first: TableMetadata, base: TableMetadata
) -> None:
    """Refuse delete files of a kind that the version of a table lacks.

    Args:
        added: New files, by the names of manifests.
        first: The table when they were written.
        base: The table now.

    Raises:
        CommitConflict: Another writer has upgraded the table since they were written.
        Unsupported: They were never of its version.
    """
    version = base.format_version
    for each in added:
        is_vector = each.get("content_offset") is not None
        if each["content"] == FileContent.DATA:
            continue
        if each["content"] == FileContent.EQUALITY_DELETES and version > 1:
            continue
        if version > 1 and is_vector == (version >= _VECTORS):
            continue
        kind = "a deletion vector" if is_vector else "a file of deletes"
        if version != first.format_version:
            found = f"{each['file_path']}: {kind}, and another writer has upgraded the table"
            raise CommitConflict(f"{found} to version {version}")
        raise Unsupported("deletes", None, f"{kind} in version {version}", _DELETES[version])


def check_rows(
    added: Iterable[Mapping[str, Any]], first: TableMetadata, base: TableMetadata
) -> None:
    """Refuse data files whose rows may lack a value in a column that is required by now.

    Args:
        added: New files, by the names of manifests.
        first: The table when they were written.
        base: The table now.

    Raises:
        CommitConflict: Another writer has made the column required, or added it.
    """
    if base.current_schema_id == first.current_schema_id:
        return
    name = _required_since(first.schema(), base.schema())
    paths = [each["file_path"] for each in added if each["content"] == FileContent.DATA]
    if name is not None and paths:
        found = f"{paths[0]}: its rows may lack a value in column {name}"
        raise CommitConflict(f"{found}, which another writer has made required")


def _required_since(old: Schema, new: Schema) -> str | None:
    """Return the name of a column of *new* in which rows of *old* may lack a value."""
    for number, field in new.field_by_id.items():
        known = old.field_by_id.get(number)
        if not field.required or (known is not None and known.required):
            continue
        is_inside_new = any(each not in old.field_ids for each in new.parents(number))
        if known is not None or (field.initial_default is None and not is_inside_new):
            return new.name(number)
    return None
