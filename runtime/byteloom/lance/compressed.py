"""Bytes that a general codec has compressed, after their size.

- LZ4 is a block after 32 bits of size.  Zstandard is a frame after 64 bits of size, or alone.
- The size is compared with the limit before anything is allocated.

Source: https://lance.org/format/file/encoding/#general
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.compression import decompress_sized
from byteloom.errors import FormatError, Unsupported
from byteloom_generated.lance.encodings21 import CompressionScheme

if TYPE_CHECKING:
    from byteloom.compression import Codec
    from byteloom.limits import Limits

__all__ = ["decompressed"]

_CODECS: Final[dict[int, tuple[Codec, int]]] = {
    CompressionScheme.COMPRESSION_ALGORITHM_LZ4: ("lz4", 4),
    CompressionScheme.COMPRESSION_ALGORITHM_ZSTD: ("zstd", 8),
}
"""For each scheme its codec, and the bytes of the size."""

_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


def decompressed(scheme: int, data: memoryview, limits: Limits, path: str, at: int) -> bytes:
    """Return what *data* was before it was compressed.

    scheme  a `CompressionScheme`
    path    what errors call it
    at      where it is in the file
    raises  `FormatError` for damage, `LimitExceeded`, and `Unsupported` for another scheme
    """
    if scheme not in _CODECS:
        wanted = "LZ4 (1) or Zstandard (2)"
        raise Unsupported(f"{path}.compression.scheme", at, scheme, wanted)
    codec, width = _CODECS[scheme]
    if codec == "zstd" and bytes(data[: len(_ZSTD_MAGIC)]) == _ZSTD_MAGIC:
        return decompress_sized(codec, data, None, limits=limits, name=path, offset=at)
    if len(data) < width:
        raise FormatError(path, at, f"{len(data)} bytes", f"{width} bytes of size, and more")
    size = int.from_bytes(data[:width], "little")
    return decompress_sized(codec, data[width:], size, limits=limits, name=path, offset=at)
