"""Filters of scans: the rows that match, and what is read to find them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lance.test_scan import two_columns
from tests.support.drawn import examples
from tests.support.lance_datasets import arrow_file, fragment, integers, put_deletions, put_manifest
from tests.support.lance_files import lance_field
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg import col, parse
from byteloom_generated.lance.table import Manifest

if TYPE_CHECKING:
    from pathlib import Path


def table() -> pa.Table:
    """Numbers, text and structs, with nulls, of 5,000 rows."""
    number = np.arange(5_000)
    text = [None if n % 11 == 0 else f"text {n % 97}" for n in number.tolist()]
    structs = pa.StructArray.from_arrays(
        [pa.array(number % 100, pa.int16()), pa.array(text)],
        ["x", "y"],
        mask=pa.array(number % 13 == 0),
    )
    columns = {
        "id": pa.array(number),
        "n": pa.array(number // 50, mask=number % 7 == 0),
        "text": pa.array(text),
        "pt": structs,
    }
    return pa.table(columns)


TABLE = table()
ROWS = TABLE.to_pylist()
FILES = {version: written(TABLE, version, page_size=9_000) for version in VERSIONS}

CASES: dict[str, Any] = {
    "id = 4999": lambda row: row["id"] == 4_999,
    "id >= 100 and id < 3000": lambda row: 100 <= row["id"] < 3_000,
    "n = 3 or n is null": lambda row: row["n"] in {3, None},
    "n != 3": lambda row: row["n"] != 3,
    "not n > 3": lambda row: row["n"] is not None and row["n"] <= 3,
    "text = 'text 5'": lambda row: row["text"] == "text 5",
    "text starts with 'text 9'": lambda row: (row["text"] or "").startswith("text 9"),
    "pt.x in (1, 99) and text is not null": lambda row: (
        (row["pt"] or {"x": None})["x"] in {1, 99} and row["text"] is not None
    ),
    "pt.y is null": lambda row: row["pt"] is None or row["pt"]["y"] is None,
    "id < 0": lambda _: False,
    "true": lambda _: True,
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("text", CASES)
def test_rows_are_those_that_match(text: str, version: str) -> None:
    """A filter gives the matching rows, even where its columns are not selected.

    Null matches `!=` and no other comparison.
    """
    matching = [row for row in ROWS if CASES[text](row)]
    with lance.open(FILES[version]) as file:
        assert file.to_table(filter=parse(text)).to_pylist() == matching
        found = file.to_table(["text", "pt.x"], filter=parse(text)).to_pylist()
        assert [row["text"] for row in found] == [row["text"] for row in matching]
        assert file.count(parse(text)) == len(matching)
        assert file.to_table(filter=text).to_pylist() == matching
        assert file.count(text) == len(matching)
        assert file.scan([], filter=parse(text)).to_table().num_rows == len(matching)


@examples(0.5)
@given(
    version=st.sampled_from(VERSIONS),
    first=st.integers(0, 5_000),
    rows=st.integers(0, 5_000),
    size=st.integers(1, 6_000),
    least=st.integers(-10, 110),
    span=st.integers(0, 50),
)
def test_a_filtered_scan_is_the_filter_of_the_whole_scan(  # noqa: PLR0917  what is drawn
    version: str, first: int, rows: int, size: int, least: int, span: int
) -> None:
    """A filtered scan of any range, in batches of any size, has the matching rows in order.

    No batch is empty.
    """
    wanted = (col("n") >= least) & (col("n") <= least + span)
    chosen = range(first, min(first + rows, len(TABLE)))
    part = TABLE[first : first + rows]
    mask = pa.array([n is not None and least <= n <= least + span for n in part["n"].to_pylist()])
    with lance.open(FILES[version]) as file:
        scan = file.scan(["pt", "id"], rows=chosen, batch_size=size, filter=wanted)
        batches = list(scan.batches())
        assert all(0 < each.num_rows <= size for each in batches)
        found = pa.Table.from_batches(batches, scan.schema)
        assert difference(found, part.select(["pt", "id"]).filter(mask.cast(pa.bool_()))) is None
        assert scan.num_rows == len(found)


def test_columns_are_read_only_where_rows_match() -> None:
    """A page without matching rows is not read: damage to it goes unnoticed."""
    data = bytearray(FILES["2.1"])
    with lance.open(bytes(data)) as file:
        page = file.columns(file.column_map.of(file.fields[2]))[0].pages[-1]
    at, size = page.buffers[1]
    data[at : at + size] = b"\xff" * size
    with lance.open(bytes(data)) as file:
        scan = file.scan(["text"], filter=col("id") < 100, batch_size=500)
        assert scan.to_table()["text"].to_pylist() == [row["text"] for row in ROWS[:100]]
        with pytest.raises(FormatError, match=r"columns\[2\].pages"):
            file.to_table(["text"], filter=col("id") > 100)


def test_files_of_version_2_0_are_filtered() -> None:
    """A filter compares columns whose pages end at different rows."""
    with lance.open(two_columns()) as file:
        found = file.to_table(filter=parse("a >= 49 and b.c > -52"))
    assert found.to_pylist() == [{"a": n, "b.c": -n} for n in (49, 50, 51)]


def test_a_filtered_scan_is_an_arrow_stream() -> None:
    """A filtered scan is an Arrow stream, and its `repr` says that it is filtered."""
    with lance.open(two_columns()) as file:
        scan = file.scan(["a"], filter=col("a") < 3)
        assert pa.table(scan).to_pylist() == [{"a": n} for n in range(3)]
        assert repr(scan).endswith("100 rows, 1 column, filtered>")


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (7, "filter: found int, wanted text, or an expression on byteloom.iceberg.col"),
        ("id >", "expression at character 5: found the end, wanted a literal"),
        (parse("nmae = 3"), "column: found 'nmae', wanted a column of the schema"),
        (parse("id = 'three'"), "three"),
    ],
)
def test_filters_that_do_not_fit_are_refused(asked: Any, wanted: str) -> None:
    """A filter that is not an expression, or does not fit the schema, is refused before reading."""
    with lance.open(FILES["2.1"]) as file, pytest.raises(FormatError, match=wanted):
        file.scan(filter=asked)


def test_columns_that_iceberg_has_no_type_for_cannot_be_asked() -> None:
    """A filter on a type that Iceberg lacks is refused by name; other columns can be filtered."""
    data = written(pa.table({"d": pa.array([1, 2], pa.duration("s")), "n": [1, 2]}), "2.2")
    with lance.open(data) as file:
        with pytest.raises(
            Unsupported, match=r"filter: found d, a column of duration\[s\], wanted"
        ):
            file.scan(filter=parse("d = 1"))
        assert file.to_table(["n"], filter=parse("d is not null")).num_rows == 2
        assert file.to_table(["n"], filter=parse("n = 2")).to_pylist() == [{"n": 2}]


def test_fragments_of_a_dataset_are_filtered(tmp_path: Path) -> None:
    """A filter applies to live rows of each fragment, and to columns in any of its files."""
    fields = [lance_field("a", "int64"), lance_field("b", "int64", 1)]
    first = fragment(tmp_path, 0, 4, ([0], integers(fields[:1], [1, 2, 3, 4])))
    second = fragment(
        tmp_path,
        1,
        3,
        ([0], integers(fields[:1], [5, 6, 7])),
        ([1], integers(fields[1:], [50, 60, 70])),
        deletion_file=put_deletions(tmp_path, 1, arrow_file([1]), 0, num_deleted_rows=1),
    )
    put_manifest(tmp_path, Manifest(fields=fields, fragments=[first, second], version=1))
    dataset = lance.open_dataset(tmp_path)
    assert dataset.to_table(["a"], filter=parse("b >= 50")).to_pylist() == [{"a": 5}, {"a": 7}]
    assert dataset.to_table(["b"], filter=col("a") > 3)["b"].to_pylist() == [None, 50, 70]
    assert dataset.count(parse("b is null")) == 4
    scan = dataset.scan(rows=range(3, 5), filter=col("a") != 4)
    assert (scan.num_rows, pa.table(scan)["a"].to_pylist()) == (1, [5])
    assert repr(scan).endswith("2 rows, 2 columns, filtered>")
    assert dataset.to_table(filter=parse("a < 0")).schema.names == ["a", "b"]
