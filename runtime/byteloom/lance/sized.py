"""Bytes with their size in front: messages, and what a general codec compressed.

- A message has 32 bits of size, as in manifests and in files of version 0.1.
- LZ4 is a block after 32 bits of size.  Zstandard is a frame after 64 bits of size, or alone.
- The size is compared with the limit before what follows is read or allocated.

Source: specs/lance/tail.ksy, https://lance.org/format/file/encoding/#general
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from byteloom.codecs.compression import ZSTD_MAGIC, decompress_sized
from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported
from byteloom_generated.lance.encodings21 import CompressionScheme
from byteloom_generated.lance.tail import FramedMessage

if TYPE_CHECKING:
    from byteloom.codecs.compression import Codec
    from byteloom.limits import Limits

__all__ = ["WIDTHS", "decompressed", "read_framed"]

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


_SIZE: Final = FramedMessage.MIN_SIZE
"""Bytes of the size of a message."""


class _Ranged(Protocol):
    def read(self, offset: int, length: int) -> bytes:
        """Return exactly *length* bytes from *offset* on."""


def read_framed(
    source: _Ranged, offset: int, end: int, path: str, limits: Limits
) -> tuple[bytes, int]:
    """Return a message that has its size in front, and the offset of the message.

    Args:
        offset: Offset of the size.
        end: Upper bound of the end of the message.
        path: Its name in errors.

    Raises:
        Truncated: Bytes are missing.
        LimitExceeded: For more than ``limits.metadata_size`` bytes.
    """
    if not 0 <= offset <= end - _SIZE:
        raise Truncated(
            f"{path}.len_message", offset, f"byte {offset}", f"{_SIZE} bytes before {end}"
        )
    size = int.from_bytes(source.read(offset, _SIZE), "little")
    if size > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise LimitExceeded(f"{path}.len_message", offset, size, wanted)
    stored = source.read(offset, min(_SIZE + size, end - offset))
    try:
        message = FramedMessage.from_bytes(stored, limits=limits, origin=offset).message
    except FormatError as error:
        error.inside(path)
        raise
    return message, offset + _SIZE
