"""What comes after the data: meta blocks, the index, file info, Bloom metadata and the trailer.

Blocks that are read when a file is opened are together at its end, in an order by which readers
recognise them: data index, meta index, file info, Bloom metadata.

Source: specs/hfile/trailer.ksy, specs/hfile/file_info.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.hfile.block_types import MAGICS
from byteloom.hfile.codecs import CODECS
from byteloom.hfile.index import IndexEntry
from byteloom.hfile.trailer import SIZES
from byteloom.hfile.writing.index import root_payload
from byteloom.hfile.writing.messages import file_info_payload, trailer_bytes
from byteloom_generated.hfile.messages import TrailerProto

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.hfile.writing.blocks import BlockWriter
    from byteloom.hfile.writing.cells import PlainCells
    from byteloom.hfile.writing.filters import Filters
    from byteloom.hfile.writing.index import IndexWriter
    from byteloom.hfile.writing.pipeline import Pipeline
    from byteloom.hfile.writing.settings import Settings

__all__ = ["Ends", "check_said", "close"]

_MINOR: Final = 3
"""Of HBase since 0.98: index keys may be shortened."""
_KEY, _LENGTH = b"hfile.KEY_OF_BIGGEST_CELL", b"hfile.LEN_OF_BIGGEST_CELL"
_BIGGEST: Final = frozenset({_KEY, _LENGTH})
_WORD: Final = 1 << 64
"""What a place is stored modulo: -1, for no block, is all ones."""


def check_said(said: Mapping[bytes, bytes], settings: Settings) -> None:
    """Refuse file info by which readers would take cells for what the settings do not make them."""
    for name, is_ours in (
        (b"INDEX_BLOCK_ENCODING", said.get(b"INDEX_BLOCK_ENCODING") == b"NONE"),
        (b"DATA_BLOCK_ENCODING", settings.is_encoded),
        *((name, settings.mvcc) for name in (b"MAX_MEMSTORE_TS_KEY", b"KEY_VALUE_VERSION")),
        *((name, settings.tags) for name in (b"hfile.MAX_TAGS_LEN", b"hfile.TAGS_COMPRESSED")),
    ):
        if name in said and not is_ours:
            wanted = "nothing: it would say what the settings do not"
            raise FormatError(f"file_info.{name.decode()}", None, said[name], wanted)


class Ends:
    """The first key and the last of a file; None without cells."""

    def __init__(self) -> None:
        """Begin with no cells."""
        self.first: bytes | None = None
        self.last: bytes | None = None

    def note(self, first: bytes) -> None:
        """Note the key that a block begins with."""
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

    said  what the file info says beside what follows from the cells
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
        total_uncompressed_bytes=blocks.uncompressed + SIZES[3],
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
    """Return what is said of the biggest cell where that is more than cells have without tags.

    HBase drops the tags of cells from a file without tags, and still counts them there.
    """
    if settings.tags or not said.keys() & own.keys() >= _BIGGEST:
        return {}
    is_more = int.from_bytes(said[_LENGTH], "big") > int.from_bytes(own[_LENGTH], "big")
    return {name: said[name] for name in _BIGGEST} if is_more else {}


def _info(settings: Settings, cells: PlainCells, ends: Ends, created_ms: int) -> dict[bytes, bytes]:
    """Return the file info that follows from the cells."""
    summary, count = cells.summary, max(cells.total, 1)
    info = {
        b"hfile.AVG_KEY_LEN": (summary.len_keys // count).to_bytes(4, "big"),
        b"hfile.AVG_VALUE_LEN": (summary.len_values // count).to_bytes(4, "big"),
        b"hfile.CREATE_TIME_TS": created_ms.to_bytes(8, "big"),
    }
    if ends.last is not None:
        info[b"hfile.LASTKEY"] = ends.last
        info[_KEY] = summary.biggest_key
        info[_LENGTH] = summary.biggest.to_bytes(8, "big")
    if settings.tags:
        info[b"hfile.MAX_TAGS_LEN"] = summary.max_tags.to_bytes(4, "big")
        info[b"hfile.TAGS_COMPRESSED"] = b"\xff" if settings.packs_tags else b"\0"
    if settings.is_encoded:
        info[b"DATA_BLOCK_ENCODING"] = settings.encoding.encode()
    if settings.mvcc:
        info[b"MAX_MEMSTORE_TS_KEY"] = summary.max_mvcc.to_bytes(8, "big")
        info[b"KEY_VALUE_VERSION"] = (1).to_bytes(4, "big")
    return info
