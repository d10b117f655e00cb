"""What lies where in an ORC file: its types, its stripes and the streams of these.

The rules:

- The file is read from its end: postscript, footer, and the footers of stripes that are asked for.
- What is compressed is a run of chunks, each with its size and whether it was left as it was.
- Every length is held against what is there before anything is read.

Source: https://orc.apache.org/specification/ORCv1/
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.iceberg.types import MAX_DECIMAL_PRECISION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["OrcLayout", "Stream", "Stripe", "Type", "messages"]

_NONE: Final = 0
_HEADER: Final = 3
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_MAX_SHIFT: Final = 63
_DIGITS: Final = {5: "precision", 6: "scale"}


@dataclass(frozen=True, slots=True)
class Type:
    """A type of the schema, which are numbered depth first.

    kind   ORC's number of it
    inner  the numbers of the types inside
    place  where in the footer its kind stands
    """

    kind: int
    inner: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Stripe:
    """Where a stripe and its footer lie."""

    offset: int
    footer: int
    footer_size: int
    rows: int


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes of one column in a stripe."""

    kind: int
    column: int
    offset: int
    size: int


class OrcLayout:
    """The layout of a file.

    footer    its bytes, decompressed
    start     where it lies in the file, compressed
    types     of all columns; 0 is the row
    writer_version  of the rules that its writer followed
    stripes   in their order
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        """Read the end of the file; `FormatError` for a damaged one."""
        self._source, self._limits = source, limits
        tail = source.read_tail(256)
        size = tail[-1] if tail else 0
        if size >= len(tail):
            raise Truncated("orc.postscript", source.size, f"{len(tail)} bytes", f"{size + 1}")
        self.postscript = tail[-1 - size : -1]
        told = dict(messages(self.postscript))
        self.codec, self.chunk = _number(told, 2), _number(told, 3, 262144)
        self.writer_version, self._statistics = _number(told, 6), _number(told, 5)
        length = _number(told, 1)
        self.start = source.size - 1 - size - length
        self.footer = self.plain(source.read(self.start, length))
        self.types, self.stripes = _types(self.footer), _stripes(self.footer)

    def plain(self, data: bytes) -> bytes:
        """Return what *data* holds, decompressed."""
        return data if self.codec == _NONE else b"".join(self._chunks(data))

    def statistics(self) -> list[list[bytes]]:
        """Return a message for each column of each stripe; none where there are no statistics."""
        if not self._statistics:
            return []
        data = self.plain(self._source.read(self.start - self._statistics, self._statistics))
        return [
            [each for key, each in messages(value) if key == 1 and isinstance(each, bytes)]
            for number, value in messages(data)
            if number == 1 and isinstance(value, bytes)
        ]

    def streams(self, stripe: Stripe) -> tuple[list[Stream], list[int], str]:
        """Return the streams of a stripe, how its columns are encoded, and its writer's zone."""
        data = self.plain(self._source.read(stripe.footer, stripe.footer_size))
        at, streams, encodings, zone = stripe.offset, [], [], ""
        for number, value in messages(data):
            if number == 1:
                told = dict(messages(value))
                size = _number(told, 3)
                streams.append(Stream(_number(told, 1), _number(told, 2), at, size))
                at += size
            elif number == 2:  # noqa: PLR2004  the fields of a stripe's footer
                encodings.append(_number(dict(messages(value)), 1))
            elif number == 3:  # noqa: PLR2004
                zone = bytes(value).decode(errors="replace")
        return streams, encodings, zone

    def stream(self, stream: Stream) -> bytes:
        """Return the bytes of a stream, decompressed."""
        return self.plain(self._source.read(stream.offset, stream.size))

    def _chunks(self, data: bytes) -> Iterator[bytes]:
        """The chunks of compressed bytes."""
        undo = _CODECS.get(self.codec)
        if undo is None:
            raise Unsupported("orc.compression", None, f"codec {self.codec}", "zlib, snappy, zstd")
        if self.chunk > self._limits.decompressed_size:
            raise LimitExceeded("orc.chunk", None, self.chunk, "limits.decompressed_size")
        at = 0
        while at < len(data):
            header = int.from_bytes(data[at : at + _HEADER], "little")
            start, at = at + _HEADER, at + _HEADER + (header >> 1)
            if at > len(data):
                raise Truncated("orc.chunk", None, f"{len(data) - start} bytes", f"{header >> 1}")
            chunk = data[start:at]
            try:
                yield chunk if header & 1 else undo(chunk, self.chunk)
            except Exception as error:  # each codec library has its own
                raise FormatError("orc.chunk", None, str(error), "data of its codec") from error


def messages(data: Any) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a protobuf message: number, and an integer or bytes.

    FormatError  what is no message
    """
    for number, value, _ in _placed(data):
        yield number, value


def _placed(data: Any) -> Iterator[tuple[int, Any, int]]:
    """The same, with the place where each value begins."""
    if not isinstance(data, bytes):
        raise FormatError("orc.footer", None, repr(data)[:40], "a message")
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        place = at
        if key & 7 == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value, place
            continue
        size = {_FIXED_64: 8, _FIXED_32: 4}.get(key & 7)
        if key & 7 == _BYTES:
            size, place = _varint(data, at)
        if size is None or place + size > len(data):
            raise FormatError("orc.footer", at, f"a field of type {key & 7}", "one inside it")
        at = place + size
        yield key >> 3, data[place:at], place


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, and one past its end."""
    value = shift = 0
    while at < len(data) and shift <= _MAX_SHIFT:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 1 << 7:
            return value, at
        shift += 7
    raise Truncated("orc.footer", at, "a number that does not end", "a whole one")


def _number(told: dict[int, Any], number: int, default: int = 0) -> int:
    """An integer field."""
    value = told.get(number, default)
    if not isinstance(value, int):
        raise FormatError("orc.footer", None, repr(value)[:40], "a number")
    return value


def _types(footer: bytes) -> list[Type]:
    """The types, and where their kinds stand."""
    found: list[Type] = []
    for number, value, place in _placed(footer):
        if number != 4:  # noqa: PLR2004  the field of types
            continue
        kind, at, inner = 0, -1, []
        for key, each, inside in _placed(value):
            if key == 1:
                kind, at = each, place + inside
            elif key == 2:  # noqa: PLR2004  the numbers of types inside, packed or not
                inner += [each] if isinstance(each, int) else _packed(each)
            elif key in _DIGITS and not (isinstance(each, int) and each <= MAX_DECIMAL_PRECISION):
                # The library would end the whole process over it.
                told, most = f"{_DIGITS[key]} {each!r}", f"at most {MAX_DECIMAL_PRECISION}"
                raise FormatError(f"orc.types[{len(found)}]", None, told, most)
        found.append(Type(kind, tuple(inner), at))
    return found


def _packed(data: bytes) -> list[int]:
    """Numbers one behind the other."""
    at, found = 0, []
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def _stripes(footer: bytes) -> list[Stripe]:
    """Where the stripes lie."""
    found = []
    for number, value in messages(footer):
        if number == 3:  # noqa: PLR2004  the field of stripes
            told = dict(messages(value))
            offset = _number(told, 1)
            end = offset + _number(told, 2) + _number(told, 3)
            found.append(Stripe(offset, end, _number(told, 4), _number(told, 5)))
    return found


def _zlib(data: bytes, most: int) -> bytes:
    """Raw deflate."""
    return zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(data, most)


def _snappy(data: bytes, most: int) -> bytes:
    """Raw Snappy."""
    import cramjam

    if cramjam.snappy.decompress_raw_len(data) > most:
        raise ValueError("a chunk that is too large")
    return bytes(cramjam.snappy.decompress_raw(data))


def _lz4(data: bytes, most: int) -> bytes:
    """An LZ4 block."""
    import lz4.block

    return bytes(lz4.block.decompress(data, uncompressed_size=most))


def _zstd(data: bytes, most: int) -> bytes:
    """A Zstandard frame."""
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(data).read(most)


_CODECS: Final[dict[int, Callable[[bytes, int], bytes]]] = {
    1: _zlib,
    2: _snappy,
    4: _lz4,
    5: _zstd,
}
