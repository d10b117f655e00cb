"""Avro container files put together by hand, block by block."""

from __future__ import annotations

import bz2
import json
import lzma
import zlib
from typing import TYPE_CHECKING, Any, Final

import cramjam
from tests.support.varints import folded, varint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["PACKED", "SYNC", "block", "container", "number"]

SYNC: Final = bytes(range(100, 116))
"""The marker between the blocks of all these files."""


def number(value: int) -> bytes:
    """A number as Avro stores it: zigzag, seven bits a byte, the lowest first."""
    return varint(folded(value))


def container(
    blocks: Sequence[bytes] = (), schema: Any = "bytes", codec: str | None = None
) -> bytes:
    """The bytes of a file.

    schema  as JSON; None to leave it out
    codec   None to leave it out
    """
    texts = {"avro.schema": None if schema is None else json.dumps(schema), "avro.codec": codec}
    pairs = [
        number(len(part)) + part
        for key, text in texts.items()
        if text is not None
        for part in (key.encode(), text.encode())
    ]
    head = number(len(pairs) // 2) + b"".join(pairs) if pairs else b""
    return b"Obj\1" + head + b"\0" + SYNC + b"".join(blocks)


def block(count: int, content: bytes, codec: str = "null") -> bytes:
    """A block of *count* records, its content compressed."""
    stored = PACKED[codec](content)
    return number(count) + number(len(stored)) + stored + SYNC


def _snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big")


PACKED: Final[dict[str, Callable[[bytes], bytes]]] = {
    "null": bytes,
    "deflate": lambda data: zlib.compress(data, wbits=-zlib.MAX_WBITS),
    "snappy": _snappy,
    "zstandard": lambda data: bytes(cramjam.zstd.compress(data)),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
"""What compresses the content of a block, by the name of its codec."""
