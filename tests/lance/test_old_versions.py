"""Changes of datasets by early releases, and of those with parts that byteloom does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyroaring import BitMap
from tests.support.lance_datasets import (
    change_manifest,
    fragment,
    integers,
    manifest_bytes,
    put_deletions,
    put_manifest,
)
from tests.support.lance_files import lance_field

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom_generated.lance.table import FeatureFlag, Manifest
from byteloom_generated.lance.tail import FramedMessage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

X, Y = lance_field("x", "int64"), lance_field("y", "int64", 1)
ROWS = 4
BITMAP = 1
CHANGES: list[Callable[[lance.Dataset], lance.Dataset]] = [
    lambda dataset: dataset.delete([0]),
    lambda dataset: dataset.delete("x = 1"),
    lambda dataset: dataset.drop_columns(["y"]),
    lambda dataset: dataset.add_columns(pa.table({"z": range(dataset.num_rows)})),
    lambda dataset: lance.write_dataset(
        dataset.folder.path, dataset.take([0]), mode="append", version="2.0"
    ),
]


def early(folder: Path, release: str = "0.8.14", **values: Any) -> lance.Dataset:
    """Two fragments with the counts of *release*; two rows of the second are deleted."""
    deletions = put_deletions(folder, 1, BitMap([1, 2]).serialize(), BITMAP)
    parts = []
    for number in (0, 1):
        first = number * ROWS
        data = integers([X, Y], range(first, first + ROWS), range(ROWS))
        deleted = {"deletion_file": deletions} if number else {}
        parts.append(fragment(folder, number, ROWS, ([0, 1], data), **deleted))
    parts[1].physical_rows = ROWS - 2
    manifest = Manifest(version=1, fields=[X, Y], fragments=parts, **values)
    manifest.writer_version.library, manifest.writer_version.version = "lance", release
    manifest.data_format.file_format, manifest.data_format.version = "lance", "2.0"
    flags = int(FeatureFlag.DELETION_FILES)
    manifest.reader_feature_flags = manifest.writer_feature_flags = flags
    put_manifest(folder, manifest)
    return lance.open_dataset(folder)


@pytest.mark.parametrize("change", CHANGES)
def test_rows_that_an_early_release_miscounted_are_counted(
    change: Callable[[lance.Dataset], lance.Dataset], tmp_path: Path
) -> None:
    """The next version counts all rows of fragments, and those that are deleted."""
    dataset = early(tmp_path)
    assert dataset.to_table()["x"].to_pylist() == [0, 1, 2, 3, 4, 7]
    found = change(dataset)
    numbers = found.to_table(["x"])["x"].to_pylist()
    assert numbers[-2:] in ([4, 7], [7, 0])
    assert found.count() == len(numbers)
    second = next(each for each in found.manifest.fragments if each.id == 1)
    assert second.physical_rows == ROWS
    assert second.deletion_file.num_deleted_rows == 2


def test_rows_that_an_early_release_did_not_count_are_counted(tmp_path: Path) -> None:
    """The next version counts rows of fragments whose manifest had no counts."""
    early(tmp_path)
    change_manifest(tmp_path, 1, lambda it: it.fragments[0].ClearField("physical_rows"))
    found = lance.open_dataset(tmp_path).drop_columns(["y"])
    assert [each.physical_rows for each in found.manifest.fragments] == [ROWS, ROWS]


def test_fragments_of_one_id_lose_no_rows(tmp_path: Path) -> None:
    """Rows are not deleted where two fragments have one id, before any file is written."""
    dataset = early(tmp_path)
    change_manifest(tmp_path, 1, lambda it: setattr(it.fragments[0], "id", 1))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FormatError, match=r"fragments\.id: found two fragments of one id, wanted"):
        dataset.newest().delete([5])
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("change", [*CHANGES[:2], *CHANGES[3:]])
def test_indices_of_early_releases_are_not_carried_over(
    change: Callable[[lance.Dataset], lance.Dataset], tmp_path: Path
) -> None:
    """A dataset with indices that Lance corrects by their release is not changed."""
    manifest = early(tmp_path).manifest
    manifest.index_section = 0
    place = tmp_path / "_versions/18446744073709551614.manifest"
    place.write_bytes(manifest_bytes(manifest, FramedMessage(message=b"").to_bytes()))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        Unsupported, match=r"index_section: found indices by 0\.8\.14, wanted a ver"
    ):
        change(lance.open_dataset(tmp_path))
    assert sorted(tmp_path.rglob("*")) == before
    over = lance.write_dataset(tmp_path, pa.table({"x": [1]}), mode="overwrite")
    assert not over.manifest.HasField("index_section")


UNKNOWN = b"\xd2\x7d\x05later"
"""A field of the number 2010, as a later release may write it."""


def with_unknown(message: Any) -> None:
    """Add an unknown field to a message."""
    message.MergeFromString(UNKNOWN)


@pytest.mark.parametrize("change", CHANGES)
def test_unknown_fields_are_carried_over(
    change: Callable[[lance.Dataset], lance.Dataset], tmp_path: Path
) -> None:
    """The next version has the unknown fields of the manifest and of all messages that it keeps."""

    def add(manifest: Manifest) -> None:
        kept = manifest.fragments[1]
        for each in (manifest, manifest.fields[0], kept, kept.files[0], kept.deletion_file):
            with_unknown(each)

    early(tmp_path, config={"a": "b"}, table_metadata={"c": "d"}, next_row_id=9)
    change_manifest(tmp_path, 1, add)
    found = change(lance.open_dataset(tmp_path)).manifest
    second = next(each for each in found.fragments if each.id == 1)
    for each in (found, found.fields[0], second, second.files[0]):
        assert UNKNOWN in each.SerializeToString()
    assert (found.config["a"], found.table_metadata["c"], found.next_row_id) == ("b", "d", 9)
