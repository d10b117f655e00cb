"""Compress the payload of a block as HBase does, for its readers.

- GZ is one gzip member, BZIP2 one stream.  The others go into Hadoop's framing: the size of all,
  then chunks (none for an empty payload), and a size of 0 last if there is more than one chunk.
- ZSTD is framed too, as HBase's own two modules write it.
- A chunk has 256 KiB minus the bytes that Hadoop reserves for what a codec may add.

Source: specs/hfile/framing.ksy
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from isal import isal_zlib

from byteloom.errors import ArgumentError
from byteloom.late import cramjam, lzallright, zstandard
from byteloom_generated.hfile.framing import Chunk, Framing

__all__ = ["compress"]

_Data: TypeAlias = "bytes | memoryview"

_CHUNK: Final = (1 << 18) - (1 << 18) // 6 - 32
"""Bytes of a chunk before it is compressed."""

_LZO_CHUNK: Final = 1 << 15
"""The same for LZO: HBase's codec rejects what lzallright makes of more than 64 KiB."""

_GZIP: Final = 31
"""The value by which zlib makes a gzip member with a window of 32 KiB."""

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
        if codec in _WHOLE:
            return _WHOLE[codec](data, level)
        return _framed(data, codec, level)
    except (ValueError, TypeError, OverflowError) as error:
        raise ArgumentError("level", None, level, f"a level that {codec} has") from error


def _framed(data: _Data, codec: str, level: int | None) -> bytes:
    encode, size = _CHUNKED[codec], _LZO_CHUNK if codec == "LZO" else _CHUNK
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
    import bz2

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
_WHOLE: Final[dict[str, _Encoder]] = {"NONE": _none, "GZ": _gzip, "BZIP2": _bzip2}
_CHUNKED: Final[dict[str, _Encoder]] = {
    "SNAPPY": _snappy,
    "LZ4": _lz4,
    "ZSTD": _zstd,
    "BROTLI": _brotli,
    "LZO": _lzo,
}
