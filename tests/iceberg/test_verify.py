"""Verification finds everything that is wrong with table metadata, and nothing in sound tables."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.gallery import rows, sections
from tests.support.iceberg_edits import changed, found_in, found_in_list
from tests.support.iceberg_writer import FolderCatalog

from byteloom import puffin
from byteloom.errors import FormatError, MissingFile, MovedTable
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable


def _document(version: int = 3) -> dict[str, Any]:
    """Return the sound metadata of a version that the cases damage."""
    return deepcopy(dict(sections("iceberg/damage")[f"sound_{version}"]))


def _found(document: dict[str, Any]) -> list[str]:
    """Return what is wrong with metadata and statistics; the manifest lists are missing."""
    table = changed(document, lambda _: None)
    return [str(each) for each in table.verify() if not isinstance(each, MissingFile)]


def test_sound_metadata_has_no_findings() -> None:
    """The sound table that the cases below damage has no findings."""
    assert _found(_document()) == []


def _changed(document: dict[str, Any], how: str, path: str, value: object) -> None:
    """Put a value at a path of a document, or remove what is there."""
    *way, last = (int(each) if each.isdigit() else each for each in path.split("/"))
    place: Any = document
    for each in way:
        place = place[each]
    if how == "drop":
        del place[last]
    else:
        place[last] = value


@pytest.mark.parametrize(
    ("how", "path", "value", "says"),
    [
        *rows("iceberg/damage", "version_3"),
        *(
            ("set", key, None, f"{key}: found null, wanted an empty {kind}, or no such key")
            for kind, keys in {
                "list": ("metadata-log", "snapshot-log", "statistics", "partition-statistics"),
                "object": ("properties", "refs"),
            }.items()
            for key in keys
        ),
    ],
)
def test_each_damage_is_found(how: str, path: str, value: object, says: str | None) -> None:
    """Each damage of metadata is found and reported with its place."""
    document = _document()
    _changed(document, how, path, value)
    found = "\n".join(_found(document))
    assert (says or "") in found
    assert bool(found) == (says is not None)


def test_a_table_has_partition_specs() -> None:
    """A table without any partition spec is reported."""
    found = _found(_document() | {"partition-specs": [], "default-spec-id": 0})
    assert "partition-specs: found nothing, wanted all specs" in "\n".join(found)


@pytest.mark.parametrize(
    ("before", "after", "is_sound"),
    [
        ("float", "double", True),
        ("decimal(9, 2)", "decimal(12, 2)", True),
        ("decimal(12, 2)", "decimal(9, 2)", False),
        ("decimal(9, 2)", "decimal(9, 3)", False),
    ],
)
def test_the_schema_of_a_snapshot_follows_from_that_of_its_parent(
    before: str, after: str, is_sound: bool
) -> None:
    """A decimal does not lose digits that it has in the parent of a snapshot."""
    document = _document()
    old = document["schemas"][0]
    new = deepcopy(old) | {"schema-id": 1}
    old["fields"][2]["type"], new["fields"][2]["type"] = before, after
    document |= {"schemas": [old, new], "current-schema-id": 1}
    for each in document["snapshots"][1:]:
        each["schema-id"] = 1
    wanted = f"schemas[0].x: found type {before}, wanted one that may become {after}, as in schema"
    found = _found(document)
    assert [each.startswith(wanted) for each in found] == [True] * (not is_sound)


_SPECS = [{"spec-id": 0, "fields": [
    {"source-id": 1, "field-id": 1000, "name": "p", "transform": "identity"},
]}]  # fmt: skip


@pytest.mark.parametrize(
    ("how", "path", "value", "says"),
    [
        *rows("iceberg/damage", "version_1"),
        ("set", "partition-specs", _SPECS, "partition-spec: found 0 other fields, wanted those of"),
    ],
)
def test_the_only_schema_and_spec_of_version_1_are_among_those_of_the_lists(
    how: str, path: str, value: object, says: str | None
) -> None:
    """Version 1 repeats a schema and a spec; another or a malformed one is found, once."""
    document = _document(1)
    _changed(document, how, path, value)
    found = _found(document)
    assert (says or "") in "".join(found)
    assert len(found) == (says is not None)


def test_an_earlier_schema_and_spec_beside_the_lists_of_version_1_are_no_finding() -> None:
    """PyIceberg leaves the first ones there when it changes them, and all readers take the list."""
    document = _document(1)
    first = document["schemas"][0]
    later = {"type": "struct", "schema-id": 1, "fields": first["fields"][:1]}
    document |= {"schemas": [first, later], "current-schema-id": 1}
    document |= {
        "partition-specs": [{"spec-id": 0, "fields": []}, {**_SPECS[0], "spec-id": 1}],
        "default-spec-id": 1,
    }
    assert _found(document) == []


@pytest.mark.parametrize(
    ("name", "is_gzipped", "is_found"),
    [
        ("v1.metadata.json", False, False),
        ("v1.metadata.json", True, True),
        ("v1.gz.metadata.json", True, False),
        ("v1.metadata.json.gz", True, False),
    ],
)
def test_gzipped_metadata_has_the_name_of_it(
    tmp_path: Path, name: str, *, is_gzipped: bool, is_found: bool
) -> None:
    """A gzipped metadata file that is not named as one is read, and reported."""
    text = json.dumps(_document(1)).encode()
    place = tmp_path / name
    place.write_bytes(gzip.compress(text) if is_gzipped else text)
    found = [str(each) for each in open_table(place).verify()]
    assert len(found) == is_found
    assert all(f"{place}: found gzipped JSON, wanted a name with .gz" in each for each in found)


@pytest.mark.parametrize("current", [None, -1, 102])
def test_the_branch_main_is_the_current_snapshot(current: int | None) -> None:
    """A table whose branch main is not the current snapshot is refused."""
    with pytest.raises(FormatError, match=r"refs\.main: found 103"):
        changed(
            _document(),
            lambda each: each.update({"current-snapshot-id": current}),
        )


def test_old_snapshots_of_upgraded_tables_have_no_numbers() -> None:
    """Snapshots from before an upgrade have neither sequence numbers nor row ids."""
    document = _document()
    for key in ("sequence-number", "first-row-id", "added-rows"):
        del document["snapshots"][0][key]
    assert _found(document) == []


def test_findings_do_not_end_the_search() -> None:
    """A missing manifest list is one finding among others, and does not end verification."""
    document = _document() | {"next-row-id": 1}
    found = changed(document, lambda _: None).verify()
    assert len(found) == 4
    assert [str(each).split(":")[0] for each in found] == [
        "next-row-id",
        *(f"/nowhere/{each}.avro" for each in (1, 2, 3)),
    ]
    assert all("; named by snapshot " in str(each) for each in found[1:])


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the samples of the command."""
    folder = tmp_path_factory.mktemp("samples")
    assert byteloom("samples", folder).status == 0
    return folder


@pytest.mark.parametrize(
    ("lost", "by"),
    [
        ("metadata/snap-2.avro", "snapshot 2"),
        ("metadata/manifest-2.avro", "metadata/snap-2.avro"),
        ("data/deletes.puffin", "metadata/manifest-2.avro"),
        ("data/00001.parquet", "metadata/manifest-1.avro"),
    ],
)
def test_a_missing_file_is_reported_with_what_names_it(
    lost: str, by: str, samples: Path, tmp_path: Path
) -> None:
    """Verification and plans say which list, manifest or snapshot names a missing file."""
    place = tmp_path / "now"
    shutil.copytree(samples / "orders", place)
    moved = {str(samples / "orders"): str(place)}
    (place / lost).unlink()
    table = open_table(place, relocate=moved)
    found = next(each for each in table.verify() if isinstance(each, MissingFile))
    written = f"(written as {samples}/orders/"
    named = f"{place}/{by} {written}{by})" if "/" in by else by
    assert str(found) == (
        f"{place}/{lost}: No such file or directory {written}{lost}); named by {named}"
    )
    if lost.startswith("metadata"):
        with pytest.raises(MissingFile, match=re.escape(str(found))):
            table.scan().plan()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda data: data, None),
        (lambda data: data[:-28] + bytes(28), "magic"),
        (lambda data: data + b"PFA1", "file-size-in-bytes"),
        (lambda data: data.replace(b'"fields":[1]', b'"fields":[2]'), "blob-metadata"),
        (lambda data: data.replace(b'"ndv":"3"', b'"ndv":"4"'), "blob-metadata.properties: found"),
    ],
)
def test_statistics_are_held_to_the_metadata(
    tmp_path: Path, damage: Callable[[bytes], bytes], says: str | None
) -> None:
    """A statistics file with another size, footer or blob than its metadata is reported."""
    path = tmp_path / "stats.puffin"
    sketch = puffin.ThetaSketch.from_arrow(pa.array([1, 2, 3]))
    with puffin.PuffinWriter(path) as writer:
        writer.add_theta_sketch(sketch, fields=[1], snapshot_id=103, sequence_number=3)
    with puffin.open(path) as file:
        footer = file.footer_size
    data = path.read_bytes()
    path.write_bytes(damage(data))
    blob = {"type": "apache-datasketches-theta-v1", "snapshot-id": 103, "sequence-number": 3}
    stated = {
        "snapshot-id": 103,
        "statistics-path": str(path),
        "file-size-in-bytes": len(data),
        "file-footer-size-in-bytes": footer,
        "blob-metadata": [{**blob, "fields": [1], "properties": {"ndv": "3"}}],
    }
    found = _found(_document() | {"statistics": [stated]})
    assert (says or "") in "\n".join(found)
    assert bool(found) == (says is not None)


@pytest.mark.parametrize("name", ["statistics", "partition-statistics"])
def test_statistics_are_of_a_snapshot_of_the_table(tmp_path: Path, name: str) -> None:
    """Statistics of a snapshot that the table does not have are reported."""
    path = tmp_path / "s"
    path.write_bytes(b"statistics")
    sizes = {"file-size-in-bytes": 10, "file-footer-size-in-bytes": 1, "blob-metadata": []}
    stated = {"snapshot-id": 77, "statistics-path": str(path), **sizes}
    found = _found(_document() | {name: [stated]})
    assert found[0] == f"{name}[0].snapshot-id: found 77, wanted a snapshot of the table"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the metadata of another writer's table of two snapshots, partitioned by ``x``."""
    rows = pa.table({"x": pa.array([1, 2], pa.int64()), "y": pa.array([3, 4], pa.int64())})
    made = FolderCatalog(tmp_path_factory.mktemp("written")).create("t", rows.schema)
    with made.update_spec() as spec:
        spec.add_identity("x")
    made.append(rows)
    made.append(rows)
    return dict(json.loads(Path(made.metadata_location).read_bytes()))


def test_local_files_are_named_by_their_paths(tmp_path: Path) -> None:
    """Every error names a local file by its path, even if metadata has a `file:` URL."""
    catalog = FolderCatalog(tmp_path)
    catalog.properties["warehouse"] = f"file://{tmp_path}"
    rows = pa.table({"x": pa.array([1, 2], pa.int64())})
    made = catalog.create("t", rows.schema)
    made.append(rows)
    made.append(rows)
    missing, cut = sorted((tmp_path / "t" / "data").glob("*.parquet"))
    missing.unlink()
    cut.write_bytes(cut.read_bytes()[:-1])
    found = open_table(tmp_path / "t").verify()
    assert {getattr(each, "file", None) for each in found} == {str(missing), str(cut)}
    (gone,) = (each for each in found if isinstance(each, MissingFile))
    assert str(gone.named_by).startswith(f"{tmp_path}/t/metadata/")
    assert not any("file:" in str(each) for each in found)


@pytest.mark.parametrize(("how", "path", "value", "says"), rows("iceberg/damage", "headers"))
def test_headers_of_lists_and_manifests_are_held_to_the_metadata(
    written: dict[str, Any], how: str, path: str, value: object, says: str | None
) -> None:
    """Headers of manifests and lists that contradict the metadata are reported."""
    found = "\n".join(found_in(written, lambda each: _changed(each, how, path, value)))
    assert (says or "") in found
    assert bool(found) == (says is not None)


def test_the_list_of_another_snapshot_is_reported(written: dict[str, Any]) -> None:
    """A snapshot that has the manifest list of another one is reported."""
    older = written["snapshots"][0]["manifest-list"]
    found = found_in(written, lambda each: each["snapshots"][1].update({"manifest-list": older}))
    assert any("snapshot-id: found" in each for each in found)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: None, None),
        (lambda rows: rows[0].pop(), "total-records: found '4', wanted 2"),
        (lambda rows: rows[0].clear(), "total-data-files: found '4', wanted 0"),
        (lambda rows: rows[0][0].update(added_snapshot_id=77), "wanted 77, which added"),
        (lambda rows: rows[0][1].update(partition_spec_id=0), "partition_spec_id: found 0, wanted"),
        (lambda rows: rows[0][1].update(partition_spec_id=7), "partition_spec_id: found 7, wanted"),
        (lambda rows: rows[0][1].update(sequence_number=2), "that of the snapshot that added it"),
        (lambda rows: rows[1][0].update(sequence_number=9), "at most last-sequence-number (2)"),
        (lambda rows: rows[1][0]["data_file"].update(content=9), "content"),
        (lambda rows: rows[1][0]["data_file"].update(content=2), "the columns it compares"),
        (
            lambda rows: rows[0][0]["partitions"][0].update(upper_bound=bytes([1, *[0] * 7])),
            "partitions[0].upper_bound: found 1, wanted bounds that include 2",
        ),
        (
            lambda rows: rows[1][0]["data_file"]["partition"].update(x=-7),
            "partitions[0].lower_bound: found 1, wanted bounds that include -7",
        ),
        (
            lambda rows: rows[1][1]["data_file"]["partition"].update(x=None),
            "partitions[0].contains_null: found false, wanted true: a partition is null",
        ),
    ],
)
def test_lists_and_manifests_are_held_to_each_other(
    written: dict[str, Any], tmp_path: Path, change: Callable[[Any], None], says: str | None
) -> None:
    """Manifests missing from a list, or contradicting it, are reported."""
    found = "\n".join(found_in_list(written, tmp_path, change))
    assert (says or "") in found
    assert bool(found) == (says is not None)


def _of_summary(row: int, **changes: Any) -> Callable[[Any], None]:
    """Return a function that changes the summary of the partition field of a manifest."""

    def change(rows: Any) -> None:
        rows[0][row]["partitions"][0].update(changes)

    return change


@pytest.mark.parametrize("row", [0, 1])
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"contains_null": True}, None),
        ({"contains_nan": True}, None),
        ({"contains_nan": None}, None),
        ({"lower_bound": bytes(8)}, None),
        ({"upper_bound": bytes([3, *[0] * 7])}, None),
        ({"upper_bound": bytes([2, 0, 0, 0])}, None),
        ({"lower_bound": None}, "lower_bound: found nothing, wanted a bound, since a partition is"),
        ({"upper_bound": None}, "PyIceberg skips the manifest"),
        ({"lower_bound": bytes([2, *[0] * 7])}, "found 2, wanted bounds that include 1"),
        ({"upper_bound": bytes([1, *[0] * 7])}, "found 1, wanted bounds that include 2"),
        ({"lower_bound": b""}, "lower_bound: found b'', wanted a value of type long"),
        ({"upper_bound": bytes([2, *[0] * 8])}, "wanted a value of type long"),
    ],
)
def test_each_list_has_summaries_that_include_its_partitions(
    written: dict[str, Any], tmp_path: Path, row: int, changes: dict[str, Any], says: str | None
) -> None:
    """Summaries of manifests, new and old ones, that exclude partitions are reported, once."""
    found = found_in_list(written, tmp_path, _of_summary(row, **changes))
    assert len(found) == (says is not None)
    assert (says or "") in "".join(found)
    assert all(f"list.avro: manifests[{row}].partitions[0]." in each for each in found)


@pytest.mark.parametrize("row", [0, 1])
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda row: row.update(partitions=None), None),
        (lambda row: row.update(partitions=[]), "partitions: found 0 summaries, wanted 1, one for"),
        (lambda row: row.update(partitions=row["partitions"] * 2), "found 2 summaries"),
        (lambda row: row.update(existing_rows_count=-7), "existing_rows_count: found -7, wanted 0"),
        (lambda row: row.update(added_rows_count=-1), "added_rows_count: found -1, wanted 2"),
    ],
)
def test_each_list_has_the_numbers_of_its_manifests(
    written: dict[str, Any],
    tmp_path: Path,
    row: int,
    change: Callable[[dict[str, Any]], None],
    says: str | None,
) -> None:
    """Too few or too many summaries, and negative counts of rows, are reported, once."""
    found = found_in_list(written, tmp_path, lambda rows: change(rows[0][row]))
    assert len(found) == (says is not None)
    assert (says or "") in "".join(found)


def _numbered(schema: Any) -> list[dict[str, Any]]:
    """Return all parts of an Avro schema that have a field id, the outermost first."""
    if isinstance(schema, list):
        return [each for part in schema for each in _numbered(part)]
    if not isinstance(schema, dict):
        return []
    inner = [each for part in schema.values() for each in _numbered(part)]
    return [schema, *inner] if "field-id" in schema else inner


def _with_id(schema: Any, name: str, number: int | None) -> None:
    """Change the id of the first field of a name in an Avro schema, or remove it."""
    field = next(each for each in _numbered(schema) if each["name"] == name)
    if number is None:
        del field["field-id"]
    else:
        field["field-id"] = number


@pytest.mark.parametrize("number", [None, 9999])
@pytest.mark.parametrize(
    ("file", "where"),
    [
        (0, "key_metadata"),
        (0, "partitions"),
        (0, "partitions.contains_nan"),
        (1, "sequence_number"),
        (1, "data_file.nan_value_counts"),
        (1, "data_file.column_sizes.value"),
    ],
)
def test_each_field_of_a_list_or_manifest_has_its_id(
    written: dict[str, Any], tmp_path: Path, file: int, where: str, number: int | None
) -> None:
    """A field whose id was left out or changed is reported, once, with the id it should have."""
    name = where.rpartition(".")[2]
    found = found_in_list(
        written, tmp_path, lambda _: None, lambda schemas: _with_id(schemas[file], name, number)
    )
    stated = "no id" if number is None else f"id {number}"
    assert sum(f"avro.schema.{where}: found {stated}, wanted id " in each for each in found) == 1


def test_a_partition_tuple_with_a_field_that_its_spec_lacks_is_reported(
    written: dict[str, Any], tmp_path: Path
) -> None:
    """A value of no field of the manifest's partition spec is reported, and harms no other."""

    def extend(schemas: Any) -> None:
        (tuples,) = (each for each in _numbered(schemas[1]) if each["name"] == "partition")
        more = {"name": "more", "type": ["null", "int"], "default": None, "field-id": 1999}
        tuples["type"]["fields"].append(more)

    (found,) = found_in_list(written, tmp_path, lambda _: None, extend, files=True)
    wanted = "id of a field of the manifest's spec, by which other readers find the field"
    assert f"avro.schema.data_file.partition.more: found id 1999, wanted {wanted}" in found


@pytest.mark.parametrize("file", [0, 1])
def test_files_without_field_ids_are_reported(
    written: dict[str, Any], tmp_path: Path, file: int
) -> None:
    """A list or manifest without any field ids is read by its names, and reported, once."""

    def strip(schemas: Any) -> None:
        for each in _numbered(schemas[file]):
            del each["field-id"]

    (found,) = found_in_list(written, tmp_path, lambda _: None, strip)
    assert "avro.schema: found no field ids, wanted one of each field" in found


def test_damaged_files_of_a_moved_table_are_named_by_both_places(tmp_path: Path) -> None:
    """A damaged manifest or data file is named as it is now, and as it was written."""
    rows = pa.table({"x": pa.array([1, 2], pa.int32())})
    made = FolderCatalog(tmp_path / "old").create("t", rows.schema)
    made.append(rows)
    table = Path(made.metadata_location).parents[1]
    moved = table.rename(tmp_path / "moved")
    for file in (*moved.glob("metadata/*-m0.avro"), *moved.glob("data/**/*.parquet")):
        sound = file.read_bytes()
        file.write_bytes(b"?" + sound[1:-1] + b"?")
        found = open_table(moved, relocate={str(table): str(moved)}).verify()
        rest = file.relative_to(moved)
        assert str(found[0]).startswith(f"{moved}/{rest} (written as {table}/{rest}): ")
        file.write_bytes(sound)


def test_a_table_that_keeps_its_metadata_in_a_folder_of_its_own_is_not_moved(
    tmp_path: Path,
) -> None:
    """A table none of whose manifest lists is below its location does not count as moved."""
    rows = pa.table({"x": pa.array([1, 2], pa.int32())})
    made = FolderCatalog(tmp_path / "old").create("t", rows.schema)
    made.append(rows)
    place = Path(made.metadata_location)
    place.write_text(
        json.dumps(json.loads(place.read_text()) | {"location": str(tmp_path / "data")})
    )
    assert open_table(place).verify() == []


def test_a_moved_table_is_a_finding_that_says_what_was_checked(tmp_path: Path) -> None:
    """A moved or copied table has a finding, even where all is sound at the place it names."""
    rows = pa.table({"x": pa.array([1, 2], pa.int32())})
    made = FolderCatalog(tmp_path / "old").create("t", rows.schema)
    for _ in range(2):
        made.append(rows)
    old, new = Path(made.metadata_location).parents[1], tmp_path / "new"
    shutil.copytree(old, new)
    table = open_table(new)
    assert open_table(old).verify() == open_table(new, relocate={str(old): new}).verify() == []
    (whole,), (metadata,) = table.verify(), table.verify(files=False)
    assert isinstance(whole, MovedTable)
    assert (whole.old, whole.new) == (str(old), str(new))
    unchecked = f"; those in {new} were not checked (--relocate "
    assert f": the files at {old} were checked and are sound{unchecked}" in str(whole)
    assert f": the manifests at {old} were checked and are sound{unchecked}" in str(metadata)
    assert f": the files at {old} were checked{unchecked}" in str(table.verify(part=(0, 2))[0])
    assert table.verify(part=(1, 2)) == []
    assert str(deepcopy(whole)) == str(whole)
    files = sorted(old.glob("data/**/*.parquet"))
    for count, verb in ((1, "is"), (2, "are")):
        files[count - 1].unlink()
        moved, *missing = table.verify()
        assert [type(each) for each in (moved, *missing)] == [MovedTable] + [MissingFile] * count
        assert f": {count} of the files at {old} {verb} missing{unchecked}" in str(moved)
    files[0].write_bytes(b"PAR1")
    *others, moved = table.verify()
    assert (len(others), type(moved)) == (2, MovedTable)
    assert f": the files at {old} were checked and are not all sound{unchecked}" in str(moved)
