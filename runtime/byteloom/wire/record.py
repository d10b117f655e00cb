"""The base of every generated record."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from byteloom.errors import StorageError
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.reader import Reader
from byteloom.wire.writer import Writer

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Record"]


class Record:
    """A record read from bytes and written back to them.

    Generated classes are frozen: to change one, make another with `dataclasses.replace`, and what
    follows from its values (lengths, counts, magics, checksums) follows by itself.
    """

    __slots__ = ()

    NAME: ClassVar[str]
    """The record's name in its spec; the first word of an error's path."""

    MIN_SIZE: ClassVar[int]
    """Bytes that the shortest one takes."""

    @classmethod
    def read(cls, r: Reader, *args: Any, **params: Any) -> Self:
        """Take one from *r*; *params* are those of its spec."""
        raise NotImplementedError

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        raise NotImplementedError

    @classmethod
    def from_bytes(
        cls,
        data: bytes | bytearray | memoryview | mmap,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
        **params: Any,
    ) -> Self:
        """Read one from the start of *data*.

        origin  where data[0] lies in its file, for what errors say
        params  the parameters of its spec
        errors  FormatError: where, what was found, what was wanted
        """
        return Reader(data, limits=limits, origin=origin).record(cls.NAME, cls.read, **params)

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS, **params: Any
    ) -> Self:
        """Read one from the start of the local file at *path*, memory-mapped."""
        try:
            with Path(path).open("rb") as file:
                empty = file.seek(0, 2) == 0
                data: bytes | mmap = b"" if empty else mmap(file.fileno(), 0, access=ACCESS_READ)
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror or error}") from error
        return cls.from_bytes(data, limits=limits, **params)

    def to_bytes(self) -> bytes:
        """Return this one as bytes."""
        w = Writer()
        w.record(self.NAME, self)
        return w.getvalue()
