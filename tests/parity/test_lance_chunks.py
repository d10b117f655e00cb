"""Words and sizes of Lance's chunks are taken as the records of `specs/lance/chunks.ksy` say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.lance.column_metadata import Description, Page
from byteloom.lance.pages21.chunks import Words, cut, cut_early, read_words
from byteloom.lance.stored_pages import StoredPage
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import BytesSource
from byteloom_generated.lance.chunks import ChunkHead, EarlyChunk, LargeWord, SmallWord

MOST = 1 << 15
"""Values of a chunk, at most."""


def page_of(*buffers: tuple[int, int]) -> StoredPage:
    """A page of these buffers, each given by its offset and its size."""
    page = Page("page", 0, 1, 0, 0, buffers, Description("", b""))
    return StoredPage(page, BytesSource(b""), DEFAULT_LIMITS)


@pytest.mark.parametrize("is_large", [False, True])
@given(
    st.lists(st.tuples(st.integers(0, 4095), st.integers(0, 15)), min_size=1, max_size=9),
    st.sampled_from([0, 5, MOST]),
)
def test_words_are_those_of_the_records(
    is_large: bool, pairs: list[tuple[int, int]], last: int
) -> None:
    """Chunk words give the sizes and counts of their records; the last chunk has the rest."""
    kind = LargeWord if is_large else SmallWord
    records = [kind(log_num_values=log, len_chunk_words=words) for words, log in pairs]
    data = np.frombuffer(b"".join(each.to_bytes() for each in records), np.uint8)
    counts = [1 << each.log_num_values for each in records[:-1]] + [last]
    size = sum(each.len_chunk for each in records)
    page = page_of((0, len(data)), (64, size))
    words = read_words([data, data], [page, page], [sum(counts)] * 2, is_large=is_large)
    assert words.sizes.tolist() == 2 * [each.len_chunk for each in records]
    assert words.places.tolist() == 2 * [64 + sum(words.sizes[:at]) for at in range(len(records))]
    assert words.counts.tolist() == 2 * counts
    assert words.ends.tolist() == [len(records), 2 * len(records)]


@pytest.mark.parametrize("last", [-1, MOST + 1])
def test_what_is_left_for_the_last_chunk_is_a_number_of_values(last: int) -> None:
    """A last chunk that fewer than no values are left for, or too many, is refused."""
    data = np.frombuffer(SmallWord(log_num_values=3, len_chunk_words=0).to_bytes() * 2, np.uint8)
    wanted = (
        f"page.small_words[-1] at byte 9 (0x9): found {last} values, "
        f"wanted 0 to {MOST}, what is left of {8 + last}"
    )
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}$"):
        read_words([data], [page_of((9, 4), (64, 16))], [8 + last], is_large=False)


def test_a_cut_word_is_named_by_its_page_and_place() -> None:
    """The error for a cut word has its number within its page, and its place in the file."""
    word, pages = np.zeros(2, np.uint8), [page_of((9, 2), (64, 8)), page_of((100, 3), (64, 8))]
    wanted = r"page.small_words\[1\].len_chunk_words at byte 103 .*wanted 1 byte"
    with pytest.raises(FormatError, match=wanted):
        read_words([word, np.zeros(3, np.uint8)], pages, [1, 2], is_large=False)


@pytest.mark.parametrize("has_rep", [False, True])
@pytest.mark.parametrize("has_def", [False, True])
@pytest.mark.parametrize("is_large", [False, True])
@given(
    st.integers(0, 65535),
    st.lists(st.integers(0, 300), min_size=2, max_size=2),
    st.lists(st.integers(0, 70000), min_size=1, max_size=3),
)
def test_parts_are_those_of_the_records(  # noqa: PLR0917  three flags, three drawn
    has_rep: bool, has_def: bool, is_large: bool, levels: int, small: list[int], large: list[int]
) -> None:
    """Each part of a chunk begins at a multiple of eight, as in its record."""
    sizes = large if is_large else [each % 65536 for each in large]
    rep, definition = small[0] if has_rep else None, small[1] if has_def else None
    record = ChunkHead(
        has_rep=has_rep,
        has_def=has_def,
        num_buffers=len(sizes),
        is_large=is_large,
        num_levels=levels,
        len_rep=rep,
        len_def=definition,
        len_small_buffers=None if is_large else sizes,
        len_large_buffers=sizes if is_large else None,
    )
    head = record.to_bytes()
    parts = [each for each in (rep, definition, *sizes) if each is not None]
    total = len(head) + -len(head) % 8 + sum(each + -each % 8 for each in parts)
    data = np.frombuffer(bytes(16) + head + bytes(total - len(head)), np.uint8)
    at = np.array([16])
    words = Words(at, np.array([total]), np.array([1]), np.array([1]))
    found = cut(
        data,
        at,
        words,
        has_rep=has_rep,
        has_definition=has_def,
        num_buffers=len(sizes),
        is_large=is_large,
        path="chunks",
        limits=DEFAULT_LIMITS,
    )
    levels_found = [each for each in (found.rep, found.definition) if each is not None]
    assert [each.total for each in levels_found] == [levels] * (has_rep + has_def)
    buffers = [*(each.buffers[0] for each in levels_found), *found.values.buffers]
    assert [int(each.sizes[0]) for each in buffers] == parts
    place = 16 + len(head) + -len(head) % 8
    for each, size in zip(buffers, parts, strict=True):
        assert int(each.starts[0]) == place
        place += size + -size % 8


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 999))
def test_parts_of_early_chunks_are_those_of_the_record(
    rep: int, definition: int, size: int
) -> None:
    """In early chunks levels are adjacent, and values begin at the next multiple of eight."""
    levels = 2 * (rep + definition)
    before = levels + -(6 + levels) % 8
    record = EarlyChunk(
        len_rep=2 * rep, len_def=2 * definition, len_values=size, parts=bytes(before + size)
    )
    stored = record.to_bytes()
    data = np.frombuffer(bytes(8) + stored + bytes(-len(stored) % 8), np.uint8)
    words = Words(np.array([70]), np.array([len(data) - 8]), np.array([1]), np.array([1]))
    found = cut_early(
        data,
        np.array([8]),
        words,
        has_rep=True,
        has_definition=True,
        path="",
        limits=DEFAULT_LIMITS,
    )
    assert found.rep is not None
    assert found.definition is not None
    assert (found.rep.total, found.definition.total) == (rep, definition)
    parts = [each.buffers[0] for each in (found.rep, found.definition, found.values)]
    starts = [8 + 6, 8 + 6 + 2 * rep, 8 + 6 + before]
    assert [int(each.starts[0]) for each in parts] == starts
    assert [int(each.sizes[0]) for each in parts] == [2 * rep, 2 * definition, size]
