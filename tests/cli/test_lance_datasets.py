"""`byteloom lance`, `inspect` and `verify` on Lance datasets and files of version 0.1."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap
from tests.support.cli import byteloom
from tests.support.lance_blobs import ONE, blob_dataset, put
from tests.support.lance_blobs import place as blob_at
from tests.support.lance_datasets import (
    arrow_file,
    fragment,
    integers,
    put_deletions,
    put_manifest,
    put_section,
)
from tests.support.lance_files import lance_field
from tests.support.lance_legacy import legacy_file, plain
from tests.support.lance_overlays import overlay, put_overlays

from byteloom_generated.lance.table import (
    FeatureFlag,
    IndexFile,
    IndexMetadata,
    IndexSection,
    Manifest,
    Uuid,
)

if TYPE_CHECKING:
    from pathlib import Path

X = lance_field("x", "int64")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a dataset of 0 to 4 in two fragments; 1 is deleted, version 1 has the first."""
    place = tmp_path / "numbers.lance"
    first = fragment(place, 0, 3, ([0], integers([X], [0, 1, 2])))
    second = fragment(place, 1, 2, ([0], integers([X], [3, 4])))
    one = Manifest(version=1, fields=[X], fragments=[first])
    one.timestamp.seconds = 1_700_000_000
    put_manifest(place, one)
    stored = put_deletions(place, 0, arrow_file([1]), 0, num_deleted_rows=1)
    files = ([0], integers([X], [0, 1, 2]))
    first = fragment(place, 0, 3, files, deletion_file=stored)
    two = Manifest(version=2, fields=[X], fragments=[first, second])
    two.data_format.version = "2.0"
    two.reader_feature_flags = two.writer_feature_flags = FeatureFlag.DELETION_FILES
    put_manifest(place, two)
    tag = place / "_refs" / "tags" / "first.json"
    tag.parent.mkdir(parents=True)
    tag.write_text('{"version": 1, "manifestSize": 1}')
    return place


def rows(*arguments: object) -> list[dict[str, Any]]:
    """Return the rows that a command prints."""
    outcome = byteloom("lance", *arguments, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    return [json.loads(line) for line in outcome.out.splitlines()]


def numbers(*arguments: object) -> list[int]:
    """Return the numbers that a command prints."""
    return [each["x"] for each in rows(*arguments)]


def test_cat_and_take_read_datasets(folder: Path) -> None:
    """`cat` and `take` read the newest version, or one by number or tag, without deleted rows."""
    assert numbers("cat", folder) == [0, 2, 3, 4]
    assert numbers("cat", folder, "--rows", "1:3", "-c", "x") == [2, 3]
    assert numbers("cat", folder, "--version", 1) == numbers("cat", folder, "--tag", "first")
    assert numbers("take", folder, 3, 1) == [4, 2]
    assert numbers("take", folder, 1, "--version", 1) == [1]


def test_count_prints_a_number_of_rows(folder: Path) -> None:
    """`count` prints how many rows a version or a file has, or how many of them match a filter."""
    file = folder / "data" / "0-0.lance"
    assert byteloom("lance", "count", folder).out == "4\n"
    assert byteloom("lance", "count", folder, "--where", "x > 2").out == "2\n"
    assert byteloom("lance", "count", folder, "--version", 1, "--where", "x > 2").out == "0\n"
    counted = byteloom("lance", "count", file, "--where", "x < 2", "--json").out
    assert json.loads(counted) == {"rows": 2}


def test_count_refuses_a_filter_of_an_unknown_column(folder: Path) -> None:
    """`count` of a filter whose column is not in the dataset is an error that names the column."""
    outcome = byteloom("lance", "count", folder, "--where", "y > 2")
    assert (outcome.status, outcome.out) == (1, "")
    assert "'y'" in outcome.err


def test_versions_are_listed(folder: Path) -> None:
    """`versions` lists the versions of a dataset, the oldest first."""
    first, second = rows("versions", folder)
    assert first == {
        "version": 1,
        "committed_at": "2023-11-14T22:13:20+00:00",
        "rows": 3,
        "fragments": 1,
        "data_version": "",
        "tags": ["first"],
    }
    assert (second["rows"], second["fragments"], second["data_version"]) == (4, 2, "2.0")
    assert (second["committed_at"], second["tags"]) == (None, [])


def test_stats_list_the_files_of_a_dataset(folder: Path) -> None:
    """`stats` lists the files of a dataset with their fields and fragments."""
    first, second = rows("stats", folder)
    assert (first["fragment"], first["rows"], first["deleted"]) == (0, 2, 1)
    assert (second["file"], second["columns"]) == ("1-0.lance", ["x"])
    outcome = byteloom("lance", "stats", folder, "--pages")
    assert outcome.status == 2
    assert "wanted one of its files" in outcome.err


def test_schema_is_that_of_the_version(folder: Path) -> None:
    """`schema` prints the columns of a dataset."""
    assert byteloom("lance", "schema", folder).out == "x: int64\n"


def test_files_have_no_versions(folder: Path) -> None:
    """A version asked of a single file is an error that wants a dataset."""
    outcome = byteloom("lance", "cat", folder / "data" / "0-0.lance", "--version", 1)
    assert outcome.status == 1
    assert "found a file, wanted a dataset for --version, --tag and --as-of" in outcome.err


def test_inspect_shows_the_newest_manifest(folder: Path) -> None:
    """`inspect` shows the newest manifest of a folder, or the manifest that is named."""
    outcome = byteloom("inspect", folder, "--json")
    shown = json.loads(outcome.out)
    assert (shown["title"], shown["facts"]["version"]) == ("manifest of a Lance dataset", 2)
    assert shown["facts"]["schema"] == ["x: int64"]
    place = next((folder / "_versions").glob("*4.manifest"))
    assert json.loads(byteloom("inspect", place, "--json").out)["facts"]["version"] == 1


def test_verify_reads_all_rows_of_a_dataset(folder: Path) -> None:
    """`verify` reads a dataset as a whole, and each of its files."""
    outcome = byteloom("verify", folder)
    assert outcome.status == 0
    assert f"ok          {folder}  Lance dataset, version 2, 4 rows, 2 fragments\n" in outcome.out
    assert "Lance file, manifest of version 1, 1 fragment\n" in outcome.out
    (folder / "data" / "1-0.lance").unlink()
    outcome = byteloom("verify", folder)
    assert outcome.status == 1
    assert f"damaged     {folder}  " in outcome.out
    assert "1-0.lance: No such file" in outcome.out


def test_files_of_version_0_1_are_shown(tmp_path: Path) -> None:
    """`inspect` shows the tail, messages and page table of a file of version 0.1."""
    file = tmp_path / "old.lance"
    field = lance_field("x", "int8")
    file.write_bytes(legacy_file([field], {0: [plain([1, 2], "i1"), plain([3], "i1")]}, [0, 2, 3]))
    shown = json.loads(byteloom("inspect", file, "--json").out)
    assert (shown["facts"]["version"], shown["facts"]["batches"]) == ("0.1", 2)
    names = [each["name"] for each in shown["structure"]]
    assert names == ["page_table", "manifest", "metadata", "legacy_tail"]
    assert byteloom("verify", file).status == 0
    assert numbers("cat", file) == [1, 2, 3]
    assert rows("stats", file)[0]["pages"] == 2
    outcome = byteloom("lance", "stats", file, "--pages")
    assert (outcome.status, "found version 0.1" in outcome.err) == (1, True)


def test_bytes_of_blobs_are_shown_where_asked_for(tmp_path: Path) -> None:
    """`--blob-bytes` prints and converts bytes of blobs, of datasets alone."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    blob_dataset(tmp_path, [blob_at(1, 1, 2, 1), None])
    assert [each["b"] for each in rows("cat", tmp_path)] == [blob_at(1, 1, 2, 1), None]
    assert rows("cat", tmp_path, "--blob-bytes") == [{"x": 0, "b": "6263"}, {"x": 1, "b": None}]
    assert rows("take", tmp_path, 0, "--blob-bytes") == [{"x": 0, "b": "6263"}]
    out = tmp_path / "out.parquet"
    done = byteloom("lance", "convert", tmp_path, out, "--blob-bytes")
    assert (done.status, pq.read_table(out).to_pydict()) == (0, {"x": [0, 1], "b": [b"bc", None]})
    file = tmp_path / "data" / "0-0.lance"
    for command in (["cat", file], ["take", file, 0], ["convert", file, tmp_path / "x.csv"]):
        done = byteloom("lance", *command, "--blob-bytes")
        assert done.status == 1
        assert "0-0.lance: found a file, wanted a dataset for --blob-bytes" in done.err


def test_a_manifest_that_was_cut_is_damaged(folder: Path) -> None:
    """`verify` recognises a manifest by its name and folder, where its end is missing."""
    place = next((folder / "_versions").iterdir())
    place.write_bytes(place.read_bytes()[:20])
    done = byteloom("verify", place)
    assert done.status == 1
    assert done.out.split()[:2] == ["damaged", str(place)]
    assert "its end is missing" in done.out
    elsewhere = place.rename(folder / place.name)
    assert "unknown format" in byteloom("verify", elsewhere).out


def test_overlays_are_shown(folder: Path) -> None:
    """Rows have the values of overlays, whose files `stats` lists and `verify` checks."""
    new = pa.table({"x": [20, 30]})
    put_overlays(folder, overlay(folder, new, {0: 0}, [0, 2], files="2.0"), version=2)
    assert numbers("cat", folder) == [20, 30, 3, 4]
    assert [each["columns"] for each in rows("stats", folder)] == [["x"]] * 3
    assert byteloom("verify", folder).status == 0


def segment(number: int, *fragments: int, **values: Any) -> IndexMetadata:
    """Return a segment of the index `by_x` of some fragments."""
    bitmap = BitMap(fragments).serialize()
    uuid = Uuid(uuid=bytes([number]) * 16)
    return IndexMetadata(
        name="by_x", fields=[0], uuid=uuid, dataset_version=number, fragment_bitmap=bitmap, **values
    )


def test_a_dataset_without_indices_has_none(folder: Path) -> None:
    """`indices` prints nothing for a dataset without indices."""
    assert rows("indices", folder) == []


def test_an_index_lacks_the_rows_of_later_fragments(folder: Path) -> None:
    """Rows of fragments that no segment has are unindexed; deleted rows are in neither count."""
    put_section(
        folder, 2, "index_section", IndexSection(indices=[segment(1, 0, 7)]).SerializeToString()
    )
    assert rows("indices", folder) == [
        {
            "name": "by_x",
            "columns": ["x"],
            "segments": 1,
            "dataset_version": 1,
            "indexed_rows": 2,
            "unindexed_rows": 2,
            "size": None,
        }
    ]


def test_segments_of_one_name_are_one_index(folder: Path) -> None:
    """`indices` adds up the rows and the bytes of all segments of an index."""
    files = [IndexFile(path="a", size=5), IndexFile(path="b", size=6)]
    segments = [segment(1, 0, files=files), segment(2, 1, files=files)]
    put_section(folder, 2, "index_section", IndexSection(indices=segments).SerializeToString())
    (found,) = rows("indices", folder)
    assert (found["segments"], found["indexed_rows"], found["unindexed_rows"]) == (2, 4, 0)
    assert found["size"] == 22


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        (
            IndexMetadata(name="by_x", fields=[7], uuid=Uuid(uuid=bytes(16))),
            "fields: found field 7",
        ),
        (IndexMetadata(name="by_x", fields=[0]), "uuid: found 0 bytes, wanted 16"),
    ],
)
def test_a_damaged_index_is_refused(stored: IndexMetadata, reason: str, folder: Path) -> None:
    """`indices` names the index, and what is wrong with it, of one that contradicts the schema."""
    put_section(folder, 2, "index_section", IndexSection(indices=[stored]).SerializeToString())
    outcome = byteloom("lance", "indices", folder)
    assert outcome.status == 1
    assert f"indices.by_x.{reason}" in outcome.err
