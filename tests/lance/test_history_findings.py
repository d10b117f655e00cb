"""What `verify` reports of versions of Lance datasets that do not follow from one another."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import change_manifest, put_section
from tests.support.lance_findings import findings, set_to, the_finding, write_versions

from byteloom import lance
from byteloom_generated.lance.table import DataFragment, IndexMetadata, IndexSection, Uuid
from byteloom_generated.lance.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom_generated.lance.table import Manifest

UUID = bytes(range(16))
FOLDER = "_indices/00010203-0405-0607-0809-0a0b0c0d0e0f"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Versions 1 to 4 of a dataset: written, appended to, rows deleted, a column added."""
    folder: Path = tmp_path_factory.mktemp("sound") / "d"
    write_versions(folder)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of the dataset, to change."""
    return shutil.copytree(sound, tmp_path / "d")


def without(name: str, number: int = 0) -> Callable[[Any], None]:
    """Return a change that removes an element of the manifest's field *name*."""

    def change(manifest: Any) -> None:
        getattr(manifest, name).pop(number)

    return change


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


def test_a_lost_file_of_a_fragment_is_found(folder: Path) -> None:
    """A fragment without the file of a new column, which would be read as nulls, is found."""

    def change(manifest: Manifest) -> None:
        manifest.fragments[1].files.pop()

    change_manifest(folder, 4, change)
    assert the_finding(folder)[:2] == (
        "manifest.fragments",
        "1 of 3 fragments changed or missing, 1 others",
    )


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
        (folder / "_versions" / f"{(1 << 64) - 1 - version:020}.manifest").unlink()
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
    names = {version: f"{(1 << 64) - 1 - version:020}.manifest" for version in (of, 5)}
    shutil.copyfile(folder / "_versions" / names[of], folder / "_versions" / names[5])
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


@pytest.mark.parametrize(
    ("values", "path", "found"),
    [
        ({"fields": [0, 77]}, "indices.ids.fields", "field 77"),
        ({"dataset_version": 5}, "indices.ids.dataset_version", 5),
        ({"uuid": Uuid(uuid=b"short")}, "indices.ids.uuid", "5 bytes"),
        ({"base_id": 3}, "manifest.base_paths", "no id 3"),
        ({"fragment_bitmap": b"xyz"}, "indices.ids.fragment_bitmap", None),
        (
            {"uuid": Uuid(uuid=UUID[::-1])},
            "indices.ids.uuid",
            "no files in _indices/0f0e0d0c-0b0a-0908-0706-050403020100",
        ),
    ],
)
def test_an_index_that_cannot_be_used_is_found(
    indexed: Path, values: dict[str, Any], path: str, found: Any
) -> None:
    """An index of other fields, fragments or versions, or without its files, is found."""
    put_section(indexed, 4, "index_section", index(**values))
    where, what, _ = the_finding(indexed)
    assert where.startswith(path)
    assert found is None or what == found


def test_an_index_of_a_later_fragment_is_found(indexed: Path) -> None:
    """An index of a fragment that no version had yet is found."""
    from pyroaring import BitMap

    put_section(indexed, 4, "index_section", index(fragment_bitmap=BitMap([0, 9]).serialize()))
    assert the_finding(indexed) == (
        "indices.ids.fragment_bitmap",
        "fragment 9",
        "at most 2 (max_fragment_id)",
    )


def test_an_index_of_all_possible_fragments_is_found_at_once(indexed: Path) -> None:
    """The largest fragment of a bitmap of billions, which takes less than 1 MB, is found fast."""
    from pyroaring import BitMap

    bitmap = BitMap()
    bitmap.add_range(0, 1 << 32)
    bitmap.run_optimize()
    put_section(indexed, 4, "index_section", index(fragment_bitmap=bitmap.serialize()))
    assert the_finding(indexed)[1] == f"fragment {(1 << 32) - 1}"


def test_bytes_after_the_bitmap_of_an_index_are_found(indexed: Path) -> None:
    """A bitmap that does not end where its bytes end is found."""
    from pyroaring import BitMap

    put_section(indexed, 4, "index_section", index(fragment_bitmap=BitMap([0]).serialize() + b"x"))
    assert the_finding(indexed) == (
        "indices.ids.fragment_bitmap",
        "1 bytes after its end",
        "none",
    )


def test_a_file_of_an_index_with_another_size_is_found(indexed: Path) -> None:
    """A file of an index whose size is not that of the manifest is found."""
    from byteloom_generated.lance.table import IndexFile

    put_section(
        indexed, 4, "index_section", index(files=[IndexFile(path="page_data.lance", size=2)])
    )
    where, what, why = the_finding(indexed)
    assert (where, what, why) == ("indices.ids.files", f"1 bytes in {FOLDER}/page_data.lance", "2")


def test_a_branch_that_is_not_its_folders_is_found(folder: Path) -> None:
    """A manifest of the main branch that names another one is found."""
    change_manifest(folder, 4, set_to("branch", "x"))
    assert the_finding(folder)[:2] == ("manifest.branch", "x")


def test_damage_to_an_older_manifest_is_found(folder: Path) -> None:
    """A manifest of an older version that cannot be read is found, and the newest one is read."""
    place = folder / "_versions" / f"{(1 << 64) - 2:020}.manifest"
    place.write_bytes(place.read_bytes()[:-1])
    (error,) = findings(folder)
    assert place.name in f"{error}"
    assert lance.open_dataset(folder).to_table().num_rows == pa.table({"x": range(57)}).num_rows


def detached(folder: Path) -> int:
    """Add a version that follows no other; return its number."""
    number, name = (1 << 63) + 5, f"{(1 << 64) - 5:020}.manifest"
    place = folder / "_versions" / f"d{number}.manifest"
    shutil.copyfile(folder / "_versions" / name, place)
    manifest = lance.open_dataset(folder).manifest
    fragment = DataFragment(files=manifest.fragments[2].files, physical_rows=20)
    append = Transaction.Append(fragments=[fragment])
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
