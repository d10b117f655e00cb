"""The codecs of payloads: decompress a block into the size that its header says, and compress one.

- The size is known, and no codec is given more room than that.  A payload that gives more or fewer
  bytes is refused.
- GZ is one gzip member, BZIP2 one stream.  The others go into Hadoop's framing: groups of chunks,
  each group after its decompressed size.  ZSTD occurs with and without it under one number; the
  magic of its frames shows which.
- Written is what HBase writes: one group (of no chunk for an empty payload), a size of 0 last if
  there is more than one chunk, and 256 KiB a chunk, minus the bytes that Hadoop reserves for what a
  codec may add.  ZSTD is framed, as HBase's own two modules write it.
- A codec gets only the payload: other readers have failed on the checksums after it.

Source: specs/hfile/framing.ksy
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from isal import isal_zlib

from byteloom.codecs.compression import ZSTD_MAGIC
from byteloom.errors import ArgumentError, FormatError, Unsupported, count_of_bytes, found_by
from byteloom.late import cramjam, lzallright, zstandard
from byteloom_generated.hfile.framing import Chunk, Framing
from byteloom_generated.hfile.messages import Codec

__all__ = ["CODECS", "compress", "fill"]

CODECS: Final = tuple(each.name for each in Codec)
"""Names of the codecs; the trailer has their numbers, from 0 on."""

_Data: TypeAlias = "bytes | memoryview"
_Decoder: TypeAlias = "Callable[[_Data, memoryview], int]"

_GZIP: Final = 31
"""The value by which zlib reads and writes a gzip member with a window of 32 KiB."""


def fill(codec: str, data: _Data, out: memoryview) -> None:
    """Fill *out* with the content of *data*.

    Args:
        codec: One of `CODECS` other than NONE.

    Raises:
        Unsupported: For LZMA.
        FormatError: For damage, and for content of another size.
    """
    try:
        written = _fill(codec, data, out)
    except FormatError:
        raise
    except Exception as error:  # each library has its own errors, and some raise any type
        found = found_by("data that the codec cannot decompress", error)
        raise FormatError("payload", None, found, f"{len(out)} bytes in {codec}") from error
    if written != len(out):
        raise FormatError("payload", None, f"{written} bytes in {codec}", f"{len(out)} bytes")


def _fill(codec: str, data: _Data, out: memoryview) -> int:
    if codec == "ZSTD" and bytes(data[:4]) == ZSTD_MAGIC:
        return _zstd_into(data, out)
    if codec in _DECODERS:
        return _DECODERS[codec](data, out)
    if codec in _CHUNK_DECODERS:
        return _framed_into(data, out, _CHUNK_DECODERS[codec])
    raise Unsupported(
        "compression_codec", None, codec, f"one of {', '.join((*_DECODERS, *_CHUNK_DECODERS))}"
    )


def _framed_into(data: _Data, out: memoryview, decode: _Decoder) -> int:
    """Fill *out* from the groups of chunks in Hadoop's framing; return the number of bytes."""
    at = done = 0
    while at < len(data):
        group_end = done + _size(Framing, data, at)
        at += Framing.MIN_SIZE
        if group_end > len(out):
            raise FormatError("len_group", None, group_end - done, f"at most {len(out) - done}")
        while done < group_end:
            size = _size(Chunk, data, at)
            at += Chunk.MIN_SIZE
            if not 0 < size <= len(data) - at:
                raise _refusal(Chunk, data, at - Chunk.MIN_SIZE)
            written = decode(data[at : at + size], out[done:group_end])
            if written == 0:
                raise FormatError(
                    "chunk", None, "a chunk of 0 bytes", "chunks that fill their group"
                )
            at, done = at + size, done + written
    return done


def _size(record: type[Framing | Chunk], data: _Data, at: int) -> int:
    """Return the size that a group or a chunk begins with."""
    end = at + record.MIN_SIZE
    if end > len(data):
        raise _refusal(record, data, at)
    return int.from_bytes(data[at:end], "big")


def _refusal(record: type[Framing | Chunk], data: _Data, at: int) -> FormatError:
    """Return the error that the record class raises for the bytes from *at* on."""
    try:
        record.from_bytes(bytes(data[at:]))
    except FormatError as error:
        return error
    return FormatError(record.NAME, None, "a record", "malformed bytes")


def _gzip_into(data: _Data, out: memoryview) -> int:
    inflate = isal_zlib.decompressobj(wbits=_GZIP)
    # One extra byte of room distinguishes content that is too long from content that fits.
    content = inflate.decompress(data, len(out) + 1)
    found = ""
    if len(content) > len(out):
        found = f"more than {count_of_bytes(len(out))} when decompressed"
    elif not inflate.eof:
        found = f"a gzip member whose end is missing, after {count_of_bytes(len(content))}"
    elif inflate.unused_data:
        found = f"{count_of_bytes(len(inflate.unused_data))} after the gzip member"
    if found:
        raise FormatError("payload", None, found, f"one gzip member of {count_of_bytes(len(out))}")
    out[: len(content)] = content
    return len(content)


def _bzip2_into(data: _Data, out: memoryview) -> int:
    stream = bz2.BZ2Decompressor()
    content = stream.decompress(data, len(out) + 1)
    if len(content) > len(out) or (not stream.eof and stream.decompress(b"", 1)):
        size = count_of_bytes(len(out))
        found = f"more than {size} when decompressed"
        raise FormatError("payload", None, found, f"a bzip2 stream of {size}")
    out[: len(content)] = content
    return len(content)


def _zstd_into(data: _Data, out: memoryview) -> int:
    return cramjam.zstd.decompress_into(data, out) if len(out) else 0


def _snappy_into(data: _Data, out: memoryview) -> int:
    return cramjam.snappy.decompress_raw_into(data, out)


def _lz4_into(data: _Data, out: memoryview) -> int:
    return cramjam.lz4.decompress_block_into(data, out)


def _brotli_into(data: _Data, out: memoryview) -> int:
    return cramjam.brotli.decompress_into(data, out)


def _lzo_into(data: _Data, out: memoryview) -> int:
    content = lzallright.LZOCompressor.decompress(bytes(data), len(out))
    if len(content) > len(out):
        raise FormatError("chunk", None, f"{len(content)} bytes", f"at most {len(out)}")
    out[: len(content)] = content
    return len(content)


_DECODERS: Final[dict[str, _Decoder]] = {"GZ": _gzip_into, "BZIP2": _bzip2_into}
_CHUNK_DECODERS: Final[dict[str, _Decoder]] = {
    "SNAPPY": _snappy_into,
    "LZ4": _lz4_into,
    "ZSTD": _zstd_into,
    "BROTLI": _brotli_into,
    "LZO": _lzo_into,
}


_CHUNK: Final = (1 << 18) - (1 << 18) // 6 - 32
"""Bytes of a chunk before it is compressed."""

_LZO_CHUNK: Final = 1 << 15
"""The same for LZO: HBase's codec rejects what lzallright makes of more than 64 KiB."""

_FAST: Final = 2
"""The level of isal whose compressed sizes are closest to zlib's."""


def compress(codec: str, data: _Data, level: int | None = None) -> bytes:
    """Return *data* compressed as a payload of *codec*.

    Args:
        level: On the codec's own scale; for GZ a level of zlib, or None to use isal instead.

    Raises:
        FormatError: For a level that the codec does not have.
    """
    try:
        if codec in _ENCODERS:
            return _ENCODERS[codec](data, level)
        return _framed(data, codec, level)
    except (ValueError, TypeError, OverflowError) as error:
        raise ArgumentError("level", None, level, f"a level that {codec} has") from error


def _framed(data: _Data, codec: str, level: int | None) -> bytes:
    encode, size = _CHUNK_ENCODERS[codec], _LZO_CHUNK if codec == "LZO" else _CHUNK
    out = bytearray(len(data).to_bytes(Framing.MIN_SIZE, "big"))
    view = memoryview(data)
    for at in range(0, len(data), size):
        chunk = encode(view[at : at + size], level)
        out += len(chunk).to_bytes(Chunk.MIN_SIZE, "big")
        out += chunk
    if len(data) > size:
        out += bytes(Framing.MIN_SIZE)
    return bytes(out)


def _none(data: _Data, _: int | None) -> Any:
    return data


def _gzip(data: _Data, level: int | None) -> bytes:
    if level is None:
        deflate: Any = isal_zlib.compressobj(_FAST, isal_zlib.DEFLATED, _GZIP)
    else:
        deflate = zlib.compressobj(level, zlib.DEFLATED, _GZIP)
    out = bytearray(deflate.compress(data) + deflate.flush())
    out[9] = 0  # HBase writes 0 for the operating system
    return bytes(out)


def _bzip2(data: _Data, level: int | None) -> bytes:
    return bz2.compress(data, 9 if level is None else level)


def _zstd(data: _Data, level: int | None) -> bytes:
    return zstandard.ZstdCompressor(level=3 if level is None else level).compress(data)


def _snappy(data: _Data, _: int | None) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def _lz4(data: _Data, _: int | None) -> bytes:
    return bytes(cramjam.lz4.compress_block(data, store_size=False))


def _brotli(data: _Data, level: int | None) -> bytes:
    return bytes(cramjam.brotli.compress(data, level=5 if level is None else level))


def _lzo(data: _Data, _: int | None) -> bytes:
    return lzallright.LZOCompressor().compress(bytes(data))


_Encoder: TypeAlias = "Callable[[_Data, int | None], bytes]"
_ENCODERS: Final[dict[str, _Encoder]] = {"NONE": _none, "GZ": _gzip, "BZIP2": _bzip2}
_CHUNK_ENCODERS: Final[dict[str, _Encoder]] = {
    "SNAPPY": _snappy,
    "LZ4": _lz4,
    "ZSTD": _zstd,
    "BROTLI": _brotli,
    "LZO": _lzo,
}
