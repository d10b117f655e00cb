"""What `verify` reports of pages whose rows are read: places of buffers, and their encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_chunks import encoding as compressed
from tests.support.lance_pages import all_nulls
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.column_metadata import Description
from byteloom.lance.column_metadata import Page as ReadPage
from byteloom.lance.findings import metadata_findings
from byteloom.lance.page_findings import page_findings, place_findings
from byteloom_generated.lance import encodings21 as e
from byteloom_generated.lance.encodings20 import ArrayEncoding
from byteloom_generated.lance.file2 import ColumnMetadata, Described, Page
from byteloom_generated.lance.tail import Extent

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 300
NUMBERS = pa.array([None if n % 7 == 0 else n << 20 for n in range(ROWS)])
LISTS = pa.array([[n] * (n % 3) for n in range(ROWS)], pa.list_(pa.int64()))
VECTORS = pa.array([[n, None] for n in range(ROWS)], pa.list_(pa.int64(), 2))
WHOLE = pa.array(range(ROWS), pa.int32())
N, V = e.RepDefLayer.REPDEF_NULLABLE_ITEM, e.RepDefLayer.REPDEF_ALL_VALID_ITEM


def file_of(array: pa.Array, version: str) -> bytes:
    """A file with two columns, of which the first is *array*."""
    return written(pa.table({"a": array, "b": WHOLE}), version)


def changed(data: bytes, change: Callable[[Page, Any], None]) -> bytes:
    """A file whose first page, and its encoding, have been changed."""
    with lance.open(data) as file:
        tail, kind = file.tail, ArrayEncoding if file.version == "2.0" else e.PageLayout
    columns: list[Any] = [
        ColumnMetadata.parse(data[each.offset : each.offset + each.size]) for each in tail.columns
    ]
    page = columns[0].pages[0]
    described = Described.parse(page.encoding.direct.encoding)
    message = kind.parse(described.value)
    change(page, message)
    described.value = message.SerializeToString()
    page.encoding.direct.encoding = described.SerializeToString()
    out = bytearray(data[: tail.columns[0].offset])
    extents = []
    for each in columns:
        stored = each.SerializeToString()
        extents.append(Extent(offset=len(out), size=len(stored)))
        out += stored
    footer: Any = tail.footer
    footer.ofs_column_extents = len(out)
    out += b"".join(each.to_bytes() for each in extents)
    footer.ofs_buffer_extents = len(out)
    out += b"".join(each.to_bytes() for each in tail.buffers)
    return bytes(out + footer.to_bytes())


def findings(data: bytes) -> list[tuple[str, str, str]]:
    """Path, found and wanted of what is wrong with a file that can be opened."""
    with lance.open(data) as file:
        found: list[Any] = metadata_findings(file)
        assert all(isinstance(each, ByteloomError) for each in found)
    return [(each.path, str(each.found), each.wanted) for each in found]


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize("array", [NUMBERS, LISTS, VECTORS, WHOLE], ids=lambda each: str(each.type))
def test_nothing_is_wrong_with_our_files(array: pa.Array, version: str) -> None:
    """Pages of each layout, a file that is written again among them, have no findings."""
    data = file_of(array, version)
    assert findings(data) == findings(changed(data, lambda *_: None)) == []


@pytest.mark.parametrize("version", ["2.0", "2.1"])
@pytest.mark.parametrize("step", [-1, 1, 64])
def test_a_buffer_at_another_place_is_found(version: str, step: int) -> None:
    """A buffer begins where the one before it ends, or at the next multiple of 64."""

    def move(page: Page, _: Any) -> None:
        page.buffer_offsets[1] += step
        page.buffer_sizes[1] -= max(step, 0)

    data = file_of(NUMBERS, version)
    with lance.open(data) as file:
        ((_, size), (offset, _), *_) = file.columns()[0].pages[0].buffers
    found = findings(changed(data, move))
    path = "columns[0].pages[0].buffers[1]"
    wanted = f"{size}, where the buffer before it ends"
    wanted += f", or {offset}, a multiple of 64" if offset != size else ""
    assert found[0] == (path, str(offset + step), wanted)


def test_a_buffer_may_follow_without_padding() -> None:
    """Releases before 0.19.2 did not align buffers; no place between is right."""
    data = bytearray(file_of(WHOLE, "2.0"))

    def at(offset: int) -> list[tuple[str, str, str]]:
        def move(page: Page, _: Any) -> None:
            page.buffer_offsets[0] = offset

        return findings(changed(bytes(data), move))

    assert [bool(at(each)) for each in (0, 1, 63, 64)] == [False, True, True, True]


def test_bytes_before_the_first_global_buffer_are_found() -> None:
    """A page that has lost its last buffer leaves bytes that belong to nothing."""

    def lose(page: Page, _: Any) -> None:
        del page.buffer_offsets[:], page.buffer_sizes[:]

    data = written(pa.table({"a": WHOLE}), "2.0")
    assert findings(changed(data, lose))[0][0] == "buffers[0]"


def test_places_of_blobs_are_not_compared() -> None:
    """Blobs are stored between buffers."""
    field = pa.field("a", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    table = pa.table([pa.array([b"x" * 500, None, b""], field.type)], schema=pa.schema([field]))
    for version in ("2.0", "2.1"):
        with lance.open(written(table, version)) as file:
            assert list(place_findings(file)) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda _, found: found.CopyFrom(all_nulls()), "the buffers none"),
        (lambda _, found: name_buffers(found, 0, 0), "the buffers 0, 0"),
        (lambda _, found: name_buffers(found, 1, 1), "the buffers 1, 1"),
        (lambda _, found: name_buffers(found, 1, 0), None),
    ],
)
def test_each_buffer_of_a_page_has_one_name(change: Any, found: str | None) -> None:
    """An encoding of 2.0 names each buffer of its page once, in any order."""
    wanted = [("columns[0].pages[0].encoding", found, "each of the page's 2 once")]
    data = changed(file_of(NUMBERS, "2.0"), change)
    assert findings(data) == (wanted if found else [])


def name_buffers(encoding: ArrayEncoding, validity: int, values: int) -> None:
    """Give the buffers of a page with some nulls other numbers."""
    some = encoding.nullable.some_nulls
    some.validity.flat.buffer.buffer_index = validity
    _flat(some.values).flat.buffer.buffer_index = values


def _flat(values: Any) -> Any:
    return values.nullable.no_nulls.values if values.HasField("nullable") else values


TEXTS = pa.array([None if n % 5 == 0 else f"text {n}" for n in range(ROWS)])
STRUCTS = pa.array([{"x": n} for n in range(ROWS)])


def adjustment(number: int) -> Callable[[Page, Any], None]:
    """Give a page of text another number that marks nulls."""

    def change(_: Page, encoding: Any) -> None:
        encoding.binary.null_adjustment = number

    return change


def list_adjustment(_: Page, encoding: Any) -> None:
    """Give a page of lists a number that marks no nulls."""
    encoding.list.null_offset_adjustment = 0


@pytest.mark.parametrize(
    ("array", "change", "name", "found", "wanted"),
    [
        (TEXTS, adjustment(0), ".null_adjustment", "0", "{size}, 1 more than its bytes"),
        (TEXTS, adjustment(9999), ".null_adjustment", "9999", "{size}, 1 more than its bytes"),
        (LISTS, list_adjustment, ".null_offset_adjustment", "0", "301, 1 more than items"),
        (STRUCTS, lambda _, found: found.Clear(), "", "nothing", "a kind of encoding"),
    ],
    ids=["no nulls", "other nulls", "lists", "struct"],
)
def test_an_encoding_of_2_0_that_others_read_otherwise_is_found(
    array: pa.Array, change: Any, name: str, found: str, wanted: str
) -> None:
    """A wrong number that byteloom ignores, but by which Lance finds nulls and rows, is found."""
    data = file_of(array, "2.0")
    ((where, what, why),) = findings(changed(data, change))
    kind = {".null_adjustment": ".binary", ".null_offset_adjustment": ".list"}.get(name, "")
    assert (where, what) == (f"columns[0].pages[0].encoding{kind}{name}", found)
    size = 1 + sum(len(each) for each in TEXTS.to_pylist() if each)
    assert why == wanted.format(size=size)


LAYOUT = "columns[0].pages[0].encoding.mini_block_layout."


def without(name: str) -> Callable[[Page, Any], None]:
    """Take a field out of the layout of a page in chunks."""
    return lambda _, layout: layout.mini_block_layout.ClearField(name)


def layers(*numbers: int) -> Callable[[Page, Any], None]:
    """Give a page in chunks other layers."""

    def change(_: Page, layout: Any) -> None:
        del layout.mini_block_layout.layers[:]
        layout.mini_block_layout.layers.extend(numbers)

    return change


def nothing_packed(_: Page, layout: Any) -> None:
    """Pack definition levels into no bits."""
    inner = compressed(flat=e.Flat(bits_per_value=0))
    packed = e.OutOfLineBitpacking(uncompressed_bits_per_value=16, values=inner)
    levels = compressed(out_of_line_bitpacking=packed)
    layout.mini_block_layout.def_compression.CopyFrom(levels)


def buffers(number: int) -> Callable[[Page, Any], None]:
    """Give chunks another number of buffers."""

    def change(_: Page, layout: Any) -> None:
        layout.mini_block_layout.num_buffers = number

    return change


HAVE, NONE = "levels, as its layers have", "none, as its layers have none"
CHANGES = [
    (NUMBERS, layers(V), "def_compression", "levels", NONE),
    (NUMBERS, layers(), "def_compression", "levels", NONE),
    (NUMBERS, without("def_compression"), "def_compression", "no levels", HAVE),
    (NUMBERS, nothing_packed, "def_compression", "levels of 0 bits", "at least 1 bit"),
    (WHOLE, layers(N), "def_compression", "no levels", HAVE),
    (LISTS, without("rep_compression"), "rep_compression", "no levels", HAVE),
    (LISTS, layers(V, N), "rep_compression", "levels", NONE),
    (NUMBERS, buffers(2), "num_buffers", "2", "1"),
    (VECTORS, buffers(1), "num_buffers", "1", "2"),
    (VECTORS, buffers(3), "num_buffers", "3", "2"),
]


@pytest.mark.parametrize(("array", "change", "name", "found", "wanted"), CHANGES)
def test_layouts_that_contradict_themselves_are_found(
    array: pa.Array, change: Any, name: str, found: str, wanted: str
) -> None:
    """Levels are there where layers have some, and chunks have the buffers of their encoding."""
    for version in ("2.1", "2.2"):
        data = changed(file_of(array, version), change)
        assert (LAYOUT + name, found, wanted) in findings(data)


def depth(number: int) -> Callable[[Page, Any], None]:
    """Give a page in chunks an index of rows of another depth."""

    def change(_: Page, layout: Any) -> None:
        layout.mini_block_layout.repetition_index_depth = number

    return change


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize(
    ("array", "found", "wanted"),
    [(WHOLE, 1, "0, since it has no lists"), (LISTS, 0, "1, since it has lists")],
)
def test_the_depth_of_an_index_of_rows_is_that_of_the_layers(
    array: pa.Array, found: int, wanted: str, version: str
) -> None:
    """A page has an index of its rows exactly where these are lists."""
    data = changed(file_of(array, version), depth(found))
    assert (f"{LAYOUT}repetition_index_depth", str(found), wanted) in findings(data)


def test_large_chunks_are_not_part_of_2_1() -> None:
    """A file of 2.2 that says it is one of 2.1, which Lance does not read, is found."""
    data = bytearray(written(pa.table({"a": WHOLE}), "2.2"))
    data[-6:-4] = (1).to_bytes(2, "little")
    assert [each[:2] for each in findings(bytes(data))] == [
        (f"{LAYOUT}has_large_chunk", "large chunks")
    ]


RUNS = pa.array([n // 100 << 40 for n in range(ROWS)])
WORDS = pa.array([f"https://example.org/pages/{n % 999}/{n}" for n in range(3000)])


@pytest.mark.parametrize(("array", "most"), [(RUNS, 2), (WORDS, 1), (NUMBERS, 1)])
def test_buffers_of_each_encoding_are_counted(array: pa.Array, most: int) -> None:
    """Runs have two buffers, coded text one; another number is a finding."""
    data = written(pa.table({"a": array}), "2.1")
    with lance.open(data) as file:
        assert list(page_findings(file.columns()[0], file.version, file.limits)) == []
    assert findings(changed(data, buffers(most + 1)))[0][1:] == (f"{most + 1}", f"{most}")


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize("array", [WHOLE, WORDS], ids=["short", "long"])
def test_errors_in_encodings_of_pages_have_their_place(array: pa.Array, version: str) -> None:
    """Of one column or two, of one page or several; a layout with a table of symbols is long."""
    tables = [pa.table({"a": array}), pa.table({"a": array, "b": array})]
    for table, page_size in [(tables[0], 1 << 20), (tables[1], 1 << 20), (tables[1], 50_000)]:
        data = written(table, version, page_size=page_size)
        with lance.open(data) as file:
            page = file.columns()[-1].pages[-1]
            assert page.encoding_at == data.rindex(page.encoding.data)
            at = page.encoding_at
            assert data[at : at + len(page.encoding.data)] == page.encoding.data
        damaged = data[:at] + b"\x07" + data[at + 1 :]
        with lance.open(damaged) as file, pytest.raises(FormatError) as caught:
            file.to_table()
        assert (caught.value.offset, caught.value.path[:10]) == (at, page.path[:10])


def test_a_page_whose_metadata_is_damaged_has_the_place_of_its_column() -> None:
    """An encoding that cannot be found again is where its column is."""
    page = ReadPage("columns[0].pages[0]", 77, 1, 0, 0, (), Description("", b""), b"\x07")
    assert page.encoding_at == 77


LONG = pa.array([None if n % 7 == 0 else f"{n} is a number. " * 40 for n in range(90)])
ZIPPED = "columns[0].pages[0].encoding.full_zip_layout."


@pytest.mark.parametrize(
    ("array", "name", "right", "most"),
    [
        (LONG, "bits_def", 1, 1),
        (LONG, "bits_rep", 0, 0),
        (pa.array([LONG.to_pylist()] * 3 + [[], None]), "bits_rep", 1, 1),
        (pa.array([LONG.to_pylist()] * 3 + [[], None]), "bits_def", 2, 3),
    ],
)
def test_bits_of_levels_that_are_not_those_of_the_layers_are_found(
    array: pa.Array, name: str, right: int, most: int
) -> None:
    """A control word of a FullZip page has as many bits as the highest levels of its layers."""
    data = written(pa.table({"a": array}), "2.1")
    with lance.open(data) as file:
        assert list(page_findings(file.columns()[0], file.version, file.limits)) == []

    def change(_: Page, layout: Any) -> None:
        setattr(layout.full_zip_layout, name, right + 1)

    wanted = f"{right}, for levels up to {most}"
    assert (ZIPPED + name, str(right + 1), wanted) in findings(changed(data, change))


def test_another_first_row_of_a_page_is_found() -> None:
    """From 2.1 on a page says which of its column's rows is its first."""

    def move(page: Page, _: Any) -> None:
        page.priority += 1

    path = "columns[0].pages[0].priority"
    for version, wanted in (("2.0", []), ("2.1", [(path, "1", "0, its first row")])):
        assert findings(changed(file_of(WHOLE, version), move)) == wanted
