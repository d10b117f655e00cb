"""A caller's mistake is an `ArgumentError`, which names what helps; no file is damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom

from byteloom import hfile, lance
from byteloom.errors import AlreadyExists, ArgumentError, FormatError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table({"x": [1, 2, 3]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a dataset."""
    lance.write_dataset(tmp_path / "a.lance", TABLE)
    return tmp_path / "a.lance"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"version": 9}, "one of its versions 1 to 1"),
        ({"tag": "a"}, "none: the dataset {folder} has no tags"),
        ({"branch": "a"}, "none: the dataset {folder} has no branches"),
        ({"tag": "a", "version": 1}, "a tag without version and branch, or no tag"),
    ],
)
def test_versions_that_there_are_not(
    folder: Path, arguments: dict[str, object], wanted: str
) -> None:
    """The error says which versions, tags and branches there are."""
    with pytest.raises(ArgumentError) as refused:
        lance.open_dataset(folder, **arguments)  # type: ignore[arg-type]
    assert refused.value.wanted == wanted.format(folder=folder)


def test_rows_to_delete_are_given_once(folder: Path) -> None:
    """Rows to delete are given by their numbers or by a filter, not by both."""
    with pytest.raises(ArgumentError, match="found neither, wanted exactly one of them"):
        lance.open_dataset(folder).delete()


@pytest.mark.parametrize(
    "rows", [pa.table({"x": ["a"]}), pa.table({"x": pa.array([[1]], pa.list_(pa.int8()))})]
)
def test_rows_of_another_type_are_not_appended(folder: Path, rows: pa.Table) -> None:
    """The error names the column, and both types."""
    with pytest.raises(ArgumentError) as refused:
        lance.write_dataset(folder, rows, mode="append")
    error = refused.value
    assert (error.path, error.found, error.wanted) == ("rows.x", str(rows["x"].type), "int64")


def test_another_version_of_files_is_not_appended(folder: Path) -> None:
    """A dataset has one version of data files."""
    with pytest.raises(ArgumentError, match=r"found 2.0, wanted 2.2, that of the dataset"):
        lance.write_dataset(folder, TABLE, mode="append", version="2.0")


def test_cells_out_of_order(tmp_path: Path) -> None:
    """A caller gives cells in HBase's order."""
    with pytest.raises(ArgumentError), hfile.HFileWriter(tmp_path / "a.hfile") as writer:
        writer.write(pa.table({"row": [b"b", b"a"]}))


def test_a_dataset_that_exists_is_not_created(folder: Path) -> None:
    """The error names the other modes, and on the command line its options."""
    with pytest.raises(AlreadyExists, match=r'mode="append" adds rows to it, mode="overwrite"'):
        lance.write_dataset(folder, TABLE)
    (folder.parent / "a.csv").write_text("x\n1\n")
    arguments = ("lance", "convert", folder.parent / "a.csv", folder, "--dataset")
    for more in ((), ("-f",)):
        outcome = byteloom(*arguments, *more)
        assert outcome.status == 1
        assert "a Lance dataset already, which --force does not replace" in outcome.err
        assert "--mode append adds rows to it, --mode overwrite makes" in outcome.err
    for mode, found in (("append", [*TABLE.to_pylist()] * 2), ("overwrite", TABLE.to_pylist())):
        lance.write_dataset(folder.parent / mode, TABLE)
        pq.write_table(TABLE, folder.parent / "a.parquet")
        places = (folder.parent / "a.parquet", folder.parent / mode)
        assert byteloom("lance", "convert", *places, "--dataset", "--mode", mode).status == 0
        assert lance.open_dataset(folder.parent / mode).to_table().to_pylist() == found


@pytest.mark.parametrize("more", [["--mode", "append"], ["--dataset", "--mode", "replace"]])
def test_a_mode_is_one_of_a_dataset(tmp_path: Path, more: list[str]) -> None:
    """`lance convert --mode` needs `--dataset`, and one of the three modes."""
    (tmp_path / "a.csv").write_text("x\n1\n")
    outcome = byteloom("lance", "convert", tmp_path / "a.csv", tmp_path / "a.lance", *more)
    assert outcome.status == 2
    assert "Invalid value for --mode" in outcome.err


def test_a_file_and_a_dataset_are_opened_by_other_functions(folder: Path) -> None:
    """The error names the function that opens it."""
    with pytest.raises(StorageError, match=r"found a Lance dataset, .*lance\.open_dataset opens"):
        lance.open(folder)
    file = next((folder / "data").iterdir())
    with pytest.raises(FormatError, match=r"byteloom\.lance\.open opens a single file"):
        lance.open_dataset(file)
    with pytest.raises(StorageError, match="wanted a regular file"):
        lance.open(folder / "data")
