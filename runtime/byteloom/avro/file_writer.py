"""Write Avro container files of values that come one by one.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import cramjam

from byteloom.avro.value_writer import ValueWriter
from byteloom.errors import ArgumentError, FormatError
from byteloom_generated.avro.container import Block, BlockHead, Header, MetadataBlock, MetadataEntry

__all__ = ["write_avro"]

_MARKER: Final = 16
"""Bytes of the sync marker."""


def write_avro(  # noqa: PLR0913  options, all by name
    schema: Any,
    values: Iterable[Any],
    *,
    metadata: Mapping[str, str] | None = None,
    codec: str = "null",
    block_size: int = 16_000,
    name: str = "values",
) -> bytes:
    """Return the bytes of a file.

    schema      of the values, as JSON
    values      as for `ValueWriter.write`
    metadata    additional properties of the file
    codec       ``null``, ``deflate`` or ``snappy``
    block_size  bytes with which a block ends, before compression
    name        what errors call the values
    raises      the errors of `ValueWriter`, with the number of the value
    """
    compress = _compress_of(codec)
    writer, marker = ValueWriter(schema), os.urandom(_MARKER)
    stated = {**(metadata or {}), "avro.codec": codec, "avro.schema": json.dumps(schema)}
    entries = [MetadataEntry(key=key, value=text.encode()) for key, text in stated.items()]
    blocks = [MetadataBlock(num_entries=len(entries), entries=entries)]
    blocks.append(MetadataBlock(num_entries=0, entries=[]))
    out = bytearray(Header(metadata=blocks, sync=marker).to_bytes())
    content, count = bytearray(), 0
    for number, value in enumerate(values):
        try:
            writer.append(value, content)
        except FormatError as error:
            raise error.inside(f"{name}[{number}]") from error.__cause__
        count += 1
        if len(content) >= block_size:
            out += _block(count, compress(bytes(content)), marker)
            content, count = bytearray(), 0
    if count:
        out += _block(count, compress(bytes(content)), marker)
    return bytes(out)


def _block(count: int, objects: bytes, marker: bytes) -> bytes:
    head = BlockHead(num_objects=count, len_objects=len(objects))
    return Block(marker=marker, head=head, objects=objects, sync=marker).to_bytes()


def _compress_of(codec: str) -> Callable[[bytes], bytes]:
    known: dict[str, Callable[[bytes], bytes]] = {
        "null": lambda data: data,
        "deflate": _deflate,
        "snappy": _snappy,
    }
    if codec not in known:
        raise ArgumentError("codec", None, codec, f"one of {', '.join(known)}")
    return known[codec]


def _deflate(data: bytes) -> bytes:
    """Compress as deflate, without a header."""
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _snappy(data: bytes) -> bytes:
    """Compress as raw Snappy, followed by the CRC-32."""
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big")
