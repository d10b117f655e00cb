"""Files of a known format that are open for reading: opening and closing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar

from byteloom.files.kinds import expecting
from byteloom.storage import Place, open_source
from byteloom.storage.naming import about_file
from byteloom.storage.sources import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.storage import Source

__all__ = ["OpenFile", "open_file"]


class OpenFile:
    """An open file; use it in a ``with`` block, or close it.

    source     what reads ranges of bytes
    file_name  the name of the file in errors; None where it was opened from bytes or from an object
               without a name
    """

    source: Source
    file_name: str | None
    _owns_source: bool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the source, unless the caller opened it."""
        if self._owns_source:
            self.source.close()


_File = TypeVar("_File", bound=OpenFile)


def open_file(
    place: Place, kind: str, make: Callable[[Source, bool], _File], *, filesystem: Any = None
) -> _File:
    """Open the file at *place*; an error names the file, and its format if that is another one.

    kind  of file that is wanted, a name in `byteloom.files.kinds`
    make  returns the open file, given a source and whether the file is to close that source
    """
    source = open_source(place, filesystem=filesystem)
    is_own, name = source is not place, name_of(source)
    try:
        with about_file(name), expecting(kind, source):
            file = make(source, is_own)
    except BaseException:
        if is_own:
            source.close()
        raise
    file.file_name = name
    return file
