"""Layouts of version 2.1 by releases 0.19 to 0.25, and their chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lance.test_pages21 import ITEM, NULLABLE
from tests.support.lance_chunks import shorts, texts, words_of
from tests.support.lance_files import StoredPage, lance_field, lance_file

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.lance import decoding
from byteloom.lance.describing import encoding_text
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.lance import encodings19 as e
from byteloom_generated.lance.encodings21 import RepDefLayer
from byteloom_generated.lance.encodings26 import FullZipLayout as LateFullZip
from byteloom_generated.lance.encodings26 import PageLayout as LateLayout

if TYPE_CHECKING:
    from pathlib import Path

URL = "/lance.encodings.PageLayout"
NULLABLE_LIST = int(RepDefLayer.REPDEF_NULLABLE_LIST)


def flat(bits: int) -> e.ArrayEncoding:
    """Values of a given number of bits."""
    return e.ArrayEncoding(flat=e.Flat(bits_per_value=bits))


NONE = e.ArrayEncoding(constant=e.Constant(value=b"\0\0", num_values=3))
"""Levels that are all 0."""

TEXT = e.ArrayEncoding(variable=e.Variable())
TEXT_32 = e.ArrayEncoding(variable=e.Variable(bits_per_offset=32))
BLOCK = e.ArrayEncoding(text_block=e.TextBlock())
PAIRS = e.ArrayEncoding(fixed_size_list=e.FixedSizeList(dimension=2, items=flat(32)))


def file_of(kinds: list[str], rows: int, layout: Any, *buffers: bytes) -> bytes:
    """A file of a column with one page; each kind but the first is inside of the one before."""
    page = StoredPage(rows, URL, layout, buffers)
    fields = [
        lance_field(f"c{number}", each, number, parent_id=number - 1)
        for number, each in enumerate(kinds)
    ]
    return lance_file(fields, [[page]], rows=rows, version="2.1")


def chunk(values: bytes, rep: bytes = b"", definition: bytes = b"") -> bytes:
    """A chunk: three sizes, levels one after the other, values at a multiple of eight."""
    sizes = np.array([len(rep), len(definition), len(values)], "<u2").tobytes()
    head = sizes + rep + definition
    whole = head + bytes(-len(head) % 8) + values
    return whole + bytes(-len(whole) % 8)


def small(kinds: list[str], rows: int, content: bytes, *others: bytes, **changes: Any) -> bytes:
    """A file whose page is one chunk."""
    given = {"rep_compression": NONE, "def_compression": NONE, "value_compression": flat(16)}
    layout = e.PageLayout(mini_block_layout=e.MiniBlockLayout(**{**given, **changes}))
    return file_of(kinds, rows, layout, words_of(content), content, *others)


def zipped(kinds: list[str], rows: int, data: bytes, **values: Any) -> bytes:
    """A file whose page has entries of one size."""
    return file_of(kinds, rows, e.PageLayout(full_zip_layout=e.FullZipLayout(**values)), data)


def late_text(*values: bytes) -> bytes:
    """A file by release 0.25, whose page has text after its lengths."""
    parts = [len(each).to_bytes(4, "little") + each for each in values]
    count = len(values)
    layout = LateFullZip(
        bits_per_offset=32, num_items=count, num_visible_items=count, layers=[ITEM]
    )
    data = layout.SerializeToString()
    encoding = TEXT_32.SerializeToString()
    data += bytes([7 << 3 | 2, len(encoding)]) + encoding
    whole = LateLayout(full_zip_layout=LateFullZip.parse(data))
    index = np.cumsum([0, *map(len, parts)]).astype("u1").tobytes()
    return file_of(["string"], count, whole, b"".join(parts), index)


def packed() -> e.PackedStruct:
    """Structs of a byte and a short."""
    return e.PackedStruct(flat=flat(24), bits_per_values=[8, 16])


ITEMS = np.array([2, 20, 0, 1, 3], "<u4").tobytes() + b"abb"
"""A dictionary of two texts: their number, where they begin, offsets and bytes."""


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (small(["int16"], 3, chunk(shorts(1, 2, 3))), [1, 2, 3]),
        (small(["int16"], 3, chunk(shorts(1, 2, 3)), layers=[ITEM], num_items=3), [1, 2, 3]),
        (
            small(["int16"], 2, chunk(shorts(1, 2), b"", shorts(0, 1)), def_compression=flat(16)),
            [1, None],
        ),
        (
            small(
                ["int16"],
                2,
                chunk(shorts(1, 2), b"", shorts(0, 1)),
                def_compression=flat(16),
                layers=[NULLABLE],
                num_items=2,
            ),
            [1, None],
        ),
        (small(["string"], 2, chunk(texts(b"a", b"bc")), value_compression=TEXT), ["a", "bc"]),
        (small(["string"], 2, chunk(texts(b"a", b"bc")), value_compression=TEXT_32), ["a", "bc"]),
        (small(["string"], 3, chunk(shorts(1, 0, 1)), ITEMS, dictionary=BLOCK), ["bb", "a", "bb"]),
        (small(["string"], 2, chunk(shorts(1, 1)), ITEMS, dictionary=TEXT_32), ["bb", "bb"]),
        (small(["struct", "int16"], 2, chunk(shorts(1, 2))), [{"c1": 1}, {"c1": 2}]),
        (
            small(
                ["list", "int16"],
                3,
                chunk(shorts(1, 2, 3), shorts(1, 0, 1, 1), shorts(0, 0, 1, 0)),
                np.array([3, 0], "<u8").tobytes(),
                rep_compression=flat(16),
                def_compression=flat(16),
                layers=[ITEM, NULLABLE_LIST],
                repetition_index_depth=1,
                num_items=3,
            ),
            [[1, 2], None, [3]],
        ),
        (
            small(
                ["fixed_size_list:int16:2"],
                2,
                chunk(shorts(1, 2, 3, 4), b"", shorts(0, 1, 2, 2)),
                def_compression=flat(16),
                layers=[NULLABLE, NULLABLE],
                num_items=4,
            ),
            [[1, None], None],
        ),
        (
            zipped(["int16"], 2, b"\0\1\2\1\3\4", bits_def=1, value_compression=flat(16)),
            [513, None],
        ),
        (
            zipped(["int16"], 2, b"\0\0\1\2\1\0\3\4", bits_def=16, value_compression=flat(16)),
            [513, None],
        ),
        (zipped(["fixed_size_list:int16:2"], 1, shorts(1, 2), value_compression=PAIRS), [[1, 2]]),
        (
            zipped(
                ["fixed_size_list:int16:2"],
                2,
                shorts(1, 2, 3, 4),
                value_compression=flat(16),
                layers=[ITEM, ITEM],
            ),
            [[1, 2], [3, 4]],
        ),
        (late_text(b"a", b"", b"bc"), ["a", "", "bc"]),
        (file_of(["int16"], 2, e.PageLayout(all_null_layout=e.AllNullLayout())), [None, None]),
    ],
)
def test_values_are_those_of_todays_encodings(data: bytes, wanted: list[Any]) -> None:
    """Values of the first layouts are read, whole and by row numbers."""
    with lance.open(data) as file:
        assert file.to_table()["c0"].to_pylist() == wanted
        assert file.take([len(wanted) - 1])["c0"].to_pylist() == wanted[-1:]


def shorts_of_pages(columns: int, *pages: list[int]) -> bytes:
    """A file with columns of one content, each page of which is one chunk without levels."""
    layout = e.PageLayout(
        mini_block_layout=e.MiniBlockLayout(
            rep_compression=NONE, def_compression=NONE, value_compression=flat(16)
        )
    )
    stored = []
    for values in pages:
        content = chunk(shorts(*values))
        stored.append(StoredPage(len(values), URL, layout, (words_of(content), content)))
    fields = [lance_field(f"c{each}", "int16", each) for each in range(columns)]
    rows = sum(map(len, pages))
    return lance_file(fields, [stored] * columns, rows=rows, version="2.1")


@pytest.mark.parametrize("columns", [1, 3, 40])
@pytest.mark.parametrize("pages", [[[1, 2, 3]], [[1, 2, 3], [4], [5, 6]]])
def test_files_of_many_such_pages_are_read(
    columns: int, pages: list[list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many pages and columns of the first layouts are read by threads, in batches and by rows."""
    monkeypatch.setattr(decoding, "_WORTH", 0)
    monkeypatch.setattr(decoding, "_LEAST", 0)
    values = [each for page in pages for each in page]
    path = tmp_path / "early.lance"
    path.write_bytes(shorts_of_pages(columns, *pages))
    with lance.open(path) as file:
        for threads in (1, 2):
            for size in (2, 9):
                found = file.scan(batch_size=size, threads=threads).to_table()
                assert [each.to_pylist() for each in found.columns] == [values] * columns
        rows = range(0, len(values), 2)
        taken = file.take(list(rows))
        assert [each.to_pylist() for each in taken.columns] == [values[::2]] * columns


@pytest.mark.parametrize("name", ["packed_struct", "early_packed_struct"])
def test_packed_structs_have_two_numbers(name: str) -> None:
    """Packed structs are read by both field numbers, that of 0.21 and 0.22 and the later one."""
    values: dict[str, Any] = {name: packed()}
    encoding = e.ArrayEncoding(**values)
    page = small(["int16"], 2, chunk(b"\1\2\0\3\4\0"), value_compression=encoding)
    with lance.open(page) as file, pytest.raises(FormatError, match="found packed structs"):
        file.to_table()
    fields = [lance_field("c", "struct", metadata={b"packed": b"true"})]
    fields += [
        lance_field(n, t, i, parent_id=0)
        for i, (n, t) in enumerate([("a", "int8"), ("b", "int16")], 1)
    ]
    layout = e.MiniBlockLayout(
        rep_compression=NONE,
        def_compression=NONE,
        value_compression=encoding,
        layers=[ITEM],
        num_items=2,
    )
    content = chunk(b"\1\2\0\3\4\0")
    stored = StoredPage(
        2, URL, e.PageLayout(mini_block_layout=layout), [words_of(content), content]
    )
    with lance.open(lance_file(fields, [[stored]], rows=2, version="2.1")) as file:
        assert file.to_table()["c"].to_pylist() == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (
            small(["int16"], 1, chunk(shorts(1), b"", b"\0\0\0"), def_compression=flat(16)),
            r"early_chunks\[0\].*found 3 bytes of def levels, wanted levels of two bytes",
        ),
        (
            small(["int16"], 1, chunk(shorts(1), b"", shorts(0))),
            r"early_chunks\[0\].*found 2 bytes of def levels, wanted none",
        ),
        (
            small(["int16"], 1, np.array([0, 0, 3, 0, 1, 0, 0, 0], "<u2").tobytes()[:8]),
            r"early_chunks\[0\].*found parts of 11 bytes, wanted 8",
        ),
        (
            small(["int16"], 2, chunk(shorts(1, 2), b"", shorts(0)), def_compression=flat(16)),
            "found 1 levels of values, wanted 2",
        ),
        (
            file_of(["struct", "int16"], 2, e.PageLayout(all_null_layout=e.AllNullLayout())),
            r"layers.*found no layers, wanted those of struct<c1: int16>",
        ),
        (
            zipped(["int16"], 2, bytes(5), bits_def=1, value_compression=flat(16)),
            "found 5 bytes, wanted a multiple of 3",
        ),
        (zipped(["int16"], 2, bytes(6), bits_def=17, value_compression=flat(16)), "found 17"),
        (zipped(["int16"], 2, bytes(6), value_compression=flat(4)), "found 4 bits in 1 buffers"),
        (file_of(["int16"], 1, e.PageLayout()), "found nothing, wanted a layout"),
    ],
)
def test_damage_is_refused_with_its_place(data: bytes, wanted: str) -> None:
    """Wrong sizes of levels, chunks and pages are refused with their places."""
    with lance.open(data) as file, pytest.raises(FormatError, match=wanted):
        file.to_table()


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (
            small(["int16"], 1, chunk(shorts(1), b"", shorts(0)), def_compression=flat(8)),
            "def_compression at byte .*found flat, wanted levels of 16 bits, or none",
        ),
        (
            small(
                ["int16"],
                1,
                chunk(shorts(1)),
                rep_compression=e.ArrayEncoding(constant=e.Constant(value=b"\0\1")),
            ),
            "rep_compression at byte .*found constant",
        ),
        (
            small(["int16"], 1, chunk(shorts(1)), value_compression=NONE),
            "value_compression at byte .*found constant, wanted an encoding of values",
        ),
        (zipped(["int16"], 1, bytes(3), bits_rep=1, value_compression=flat(16)), "found lists"),
        (
            zipped(["string"], 1, bytes(3), value_compression=TEXT),
            "found variable, wanted values of fixed width",
        ),
        (
            zipped(
                ["fixed_size_list:int8:3"],
                1,
                bytes(4),
                value_compression=e.ArrayEncoding(
                    fixed_size_list=e.FixedSizeList(dimension=3, items=flat(32))
                ),
            ),
            "wanted whole bytes for each of 3 items",
        ),
        (
            zipped(
                ["fixed_size_list:int8:3"],
                1,
                bytes(4),
                value_compression=e.ArrayEncoding(
                    fixed_size_list=e.FixedSizeList(dimension=3, items=PAIRS)
                ),
            ),
            "items at byte .*found items of another encoding, wanted flat items",
        ),
    ],
)
def test_what_these_releases_did_not_write_is_refused(data: bytes, wanted: str) -> None:
    """A first layout that no release wrote is refused by name and place."""
    with lance.open(data) as file, pytest.raises(Unsupported, match=wanted):
        file.to_table()


def test_such_a_layout_is_shown_by_its_fields() -> None:
    """A first layout is shown by the field names of its releases."""
    data = small(["int16"], 1, chunk(shorts(1)), layers=[ITEM], num_items=1)
    with lance.open(data) as file:
        text = encoding_text(file.columns()[0].pages[0], DEFAULT_LIMITS)
    levels = "rep_compression=constant(num_values=3), def_compression=constant(num_values=3)"
    assert (
        text == f"mini_block_layout({levels}, value_compression=flat(16), layers=[all_valid_item])"
    )


def test_fields_of_a_struct_written_in_parts_are_read_once() -> None:
    """Fields that these releases wrote again with each part of a struct are read once."""
    again = shorts(1, 2, 1, 2)
    layout = e.MiniBlockLayout(
        rep_compression=NONE, def_compression=NONE, value_compression=flat(16)
    )
    page = chunk(again)
    stored = StoredPage(4, URL, e.PageLayout(mini_block_layout=layout), (words_of(page), page))
    fields = [lance_field("x", "struct"), lance_field("a", "int16", 1, parent_id=0)]
    data = lance_file(fields, [[stored]], rows=2, version="2.1")
    with lance.open(data) as file:
        assert file.to_table()["x"].to_pylist() == [{"a": 1}, {"a": 2}]
        assert file.take([1])["x"].to_pylist() == [{"a": 2}]
    odd = lance_file(fields, [[stored]], rows=3, version="2.1")
    with lance.open(odd) as file, pytest.raises(FormatError, match=r"found 4 rows, wanted 3 \(des"):
        file.to_table()
