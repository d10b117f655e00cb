"""Bytes of a page, cut into the buffers of its chunks.

- A `Buffers` has the same buffer of every chunk: a codec takes as many as it needs, and decodes all
  chunks in one call.
- Errors name the page, the chunk, and its place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from byteloom.errors import FormatError, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.limits import Limits

__all__ = ["Buffers", "Chunks", "Tables", "bytes_of"]

_WORD = 8
_PADDING = np.zeros(_WORD, np.uint8)


@dataclass(frozen=True, slots=True)
class Buffers:
    """A buffer of each chunk: ``data[starts[i]:ends[i]]``.

    Attributes:
        data: Bytes, at a multiple of eight in memory.
        starts: Multiples of eight, as are all parts of chunks.
    """

    data: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    @classmethod
    def whole(cls, data: np.ndarray) -> Buffers:
        """Return the one buffer of one chunk."""
        return cls(data, np.zeros(1, np.int64), np.array([len(data)], np.int64))

    @classmethod
    def of(cls, stored: Sequence[np.ndarray]) -> Buffers:
        """Return a buffer of each chunk, given one by one."""
        if len(stored) == 1:
            return cls.whole(stored[0])
        padded = [part for each in stored for part in (each, _PADDING[: -len(each) % _WORD])]
        sizes = np.array([len(each) for each in stored])
        ends = np.cumsum((sizes + _WORD - 1) // _WORD * _WORD)
        starts = np.concatenate([[0], ends[:-1]])
        return cls(np.concatenate(padded), starts, starts + sizes)

    @property
    def sizes(self) -> np.ndarray:
        """Bytes of each."""
        found: np.ndarray = self.ends - self.starts
        return found

    def words(self, width: int) -> np.ndarray:
        """Return all bytes as unsigned integers of *width* bytes."""
        whole = self.data[: len(self.data) // width * width]
        found: np.ndarray = whole.view(f"<u{width}")
        return found


class Tables(NamedTuple):
    """The FSST symbol tables of pages that are decoded together.

    Attributes:
        tables: The tables of each page.
        pages: For each chunk the number of its page.
    """

    tables: Sequence[bytes]
    pages: np.ndarray


@dataclass(frozen=True, slots=True)
class Chunks:
    """The input of a codec: buffers of chunks, and their numbers of values.

    path     its name in errors: ``columns[0].pages[2].chunks``
    places   offset of each chunk in the file
    counts   the values of each chunk
    limits   what decoding may cost
    numbers  the number of each chunk in errors; None if they are numbered from 0 on
    tables   the symbol tables of several pages; None if the encoding has the one of all chunks
    """

    path: str
    places: np.ndarray
    counts: np.ndarray
    buffers: tuple[Buffers, ...]
    limits: Limits
    numbers: np.ndarray | None = None
    tables: Tables | None = None

    @property
    def total(self) -> int:
        """Values of all chunks."""
        return int(self.counts.sum())

    @property
    def rows(self) -> np.ndarray:
        """The number of the first value of each chunk."""
        found: np.ndarray = self.counts.cumsum() - self.counts
        return found

    def with_(
        self, buffers: tuple[Buffers, ...] | None = None, counts: np.ndarray | None = None
    ) -> Chunks:
        """Return these chunks with other buffers or counts."""
        return Chunks(
            self.path,
            self.places,
            self.counts if counts is None else counts,
            self.buffers if buffers is None else buffers,
            self.limits,
            self.numbers,
            self.tables,
        )

    def need(self, number: int, sizes: np.ndarray) -> Buffers:
        """Return a buffer of each chunk, with at least *sizes* bytes.

        Raises:
            FormatError: For a chunk that has less, or no such buffer.
        """
        if number >= len(self.buffers):
            raise self.refused(0, f"{len(self.buffers)} buffers", f"more than {number}")
        found = self.buffers[number]
        self.check(found.sizes >= sizes, lambda i: (f"{found.sizes[i]} bytes", f"{sizes[i]}"))
        return found

    def check(self, sound: np.ndarray, said: Callable[[int], tuple[str, str]]) -> None:
        """Refuse the first chunk that is not *sound*; *said* returns what was found and wanted."""
        if not sound.all():
            chunk = int(np.argmin(sound))
            found, wanted = said(chunk)
            raise self.refused(chunk, found, wanted)

    def check_size(self, size: int) -> None:
        """Refuse *size* bytes of values if limits do not allow that many in one compressed part."""
        most = self.limits.decompressed_size
        if size > most:
            wanted = f"at most {most} (limits.decompressed_size)"
            raise LimitExceeded(self.path, None, f"{size} bytes", wanted)

    def refused(self, chunk: int, found: object, wanted: str) -> FormatError:
        """Return the error about a chunk."""
        place = int(self.places[chunk]) if chunk < len(self.places) else None
        return FormatError(self.path_of(chunk), place, found, wanted)

    def path_of(self, chunk: int) -> str:
        """Return the name of a chunk in errors."""
        number = chunk if self.numbers is None or not len(self.numbers) else self.numbers[chunk]
        return f"{self.path}[{number}]"


def bytes_of(data: bytes | memoryview) -> np.ndarray:
    """Return bytes as an array."""
    return np.frombuffer(data, np.uint8)
