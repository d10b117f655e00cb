"""The base of every generated record, and a pause of the garbage collector while many are made."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.passes import bytes_of
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from mmap import mmap
    from os import PathLike

    from byteloom.wire.writer import Writer

__all__ = [
    "Record",
    "collector_paused",
]

_MUCH: Final = 16_000
"""Bytes from which on the cyclic garbage collector is paused: records being read are no garbage."""


_EDITING: Final = "byteloom.editing"
"""The package that writes records that are compared with what they were read from.

It builds on this one, so that nothing here can import it by a statement.  Most records are written
without it.
"""


@cache
def _edited_bytes() -> Callable[[Record], bytes]:
    """Return the function that writes such records; its package is imported when one is written."""
    return cast("Callable[[Record], bytes]", import_module(_EDITING).to_bytes)


class Record:
    """A record that is read from bytes and written to bytes.

    Its attributes may be changed.  Derived fields (lengths, counts, positions, magics, checksums)
    are recalculated, and bytes that belong to no field are written back as they were read.  To make
    a changed copy, use `copy.deepcopy` and assign; `dataclasses.replace` makes a new record of the
    fields only.
    """

    __slots__ = ("_followed", "_source", "_stream")

    _stream: Reader | None
    """The window that it was read from; absent if that has no bytes but the record's fields."""

    _source: Reader
    """The reader of a file's outermost record, if an edit may need it."""

    _followed: list[tuple[Any, str | int, Any]]
    """Attributes that writing an edited record has updated: record, name and value."""

    NAME: ClassVar[str]
    """The record's name in its spec; the first word of an error's path."""

    MIN_SIZE: ClassVar[int]
    """Bytes of the shortest record."""

    REREAD: ClassVar[bool] = False
    """Whether written bytes must be read back to see that sizes and counts agree with them."""

    FOLLOWS: ClassVar[bool] = False
    """Whether what it was read from is kept: an edit is compared with it, and numbers follow."""

    LAZY: ClassVar[dict[str, str]] = {}
    """The parts that are read on demand: by name, the attribute that stores each."""

    @classmethod
    def read(cls, r: Reader, /, *args: Any, **params: Any) -> Self:
        """Read one from *r*; *params* are the parameters of its spec."""
        raise NotImplementedError

    def write(self, w: Writer) -> None:
        """Write this record to *w*, the inverse of `read`."""
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

        origin  the offset of data[0] in its file, for errors
        whole   refuse bytes after its fields in sequence, instead of keeping them for writing
        params  the parameters of its spec
        errors  FormatError: where, what was found, what was wanted
        """
        r = Reader(data, limits=limits, origin=origin)
        paused = len(data) >= _MUCH and gc.isenabled()
        if paused:
            gc.disable()
        try:
            record = r.whole(cls.NAME, partial(cls.read, **params))
        except RecursionError as error:
            levels = "records inside records"
            raise LimitExceeded(cls.NAME, None, levels, "fewer levels") from error
        finally:
            if paused:
                gc.enable()
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

        The whole file is read into memory.  A memory map of a file that will not change can
        be passed to `from_bytes`.

        StorageError  not a regular file, or it cannot be read
        """
        from byteloom.storage.sources import LocalSource  # not needed to read bytes

        with LocalSource(path) as source:
            data = source.read(0, source.size)
        try:
            return cls.from_bytes(data, limits=limits, whole=whole, **params)
        except FormatError as error:
            error.in_file(source.name)
            raise

    def to_bytes(self) -> bytes:
        """Return the bytes of this record.

        errors  FormatError: which value does not fit, or which two contradict each other
        """
        if self.REREAD or self.FOLLOWS:
            return _edited_bytes()(self)
        return bytes_of(self.NAME, self)

    def to_file(self, path: str | PathLike[str]) -> None:
        """Write this record to the local file at *path*, which is replaced whole or not at all."""
        from byteloom.storage.targets import LocalTarget  # imports pyarrow, not always needed

        data = self.to_bytes()
        with LocalTarget(path) as target:
            target.write(data)
            target.commit()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector in the block, if it is on: new objects are not garbage yet."""
    paused = gc.isenabled()
    if paused:
        gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
