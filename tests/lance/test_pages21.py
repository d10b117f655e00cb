"""Values of versions 2.1 and 2.2: levels, chunks, and the damage that is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_chunks import flat, shorts, words_of
from tests.support.lance_files import StoredPage, lance_field, lance_file

from byteloom import lance
from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.encodings import page_layout
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.stored_pages import StoredPage as Opened
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom_generated.lance import encodings21 as e

URL = "/lance.encodings21.PageLayout"
ITEM, NULLABLE = e.RepDefLayer.REPDEF_ALL_VALID_ITEM, e.RepDefLayer.REPDEF_NULLABLE_ITEM


def chunk(values: bytes, levels: bytes = b"") -> bytes:
    """A chunk of one buffer, and definition levels if there are any."""
    sizes = [len(levels) // 2, *([len(levels)] if levels else []), len(values)]
    parts = [np.array(sizes, "<u2").tobytes(), levels, values]
    return b"".join(each + bytes(-len(each) % 8) for each in parts if each)


def small(chunks: list[bytes], logs: list[int], items: int, **changes: Any) -> bytes:
    """A file of version 2.1 with a column of 16-bit integers, in these chunks."""
    given: dict[str, Any] = {
        "value_compression": flat(16),
        "layers": [ITEM],
        "num_buffers": 1,
        **changes,
    }
    layout = e.PageLayout(mini_block_layout=e.MiniBlockLayout(num_items=items, **given))
    buffers = [words_of(*chunks, logs=logs), b"".join(chunks)]
    page = StoredPage(items, URL, layout, buffers)
    return lance_file([lance_field("c", "int16")], [[page]], rows=items, version="2.1")


def test_the_last_chunk_has_what_is_left() -> None:
    """The last chunk has the remaining values; the words of others give a power of two."""
    data = small([chunk(shorts(1, 2, 3, 4)), chunk(shorts(5, 6, 7))], [2, 0], 7)
    with lance.open(data) as file:
        assert file.to_table()["c"].to_pylist() == [1, 2, 3, 4, 5, 6, 7]
        assert file.take([0, 3, 4, 6])["c"].to_pylist() == [1, 4, 5, 7]


def test_a_definition_level_of_an_item_is_null() -> None:
    """A definition level of 1 makes an item null, whatever value is stored."""
    changes: dict[str, Any] = {"layers": [NULLABLE], "def_compression": flat(16)}
    data = small([chunk(shorts(1, 2, 3), shorts(0, 1, 0))], [0], 3, **changes)
    with lance.open(data) as file:
        assert file.to_table()["c"].to_pylist() == [1, None, 3]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (small([chunk(shorts(1, 2))], [0], 3), r"chunks\[0\].*found 4 bytes, wanted 6"),
        (
            small([chunk(shorts(1))] * 2, [3, 0], 5),
            r"small_words\[-1\] at byte 0 \(0x0\): found -3 values",
        ),
        (small([], [], 1), "small_words at byte .*found 0 bytes, wanted a word for each chunk"),
        (
            small([chunk(shorts(1)), bytes(8)], [0, 0], 2, num_buffers=4),
            r"chunks\[1\].sizes.len_small_buffers at byte 82 .*wanted 4 elements",
        ),
        (small([shorts(0, 99, 1, 2)], [0], 1), "parts of 107 bytes"),
        (small([chunk(shorts(1))], [0], 1, num_buffers=0), "num_buffers.*found 0"),
        (small([chunk(shorts(1))], [0], 1, value_compression=flat(32)), "found 2 bytes, wanted 4"),
        (small([chunk(shorts(1, 2))], [0], 1, value_compression=flat(32)), "values of 32 bits"),
        (small([chunk(shorts(1))], [0], 1, layers=[ITEM] * 2), "layers.*wanted at most 1"),
        (
            small(
                [chunk(shorts(1), shorts(2))], [0], 1, layers=[NULLABLE], def_compression=flat(16)
            ),
            "definition_levels.*found 2, wanted at most 1",
        ),
    ],
)
def test_damage_is_refused_with_its_place(data: bytes, wanted: str) -> None:
    """A size, count or level that contradicts the page is refused with its place."""
    with lance.open(data) as file, pytest.raises(FormatError, match=wanted):
        file.to_table()


def test_levels_are_as_many_as_the_values_of_their_chunk() -> None:
    """A chunk whose number of levels differs from its values is refused."""
    pages = []
    for content, count in [
        (chunk(shorts(1, 2), shorts(0)), 2),
        (chunk(shorts(3), shorts(0, 0)), 1),
    ]:
        layout = e.MiniBlockLayout(
            num_items=count,
            value_compression=flat(16),
            def_compression=flat(16),
            layers=[NULLABLE],
            num_buffers=1,
        )
        whole = e.PageLayout(mini_block_layout=layout)
        pages.append(StoredPage(count, URL, whole, [words_of(content), content]))
    data = lance_file([lance_field("c", "int16")], [pages], rows=3, version="2.1")
    with lance.open(data) as file:
        found = file.columns()[0].pages
        stored = [Opened(each, file.source, DEFAULT_LIMITS) for each in found]
        layouts = [page_layout(each, DEFAULT_LIMITS).mini_block_layout for each in found]
        wanted = r"pages\[0\]\.chunks\.def\[0\] at byte 64 \(0x40\): found 1 levels, wanted 2$"
        with pytest.raises(FormatError, match=wanted):
            MiniBlockPages(stored, layouts, pa.int16()).whole()
        wanted = r"pages\[0\]\.chunks at .*: found 1 levels of values, wanted 2$"
        with pytest.raises(FormatError, match=wanted):
            file.to_table()
        with pytest.raises(FormatError, match=wanted):
            file.take([0, 2])


def test_a_cut_word_is_refused_by_its_number() -> None:
    """A buffer of chunk words that ends inside a word is refused, and the error names the word."""
    layout = e.MiniBlockLayout(
        num_items=1, value_compression=flat(16), layers=[ITEM], num_buffers=1
    )
    page = StoredPage(1, URL, e.PageLayout(mini_block_layout=layout), [bytes(3), bytes(8)])
    data = lance_file([lance_field("c", "int16")], [[page]], rows=1, version="2.1")
    wanted = r"small_words\[1\].len_chunk_words at byte 3 .*wanted 1 byte"
    with lance.open(data) as file, pytest.raises(FormatError, match=wanted):
        file.to_table()


@pytest.mark.parametrize("bits", [1, 24])
def test_levels_in_runs_of_other_integers_are_refused(bits: int) -> None:
    """Runs of levels with a width other than 8, 16, 32 or 64 bits are refused."""
    run = (2).to_bytes(8, "little") + b"\0\0\1"
    levels = e.CompressiveEncoding(rle=e.Rle(values=flat(bits), run_lengths=flat(8)))
    parts = [np.array([1, len(run), 2], "<u2").tobytes(), run, shorts(1)]
    whole = b"".join(each + bytes(-len(each) % 8) for each in parts)
    data = small([whole], [0], 1, layers=[NULLABLE], def_compression=levels)
    wanted = f"bits_per_value: found {bits}, wanted 8, 16, 32 or 64"
    with lance.open(data) as file, pytest.raises(FormatError, match=wanted):
        file.to_table()


def test_offsets_of_text_that_leave_their_chunk_are_refused() -> None:
    """Text offsets that leave their chunk, even those near 2^32, are refused."""
    text = np.array([12, (1 << 32) - 2, 16], "<u4").tobytes() + b"wxyz"
    variable = e.CompressiveEncoding(variable=e.Variable(offsets=flat(32)))
    data = small([chunk(text)], [0], 2, value_compression=variable)
    with (
        lance.open(data) as file,
        pytest.raises(FormatError, match="found offsets that descend, wanted ascending offsets"),
    ):
        file.to_table()


def test_more_values_than_the_limit_are_refused() -> None:
    """As many values as ``limits.elements`` are read; one more is refused before allocation."""
    data = small([chunk(shorts(1, 2, 3))], [0], 3)
    with lance.open(data, limits=Limits(elements=3)) as file:
        assert file.to_table().num_rows == 3
    with (
        lance.open(data, limits=Limits(elements=2)) as file,
        pytest.raises(LimitExceeded, match=r"found 3 values, wanted at most 2 \(limits.elements\)"),
    ):
        file.to_table()


def test_a_page_of_nulls_is_made_for_the_rows_that_are_wanted() -> None:
    """A page of 2^60 nulls takes memory only for the rows that are read."""
    layout = e.PageLayout(constant_layout=e.ConstantLayout(layers=[NULLABLE]))
    page = StoredPage(1 << 60, URL, layout)
    data = lance_file([lance_field("c", "int64")], [[page]], rows=1 << 60, version="2.1")
    with lance.open(data) as file:
        assert file.scan(rows=range(7, 9)).to_table()["c"].to_pylist() == [None, None]
        assert file.take([1 << 59])["c"] == pa.chunked_array([pa.nulls(1, pa.int64())])
        with pytest.raises(LimitExceeded, match=r"limits\.elements"):
            file.to_table()
