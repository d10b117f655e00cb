"""Compressed bytes of an ORC file: chunks, each with its size and whether it is stored plain.

Source: https://orc.apache.org/specification/ORCv1/ ("Compression")
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from byteloom.errors import (
    FormatError,
    LimitExceeded,
    Truncated,
    Unsupported,
    count_of_bytes,
    found_by,
)
from byteloom.late import cramjam, lz4_block, zstandard
from byteloom_generated.orc.chunks import Chunk
from byteloom_generated.orc.messages import CompressionKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.limits import Limits
    from byteloom_generated.orc.messages import PostScript

__all__ = ["as_chunks", "parts", "plain"]

_HEADER: Final = Chunk.MIN_SIZE


def plain(data: bytes, postscript: PostScript, limits: Limits, most: int | None = None) -> bytes:
    """Return *data*, decompressed by the codec that the postscript names.

    most           most bytes of the result; None for ``limits.decompressed_size``
    LimitExceeded  the result has more bytes than that
    """
    if postscript.compression == CompressionKind.NONE:
        return data
    held, size = [], 0
    for each in parts(data, postscript, limits):
        held.append(each)
        size += len(each)
        if size > (limits.decompressed_size if most is None else most):
            name = "decompressed_size" if most is None else "metadata_size"
            found = f"more than {size - len(each)} bytes when decompressed"
            wanted = f"at most {getattr(limits, name)} (limits.{name})"
            raise LimitExceeded("orc.chunk", None, found, wanted)
    return b"".join(held)


def parts(data: bytes, postscript: PostScript, limits: Limits) -> Iterator[bytes]:
    """Yield *data* a chunk at a time, decompressed by the codec that the postscript names."""
    if postscript.compression == CompressionKind.NONE:
        return iter([data])
    return _chunks(data, postscript.compression, postscript.compressionBlockSize, limits)


def as_chunks(data: bytes, postscript: PostScript) -> bytes:
    """Return *data* as chunks stored plain, or unchanged if the file is not compressed."""
    if postscript.compression == CompressionKind.NONE:
        return data
    size = postscript.compressionBlockSize
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(Chunk(is_original=True, data=each).to_bytes() for each in parts)


def _chunks(data: bytes, codec: int, most: int, limits: Limits) -> Iterator[bytes]:
    """Yield the chunks of compressed bytes, decompressed, each of at most *most* bytes."""
    undo = _CODECS.get(codec)
    if undo is None:
        raise Unsupported("orc.compression", None, f"codec {codec}", "zlib, snappy, zstd")
    if most > limits.decompressed_size:
        wanted = f"at most {limits.decompressed_size} (limits.decompressed_size)"
        raise LimitExceeded("orc.chunk", None, f"chunks of {most} bytes", wanted)
    at = 0
    while at < len(data):
        header = int.from_bytes(data[at : at + _HEADER], "little")
        start, at = at + _HEADER, at + _HEADER + (header >> 1)
        if at > len(data):
            raise Truncated("orc.chunk", None, f"{len(data) - start} bytes", f"{header >> 1}")
        yield data[start:at] if header & 1 else _undone(undo, data[start:at], most)


def _undone(undo: Callable[[bytes, int], bytes], chunk: bytes, most: int) -> bytes:
    """Return a chunk decompressed."""
    try:
        found = undo(chunk, most)
    except Exception as error:  # each codec library has its own errors
        said = found_by("data that its codec cannot decompress", error)
        raise FormatError("orc.chunk", None, said, "data of its codec") from error
    if len(found) > most:
        found_more = f"more than {count_of_bytes(most)} when decompressed"
        raise FormatError("orc.chunk", None, found_more, f"at most {most}")
    return found


def _zlib(data: bytes, most: int) -> bytes:
    """Decompress raw deflate; content of more than *most* bytes is cut one byte after them."""
    stream = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    content = stream.decompress(data, most + 1)
    if not stream.eof and len(content) <= most:
        raise ValueError("a stream that does not end")
    return content


def _snappy(data: bytes, most: int) -> bytes:
    """Decompress raw Snappy."""
    if cramjam.snappy.decompress_raw_len(data) > most:
        raise ValueError("a chunk that is too large")
    return bytes(cramjam.snappy.decompress_raw(data))


def _lz4(data: bytes, most: int) -> bytes:
    """Decompress an LZ4 block."""
    return bytes(lz4_block.decompress(data, uncompressed_size=most))


def _zstd(data: bytes, most: int) -> bytes:
    """Decompress a Zstandard frame."""
    if zstandard.frame_content_size(data) > most:
        raise ValueError("a chunk that is too large")
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=most)


_CODECS: Final[dict[int, Callable[[bytes, int], bytes]]] = {
    CompressionKind.ZLIB: _zlib,
    CompressionKind.SNAPPY: _snappy,
    CompressionKind.LZ4: _lz4,
    CompressionKind.ZSTD: _zstd,
}
