"""Errors of pages of Lance files: their place, what was found and what was wanted."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest
import zstandard
from tests.lance import test_early_layouts as early
from tests.lance.test_pages21 import ITEM, URL, chunk, small
from tests.support.lance_chunks import flat, shorts
from tests.support.lance_files import StoredPage, lance_field, lance_file

from byteloom import lance
from byteloom.errors import (
    ArgumentError,
    ByteloomError,
    FormatError,
    LimitExceeded,
    Unsupported,
)
from byteloom.lance.selection import row_numbers, row_range
from byteloom.lance.sized import decompressed
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom_generated.lance import encodings20 as old
from byteloom_generated.lance import encodings21 as e
from byteloom_generated.lance.file2 import DeferredEncoding, Encoding

NULLABLE_LIST: Final = e.RepDefLayer.REPDEF_NULLABLE_LIST
ZSTD: Final = e.BufferCompression(scheme=e.CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)


def zipped(*index: int) -> bytes:
    """A file of two texts of two bytes each, each after its length, and where rows begin."""
    layout = e.FullZipLayout(
        bits_per_offset=32,
        num_items=2,
        num_visible_items=2,
        value_compression=e.CompressiveEncoding(variable=e.Variable(offsets=flat(32))),
        layers=[ITEM],
    )
    data = b"\2\0\0\0ab\2\0\0\0cd"
    whole = e.PageLayout(full_zip_layout=layout)
    page = StoredPage(2, URL, whole, [data, bytes(index)])
    return lance_file([lance_field("c", "binary")], [[page]], rows=2, version="2.1")


def pages(*buffers: bytes, **changes: Any) -> bytes:
    """A file of one 16-bit integer in a mini-block page of these buffers."""
    given: dict[str, Any] = {
        "value_compression": flat(16),
        "layers": [ITEM],
        "num_buffers": 1,
    }
    layout = e.PageLayout(mini_block_layout=e.MiniBlockLayout(num_items=1, **given))
    page = StoredPage(1, URL, layout, buffers, **changes)
    return lance_file([lance_field("c", "int16")], [[page]], rows=1, version="2.1")


WIDE_RUNS: Final = e.CompressiveEncoding(rle=e.Rle(values=flat(16), run_lengths=flat(16)))
OTHER_SCHEME: Final = old.ArrayEncoding(
    general_mini_block=old.GeneralMiniBlock(
        inner=early.FLAT, compression=old.Compression(scheme="lzo")
    )
)
WORD: Final = b"\0\0"
INDIRECT: Final = {"encoding": Encoding(indirect=DeferredEncoding())}
DAMAGED: Final[dict[str, tuple[bytes, type[ByteloomError]]]] = {
    "run_lengths: found wider run lengths, wanted 8 bits": (
        small([chunk(shorts(1))], [0], 1, value_compression=WIDE_RUNS),
        Unsupported,
    ),
    "columns[0].pages[0].layers[0]: found 0, wanted a kind of layer": (
        small([chunk(shorts(1))], [0], 1, layers=[0]),
        FormatError,
    ),
    "columns[0].pages[0].layers[0]: found REPDEF_NULLABLE_LIST, wanted a layer of int16": (
        small([chunk(shorts(1))], [0], 1, layers=[NULLABLE_LIST]),
        FormatError,
    ),
    "columns[0].pages[0].layers: found 2, wanted at most 1": (
        small([chunk(shorts(1))], [0], 1, layers=[ITEM, ITEM]),
        FormatError,
    ),
    "columns[0].pages[0].buffer_offsets at byte 95 (0x5f): found 1, wanted 2":
        (pages(WORD), FormatError),
    "columns[0].pages[0].encoding at byte 159 (0x9f): "
    "found an encoding stored elsewhere (indirect), wanted a direct one":
        (pages(WORD, chunk(shorts(1)), metadata=INDIRECT), Unsupported),
    "general_mini_block.scheme at byte 159 (0x9f): found lzo, wanted lz4 or zstd": (
        early.small("int16", 1, chunk(shorts(1)), value_compression=OTHER_SCHEME),
        Unsupported,
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", DAMAGED)
def test_a_page_that_cannot_be_read_is_refused(message: str) -> None:
    """The error for an unreadable page has its place, what was found and what was wanted."""
    data, error = DAMAGED[message]
    with pytest.raises(error, match=re.escape(message)), lance.open(data) as file:
        file.to_table()


def test_rows_after_one_another_are_taken_by_their_index() -> None:
    """Consecutive rows are taken by the places that the repetition index gives."""
    with lance.open(zipped(0, 6, 12)) as file:
        assert file.take([1])["c"].to_pylist() == [b"cd"]
        assert file.take([0, 1])["c"].to_pylist() == [b"ab", b"cd"]


@pytest.mark.parametrize(
    ("index", "row", "found"), [((7, 6, 12), 0, "7 to 6"), ((0, 6, 13), 1, "6 to 13")]
)
def test_an_index_that_leaves_its_page_is_refused(
    index: tuple[int, ...], row: int, found: str
) -> None:
    """An index by which a row ends before its start, or after the page, is refused."""
    wanted = rf"repetition_index .*: found rows at {found}, wanted ascending ones up to 12$"
    with lance.open(zipped(*index)) as file, pytest.raises(FormatError, match=wanted):
        file.take([row])


@pytest.mark.parametrize("most", [4095, 4096])
def test_chunks_are_decompressed_up_to_the_limit(most: int) -> None:
    """All chunks of a page together count against ``limits.decompressed_size``."""
    frame = zstandard.ZstdCompressor().compress(bytes(2048))
    compressed = e.CompressiveEncoding(general=e.General(compression=ZSTD, values=flat(16)))
    data = small([chunk(frame)] * 2, [10, 0], 2048, value_compression=compressed)
    with lance.open(data, limits=Limits(decompressed_size=most)) as file:
        if most == 4096:
            assert file.to_table()["c"].to_pylist() == [0] * 2048
            return
        wanted = r"\[1\] .*: found more, wanted 4095 bytes \(limits\.decompressed_size\)$"
        with pytest.raises(LimitExceeded, match=wanted):
            file.to_table()


def test_schemes_of_compression_that_are_unknown_are_refused() -> None:
    """The error for an unknown compression scheme shows its number."""
    wanted = r"^p\.compression\.scheme at byte 7 \(0x7\): found 9, wanted LZ4 \(1\) or Zstandard"
    with pytest.raises(Unsupported, match=wanted):
        decompressed(9, memoryview(b""), DEFAULT_LIMITS, "p", 7)


@pytest.mark.parametrize(("scheme", "width"), [(1, 4), (2, 8)])
def test_compressed_data_begins_with_its_size(scheme: int, width: int) -> None:
    """Compressed data begins with its size: four bytes for LZ4, eight for Zstandard."""
    wanted = rf"^p at byte 7 \(0x7\): found {width - 1} bytes, wanted {width} bytes of size, and"
    with pytest.raises(FormatError, match=wanted):
        decompressed(scheme, memoryview(bytes(width - 1)), DEFAULT_LIMITS, "p", 7)
    assert decompressed(2, memoryview(zstandard.compress(b"abc")), DEFAULT_LIMITS, "p", 7) == b"abc"


@pytest.mark.parametrize("rows", [range(6), range(-1, 3), range(5, 6)])
def test_ranges_of_rows_beyond_the_file_are_refused(rows: range) -> None:
    """The error for a range of rows beyond the file says which rows there are."""
    wanted = rf"^rows: found {re.escape(repr(rows))}, wanted rows 0 to 5$"
    with pytest.raises(FormatError, match=wanted):
        row_range(rows, 5)


@pytest.mark.parametrize("rows", [range(5), range(4, 5), range(1)])
def test_ranges_of_rows_in_the_file_are_taken(rows: range) -> None:
    """Any range within the file is taken; an empty range anywhere means no rows."""
    assert row_range(rows, 5) == rows
    assert row_range(None, 5) == range(5)
    assert row_range(range(9, 9), 5) == range(0)
    with pytest.raises(FormatError, match="wanted a range of rows, one after the other"):
        row_range(range(0, 4, 2), 5)


def test_numbers_of_rows_are_arrays_of_integers() -> None:
    """Row numbers may be given as a NumPy array of integers."""
    with lance.open(zipped(0, 6, 12)) as file:
        assert file.take(np.array([1, 0]))["c"].to_pylist() == [b"cd", b"ab"]


@pytest.mark.parametrize("more", [2.0, np.float64(2), "2", None])
def test_a_list_of_anything_but_integers_is_refused(more: Any) -> None:
    """Every row number has to be an integer; truth values are refused."""
    for rows in ([1, more], [more, 1]):
        with pytest.raises(ArgumentError, match=re.escape(f"found {more!r}, wanted integers")):
            row_numbers(rows, 5)
    with pytest.raises(ArgumentError, match="found True, wanted integers"):
        row_numbers([True, False], 5)


@pytest.mark.parametrize("of", [int, np.int64, np.uint8])
def test_a_list_of_integers_names_rows(of: Any) -> None:
    """Integers of Python and of NumPy name rows, in any order."""
    found = row_numbers([of(3), of(0), of(4)], 5)
    assert found.dtype == np.int64
    assert found.tolist() == [3, 0, 4]
    for rows in ([of(5), of(1)], [of(1), -1]):
        with pytest.raises(ArgumentError, match="wanted 0 to 4"):
            row_numbers(rows, 5)
