"""Metadata files as a writer makes them, and removes those that a table no longer names.

Source: Iceberg table spec, "Table Metadata"; Java's ``TableMetadataParser``.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Final

from byteloom.errors import ArgumentError, Unsupported
from byteloom.iceberg.properties import Properties
from byteloom.storage.creating import remove_file

if TYPE_CHECKING:
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["check_written", "forget_old_files", "metadata_file"]

_SHOWN: Final = 30
"""Characters before a wrong one that an error shows."""


def metadata_file(metadata: TableMetadata, base: TableMetadata | None = None) -> tuple[bytes, str]:
    """Return the bytes of a metadata file, and how its name ends.

    Args:
        metadata: Its content.
        base: The metadata whose codec it has; its own if None.
    """
    try:
        data = json.dumps(metadata.to_json(), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        found = repr(error.object[max(error.start - _SHOWN, 0) : error.end])
        raise ArgumentError("metadata", None, found, "text without lone surrogates") from error
    properties = Properties((metadata if base is None else base).properties)
    if (properties.text("write.metadata.compression-codec") or "").lower() == "gzip":
        return gzip.compress(data), ".gz.metadata.json"
    return data, ".metadata.json"


def check_written(metadata: TableMetadata) -> None:
    """Refuse metadata that asks for what is not written."""
    properties = Properties(metadata.properties)
    if properties.is_set("encryption.key-id") or metadata.document.encryption_keys:
        wanted = "a table without it: files are not encrypted"
        raise Unsupported("properties.encryption.key-id", None, "a key", wanted)
    properties.word("write.metadata.compression-codec")


def forget_old_files(table: StoredTable, metadata: TableMetadata) -> None:
    """Delete metadata files that the metadata no longer names, if the table asks for that.

    Args:
        table: The table before the commit.
        metadata: Its metadata after it.
    """
    if not Properties(metadata.properties).flag("write.metadata.delete-after-commit.enabled"):
        return
    kept = {each.metadata_file for each in metadata.document.metadata_log}
    for each in table.metadata.document.metadata_log:
        if each.metadata_file not in kept:
            place, _, name = table.relocation(each.metadata_file).rpartition("/")
            remove_file(table.relocation.access.folder(place), name)
