"""Words and sizes of chunks that are written are those of `specs/lance/chunks.ksy`."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.support.written_lance import VERSIONS, hard, written

from byteloom import lance
from byteloom_generated.lance.chunks import ChunkHead, LargeWord, SmallWord
from byteloom_generated.lance.encodings21 import PageLayout


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["null structs", "null lists", "lists of truth values"])
def test_chunks_are_made_of_records(name: str, version: str) -> None:
    """The parts of each written chunk fill it, and all chunks fill the buffer."""
    data = written(pa.table(hard(name)), version)
    with lance.open(data) as file:
        pages = [page for each in file.columns() for page in each.pages]
    for page in pages:
        layout = PageLayout.parse(page.encoding.data).mini_block_layout
        is_large = layout.has_large_chunk
        assert is_large == (version == "2.2")
        kind = LargeWord if is_large else SmallWord
        words, chunks, *_ = (data[offset:][:size] for offset, size in page.buffers)
        at, values = 0, 0
        for start in range(0, len(words), kind.SIZE):
            word = kind.from_bytes(words[start:][: kind.SIZE])
            has_rep, has_def = (
                layout.HasField("rep_compression"),
                layout.HasField("def_compression"),
            )
            width = 2 * (1 + has_rep + has_def) + layout.num_buffers * (4 if is_large else 2)
            sizes = ChunkHead.from_bytes(
                chunks[at:][:width], has_rep=has_rep, has_def=has_def,
                num_buffers=layout.num_buffers, is_large=is_large,
            )  # fmt: skip
            levels = [each for each in (sizes.len_rep, sizes.len_def) if each is not None]
            assert bool(levels) == (sizes.num_levels > 0)
            buffers = sizes.len_large_buffers if is_large else sizes.len_small_buffers
            parts = [width, *levels, *(buffers or [])]
            assert word.len_chunk == sum(each + -each % 8 for each in parts)
            at += word.len_chunk
            values += 1 << word.log_num_values
        assert at == len(chunks)
        last = 1 << kind.from_bytes(words[-kind.SIZE :]).log_num_values
        assert values - last < layout.num_items
