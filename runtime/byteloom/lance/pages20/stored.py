"""Bytes of buffers: fetched in ranges where few are wanted, and whole where most are.

- A buffer that was fetched whole is kept as long as its page is, and given to Arrow without a copy.
- A buffer that has to be decoded as a whole (`Derived`) is decoded when its first byte is wanted:
  one that is compressed, or integers of fewer bits.
- Release 0.12.3 stored some buffers uncompressed under the name of a codec; only their size shows
  it.

Source: specs/lance/SOURCE.md, https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.codecs.compression import ZSTD_MAGIC
from byteloom.errors import FormatError, Truncated, Unsupported, count_of_bytes
from byteloom.lance.buffered_file import BufferedFile
from byteloom.lance.pages21.integers import unpack_into
from byteloom.lance.sized import WIDTHS, decompressed
from byteloom.storage.sources import LocalSource
from byteloom_generated.lance.bit_packing import INTEGERS
from byteloom_generated.lance.encodings21 import CompressionScheme

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["Derived", "InFile", "Stored", "inflated", "unpacked_chunks"]

_SMALL: Final = 1 << 16
"""Buffers up to this size are always fetched whole."""

_SHARE: Final = 8
"""Ranges are fetched if they are a smaller share of all bytes than one in this number."""

_RANGE: Final = 4096
"""Bytes whose transfer costs as much as a request for a range."""

_WORDS: Final = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Stored:
    """Bytes that can be read when they are needed.

    path  their name in errors
    at    offset in the file of the bytes, or of those that they are made from
    size  number of bytes
    """

    path: str
    at: int
    size: int

    @property
    def place(self) -> tuple[str, int]:
        """Their name in errors, and their offset."""
        return self.path, self.at

    @property
    def is_here(self) -> bool:
        """Whether all bytes are in memory."""
        return True

    @cached_property
    def whole(self) -> pa.Buffer:
        """All of the bytes."""
        raise NotImplementedError

    def slice(self, start: int, stop: int) -> pa.Buffer:
        """Return the bytes from *start* up to *stop*.

        raises  `Truncated` where there are fewer
        """
        self._check(stop)
        return self.whole.slice(start, stop - start)

    def rows(self, rows: np.ndarray, width: int) -> pa.Buffer:
        """Return rows of *width* bytes each, by their numbers."""
        self._check((int(rows.max()) + 1) * width if len(rows) else 0)
        return pa.py_buffer(_rows(self.whole, rows, width))

    def ranges(self, starts: np.ndarray, sizes: np.ndarray) -> pa.Buffer:
        """Return bytes of many ranges, one after the other."""
        self._check(int((starts + sizes).max(initial=0)))
        data = memoryview(self.whole)
        pairs = zip(starts.tolist(), sizes.tolist(), strict=True)
        return pa.py_buffer(b"".join([data[start : start + size] for start, size in pairs]))

    def _check(self, stop: int) -> None:
        if stop > self.size:
            found = count_of_bytes(self.size)
            raise Truncated(self.path, self.at, found, f"at least {count_of_bytes(stop)}")


class InFile(Stored):
    """A buffer of a file."""

    def __init__(self, source: Source, offset: int, size: int, path: str) -> None:
        """Read nothing yet."""
        self._source, self.at, self.size, self.path = source, offset, size, path

    @property
    def is_here(self) -> bool:
        """Whether it was fetched whole."""
        return "whole" in self.__dict__

    @cached_property
    def whole(self) -> pa.Buffer:
        """All of its bytes."""
        return fetched(self._source, self.at, self.size)

    def slice(self, start: int, stop: int) -> pa.Buffer:
        """Return the bytes from *start* up to *stop*."""
        if self.is_here or self.size <= _SMALL or 2 * (stop - start) >= self.size:
            return super().slice(start, stop)
        self._check(stop)
        return fetched(self._source, self.at + start, stop - start)

    def rows(self, rows: np.ndarray, width: int) -> pa.Buffer:
        """Return rows of *width* bytes each, by their numbers."""
        if not self._pays(len(rows), len(rows) * width):
            return super().rows(rows, width)
        self._check((int(rows.max()) + 1) * width if len(rows) else 0)
        places = (self.at + rows * width).tolist()
        return self._joined([(place, width) for place in places])

    def ranges(self, starts: np.ndarray, sizes: np.ndarray) -> pa.Buffer:
        """Return bytes of many ranges, one after the other."""
        if not self._pays(len(starts), int(sizes.sum())):
            return super().ranges(starts, sizes)
        self._check(int((starts + sizes).max(initial=0)))
        return self._joined(list(zip((self.at + starts).tolist(), sizes.tolist(), strict=True)))

    def _pays(self, count: int, size: int) -> bool:
        """Whether fetching *count* ranges costs less than fetching all bytes."""
        if self.is_here or self.size <= _SMALL:
            return False
        return _SHARE * (size + count * _RANGE) < self.size

    def _joined(self, ranges: list[tuple[int, int]]) -> pa.Buffer:
        return pa.py_buffer(b"".join(self._source.read_ranges(ranges)))


class Derived(Stored):
    """Bytes that are made from other bytes, all at once.

    make  called when they are first needed; returns bytes of this *size*
    """

    def __init__(self, make: Callable[[], Any], size: int, path: str, at: int) -> None:
        """Set up the bytes; nothing is decoded yet."""
        self._make, self.size, self.path, self.at = make, size, path, at

    @cached_property
    def whole(self) -> pa.Buffer:
        """All of the bytes."""
        return pa.py_buffer(self._make())


def fetched(source: Source, offset: int, size: int) -> pa.Buffer:
    """Return bytes of a file; a local source reads them into Arrow's memory."""
    read_into = source.read_into if isinstance(source, BufferedFile | LocalSource) else None
    if read_into is None or not size:
        return pa.py_buffer(source.read(offset, size))
    out = pa.allocate_buffer(size)
    read_into(offset, memoryview(out).cast("B"))
    return out


def _rows(data: pa.Buffer, rows: np.ndarray, width: int) -> np.ndarray:
    words: np.ndarray
    if width in _WORDS:
        words = np.frombuffer(data, _WORDS[width], len(data) // width)
    else:
        whole = np.frombuffer(data, np.uint8, len(data) // width * width)
        words = whole.reshape(-1, width)
    taken: np.ndarray = words[rows]
    return taken


_SCHEMES: Final = {
    "zstd": CompressionScheme.COMPRESSION_ALGORITHM_ZSTD,
    "lz4": CompressionScheme.COMPRESSION_ALGORITHM_LZ4,
}
_PLAIN: Final = ("", "none")
_BYTE: Final = 8


def inflated(scheme: str, stored: Stored, size: int, limits: Limits) -> pa.Buffer | bytes:
    """Return the content of a buffer.

    Args:
        scheme: ``zstd``, ``lz4`` or ``none``.
        size: Bytes of the content.

    Raises:
        Unsupported: For another scheme.
        FormatError: For another size.
    """
    if scheme not in _SCHEMES and scheme not in _PLAIN:
        raise Unsupported(stored.path, stored.at, f"compression {scheme!r}", "zstd, lz4 or none")
    data: pa.Buffer | bytes = stored.whole
    view = memoryview(data).cast("B")
    if scheme in _SCHEMES and (len(data) != size or _is_coded(view)):
        data = decompressed(_SCHEMES[scheme], view, limits, stored.path, stored.at)
    if len(data) != size:
        found = f"{count_of_bytes(len(data))} when decompressed"
        raise FormatError(stored.path, stored.at, found, count_of_bytes(size))
    return data


def _is_coded(data: memoryview) -> bool:
    """Whether bytes with the size of their content begin like compressed ones."""
    sized, width = data[WIDTHS["zstd"] :], WIDTHS["lz4"]
    heads = {bytes(each[: len(ZSTD_MAGIC)]) for each in (data, sized)}
    return ZSTD_MAGIC in heads or (
        len(data) >= width and int.from_bytes(data[:width], "little") == len(data)
    )


def unpacked_chunks(stored: Stored, count: int, width: int, bits: int) -> np.ndarray:
    """Return *count* integers of *bits* bits as bytes, of which *width* bits are stored."""
    chunks = -(-count // INTEGERS)
    size = INTEGERS * width // _BYTE
    words = np.frombuffer(stored.slice(0, chunks * size), f"<u{bits // _BYTE}")
    numbers = np.arange(chunks, dtype=np.int64)
    out = np.empty(chunks * INTEGERS, words.dtype)
    places = numbers * (size // (bits // _BYTE))
    unpack_into(bits, words, places, np.full(chunks, width), out, numbers * INTEGERS)
    return out[:count].view(np.uint8)
