"""Lance datasets: versions, fragments of several files, and rows across fragments."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem
from tests.support.lance_datasets import (
    fragment,
    integers,
    manifest_bytes,
    put_dataset,
    put_manifest,
)
from tests.support.lance_files import lance_field, lance_file
from tests.support.lance_pages import flat, no_nulls, page
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import (
    ByteloomError,
    FormatError,
    LimitExceeded,
    MissingFile,
    StorageError,
    Truncated,
    Unsupported,
)
from byteloom.limits import Limits
from byteloom_generated.lance.encodings20 import ArrayEncoding, SimpleStruct
from byteloom_generated.lance.table import BasePath, DataFragment, DeletionFile, Manifest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

X, Y = lance_field("x", "int64"), lance_field("y", "int64", 1)


def two_fragments(folder: Path) -> Path:
    """A dataset of 0 to 4 in two fragments; version 1 has the first alone."""
    first = fragment(folder, 0, 3, ([0], integers([X], [0, 1, 2])))
    second = fragment(folder, 1, 2, ([0], integers([X], [3, 4])))
    put_manifest(folder, Manifest(version=1, fields=[X], fragments=[first]))
    put_manifest(folder, Manifest(version=2, fields=[X], fragments=[first, second]))
    return folder


def put_tag(folder: Path, name: str, document: Any) -> None:
    """Write a tag into a dataset's folder."""
    place = folder / "_refs" / "tags" / f"{name}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(document if isinstance(document, str) else json.dumps(document))


# Versions


def test_the_newest_version_is_opened(tmp_path: Path) -> None:
    """Opening a dataset gives its newest version, whatever order the file names have."""
    dataset = lance.open_dataset(two_fragments(tmp_path))
    assert (dataset.version, dataset.versions, dataset.num_rows) == (2, [1, 2], 5)
    assert dataset.to_table()["x"].to_pylist() == [0, 1, 2, 3, 4]
    assert repr(dataset) == f"<Dataset {tmp_path}: version 2, 2 fragments>"


def test_both_ways_to_name_manifests_are_known(tmp_path: Path) -> None:
    """Manifests named by version are found like those named by distance from the largest number.

    Other files in their folder are ignored.
    """
    for number in (9, 10):
        put_manifest(tmp_path, Manifest(version=number, fields=[X]), newest_first=False)
    (tmp_path / "_versions" / "latest_version_hint.json").write_text("{}")
    assert lance.open_dataset(tmp_path).version == 10


def test_a_version_is_opened_by_number_or_tag(tmp_path: Path) -> None:
    """A version is opened by number or by tag, not by both."""
    two_fragments(tmp_path)
    put_tag(tmp_path, "first", {"version": 1, "manifestSize": 1, "branch": None})
    put_tag(tmp_path, "other", {"version": 1, "branch": "dev"})
    assert lance.open_dataset(tmp_path, version=1).count() == 3
    dataset = lance.open_dataset(tmp_path, tag="first")
    assert (dataset.version, dataset.tags) == (1, {"first": 1})
    with pytest.raises(FormatError, match=r"version: found 3, wanted one of its versions 1 to 2"):
        lance.open_dataset(tmp_path, version=3)
    with pytest.raises(FormatError, match=r"tag: found 'none', wanted one of first, other"):
        lance.open_dataset(tmp_path, tag="none")
    for given in ({"version": 1}, {"branch": "dev"}):
        wanted = (
            r"version, tag, branch: found .*, wanted a tag without version and branch, or no tag"
        )
        with pytest.raises(FormatError, match=wanted):
            lance.open_dataset(tmp_path, tag="first", **given)


def test_a_branch_has_versions_and_tags_of_its_own(tmp_path: Path) -> None:
    """A branch is opened by its name or by a tag of it; unknown ones are refused."""
    root = two_fragments(tmp_path)
    dataset = lance.open_dataset(root)
    changed = Manifest()
    changed.CopyFrom(lance.open_dataset(root, version=1).manifest)
    changed.version, changed.branch = 3, "dev/x"
    changed.base_paths.append(BasePath(id=4, is_dataset_root=True, path=str(root)))
    changed.fragments[0].files[0].base_id = 4
    changed.reader_feature_flags = changed.writer_feature_flags = 16
    put_manifest(root / "tree/dev/x", changed)
    (root / "_refs/branches").mkdir(parents=True)
    (root / "_refs/branches/dev%2Fx.json").write_text("{}")
    put_tag(root, "there", {"version": 3, "branch": "dev/x"})
    put_tag(root, "here", {"version": 1, "branch": None})
    for given in ({"branch": "dev/x"}, {"branch": "dev/x", "version": 3}, {"tag": "there"}):
        found = lance.open_dataset(root, **given)
        assert (found.branch, found.versions, found.tags) == ("dev/x", [3], {"there": 3})
        assert found.newest().branch == "dev/x"
        assert found.to_table()["x"].to_pylist() == [0, 1, 2]
    assert (dataset.branch, dataset.branches, dataset.tags) == ("", ["dev/x"], {"here": 1})
    with pytest.raises(
        Unsupported, match=r"writer_feature_flags: found the flags 16 \(base paths\), w"
    ):
        found.delete([0])
    with pytest.raises(FormatError, match=r"branch: found 'y', wanted one of dev/x$"):
        lance.open_dataset(root, branch="y")
    put_tag(root, "lost", {"version": 1, "branch": "../x"})
    (root / "_refs/branches/..%2Fx.json").write_text("{}")
    with pytest.raises(FormatError, match=r"branch: found '../x', wanted one of"):
        lance.open_dataset(root, tag="lost")


DETACHED = (1 << 63) + 7


def put_detached(folder: Path) -> Path:
    """Put a detached version that has only the second fragment of `two_fragments`."""
    two_fragments(folder)
    changed = Manifest()
    changed.CopyFrom(lance.open_dataset(folder).manifest)
    changed.version = DETACHED
    del changed.fragments[0]
    (folder / "_versions" / f"d{DETACHED}.manifest").write_bytes(manifest_bytes(changed))
    return folder


def test_a_detached_version_is_opened_by_its_number(tmp_path: Path) -> None:
    """A detached version is opened by its number or a tag, and is in no list of versions."""
    put_tag(put_detached(tmp_path), "apart", {"version": DETACHED})
    for given in ({"version": DETACHED}, {"tag": "apart"}):
        dataset = lance.open_dataset(tmp_path, **given)
        assert (dataset.version, dataset.versions) == (DETACHED, [1, 2])
        assert dataset.to_table()["x"].to_pylist() == [3, 4]
        assert dataset.newest().version == 2
    with pytest.raises(FormatError, match=r"found 9223372036854775816, wanted one of its versions"):
        lance.open_dataset(tmp_path, version=DETACHED + 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda dataset: dataset.delete([0]),
        lambda dataset: dataset.delete("x > 3"),
        lambda dataset: dataset.add_columns(pa.table({"y": [1, 2]})),
        lambda dataset: dataset.drop_columns(["x"]),
    ],
)
def test_no_version_follows_a_detached_one(
    change: Callable[[lance.Dataset], lance.Dataset], tmp_path: Path
) -> None:
    """Changes of a detached version are refused before any file is written."""
    before = sorted(put_detached(tmp_path).rglob("*"))
    with pytest.raises(
        Unsupported, match=r"manifest\.version: found the detached 9223372036854775"
    ):
        change(lance.open_dataset(tmp_path, version=DETACHED))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("document", ["{", "[]", "{}", '{"version": "1"}', '{"version": true}'])
def test_a_damaged_tag_is_refused(tmp_path: Path, document: str) -> None:
    """The error for a malformed tag names the tag's file."""
    put_tag(two_fragments(tmp_path), "bad", document)
    with pytest.raises(FormatError, match=r"_refs/tags/bad\.json"):
        lance.open_dataset(tmp_path, tag="bad")


def test_a_version_has_a_time(tmp_path: Path) -> None:
    """A version's timestamp has microseconds; one outside of the calendar is refused."""
    manifest = Manifest(version=1, fields=[X])
    put_manifest(tmp_path, manifest)
    assert lance.open_dataset(tmp_path).timestamp is None
    manifest.timestamp.seconds, manifest.timestamp.nanos = 1_700_000_000, 123_456_789
    put_manifest(tmp_path, manifest)
    expected = datetime(2023, 11, 14, 22, 13, 20, 123456, UTC)
    assert lance.open_dataset(tmp_path).timestamp == expected
    manifest.timestamp.seconds = 1 << 60
    put_manifest(tmp_path, manifest)
    with pytest.raises(
        FormatError, match=r"seconds: found \d+, wanted a moment of the years 1 to 9999$"
    ):
        _ = lance.open_dataset(tmp_path).timestamp


def test_a_table_of_another_format_is_no_dataset(tmp_path: Path) -> None:
    """The error for a table of another format has the command for it."""
    (tmp_path / ".hoodie").mkdir()
    with pytest.raises(FormatError, match=r"; it is a Hudi table, whose files `byteloom hudi fi"):
        lance.open_dataset(tmp_path)


def test_a_folder_without_manifests_is_no_dataset(tmp_path: Path) -> None:
    """The error for a folder without manifests says what a Lance dataset has."""
    with pytest.raises(FormatError, match=r"found no Lance dataset, wanted manifests in its fold"):
        lance.open_dataset(tmp_path)
    with pytest.raises(MissingFile, match=r"/x: No such file or directory, wanted manifests in"):
        lance.open_dataset(tmp_path / "x")


def test_messages_before_the_manifest_are_passed_over(tmp_path: Path) -> None:
    """A manifest is found after other messages in its file."""
    two_fragments(tmp_path)
    place = put_manifest(tmp_path, Manifest(version=3, fields=[X]))
    place.write_bytes(manifest_bytes(Manifest(version=3, fields=[X]), before=b"indices"))
    assert lance.open_dataset(tmp_path).version == 3


def test_unknown_flags_for_readers_are_refused(tmp_path: Path) -> None:
    """Unknown reader flags are refused and listed; unknown writer flags are ignored."""
    put_manifest(tmp_path, Manifest(version=1, reader_feature_flags=127, writer_feature_flags=4096))
    assert lance.open_dataset(tmp_path).version == 1
    put_manifest(tmp_path, Manifest(version=1, reader_feature_flags=1 | 4096 | 1 << 40))
    with pytest.raises(Unsupported, match=r"_flags at byte 4 .*: found the flags 4096 \(unknown"):
        lance.open_dataset(tmp_path)


def test_a_damaged_manifest_is_refused(tmp_path: Path) -> None:
    """Every truncated manifest is refused; a flipped bit gives an error or other rows, no crash."""
    place = put_manifest(two_fragments(tmp_path), Manifest(version=3, fields=[X, Y]))
    data = place.read_bytes()
    for size in range(len(data)):
        place.write_bytes(data[:size])
        with pytest.raises(ByteloomError, match=f"{place}"):
            lance.open_dataset(tmp_path)
    for at in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[at] ^= 1 << bit
            place.write_bytes(damaged)
            try:
                lance.open_dataset(tmp_path).to_table()
            except ByteloomError:
                continue


# Rows


def test_scans_go_across_fragments(tmp_path: Path) -> None:
    """Row ranges and row numbers count across fragments; a batch stays within one fragment."""
    dataset = lance.open_dataset(two_fragments(tmp_path))
    batches = [each["x"].to_pylist() for each in dataset.scan(batch_size=2).batches()]
    assert batches == [[0, 1], [2], [3, 4]]
    for start in range(6):
        for stop in range(start, 6):
            scan = dataset.scan(["x"], rows=range(start, stop))
            assert scan.to_table()["x"].to_pylist() == list(range(start, stop))
            assert scan.count() == scan.num_rows == stop - start
    assert dataset.take([4, 0, 3, 3])["x"].to_pylist() == [4, 0, 3, 3]
    assert dataset.take([]).schema == dataset.schema
    with pytest.raises(FormatError, match=r"rows: found 5, wanted 0 to 4"):
        dataset.take([5])


def test_rows_without_columns_are_counted(tmp_path: Path) -> None:
    """A table of no columns has the rows that were asked for, of all fragments."""
    dataset = lance.open_dataset(two_fragments(tmp_path))
    count = dataset.num_rows
    found = [
        dataset.to_table([]),
        dataset.scan([], rows=range(1, count - 1)).to_table(),
        dataset.take([count - 1, 0, 0], []),
    ]
    assert [(each.num_columns, each.num_rows) for each in found] == [
        (0, count),
        (0, count - 2),
        (0, 3),
    ]


def test_datasets_and_scans_are_arrow_streams(tmp_path: Path) -> None:
    """A dataset or a scan can be passed to any library that takes Arrow streams."""
    dataset = lance.open_dataset(two_fragments(tmp_path))
    assert pa.table(dataset).equals(dataset.to_table())
    scan = dataset.scan(["x"], rows=range(2, 4))
    assert pa.table(scan)["x"].to_pylist() == [2, 3]
    assert repr(scan) == f"<DatasetScan of {dataset!r}: 2 rows, 1 column>"


def test_a_dataset_without_rows_has_its_schema(tmp_path: Path) -> None:
    """A dataset without files has its schema and no rows."""
    dataset = put_dataset(tmp_path, [X, Y], schema_metadata={"a": b"b"})
    assert dataset.to_table().schema == dataset.schema
    assert dataset.schema.metadata == {b"a": b"b"}
    assert pa.table(dataset).shape == (0, 2)


def test_a_dataset_is_opened_in_a_filesystem(tmp_path: Path) -> None:
    """With a filesystem, the place of a dataset is a path in that filesystem."""
    two_fragments(tmp_path / "a")
    filesystem = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    assert lance.open_dataset("a", filesystem=filesystem).to_table().num_rows == 5


# Files of a fragment


def test_rows_of_several_files_match_by_position(tmp_path: Path) -> None:
    """Files of a fragment are joined row by row; a field that no file has is null."""
    z = lance_field("z", "int64", 2)
    both = fragment(tmp_path, 0, 2, ([0], integers([X], [1, 2])), ([1], integers([Y], [3, 4])))
    alone = fragment(tmp_path, 1, 1, ([0, 2], integers([X, z], [5], [6])))
    found = put_dataset(tmp_path, [Y, X], both, alone).to_table()
    assert found.to_pydict() == {"y": [3, 4, None], "x": [1, 2, 5]}


def test_fields_are_found_by_id(tmp_path: Path) -> None:
    """Fields are found by their ids, whatever their names in files; an id of -2 is never read."""
    old = lance_field("old", "int64")
    files = (([-2], integers([old], [7])), ([0], integers([old], [8])))
    rows = fragment(tmp_path, 0, 1, *files)
    assert put_dataset(tmp_path, [X], rows).to_table().to_pydict() == {"x": [8]}


def test_of_a_field_in_several_files_the_first_is_read(tmp_path: Path) -> None:
    """Where two files have the same field id, as releases through 0.10 wrote, the first counts."""
    files = (([0], integers([X], [1])), ([0, 1], integers([X, Y], [2], [3])))
    rows = fragment(tmp_path, 0, 1, *files)
    assert put_dataset(tmp_path, [X, Y], rows).to_table().to_pydict() == {"x": [1], "y": [3]}


def test_rows_that_no_file_has_are_bounded(tmp_path: Path) -> None:
    """Nulls of an added field, and deleted rows, count against ``limits.elements``."""
    rows = fragment(tmp_path, 0, 1 << 60)
    match = r"fragments\[0\]\.physical_rows: found 1152921504606846976, wanted at most 100000000 "
    with pytest.raises(LimitExceeded, match=match):
        put_dataset(tmp_path, [X], rows).to_table()
    rows = fragment(tmp_path, 0, 3)
    put_dataset(tmp_path, [X], rows)
    assert lance.open_dataset(tmp_path, limits=Limits(elements=3)).to_table().num_rows == 3
    with pytest.raises(LimitExceeded, match=r"physical_rows: found 3, wanted at most 2 "):
        lance.open_dataset(tmp_path, limits=Limits(elements=2)).to_table()


TO_EACH_ROW: list[Callable[[lance.Dataset], object]] = [
    lambda dataset: dataset.take_row_ids([0]),
    lambda dataset: dataset.delete([0]),
    lambda dataset: dataset.scan(["x"], with_row_id=True).to_table(),
    lambda dataset: dataset.scan(["x"], with_row_address=True).to_table(),
]


@pytest.mark.parametrize("use", TO_EACH_ROW)
def test_what_has_memory_for_each_row_is_bounded(
    tmp_path: Path, use: Callable[[lance.Dataset], object]
) -> None:
    """Ids, addresses, and rows that are left after others are deleted, count against the limit."""
    dataset = lance.write_dataset(tmp_path / "d", pa.table({"x": [1, 2, 3]}))
    with pytest.raises(LimitExceeded, match=r"physical_rows: found 3, wanted at most 2 "):
        use(lance.open_dataset(tmp_path / "d", limits=Limits(elements=2)))
    dataset.manifest.fragments[0].physical_rows = 1 << 60
    place = put_manifest(tmp_path / "e", dataset.manifest).parent.parent
    (tmp_path / "d" / "data").rename(place / "data")
    with pytest.raises(FormatError, match="physical_rows"):
        use(lance.open_dataset(place))


@pytest.mark.parametrize("use", TO_EACH_ROW)
def test_rows_up_to_the_bound_have_memory_for_each(
    tmp_path: Path, use: Callable[[lance.Dataset], object]
) -> None:
    """As many rows as ``limits.elements`` have ids and addresses, and are deleted."""
    lance.write_dataset(tmp_path / "d", pa.table({"x": [1, 2, 3]}))
    use(lance.open_dataset(tmp_path / "d", limits=Limits(elements=3)))


def test_rows_have_numbers_of_63_bits(tmp_path: Path) -> None:
    """A dataset may have 2^63 - 1 rows; one more is refused when rows are counted."""
    half = 1 << 62
    for first, is_read in ((half - 1, True), (half, False)):
        fragments = [fragment(tmp_path, 0, first), fragment(tmp_path, 1, half)]
        dataset = put_dataset(tmp_path, [X], *fragments)
        if is_read:
            assert dataset.count() == (1 << 63) - 1
            continue
        with pytest.raises(
            FormatError,
            match=r"manifest\.fragments\.physical_rows: found 9223372036854775808, wanted at",
        ):
            dataset.count()


def test_nulls_that_memory_has_no_room_for_are_refused(tmp_path: Path) -> None:
    """Nulls of a large fixed-size type are refused before they exhaust memory."""
    wide = lance_field("x", "fixed_size_list:int64:2147483647")
    rows = fragment(tmp_path, 0, 100_000_000)
    with pytest.raises(LimitExceeded, match=r"field: found 100000000 nulls of fixed_size_list<"):
        put_dataset(tmp_path, [wide], rows).to_table()


def test_children_of_a_struct_may_be_in_several_files(tmp_path: Path) -> None:
    """A struct is put together from files that each have some of its fields."""
    s, a, b = (
        lance_field("s", "struct"),
        lance_field("a", "int64", 1, parent_id=0),
        lance_field("b", "int64", 2, parent_id=0),
    )
    empty = page(2, ArrayEncoding(struct=SimpleStruct()))
    values = [page(2, no_nulls(flat(64)), bytes(each)) for each in (range(16), range(16, 32))]
    first = lance_file([s, a], [[empty], [values[0]]], rows=2)
    second = lance_file([s, b], [[empty], [values[1]]], rows=2)
    rows = fragment(tmp_path, 0, 2, ([0, 1], first), ([0, 2], second))
    found = put_dataset(tmp_path, [s, a, b], rows).to_table()["s"].combine_chunks()
    assert found.field("a").to_numpy().tobytes() == bytes(range(16))
    assert found.field("b").to_numpy().tobytes() == bytes(range(16, 32))


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_children_are_null_where_the_struct_in_their_file_is(tmp_path: Path, version: str) -> None:
    """The first file says where a struct is null; in another file its null ones have no values."""
    numbers, nulls = (
        pa.array([1, 2, 3]),
        [pa.array([row == at for row in range(3)]) for at in (0, 1)],
    )
    parts = [
        pa.StructArray.from_arrays([numbers], [name], mask=mask)
        for name, mask in zip("ab", nulls, strict=True)
    ]
    files = [
        ([each], written(pa.table({"s": part}), version)) for each, part in enumerate(parts, 1)
    ]
    rows = fragment(tmp_path, 0, 3, *files)
    fields = [lance_field("s", "struct", 0)]
    fields += [lance_field(name, "int64", at, parent_id=0) for at, name in enumerate("ab", 1)]
    found = put_dataset(tmp_path, fields, rows).to_table()["s"].to_pylist()
    assert found == [None, {"a": 2, "b": None}, {"a": 3, "b": 3}]


@pytest.mark.parametrize("files", [1, 2])
def test_children_of_a_struct_that_no_file_has_are_null(tmp_path: Path, files: int) -> None:
    """Fields that were added inside a struct later are null in older fragments."""
    s, a, b, c, d, e = (
        lance_field("s", "struct"),
        lance_field("a", "int64", 1, parent_id=0),
        lance_field("b", "struct", 2, parent_id=0),
        lance_field("c", "int64", 3, parent_id=2),
        lance_field("d", "int64", 4, parent_id=2),
        lance_field("e", "list", 5, parent_id=0),
    )
    empty = page(2, ArrayEncoding(struct=SimpleStruct()))
    values = [page(2, no_nulls(flat(64)), bytes(each)) for each in (range(16), range(16, 32))]
    first = lance_file([s, a], [[empty], [values[0]]], rows=2)
    second = lance_file([s, b, c], [[empty], [empty], [values[1]]], rows=2)
    parts = [([0, 1], first), ([0, 2, 3], second)][-files:]
    item = lance_field("item", "int64", 6, parent_id=5)
    rows = fragment(tmp_path, 0, 2, *parts)
    found = put_dataset(tmp_path, [s, a, b, c, d, e, item], rows).to_table()["s"].combine_chunks()
    assert found.field("a").null_count == (0 if files == 2 else 2)
    assert found.field("b").field("c").to_numpy().tobytes() == bytes(range(16, 32))
    assert found.field("b").field("d").to_pylist() == [None, None]
    assert found.field("e").to_pylist() == [None, None]


LIST = [lance_field("x", "list", 0), lance_field("item", "int64", 5, parent_id=0)]


def set_columns(*numbers: int) -> Callable[[DataFragment], None]:
    """Give the fields of the first file these columns."""

    def change(stored: DataFragment) -> None:
        stored.files[0].column_indices[:] = numbers

    return change


def set_rows(stored: DataFragment) -> None:
    """Give the fragment another number of rows."""
    stored.physical_rows = 3


def set_path(stored: DataFragment) -> None:
    """Give the file a name outside of the dataset."""
    stored.files[0].path = "../../x.lance"


@pytest.mark.parametrize(
    ("fields", "ids", "data", "change", "problem"),
    [
        (
            [X],
            [0],
            integers([X], [1, 2]),
            set_rows,
            r"manifest\.fragments\[0\]\.files\[0\]: found 2 rows in .*0-0\.lance, wanted 3",
        ),
        *(
            (
                [lance_field("x", "int64", 5)],
                [5],
                written(pa.table({"x": [1, 2]}), version),
                set_columns(1),
                r"0-0\.lance: manifest\.column_indices: found 1, wanted numbers below 1, that of ",
            )
            for version in ("2.0", "2.1")
        ),
        (
            [X, Y],
            [0, 1],
            integers([X, Y], [1, 2], [3, 4]),
            set_columns(1),
            r"manifest\.column_indices: found 1 columns, wanted 2, as many as fields",
        ),
        (
            LIST,
            [0, 5],
            integers(LIST[:1], [1, 2]),
            set_columns(0, -1),
            r"0-0\.lance: schema\.x\.item\.id: found 5, wanted the id of a field that has a column",
        ),
        ([X], [0], integers([X], [1, 2]), set_path, r"0\]\.files\.path: found \.\./\.\./x\.lance"),
    ],
    ids=["rows", "column 2.0", "column 2.1", "columns", "items", "name"],
)
def test_a_file_that_is_not_what_the_manifest_says_is_refused(  # noqa: PLR0917  a case, as it is listed
    fields: list[Any],
    ids: list[int],
    data: bytes,
    change: Callable[[DataFragment], None],
    problem: str,
    tmp_path: Path,
) -> None:
    """Other rows, columns that are not there, and names that lead out of the folder are refused."""
    rows = fragment(tmp_path, 0, 2, (ids, data))
    change(rows)
    with pytest.raises(FormatError, match=problem):
        put_dataset(tmp_path, fields, rows).to_table()


def test_the_manifest_says_which_column_has_which_field(tmp_path: Path) -> None:
    """The ids in a data file mean nothing: fields are in the columns that the manifest names.

    A field without a column, and one whose column is no longer used, are null.
    """
    fields = [lance_field(name, "int64", number) for number, name in enumerate("abc")]
    data = integers(fields[:2], [1, 2], [3, 4])
    rows = [fragment(tmp_path, number, 2, (ids, data)) for number, ids in enumerate([[1, 0]] * 3)]
    rows[1].files[0].fields[:] = [-2, 2]
    rows[2].files[0].column_indices[:] = [-1, 1]
    found = put_dataset(tmp_path, fields, *rows)
    assert found.to_table().to_pydict() == {
        "a": [3, 4, None, None, 3, 4],
        "b": [1, 2, None, None, None, None],
        "c": [None, None, 3, 4, None, None],
    }
    assert found.take([4, 0], ["b", "a"]).to_pydict() == {"b": [None, 1], "a": [3, 3]}
    assert found.scan(["a"], filter="c = 4 or b = 1").to_table().to_pydict() == {"a": [3, None]}
    assert found.count("a > 3") == 2


def test_fields_of_structs_are_where_the_manifest_says(tmp_path: Path) -> None:
    """The children of a struct are in any columns of the file, beside columns of no field."""
    inner = pa.struct([("y", pa.string()), ("x", pa.int64())])
    values = [{"unused": 0.5, "x": 7, "y": "u"}, {"unused": 0.25, "x": 8, "y": "v"}]
    rows = fragment(tmp_path, 0, 2, ([12, 11], written(pa.table({"z": values}), "2.1")))
    rows.files[0].column_indices[:] = [2, 1]
    fields = [
        lance_field("s", "struct", 10),
        lance_field("y", "string", 12, parent_id=10),
        lance_field("x", "int64", 11, parent_id=10),
    ]
    found = put_dataset(tmp_path, fields, rows).to_table()
    assert found.schema.field("s").type == inner
    assert found["s"].to_pylist() == [{"y": "u", "x": 7}, {"y": "v", "x": 8}]


def test_many_columns_are_where_the_manifest_says(tmp_path: Path) -> None:
    """Columns that are decoded together come in the order of the dataset, not of the file."""
    names = [f"c{number}" for number in range(40)]
    stored = pa.table({name: [number, -number] for number, name in enumerate(names)})
    ids = list(range(39, -1, -1))
    rows = [fragment(tmp_path, 0, 2, (ids, written(stored, "2.1")))]
    rows.append(fragment(tmp_path, 1, 2, (ids[::-1], written(stored, "2.1"))))
    fields = [lance_field(name, "int64", number) for number, name in enumerate(names)]
    found = put_dataset(tmp_path, fields, *rows).to_table().to_pydict()
    assert found == {
        name: [39 - number, number - 39, number, -number] for number, name in enumerate(names)
    }


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    """A missing data file is an error only when its rows are read, and the error names it."""
    two_fragments(tmp_path)
    (tmp_path / "data" / "1-0.lance").unlink()
    dataset = lance.open_dataset(tmp_path)
    assert dataset.scan(rows=range(3)).to_table().num_rows == 3
    with pytest.raises(MissingFile, match=r"1-0\.lance"):
        dataset.to_table()


def test_rows_before_a_file_of_another_type_are_read(tmp_path: Path) -> None:
    """A file that stores a column as another type is refused after the rows of fragments before."""
    two_fragments(tmp_path)
    values = lance_field("x", "float")
    (tmp_path / "data" / "1-0.lance").write_bytes(integers([values], [3, 4]))
    dataset = lance.open_dataset(tmp_path)
    for scan in (dataset.scan(), dataset.scan(filter="x >= 0"), dataset.scan([], filter="x >= 0")):
        batches = scan.batches()
        assert next(batches).num_rows == 3
        with pytest.raises(FormatError, match=r"1-0\.lance: schema\.x\.logical_type: found float"):
            next(batches)


def test_early_manifests_leave_the_number_of_rows_to_files(tmp_path: Path) -> None:
    """Where a manifest has no row count, as through release 0.8, the data file's counts."""
    rows = fragment(tmp_path, 0, 0, ([0], integers([X], [1, 2])))
    assert put_dataset(tmp_path, [X], rows).count() == 2


def test_files_may_be_below_other_roots(tmp_path: Path) -> None:
    """A base path is the root of a dataset, with files in ``data``, or the folder of the files."""
    rows = fragment(tmp_path / "base", 0, 1, ([0], integers([X], [1])))
    for name, is_root in (("base", True), ("base/data", False)):
        rows.files[0].base_id = 5
        path = BasePath(id=5, path=str(tmp_path / name), is_dataset_root=is_root)
        found = put_dataset(tmp_path / "clone", [X], rows, base_paths=[path])
        assert found.to_table().num_rows == 1
    rows.files[0].base_id = 6
    with pytest.raises(FormatError, match=r"manifest\.base_paths: found no id 6, wanted no ids"):
        put_dataset(tmp_path / "clone", [X], rows).to_table()


def test_files_below_other_roots_can_be_confined(tmp_path: Path) -> None:
    """With `allow`, files of base paths must be below one of the prefixes, links followed."""
    rows = fragment(tmp_path / "base", 0, 1, ([0], integers([X], [1])))
    rows.files[0].base_id = 5
    path = BasePath(id=5, path=str(tmp_path / "base"), is_dataset_root=True)
    place = tmp_path / "clone"
    put_dataset(place, [X], rows, base_paths=[path])
    for allow in ([str(tmp_path)], ["/else", f"{tmp_path}/base/data"]):
        found = lance.open_dataset(place, allow=allow)
        assert found.newest().to_table().num_rows == found.to_table().num_rows == 1
    for allow in ([], [str(place)], [f"{tmp_path}/bas"]):
        with pytest.raises(StorageError, match=r"/base/data/.*: not allowed, wanted "):
            lance.open_dataset(place, allow=allow).newest().to_table()
    (file,) = (tmp_path / "base/data").iterdir()
    file.rename(tmp_path / "other.lance")
    file.symlink_to(tmp_path / "other.lance")
    assert lance.open_dataset(place).to_table().num_rows == 1
    with pytest.raises(StorageError, match=rf"/base/data/{file.name}: not allowed, wanted "):
        lance.open_dataset(place, allow=[tmp_path / "base"]).to_table()


def test_deletions_below_other_roots_can_be_confined(tmp_path: Path) -> None:
    """With `allow`, a file of deletions is read from allowed base paths alone."""
    rows = fragment(tmp_path / "clone", 0, 2, ([0], integers([X], [1, 2])))
    rows.deletion_file.CopyFrom(DeletionFile(id=1, read_version=1, num_deleted_rows=1, base_id=5))
    path = BasePath(id=5, path=str(tmp_path / "base"), is_dataset_root=True)
    put_dataset(tmp_path / "clone", [X], rows, base_paths=[path])
    with pytest.raises(StorageError, match=r"/base/_deletions/.*: not allowed, wanted "):
        lance.open_dataset(tmp_path / "clone", allow=[tmp_path / "clone"]).to_table()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (manifest_bytes(Manifest(version=1))[:-3], r"b'\\x00\\x02\\x00L' at its end"),
        (b"ARROW1 ARROW1", "an Arrow IPC file"),
        (integers([X], [1]), "a Lance file of version 2.0, which has rows"),
    ],
)
def test_other_files_in_the_place_of_a_manifest_are_named(
    data: bytes, found: str, tmp_path: Path
) -> None:
    """A manifest that was cut, or overwritten by another file, is an error with its name."""
    place = put_manifest(tmp_path, Manifest(version=1))
    place.write_bytes(data)
    wanted = "wanted a manifest, which ends in b'LANC': its end is missing, or it is another file"
    with pytest.raises(FormatError, match=rf"{place.name}: manifest: found {found}, {wanted}"):
        lance.open_dataset(tmp_path)


def test_a_manifest_is_as_long_as_its_tail(tmp_path: Path) -> None:
    """The end of a manifest has 16 bytes, of which the magic alone may be there."""
    put_manifest(tmp_path, Manifest(version=1)).write_bytes(b"\0\0\2\0LANC")
    with pytest.raises(Truncated, match="legacy_tail: found 8 bytes, wanted at least 16 bytes in"):
        lance.open_dataset(tmp_path)


def test_a_manifest_in_the_place_of_a_file_with_rows_is_named(tmp_path: Path) -> None:
    """A manifest that is opened as a file, or overwrote one, is an error that says what it is."""
    manifest = put_manifest(two_fragments(tmp_path), Manifest(version=3, fields=[X, Y]))
    said = (
        r"metadata at byte \d+ \(0x\w+\): found the manifest of version 3 of a dataset, "
        r"wanted a file with rows; byteloom\.lance\.open_dataset opens datasets"
    )
    with pytest.raises(FormatError, match=f"{manifest.name}: {said}"):
        lance.open(manifest)
    (tmp_path / "data" / "1-0.lance").write_bytes(manifest.read_bytes())
    with pytest.raises(FormatError, match=rf"1-0\.lance: {said}"):
        lance.open_dataset(tmp_path, version=2).to_table()
