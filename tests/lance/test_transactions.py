"""Each version of a Lance dataset that we write names the transaction that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from byteloom import lance
from byteloom.errors import StorageError
from byteloom_generated.lance.transaction import Transaction

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.lance import Dataset

ROWS = pa.table({"id": range(6), "text": list("abcdef")})


def transaction_of(dataset: Dataset) -> Transaction:
    """The transaction of a version, whose file its manifest names."""
    name = dataset.manifest.transaction_file
    found = Transaction.parse(dataset.folder.read(f"_transactions/{name}"))
    assert name == f"{dataset.version - 1}-{found.uuid}.txn"
    assert found.read_version == dataset.version - 1
    return found


def test_new_rows_are_described_without_ids(tmp_path: Path) -> None:
    """Creating, appending and overwriting name the fragments as other versions may take them."""
    first = lance.write_dataset(tmp_path / "a", ROWS, max_rows_per_file=4)
    made = transaction_of(first).overwrite
    assert [each.name for each in made.schema] == ["id", "text"]
    assert [each.physical_rows for each in made.fragments] == [4, 2]
    second = lance.write_dataset(tmp_path / "a", ROWS, mode="append")
    added = transaction_of(second).append.fragments
    assert [each.id for each in second.manifest.fragments] == [0, 1, 2]
    assert [(each.id, each.physical_rows) for each in added] == [(0, 6)]
    assert added[0].files == second.manifest.fragments[2].files
    other = pa.table({"x": [1.5]}, metadata={"of": "x"})
    third = transaction_of(lance.write_dataset(tmp_path / "a", other, mode="overwrite"))
    assert [each.name for each in third.overwrite.schema] == ["x"]
    assert dict(third.overwrite.schema_metadata) == {"of": b"x"}


def test_deleted_rows_are_described_by_fragments(tmp_path: Path) -> None:
    """Deleting names the fragments with a new deletion file, and those that are gone."""
    dataset = lance.write_dataset(tmp_path / "a", ROWS, max_rows_per_file=2)
    dataset = dataset.delete([0, 2, 3])
    deleted = transaction_of(dataset).delete
    (updated,) = deleted.updated_fragments
    assert (updated.id, updated.deletion_file.num_deleted_rows) == (0, 1)
    assert list(deleted.deleted_fragment_ids) == [1]


def test_changed_columns_are_described_by_the_schema(tmp_path: Path) -> None:
    """Adding and dropping columns name the schema after it; dropping makes none required."""
    dataset = lance.write_dataset(tmp_path / "a", ROWS, max_rows_per_file=4)
    dataset = dataset.add_columns(pa.table({"n": range(6)}))
    merged = transaction_of(dataset).merge
    assert [each.name for each in merged.schema] == ["id", "text", "n"]
    assert list(merged.fragments) == list(dataset.manifest.fragments)
    dropped = transaction_of(dataset.drop_columns(["text"])).project
    assert [each.name for each in dropped.schema] == ["id", "n"]
    assert dropped.preserves_nullability


class Full(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A filesystem that has no room for manifests."""

    cachable = False

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        """Write a file, unless it is a manifest."""
        if path.endswith(".manifest"):
            raise OSError("no space left on device")
        super().pipe_file(path, value, mode=mode, **kwargs)


def test_a_version_that_could_not_be_written_leaves_no_transaction(tmp_path: Path) -> None:
    """Where the manifest cannot be written, the file of its transaction is removed."""
    place, memory = f"/{tmp_path.name}/a", MemoryFileSystem()
    lance.write_dataset(place, ROWS, filesystem=memory)
    with pytest.raises(StorageError, match="no space left"):
        lance.write_dataset(place, ROWS, mode="append", filesystem=Full())
    assert len(memory.ls(f"{place}/_transactions")) == 1
