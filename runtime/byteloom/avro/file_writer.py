"""Write Avro container files of values that come one by one.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

import json
import os
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from byteloom.avro.value_writer import ValueWriter
from byteloom.codecs.compression import compress_block
from byteloom.errors import ArgumentError, FormatError
from byteloom.late import cramjam, isal_zlib
from byteloom_generated.avro.container import Block, BlockHead, Header, MetadataBlock, MetadataEntry

__all__ = ["AvroOutput", "write_avro"]

_FAST: Final = 2
"""The level of ISA-L that packs nearly as tightly as zlib's 6, a dozen times as fast."""

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
    codec       ``null``, ``deflate``, ``zstandard`` or ``snappy``
    block_size  bytes with which a block ends, before compression
    name        what errors call the values
    raises      the errors of `ValueWriter`, with the number of the value
    """
    output = AvroOutput(schema, metadata=metadata, codec=codec, block_size=block_size, name=name)
    for each in values:
        output.append(each)
    return output.finish()


class AvroOutput:
    """A file that grows by values, or by values that are encoded already.

    size  bytes of the blocks that have ended, and of the header
    """

    def __init__(  # noqa: PLR0913  options, all by name
        self,
        schema: Any,
        *,
        metadata: Mapping[str, str] | None = None,
        codec: str = "null",
        level: int | None = None,
        block_size: int = 16_000,
        name: str = "values",
    ) -> None:
        """Begin a file.

        Arguments are those of `write_avro`; *level* is that of ``deflate`` or ``zstandard``.
        """
        self._compress = _compress_of(codec, level)
        self._writer, self._marker = ValueWriter(schema), os.urandom(_MARKER)
        self._block_size, self._name = block_size, name
        stated = {**(metadata or {}), "avro.codec": codec, "avro.schema": json.dumps(schema)}
        entries = [MetadataEntry(key=key, value=text.encode()) for key, text in stated.items()]
        blocks = [MetadataBlock(num_entries=len(entries), entries=entries)]
        blocks.append(MetadataBlock(num_entries=0, entries=[]))
        self._out = bytearray(Header(metadata=blocks, sync=self._marker).to_bytes())
        self._content, self._count, self._total = bytearray(), 0, 0
        self._taken = 0

    @property
    def size(self) -> int:
        """Bytes of the header, and of the blocks that have ended."""
        return self._taken + len(self._out)

    def append(self, value: Any) -> None:
        """Add a value; errors as for `write_avro`."""
        try:
            self._writer.append(value, self._content)
        except FormatError as error:
            raise error.inside(f"{self._name}[{self._total}]") from error.__cause__
        self._add(1)

    def extend(self, data: memoryview, ends: Sequence[int]) -> None:
        """Add values that are encoded: *data* has one after the other, and *ends* where each ends.

        Values are added until one fills the block, which then ends.
        """
        start = first = 0
        while first < len(ends):
            room = self._block_size - len(self._content)
            last = min(bisect_left(ends, start + room, lo=first), len(ends) - 1)
            self._content += data[start : ends[last]]
            self._add(last + 1 - first)
            start, first = ends[last], last + 1

    def take(self) -> bytes:
        """Return the bytes of the blocks that have ended since the last call."""
        taken, self._out = bytes(self._out), bytearray()
        self._taken += len(taken)
        return taken

    def finish(self) -> bytes:
        """Return the bytes of the file, or what is left of it."""
        self._end_block()
        return self.take()

    def _add(self, count: int) -> None:
        """Count values; end a block that is full."""
        self._count += count
        self._total += count
        if len(self._content) >= self._block_size:
            self._end_block()

    def _end_block(self) -> None:
        if self._count:
            self._out += _block(self._count, self._compress(bytes(self._content)), self._marker)
            self._content, self._count = bytearray(), 0


def _block(count: int, objects: bytes, marker: bytes) -> bytes:
    head = BlockHead(num_objects=count, len_objects=len(objects))
    return Block(marker=marker, head=head, objects=objects, sync=marker).to_bytes()


def _compress_of(codec: str, level: int | None) -> Callable[[bytes], bytes]:
    known: dict[str, Callable[[bytes], bytes]] = {
        "null": lambda data: data,
        "deflate": lambda data: _deflate(data, level),
        "zstandard": lambda data: compress_block("zstd", data, level),
        "snappy": _snappy,
    }
    if codec not in known:
        raise ArgumentError("codec", None, codec, f"one of {', '.join(known)}")
    return known[codec]


def _deflate(data: bytes, level: int | None) -> bytes:
    """Compress as deflate, without a header; at a level of zlib, or fast."""
    if level is None:
        return bytes(isal_zlib.compress(data, _FAST, wbits=-zlib.MAX_WBITS))
    stream = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _snappy(data: bytes) -> bytes:
    """Compress as raw Snappy, followed by the CRC-32."""
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big")
