"""The base of every generated record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.agreeing import agreed
from byteloom.wire.inlining.reading import read_inlined
from byteloom.wire.passes import bytes_of
from byteloom.wire.reader import Reader
from byteloom.wire.unequal import Unequal

if TYPE_CHECKING:
    from mmap import mmap
    from os import PathLike

    from byteloom.wire.writer import Writer

__all__ = ["Record", "Stream"]


class Stream(Protocol):
    """The stream that a record was read from, or is being written to; Kaitai's ``_io``."""

    @property
    def pos(self) -> int:
        """Bytes from the start."""

    @property
    def size(self) -> int:
        """Bytes in all."""

    @property
    def eof(self) -> bool:
        """Whether nothing is left."""


class Record:
    """A record read from bytes and written back to them.

    Its attributes may be changed.  What follows from them (lengths, counts, positions, magics,
    checksums) follows by itself, and bytes that no field took are written back as they were read.
    A changed copy is `copy.deepcopy` and assignments; `dataclasses.replace` makes a new record of
    the fields alone.
    """

    __slots__ = ("_followed", "_source", "_stream")

    _stream: Reader | None
    """The window that it was read from; absent where that has nothing but its fields."""

    _source: Reader
    """What it was read from, where an edit may need that; of a file's outermost record only."""

    _followed: list[tuple[Any, str | int, int]]
    """Numbers updated after an edit when this was written: each with its record and attribute."""

    NAME: ClassVar[str]
    """The record's name in its spec; the first word of an error's path."""

    MIN_SIZE: ClassVar[int]
    """Bytes that the shortest one takes."""

    REREAD: ClassVar[bool] = False
    """Whether only reading shows if what was written agrees with what describes it."""

    FOLLOWS: ClassVar[bool] = False
    """Whether stored numbers may follow an edit through the formulas of sizes and counts."""

    LAZY: ClassVar[dict[str, str]] = {}
    """What is read when it is asked for: by name, the attribute that then holds it."""

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
        /,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
        whole: bool = False,
        **params: Any,
    ) -> Self:
        """Read one from the start of *data*.

        origin  where data[0] is in its file, for what errors say
        whole   refuse bytes after its fields in sequence, which are kept for writing otherwise
        params  the parameters of its spec
        errors  FormatError: where, what was found, what was wanted
        """
        inlined = read_inlined(cls, data, limits, origin, params)
        if inlined is None:
            r = Reader(data, limits=limits, origin=origin)
            try:
                record = r.whole(cls.NAME, cls.read, **params)
            except RecursionError as error:
                levels = "records inside records"
                raise LimitExceeded(cls.NAME, None, levels, "fewer levels") from error
        else:
            record, r = inlined
        if whole:
            r.done(cls.NAME)
        if cls.FOLLOWS:
            record._source = r  # noqa: SLF001  (its own)
        return record

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        /,
        *,
        limits: Limits = DEFAULT_LIMITS,
        whole: bool = False,
        **params: Any,
    ) -> Self:
        """Read one from the start of the local file at *path*; as `from_bytes`.

        The whole file is read into memory.  A memory map of one that is known to stay as it is can
        be handed to `from_bytes`.

        StorageError  no regular file, or one that cannot be read
        """
        from byteloom.storage.sources import LocalSource  # of no use to those who read bytes

        with LocalSource(path) as source:
            data = source.read(0, source.size)
        try:
            return cls.from_bytes(data, limits=limits, whole=whole, **params)
        except FormatError as error:
            error.in_file(source.name)
            raise

    def to_bytes(self) -> bytes:
        """Return this one as bytes.

        errors  FormatError: which value does not fit, or which two contradict each other
        """
        if self.REREAD:
            return agreed(self)
        try:
            return bytes_of(self.NAME, self)
        except Unequal:
            if not self.FOLLOWS:
                raise
        return agreed(self)

    def to_file(self, path: str | PathLike[str]) -> None:
        """Write this one to the local file at *path*, which is there whole or as it was before."""
        from byteloom.storage.targets import LocalTarget  # brings pyarrow, which bytes do not need

        data = self.to_bytes()
        with LocalTarget(path) as target:
            target.write(data)
            target.commit()
