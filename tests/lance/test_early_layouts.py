"""Layouts of version 2.1 by releases 0.26 to 0.32, which describe values by array encodings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import zstandard
from tests.lance.test_pages21 import ITEM, NULLABLE, chunk
from tests.support.lance_chunks import shorts, texts, words_of
from tests.support.lance_files import StoredPage, lance_field, lance_file

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.lance.describing import encoding_text
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.lance import encodings20 as a
from byteloom_generated.lance import encodings26 as e

URL = "/lance.encodings.PageLayout"
FLAT = a.ArrayEncoding(flat=a.Flat(bits_per_value=16))
VARIABLE = a.ArrayEncoding(variable=a.Variable(bits_per_offset=32))


def file_of(kind: str, rows: int, layout: Any, *buffers: bytes) -> bytes:
    """A file of a column with one page."""
    page = StoredPage(rows, URL, layout, buffers)
    return lance_file([lance_field("c", kind)], [[page]], rows=rows, version="2.1")


def small(kind: str, rows: int, content: bytes, *others: bytes, **changes: Any) -> bytes:
    """A file whose page is one chunk."""
    given = {"value_compression": FLAT, "layers": [ITEM], "num_buffers": 1, "num_items": rows}
    layout = e.PageLayout(mini_block_layout=e.MiniBlockLayout(**{**given, **changes}))
    return file_of(kind, rows, layout, words_of(content), content, *others)


def zipped(encoding: a.ArrayEncoding, *values: bytes) -> bytes:
    """A file whose page has values after their lengths, and where each row begins."""
    parts = [len(each).to_bytes(4, "little") + each for each in values]
    index = np.cumsum([0, *map(len, parts)]).astype("u1").tobytes()
    count = len(values)
    layout = e.FullZipLayout(
        bits_per_offset=32,
        num_items=count,
        num_visible_items=count,
        value_compression=encoding,
        layers=[ITEM],
    )
    whole = e.PageLayout(full_zip_layout=layout)
    return file_of("binary", count, whole, b"".join(parts), index)


def frame(data: bytes) -> bytes:
    """Zstandard as of old, with no size before the frame."""
    return zstandard.ZstdCompressor().compress(data)


def runs() -> bytes:
    """A chunk of two runs: three times 7, then 8."""
    parts = [np.array([0, 4, 2], "<u2").tobytes(), shorts(7, 8), b"\3\1"]
    return b"".join(each + bytes(-len(each) % 8) for each in parts)


RLE = a.ArrayEncoding(rle=a.Rle(bits_per_value=16))
SPLIT = a.ArrayEncoding(byte_stream_split=a.ByteStreamSplit(bits_per_value=16))
PAIRS = a.ArrayEncoding(fixed_size_list=a.FixedSizeList(dimension=2, items=FLAT))
ZSTD = a.ArrayEncoding(
    general_mini_block=a.GeneralMiniBlock(inner=FLAT, compression=a.Compression(scheme="zstd"))
)
BLOCK = a.ArrayEncoding(block=a.Block(scheme="zstd"))
NULLS = {"layers": [NULLABLE], "def_compression": FLAT}
WORDS = {"dictionary": VARIABLE, "num_dictionary_items": 2}
ITEMS = (2).to_bytes(4, "little") + (20).to_bytes(4, "little") + b"\0\0\0\0\1\0\0\0\3\0\0\0abb"


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (small("int16", 3, chunk(shorts(1, 2, 3))), [1, 2, 3]),
        (small("int16", 2, chunk(shorts(1, 2), shorts(0, 1)), **NULLS), [1, None]),
        (small("int16", 4, runs(), value_compression=RLE, num_buffers=2), [7, 7, 7, 8]),
        (small("int16", 2, chunk(b"\1\2\0\1"), value_compression=SPLIT), [1, 258]),
        (small("int16", 2, chunk(frame(shorts(5, 6))), value_compression=ZSTD), [5, 6]),
        (small("string", 2, chunk(texts(b"a", b"bc")), value_compression=VARIABLE), ["a", "bc"]),
        (
            small("fixed_size_list:int16:2", 1, chunk(shorts(1, 2)), value_compression=PAIRS),
            [[1, 2]],
        ),
        (small("string", 3, chunk(shorts(1, 0, 1)), ITEMS, **WORDS), ["bb", "a", "bb"]),
        (zipped(VARIABLE, b"a", b"", b"bc"), [b"a", b"", b"bc"]),
        (zipped(BLOCK, frame(b"abc")), [b"abc"]),
        (
            file_of("int16", 2, e.PageLayout(all_null_layout=e.AllNullLayout(layers=[NULLABLE]))),
            [None, None],
        ),
    ],
)
def test_values_are_those_of_todays_encodings(data: bytes, wanted: list[Any]) -> None:
    """Values of early layouts are read, whole and by row numbers."""
    with lance.open(data) as file:
        assert file.to_table()["c"].to_pylist() == wanted
        assert file.take([len(wanted) - 1])["c"].to_pylist() == wanted[-1:]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (
            file_of("int16", 1, e.PageLayout(full_zip_layout=e.FullZipLayout()), b""),
            "value_compression at byte .*found no encoding, wanted an encoding of values",
        ),
        (
            small(
                "int16",
                1,
                chunk(shorts(1)),
                value_compression=a.ArrayEncoding(
                    flat=a.Flat(bits_per_value=16, compression=a.Compression(scheme="zstd"))
                ),
            ),
            r"value_compression\.flat\.compression at byte .*found zstd, wanted none",
        ),
        (
            small("int16", 1, chunk(shorts(1)), value_compression=a.ArrayEncoding(list=a.List())),
            "value_compression at byte .*found list, wanted an encoding of chunks",
        ),
        (zipped(a.ArrayEncoding(block=a.Block(scheme="xz")), b"a"), "found xz, wanted lz4 or zstd"),
    ],
)
def test_what_these_releases_did_not_write_is_refused(data: bytes, wanted: str) -> None:
    """An early layout that no release wrote is refused by name and place."""
    with lance.open(data) as file, pytest.raises(Unsupported, match=wanted):
        file.to_table()


def test_a_layout_without_a_count_of_values_is_not_taken_for_an_earlier_one() -> None:
    """A layout without a count of values is refused as damaged, not read as an older form."""
    data = small("int16", 1, chunk(shorts(1)), num_items=0)
    with lance.open(data) as file, pytest.raises(FormatError, match="mini_block_layout"):
        file.to_table()


def test_such_a_layout_is_shown_by_its_fields() -> None:
    """An early layout is shown by its fields, like a current one."""
    with lance.open(small("int16", 4, runs(), value_compression=RLE, num_buffers=2)) as file:
        page = file.columns([0])[0].pages[0]
        found = encoding_text(page, DEFAULT_LIMITS)
    assert found == "mini_block_layout(value_compression=rle(16), layers=[all_valid_item])"
