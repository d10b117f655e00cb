"""Compressed parts of files: all calls of the codec libraries, with bounds on their memory.

The rules that hold for every codec:

- A frame says how large its content is, and the limit is checked against that before anything is
  allocated.  Content that turns out larger or smaller than that is refused.
- The input is one frame and nothing else: no second frame, no skippable frame, no bytes after it.
- Memory never holds more than the content itself.  (The libraries' own bounds do not suffice:
  zstandard ignores ``max_output_size`` where the frame declares a size.)
"""

from __future__ import annotations

from functools import cache
from threading import local
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported, found_by
from byteloom.late import lz4_block, lz4_frame, pa, zstandard
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from zstandard import ZstdDecompressor

__all__ = [
    "CODECS",
    "ZSTD_MAGIC",
    "Codec",
    "compress",
    "compress_block",
    "decompress",
    "decompress_sized",
    "zstd_frames",
]

Codec: TypeAlias = Literal["lz4", "zstd"]
"""``lz4`` is LZ4's frame format, ``zstd`` a Zstandard frame."""

_Data: TypeAlias = bytes | bytearray | memoryview

CODECS: Final[tuple[Codec, ...]] = get_args(Codec)

_LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
_LZ4_HAS_SIZE: Final = 0x08
_LZ4_HEADER: Final = 14
_LZ4_EMPTY: Final = _LZ4_MAGIC + bytes.fromhex("68 40 0000000000000000 05 00000000")
"""The frame of empty content that states its size: LZ4's own library leaves out a size of 0."""

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""The bytes with which every Zstandard frame begins."""

_ZSTD_LEVEL: Final = 3
_ZSTD_UNKNOWN: Final = (1 << 64) - 1
_AFTER: Final = b"\xa5" * 256
"""Bytes appended after the content, which no frame's own content ends with."""
_THREAD: Final = local()


def compress(codec: str, data: _Data) -> bytes:
    """Return *data* as one frame with its size and a checksum inside.

    codec   ``lz4`` or ``zstd`` (level 3)
    raises  `Unsupported` for another

    Source: https://iceberg.apache.org/puffin-spec/#compression-codecs
    """
    if codec == "lz4":
        return _compress_lz4(data)
    if codec == "zstd":
        return _compress_zstd(data)
    raise _unsupported(codec)


def compress_block(codec: str, data: _Data, level: int | None = None) -> bytes:
    """Return *data* as one LZ4 block, or as one Zstandard frame without a checksum.

    level  of Zstandard, 3 where it is None

    `decompress_sized` undoes this where it is given the size of *data*.
    """
    if codec == "lz4":
        block: bytes = lz4_block.compress(data, store_size=False)
        return block

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL if level is None else level).compress(data)


def decompress(  # noqa: PLR0913  what bounds it, and what an error speaks of
    codec: str,
    data: _Data,
    *,
    limits: Limits = DEFAULT_LIMITS,
    bound: Literal["decompressed_size", "metadata_size"] = "decompressed_size",
    name: str = "",
    offset: int | None = None,
) -> bytes:
    """Return the content of the one frame that *data* is.

    codec   ``lz4`` or ``zstd``
    limits  of these, the one named *bound* applies: ``metadata_size`` for what describes the rest
            of a file
    name    the field that errors name
    offset  where *data* starts in its file
    raises  `Unsupported` for another codec, `LimitExceeded`, and `FormatError` for anything but one
            whole frame that says its size
    """
    if codec not in _DECODERS:
        raise _unsupported(codec, name, offset)
    size_of, decode = _DECODERS[codec]
    try:
        size = size_of(data)
        if size > (most := getattr(limits, bound)):
            wanted = f"at most {most} (limits.{bound})"
            raise LimitExceeded("", None, f"{size} bytes when decompressed", wanted)
        return decode(data, size)
    except MemoryError as error:
        found = f"{size} bytes when decompressed"
        raise LimitExceeded(name, offset, found, "no more than this machine's memory") from error
    except FormatError as error:
        error.offset = offset
        raise error.inside(name) from error.__cause__


def decompress_sized(  # noqa: PLR0913  what bounds it, and what an error speaks of
    codec: Codec,
    data: _Data,
    size: int | None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    name: str = "",
    offset: int | None = None,
) -> bytes:
    """Return the content of one LZ4 block, or of one Zstandard frame that need not say its size.

    size    bytes of the content; None where only the frame can say, and may not
    name    the field that errors name
    offset  where *data* starts in its file
    raises  `LimitExceeded`, and `FormatError` for content that is not of this size
    """
    most = limits.decompressed_size
    try:
        if size is not None and size > most:
            wanted = f"at most {most} (limits.decompressed_size)"
            raise LimitExceeded("", None, f"{size} bytes when decompressed", wanted)
        content = _BLOCKS[codec](data, size, most)
    except MemoryError as error:
        found = f"{size} bytes when decompressed"
        raise LimitExceeded(name, offset, found, "no more than this machine's memory") from error
    except FormatError as error:
        error.offset = offset
        raise error.inside(name) from error.__cause__
    if size is not None and len(content) != size:
        raise FormatError(name, offset, f"{len(content)} bytes when decompressed", f"{size} bytes")
    return content


def _block_lz4(data: _Data, size: int | None, _: int) -> bytes:
    if size is None:
        raise FormatError("", None, "an LZ4 block alone", "its size before it")
    try:
        return bytes(lz4_block.decompress(data, uncompressed_size=size))
    except (lz4_block.LZ4BlockError, ValueError, OverflowError) as error:
        found = found_by("damaged data", error)
        raise FormatError("", None, found, f"an LZ4 block of {size} bytes") from error


def _frame_zstd(data: _Data, size: int | None, most: int) -> bytes:
    """Return the content of a frame, cut one byte after the most that is allowed."""
    try:
        declared = zstandard.get_frame_parameters(data).content_size
        if size is not None and declared not in {size, _ZSTD_UNKNOWN}:
            raise FormatError("", None, f"a frame of {declared} bytes", f"{size} bytes")
        if size:
            return _decompressor().decompress(data, max_output_size=size)
        limit = most if size is None else 0
        content = zstd_frames(data, limit)
    except zstandard.ZstdError as error:
        wanted = "one Zstandard frame" + ("" if size is None else f" of {size} bytes")
        raise FormatError("", None, found_by("damaged data", error), wanted) from error
    if len(content) > limit and size is None:
        wanted = f"at most {most} (limits.decompressed_size)"
        raise LimitExceeded("", None, "more bytes when decompressed", wanted)
    return content


def zstd_frames(data: _Data, most: int) -> bytes:
    """Return the content of Zstandard frames that need not say their sizes.

    most     number of bytes wanted; longer content is cut to *most* + 1 bytes
    raises   `Truncated` for a last frame that is cut off, which the library reads short, and
             ``zstandard.ZstdError`` for damage
    """
    # The library does not say where input ends.  A frame after it is read only if it is complete.
    stream = zstandard.ZstdDecompressor().stream_reader(
        bytes(data) + _after(), read_across_frames=True
    )
    content = stream.read(most + 1 + len(_AFTER))
    if len(content) > most + len(_AFTER):
        return content[: most + 1]
    if not data or not content.endswith(_AFTER):
        raise Truncated("", None, "a frame that does not end", "whole Zstandard frames")
    return content[: -len(_AFTER)]


@cache
def _after() -> bytes:
    """Return a frame to append to others, whose content is a run of one byte."""
    return compress_block("zstd", _AFTER)


def _decompressor() -> ZstdDecompressor:
    """Return this thread's decompressor, since making one takes longer than using it."""
    if not hasattr(_THREAD, "zstd"):
        _THREAD.zstd = zstandard.ZstdDecompressor()
    found: ZstdDecompressor = _THREAD.zstd
    return found


def _size_lz4(data: _Data) -> int:
    if bytes(data[:4]) != _LZ4_MAGIC:
        raise FormatError("", None, bytes(data[:4]), f"an LZ4 frame, which begins {_LZ4_MAGIC!r}")
    if len(data) < 7:  # noqa: PLR2004  magic, flags, block size, header checksum
        raise FormatError("", None, f"{len(data)} bytes", "an LZ4 frame")
    if not data[4] & _LZ4_HAS_SIZE:
        # What LZ4's library writes for no content, whatever its options.
        if bytes(data[-4:]) == bytes(4) and len(data) <= _LZ4_HEADER + 1:
            return 0
        raise FormatError("", None, "an LZ4 frame without a content size", "an LZ4 frame with one")
    return int.from_bytes(data[6:_LZ4_HEADER], "little")


def _decode_lz4(data: _Data, size: int) -> bytes:
    try:
        content: bytes = pa.Codec("lz4").decompress(data, size, asbytes=True)
    except (OSError, ValueError) as error:
        found = found_by("damaged data", error)
        raise FormatError("", None, found, f"one LZ4 frame of {size} bytes") from error
    return content


def _compress_lz4(data: _Data) -> bytes:
    if len(data) == 0:
        return _LZ4_EMPTY

    frame: bytes = lz4_frame.compress(data, store_size=True, content_checksum=True)
    return frame


def _size_zstd(data: _Data) -> int:
    if bytes(data[:4]) != ZSTD_MAGIC:
        wanted = f"a Zstandard frame, which begins {ZSTD_MAGIC!r}"
        raise FormatError("", None, bytes(data[:4]), wanted)
    try:
        frame = zstandard.get_frame_parameters(data)
    except zstandard.ZstdError as error:
        found = found_by("a damaged header", error)
        raise FormatError("", None, found, "a Zstandard frame") from error
    if frame.dict_id:
        raise Unsupported("", None, f"dictionary {frame.dict_id}", "a frame without a dictionary")
    if frame.content_size == _ZSTD_UNKNOWN:
        raise FormatError("", None, "a Zstandard frame without it", "content size")
    return frame.content_size


def _decode_zstd(data: _Data, size: int) -> bytes:
    try:
        if size == 0:
            return _decode_empty_zstd(data)
        return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        found = found_by("damaged data", error)
        raise FormatError("", None, found, f"one Zstandard frame of {size} bytes") from error


def _decode_empty_zstd(data: _Data) -> bytes:
    """Refuse content in a frame that declares none; the library would rely on the header alone."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    # One byte of content is enough to know, so no more is ever decompressed.
    with zstandard.ZstdDecompressor().stream_reader(data) as content:
        if content.read(1):
            raise FormatError("", None, "content", "no content, as the frame declares")
    if frame.decompress(data) or not frame.eof or frame.unused_data:
        raise FormatError("", None, "bytes after it", "one Zstandard frame of 0 bytes")
    return b""


def _compress_zstd(data: _Data) -> bytes:
    # Java's Puffin writer does the same, bit for bit: level 3 with a checksum, in one call.
    compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True)
    return compressor.compress(data)


def _unsupported(codec: str, name: str = "", offset: int | None = None) -> Unsupported:
    return Unsupported(name, offset, f"codec {codec!r}", f"one of {', '.join(CODECS)}")


_BLOCKS: Final[dict[str, Callable[[_Data, int | None, int], bytes]]] = {
    "lz4": _block_lz4,
    "zstd": _frame_zstd,
}

_DECODERS: Final[dict[str, tuple[Callable[[_Data], int], Callable[[_Data, int], bytes]]]] = {
    "lz4": (_size_lz4, _decode_lz4),
    "zstd": (_size_zstd, _decode_zstd),
}
