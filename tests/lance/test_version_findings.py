"""What `verify` reports of manifests of Lance that contradict themselves or their files."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import change_manifest, fragment, integers, put_manifest
from tests.support.lance_files import lance_field, lance_file
from tests.support.lance_findings import as_format, findings, set_to, the_finding, write_versions
from tests.support.lance_pages import flat, no_nulls, page

from byteloom import lance
from byteloom.errors import FormatError
from byteloom_generated.lance.rowids import RowIdSequence, U64Segment
from byteloom_generated.lance.table import (
    BasePath,
    DataFile,
    DataFragment,
    FeatureFlag,
    Manifest,
)

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = ("2.0", "2.1", "2.2")


@pytest.fixture(scope="module", params=VERSIONS)
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset without faults in each version of the format."""
    folder: Path = tmp_path_factory.mktemp("sound") / "d"
    write_versions(folder, request.param)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of the dataset, to change."""
    return shutil.copytree(sound, tmp_path / "d")


def test_a_sound_dataset_has_no_findings(sound: Path) -> None:
    """Nothing is wrong with a dataset of byteloom that has several versions."""
    assert findings(sound) == []


CHANGES: list[tuple[str, Any, str, Any, str]] = [
    ("version", 9, "manifest.version", 9, "4, by the name of the file"),
    ("max_fragment_id", 1, "manifest.max_fragment_id", 1, "2 or more"),
    ("data_format.version", "", "manifest.data_format.version", "''", "one of 0.1, 2.0"),
    ("data_format.version", "2.9", "manifest.data_format.version", "'2.9'", "one of 0.1, 2.0"),
    ("timestamp.nanos", -1, "manifest.timestamp.nanos", -1, "0 to 999999999"),
    (
        "reader_feature_flags",
        0,
        "manifest.reader_feature_flags",
        0,
        "1, since fragments have deletion_file",
    ),
    (
        "writer_feature_flags",
        0,
        "manifest.writer_feature_flags",
        0,
        "1, since fragments have deletion_file",
    ),
    ("fields.0.name", "", "manifest.fields[0].name", "an empty name", "a name"),
    ("fields.1.name", "id", "manifest.fields", "two fields id", "a name that no field beside"),
    ("fields.0.extension_name", "x", "manifest.fields[0].extension_name", "x", "'no name'"),
    ("fields.0.logical_type", "double", "manifest.fields[0].logical_type", "double", "'int64'"),
    ("fields.2.logical_type", "int64", "manifest.fields[2].logical_type", "int64", "'string'"),
    ("fragments.1.id", 0, "manifest.fragments.id", "2 fragments with the id 0", "one"),
    ("fragments.1.files", None, "manifest.fragments[1].files", "none", "files with its 20 rows"),
    ("fragments.1.physical_rows", 0, "manifest.fragments[1].physical_rows", 0, "the number of"),
    (
        "fragments.0.deletion_file.num_deleted_rows",
        0,
        "manifest.fragments[0].deletion_file.num_deleted_rows",
        0,
        "the number of deleted rows",
    ),
    (
        "fragments.1.files.0.file_size_bytes",
        7,
        "manifest.fragments[1].files[0].file_size_bytes",
        7,
        "the size of",
    ),
    (
        "fragments.1.files.0.file_major_version",
        3,
        "manifest.fragments[1].files[0].file_major_version",
        "3/",
        "the version of",
    ),
    (
        "fragments.1.files.0.file_minor_version",
        7,
        "manifest.fragments[1].files[0].file_major_version",
        "2/7",
        "the version of",
    ),
    (
        "fragments.1.files.0.column_indices",
        None,
        "manifest.fragments[1].files[0].column_indices",
        "0 columns",
        "one for each field",
    ),
    (
        "fragments.1.files.0.column_indices.0",
        -7,
        "manifest.fragments[1].files[0].column_indices",
        "column -7 for field 0, id",
        "the number of a column",
    ),
]


@pytest.mark.parametrize(("path", "value", "place", "found", "wanted"), CHANGES)
def test_a_changed_field_of_the_manifest_is_found(  # noqa: PLR0917  a case, as it is listed
    folder: Path, path: str, value: Any, place: str, found: Any, wanted: str
) -> None:
    """One changed field of the newest manifest is found, and nothing else."""
    change_manifest(folder, 4, set_to(path, value))
    where, what, why = the_finding(folder)
    assert where == place
    assert what == found if not isinstance(found, str) else str(what).startswith(found)
    assert wanted in why


@pytest.mark.parametrize("version", [1, 2, 3])
def test_older_versions_are_checked_too(folder: Path, version: int) -> None:
    """What is wrong with a version that is not the newest is found, and its manifest is named."""
    change_manifest(folder, version, set_to("fields.0.logical_type", "double"))
    (error,) = findings(folder)
    assert isinstance(error, FormatError)
    assert error.path == "manifest.fields[0].logical_type"
    assert f"{(1 << 64) - 1 - version:020}.manifest" in f"{error.file}"


def test_what_several_versions_have_is_found_once(folder: Path) -> None:
    """A wrong size that each version carries over from the one before has one finding."""
    for version in (1, 2, 3, 4):
        change_manifest(folder, version, set_to("fragments.1.files.0.file_size_bytes", 9))
    assert the_finding(folder)[1] == 9


def test_two_columns_that_changed_places_are_found(folder: Path) -> None:
    """Columns of one type that have each other's fields are found, though all rows can be read."""

    def change(manifest: Manifest) -> None:
        columns = manifest.fragments[1].files[0].column_indices
        columns[0], columns[1] = columns[1], columns[0]

    change_manifest(folder, 4, change)
    assert the_finding(folder) == (
        "manifest.fragments[1].files[0].column_indices",
        "column 1 for field 0, id, and 1 more of its columns for other fields",
        "field 1, n, for which the file was written",
    )


def test_a_column_with_another_field_is_found(folder: Path) -> None:
    """A file that has a column for a field that the schema does not have is found."""
    change_manifest(folder, 4, set_to("fragments.1.files.0.fields.0", 99))
    assert the_finding(folder) == (
        "manifest.fragments[1].files[0].fields",
        "column 0 for field 99",
        "field 0, id, for which the file was written",
    )


def test_a_column_that_no_field_has_is_found(folder: Path) -> None:
    """A file with a column that the manifest does not mention is found."""

    def change(manifest: Manifest) -> None:
        file = manifest.fragments[1].files[0]
        file.fields.pop(0)
        file.column_indices.pop(0)

    change_manifest(folder, 4, change)
    where, what, why = the_finding(folder)
    assert (where, what) == ("manifest.fragments[1].files[0].fields", "no field for column 0")
    assert why.endswith("the file has id there")


def test_a_column_beyond_the_file_is_found(folder: Path) -> None:
    """A column that the file does not have is found once, though it makes columns unreadable."""
    change_manifest(folder, 4, set_to("fragments.1.files.0.column_indices.0", 77))
    assert the_finding(folder)[:2] == (
        "manifest.fragments[1].files[0].column_indices",
        "column 77 for field 0, id",
    )


def test_a_row_count_that_is_not_the_files_is_found(folder: Path) -> None:
    """The row count of a fragment is compared with each of its files."""
    change_manifest(folder, 1, set_to("fragments.1.physical_rows", 19))
    where, what, why = the_finding(folder)
    assert where == "manifest.fragments[1].files[0]"
    assert f"{what}".startswith("20 rows in ")
    assert why == "19 (physical_rows)"


def test_a_missing_deletion_file_is_found_once(folder: Path) -> None:
    """A deletion file that two versions name, and that is missing, has one finding."""
    (file,) = (folder / "_deletions").iterdir()
    file.unlink()
    (error,) = findings(folder)
    assert file.name in f"{error}"


def test_a_missing_data_file_is_found_once(folder: Path) -> None:
    """A data file that all versions name, and that is missing, has one finding."""
    dataset = lance.open_dataset(folder)
    (folder / "data" / dataset.manifest.fragments[0].files[0].path).unlink()
    (error,) = findings(folder)
    assert "No such file" in f"{error}"


def test_a_file_in_two_fragments_is_found(folder: Path) -> None:
    """A data file that two fragments name is found: its rows would be read twice."""

    def change(manifest: Manifest) -> None:
        manifest.fragments[1].files[0].CopyFrom(manifest.fragments[2].files[0])

    change_manifest(folder, 4, change)
    where, what, why = the_finding(folder)
    assert (where, why) == ("manifest.fragments.files.path", "each file in one")
    assert f"{what}".endswith("in 2 fragments")


def test_a_field_in_two_files_of_a_fragment_is_found(folder: Path) -> None:
    """A field for which a fragment has two columns is found: readers take different ones."""

    def change(manifest: Manifest) -> None:
        first, second = manifest.fragments[1].files
        second.fields[0] = first.fields[0]

    change_manifest(folder, 4, change)
    assert the_finding(folder)[0] == "manifest.fragments[1].files[1].column_indices"


def test_a_file_that_a_fragment_has_twice_is_found(folder: Path) -> None:
    """A file that a fragment names twice is found once."""

    def change(manifest: Manifest) -> None:
        manifest.fragments[1].files.append(manifest.fragments[1].files[1])

    change_manifest(folder, 4, change)
    where, what, _ = the_finding(folder)
    assert where == "manifest.fragments[1].files.fields"
    assert f"{what}".startswith("more than one column for field ")


def test_an_unknown_root_is_found(folder: Path) -> None:
    """A data file below a root that the manifest does not have is found once."""
    change_manifest(folder, 4, set_to("fragments.1.files.0.base_id", 3))
    assert the_finding(folder) == ("manifest.base_paths", "no id 3", "no ids")


def test_two_roots_of_one_id_are_found(folder: Path) -> None:
    """Roots of files that have the same id are found."""

    def change(manifest: Manifest) -> None:
        manifest.base_paths.extend([BasePath(id=1, path="/a"), BasePath(id=1, path="/b")])

    change_manifest(folder, 4, change)
    assert the_finding(folder)[:2] == ("manifest.base_paths.id", "2 paths with the id 1")


def test_files_that_number_their_own_fields_are_sound(folder: Path) -> None:
    """A file with ids of its own, whose columns the manifest gives other ids, has no findings."""
    table = pa.table({"t": ["x", "y"], "id": [100, 101], "n": [5, 6]})
    with lance.LanceWriter(folder / "data" / "own.lance", table.schema, version="2.1") as writer:
        writer.write(table)

    def change(manifest: Manifest) -> None:
        size = (folder / "data" / "own.lance").stat().st_size
        file = DataFile(path="own.lance", fields=[2, 0, 1], column_indices=[0, 1, 2])
        file.file_major_version, file.file_minor_version, file.file_size_bytes = 2, 1, size
        manifest.fragments.append(DataFragment(id=7, physical_rows=2, files=[file]))
        manifest.max_fragment_id = 7
        manifest.transaction_file = ""

    if lance.open_dataset(folder).data_version == "2.1":
        change_manifest(folder, 4, change)
        assert findings(folder) == []
        assert lance.open_dataset(folder).to_table()["id"].to_pylist()[-2:] == [100, 101]


# Row ids


def with_row_ids(manifest: Manifest, starts: tuple[int, ...] = (0, 20, 40)) -> None:
    """Give each fragment a range of row ids."""
    flags = FeatureFlag.STABLE_ROW_IDS
    manifest.reader_feature_flags |= flags
    manifest.writer_feature_flags |= flags
    for each, start in zip(manifest.fragments, starts, strict=True):
        end = start + each.physical_rows
        segment = U64Segment(range=U64Segment.Range(start=start, end=end))
        each.inline_row_ids = RowIdSequence(segments=[segment]).SerializeToString()
    manifest.next_row_id = max(starts) + 20


def test_sound_row_ids_have_no_findings(folder: Path) -> None:
    """A dataset whose rows have distinct ids is sound."""
    change_manifest(folder, 4, with_row_ids)
    assert findings(folder) == []


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("reader_feature_flags", 1, "manifest.reader_feature_flags"),
        ("next_row_id", 59, "manifest.next_row_id"),
        ("fragments.1.inline_row_ids", None, "manifest.fragments[1].row_id_sequence"),
        ("fragments.1.inline_row_ids", b"", "manifest.fragments[1].inline_row_ids"),
        ("fragments.1.inline_row_ids", b"\x0a", "manifest.fragments[1].inline_row_ids"),
        ("fragments.1.inline_updated_versions", b"", "manifest.fragments[1].inline_updated"),
    ],
)
def test_row_ids_that_cannot_be_right_are_found(
    folder: Path, path: str, value: Any, place: str
) -> None:
    """Row ids that are missing, too few, damaged or beyond the next id are found."""
    change_manifest(folder, 4, with_row_ids)
    change_manifest(folder, 4, set_to(path, value))
    assert the_finding(folder)[0].startswith(place)


def test_rows_with_the_same_id_are_found(folder: Path) -> None:
    """Rows of two fragments that have the same id are found, unless one of them is deleted."""
    change_manifest(folder, 4, lambda manifest: with_row_ids(manifest, (0, 19, 40)))
    assert the_finding(folder) == (
        "manifest.fragments.row_id_sequence",
        "the row id 19 twice in fragments 0, 1",
        "an id for each row that is not deleted",
    )


def test_a_deleted_row_may_have_the_id_of_another(folder: Path) -> None:
    """A row that was moved to another fragment keeps its id, which the deleted one has as well."""
    change_manifest(folder, 4, lambda manifest: with_row_ids(manifest, (37, 0, 20)))
    change_manifest(folder, 4, set_to("next_row_id", 57))
    assert findings(folder) == []


def test_each_column_that_cannot_be_read_is_found(tmp_path: Path) -> None:
    """Of 70 columns, two have pages that are too short: `verify` reports these two."""
    fields = [lance_field(f"c{each}", "int64", each) for each in range(70)]
    short = {3: 2, 68: 1}
    data = lance_file(
        fields,
        [[page(3, no_nulls(flat(64)), bytes(8 * short.get(each, 3)))] for each in range(70)],
        rows=3,
    )
    stored = fragment(tmp_path, 0, 3, (range(70), data))
    manifest = Manifest(version=1, fields=fields, fragments=[stored], max_fragment_id=0)
    manifest.data_format.version = "2.0"
    put_manifest(tmp_path, manifest)
    found = [as_format(each) for each in findings(tmp_path)]
    columns = {re.findall(r"columns\[(\d+)\]", f"{each.path}")[0] for each in found}
    assert columns == {"3", "68"}


def test_files_of_other_fields_than_the_file_before_are_checked(tmp_path: Path) -> None:
    """Two files have the same columns for other fields: the second one's fields are found."""
    fields = [lance_field("x", "int64"), lance_field("y", "int64", 1)]
    data = integers(fields, [1], [2])
    stored = [fragment(tmp_path, each, 1, ([each, 1 - each], data)) for each in range(2)]
    manifest = Manifest(version=1, fields=fields, fragments=stored, max_fragment_id=1)
    manifest.data_format.version = "2.0"
    put_manifest(tmp_path, manifest)
    path, found, _ = the_finding(tmp_path)
    assert path == "manifest.fragments[1].files[0].column_indices"
    assert found == "column 0 for field 1, y, and 1 more of its columns for other fields"
