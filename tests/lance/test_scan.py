"""Scans of Lance files: columns, rows, batches, and what hands them on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_files import lance_field, lance_file
from tests.support.lance_pages import bitmap, flat, no_nulls, page, some_nulls
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.errors import ArgumentError, FormatError, Unsupported

if TYPE_CHECKING:
    from pathlib import Path

FLAT = no_nulls(flat(64))


def two_columns(**values: Any) -> bytes:
    """A file of 0 to 99 in pages of 50, and of their negatives in one page."""
    numbers = np.arange(100)
    pages = [page(50, FLAT, part.tobytes()) for part in np.split(numbers, 2)]
    fields = [lance_field("a", "int64"), lance_field("b.c", "int64", 1)]
    return lance_file(fields, [pages, [page(100, FLAT, (-numbers).tobytes())]], rows=100, **values)


def test_columns_come_in_the_order_asked_for() -> None:
    """Columns come in the requested order, and a name may have a dot in it."""
    with lance.open(two_columns()) as file:
        assert file.to_table(["b.c", "a"]).column_names == ["b.c", "a"]
        assert file.scan(["b.c"]).schema.names == ["b.c"]


def test_rows_without_columns_are_counted() -> None:
    """A table of no columns has the rows that were asked for."""
    with lance.open(two_columns()) as file:
        found = [
            file.to_table([]),
            file.scan([], rows=range(30, 70)).to_table(),
            file.scan([], filter="a >= 90").to_table(),
            file.take([3, 1, 3], []),
        ]
    assert [(each.num_columns, each.num_rows) for each in found] == [
        (0, 100),
        (0, 40),
        (0, 10),
        (0, 3),
    ]


DEEP = pa.table(
    {
        "a": pa.array([[[{"x": 1, "x.y": 2, "z": [{"x": 3}]}]]]),
        "s": pa.array([{"x": {"y": 4, "z": 5}, "w": 6}]),
        "item": pa.array([[{"item": 7, "y": 8}]]),
    }
)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.x"], {"a": [[[{"x": 1}]]]}),
        (["a.item.x"], {"a": [[[{"x": 1}]]]}),
        (["a.item.item.x"], {"a": [[[{"x": 1}]]]}),
        (["a.x.y"], {"a": [[[{"x.y": 2}]]]}),
        (["a.z.x", "a.x"], {"a": [[[{"x": 1, "z": [{"x": 3}]}]]]}),
        (["s.x.z", "s.w"], {"s": [{"x": {"z": 5}, "w": 6}]}),
        (["s.x.z", "s.x"], {"s": [{"x": {"y": 4, "z": 5}}]}),
        (["s.x.y", "s", "s.w"], {"s": [{"x": {"y": 4, "z": 5}, "w": 6}]}),
        (["item.y"], {"item": [[{"y": 8}]]}),
        (["item.item.item"], {"item": [[{"item": 7}]]}),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_name_leads_to_a_field_inside_of_others(
    names: list[str], expected: dict[str, Any], version: str
) -> None:
    """A path selects a nested field; the name of a list's item may be left out."""
    with lance.open(written(DEEP, version)) as file:
        assert file.to_table(names).to_pydict() == expected
        assert file.take([0], names).to_pydict() == expected


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a.y", ": a, a.item, a.item.item, a.item.item.x, a.item.item.x.y, a.item.item.z, "),
        ("a.item.item.item", "; did you mean a.item.item.z.item, item.item.item or "),
        ("s.x.w", "; did you mean s.x.z, s.x.y or s.x?"),
        ("s.y", "; did you mean s.x.y, s.x or s.w?"),
        ("a.z.y", "; did you mean s.x.y?"),
        ("item.x", "; did you mean a.item.item.x or a.item.item.z.item.x?"),
        (3, ": a, a.item, a.item.item, "),
    ],
)
def test_a_field_that_is_not_inside_is_refused(name: Any, wanted: str) -> None:
    """The error for an unknown nested field has paths that may be meant, or the first ones."""
    found = f"columns: found {name!r}, wanted a column of the schema{wanted}"
    with (
        lance.open(written(DEEP, "2.1")) as file,
        pytest.raises(FormatError, match=re.escape(found)),
    ):
        file.scan([name])


def test_a_name_that_no_field_has_is_refused() -> None:
    """The error for an unknown column says which one may be meant, or lists the columns."""
    with lance.open(two_columns()) as file:
        for name, meant in (("c", "; did you mean b.c?"), ("", ": a, b.c"), ("z", ": a, b.c")):
            wanted = f"columns: found {name!r}, wanted a column of the schema{meant}"
            with pytest.raises(FormatError, match=re.escape(wanted)):
                file.scan([name])
        with pytest.raises(FormatError, match="wanted a list of names"):
            file.scan("a")


def test_a_scan_says_what_it_is(tmp_path: Path) -> None:
    """The `repr` of a scan shows its file, and its numbers of rows and columns."""
    place = tmp_path / "x.lance"
    place.write_bytes(two_columns())
    with lance.open(place) as file:
        scan = file.scan(["a"], rows=range(10, 20))
        name = f"<LanceFile {place}: 100 rows, version 2.0>"
        assert repr(scan) == f"<LanceScan of {name}: 10 rows, 1 column>"
        assert (scan.num_rows, scan.count(), file.count()) == (10, 10, 100)


def test_files_and_scans_are_arrow_streams() -> None:
    """A file or a scan can be passed to any library that takes Arrow streams."""
    with lance.open(two_columns()) as file:
        assert pa.table(file).equals(file.to_table())
        assert pa.table(file.scan(["a"], rows=range(5)))["a"].to_pylist() == [0, 1, 2, 3, 4]


def test_batches_inside_of_a_page_share_its_bytes() -> None:
    """Batches of one page share its memory, without a copy."""
    with lance.open(two_columns()) as file:
        batches = list(file.scan(["a"], batch_size=10).batches())
        addresses = {each.column(0).buffers()[1].address for each in batches}
        assert len(batches) == 10
        assert len(addresses) <= 2


@pytest.mark.parametrize(
    "rows", [range(-1, 5), range(95, 101), range(0, 10, 2), range(5, 0, -1), [1, 2], 7]
)
def test_ranges_outside_of_the_file_are_refused(rows: Any) -> None:
    """A range of rows outside of the file, with a step, or of another type is refused."""
    with lance.open(two_columns()) as file, pytest.raises(FormatError, match="rows: found"):
        file.scan(rows=rows)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([-1], "-1, wanted 0 to 99"),
        ([100], "100, wanted 0 to 99"),
        ([5, 1 << 70], f"{1 << 70}, wanted 0 to 99"),
        ([0, 1.5], "1.5, wanted integers"),
        ([0, "a"], "'a', wanted integers"),
        (pa.array([0, None]), "None, wanted integers"),
        ([True], "True, wanted integers"),
        ([[1]], "list, wanted a list of integers"),
        ([1, [1, 2]], "list, wanted a list of integers"),
        (7, "int, wanted a list of integers"),
    ],
)
def test_numbers_of_rows_that_there_are_not_are_refused(rows: Any, problem: str) -> None:
    """Row numbers outside of the file, and values that are not integers, are named in the error."""
    with lance.open(two_columns()) as file, pytest.raises(ArgumentError) as refused:
        file.take(rows)
    assert f"{refused.value}" == f"rows: found {problem}"


@pytest.mark.parametrize("rows", [[], [99, 0, 0, 50], np.array([3, 2], np.uint8), pa.array([1])])
def test_rows_are_taken_in_the_order_asked_for(rows: Any) -> None:
    """Rows are taken in the requested order, as often as they are requested."""
    with lance.open(two_columns()) as file:
        expected = [int(each) for each in np.asarray(rows)]
        assert file.take(rows, ["a"])["a"].to_pylist() == expected


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_the_size_of_a_batch_is_a_number(size: Any) -> None:
    """A batch size that is not an integer of 1 or more is refused."""
    with lance.open(two_columns()) as file, pytest.raises(FormatError, match="batch_size"):
        file.scan(batch_size=size)


def test_a_schema_that_lacks_columns_is_refused() -> None:
    """A schema with fewer fields than columns is refused, not read as a file without rows."""
    data = lance_file([], [[page(1, FLAT, bytes(8))]], rows=0)
    with (
        lance.open(data) as file,
        pytest.raises(FormatError, match="num_columns: found 1, wanted 0"),
    ):
        file.to_table()


def test_a_file_without_rows_has_a_schema() -> None:
    """A file without rows gives an empty table with its schema, and no batch."""
    fields = [lance_field("a", "list"), lance_field("item", "int8", 1, parent_id=0)]
    with lance.open(lance_file(fields, [[], []], rows=0)) as file:
        assert file.to_table().schema == file.schema
        assert list(file.scan().batches()) == []
        assert file.take([]).num_rows == 0


def test_rows_of_version_2_3_are_refused_by_name() -> None:
    """The schema of a version 2.3 file is shown; the error for its rows names the version."""
    with lance.open(two_columns(version="2.3")) as file:
        assert file.schema.names == ["a", "b.c"]
        with pytest.raises(Unsupported, match=r"version at byte \d+ .*found version 2\.3"):
            file.to_table()


def test_extension_types_that_pyarrow_knows_are_used() -> None:
    """Tables, batches and the schema have the extension types that pyarrow knows."""
    metadata = {"ARROW:extension:name": b"arrow.bool8"}
    fields = [lance_field("a", "int8", metadata=metadata)]
    stored = page(2, no_nulls(flat(8)), b"\0\1")
    with lance.open(lance_file(fields, [[stored]], rows=2)) as file:
        (batch,) = file.scan().batches()
        types = [file.to_table()["a"].type, batch.column(0).type, file.take([0])["a"].type]
        assert [*types, *file.schema.types] == [pa.bool8()] * 4


@pytest.mark.parametrize(
    ("logical_type", "last"),
    [("decimal:128:3:1", 999), ("time32:s", 86_399), ("time64:ns", 86_400 * 10**9 - 1)],
)
def test_a_value_that_its_type_does_not_have_is_refused(logical_type: str, last: int) -> None:
    """The greatest value of a type is read and the next one refused, unless it is null."""
    width = {"decimal": 16, "time32": 4, "time64": 8}[logical_type.partition(":")[0]]
    encoding = some_nulls(flat(1), flat(8 * width, 1))
    for value, valid, is_sound in ((last, 1, True), (last + 1, 1, False), (last + 1, 0, True)):
        stored = page(1, encoding, bitmap(valid), value.to_bytes(width, "little"))
        with lance.open(lance_file([lance_field("a", logical_type)], [[stored]], rows=1)) as file:
            if is_sound:
                assert len(file.to_table()) == len(file.take([0])) == 1
                continue
            for read in (file.to_table, lambda file=file: file.take([0])):
                with pytest.raises(FormatError, match="a value that its type does not have"):
                    read()


def test_errors_name_the_file(tmp_path: Path) -> None:
    """Errors of tables and of scans name the file."""
    place = tmp_path / "x.lance"
    stored = page(2, FLAT, b"\0")
    place.write_bytes(lance_file([lance_field("a", "int64")], [[stored]], rows=2))
    with lance.open(place) as file:
        with pytest.raises(FormatError, match=rf"{place}: columns\[0\]"):
            file.to_table()
        with pytest.raises(FormatError, match=rf"{place}: columns\[0\]"):
            list(file.scan().batches())


def test_pages_of_columns_are_not_described_again_for_the_next_scan() -> None:
    """The pages of columns with one each are kept for the next scan of the same columns."""
    data = written(pa.table({"a": [1, 2], "b": [3, 4], "c": [5, 6]}), "2.2")
    with lance.open(data) as file:
        found = file.single_pages([0, 2])
        assert found is not None
        assert file.single_pages([0, 2]) is found
        assert file.to_table(["a", "c"]).to_pydict() == {"a": [1, 2], "c": [5, 6]}
        assert file.single_pages([1, 2]) is not found
