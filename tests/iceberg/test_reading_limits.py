"""Data files whose rows are far larger than the file: read within bounds, or refused."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet
from tests.support.memory import PEAK

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.reading.parquet_pages import _head, longest_texts
from byteloom.iceberg.table import Table, open_table
from byteloom.limits import Limits
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from pathlib import Path

MOST = 700 << 20
"""Bytes that a scan may take beyond what is imported; the rows come to 2 GB."""

CHILD = f"""{PEAK}
import json
from byteloom.iceberg.table import open_table
import byteloom.iceberg.reading.scanning, pyarrow.parquet
before, rows = peak(), 0
for batch in open_table(sys.argv[1]).scan().to_batches(threads=1):
    rows += batch.num_rows
print(json.dumps([rows, peak() - before]))
"""


def repeated(path: Path, size: int, rows: int, codec: str = "zstd") -> File:
    """A file whose rows are one text, which it keeps once."""
    codes = pa.array([0] * rows, pa.int32())
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * size]))
    return parquet(path, arrow({(1, "s"): texts}), compression=codec, write_statistics=False)


def table_of(root: Path, *files: File) -> Table:
    """A table of a text column."""
    return TableMaker(root, [(1, "s", "string")]).commit(*files).open()


@pytest.mark.parametrize(("files", "size", "rows"), [(1, 50_000_000, 40), (20, 500_000, 200)])
def test_text_repeated_by_a_dictionary_is_read_some_rows_at_a_time(
    tmp_path: Path, files: int, size: int, rows: int
) -> None:
    """2 GB of text of a few kilobytes, in one file or in many that are read together."""
    made = [repeated(tmp_path / f"{each}.parquet", size, rows) for each in range(files)]
    place = table_of(tmp_path / "t", *made).metadata_location
    command = [sys.executable, "-c", CHILD, place]
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    read, taken = json.loads(run.stdout)
    print(f"{taken >> 20} MiB")
    assert read == files * rows
    assert taken < MOST


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "lz4", "brotli", "none"])
def test_the_longest_entry_of_a_dictionary_is_found(tmp_path: Path, codec: str) -> None:
    """Of all dictionaries of the row groups that are read, whatever compresses them."""
    texts = pa.array(["a", "b" * 700, "c", "d" * 1_000] * 5)
    file = parquet(
        tmp_path / "a.parquet", arrow({(1, "s"): texts}), compression=codec, row_group_size=2
    )
    with LocalSource(str(file.path)) as source:
        metadata = pa.parquet.read_metadata(file.path)
        found = [longest_texts(source, metadata, [0], [each], Limits()) for each in (0, 1)]
        assert found == [700, 1_000]
        assert longest_texts(source, metadata, [0], [0, 1], Limits()) == 1_000
        assert longest_texts(source, metadata, [], [0, 1], Limits()) == 0


def test_pages_beyond_the_limits_are_refused(tmp_path: Path) -> None:
    """One page, and all of them, by their own headers: exactly at the limit they are read."""
    file = repeated(tmp_path / "a.parquet", 100_000, 3)
    table = table_of(tmp_path / "t", file)
    page = 100_004  # with the length of the text
    for size, most in ((page, 0), (page - 1, 1)):
        limits = Limits(decompressed_size=size, expansion=1_000)
        scan = open_table(table.metadata_location, limits=limits).scan()
        if most:
            told = rf"at byte \d+ .*: found a page of {page} bytes, wanted at most {size}"
            with pytest.raises(LimitExceeded, match=told):
                scan.to_table()
        else:
            assert len(scan.to_table()) == 3


def test_pages_beyond_the_limits_are_refused_in_sum(tmp_path: Path) -> None:
    """Footers may say less: the headers of the pages count."""
    texts = pa.array(["x" * 1_000, "y" * 1_000])
    file = parquet(tmp_path / "a.parquet", arrow({(1, "s"): texts}), row_group_size=1)
    metadata = pa.parquet.read_metadata(file.path)
    with LocalSource(str(file.path)) as source:
        limits = Limits(decompressed_size=2_000, expansion=0)
        assert longest_texts(source, metadata, [0], [0], limits) == 1_000
        told = r"row_groups\[1\]\.columns\[0\] at byte \d+ .*: found pages of \d+ bytes"
        with pytest.raises(LimitExceeded, match=told):
            longest_texts(source, metadata, [0], [0, 1], limits)


def test_damaged_page_headers_are_refused(tmp_path: Path) -> None:
    """No page header begins with a list, nor with a number of more than 64 bits."""
    file = repeated(tmp_path / "a.parquet", 1_000, 3)
    data = file.path.read_bytes()
    at = pa.parquet.read_metadata(file.path).row_group(0).column(0).dictionary_page_offset
    assert _head(data[at : at + 3]) is None
    for wrong in (b"\x19", b"\x15" + b"\xff" * 10):
        file.path.write_bytes(data[:at] + wrong + data[at + len(wrong) :])
        told = rf"row_groups\[0\]\.columns\[0\] at byte {at} .*: found a damaged page header"
        with pytest.raises(FormatError, match=told):
            table_of(tmp_path / "t", file).scan().to_table()
