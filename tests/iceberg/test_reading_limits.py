"""Data files whose rows are far larger than the file are read within limits, or refused."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import fs, orc
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet
from tests.support.memory import PEAK

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg import Table, open_table
from byteloom.limits import Limits
from byteloom.parquet import weights
from byteloom.parquet.pages import pages
from byteloom.parquet.weights import row_bytes
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST = 700 << 20
"""Bytes that a scan may take beyond what is imported; the rows come to 1.2 GB."""

CHILD = f"""{PEAK}
import json
from byteloom.iceberg import open_table
import byteloom.iceberg.reading.threads, pyarrow.parquet
before, found = peak(), []
for place in sys.argv[1:]:
    batches = open_table(place).scan().to_batches(threads=1)
    found.append(sum(each.num_rows for each in batches))
print(json.dumps([found, peak() - before]))
"""


@pytest.fixture
def quarter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a quarter of what is else read at a time, so that a quarter of the rows exceeds it."""
    for name, most in (("_BATCH_BYTES", 256 << 20), ("_TEXT_BYTES", 64 << 20)):
        assert getattr(weights, name) == most
        monkeypatch.setattr(weights, name, most // 4)


def repeated(path: Path, size: int, rows: int, codec: str = "zstd") -> File:
    """Write a file whose rows are one text, which it stores once."""
    codes = pa.array([0] * rows, pa.int32())
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * size]))
    return parquet(path, arrow({(1, "s"): texts}), compression=codec, write_statistics=False)


def table_of(root: Path, *files: File) -> Table:
    """Return a table of a text column."""
    return TableMaker(root, [(1, "s", "string")]).commit(*files).open()


def like_the_one_before(path: Path, size: int, rows: int) -> File:
    """Write a file whose rows are one text, each of which repeats the one before."""
    few = arrow({(1, "s"): pa.array(["x" * size] * 100)})
    data = pa.concat_tables([few] * (rows // 100))  # in the memory of 100
    options = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
    return parquet(path, data, compression="zstd", write_statistics=False, **options)


def packed_of(file: File, raw: int) -> int:
    """Return the bytes in the file of its page that has *raw* bytes when decompressed."""
    chunk = pa.parquet.read_metadata(file.path).row_group(0).column(0)
    with LocalSource(str(file.path)) as source:
        return next(each.packed for each in pages(source, chunk, "") if each.raw == raw)


def test_text_that_is_repeated_is_read_some_rows_at_a_time(tmp_path: Path) -> None:
    """Repeated text of 1.2 GB in a few kilobytes is read in bounded memory."""
    cases: list[tuple[Callable[[Path, int, int], File], int, int, int]] = [
        (repeated, 1, 50_000_000, 24),
        (repeated, 20, 500_000, 120),
        (like_the_one_before, 1, 1_000_000, 1_200),
    ]
    places = []
    for number, (make, files, size, rows) in enumerate(cases):
        made = [make(tmp_path / f"{number}-{each}.parquet", size, rows) for each in range(files)]
        places.append(table_of(tmp_path / f"t{number}", *made).metadata_location)
    command = [sys.executable, "-c", CHILD, *places]
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    found, taken = json.loads(run.stdout)
    print(f"{taken >> 20} MiB")
    assert found == [files * rows for _, files, _, rows in cases]
    assert taken < MOST


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "lz4", "brotli", "none"])
def test_the_longest_entry_of_a_dictionary_is_found(tmp_path: Path, codec: str) -> None:
    """The longest entry of each row group's dictionary is found, with every codec."""
    texts = pa.array(["a", "b" * 700, "c", "d" * 1_000] * 5)
    file = parquet(
        tmp_path / "a.parquet", arrow({(1, "s"): texts}), compression=codec, row_group_size=2
    )
    with LocalSource(str(file.path)) as source:
        metadata = pa.parquet.read_metadata(file.path)
        found = [row_bytes(source, metadata, [0], each, Limits())[0] for each in (0, 1)]
        assert found == [700, 1_000]
        assert row_bytes(source, metadata, [], 0, Limits()) == (0, 0)


def test_pages_beyond_the_limits_are_refused(tmp_path: Path) -> None:
    """A page of exactly the limit by its header is read, and a larger one is refused."""
    file = repeated(tmp_path / "a.parquet", 100_000, 3)
    table = table_of(tmp_path / "t", file)
    page = 100_004  # with the length of the text
    packed = packed_of(file, page)
    for size, most in ((page - 1_000 * packed, 0), (page - 1_000 * packed - 1, 1)):
        limits = Limits(decompressed_size=size, expansion=1_000)
        scan = open_table(table.metadata_location, limits=limits).scan()
        if most:
            said = rf"at byte \d+ .*: found a page of {page} bytes, wanted at most {page - 1} "
            with pytest.raises(LimitExceeded, match=said):
                scan.to_table()
        else:
            assert len(scan.to_table()) == 3


@pytest.mark.parametrize("kind", ["int64", "string"])
def test_pages_of_files_in_stores_are_bounded_too(tmp_path: Path, kind: str) -> None:
    """Pages of files in a given filesystem are limited by their headers, for any column."""
    texts = {"int64": pa.array([7] * 100_000), "string": pa.array(["x" * 799_995 + "abcd1"])}
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    file = parquet(tmp_path / "a.parquet", arrow({(1, "s"): texts[kind]}), **options)
    chunk = pa.parquet.read_metadata(file.path).row_group(0).column(0)
    with LocalSource(str(file.path)) as source:
        page = max(each.raw for each in pages(source, chunk, ""))
    assert page > 100_000
    of = {"int64": "long", "string": "string"}[kind]
    place = TableMaker(tmp_path / "t", [(1, "s", of)]).commit(file).open().metadata_location
    for size, is_read in ((page, True), (page - 1, False)):
        limits = Limits(decompressed_size=size, expansion=0)
        held = open_table(place, filesystem=fs.LocalFileSystem(), limits=limits)
        if is_read:
            assert len(held.scan().to_table()) == len(texts[kind])
        else:
            with pytest.raises(LimitExceeded, match=f"a.parquet.*a page of {page} bytes"):
                held.scan().to_table()


@pytest.mark.parametrize("row_group_size", [1_000_000, 1_000])
def test_a_file_of_many_pages_is_read_whatever_it_decompresses_to(
    tmp_path: Path, row_group_size: int
) -> None:
    """A file is read even if its pages together exceed the limit on one page."""
    rows = 300_000
    file = parquet(
        tmp_path / "a.parquet",
        arrow({(1, "s"): pa.array(["ORDER_PAID"] * rows)}),
        compression="zstd",
        use_dictionary=False,
        data_page_size=4_096,
        row_group_size=row_group_size,
    )
    limits = Limits(decompressed_size=20_000, expansion=1)
    assert limits.decompressed_size + file.path.stat().st_size < 10 * rows
    place = table_of(tmp_path / "t", file).metadata_location
    read = open_table(place, limits=limits).scan().to_table()
    assert read["s"].value_counts().to_pylist() == [{"values": "ORDER_PAID", "counts": rows}]


@pytest.mark.parametrize(("count", "size", "rows"), [(1, 1_250_000, 40), (3, 100_000, 1_500)])
@pytest.mark.usefixtures("quarter")
def test_values_of_one_length_are_read_some_rows_at_a_time(
    tmp_path: Path, count: int, size: int, rows: int
) -> None:
    """Repeated `fixed[N]` values are read some rows at a time, in one file or several."""
    codes = pa.array([0] * rows, pa.int32())
    values = pa.DictionaryArray.from_arrays(codes, pa.array([b"x" * size], pa.binary(size)))
    data, options = arrow({(1, "s"): values}), {"compression": "zstd", "write_statistics": False}
    files = [parquet(tmp_path / f"{each}.parquet", data, **options) for each in range(count)]
    table = TableMaker(tmp_path / "t", [(1, "s", f"fixed[{size}]")]).commit(*files).open()
    taken = [each.num_rows for each in table.scan().to_batches(threads=1)]
    assert sum(taken) == count * rows
    assert max(taken) * size <= 16 << 20


NUMBERED = {b"PARQUET:field_id": b"2"}


def lists(path: Path, size: int, ends: list[int]) -> File:
    """Write a file of lists of one text, which it stores once."""
    codes = pa.array([0] * ends[-1], pa.int32())
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * size]))
    field = pa.field("element", texts.type, metadata=NUMBERED)
    column = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), texts, type=pa.list_(field))
    return parquet(path, arrow({(1, "l"): column}), compression="zstd", write_statistics=False)


def table_of_lists(root: Path, *files: File) -> Table:
    """Return a table of a column of lists of text."""
    element = {"element-id": 2, "element": "string", "element-required": False}
    return TableMaker(root, [(1, "l", {"type": "list", **element})]).commit(*files).open()


@pytest.mark.parametrize("count", [1, 3])
def test_lists_are_read_as_many_rows_at_a_time_as_their_values_allow(
    tmp_path: Path, count: int
) -> None:
    """Rows of 30 texts of 100 kB are read as many at a time as the limit allows."""
    ends = list(range(0, 3_030, 30))
    files = [lists(tmp_path / f"{each}.parquet", 100_000, ends) for each in range(count)]
    scan = table_of_lists(tmp_path / "t", *files).scan()
    rows = [each.num_rows for each in scan.to_batches(threads=1)]
    assert sum(rows) == count * 100
    assert max(rows) * 30 * 100_000 <= 256 << 20


@pytest.mark.parametrize(("most", "is_read"), [(3_000, True), (2_999, False)])
def test_rows_of_lists_beyond_the_limits_are_refused(
    tmp_path: Path, most: int, *, is_read: bool
) -> None:
    """A row of a list that exceeds the limit by itself is refused."""
    place = table_of_lists(tmp_path / "t", lists(tmp_path / "a.parquet", 1_000, [0, 3, 6]))
    limits = Limits(decompressed_size=most)
    scan = open_table(place.metadata_location, limits=limits).scan()
    if is_read:
        assert len(scan.to_table()) == 2
        return
    said = rf"columns\[0\]: found a row of 3000 bytes, wanted at most {most} bytes"
    with pytest.raises(LimitExceeded, match=said):
        scan.to_table()


@pytest.mark.usefixtures("quarter")
def test_rows_of_dense_pages_are_read_fewer_at_a_time(tmp_path: Path) -> None:
    """Page headers bound the rows of a batch where the average of a row group is too low."""
    path = tmp_path / "a.parquet"
    texts = pa.array(["" for _ in range(4_096)] + ["x" * 250_000] * 400)
    options = {"use_dictionary": False, "compression": "zstd", "write_batch_size": 1}
    file = parquet(path, arrow({(1, "s"): texts}), write_statistics=False, **options)
    rows = [each.num_rows for each in table_of(tmp_path / "t", file).scan().to_batches()]
    assert sum(rows) == 4_496
    assert max(rows) <= 256


@pytest.mark.usefixtures("quarter")
def test_row_groups_of_small_rows_are_read_many_at_a_time(tmp_path: Path) -> None:
    """Large rows reduce the batch size of their own row group only."""
    path = tmp_path / "a.parquet"
    texts = pa.array(["y"] * 5_000 + ["x" * 1_250_000] * 60)
    options = {"use_dictionary": False, "compression": "zstd", "row_group_size": 5_000}
    file = parquet(path, arrow({(1, "s"): texts}), write_statistics=False, **options)
    rows = [each.num_rows for each in table_of(tmp_path / "t", file).scan().to_batches()]
    assert rows[0] == 5_000
    assert max(rows[1:]) <= 32
    assert sum(rows) == 5_060


def test_damaged_page_headers_are_refused(tmp_path: Path) -> None:
    """A page header with a list or a number above 64 bits is refused."""
    file = repeated(tmp_path / "a.parquet", 1_000, 3)
    data = file.path.read_bytes()
    at = pa.parquet.read_metadata(file.path).row_group(0).column(0).dictionary_page_offset
    for wrong in (b"\x19", b"\x15" + b"\xff" * 10):
        file.path.write_bytes(data[:at] + wrong + data[at + len(wrong) :])
        said = rf"row_groups\[0\]\.columns\[0\] at byte {at} .*: found a damaged page header"
        with pytest.raises(FormatError, match=said):
            table_of(tmp_path / "t", file).scan().to_table()


@pytest.mark.parametrize("count", [1, 3])
def test_a_row_that_has_nearly_all_values_is_refused(tmp_path: Path, count: int) -> None:
    """A row with nearly all values of a file is refused, even if the average row is small."""
    ends = [*range(1_000), 20_000]
    files = [lists(tmp_path / f"{each}.parquet", 50_000, ends) for each in range(count)]
    said = r"0\.parquet.*columns\[0\]: found a row of 950050000 bytes, wanted"
    with pytest.raises(LimitExceeded, match=said):
        table_of_lists(tmp_path / "t", *files).scan().to_table()


def longest_and_most() -> pa.Array:
    """Return lists of text, of which one has the longest text and another the most."""
    rows = [["x" * 1_000_000] * 3, [*map(str, range(20_000)), None], None, []]
    return pa.array(rows, pa.list_(pa.field("element", pa.string(), metadata=NUMBERED)))


def test_lists_whose_longest_text_is_of_another_row_are_read(tmp_path: Path) -> None:
    """Rows within the limit are read, even if one has the longest text and another the most."""
    column = longest_and_most()
    file = parquet(tmp_path / "a.parquet", arrow({(1, "l"): column}))
    assert (
        table_of_lists(tmp_path / "t", file).scan().to_table()["l"].to_pylist()
        == column.to_pylist()
    )


def test_lists_of_an_orc_dictionary_count_as_if_all_had_its_longest_text(tmp_path: Path) -> None:
    """Such rows of an ORC file are read within a limit on the longest list of longest texts."""
    column, path = longest_and_most(), tmp_path / "a.orc"
    orc.write_table(arrow({(1, "l"): column}), path, dictionary_key_size_threshold=1.0)
    table = table_of_lists(tmp_path / "t", File(path, len(column)))
    with pytest.raises(LimitExceeded, match="found a row of up to 20001160016 bytes"):
        table.scan().to_table()
    place = table.metadata_location
    wide = open_table(place, limits=Limits(decompressed_size=1 << 35))
    assert wide.scan().to_table()["l"].to_pylist() == column.to_pylist()


def test_lists_of_numbers_are_bounded_too(tmp_path: Path) -> None:
    """A list of numbers beyond the limit is refused, even if it takes a few bytes."""
    field = pa.field("element", pa.int64(), metadata=NUMBERED)
    numbers = pa.array(np.zeros(2_000_000, np.int64))
    ends = pa.array([0, 1, 2_000_000], pa.int32())
    column = pa.ListArray.from_arrays(ends, numbers, type=pa.list_(field))
    file = parquet(tmp_path / "a.parquet", arrow({(1, "l"): column}), compression="zstd")
    element = {"element-id": 2, "element": "long", "element-required": False}
    maker = TableMaker(tmp_path / "t", [(1, "l", {"type": "list", **element})])
    place = maker.commit(file).open().metadata_location
    most = 8 * 1_999_999
    assert len(open_table(place, limits=Limits(decompressed_size=most)).scan().to_table()) == 2
    with pytest.raises(LimitExceeded, match=r"found 1999999 values a row of up to 8 bytes each"):
        open_table(place, limits=Limits(decompressed_size=most - 1)).scan().to_table()
