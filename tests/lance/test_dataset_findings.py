"""What `verify` reports of datasets of Lance: their versions, and what these refer to.

A manifest contradicts itself, its files, the version before or its transaction; an index, a tag or
a branch leads nowhere.
"""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyroaring import BitMap
from tests.support.lance_datasets import (
    change_manifest,
    fragment,
    integers,
    put_manifest,
    put_section,
)
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
    IndexFile,
    IndexMetadata,
    IndexSection,
    Manifest,
    Uuid,
)
from byteloom_generated.lance.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSIONS = ("2.0", "2.1", "2.2")
FIELDS = "manifest.fields"
FRAGMENT = "manifest.fragments[1]"
FILE = "manifest.fragments[1].files[0]"


EACH = pytest.mark.parametrize("sound", VERSIONS, indirect=True)


@pytest.fixture(scope="module")
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Versions 1 to 4 of a dataset: written, appended to, rows deleted, a column added."""
    folder: Path = tmp_path_factory.mktemp("sound") / "d"
    write_versions(folder, getattr(request, "param", "2.2"))
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of the dataset, to change."""
    return shutil.copytree(sound, tmp_path / "d")


def file_of(folder: Path, version: int) -> Path:
    """The manifest of a version."""
    return folder / "_versions" / f"{(1 << 64) - 1 - version:020}.manifest"


def without(name: str, number: int = 0) -> Callable[[Any], None]:
    """Return a change that removes an element of the manifest's field *name*."""
    return lambda manifest: getattr(manifest, name).pop(number)


@EACH
def test_a_sound_dataset_has_no_findings(sound: Path) -> None:
    """Nothing is wrong with a dataset of byteloom that has several versions."""
    assert findings(sound) == []


def other_columns(manifest: Manifest) -> None:
    """Let two columns of one type change places."""
    columns = manifest.fragments[1].files[0].column_indices
    columns[0], columns[1] = columns[1], columns[0]


def no_column(manifest: Manifest) -> None:
    """Leave out a column that the file has."""
    file = manifest.fragments[1].files[0]
    file.fields.pop(0)
    file.column_indices.pop(0)


def same_file(manifest: Manifest) -> None:
    """Name a file in two fragments, whose rows would be read twice."""
    manifest.fragments[1].files[0].CopyFrom(manifest.fragments[2].files[0])


def two_columns(manifest: Manifest) -> None:
    """Give a field two columns, of which readers take different ones."""
    first, second = manifest.fragments[1].files
    second.fields[0] = first.fields[0]


def file_twice(manifest: Manifest) -> None:
    """Name a file twice."""
    manifest.fragments[1].files.append(manifest.fragments[1].files[1])


def two_roots(manifest: Manifest) -> None:
    """Give two roots of files one id."""
    manifest.base_paths.extend([BasePath(id=1, path="/a"), BasePath(id=1, path="/b")])


def lost_file(manifest: Manifest) -> None:
    """Lose the file of a new column, which would be read as nulls."""
    manifest.fragments[1].files.pop()


FLAGS = "1, since fragments have deletion_file"
CHANGES: list[tuple[Any, str, Any, str]] = [
    # A manifest by itself.
    (set_to("version", 9), "manifest.version", 9, "4, by the name of the file"),
    (set_to("branch", "x"), "manifest.branch", "x", "the name of the branch"),
    (set_to("max_fragment_id", 1), "manifest.max_fragment_id", 1, "2 or more"),
    (set_to("data_format.version", ""), "manifest.data_format.version", "''", "one of 0.1, 2.0"),
    (set_to("data_format.version", "2.9"), "manifest.data_format.version", "'2.9'", "one of 0.1"),
    (set_to("timestamp.nanos", -1), "manifest.timestamp.nanos", -1, "0 to 999999999"),
    (set_to("reader_feature_flags", 0), "manifest.reader_feature_flags", 0, FLAGS),
    (set_to("writer_feature_flags", 0), "manifest.writer_feature_flags", 0, FLAGS),
    (set_to("fields.0.name", ""), "manifest.fields[0].name", "an empty name", "a name"),
    (set_to("fields.1.name", "id"), "manifest.fields", "two fields id", "a name that no field be"),
    (set_to("fields.0.extension_name", "x"), "manifest.fields[0].extension_name", "x", "'no name"),
    (set_to("fragments.1.id", 0), "manifest.fragments.id", "2 fragments with the id 0", "one"),
    (set_to("fragments.1.files", None), f"{FRAGMENT}.files", "none", "files with its 20 rows"),
    (set_to("fragments.1.physical_rows", 0), f"{FRAGMENT}.physical_rows", 0, "the number of"),
    (
        set_to("fragments.0.deletion_file.num_deleted_rows", 0),
        "manifest.fragments[0].deletion_file.num_deleted_rows",
        0,
        "the number of deleted rows",
    ),
    (two_roots, "manifest.base_paths.id", "2 paths with the id 1", ""),
    (set_to("fragments.1.files.0.base_id", 3), "manifest.base_paths", "no id 3", "no ids"),
    (same_file, "manifest.fragments.files.path", "", "each file in one"),
    (two_columns, "manifest.fragments[1].files[1].column_indices", "", ""),
    (file_twice, f"{FRAGMENT}.files.fields", "more than one column for field ", ""),
    # A manifest and its files.
    (set_to("fields.0.logical_type", "double"), f"{FIELDS}[0].logical_type", "double", "'int64'"),
    (set_to("fields.2.logical_type", "int64"), f"{FIELDS}[2].logical_type", "int64", "'string'"),
    (set_to("fragments.1.files.0.file_size_bytes", 7), f"{FILE}.file_size_bytes", 7, "the size of"),
    (
        set_to("fragments.1.files.0.file_major_version", 3),
        f"{FILE}.file_major_version",
        "3/",
        "the version of",
    ),
    (
        set_to("fragments.1.files.0.file_minor_version", 7),
        f"{FILE}.file_major_version",
        "2/7",
        "the version of",
    ),
    (
        set_to("fragments.1.files.0.column_indices", None),
        f"{FILE}.column_indices",
        "0 columns",
        "one for each field",
    ),
    (
        set_to("fragments.1.files.0.column_indices.0", -7),
        f"{FILE}.column_indices",
        "column -7 for field 0, id",
        "the number of a column",
    ),
    (
        set_to("fragments.1.files.0.column_indices.0", 77),
        f"{FILE}.column_indices",
        "column 77 for field 0, id",
        "",
    ),
    (
        other_columns,
        f"{FILE}.column_indices",
        "column 1 for field 0, id, and 1 more of its columns for other fields",
        "field 1, n, for which the file was written",
    ),
    (
        set_to("fragments.1.files.0.fields.0", 99),
        f"{FILE}.fields",
        "column 0 for field 99",
        "field 0, id, for which the file was written",
    ),
    (no_column, f"{FILE}.fields", "no field for column 0", "the file has id there"),
    # A manifest and the one before.
    (lost_file, "manifest.fragments", "1 of 3 fragments changed or missing, 1 others", ""),
]  # fmt: skip


@EACH
@pytest.mark.parametrize(("change", "place", "found", "wanted"), CHANGES)
def test_a_change_of_the_newest_manifest_is_found(
    folder: Path, change: Any, place: str, found: Any, wanted: str
) -> None:
    """One change of the newest manifest is found, and nothing else."""
    change_manifest(folder, 4, change)
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
    assert file_of(folder, version).name in f"{error.file}"


def test_what_several_versions_have_is_found_once(folder: Path) -> None:
    """A wrong size that each version carries over from the one before has one finding."""
    for version in (1, 2, 3, 4):
        change_manifest(folder, version, set_to("fragments.1.files.0.file_size_bytes", 9))
    assert the_finding(folder)[1] == 9


@EACH
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


@EACH
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


@EACH
def test_a_field_with_others_inside_needs_no_column(folder: Path) -> None:
    """A struct that a manifest says has no column is sound; a field with values is read as null."""
    ids = {each.name: each.id for each in lance.open_dataset(folder).fields}

    def no_column(name: str) -> Callable[[Manifest], None]:
        def change(manifest: Manifest) -> None:
            file = manifest.fragments[1].files[0]
            columns = dict(zip(file.fields, file.column_indices, strict=True))
            columns[ids[name]] = -1
            file.fields[:], file.column_indices[:] = columns.keys(), columns.values()

        return change

    if lance.open_dataset(folder).data_version != "2.0":
        change_manifest(folder, 4, no_column("s"))
        assert findings(folder) == []
    change_manifest(folder, 4, no_column("n"))
    found = {(error.path, error.found) for error in map(as_format, findings(folder))}
    assert (f"{FILE}.column_indices", f"column -1 for field {ids['n']}, n") in found


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


# Versions and their transactions


OPERATIONS = [(1, "overwrite"), (2, "append"), (3, "delete"), (4, "merge")]


@pytest.mark.parametrize(("version", "operation"), OPERATIONS)
def test_lost_fragments_are_found(folder: Path, version: int, operation: str) -> None:
    """A version without a fragment that its transaction leaves or adds is found, and named."""
    count = len(lance.open_dataset(folder, version=version).fragments)
    change_manifest(folder, version, without("fragments"))
    assert the_finding(folder) == (
        "manifest.fragments",
        f"1 of {count} fragments changed or missing, 0 others",
        f"the same fragments, by its transaction ({operation})",
    )


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_version_that_lost_all_fragments_is_found(folder: Path, version: int) -> None:
    """A version without fragments is found where its transaction deletes none."""
    change_manifest(folder, version, set_to("fragments", None))
    assert the_finding(folder)[0] == "manifest.fragments"


@pytest.mark.parametrize("version", [3, 4])
def test_deleted_rows_that_come_back_are_found(folder: Path, version: int) -> None:
    """A deletion file that a version no longer names, although nothing restored it, is found."""
    change_manifest(folder, version, set_to("fragments.0.deletion_file", None))
    assert the_finding(folder)[0] == "manifest.fragments"


@pytest.mark.parametrize(
    ("version", "what", "wanted"),
    [
        (4, "fields 99 id (int64)", "fields 0 id (int64), by its transaction (merge)"),
        (3, "fields 99 id (int64)", "fields 0 id (int64), by its transaction (delete)"),
        (1, "fields 99 id (int64)", "fields 0 id (int64), by its transaction (overwrite)"),
    ],
)
def test_another_id_of_a_field_is_found(folder: Path, version: int, what: str, wanted: str) -> None:
    """A field with an id that no file has, which would be read as nulls, is found."""
    change_manifest(folder, version, set_to("fields.0.id", 99))
    assert the_finding(folder) == ("manifest.fields", what, wanted)


def test_a_lost_field_is_found(folder: Path) -> None:
    """A version that lacks a field which the version before had is found."""
    change_manifest(folder, 3, without("fields", 1))
    assert the_finding(folder)[:2] == ("manifest.fields", "no fields 1 n (int64)")


def test_nothing_is_compared_without_the_transaction(folder: Path) -> None:
    """Where the file of the transaction was removed, any fragments are possible."""
    shutil.rmtree(folder / "_transactions")
    change_manifest(folder, 4, without("fragments"))
    assert findings(folder) == []


def test_nothing_is_compared_with_a_version_that_was_removed(folder: Path) -> None:
    """A version whose predecessor was cleaned up is compared with its transaction alone."""
    for version in (1, 2):
        file_of(folder, version).unlink()
    change_manifest(folder, 3, without("fragments", 2))
    assert findings(folder) == []


def test_damage_to_a_transaction_is_found(folder: Path) -> None:
    """The file of a transaction that cannot be read, as other writers would, is found and named."""
    name = lance.open_dataset(folder).manifest.transaction_file
    (folder / "_transactions" / name).write_bytes(b"\xff")
    (error,) = findings(folder)
    assert f"{error}".startswith(f"{folder}/_transactions/{name}: transaction")


def test_dropped_columns_are_sound(folder: Path) -> None:
    """A version without a column, and without the files of only that column, has no findings."""
    lance.open_dataset(folder).drop_columns(["more", "t"])
    assert findings(folder) == []


def test_rows_that_are_all_deleted_are_sound(folder: Path) -> None:
    """A version without fragments has no findings where its transaction deletes them."""
    lance.open_dataset(folder).delete(filter="id >= 0")
    assert findings(folder) == []


def restored(folder: Path, *, of: int) -> None:
    """Add version 5, which has the content of another version."""
    shutil.copyfile(file_of(folder, of), file_of(folder, 5))
    transaction = Transaction(read_version=4, uuid="x", restore=Transaction.Restore(version=of))
    (folder / "_transactions" / "4-x.txn").write_bytes(transaction.SerializeToString())

    def change(manifest: Manifest) -> None:
        manifest.version, manifest.transaction_file = 5, "4-x.txn"

    change_manifest(folder, 5, change)


def test_a_restored_version_is_sound(folder: Path) -> None:
    """A version that restores an earlier one has its fields, its fragments, and all its rows."""
    restored(folder, of=2)
    assert findings(folder) == []
    assert lance.open_dataset(folder).count() == 60


def test_a_version_that_is_not_the_one_it_restores_is_found(folder: Path) -> None:
    """A version that restores another one must have its fragments."""
    restored(folder, of=2)
    change_manifest(folder, 5, without("fragments"))
    assert the_finding(folder)[0] == "manifest.fragments"


def detached(folder: Path) -> int:
    """Add a version that follows no other; return its number."""
    number = (1 << 63) + 5
    place = folder / "_versions" / f"d{number}.manifest"
    shutil.copyfile(file_of(folder, 4), place)
    manifest = lance.open_dataset(folder).manifest
    added = DataFragment(files=manifest.fragments[2].files, physical_rows=20)
    append = Transaction.Append(fragments=[added])
    made = Transaction(read_version=4, uuid="x", append=append)
    (folder / "_transactions" / "4-x.txn").write_bytes(made.SerializeToString())

    def change(manifest: Manifest) -> None:
        manifest.version, manifest.transaction_file = number, "4-x.txn"

    change_manifest(folder, number, change)
    return number


def test_detached_versions_are_checked(folder: Path) -> None:
    """What is wrong with a version that no listing of versions has is found."""
    number = detached(folder)
    assert the_finding(folder)[1] == "1 of 4 fragments changed or missing, 0 others"
    change_manifest(folder, number, set_to("fields.0.logical_type", "double"))
    assert the_finding(folder)[:2] == ("manifest.fields[0].logical_type", "double")


def test_damage_to_an_older_manifest_is_found(folder: Path) -> None:
    """A manifest of an older version that cannot be read is found, and the newest one is read."""
    place = file_of(folder, 1)
    place.write_bytes(place.read_bytes()[:-1])
    (error,) = findings(folder)
    assert place.name in f"{error}"
    assert lance.open_dataset(folder).to_table().num_rows == 57


# What a manifest has besides its message


def test_a_transaction_in_the_manifest_is_compared(folder: Path) -> None:
    """A transaction that is in the file of the manifest is compared as one in its own file is."""
    name = lance.open_dataset(folder).manifest.transaction_file
    put_section(folder, 4, "transaction_section", (folder / "_transactions" / name).read_bytes())
    shutil.rmtree(folder / "_transactions")
    assert findings(folder) == []
    change_manifest(folder, 4, without("fragments"))
    assert the_finding(folder)[0] == "manifest.fragments"


@pytest.mark.parametrize("section", ["transaction_section", "index_section"])
@pytest.mark.parametrize("place", [1, 1 << 40])
def test_a_wrong_place_in_the_manifest_is_found(folder: Path, section: str, place: int) -> None:
    """A section that is not where the manifest says, for which Lance stops, is found."""
    change_manifest(folder, 4, set_to(section, place))
    assert the_finding(folder)[0].startswith(f"manifest.{section}")


# Indices


UUID = bytes(range(16))
FOLDER = "_indices/00010203-0405-0607-0809-0a0b0c0d0e0f"


def index(**values: Any) -> bytes:
    """The section of an index of the first two fragments."""
    message: Any = {"uuid": Uuid(uuid=UUID), "fields": [0], "name": "ids", "dataset_version": 4}
    return IndexSection(indices=[IndexMetadata(**{**message, **values})]).SerializeToString()


@pytest.fixture
def indexed(folder: Path) -> Path:
    """The dataset with a folder of an index."""
    (folder / FOLDER).mkdir(parents=True)
    (folder / FOLDER / "page_data.lance").write_bytes(b"x")
    return folder


def test_a_sound_index_has_no_findings(indexed: Path) -> None:
    """An index whose field, version and files are there has no findings."""
    put_section(indexed, 4, "index_section", index())
    assert findings(indexed) == []


EVERYTHING = BitMap()
EVERYTHING.add_range(0, 1 << 32)
EVERYTHING.run_optimize()


@pytest.mark.parametrize(
    ("values", "path", "found", "wanted"),
    [
        ({"fields": [0, 77]}, "fields", "field 77", ""),
        ({"dataset_version": 5}, "dataset_version", "5", ""),
        ({"uuid": Uuid(uuid=b"short")}, "uuid", "5 bytes", ""),
        (
            {"uuid": Uuid(uuid=UUID[::-1])},
            "uuid",
            "no files in _indices/0f0e0d0c-0b0a-0908-0706-050403020100",
            "",
        ),
        ({"files": [IndexFile(path="page_data.lance", size=2)]}, "files", "1 bytes in ", "2"),
        ({"fragment_bitmap": b"xyz"}, "fragment_bitmap", "", ""),
        (
            {"fragment_bitmap": BitMap([0, 9]).serialize()},
            "fragment_bitmap",
            "fragment 9",
            "at most 2 (max_fragment_id)",
        ),
        (
            {"fragment_bitmap": EVERYTHING.serialize()},
            "fragment_bitmap",
            f"fragment {(1 << 32) - 1}",
            "at most 2",
        ),
        (
            {"fragment_bitmap": BitMap([0]).serialize() + b"x"},
            "fragment_bitmap",
            "1 bytes after its end",
            "none",
        ),
        ({"base_id": 3}, "", "no id 3", ""),
    ],
)
def test_an_index_that_cannot_be_used_is_found(
    indexed: Path, values: dict[str, Any], path: str, found: str, wanted: str
) -> None:
    """An index of other fields, fragments or versions, or without its files, is found."""
    put_section(indexed, 4, "index_section", index(**values))
    where, what, why = the_finding(indexed)
    assert where.startswith(f"indices.ids.{path}" if path else "manifest.base_paths")
    assert f"{what}".startswith(found)
    assert why.startswith(wanted)


# Tags and branches


TAG: dict[str, Any] = {
    "branch": None,
    "version": 2,
    "createdAt": "2026-11-29T06:10:30.813652318Z",
    "updatedAt": "2026-11-29T06:10:30.813652318Z",
    "manifestSize": 599,
    "metadata": {},
}
BRANCH: dict[str, Any] = {
    "parentBranch": None,
    "identifier": {"version_mapping": []},
    "parentVersion": 4,
    "createAt": 1_795_932_640,
    "manifestSize": 1223,
    "metadata": {},
}


@pytest.fixture
def tagged(folder: Path) -> Path:
    """The dataset with a tag, and a branch of four versions."""
    shutil.copytree(folder, folder / "tree" / "b/c")
    put(folder, "tags/t", TAG)
    put(folder, "branches/b%2Fc", BRANCH)
    return folder


def put(folder: Path, name: str, values: Any) -> None:
    """Put the document of a tag or a branch."""
    place = folder / "_refs" / f"{name}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(values))


def test_sound_tags_and_branches_have_no_findings(tagged: Path) -> None:
    """Tags of versions that are there, of the main branch and of another, have no findings."""
    put(tagged, "tags/other", {"version": 3, "manifestSize": 7, "branch": "b/c"})
    put(tagged, "tags/early", {"version": 4, "manifestSize": 7})
    assert findings(tagged) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 0),
        ("version", 9),
        ("version", -7),
        ("version", None),
        ("manifestSize", -7),
        ("manifestSize", None),
        ("metadata", None),
        ("createdAt", "yesterday"),
        ("updatedAt", 3),
        ("branch", ""),
        ("branch", 4),
        ("branch", "x"),
    ],
)
def test_a_tag_that_lance_refuses_or_that_leads_nowhere_is_found(
    tagged: Path, key: str, value: Any
) -> None:
    """A tag with an impossible value, or of no version or branch, is found and named."""
    put(tagged, "tags/t", {**TAG, key: value})
    assert the_finding(tagged)[0] == f"{tagged}/_refs/tags/t.json: {key}"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("parentVersion", -7),
        ("createAt", None),
        ("manifestSize", "x"),
        ("parentBranch", 99),
        ("identifier", None),
        ("metadata", 1),
    ],
)
def test_a_branch_that_lance_refuses_is_found(tagged: Path, key: str, value: Any) -> None:
    """A branch with an impossible value is found and named."""
    put(tagged, "branches/b%2Fc", {**BRANCH, key: value})
    assert the_finding(tagged)[0] == f"{tagged}/_refs/branches/b%2Fc.json: {key}"


def test_a_branch_without_manifests_is_found(tagged: Path) -> None:
    """A branch whose folder has no version is found."""
    shutil.rmtree(tagged / "tree")
    assert the_finding(tagged)[1] == "no manifests of the branch"


@pytest.mark.parametrize("text", ["", "xyz", "[1]", "7"])
def test_a_tag_that_is_not_an_object_of_json_is_found(tagged: Path, text: str) -> None:
    """A tag that is no object of JSON, for which no tag can be read, is found."""
    (tagged / "_refs" / "tags" / "t.json").write_text(text)
    assert the_finding(tagged)[0] == f"{tagged}/_refs/tags/t.json"
