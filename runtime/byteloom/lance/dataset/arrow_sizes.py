"""What the batches of an Arrow file take in memory, before any of them is decompressed.

- The footer of the file, and the metadata of each message, are FlatBuffers: tables whose fields are
  at offsets that a small table of theirs lists, and vectors of structs.
- Each buffer of a compressed batch begins with its size, as 64 bits; -1 marks one that is stored
  raw.

Source: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
"""

from __future__ import annotations

import struct
from struct import calcsize, unpack_from
from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["buffer_sizes"]

_BATCHES: Final = 3
"""The field of a footer that has the places of batches."""

_HEADER: Final = 2
"""The field of a message that has its header."""

_BUFFERS: Final = 2
_COMPRESSION: Final = 3
"""Fields of a record batch."""

_TAIL: Final = 10
"""Bytes of the length of the footer, and of the magic."""

_PREFIX: Final = 8
"""Bytes of the size that a compressed buffer begins with."""

_RAW: Final = -1


def buffer_sizes(data: pa.Buffer) -> Iterator[int]:
    """Yield the bytes that each buffer of each record batch of an Arrow file takes in memory.

    Raises:
        ValueError: For damage, and what pyarrow raises.
    """
    try:
        for offset, size in _batches(data):
            message = pa.ipc.read_message(data[offset : offset + size])
            yield from _sizes(bytes(message.metadata), message.body)
    except struct.error as problem:
        raise ValueError("fields outside of their table") from problem
    except EOFError as problem:
        raise ValueError("a batch without a message") from problem


def _batches(data: pa.Buffer) -> Iterator[tuple[int, int]]:
    """Yield the offset and the size of each record batch, by the footer."""
    (length,) = unpack_from("<i", data, data.size - _TAIL)
    start = data.size - _TAIL - length
    if not 0 <= start <= data.size - _TAIL:
        raise ValueError("a footer outside of the file")
    footer = bytes(data[start : data.size - _TAIL])
    field = _field(footer, _follow(footer, 0), _BATCHES)
    for at in _items(footer, field, "<qiiq"):
        offset, metadata, _, body = unpack_from("<qiiq", footer, at)
        size = metadata + body
        if not 0 <= offset <= offset + size <= data.size:
            raise ValueError("a batch outside of the file")
        yield offset, size


def _sizes(metadata: bytes, body: pa.Buffer) -> Iterator[int]:
    """Yield the sizes of the buffers of a message with a record batch."""
    header = _field(metadata, _follow(metadata, 0), _HEADER)
    if header is None:
        raise ValueError("a message without a header")
    batch = _follow(metadata, header)
    is_compressed = _field(metadata, batch, _COMPRESSION) is not None
    for at in _items(metadata, _field(metadata, batch, _BUFFERS), "<qq"):
        offset, size = unpack_from("<qq", metadata, at)
        if not 0 <= offset <= offset + size <= body.size:
            raise ValueError("a buffer outside of its message")
        if is_compressed and size:
            (whole,) = unpack_from("<q", body, offset)
            size = size - _PREFIX if whole == _RAW else whole
        if size < 0:
            raise ValueError("a buffer of negative size")
        yield size


def _items(data: bytes, field: int | None, layout: str) -> range:
    """The places of the structs of a vector; nothing where the field is absent."""
    if field is None:
        return range(0)
    vector = _follow(data, field)
    (count,) = unpack_from("<I", data, vector)
    width = calcsize(layout)
    return range(vector + 4, vector + 4 + count * width, width)


def _follow(data: bytes, at: int) -> int:
    """The place that the offset at a place leads to."""
    (offset,) = unpack_from("<I", data, at)
    return at + int(offset)


def _field(data: bytes, table: int, number: int) -> int | None:
    """The place of a field of a table; None where it is absent."""
    (back,) = unpack_from("<i", data, table)
    listed = table - int(back)
    if listed < 0:
        raise ValueError("a table outside of its message")
    (size,) = unpack_from("<H", data, listed)
    at = 4 + 2 * number
    if at + 2 > size:
        return None
    (offset,) = unpack_from("<H", data, listed + at)
    return table + int(offset) if offset else None
