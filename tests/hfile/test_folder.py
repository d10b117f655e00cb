"""A folder of HFiles is one sorted table: keys are looked up in the files that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom.errors import FormatError
from byteloom.hfile import HFileFolder, HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

RANGES = ([b"a", b"b", b"c"], [b"m"], [b"p", b"q" * 30_000, b"z\xff"])


def put(path: Path, rows: list[bytes]) -> None:
    """Write a file in which each row has itself, reversed, as its value."""
    with HFileWriter(path, profile="hbase") as writer:
        for row in rows:
            writer.add(row, row[:9][::-1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write three files, named in another order than their rows, and one without a cell."""
    for name, rows in zip(("2", "0", "1"), RANGES, strict=True):
        put(tmp_path / f"{name}.hfile", rows)
    put(tmp_path / "empty.hfile", [])
    return tmp_path


def test_rows_are_found_in_whatever_file_has_them(folder: Path) -> None:
    """Rows of several files are found in the order requested, as often as they are requested."""
    asked = [b"z\xff", b"b", b"none", b"m", b"b", b"", b"q" * 30_000, b"zz", b"c", b"l"]
    with HFileFolder(folder) as files:
        assert files.num_rows == 7
        found = files.lookup(asked, ["row", "value"])
    assert found["asked"].to_pylist() == [0, 1, 3, 4, 6, 8]
    assert found["row"].to_pylist() == [asked[each] for each in (0, 1, 3, 4, 6, 8)]
    assert found["value"].to_pylist() == [row[:9][::-1] for row in found["row"].to_pylist()]


@pytest.mark.parametrize("asked", [[], [b"k"]])
def test_nothing_found_is_an_empty_table(folder: Path, asked: list[bytes]) -> None:
    """A lookup that finds nothing returns an empty table with the requested columns."""
    with HFileFolder(folder) as files:
        found = files.lookup(pa.array(asked, pa.binary()), ["value"])
    assert found.schema.names == ["asked", "value"]
    assert found.schema.types == [pa.int64(), pa.binary()]
    assert found.num_rows == 0


def test_only_the_files_in_whose_range_a_row_is_are_read(folder: Path) -> None:
    """A damaged file of a folder is not noticed until one of its rows is looked up."""
    place = folder / "1.hfile"
    data = bytearray(place.read_bytes())
    data[40] ^= 1
    place.write_bytes(data)
    with HFileFolder(folder) as files:
        assert files.lookup([b"a", b"m", b"n", b"{"]).num_rows == 2
        with pytest.raises(FormatError, match=r"1\.hfile: .*checksum"):
            files.lookup([b"p"])


def test_ranges_that_share_a_row_are_refused(folder: Path) -> None:
    """Files of a folder may not share a row, as the last of one and the first of another."""
    put(folder / "3.hfile", [b"m", b"n"])
    with pytest.raises(FormatError, match=r"rows from b'm', and up to b'm' in .* do not overlap"):
        HFileFolder(folder)


def test_files_of_writers_that_are_not_done_are_left_out(folder: Path) -> None:
    """Files of a folder whose names begin with a dot or an underscore are not opened."""
    (folder / ".part").write_bytes(b"unfinished")
    (folder / "_SUCCESS").write_bytes(b"")
    with HFileFolder(folder) as files:
        assert len(files.parts) == len(RANGES)


def test_another_file_in_the_folder_is_an_error_that_names_it(folder: Path) -> None:
    """A folder with a file that is not an HFile is refused by the name of the file."""
    (folder / "x.hfile").write_bytes(b"PAR1....PAR1")
    with pytest.raises(FormatError, match=r"x\.hfile: found a Parquet file, wanted an HFile"):
        HFileFolder(folder)
