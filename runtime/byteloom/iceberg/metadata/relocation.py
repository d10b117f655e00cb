"""Where the files of a table lie now, if it was moved or copied since their paths were written.

The longest prefix that fits wins; a path that none fits stays as it is.  ``file:/a``, ``file:///a``
and ``/a`` are one place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom.errors import StorageError
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.storage import Source

__all__ = ["Relocation"]

_LOCAL: Final = re.compile(r"file:/+")


@dataclass(frozen=True)
class Relocation:
    """A map of prefixes: as written in metadata, to as they are now."""

    prefixes: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, path: str) -> str:
        """Return where the file of that written *path* lies."""
        plain = _plain(path)
        fitting = [each for each in self.prefixes if plain.startswith(_plain(each))]
        if not fitting:
            return plain
        longest = max(fitting, key=lambda each: len(_plain(each)))
        return self.prefixes[longest] + plain[len(_plain(longest)) :]

    def open(self, path: str) -> Source:
        """Open the file of that written *path*; `StorageError` names both places."""
        place = self(path)
        try:
            return open_source(place)
        except StorageError as error:
            if place == path:
                raise
            raise StorageError(f"{error} (written as {path})") from error

    def read(self, path: str) -> bytes:
        """Return all bytes of the file of that written *path*."""
        source = self.open(path)
        try:
            return source.read(0, source.size)
        finally:
            source.close()


def _plain(path: str) -> str:
    """A path on this machine without its scheme."""
    return _LOCAL.sub("/", path, count=1) if _LOCAL.match(path) else path
