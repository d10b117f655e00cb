"""What `verify` reports of files whose rows are read all the same, as other readers would not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_findings import changed_columns, changed_page, file_findings
from tests.support.lance_pages import all_nulls
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import ArgumentError, FormatError
from byteloom_generated.lance import encodings21 as e
from byteloom_generated.lance.file2 import Described, Encoding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom_generated.lance.encodings20 import ArrayEncoding

ALL = ("2.0", "2.1", "2.2")
LATER = ALL[1:]
ROWS = 300
NUMBERS = pa.array([None if n % 7 == 0 else n << 20 for n in range(ROWS)])
LISTS = pa.array([[n] * (n % 3) for n in range(ROWS)], pa.list_(pa.int64()))
VECTORS = pa.array([[n, None] for n in range(ROWS)], pa.list_(pa.int64(), 2))
WHOLE = pa.array(range(ROWS), pa.int32())
TEXTS = pa.array([None if n % 5 == 0 else f"text {n}" for n in range(ROWS)])
STRUCTS = pa.array([{"x": n} for n in range(ROWS)])
RUNS = pa.array([n // 100 << 40 for n in range(ROWS)])
WORDS = pa.array([f"https://example.org/pages/{n % 999}/{n}" for n in range(3000)])
LONG = pa.array([None if n % 7 == 0 else f"{n} is a number. " * 40 for n in range(90)])
LONG_LISTS = pa.array([LONG.to_pylist()] * 3 + [[], None])
N, V = e.RepDefLayer.REPDEF_NULLABLE_ITEM, e.RepDefLayer.REPDEF_ALL_VALID_ITEM
ENCODING = "/lance.encodings.ColumnEncoding"


def file_of(array: pa.Array, version: str) -> bytes:
    """A file with two columns, of which the first is *array*."""
    return written(pa.table({"a": array, "b": array}), version)


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize(
    "array",
    [NUMBERS, LISTS, VECTORS, WHOLE, TEXTS, RUNS, WORDS, LONG, LONG_LISTS],
    ids=lambda each: f"{each.type} {len(each)}",
)
def test_nothing_is_wrong_with_our_files(array: pa.Array, version: str, tmp_path: Path) -> None:
    """Pages of each layout, a file that is written again among them, have no findings."""
    data = file_of(array, version)
    assert file_findings(data, tmp_path) == []
    assert file_findings(changed_page(data, lambda *_: None), tmp_path) == []


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize("change", [1, -1, 1 << 54])
def test_another_place_of_the_columns_is_found(version: str, change: int, tmp_path: Path) -> None:
    """The footer's place of the first column is compared with the table of columns."""
    data = bytearray(file_of(WHOLE, version))
    right = int.from_bytes(data[-40:-32], "little")
    data[-40:-32] = (right + change).to_bytes(8, "little")
    wanted = f"{right}, where the first column is"
    assert file_findings(data, tmp_path) == [("footer.ofs_columns", f"{right + change}", wanted)]


def encoded(data: bytes) -> Encoding:
    """The encoding of a column as these bytes."""
    return Encoding.parse(data, path="encoding")


def described(url: str, data: bytes = b"\x0a\0") -> Encoding:
    """The encoding of a column as a message of this name."""
    inner = Described(type_url=url, value=data).SerializeToString()
    found = Encoding()
    found.direct.encoding = inner
    return found


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize(
    ("encoding", "found", "wanted"),
    [
        (described(f"{ENCODING[:-1]}!"), f"{ENCODING[:-1]}!", ENCODING),
        (encoded(b"\x1a\0"), "no encoding", ENCODING),
        (encoded(b"\x22\0"), "no encoding", ENCODING),
        (described(ENCODING, b"\x2a\0"), "no kind of encoding", "values, zone_index or blob"),
    ],
    ids=["name", "none", "unknown", "kind"],
)
def test_another_encoding_of_a_column_is_found(
    encoding: Encoding, found: str, wanted: str, *, version: str, tmp_path: Path
) -> None:
    """A column that says nothing known of its encoding, beside one that does, is found."""
    data = changed_columns(
        file_of(WHOLE, version), lambda columns: columns[1].encoding.CopyFrom(encoding)
    )
    assert file_findings(data, tmp_path) == [("columns[1].encoding", found, wanted)]
    with lance.open(data) as file:
        assert file.to_table()["a"].to_pylist() == WHOLE.to_pylist()


def test_two_fields_of_one_name_are_found(tmp_path: Path) -> None:
    """Readers of others cannot select either of two columns of one name."""
    data = bytearray(file_of(WHOLE, "2.2"))
    data[data.index(b"\x12\x01b") + 2] = ord("a")
    path, found, _ = file_findings(data, tmp_path)[0]
    assert (path, found) == ("descriptor.schema", "two fields a")


def test_two_fields_of_one_name_are_not_written(tmp_path: Path) -> None:
    """Lance's own reader does not read them, at the top or in a struct."""
    arrays = [pa.array([1]), pa.array([2])]
    pair = pa.StructArray.from_arrays(arrays, fields=[pa.field("x", pa.int64())] * 2)
    top = pa.Table.from_arrays(arrays, names=["x", "x"])
    for path, table in (("schema", top), ("schema.s", pa.table({"s": pair}))):
        with pytest.raises(ArgumentError) as refused:
            lance.LanceWriter(tmp_path / "a.lance", table.schema)
        assert (refused.value.path, refused.value.found) == (path, "two fields named 'x'")
        with pytest.raises(ArgumentError):
            lance.write_dataset(tmp_path / "d.lance", table)
        assert not [*tmp_path.iterdir()]


# Places of buffers


def test_buffers_of_two_columns_may_not_overlap(tmp_path: Path) -> None:
    """A buffer of the second column that begins inside of one of the first is reported."""
    data = written(pa.table({"x": range(1000), "y": range(1000)}), "2.0")

    def move(columns: list[Any]) -> None:
        columns[1].pages[0].buffer_offsets[0] = 7992

    path = "columns[1].pages[0].buffers[0]"
    wanted = "at least 8000, where columns[0].pages[0].buffers[0] ends"
    assert (path, "7992", wanted) == file_findings(changed_columns(data, move), tmp_path)[0]


@pytest.mark.parametrize("version", ["2.0", "2.1"])
@pytest.mark.parametrize("step", [-1, 1, 64])
def test_a_buffer_at_another_place_is_found(version: str, step: int, tmp_path: Path) -> None:
    """A buffer begins where the one before it ends, or at the next multiple of 64."""

    def move(page: Any, _: Any) -> None:
        page.buffer_offsets[1] += step
        page.buffer_sizes[1] -= max(step, 0)

    data = file_of(NUMBERS, version)
    with lance.open(data) as file:
        ((_, size), (offset, _), *_) = file.columns()[0].pages[0].buffers
    wanted = f"{size}, where the buffer before it ends"
    wanted += f", or {offset}, a multiple of 64" if offset != size else ""
    expected = "columns[0].pages[0].buffers[1]", f"{offset + step}", wanted
    assert file_findings(changed_page(data, move), tmp_path)[0] == expected


def test_a_buffer_may_follow_without_padding(tmp_path: Path) -> None:
    """Releases before 0.19.2 did not align buffers; no place between is right."""
    for offset, is_sound in [(0, True), (1, False), (63, False), (64, False)]:

        def move(page: Any, _: Any, offset: int = offset) -> None:
            page.buffer_offsets[0] = offset

        data = changed_page(file_of(WHOLE, "2.0"), move)
        assert (file_findings(data, tmp_path) == []) == is_sound


def test_bytes_before_the_first_global_buffer_are_found(tmp_path: Path) -> None:
    """A page that has lost its last buffer leaves bytes that belong to nothing."""

    def lose(page: Any, _: Any) -> None:
        del page.buffer_offsets[:], page.buffer_sizes[:]

    data = changed_page(written(pa.table({"a": WHOLE}), "2.0"), lose)
    assert file_findings(data, tmp_path)[0][0] == "buffers[0]"


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_places_of_blobs_are_not_compared(version: str, tmp_path: Path) -> None:
    """Blobs are stored between buffers."""
    field = pa.field("a", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    table = pa.table([pa.array([b"x" * 500, None, b""], field.type)], schema=pa.schema([field]))
    assert file_findings(written(table, version), tmp_path) == []


def test_another_first_row_of_a_page_is_found(tmp_path: Path) -> None:
    """From 2.1 on a page says which of its column's rows is its first."""

    def move(page: Any, _: Any) -> None:
        page.priority += 1

    path = "columns[0].pages[0].priority"
    for version, wanted in (("2.0", []), ("2.1", [(path, "1", "0, its first row")])):
        assert file_findings(changed_page(file_of(WHOLE, version), move), tmp_path) == wanted


# Encodings of pages


def name_buffers(validity: int, values: int) -> Callable[[Any, ArrayEncoding], None]:
    """Give the buffers of a page with some nulls other numbers."""

    def change(_: Any, encoding: Any) -> None:
        some = encoding.nullable.some_nulls
        some.validity.flat.buffer.buffer_index = validity
        inner = some.values
        inner = inner.nullable.no_nulls.values if inner.HasField("nullable") else inner
        inner.flat.buffer.buffer_index = values

    return change


def put(path: str, value: Any) -> Callable[[Any, Any], None]:
    """Set a field of the message of an encoding, or clear it."""

    def change(_: Any, message: Any) -> None:
        *before, last = path.split(".")
        for each in before:
            message = getattr(message, each)
        if value is None:
            message.ClearField(last)
        elif isinstance(value, list):
            del getattr(message, last)[:]
            getattr(message, last).extend(value)
        elif isinstance(value, int):
            setattr(message, last, value)
        else:
            getattr(message, last).CopyFrom(value)

    return change


def chunks(name: str, value: Any) -> Callable[[Any, Any], None]:
    """Set a field of the layout of a page in chunks."""
    return put(f"mini_block_layout.{name}", value)


NO_BITS = e.CompressiveEncoding(
    out_of_line_bitpacking=e.OutOfLineBitpacking(
        uncompressed_bits_per_value=16, values=e.CompressiveEncoding(flat=e.Flat(bits_per_value=0))
    )
)
SIZE = 1 + sum(len(each) for each in TEXTS.to_pylist() if each)
HAVE, NONE = "levels, as its layers have", "none, as its layers have none"
DEFINITION = ".mini_block_layout.def_compression"
REPETITION = ".mini_block_layout.rep_compression"
COUNT = ".mini_block_layout.num_buffers"
DEPTH = ".mini_block_layout.repetition_index_depth"
CHANGES: list[tuple[str, tuple[str, ...], pa.Array, Any, str, str, str]] = [
    # An encoding of 2.0 names each buffer of its page once.
    ("all null", ("2.0",), NUMBERS, lambda _, found: found.CopyFrom(all_nulls()),
     "", "the buffers none", "each of the page's 2 once"),
    ("buffers 0, 0", ("2.0",), NUMBERS, name_buffers(0, 0),
     "", "the buffers 0, 0", "each of the page's 2 once"),
    ("buffers 1, 1", ("2.0",), NUMBERS, name_buffers(1, 1),
     "", "the buffers 1, 1", "each of the page's 2 once"),
    # Numbers that byteloom ignores, but by which Lance finds nulls and rows.
    ("no nulls", ("2.0",), TEXTS, put("binary.null_adjustment", 0),
     ".binary.null_adjustment", "0", f"{SIZE}, 1 more than its bytes"),
    ("other nulls", ("2.0",), TEXTS, put("binary.null_adjustment", 9999),
     ".binary.null_adjustment", "9999", f"{SIZE}, 1 more than its bytes"),
    ("lists", ("2.0",), LISTS, put("list.null_offset_adjustment", 0),
     ".list.null_offset_adjustment", "0", "301, 1 more than items"),
    ("struct", ("2.0",), STRUCTS, lambda _, found: found.Clear(),
     "", "nothing", "a kind of encoding"),
    # Levels are there where layers have some.
    ("no layers", LATER, NUMBERS, chunks("layers", [V]), DEFINITION, "levels", NONE),
    ("none at all", LATER, NUMBERS, chunks("layers", []), DEFINITION, "levels", NONE),
    ("no definition", LATER, NUMBERS, chunks("def_compression", None),
     DEFINITION, "no levels", HAVE),
    ("no bits", LATER, NUMBERS, chunks("def_compression", NO_BITS),
     DEFINITION, "levels of 0 bits", "at least 1 bit"),
    ("more layers", LATER, WHOLE, chunks("layers", [N]), DEFINITION, "no levels", HAVE),
    ("no repetition", LATER, LISTS, chunks("rep_compression", None),
     REPETITION, "no levels", HAVE),
    ("no lists", LATER, LISTS, chunks("layers", [V, N]), REPETITION, "levels", NONE),
    # Chunks have the buffers of their encoding, and an index of rows exactly where these are lists.
    ("flat", LATER, NUMBERS, chunks("num_buffers", 2), COUNT, "2", "1"),
    ("vectors, less", LATER, VECTORS, chunks("num_buffers", 1), COUNT, "1", "2"),
    ("vectors, more", LATER, VECTORS, chunks("num_buffers", 3), COUNT, "3", "2"),
    ("runs", LATER, RUNS, chunks("num_buffers", 3), COUNT, "3", "2"),
    ("coded text", LATER, WORDS, chunks("num_buffers", 2), COUNT, "2", "1"),
    ("depth of numbers", LATER, WHOLE, chunks("repetition_index_depth", 1),
     DEPTH, "1", "0, since it has no lists"),
    ("depth of lists", LATER, LISTS, chunks("repetition_index_depth", 0),
     DEPTH, "0", "1, since it has lists"),
    # A control word has as many bits as the highest levels of the layers.
    *(
        (f"bits of {kind} {name}", LATER, array, put(f"full_zip_layout.{name}", right + 1),
         f".full_zip_layout.{name}", f"{right + 1}", f"{right}, for levels up to {most}")
        for kind, array, name, right, most in [
            ("texts", LONG, "bits_def", 1, 1),
            ("texts", LONG, "bits_rep", 0, 0),
            ("lists", LONG_LISTS, "bits_rep", 1, 1),
            ("lists", LONG_LISTS, "bits_def", 2, 3),
        ]
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("versions", "array", "change", "name", "found", "wanted"),
    [pytest.param(*each, id=name) for name, *each in CHANGES],
)
def test_encodings_that_contradict_themselves_are_found(  # noqa: PLR0917  a case, as it is listed
    versions: tuple[str, ...],
    array: pa.Array,
    change: Any,
    name: str,
    found: str,
    wanted: str,
    tmp_path: Path,
) -> None:
    """An encoding is compared with its page, and its parts with each other."""
    for version in versions:
        data = changed_page(file_of(array, version), change)
        expected = f"columns[0].pages[0].encoding{name}", found, wanted
        assert expected in file_findings(data, tmp_path)


def test_buffers_may_have_any_order(tmp_path: Path) -> None:
    """An encoding of 2.0 may name the buffers of its page in any order."""
    data = changed_page(file_of(NUMBERS, "2.0"), name_buffers(1, 0))
    assert not [each for each in file_findings(data, tmp_path) if "each of" in each[2]]


def test_large_chunks_are_not_part_of_2_1(tmp_path: Path) -> None:
    """A file of 2.2 that says it is one of 2.1, which Lance does not read, is found."""
    data = bytearray(written(pa.table({"a": WHOLE}), "2.2"))
    data[-6:-4] = (1).to_bytes(2, "little")
    path, found, _ = file_findings(data, tmp_path)[0]
    assert path == "columns[0].pages[0].encoding.mini_block_layout.has_large_chunk"
    assert found == "large chunks"


@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize("array", [WHOLE, WORDS], ids=["short", "long"])
def test_errors_in_encodings_of_pages_have_their_place(array: pa.Array, version: str) -> None:
    """Of one column or two, of one page or several; a layout with a table of symbols is long."""
    tables = [pa.table({"a": array}), pa.table({"a": array, "b": array})]
    for table, page_size in [(tables[0], 1 << 20), (tables[1], 1 << 20), (tables[1], 50_000)]:
        data = written(table, version, page_size=page_size)
        with lance.open(data) as file:
            page = file.columns()[-1].pages[-1]
            at = page.encoding_at
            assert at == data.rindex(page.encoding.data)
        damaged = data[:at] + b"\x07" + data[at + 1 :]
        with lance.open(damaged) as file, pytest.raises(FormatError) as caught:
            file.to_table()
        assert (caught.value.offset, caught.value.path[:10]) == (at, page.path[:10])
