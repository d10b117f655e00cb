"""Layouts of pages from version 2.1 on: the checks that are made before anything is decoded."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_chunks import chunks, flat, ints, page_of, variable, words_of

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.lance.pages21.blob import BlobPage
from byteloom.lance.pages21.chunks import Words
from byteloom.lance.pages21.constant import ConstantPage
from byteloom.lance.pages21.full_zip import FullZipPage
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.nesting import Nesting
from byteloom.lance.pages21.row_index import by_index, by_values
from byteloom.limits import Limits
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.pages21.parts import Chunks
    from byteloom.lance.stored_pages import StoredPage

Kind: Final = e.RepDefLayer
ITEM, NULLABLE = Kind.REPDEF_ALL_VALID_ITEM, Kind.REPDEF_NULLABLE_ITEM
LIST, NULL_LIST = Kind.REPDEF_ALL_VALID_LIST, Kind.REPDEF_NULL_AND_EMPTY_LIST
INT, LISTS = pa.int16(), pa.list_(pa.int16())
HERE: Final = "at byte 7 (0x7): found "
PART: Final = "found part of a row, wanted rows that begin and end as the repetition index says"


def levels(*numbers: int) -> bytes:
    """Levels of two bytes each."""
    return ints("<u2", *numbers)


# Constant


def constant(
    type_: pa.DataType, *buffers: bytes, length: int = 2, most: int = 100, **layout: Any
) -> ConstantPage:
    """A page of one value."""
    given: dict[str, Any] = {"layers": [NULLABLE], **layout}
    page = page_of(*buffers, length=length, limits=Limits(elements=most))
    return ConstantPage(page, e.ConstantLayout(**given), type_)


def stored(*buffers: bytes) -> bytes:
    """A value as buffers of Arrow: how many, the size of each, and their bytes."""
    return ints("<u4", len(buffers), *map(len, buffers)) + b"".join(buffers)


PAIR: Final = pa.list_(pa.int16(), 2)
TEXT: Final = ints("<i4", 0, 2) + b"", b"ab"
NULLABLE_LISTS: Final[dict[str, Any]] = {"layers": [ITEM, NULL_LIST]}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (constant(INT), [None, None]),
        (constant(INT, inline_value=b"\5\1"), [261, 261]),
        (constant(pa.bool_(), inline_value=b"\1"), [True, True]),
        (constant(PAIR, inline_value=b"\1\0\2\0"), [[1, 2], [1, 2]]),
        (constant(pa.list_(pa.bool_(), 2), inline_value=b"\2"), [[False, True]] * 2),
        (constant(pa.list_(pa.bool_(), 2), inline_value=b"\0\1"), [[False, True]] * 2),
        (constant(INT, stored(b"\7\0")), [7, 7]),
        (constant(pa.string(), stored(*TEXT)), ["ab", "ab"]),
        (constant(pa.large_binary(), stored(ints("<i8", 1, 2), b"ab")), [b"b", b"b"]),
        (constant(INT, b"", levels(0, 1), inline_value=b"\5\0"), [5, None]),
        (constant(INT, stored(b"\7\0"), b"", levels(1, 0)), [None, 7]),
        (
            constant(LISTS, levels(1, 0, 1, 1), levels(0, 0, 1, 2), **NULLABLE_LISTS, length=3),
            [[None, None], None, []],
        ),
        (
            constant(
                INT,
                b"",
                levels(0, 1, 0),
                inline_value=b"\5\0",
                def_compression=flat(16),
                num_def_values=2,
            ),
            [5, None],
        ),
    ],
)
def test_a_value_is_that_of_all_rows(page: ConstantPage, expected: list[Any]) -> None:
    """A constant page has its value in every row that levels do not make null or an empty list."""
    assert page.whole().to_pylist() == expected
    assert page.take(np.array([len(expected) - 1])).to_pylist() == expected[-1:]


@pytest.mark.parametrize(
    ("type_", "buffers", "layout", "wanted"),
    [
        (
            pa.struct([("a", INT)]),
            [],
            {"layers": []},
            f"p.layers {HERE}no layers, wanted those of s",
        ),
        (INT, [b""] * 4, {}, f"p.buffer_offsets {HERE}4, wanted 0 or 1 or 2 or 3"),
        (LISTS, [], NULLABLE_LISTS, f"p.buffers {HERE}no levels, wanted some"),
        (LISTS, [b"", levels(0)], NULLABLE_LISTS, f"p.rep {HERE}no levels, wanted some, for lists"),
        (
            LISTS,
            [levels(1, 1), levels(1)],
            NULLABLE_LISTS,
            f"p.levels {HERE}[1, 2], wanted as many of each",
        ),
        (
            INT,
            [b"", b"abc"],
            {},
            "p.def at byte 0 (0x0): found 3 bytes, wanted levels of two bytes",
        ),
        (
            INT,
            [b"", levels(*[0] * 5)],
            {"most": 4},
            "p.def at byte 0 (0x0): found 5 levels, wanted at most 4 (limits.elements)",
        ),
        (
            INT,
            [b"x", b"", levels(0)],
            {"def_compression": flat(16), "num_def_values": 101},
            "p.def at byte 1 (0x1): found 101 levels, wanted at most 100 (limits.elements)",
        ),
        (INT, [], {"most": 1}, f"p {HERE}2 values, wanted at most 1 (limits.elements)"),
        (
            INT,
            [],
            {"inline_value": b"a"},
            f"p.inline_value {HERE}values of 8 bits, wanted values of",
        ),
        *(
            (
                INT,
                [data],
                {},
                f"p.value at byte 0 (0x0): found {len(data)} bytes, wanted buffers of a value",
            )
            for data in [b"", b"\1\0\0", ints("<u4", 0), ints("<u4", 2, 1), ints("<u4", 1, 1)]
        ),
        (
            INT,
            [stored(b"", b"")],
            {},
            "p.value at byte 0 (0x0): found 2 buffers, wanted those of in",
        ),
        (
            pa.string(),
            [stored(b"a")],
            {},
            "p.value at byte 0 (0x0): found 1 buffers, wanted those of string",
        ),
        *(
            (
                pa.string(),
                [stored(ints("<i4", *ends), b"ab")],
                {},
                f"p.value at byte 0 (0x0): found offsets {ends}, wanted 0 to 2",
            )
            for ends in ([0], [-1, 1], [2, 1], [0, 3])
        ),
        (
            pa.string(),
            [stored(ints("<i4", 0, 1), b"\xff")],
            {},
            "p.value at byte 0 (0x0): found invalid UTF-8, wanted text in UTF-8",
        ),
    ],
)
def test_a_damaged_value_is_refused(
    type_: pa.DataType, buffers: list[bytes], layout: dict[str, Any], wanted: str
) -> None:
    """The error for a damaged constant has its place, what was found and what was wanted."""
    with pytest.raises(ByteloomError, match=f"^{re.escape(wanted)}"):
        constant(type_, *buffers, **layout).whole()


# FullZip


def zipped(
    type_: pa.DataType, *buffers: bytes, length: int = 2, most: int = 100, **layout: Any
) -> FullZipPage:
    """A page of entries, each its levels, its length and its value."""
    given: dict[str, Any] = {
        "layers": [ITEM],
        "num_items": length,
        "num_visible_items": length,
        "bits_per_value": 16,
        "value_compression": flat(16),
        **layout,
    }
    page = page_of(*buffers, length=length, limits=Limits(elements=most))
    return FullZipPage(page, e.FullZipLayout(**given), type_)


LONG: Final[dict[str, Any]] = {
    "bits_per_value": None,
    "bits_per_offset": 32,
    "value_compression": variable(),
}
VERY_LONG: Final[dict[str, Any]] = {**LONG, "bits_per_offset": 64}
WITH_NULLS: Final[dict[str, Any]] = {"layers": [NULLABLE], "bits_def": 1}


def long(*values: bytes) -> bytes:
    """Values after their lengths."""
    return b"".join(ints("<u4", len(each)) + each for each in values)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (zipped(INT, b"\1\0\2\0"), [1, 2]),
        (zipped(INT, b"\0\1\0\1\2\0", **WITH_NULLS), [1, None]),
        (zipped(INT, b"\0\0\1\0\1\0\2\0", **WITH_NULLS, bits_rep=8), [1, None]),
        (zipped(INT, b"\0\0\0\0\1\0\1\0\0\0\2\0", **WITH_NULLS, bits_rep=16), [1, None]),
        (zipped(pa.binary(), long(b"ab", b""), **LONG), [b"ab", b""]),
        (
            zipped(pa.binary(), ints("<u8", 1) + b"a" + ints("<u8", 0), **VERY_LONG),
            [b"a", b""],
        ),
        (zipped(pa.binary(), long(b"ab", b""), b"\0\6\x0a", **LONG), [b"ab", b""]),
        (zipped(pa.binary(), long(b"ab", b""), ints("<u8", 0, 6, 10), **LONG), [b"ab", b""]),
        (
            zipped(
                LISTS,
                b"\4\1\0\0\2\0\5\6",
                ints("<u2", 0, 6, 7, 8),
                layers=[ITEM, NULL_LIST],
                bits_rep=1,
                bits_def=2,
                num_items=4,
                length=3,
            ),
            [[1, 2], None, []],
        ),
    ],
)
def test_entries_are_found_one_after_the_other(page: FullZipPage, expected: list[Any]) -> None:
    """Entries of a full-zip page are read in order, and by their row numbers."""
    assert page.whole().to_pylist() == expected
    for row in range(len(expected)):
        assert page.take(np.array([row])).to_pylist() == expected[row : row + 1]
    assert page.take(np.zeros(0, np.int64)).to_pylist() == []


@pytest.mark.parametrize(
    ("type_", "buffers", "layout", "wanted"),
    [
        (INT, [b""] * 3, {}, f"p.buffer_offsets {HERE}3, wanted 1 or 2"),
        (INT, [b""], {"bits_rep": 17}, f"p.bits_rep {HERE}17, wanted at most 16"),
        (INT, [b""], {"bits_def": 17}, f"p.bits_def {HERE}17, wanted at most 16"),
        (
            INT,
            [b""],
            {**LONG, "bits_per_offset": 16},
            f"p.bits_per_offset {HERE}16, wanted 32 or 64",
        ),
        (INT, [b""], {"bits_per_value": 12}, f"p.bits_per_value {HERE}12, wanted a multiple of 8"),
        (
            LISTS,
            [b""],
            {"layers": [ITEM, LIST]},
            f"p.bits_rep {HERE}0, wanted 1 or more, for lists",
        ),
        (INT, [b"\1\0\2"], {}, f"p.num_items {HERE}2, wanted at most 1"),
        (
            INT,
            [b"\1\0\2\0"],
            {"most": 1},
            f"p.num_items {HERE}2, wanted at most 1 (limits.elements)",
        ),
        (
            INT,
            [b"\0\1\0\0\2"],
            WITH_NULLS,
            "p.values at byte 3 (0x3): found 1 entries of 3, wanted 2 entries of 5 bytes",
        ),
        (
            INT,
            [b"\0\1\0\0\2\0\0"],
            WITH_NULLS,
            "p.values at byte 6 (0x6): found 2 entries of 6, wanted 2 entries of 7 bytes",
        ),
        (
            pa.binary(),
            [long(b"ab") + ints("<u4", 3) + b"ab"],
            LONG,
            "p.values at byte 6 (0x6): found 1 entries of 6, wanted 2 entries of 12 bytes",
        ),
    ],
)
def test_damaged_entries_are_refused(
    type_: pa.DataType, buffers: list[bytes], layout: dict[str, Any], wanted: str
) -> None:
    """The error for a full-zip page shows the wrong layout, or the place of the first cut entry."""
    with pytest.raises(ByteloomError, match=f"^{re.escape(wanted)}"):
        zipped(type_, *buffers, **layout).whole()


@pytest.mark.parametrize(
    ("index", "wanted"),
    [
        (b"\0\6", "p.repetition_index at byte 10 (0xa): found 2 bytes, wanted 3 places"),
        (bytes(9), "p.repetition_index at byte 10 (0xa): found 9 bytes, wanted 3 places"),
        (bytes(7), "p.repetition_index at byte 10 (0xa): found 7 bytes, wanted 3 places"),
        (b"\0\6\x0b", f"p.repetition_index {HERE}rows at 6 to 11, wanted ascending ones up to 10"),
        (b"\0\7\6", f"p.repetition_index {HERE}rows at 7 to 6, wanted ascending ones up to 10"),
        (b"\0\0\x0a", f"p.values at byte 6 (0x6): {PART}"),
        (b"\0\6\6", f"p.values at byte 6 (0x6): {PART}"),
        (
            b"\0\6\x09",
            "p.values at byte 6 (0x6): found 0 entries of 0, wanted 0 entries of 3 bytes",
        ),
    ],
)
def test_a_damaged_index_of_rows_is_refused(index: bytes, wanted: str) -> None:
    """A damaged repetition index is refused when a row is taken by it."""
    page = zipped(pa.binary(), long(b"ab", b""), index, **LONG)
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}$"):
        page.take(np.array([1]))


# Blob


def blobs(type_: pa.DataType, *layers: int, inner: e.PageLayout | None = None) -> BlobPage:
    """A page of three blobs: bytes 0 and 1 of the file, null, and empty."""
    values = ints("<u8", 0, 2, 1 << 16, 0, 0, 0)
    chunk = ints("<u2", 0, len(values), 0, 0) + values
    pair = e.PackedStruct(bits_per_value=[64, 64], values=flat(128))
    layout = e.MiniBlockLayout(
        value_compression=e.CompressiveEncoding(packed_struct=pair),
        layers=[ITEM],
        num_buffers=1,
        num_items=3,
    )
    stored = page_of(words_of(chunk), chunk, length=3)
    whole = inner or e.PageLayout(mini_block_layout=layout)
    return BlobPage(stored, e.BlobLayout(inner_layout=whole, layers=layers), type_)


@pytest.mark.parametrize("type_", [pa.binary(), pa.large_binary()])
def test_a_blob_page_has_places_and_levels(type_: pa.DataType) -> None:
    """Where a blob's size is 0, its position holds the definition level."""
    page = blobs(type_, NULLABLE)
    first = page.whole().to_pylist()
    assert (len(first[0]), first[1:]) == (2, [None, b""])
    assert page.take(np.array([1, 2])).to_pylist() == [None, b""]


@pytest.mark.parametrize(
    ("page", "error", "wanted"),
    [
        (
            lambda: blobs(pa.int8(), NULLABLE),
            FormatError,
            f"p.layout {HERE}blobs, wanted values of",
        ),
        (
            lambda: blobs(pa.list_(pa.binary()), ITEM, LIST),
            Unsupported,
            f"p.layers {HERE}lists of blobs, wanted blobs, one for each row",
        ),
        (
            lambda: blobs(pa.binary(), ITEM, inner=e.PageLayout(full_zip_layout=e.FullZipLayout())),
            Unsupported,
            f"p.layers {HERE}places as full_zip_layout, wanted blobs, one for each row",
        ),
        (
            lambda: blobs(pa.binary(), ITEM).whole(),
            FormatError,
            f"p {HERE}a definition level of 1, wanted 0",
        ),
    ],
)
def test_other_pages_of_blobs_are_refused(
    page: Any, error: type[ByteloomError], wanted: str
) -> None:
    """A blob page of another type or layout is refused before anything of it is read."""
    with pytest.raises(error, match=f"^{re.escape(wanted)}"):
        page()


# Levels


def leaf(count: int) -> Any:
    """A function that makes a leaf of *count* integers, whose nulls its argument gives."""

    def made(valid: np.ndarray | None) -> pa.Array:
        buffers = [
            None if valid is None else pa.py_buffer(valid),
            pa.py_buffer(np.arange(count, dtype="<i2")),
        ]
        return pa.Array.from_buffers(INT, count, buffers)

    return made


def u2(*numbers: int) -> np.ndarray:
    """Levels."""
    return np.array(numbers, np.uint16)


DEEP: Final = pa.list_(pa.struct([("a", pa.large_list(INT))]))


def test_levels_fold_into_lists() -> None:
    """Levels make nested lists with a null at each layer and an empty list."""
    nesting = Nesting(DEEP, [NULLABLE, NULL_LIST, NULLABLE, NULL_LIST], "p")
    assert (nesting.max_rep, nesting.max_level, nesting.most_visible) == (2, 6, 1)
    rep = u2(2, 0, 1, 1, 1, 2, 2)
    definition = u2(0, 1, 2, 3, 4, 5, 6)
    assert nesting.visible(definition, 7) == 2
    expected: list[Any] = [[{"a": [0, None]}, {"a": None}, {"a": []}, None], None, []]
    assert nesting.arrays(rep, definition, leaf(2)).to_pylist() == expected


@pytest.mark.parametrize(
    ("nesting", "rep", "definition", "items", "wanted"),
    [
        (
            Nesting(INT, [NULLABLE], "p"),
            None,
            u2(0, 2),
            2,
            "p.definition_levels: found 2, wanted at",
        ),
        (
            Nesting(LISTS, [ITEM, LIST], "p"),
            u2(1, 0),
            None,
            3,
            "p: found 3 items in lists, wanted 2",
        ),
        *(
            (
                Nesting(LISTS, [ITEM, NULL_LIST], "p"),
                u2(1, 1, 0),
                u2(0, *definition),
                2,
                "p.repetition_levels: found entry 2 in the middle of a list, wanted only items",
            )
            for definition in [(1, 0), (2, 0), (0, 1), (0, 2)]
        ),
        (
            Nesting(pa.list_(LISTS), [ITEM, LIST, LIST], "p"),
            u2(1, 2),
            None,
            2,
            "p.repetition_levels[0]: found 1, wanted 2, since a row begins here",
        ),
        (
            Nesting(pa.list_(pa.struct([("a", INT)]), 2), [ITEM, ITEM, ITEM], "p"),
            None,
            None,
            3,
            "p: found 3 items, wanted a multiple of 2",
        ),
    ],
)
def test_levels_that_fit_no_values_are_refused(
    nesting: Nesting,
    rep: np.ndarray | None,
    definition: np.ndarray | None,
    items: int,
    wanted: str,
) -> None:
    """Levels that no layer has, or that do not match the values, are refused."""
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        nesting.arrays(rep, definition, leaf(items))


# Chunks and rows


def words(counts: list[int], *ends: int) -> Words:
    """Chunks of a given number of values."""
    none = np.zeros(len(counts), np.int64)
    return Words(none, none, np.array(counts), np.array(ends))


def index(*numbers: int) -> np.ndarray:
    """A repetition index: for each chunk the rows that end in it, and the levels after them."""
    return np.frombuffer(ints("<u8", *numbers), np.uint8).copy()


def rep_levels(*chunks_: list[int]) -> tuple[Chunks, np.ndarray]:
    """Repetition levels of chunks, each by itself and all together."""
    counts = [len(each) for each in chunks_]
    return chunks(counts, [b""] * len(counts)), u2(*[level for each in chunks_ for level in each])


def long_page(length: int) -> StoredPage:
    """A page of a given number of rows, whose last buffer is at byte 3."""
    return page_of(b"abc", b"", length=length)


def test_rows_are_found_by_the_index() -> None:
    """The repetition index gives the chunks of a row, those into which it continues included."""
    pages, stored = [long_page(3), long_page(2)], [index(1, 2, 0, 5, 2, 0), index(0, 3, 2, 0)]
    # Row 0 ends in chunk 0, row 1 in chunk 2, row 2 too; row 3 in chunk 4, after chunk 3.
    for rows, expected, torn, begun in [
        ([0], [0], [], 2),
        ([1], [0, 1, 2], [], 3),
        ([2], [2], [2], 2),
        ([3], [3, 4], [], 2),
        ([4], [4], [4], 2),
        ([0, 2], [0, 2], [2], 4),
        ([2, 4], [2, 4], [2, 4], 4),
        ([1, 4], [0, 1, 2, 4], [4], 5),
        ([], [], [], 0),
    ]:
        found = by_index(pages, stored, words([1] * 5, 3, 5), np.array(rows, np.int64))
        assert found.index is not None
        assert found.chunks.tolist() == expected
        assert (found.index.begun + found.index.torn).sum() == begun
        assert found.chunks[found.index.torn].tolist() == torn


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        (
            index(1, 2),
            "p.repetition_index at byte 3 (0x3): found 16 bytes, wanted 16 for each of 2",
        ),
        (index(1, 0, 1, 0), "p.repetition_index at byte 3 (0x3): found 2 rows, wanted 3"),
        (index(1, 0, 3, 0), "p.repetition_index at byte 3 (0x3): found 4 rows, wanted 3"),
        (
            index(4, 0, (1 << 64) - 1, 0),
            "p.repetition_index at byte 3 (0x3): found 3 rows, wanted 3",
        ),
    ],
)
def test_an_index_that_fits_no_page_is_refused(stored: np.ndarray, wanted: str) -> None:
    """A repetition index that does not add up to the rows of its page is refused."""
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        by_index([long_page(3)], [stored], words([1, 1], 2), np.array([0]))


def test_entries_are_those_of_the_rows() -> None:
    """If a chunk begins inside a row, the rest of that row is not taken for another row."""
    found = by_index([long_page(3)], [index(1, 1, 2, 0)], words([3, 3], 2), np.array([2]))
    assert found.entries(*rep_levels([0, 1, 0]), 1).tolist() == [1, 2]
    for rep, wanted in [
        ([0, 1, 1], "2 rows, wanted 1"),
        ([0, 0, 0], "0 rows, wanted 1"),
        ([1, 0, 0], "the beginning of a row, wanted more of the row before it"),
    ]:
        with pytest.raises(FormatError) as refused:
            found.entries(*rep_levels(rep), 1)
        said = f"p[0] at byte 1000 (0x3e8): found {wanted}, as the repetition index says"
        assert str(refused.value) == said
    whole = by_index([long_page(2)], [index(2, 0)], words([3], 1), np.array([1]))
    for rep, wanted in [
        ([0, 1, 1], "more of a row, wanted a row, as the repetition index says"),
        ([1, 0, 0], "1 rows, wanted 2, as the repetition index says"),
        ([1, 1, 1], "3 rows, wanted 2, as the repetition index says"),
    ]:
        with pytest.raises(FormatError) as refused:
            whole.entries(*rep_levels(rep), 1)
        assert str(refused.value) == f"p[0] at byte 1000 (0x3e8): found {wanted}"
    stored = [index(1, 0, 0, 2, 2, 0)]
    found = by_index([long_page(3)], stored, words([2, 2, 3], 3), np.array([0, 2]))
    assert found.chunks.tolist() == [0, 2]
    assert found.entries(*rep_levels([1, 0], [0, 1, 0]), 1).tolist() == [0, 1, 3, 4]


def test_each_chunk_has_the_rows_that_the_index_says() -> None:
    """A chunk is refused if the index gives it another number of rows, whatever others have."""
    stored = [index(1, 0, 2, 0, 1, 0)]
    found = by_index([long_page(4)], stored, words([2, 2, 2], 3), np.array([0, 1, 3]))
    assert found.entries(*rep_levels([1, 0], [1, 1], [1, 0]), 1).tolist() == [0, 1, 2, 4, 5]
    with pytest.raises(FormatError, match=r"^p\[0\] at byte 1000 .*: found 2 rows, wanted 1, as"):
        found.entries(*rep_levels([1, 1], [1, 0], [1, 0]), 1)
    with pytest.raises(FormatError, match=r"^p\[1\] at byte 1100 .*: found more of a row, want"):
        found.entries(*rep_levels([1, 0], [0, 1, 1], [1, 0]), 1)


def test_chosen_chunks_are_called_by_their_numbers() -> None:
    """Errors give the number of a chunk in its page, not among the chunks that are read."""
    found = by_index([long_page(3)], [index(1, 0, 1, 0, 1, 0)], words([1] * 3, 3), np.array([2]))
    assert words([1] * 3, 3).chosen(found.chunks).numbers is found.chunks
    whole = replace(chunks([1, 1], [b"", b""]), numbers=np.array([4, 7]))
    assert (whole.path_of(0), whole.path_of(1)) == ("p[4]", "p[7]")
    assert str(whole.with_(counts=np.array([2, 2])).refused(1, 0, "1")).startswith(
        "p[7] at byte 11"
    )


@pytest.mark.parametrize(
    ("numbers", "is_sound"),
    [((1, 1, 0, 0, 1, 0), False), ((1, 1, 0, 1, 1, 0), True), ((1, 0, 0, 0, 1, 0), True)],
)
def test_a_row_that_goes_on_has_an_end(numbers: tuple[int, ...], is_sound: bool) -> None:
    """An index is refused if a row continues in a chunk where it neither ends nor continues."""
    pages, rows = [long_page(2)], np.array([0])
    if is_sound:
        assert by_index(pages, [index(*numbers)], words([1] * 3, 3), rows).chunks.tolist() == [0]
        return
    wanted = r"^p\.repetition_index at byte 3 \(0x3\): found a row without an end"
    with pytest.raises(FormatError, match=wanted):
        by_index(pages, [index(*numbers)], words([1] * 3, 3), rows)


def test_a_page_has_as_many_rows_as_values() -> None:
    """Without lists, a page whose rows and values differ in number is refused by `take`."""
    pages = [long_page(3), long_page(2)]
    found = by_values(pages, [3, 2], words([2, 1, 2], 2, 3), np.array([1, 2, 4]))
    assert (found.chunks.tolist(), found.rows.tolist()) == ([0, 1, 2], [1, 2, 4])
    found = by_values(pages, [3, 2], words([2, 1, 2], 2, 3), np.array([0, 4]))
    assert (found.chunks.tolist(), found.rows.tolist()) == ([0, 2], [0, 3])
    with pytest.raises(
        FormatError, match=r"^p\.length at byte 7 \(0x7\): found 2, wanted 1, its v"
    ):
        by_values(pages, [3, 1], words([3, 1], 1, 2), np.array([0]))


def mini_block(type_: pa.DataType, **layout: Any) -> MiniBlockPages:
    """A page of chunks."""
    given: dict[str, Any] = {
        "layers": [ITEM],
        "num_buffers": 1,
        "value_compression": flat(16),
        **layout,
    }
    return MiniBlockPages([page_of(b"", b"")], [e.MiniBlockLayout(**given)], type_)


@pytest.mark.parametrize(
    ("type_", "layout", "wanted"),
    [
        (INT, {"num_buffers": 0}, f"p.num_buffers {HERE}0, wanted 1 to 64"),
        (INT, {"num_buffers": 65}, f"p.num_buffers {HERE}65, wanted 1 to 64"),
        (INT, {"dictionary": flat(16)}, f"p.buffer_offsets {HERE}2, wanted 3"),
        (INT, {"repetition_index_depth": 1}, f"p.buffer_offsets {HERE}2, wanted 3"),
        (
            LISTS,
            {"layers": [ITEM, LIST]},
            f"p.rep_compression {HERE}nothing, wanted an encoding, for lists",
        ),
    ],
)
def test_a_layout_that_chunks_do_not_have_is_refused(
    type_: pa.DataType, layout: dict[str, Any], wanted: str
) -> None:
    """An impossible mini-block layout is refused before a chunk is read."""
    assert mini_block(INT, num_buffers=64).nesting.size == 1
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        mini_block(type_, **layout)


def test_limits_of_chunks_have_no_place_of_their_own() -> None:
    """An error about a chunk that has no known place names the chunk alone."""
    error = chunks([1], [b"a"]).refused(1, "x", "y")
    assert str(error) == "p[1]: found x, wanted y"
    with pytest.raises(LimitExceeded, match=r"^p: found 2 bytes, wanted at most 1 \(limits\.deco"):
        chunks([1], [b"a"], limits=Limits(decompressed_size=1)).check_size(2)
