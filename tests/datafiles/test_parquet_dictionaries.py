"""Text that Parquet files store in dictionaries is read as codes where that is faster."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data_files import opened_file
from tests.support.iceberg_rows import TableMaker, arrow, parquet, position_deletes

from byteloom.datafiles.parquet_dictionaries import _entries
from byteloom.errors import FormatError
from byteloom.iceberg import NestedField, StringType, col
from byteloom.iceberg.reading.conversion import expanded
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = NestedField(1, "name", StringType())
ROWS = 4_000


def pieces(path: Path) -> list[pa.Array]:
    """Return the column as it is read, piece by piece."""
    with closing(opened_file(LocalSource(str(path)))) as file:
        return [array for piece in file.pieces([NAME]) for array in piece.arrays]


def written(path: Path, names: Sequence[str | None], **options: Any) -> Path:
    """Write a file of one column."""
    return parquet(path, arrow({(1, "name"): pa.array(names, pa.string())}), **options).path


@given(st.lists(st.one_of(st.none(), st.text(max_size=4))), st.sampled_from([None, 1, 3]))
def test_codes_become_what_they_stand_for(texts: list[str | None], start: int | None) -> None:
    """Expanding codes gives the values and nulls of the text, for part of a column too."""
    coded = pa.array(texts, pa.string()).dictionary_encode().slice(start or 0)
    found = expanded(coded)
    found.validate(full=True)
    assert found.to_pylist() == texts[start or 0 :]


@pytest.mark.parametrize("code", [-1, 2])
def test_a_code_of_no_entry_is_refused(code: int) -> None:
    """A code without an entry is an error with the code and the number of entries."""
    codes = pa.array([0, code, 1], pa.int32())
    with pytest.raises(FormatError, match=f"the code {code}.*2 entries"):
        expanded(pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False))


@pytest.mark.parametrize(
    ("head", "entries"),
    [
        ("15 04 15 28 15 28 4c 15 0a 15 00 00 00", 5),
        ("15 04 15 28 15 28 15 02 3c 15 0a 15 00 00 00", 5),  # with a checksum
        ("15 00 15 28 15 28 2c 15 0a 15 00 00 00", -1),  # a page of values, 5 of them
        ("15 06 15 28 15 28 5c 15 0a 15 00 00 00", -1),  # the same in version 2
        ("18 04 15 28 15 28 4c 15 0a 15 00 00 00", -1),  # a text before it
        ("15 04 15 28 15 28 48 15 0a 15 00 00 00", -1),  # a text in its place
        ("15 04 15 28 15 28 4c 25 0a 00 00", -1),  # one that has no number of entries
        ("15 04 15 28 15 28 4c 6c 15 0a 00 00 00", -1),  # a struct in it
        ("15 04 15 28 15 28 0c 15 0a 15 00 00 00", -1),  # the number of a field in full
        ("15 04 15 28 15 28 4c 15", -1),
        ("15 04 15 28 15 28", -1),
        ("15 04 15 28 15 28 00", -1),
        ("", -1),
    ],
)
def test_the_header_of_a_dictionary_has_the_number_of_its_entries(head: str, entries: int) -> None:
    """The number of entries is read from a usual dictionary header, and from no other one."""
    assert _entries(bytes.fromhex(head)) == entries


def test_text_of_few_values_is_read_as_codes(tmp_path: Path) -> None:
    """Text of few values is read as codes, with a dictionary for each row group."""
    names = [f"{'early' if each < ROWS // 2 else 'late'}-{each % 9}" for each in range(ROWS)]
    found = pieces(written(tmp_path / "a.parquet", names, row_group_size=ROWS // 2))
    assert [pa.types.is_dictionary(each.type) for each in found] == [True, True]
    assert [each for array in found for each in array.to_pylist()] == names


@pytest.mark.parametrize(("rows", "is_coded"), [(499, False), (500, True)])
def test_few_values_of_a_file_are_not_worth_codes(
    tmp_path: Path, rows: int, is_coded: bool
) -> None:
    """A file with few rows is read without codes, as opening it again costs more."""
    columns = {(1, "name"): pa.array([f"{each % 3}" for each in range(rows)])}
    (found,) = pieces(parquet(tmp_path / "a.parquet", arrow(columns)).path)
    assert pa.types.is_dictionary(found.type) == is_coded
    assert found.to_pylist() == [f"{each % 3}" for each in range(rows)]


def test_text_of_many_values_is_read_as_text(tmp_path: Path) -> None:
    """Text is read without codes if its writer gave up the dictionary."""
    names = [f"customer-{each}" for each in range(ROWS)]
    (found,) = pieces(written(tmp_path / "a.parquet", names, dictionary_pagesize_limit=1_000))
    assert found.type == pa.string()
    assert found.to_pylist() == names


@pytest.mark.parametrize("again", [b"bbb", b"ccc"])
def test_a_dictionary_that_has_an_entry_twice_is_read_rightly(tmp_path: Path, again: bytes) -> None:
    """Codes are right for a dictionary that has an entry twice, of which Arrow drops one."""
    names = ["aaa", "bbb", "ccc"] * (ROWS // 3)
    path = written(tmp_path / "a.parquet", names, compression="none", write_statistics=False)
    held = path.read_bytes()
    place = held.index(again)
    path.write_bytes(held[:place] + b"aaa" + held[place + 3 :])
    (found,) = pieces(path)
    stated = again.decode()
    assert found.to_pylist() == ["aaa" if each == stated else each for each in names]


def test_a_scan_gives_the_rows_of_coded_text(tmp_path: Path) -> None:
    """Nulls, filters and deletes of text read as codes are those of its values."""
    names = [None if each % 5 == 0 else f"n{each % 7}" for each in range(ROWS)]
    columns = {(1, "name"): pa.array(names), (2, "at"): pa.array(np.arange(ROWS))}
    data = parquet(tmp_path / "a.parquet", arrow(columns), row_group_size=ROWS // 4)
    gone = position_deletes(tmp_path / "d.parquet", [(data.path, each) for each in range(2_000)])
    maker = TableMaker(tmp_path, [(1, "name", "string"), (2, "at", "long")])
    table = maker.commit(data).commit(gone).open()
    found = table.scan(col("name") == "n3").to_table().to_pydict()
    assert found["at"] == [each for each in range(2_000, ROWS) if names[each] == "n3"]
    assert table.scan(columns=["name"]).to_table()["name"].to_pylist() == names[2_000:]


def test_a_delete_file_of_many_rows_names_several_files(tmp_path: Path) -> None:
    """A delete file with coded paths deletes the right positions of several files."""
    files = [
        parquet(tmp_path / f"{name}.parquet", arrow({(1, "at"): pa.array(range(ROWS))}))
        for name in "ab"
    ]
    rows = [(each.path, at) for each in files for at in range(0, ROWS, 2 + (each is files[0]))]
    gone = position_deletes(tmp_path / "d.parquet", rows)
    assert pq.ParquetFile(gone.path).metadata.row_group(0).column(0).has_dictionary_page
    table = TableMaker(tmp_path, [(1, "at", "long")]).commit(*files).commit(gone).open()
    kept = [each for each in range(ROWS) if each % 3] + list(range(1, ROWS, 2))
    assert table.scan().to_table()["at"].to_pylist() == kept
