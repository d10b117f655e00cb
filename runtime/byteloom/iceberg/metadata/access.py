"""How a reader opens the files of a table, and which of them it may read.

Source: https://py.iceberg.apache.org/configuration/#fileio
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from byteloom.redaction import RedactedRepr
from byteloom.storage import Folder, open_source
from byteloom.storage.open import resolve
from byteloom.storage.options import filesystem_of, path_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.storage import Source
    from byteloom.storage.allowed import Allowed

__all__ = ["Access"]


@dataclass(frozen=True, repr=False)
class Access(RedactedRepr):
    """How the places named in metadata are reached.

    Attributes:
        filesystem: Of `pyarrow.fs` or fsspec, in which all places are; None to use their URLs.
        options: Properties of filesystems, such as ``s3.access-key-id``.
        allowed: Prefixes below which places must be; None for anywhere.
    """

    filesystem: Any = None
    options: Mapping[str, str] = field(default_factory=dict)
    allowed: Allowed | None = None
    _made: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    def open(self, place: str) -> Source:
        """Open the file at *place*; `StorageError` if it does not exist or is not allowed."""
        if self.allowed is not None:
            self.allowed.check(place)
        filesystem, path = self._reached(place)
        return open_source(path, filesystem=filesystem)

    def folder(self, place: str) -> Folder:
        """Return the folder at *place*; `StorageError` if it is not allowed."""
        if self.allowed is not None:
            self.allowed.check(place)
        filesystem, path = self._reached(place)
        return Folder(path, filesystem=filesystem)

    def is_local(self, place: str) -> bool:
        """Return whether a place, without ``file:``, is on a disk of this machine."""
        if self.filesystem is not None:
            return resolve(".", self.filesystem)[0] is None
        return "://" not in place

    def _reached(self, place: str) -> tuple[Any, str]:
        """Return the filesystem of a place (None to use its URL), and the path in it."""
        found = self.filesystem
        if found is None and self.options and "://" in place:
            parts = urlsplit(place)
            key = parts.scheme.lower(), parts.netloc
            if key not in self._made:
                self._made[key] = filesystem_of(place, self.options)
            found = self._made[key]
        if found is None:
            return None, place
        return found, path_in(resolve(".", found)[0], place)
