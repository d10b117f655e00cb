"""Overlays of fragments: new values of some rows are read in place of those in data files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import change_manifest
from tests.support.lance_findings import findings, set_to
from tests.support.lance_overlays import bitmap, overlay, put_overlays

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom_generated.lance.table import DataOverlayFile, Manifest

ROWS = 6
NUMBERS = pa.table({"a": range(ROWS), "b": [f"b{each}" for each in range(ROWS)]})


def numbers(**columns: list[Any]) -> pa.Table:
    """Values of the columns of `NUMBERS`."""
    return pa.table(columns, pa.schema([NUMBERS.schema.field(name) for name in columns]))


def put(folder: Path, *overlays: DataOverlayFile, **settings: Any) -> lance.Dataset:
    """Add overlays, and open the dataset."""
    put_overlays(folder, *overlays, **settings)
    return lance.open_dataset(folder)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_new_values_are_read_everywhere(version: str, tmp_path: Path) -> None:
    """Tables, batches, rows by number, filters and counts have the values of overlays."""
    lance.write_dataset(tmp_path, NUMBERS, version=version)
    new = numbers(a=[40, None], b=["x", "y"])
    dataset = put(tmp_path, overlay(tmp_path, new, {0: 0, 1: 1}, [1, 4], files=version))
    want = numbers(a=[0, 40, 2, 3, None, 5], b=["b0", "x", "b2", "b3", "y", "b5"])
    assert dataset.to_table().equals(want)
    assert pa.Table.from_batches(dataset.scan(batch_size=2).batches()).equals(want)
    assert dataset.take([4, 0, 1, 4]).equals(want.take([4, 0, 1, 4]))
    assert dataset.scan(["b"], rows=range(3, 5)).to_table()["b"].to_pylist() == ["b3", "y"]
    assert dataset.to_table(filter="a = 40").to_pylist() == [{"a": 40, "b": "x"}]
    assert dataset.to_table(["b"], filter="a is null")["b"].to_pylist() == ["y"]
    assert (dataset.count(), dataset.count("a = 1"), dataset.count("a < 50")) == (ROWS, 0, 5)


def test_rows_with_new_values_are_bounded(tmp_path: Path) -> None:
    """Rows that have new values count against ``limits.elements``."""
    lance.write_dataset(tmp_path, numbers(a=list(range(ROWS))))
    new = numbers(a=list(range(ROWS, 2 * ROWS)))
    put_overlays(tmp_path, overlay(tmp_path, new, {0: 0}, range(ROWS)))
    assert lance.open_dataset(tmp_path, limits=Limits(elements=ROWS)).to_table().equals(new)
    with pytest.raises(LimitExceeded, match=r"coverage: found 6 rows, wanted at most 5 \(limits"):
        lance.open_dataset(tmp_path, limits=Limits(elements=ROWS - 1)).to_table()


def test_the_newest_of_several_values_holds(tmp_path: Path) -> None:
    """The overlay of the highest version holds, and of one version the last."""
    lance.write_dataset(tmp_path, NUMBERS)
    dataset = put(
        tmp_path,
        overlay(tmp_path, numbers(a=[10, 11, 12]), {0: 0}, [0, 1, 2], version=7),
        overlay(tmp_path, numbers(a=[21, 22, 23]), {0: 0}, [1, 2, 3], version=3),
        overlay(tmp_path, numbers(a=[32, 33, 34]), {0: 0}, [2, 3, 4], version=3),
    )
    want = [10, 11, 12, 33, 34, 5]
    assert dataset.to_table()["a"].to_pylist() == want
    assert dataset.take([3, 2])["a"].to_pylist() == [33, 12]


def test_fields_have_rows_of_their_own(tmp_path: Path) -> None:
    """With a bitmap for each field, a value is at the number of the field's own rows before it."""
    lance.write_dataset(tmp_path, NUMBERS)
    new = numbers(a=[40, 50], b=["x", "y"])
    dataset = put(tmp_path, overlay(tmp_path, new, {0: 0, 1: 1}, apart=[[4, 5], [0, 5]]))
    assert dataset.to_table()["a"].to_pylist() == [0, 1, 2, 3, 40, 50]
    assert dataset.to_table()["b"].to_pylist() == ["x", "b1", "b2", "b3", "b4", "y"]


def test_positions_count_deleted_rows(tmp_path: Path) -> None:
    """Overlays count rows as files have them; deleted rows stay deleted, other positions unused."""
    lance.write_dataset(tmp_path, NUMBERS, max_rows_per_file=4).delete([0, 2])
    new = overlay(tmp_path, numbers(a=[10, 11, 12, 99]), {0: 0}, [0, 1, 2, 1 << 31])
    dataset = put(tmp_path, new, version=2)
    assert dataset.to_table()["a"].to_pylist() == [11, 3, 4, 5]
    assert dataset.take([2, 0])["a"].to_pylist() == [4, 11]
    dataset = put(tmp_path, overlay(tmp_path, numbers(a=[50]), {0: 0}, [1]), fragment=1, version=2)
    assert dataset.to_table()["a"].to_pylist() == [11, 3, 4, 50]


def test_fields_of_structs_are_replaced_one_by_one(tmp_path: Path) -> None:
    """A field of a struct has new values of its own; where the struct is null stays as it is."""
    of = pa.struct([("p", pa.int64()), ("q", pa.struct([("r", pa.string())]))])
    rows = [None, {"p": 1, "q": {"r": "a"}}, {"p": 2, "q": {"r": "b"}}, {"p": 3, "q": None}]
    lance.write_dataset(tmp_path, pa.table({"s": pa.array(rows, of)}))
    part = pa.struct([("q", pa.struct([("r", pa.string())]))])
    new = pa.table({"s": pa.array([{"q": {"r": str(each)}} for each in range(4)], part)})
    dataset = put(tmp_path, overlay(tmp_path, new, {3: 0}, [0, 1, 3]))
    want: list[Any] = [None, {"p": 1, "q": {"r": "1"}}, rows[2], {"p": 3, "q": None}]
    assert dataset.to_table()["s"].to_pylist() == want
    assert dataset.to_table(["s.p"])["s"].to_pylist()[1] == {"p": 1}
    assert dataset.to_table(["s.q.r"])["s"].to_pylist()[1] == {"q": {"r": "1"}}
    assert dataset.count("s.q.r = '1'") == 1
    nothing = pa.StructArray.from_arrays([pa.array([7, 8])], ["p"], mask=pa.array([False, True]))
    dataset = put(tmp_path, overlay(tmp_path, pa.table({"s": nothing}), {1: 0}, [1, 2], version=3))
    want[1]["p"], want[2]["p"] = 7, None
    assert dataset.to_table()["s"].to_pylist() == want


NESTED = {
    "l": pa.array([[1], [2, 3], None, []], pa.list_(pa.int64())),
    "v": pa.FixedSizeListArray.from_arrays(pa.array(range(8), pa.int8()), 2),
    "d": pa.array(["x", "y", "x", None]).dictionary_encode(),
    "m": pa.array([[("k", 1)], [], None, [("k", 2)]], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize(
    ("name", "values", "fields"),
    [
        ("l", [[7, 8, 9], None], {1: 0}),
        ("v", [[7, 8], None], {0: 0}),
        ("d", ["z", None], {0: 0}),
        ("m", [[("k", 7), ("j", 8)], None], {2: 0, 3: 1}),
    ],
)
def test_nested_values_are_replaced_whole(
    name: str, values: list[Any], fields: dict[int, int], tmp_path: Path
) -> None:
    """Lists, vectors, dictionaries and maps have new values with all that is inside."""
    column = NESTED[name]
    lance.write_dataset(tmp_path, pa.table({name: column}))
    new = pa.table({name: pa.array(values, column.type)})
    dataset = put(tmp_path, overlay(tmp_path, new, fields, [0, 3], files="2.2"))
    want = [values[0], *column.to_pylist()[1:3], values[1]]
    assert dataset.to_table()[name].to_pylist() == want
    assert dataset.to_table()[name].type == column.type


def test_a_column_may_be_in_overlays_alone(tmp_path: Path) -> None:
    """Rows without a new value of a column that no data file has are null."""
    lance.write_dataset(tmp_path, NUMBERS)
    lance.write_dataset(tmp_path, NUMBERS.select(["a"]), mode="append")
    new = overlay(tmp_path, numbers(b=["x"]), {1: 0}, [2])
    dataset = put(tmp_path, new, fragment=1, version=2)
    assert dataset.to_table()["b"].to_pylist()[ROWS:] == [None, None, "x", None, None, None]


def one_more(message: DataOverlayFile) -> None:
    """Add a row without a value to those of an overlay."""
    message.shared_offset_bitmap = bitmap([1, 2, 4])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda it: it.ClearField("shared_offset_bitmap"), r"\.coverage: found nothing, wanted a"),
        (one_more, r"\.coverage: found 3 rows, wanted at most 2, as many as .*overlay-1\.lance"),
        (
            lambda it: setattr(it, "shared_offset_bitmap", bytes(8)),
            r"\.shared_offset_bitmap\.cookie at byte 0 .*: found 0, wanted 12346",
        ),
        (
            lambda it: it.field_coverage.offset_bitmaps.extend([b"", b"", b""]),
            r"\.field_coverage\.offset_bitmaps: found 3 bitmaps, wanted 2, one for each field",
        ),
        (
            lambda it: setattr(it.data_file, "path", "../x"),
            r"overlays\[0\]\.data_file\.path: found \.\./x",
        ),
        (lambda it: setattr(it.data_file, "path", "x"), r"data/x: No such file"),
    ],
)
def test_a_damaged_overlay_is_refused(
    change: Callable[[DataOverlayFile], None], problem: str, tmp_path: Path
) -> None:
    """An overlay without its rows, its file or enough values is refused by name."""
    lance.write_dataset(tmp_path, NUMBERS)
    message = overlay(tmp_path, numbers(a=[10, 20], b=["x", "y"]), {0: 0, 1: 1}, [1, 2])
    change(message)
    dataset = put(tmp_path, message)
    for read in (dataset.to_table, lambda: dataset.take([0]), lambda: dataset.count("a = 1")):
        with pytest.raises(ByteloomError, match=problem):
            read()


def test_an_overlay_of_part_of_a_list_is_refused(tmp_path: Path) -> None:
    """An overlay that has only some of the fields inside a list is refused."""
    items = pa.list_(pa.struct([("x", pa.int64()), ("y", pa.int64())]))
    lance.write_dataset(tmp_path, pa.table({"l": pa.array([[{"x": 1, "y": 2}]], items)}))
    new = pa.table({"l": [[{"x": 7}]]})
    with pytest.raises(Unsupported, match=r"an overlay without l\.item\.y, wanted one of all of l"):
        put(tmp_path, overlay(tmp_path, new, {2: 0}, [0])).to_table()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (pa.field("c", pa.large_binary(), metadata={"lance-encoding:blob": "true"}), b"x"),
        (pa.field("c", pa.struct([("x", pa.int64())]), metadata={"packed": "true"}), {"x": 7}),
    ],
)
def test_overlays_of_blobs_and_packed_structs_are_refused(
    field: pa.Field, value: Any, tmp_path: Path
) -> None:
    """New values of blobs and packed structs, which pylance does not read, are refused."""
    table = pa.table({"c": [value], "other": [1]}, pa.schema([field, ("other", pa.int64())]))
    lance.write_dataset(tmp_path, table)
    dataset = put(tmp_path, overlay(tmp_path, table.select(["c"]), {0: 0}, [0]))
    with pytest.raises(Unsupported, match=r"found an overlay of c, wanted an overlay of fields"):
        dataset.to_table(["c"])
    assert dataset.to_table(["other"])["other"].to_pylist() == [1]


@pytest.mark.parametrize(
    "change",
    [
        lambda place: lance.open_dataset(place).delete([0]),
        lambda place: lance.open_dataset(place).add_columns(pa.table({"c": range(ROWS)})),
        lambda place: lance.open_dataset(place).drop_columns(["a"]),
        lambda place: lance.write_dataset(place, NUMBERS, mode="append"),
        lambda place: lance.write_dataset(place, NUMBERS, mode="overwrite"),
    ],
)
def test_a_dataset_with_overlays_is_not_changed(
    change: Callable[[Path], object], tmp_path: Path
) -> None:
    """Changes of a dataset with overlays are refused before any file is written."""
    lance.write_dataset(tmp_path, NUMBERS)
    put(tmp_path, overlay(tmp_path, numbers(a=[10]), {0: 0}, [1]))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Unsupported, match=r"found the flags 64 \(data overlays\), wanted flags of"):
        change(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("flags", [128, 256, 1024])
def test_features_that_no_row_depends_on_are_read(flags: int, tmp_path: Path) -> None:
    """Rows are read of datasets with features of indices, and with files of several versions."""
    dataset = lance.write_dataset(tmp_path, NUMBERS)
    change_manifest(tmp_path, 1, lambda it: setattr(it, "reader_feature_flags", flags))
    assert dataset.newest().to_table().equals(NUMBERS)
    with pytest.raises(FormatError, match=rf"found the flags {flags} \([a-z ]+\), wanted flags"):
        dataset.newest().delete([0])


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (512, r"512 \(moved rows with stable row ids\)"),
        (1 | 2048 | 1 << 40, r"2048 \(semantic types\), 1099511627776 \(unknown\)"),
    ],
)
def test_features_that_are_not_read_are_named(flags: int, names: str, tmp_path: Path) -> None:
    """The error for flags that readers need names each of them by what it means."""

    def change(manifest: Manifest) -> None:
        manifest.reader_feature_flags = flags

    dataset = lance.write_dataset(tmp_path, NUMBERS)
    change_manifest(tmp_path, 1, change)
    with pytest.raises(Unsupported, match=rf"_flags at byte \d+ .*: found the flags {names}, want"):
        dataset.newest()


@pytest.mark.parametrize(
    ("path", "value", "finding"),
    [
        (
            "reader_feature_flags",
            0,
            r"manifest\.reader_feature_flags: found 0, wanted 64, since",
        ),
        (
            "fragments.0.overlays.0.committed_version",
            9,
            r"overlays\[0\]\.committed_version: found 9, wanted at most 1, the version: it hides",
        ),
        (
            "fragments.0.overlays.0.shared_offset_bitmap",
            bitmap([1, 6]),
            r"overlays\[0\]\.coverage: found 6, wanted positions below 6, the rows of the fragment",
        ),
        (
            "fragments.0.overlays.0.shared_offset_bitmap",
            bitmap([1, 2, 3]),
            r"overlays\[0\]\.coverage: found 3 rows, wanted at most 2, as many as",
        ),
        (
            "fragments.0.overlays.0.shared_offset_bitmap",
            b"",
            r"shared_offset_bitmap\.cookie at byte 0 .*: found 0 bytes left, wanted 4 bytes",
        ),
        ("fragments.0.overlays.0.data_file.path", "x", r"data/x: No such file or directory"),
    ],
)
def test_verify_finds_what_is_wrong_with_overlays(
    path: str, value: Any, finding: str, tmp_path: Path
) -> None:
    """Each slip in an overlay is found, and nothing in a sound one."""
    lance.write_dataset(tmp_path, NUMBERS, version="2.1")
    new = numbers(a=[10, 20], b=["x", "y"])
    put(tmp_path, overlay(tmp_path, new, {0: 0, 1: 1}, [1, 2], version=1))
    assert findings(tmp_path) == []
    change_manifest(tmp_path, 1, set_to(path, value))
    (found,) = findings(tmp_path)
    assert re.search(finding, str(found))
