"""Bytes compressed by a general codec, with their size in front.

- LZ4 is a block after 32 bits of size.  Zstandard is a frame after 64 bits of size, or alone.
- The size is compared with the limit before anything is allocated.

Source: https://lance.org/format/file/encoding/#general
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.codecs.compression import ZSTD_MAGIC, decompress_sized
from byteloom.errors import FormatError, Unsupported
from byteloom_generated.lance.encodings21 import CompressionScheme

if TYPE_CHECKING:
    from byteloom.codecs.compression import Codec
    from byteloom.limits import Limits

__all__ = ["WIDTHS", "decompressed"]

WIDTHS: Final = {"lz4": 4, "zstd": 8}
"""Bytes of the size in front of the compressed bytes, by codec."""

_CODECS: Final[dict[int, Codec]] = {
    CompressionScheme.COMPRESSION_ALGORITHM_LZ4: "lz4",
    CompressionScheme.COMPRESSION_ALGORITHM_ZSTD: "zstd",
}


def decompressed(scheme: int, data: memoryview, limits: Limits, path: str, at: int) -> bytes:
    """Return *data*, decompressed.

    Args:
        scheme: A `CompressionScheme`.
        path: Its name in errors.
        at: Where it is in the file.

    Raises:
        FormatError: For damage.
        LimitExceeded: It takes more than the limits allow.
        Unsupported: For another scheme.
    """
    if scheme not in _CODECS:
        wanted = "LZ4 (1) or Zstandard (2)"
        raise Unsupported(f"{path}.compression.scheme", at, scheme, wanted)
    codec = _CODECS[scheme]
    width = WIDTHS[codec]
    if codec == "zstd" and bytes(data[: len(ZSTD_MAGIC)]) == ZSTD_MAGIC:
        return decompress_sized(codec, data, None, limits=limits, name=path, offset=at)
    if len(data) < width:
        raise FormatError(path, at, f"{len(data)} bytes", f"{width} bytes of size, and more")
    size = int.from_bytes(data[:width], "little")
    return decompress_sized(codec, data[width:], size, limits=limits, name=path, offset=at)
