"""Open files that close their source with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from byteloom.storage.sources import Source

__all__ = ["OpenFile"]


class OpenFile:
    """An open file; use it in a ``with`` block, or close it.

    source  what reads ranges of bytes
    """

    source: Source
    _owns_source: bool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the source, unless the caller opened it."""
        if self._owns_source:
            self.source.close()
