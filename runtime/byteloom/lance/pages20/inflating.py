"""Buffers that are compressed as a whole.

Release 0.12.3 stored some buffers uncompressed under the name of a codec; only their size shows it.

Source: specs/lance/SOURCE.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.codecs.compression import ZSTD_MAGIC
from byteloom.errors import FormatError, Unsupported, count_of_bytes
from byteloom.lance.compressed import WIDTHS, decompressed
from byteloom_generated.lance.encodings21 import CompressionScheme

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.lance.pages20.stored import Stored
    from byteloom.limits import Limits

__all__ = ["inflated"]

_SCHEMES: Final = {
    "zstd": CompressionScheme.COMPRESSION_ALGORITHM_ZSTD,
    "lz4": CompressionScheme.COMPRESSION_ALGORITHM_LZ4,
}
_PLAIN: Final = ("", "none")


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
