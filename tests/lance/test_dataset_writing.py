"""Lance datasets that we write: each change is a version, which appears whole or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem
from tests.support.lance_datasets import put_manifest, put_section
from tests.support.lance_files import lance_field
from tests.support.lance_tables import difference

from byteloom import __version__, lance
from byteloom.errors import (
    AlreadyExists,
    ArgumentError,
    CommitConflict,
    FormatError,
    MissingFile,
    Unsupported,
)
from byteloom.iceberg import col, parse
from byteloom_generated.lance.table import DataFragment, Manifest
from byteloom_generated.lance.tail import FramedMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from byteloom.lance import Dataset


def rows(start: int, stop: int) -> pa.Table:
    """Numbered rows, with nulls and a list."""
    numbers = range(start, stop)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "text": pa.array([None if n % 3 == 0 else f"text {n}" for n in numbers], pa.string()),
            "list": pa.array([[n] * (n % 3) for n in numbers], pa.list_(pa.int32())),
        }
    )


def check(dataset: Dataset, table: pa.Table) -> None:
    """Compare a dataset, whole and by numbers, with a table."""
    assert dataset.num_rows == len(table)
    assert difference(dataset.to_table(), table) is None
    some = pa.array(range(0, len(table), 3), pa.int64())
    assert difference(dataset.take(some), table.take(some)) is None


def files(place: Path, below: str) -> list[str]:
    """The names of the files in a folder of a dataset."""
    return sorted(each.name for each in (place / below).iterdir())


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_each_write_is_a_version(version: str, tmp_path: Path) -> None:
    """Creating, appending and overwriting each add a version; earlier versions stay readable."""
    place, other = tmp_path / "a", pa.table({"x": [1.5, None]})
    first = lance.write_dataset(place, rows(0, 100), version=version)
    check(first, rows(0, 100))
    second = lance.write_dataset(place, rows(100, 150).to_reader(), mode="append")
    check(second, rows(0, 150))
    third = lance.write_dataset(place, other, mode="overwrite")
    check(third, other)
    assert (third.version, third.versions, third.data_version) == (3, [1, 2, 3], version)
    assert [each.id for each in third.fragments] == [2]
    check(lance.open_dataset(place, version=1), rows(0, 100))
    check(lance.open_dataset(place, version=2), rows(0, 150))
    assert first.timestamp is not None
    assert third.timestamp is not None
    assert first.timestamp < third.timestamp


def test_a_dataset_is_created_once(tmp_path: Path) -> None:
    """Creating a dataset twice is refused and leaves no file; overwriting also creates."""
    lance.write_dataset(tmp_path / "a", rows(0, 9), mode="overwrite")
    before = files(tmp_path / "a", "data")
    with pytest.raises(AlreadyExists, match="there is a Lance dataset already"):
        lance.write_dataset(tmp_path / "a", rows(0, 9))
    assert files(tmp_path / "a", "data") == before
    with pytest.raises(MissingFile, match="/b: No such file or directory, wanted manifests in"):
        lance.write_dataset(tmp_path / "b", rows(0, 9), mode="append")


def test_files_have_so_many_rows_at_most(tmp_path: Path) -> None:
    """Rows are divided into fragments of at most the given size; no rows make no fragment."""
    batches = pa.Table.from_batches(rows(0, 100).to_batches(max_chunksize=7))
    dataset = lance.write_dataset(tmp_path / "a", batches, max_rows_per_file=30)
    assert [each.physical_rows for each in dataset.fragments] == [30, 30, 30, 10]
    assert [each.id for each in dataset.fragments] == [0, 1, 2, 3]
    check(dataset, rows(0, 100))
    empty = lance.write_dataset(tmp_path / "b", rows(0, 0))
    assert empty.fragments == []
    check(lance.write_dataset(tmp_path / "b", rows(0, 5), mode="append"), rows(0, 5))


def test_rows_are_deleted(tmp_path: Path) -> None:
    """Rows are deleted by their numbers among the live rows; an empty fragment is dropped."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 100), max_rows_per_file=40)
    table = rows(0, 100)
    for numbers in ([99, 0, 41, 41, 5], list(range(30, 77)), [0]):
        dataset = dataset.delete(numbers)
        table = table.take(np.delete(np.arange(len(table)), numbers))
        check(dataset, table)
    assert [each.id for each in dataset.fragments] == [0, 2]
    assert dataset.delete([]).version == dataset.version == 4
    with pytest.raises(FormatError, match=r"rows: found 50, wanted 0 to 47"):
        dataset.delete([50])
    check(dataset.delete(range(48)), table[:0])


def test_rows_are_deleted_by_a_filter(tmp_path: Path) -> None:
    """A filter, or its text, deletes the rows that it matches, after deletes by another writer too.

    Null does not match.
    """
    wanted: list[Any] = [col("text") > "text 5", "text > 'text 5'"]
    for number, asked in enumerate(wanted):
        dataset = lance.write_dataset(tmp_path / f"{number}", rows(0, 100), max_rows_per_file=40)
        dataset.delete([1, 50])
        dataset = dataset.delete(filter=asked)
        left = [n for n in range(100) if n not in {1, 50}]
        kept = [n for n in left if n % 3 == 0 or f"text {n}" <= "text 5"]
        check(dataset, rows(0, 100).take(kept))
        check(dataset.delete(filter=parse("id < 0")), rows(0, 100).take(kept))
        assert dataset.to_table(filter="id = 77").num_rows == 0
        assert dataset.count("id < 50") == len([n for n in kept if n < 50])
    dataset = dataset.delete("id = 3")
    check(dataset, rows(0, 100).take([n for n in kept if n != 3]))
    given: list[dict[str, Any]] = [
        {},
        {"rows": [1], "filter": col("id") > 1},
        {"rows": "id = 1", "filter": "id > 1"},
    ]
    for keys in given:
        with pytest.raises(FormatError, match=r"rows, filter: found (both|neither)"):
            dataset.delete(**keys)


def test_columns_are_added_and_dropped(tmp_path: Path) -> None:
    """Columns are added to the live rows and dropped; rows appended later have all columns."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 50), max_rows_per_file=20)
    dataset = dataset.delete([0, 3, 4, 49]).delete(range(14, 34))
    numbers = pa.array(dataset.to_table()["id"].to_pylist(), pa.int64())
    struct = pa.StructArray.from_arrays([numbers, numbers.cast(pa.string())], ["a", "b"])
    added = pa.table({"s": struct, "n": pa.array(numbers, pa.int64())})
    dataset = dataset.add_columns(added.to_reader(max_chunksize=3))
    wanted = dataset.to_table(["id", "text", "list"])
    for name in added.column_names:
        wanted = wanted.append_column(name, added[name])
    check(dataset, wanted)
    dataset = dataset.drop_columns(["text", "s"])
    wanted = wanted.drop_columns(["text", "s"])
    check(dataset, wanted)
    dataset = lance.write_dataset(tmp_path / "a", wanted, mode="append")
    wanted = pa.concat_tables([wanted, wanted])
    check(dataset, wanted)
    again = pa.table({"text": pa.array(range(len(wanted)), pa.int16())})
    check(dataset.add_columns(again), wanted.append_column("text", again["text"]))
    ids = [each.id for each in dataset.newest().fields]
    assert ids == [0, 2, 7, 8]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pa.table({"id": range(9)}), "columns: found id, wanted names that the dataset does not"),
        (pa.table({"x": range(8)}), "rows: found 8 rows, wanted 1 more"),
        (pa.table({"x": range(10)}), "rows: found 10, wanted 9, as the dataset has"),
        ([1], r"data\[0\]: found int, wanted Arrow data"),
        ([], "data: found no batches, wanted at least one"),
    ],
)
def test_columns_that_do_not_fit_are_refused(data: Any, message: str, tmp_path: Path) -> None:
    """Columns that do not match the dataset are refused, and leave no version and no file."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9))
    before = files(tmp_path / "a", "data")
    with pytest.raises(FormatError, match=message):
        dataset.add_columns(data)
    assert files(tmp_path / "a", "data") == before
    assert dataset.newest().version == 1


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (pa.field("a.b", pa.int64()), r"schema: found a column 'a\.b', wanted names without dots"),
        (pa.field("j", pa.json_()), r"schema\.j: found arrow\.json, wanted its storage type, text"),
        (
            pa.field("l", pa.list_(pa.field("j", pa.json_()))),
            r"schema\.l\.j: found arrow\.json, wanted its storage type, text",
        ),
    ],
)
def test_columns_that_pylance_does_not_read_from_datasets_are_refused(
    column: pa.Field, problem: str, tmp_path: Path
) -> None:
    """Columns that pylance reads from files, but not from datasets, are written to files only."""
    data = pa.table([pa.nulls(0, column.type)], pa.schema([column]))
    with pytest.raises(FormatError, match=f"^{problem}$"):
        lance.write_dataset(tmp_path / "a", data)
    assert not list(tmp_path.iterdir())
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 0))
    with pytest.raises(FormatError, match=f"{problem}$"):
        dataset.add_columns(data)
    with lance.LanceWriter(tmp_path / "a.lance", data.schema) as writer:
        writer.write(data)


def test_rows_are_appended_by_the_names_of_their_columns(tmp_path: Path) -> None:
    """The columns of rows to append may be in another order than those of the dataset."""
    lance.write_dataset(tmp_path / "a", rows(0, 9))
    mixed = rows(9, 20).select(["list", "id", "text"])
    check(lance.write_dataset(tmp_path / "a", mixed, mode="append"), rows(0, 20))
    for names in (["id", "text", "text"], ["id", "text", "list", "list"]):
        with pytest.raises(
            FormatError, match=r"rows: found columns id, text, .* wanted some of id"
        ):
            lance.write_dataset(tmp_path / "a", rows(0, 9).select(names), mode="append")


SOME = pa.table(
    {
        "a": [1, 2],
        "s": pa.array([{"p": 1, "q": {"u": 1, "v": 2}}] * 2),
        "l": pa.array([[{"p": 1, "q": 2}], []]),
    }
)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"a": 3}, {"a": 3, "s": None, "l": None}),
        ({"l": [{"p": 1, "q": 3}]}, {"a": None, "s": None, "l": [{"p": 1, "q": 3}]}),
        (
            {"s": {"q": {"v": 7}}, "a": 3},
            {"a": 3, "s": {"p": None, "q": {"u": None, "v": 7}}, "l": None},
        ),
        ({"l": [{"q": 1}, {"q": 2}]}, {"a": None, "s": None, "l": [{"q": 1}, {"q": 2}]}),
    ],
)
def test_fields_that_appended_rows_lack_are_null(
    version: str, given: dict[str, Any], read: dict[str, Any], tmp_path: Path
) -> None:
    """Rows may lack columns, and fields of structs and lists of structs: no file has these."""
    lance.write_dataset(tmp_path / "a", SOME, version=version)
    more = pa.Table.from_pylist([given])
    found = lance.write_dataset(tmp_path / "a", more, mode="append")
    want = pa.concat_tables([SOME, pa.Table.from_pylist([read], SOME.schema)])
    check(found, want)
    check(found.delete([0]), want.slice(1))
    assert found.take([2, 0]).to_pylist() == want.take([2, 0]).to_pylist()


def test_fields_that_are_never_null_are_needed(tmp_path: Path) -> None:
    """Rows to append may not lack a field that is never null, at the top or in a struct."""
    inner = pa.struct([("p", pa.int64()), pa.field("q", pa.int64(), nullable=False)])
    fields = [pa.field("a", pa.int64(), nullable=False), ("b", pa.string()), ("s", inner)]
    table = pa.table([[1], ["x"], [{"p": 1, "q": 2}]], schema=pa.schema(fields))
    lance.write_dataset(tmp_path / "a", table)
    lance.write_dataset(tmp_path / "a", table.select(["a"]), mode="append")
    wanted = r"rows: found columns b, wanted some of a, b, s, and always a$"
    with pytest.raises(ArgumentError, match=wanted):
        lance.write_dataset(tmp_path / "a", table.select(["b"]), mode="append")
    other = table.select(["a"]).append_column("s", pa.array([{"p": 1}]))
    wanted = r"rows\.s: found columns p, wanted some of p, q, and always q$"
    with pytest.raises(ArgumentError, match=wanted):
        lance.write_dataset(tmp_path / "a", other, mode="append")
    with pytest.raises(ArgumentError, match=r"rows: found columns none, wanted some of a, b, s"):
        lance.write_dataset(tmp_path / "a", pa.table({}), mode="append")
    assert lance.open_dataset(tmp_path / "a").to_table()["b"].to_pylist() == ["x", None]


def test_names_and_modes_are_checked(tmp_path: Path) -> None:
    """Unknown columns, modes and versions are refused with what was wanted."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9), version="2.1")
    with pytest.raises(
        FormatError, match="columns: found 'x', wanted a column of the schema: id, text, list"
    ):
        dataset.drop_columns(["x"])
    with pytest.raises(FormatError, match="columns: found all columns, wanted at least one"):
        dataset.drop_columns(["list", "text", "id"])
    with pytest.raises(FormatError, match="mode: found 'add', wanted create or append"):
        lance.write_dataset(tmp_path / "a", rows(0, 9), mode="add")
    with pytest.raises(Unsupported, match=r"version: found 2\.3, wanted one of 2\.0, 2\.1, 2\.2"):
        lance.write_dataset(tmp_path / "b", rows(0, 9), version="2.3")
    with pytest.raises(FormatError, match=r"version: found 2\.2, wanted 2\.1, that of the dataset"):
        lance.write_dataset(tmp_path / "a", rows(0, 9), mode="append", version="2.2")
    names = "id, text, other, wanted some of id, text, list"
    more = rows(0, 9).select(["id", "text"]).append_column("other", pa.array(range(9)))
    with pytest.raises(FormatError, match=f"rows: found columns {names}"):
        lance.write_dataset(tmp_path / "a", more, mode="append")
    other = rows(0, 9).set_column(0, "id", [pa.array(["x"] * 9)])
    with pytest.raises(FormatError, match=r"rows\.id: found string, wanted int64"):
        lance.write_dataset(tmp_path / "a", other, mode="append")
    assert files(tmp_path / "a", "_versions") == ["18446744073709551614.manifest"]
    assert len(files(tmp_path / "a", "data")) == 1


def test_a_lost_race_is_repeated_where_the_change_can_follow(tmp_path: Path) -> None:
    """Appends, and deletes from fragments that nobody else changed, succeed after a lost race."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 20), max_rows_per_file=10)
    lance.write_dataset(tmp_path / "a", rows(20, 30), mode="append")
    check(dataset.delete([0]), rows(1, 30))
    check(dataset.delete([19]), pa.concat_tables([rows(1, 19), rows(20, 30)]))
    assert dataset.newest().version == 4


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda it: it.delete([0]), rows(1, 20)),
        (lambda it: it.drop_columns(["text"]), rows(0, 20).drop_columns(["text"])),
        (
            lambda it: it.add_columns(pa.table({"more": range(20)})),
            rows(0, 20).append_column("more", pa.array(range(20))),
        ),
    ],
    ids=["delete", "drop", "add"],
)
def test_a_lost_race_is_repeated_after_a_writer_that_leaves_out_zeros(
    change: Callable[[Dataset], Dataset], expected: pa.Table, tmp_path: Path
) -> None:
    """Fields and fragments whose id 0 the other writer does not state, as pylance, are the same."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 20))
    job = lance.begin_write(tmp_path / "a", rows(0, 0).schema, mode="append")
    newest = deepcopy(dataset.manifest)
    for each in (newest.fields[0], newest.fragments[0]):
        assert each.HasField("id")
        each.ClearField("id")
    newest.version = 2
    put_manifest(tmp_path / "a", newest)
    check(change(dataset), expected)
    if expected.schema == rows(0, 0).schema:
        check(job.commit(job.write(rows(20, 30))), pa.concat_tables([expected, rows(20, 30)]))


def test_columns_are_not_added_to_other_rows(tmp_path: Path) -> None:
    """A fragment with another number of rows is not the one that columns were made for."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 20))
    newest = deepcopy(dataset.manifest)
    newest.fragments[0].physical_rows += 1
    newest.version += 1
    put_manifest(tmp_path / "a", newest)
    with pytest.raises(CommitConflict, match="changed the rows or the columns"):
        dataset.add_columns(pa.table({"other": pa.array(range(20))}))


def test_a_lost_race_is_refused_where_the_change_cannot_follow(tmp_path: Path) -> None:
    """A change of rows that another writer changed is a conflict, and leaves no file."""
    place = tmp_path / "a"
    dataset = lance.write_dataset(place, rows(0, 20), max_rows_per_file=10)
    dataset.delete([0])
    with pytest.raises(CommitConflict, match="another writer changed a fragment with rows to del"):
        dataset.delete([1])
    with pytest.raises(CommitConflict, match="another writer changed the rows or the columns"):
        dataset.add_columns(pa.table({"x": range(20)}))
    assert len(files(place, "data")) == 2
    dataset.drop_columns(["text"])
    with pytest.raises(CommitConflict, match="another writer changed the columns"):
        dataset.drop_columns(["list"])
    assert dataset.newest().version == 3


def test_writers_at_once_lose_no_rows(tmp_path: Path) -> None:
    """Eight concurrent appends each create a version, and no row is lost."""
    lance.write_dataset(tmp_path / "a", rows(0, 10))
    parts = [rows(start, start + 10) for start in range(10, 90, 10)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda part: lance.write_dataset(tmp_path / "a", part, mode="append"), parts))
    dataset = lance.open_dataset(tmp_path / "a")
    assert dataset.versions == list(range(1, 10))
    assert sorted(dataset.to_table()["id"].to_pylist()) == list(range(90))
    assert [each.id for each in dataset.fragments] == list(range(9))


def test_early_names_of_manifests_are_kept(tmp_path: Path) -> None:
    """In a dataset whose manifests are named by version, new manifests are too."""
    lance.write_dataset(tmp_path / "a", rows(0, 9))
    (tmp_path / "a/_versions/18446744073709551614.manifest").rename(
        tmp_path / "a/_versions/1.manifest"
    )
    check(lance.write_dataset(tmp_path / "a", rows(9, 12), mode="append"), rows(0, 12))
    assert files(tmp_path / "a", "_versions") == ["1.manifest", "2.manifest"]


def test_features_that_are_not_written_are_refused(tmp_path: Path) -> None:
    """A dataset with a feature that byteloom cannot keep, such as other roots, is refused."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9))

    dataset.manifest.writer_feature_flags = 16
    put_manifest(tmp_path / "a", dataset.manifest)
    with pytest.raises(
        Unsupported, match=r"manifest\.writer_feature_flags: found the flags 16 \(base paths\)"
    ):
        dataset.newest().delete([1])


def test_datasets_are_written_to_filesystems_of_fsspec() -> None:
    """A dataset is written to an fsspec filesystem, which can create a file exclusively."""
    import fsspec

    memory = fsspec.filesystem("memory")
    dataset = lance.write_dataset("/a", rows(0, 30), filesystem=memory)
    dataset = lance.write_dataset("/a", rows(30, 40), mode="append", filesystem=memory)
    dataset = dataset.delete([0, 35]).drop_columns("text")
    check(dataset, pa.concat_tables([rows(1, 35), rows(36, 40)]).drop_columns(["text"]))
    with pytest.raises(AlreadyExists, match="there is a Lance dataset already"):
        lance.write_dataset("/a", rows(0, 30), filesystem=memory)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (lambda it: it.take([-1]), "rows: found -1, wanted 0 to 8"),
        (lambda it: it.delete([9]), "rows: found 9, wanted 0 to 8"),
        (
            lambda it: it.scan(["x"]),
            "columns: found 'x', wanted a column of the schema: id, text, list",
        ),
        (lambda it: it.scan(batch_size=0), "batch_size: found 0, wanted 1 or more"),
        (lambda it: it.scan(filter="x = 1"), "filter.column: found 'x', wanted a column of the"),
        (
            lambda it: it.scan(filter="list = 1"),
            "filter: found list, a column of list<item",
        ),
        (
            lambda it: it.drop_columns("x"),
            "columns: found 'x', wanted a column of the schema: id, text, list",
        ),
    ],
)
def test_wrong_arguments_do_not_blame_the_manifest(
    asked: Callable[[Dataset], object], problem: str, tmp_path: Path
) -> None:
    """Errors about arguments name the folder of the dataset, which the caller gave."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9))
    with pytest.raises(FormatError) as refused:
        asked(dataset)
    assert f"{refused.value}".startswith(f"{tmp_path / 'a'}: {problem}")


def test_a_filesystem_that_can_only_replace_files_is_refused(tmp_path: Path) -> None:
    """A filesystem that cannot create files exclusively, such as Arrow's, is refused."""
    arrow = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    with pytest.raises(Unsupported, match="found SubTreeFileSystem, wanted a local folder, S3"):
        lance.write_dataset("a", rows(0, 9), filesystem=arrow)
    assert not list(tmp_path.iterdir())


def test_indices_are_kept(tmp_path: Path) -> None:
    """The description of indices is carried into each new manifest, until all rows are replaced."""
    lance.write_dataset(tmp_path / "a", rows(0, 9))
    put_section(tmp_path / "a", 1, "index_section", b"what describes indices")
    indices = FramedMessage(message=b"what describes indices").to_bytes()
    dataset = lance.open_dataset(tmp_path / "a")
    with pytest.raises(
        Unsupported, match=r"manifest\.index_section: found indices, wanted a dataset without indic"
    ):
        dataset.drop_columns("id")
    dataset.delete([0])
    made = lance.write_dataset(tmp_path / "a", rows(9, 12), mode="append")
    assert (tmp_path / "a" / made.manifest_name).read_bytes().startswith(indices)
    assert made.manifest.HasField("index_section")
    assert made.manifest.index_section == 0
    assert made.manifest.transaction_file.startswith("2-")
    check(made, rows(1, 12))
    over = lance.write_dataset(tmp_path / "a", rows(0, 2), mode="overwrite")
    assert not over.manifest.HasField("index_section")


def test_the_next_version_has_all_that_the_manifest_had(tmp_path: Path) -> None:
    """A change keeps fields that byteloom does not know, in the manifest and in its fragments."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9), max_rows_per_file=5)
    unknown = bytes.fromhex("da3e0101")  # field 1003
    manifest = Manifest.parse(dataset.manifest.SerializeToString() + unknown, path="manifest")
    for number, each in enumerate(manifest.fragments):
        stored = DataFragment.parse(each.SerializeToString() + unknown, path="fragment")
        manifest.fragments[number].CopyFrom(stored)
    manifest.config["lance.auto_cleanup.interval"] = "20"
    manifest.table_metadata["owner"] = "ada"
    put_manifest(tmp_path / "a", manifest)
    lance.open_dataset(tmp_path / "a").delete([0])
    found = lance.open_dataset(tmp_path / "a").drop_columns("id").manifest
    assert unknown in found.SerializeToString()
    assert [unknown in each.SerializeToString() for each in found.fragments] == [True, True]
    assert dict(found.config) == {"lance.auto_cleanup.interval": "20"}
    assert dict(found.table_metadata) == {"owner": "ada"}


def test_what_describes_only_one_version_is_not_carried_over(tmp_path: Path) -> None:
    """The next version lacks the writer's prerelease, and places in the file of the last one."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9))
    manifest = dataset.manifest
    prerelease = b"\x1a\x05rc.17"
    manifest.writer_version.CopyFrom(Manifest.WriterVersion.parse(prerelease, path="writer"))
    manifest.version_aux_data = manifest.transaction_section = 1
    put_manifest(tmp_path / "a", manifest)
    found = dataset.newest().delete([0]).manifest
    assert prerelease not in found.SerializeToString()
    assert not found.version_aux_data
    assert not found.HasField("transaction_section")


def test_ids_of_fragments_are_used_once(tmp_path: Path) -> None:
    """A new fragment never has the id of a deleted one, though no manifest noted the largest."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9), max_rows_per_file=5)
    manifest = dataset.manifest
    manifest.ClearField("max_fragment_id")
    put_manifest(tmp_path / "a", manifest)
    dataset.newest().delete(range(5, 9))
    made = lance.write_dataset(tmp_path / "a", rows(9, 12), mode="append")
    assert [each.id for each in made.manifest.fragments] == [0, 2]


def test_a_manifest_says_what_wrote_it_and_what_readers_need(tmp_path: Path) -> None:
    """A manifest names byteloom and its version, and flags deleted rows while there are any."""
    dataset = lance.write_dataset(tmp_path / "a", rows(0, 9))
    first = dataset.manifest
    writer = first.writer_version
    assert (writer.library, writer.version) == ("byteloom", __version__)
    assert (first.reader_feature_flags, first.writer_feature_flags) == (0, 0)
    assert dataset.timestamp is not None
    assert abs(datetime.now(UTC) - dataset.timestamp) < timedelta(days=1)
    dataset = dataset.delete([0])
    second = dataset.manifest
    assert (second.reader_feature_flags, second.writer_feature_flags) == (1, 1)
    (fragment,) = second.fragments
    assert fragment.deletion_file.num_deleted_rows == 1
    assert fragment.deletion_file.read_version == 1
    third = dataset.delete(range(8)).manifest
    assert (third.reader_feature_flags, third.writer_feature_flags) == (0, 0)


class Overtaken(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A filesystem in which another writer is always first."""

    cachable = False

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        """Write a file; a manifest is that of the other writer."""
        super().pipe_file(path, value, mode=mode, **kwargs)
        if path.endswith(".manifest"):
            raise FileExistsError(path)


def test_writers_that_are_never_first_give_up(tmp_path: Path) -> None:
    """A writer that loses 20 races in a row raises `CommitConflict`."""
    place, memory = f"/{tmp_path.name}/a", MemoryFileSystem()
    lance.write_dataset(place, rows(0, 9), filesystem=memory)
    with pytest.raises(CommitConflict, match=r"a: 20 other writers were first$"):
        lance.write_dataset(place, rows(9, 12), mode="append", filesystem=Overtaken())
    assert lance.open_dataset(place, filesystem=memory).versions == list(range(1, 22))
    assert len(memory.ls(f"{place}/_transactions")) == 1


def test_rows_cannot_be_appended_to_another_schema(tmp_path: Path) -> None:
    """Appending is a conflict where another writer changed the schema, and leaves no file."""
    place = tmp_path / "a"
    dataset = lance.write_dataset(place, rows(0, 9))

    def batches() -> Iterator[pa.RecordBatch]:
        yield from rows(9, 12).to_batches()
        dataset.drop_columns(["text"])

    with pytest.raises(CommitConflict, match=r"a: another writer changed the schema$"):
        lance.write_dataset(place, batches(), mode="append")
    assert len(files(place, "data")) == 1


@pytest.mark.parametrize("version", ["", "0.1"])
def test_rows_of_early_versions_are_not_added_to(tmp_path: Path, version: str) -> None:
    """Rows and columns cannot be added to datasets of early versions; overwriting replaces them."""
    manifest = Manifest(version=1, fields=[lance_field("x", "int64")])
    manifest.data_format.version = version
    put_manifest(tmp_path, manifest)
    table = pa.table({"x": [1]})
    found = f"found {version}, " if version else ""
    wanted = rf"manifest\.data_format\.version: {found}wanted one of 2\.0, 2\.1, 2\.2$"
    with pytest.raises(Unsupported, match=wanted):
        lance.write_dataset(tmp_path, table, mode="append")
    with pytest.raises(Unsupported, match=wanted):
        lance.open_dataset(tmp_path).add_columns(pa.table({"y": [1]}))
    made = lance.write_dataset(tmp_path, table, mode="overwrite")
    assert (made.data_version, made.to_table().equals(table)) == ("2.2", True)
