"""Where the new files of a table are put.

The rules:

- Data files are in ``data`` below the table's location, or in the folder that ``write.data.path``
  names, those of a partition in folders ``name=value``. A folder whose name would be longer than
  filesystems take is named by a hash of it, without ``=``, so that nobody reads a value from it.
- Manifests and metadata files are in ``metadata`` below the location, or in the folder that
  ``write.metadata.path`` names.
- With ``write.object-storage.enabled`` 20 bits of a hash of the rest come first, so that a store
  spreads requests over its machines.

Source: https://iceberg.apache.org/docs/latest/aws/#object-store-file-layout; Java's
``LocationProviders``.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus

import pyarrow as pa

from byteloom.errors import ArgumentError, FormatError
from byteloom.iceberg.transforms import to_human
from byteloom.iceberg.transforms.arrays import hash_array
from byteloom.iceberg.types import StringType
from byteloom.storage.local import LOCAL_URL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.properties import Properties
    from byteloom.iceberg.schema import Schema

__all__ = ["Locations", "check_place", "metadata_folder", "partition_path"]

_BITS: Final = 20
_FOLDERS: Final = (4, 4, 4)
"""Bits of the hash in the names of the first folders; the rest are in the last one."""
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
_LONGEST: Final = 255
"""Bytes of a name in ext4, XFS, APFS and NTFS."""


class Locations:
    """The paths of the new files of one table."""

    def __init__(self, location: str, properties: Properties) -> None:
        """Keep the settings of a table.

        Args:
            location: The table's.
            properties: The table's.
        """
        self._data = _folder(location, properties, "write.data.path", "data")
        self._is_hashed = properties.flag("write.object-storage.enabled")
        self._has_partition = not self._is_hashed or properties.flag(
            "write.object-storage.partitioned-paths"
        )

    def data_file(self, partition: str, name: str) -> str:
        """Return the path of a data file.

        Args:
            partition: The folders of its partition, as `partition_path` has them; "" for none.
            name: Its own name.
        """
        partition = "/".join(map(_short, partition.split("/")))
        below = f"{partition}/{name}" if partition and self._has_partition else name
        if not self._is_hashed:
            return f"{self._data}/{below}"
        end = f"/{below}" if self._has_partition else f"-{below}"
        return f"{self._data}/{_hashed(below)}{end}"


def _short(name: str) -> str:
    """Return the ASCII name of a partition's folder, or a hash of one that is too long."""
    return name if len(name) <= _LONGEST else blake2b(name.encode(), digest_size=16).hexdigest()


def metadata_folder(location: str, properties: Properties) -> str:
    """Return the folder of a table's manifests and metadata files.

    Args:
        location: The table's.
        properties: The table's.

    Raises:
        FormatError: A folder that is not absolute.
    """
    return _folder(location, properties, "write.metadata.path", "metadata")


def _folder(location: str, properties: Properties, name: str, below: str) -> str:
    """Return the folder that a property names, or one below the table's location."""
    root = location.rstrip("/")
    folder = (properties.text(name) or f"{root}/{below}").rstrip("/")
    check_place(f"properties.{name}", folder)
    if _is_absolute(root) and not _is_absolute(folder):
        wanted = "an absolute path or a URL, as the table's own place is"
        raise FormatError(f"properties.{name}", None, repr(folder), wanted)
    return folder


def check_place(name: str, place: str) -> None:
    """Refuse the path of a folder with a control character, which readers of tables report.

    Args:
        name: What names the folder, for the error.
        place: The folder.

    Raises:
        ArgumentError: One with such a character.
    """
    if _CONTROL.search(place):
        raise ArgumentError(name, None, repr(place), "a path without control characters")


def _is_absolute(path: str) -> bool:
    """Return whether a path is the same wherever a program runs."""
    return path.startswith("/") or "://" in path or LOCAL_URL.match(path) is not None


def _hashed(name: str) -> str:
    """Return the bits of a name's hash as folders: ``0101/0110/1001/10110010``."""
    value = int(hash_array(StringType(), pa.array([name], pa.large_string()))[0])
    bits = f"{value & 0xFFFFFFFF:032b}"[-_BITS:]
    parts, start = [], 0
    for size in _FOLDERS:
        parts.append(bits[start : start + size])
        start += size
    return "/".join([*parts, bits[start:]])


def partition_path(spec: PartitionSpec, schema: Schema, values: Sequence[Any]) -> str:
    """Return the folders of a partition: ``day=2024-06-01/id_bucket=3``.

    Args:
        spec: The spec of the partition.
        schema: The schema that has its source columns.
        values: The storage value of each field of the spec.
    """
    parts = []
    for field, value in zip(spec.fields, values, strict=True):
        source = schema.find(field.source_id)
        of = StringType() if source is None else source.type
        text = to_human(field.transform, of, value)
        parts.append(f"{quote_plus(field.name)}={quote_plus(text)}")
    return "/".join(parts)
