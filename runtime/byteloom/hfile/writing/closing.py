"""Write what comes after the data: meta blocks, index, file info, Bloom metadata and trailer.

The blocks that are read when a file is opened are together at its end, in an order that readers
rely on: data index, meta index, file info, Bloom metadata.  Pairs of the file info are in the order
of their names, fields of the trailer in the order of their numbers.

Source: specs/hfile/trailer.ksy, specs/hfile/file_info.ksy, specs/hfile/messages.proto
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from byteloom.errors import ArgumentError, LimitExceeded
from byteloom.hfile import info_entries
from byteloom.hfile.blocks import MAGICS
from byteloom.hfile.codecs import CODECS
from byteloom.hfile.index_entries import IndexEntry
from byteloom.hfile.messages import delimited
from byteloom.hfile.trailer import SIZES
from byteloom.hfile.writing.blocks import BlockWriter
from byteloom.hfile.writing.cells import PlainCells
from byteloom.hfile.writing.index import IndexWriter, root_payload
from byteloom.hfile.writing.pipeline import Filters, Pipeline
from byteloom.hfile.writing.settings import Settings
from byteloom_generated.hfile.file_info import FileInfo
from byteloom_generated.hfile.messages import BytesBytesPair, InfoProto, TrailerProto
from byteloom_generated.hfile.trailer import Trailer, Version

__all__ = ["Ends", "check_said", "close"]

_SIZE: Final = SIZES[3]
"""Bytes of a trailer of version 3."""
_AROUND: Final = 12
"""Bytes of a trailer's magic and version together."""
_MINOR: Final = 3
"""The minor version of HBase since 0.98: index keys may be shortened."""
_KEY, _LENGTH = info_entries.BIGGEST_KEY, info_entries.BIGGEST_SIZE
_BIGGEST: Final = frozenset({_KEY, _LENGTH})
_WORD: Final = 1 << 64
"""The modulus of stored offsets: -1, for no block, is all ones."""


def file_info_payload(info: Mapping[bytes, bytes]) -> bytes:
    """Return the payload of a file info block.

    Raises:
        FormatError: For names and values that are not bytes.
    """
    for name, value in info.items():
        if {type(name), type(value)} != {bytes}:
            found = f"{type(name).__name__}, {type(value).__name__}"
            raise ArgumentError("file_info", None, found, "bytes as key and value")
    entries = [BytesBytesPair(first=name, second=info[name]) for name in sorted(info)]
    return FileInfo(body=delimited(InfoProto(map_entry=entries))).to_bytes()


def trailer_bytes(said: TrailerProto, minor: int) -> bytes:
    """Return a trailer of version 3 with the message *said*."""
    body = delimited(said)
    padding = _SIZE - _AROUND - len(body.to_bytes())
    if padding < 0:
        raise LimitExceeded("trailer", None, f"{_SIZE - padding} bytes", f"at most {_SIZE}")
    version = Version(minor=minor, major=3)
    return Trailer(body=body, padding=bytes(padding), version=version).to_bytes()


def check_said(said: Mapping[bytes, bytes], settings: Settings) -> None:
    """Refuse an entry of the file info that contradicts the settings and would mislead readers."""
    for name, is_ours in (
        (info_entries.INDEX_ENCODING, said.get(info_entries.INDEX_ENCODING) == b"NONE"),
        (info_entries.ENCODING, settings.is_encoded),
        *((name, settings.mvcc) for name in (info_entries.MOST_MVCC, info_entries.MVCC_VERSION)),
        *((name, settings.tags) for name in (info_entries.MOST_TAGS, info_entries.PACKED_TAGS)),
    ):
        if name in said and not is_ours:
            wanted = "no such entry: it contradicts the settings"
            raise ArgumentError(f"file_info.{name.decode()}", None, said[name], wanted)


class Ends:
    """The first and the last key of a file; None without cells."""

    def __init__(self) -> None:
        """Begin without any cell."""
        self.first: bytes | None = None
        self.last: bytes | None = None

    def note(self, first: bytes) -> None:
        """Record the key that a block begins with."""
        self.first = first if self.first is None else self.first


def close(  # noqa: PLR0913  all that a file is made of
    blocks: BlockWriter,
    index: IndexWriter,
    settings: Settings,
    *,
    ends: Ends,
    pipeline: Pipeline,
    filters: Filters,
    cells: PlainCells,
    meta: Iterable[tuple[bytes, bytes]],
    created_ms: int,
    said: Mapping[bytes, bytes],
) -> None:
    """Write what comes after the last data block.

    Args:
        said: Entries of the file info that the caller gave.
    """
    check_said(said, settings)
    index.close()
    for builder, chunk in filters.ready(closing=True):
        builder.placed(*blocks.write(MAGICS["bloom_chunk"], chunk.bits))
    named = sorted(meta, key=lambda each: each[0])
    entries = [IndexEntry(*blocks.write(MAGICS["meta"], content), name) for name, content in named]
    load_on_open = index.finish()
    blocks.write(MAGICS["root_index"], root_payload(entries))
    own = _info(settings, cells, ends, created_ms)
    info = filters.info() | dict(said) | own | _bigger(settings, own, said)
    info_at = blocks.write(MAGICS["file_info"], file_info_payload(info)).offset
    for builder in filters.builders:
        payload = builder.metadata()
        if payload is not None:
            blocks.write(builder.magic, payload)
    trailer = TrailerProto(
        file_info_offset=info_at,
        load_on_open_data_offset=load_on_open,
        uncompressed_data_index_size=index.uncompressed,
        total_uncompressed_bytes=blocks.uncompressed + _SIZE,
        data_index_count=len(index.root),
        meta_index_count=len(entries),
        entry_count=cells.total,
        num_data_index_levels=index.levels,
        first_data_block_offset=pipeline.first % _WORD,
        last_data_block_offset=pipeline.last % _WORD,
        comparator_class_name=settings.comparator_name,
        compression_codec=CODECS.index(settings.compression),
    )
    if blocks.sealer is not None:
        trailer.encryption_key = blocks.sealer.wrapped_key()
    blocks.finish(trailer_bytes(trailer, _MINOR))


def _bigger(
    settings: Settings, own: Mapping[bytes, bytes], said: Mapping[bytes, bytes]
) -> dict[bytes, bytes]:
    """Return the entries about the biggest cell, if they count tags that the file does not have."""
    if settings.tags or not said.keys() & own.keys() >= _BIGGEST:
        return {}
    is_more = int.from_bytes(said[_LENGTH], "big") > int.from_bytes(own[_LENGTH], "big")
    return {name: said[name] for name in _BIGGEST} if is_more else {}


def _info(settings: Settings, cells: PlainCells, ends: Ends, created_ms: int) -> dict[bytes, bytes]:
    """Return the file info that follows from the cells."""
    summary, count = cells.summary, max(cells.total, 1)
    numbers = {
        info_entries.AVERAGE_KEY: summary.len_keys // count,
        info_entries.AVERAGE_VALUE: summary.len_values // count,
        info_entries.CREATED: created_ms,
    }
    info: dict[bytes, bytes] = {}
    if ends.last is not None:
        info[info_entries.LAST_KEY] = ends.last
        info[_KEY] = summary.biggest_key
        numbers[_LENGTH] = summary.biggest
    if settings.tags:
        numbers[info_entries.MOST_TAGS] = summary.max_tags
        info[info_entries.PACKED_TAGS] = b"\xff" if settings.packs_tags else b"\0"
    if settings.is_encoded:
        info[info_entries.ENCODING] = settings.encoding.encode()
    if settings.mvcc:
        numbers |= {info_entries.MOST_MVCC: summary.max_mvcc, info_entries.MVCC_VERSION: 1}
    return info | info_entries.numbers(numbers)
