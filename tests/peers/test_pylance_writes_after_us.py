"""We and pylance change the same dataset in turns, and both read every version alike."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.pylance_files import column

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

NAMES = ("int32", "text", "struct", "list", "vector", "dictionary", "structs", "few texts")


def peer_module() -> Any:
    """The peer, whose types are stricter than what it takes."""
    return import_module("lance")


def rows_of(start: int, count: int) -> pa.Table:
    """Numbered rows with nulls."""
    columns = {name: column(name, count, 0.2, seed=start) for name in NAMES}
    return pa.table({"id": range(start, start + count), **columns})


def check(place: Path) -> None:
    """Compare what both read of the newest version, whole, by numbers, and by a filter."""
    peer, ours = peer_module().dataset(str(place)), lance.open_dataset(place)
    assert peer.version == ours.version
    table = ours.to_table()
    assert difference(peer.to_table(), table) is None
    assert peer.count_rows() == ours.count() == len(table)
    some = list(range(0, len(table), 7))
    assert difference(peer.take(some), ours.take(some)) is None
    found = peer.to_table(filter="id % 5 = 0")["id"].to_pylist()
    assert found == [each for each in table["id"].to_pylist() if each % 5 == 0]
    peer.validate()


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_changes_in_turns(version: str, tmp_path: Path) -> None:
    """After each change, by us or by pylance in turns, both read the same rows."""
    place, peer = tmp_path / "a", peer_module()
    lance.write_dataset(place, rows_of(0, 300), version=version, max_rows_per_file=100)
    check(place)
    peer.write_dataset(rows_of(300, 50), str(place), mode="append")
    check(place)
    peer.dataset(str(place)).delete("id % 7 = 3")
    check(place)
    lance.open_dataset(place).delete([0, 5, 120, 290])
    check(place)
    peer.dataset(str(place)).add_columns({"twice": "id * 2"})
    check(place)
    dataset = lance.open_dataset(place)
    numbers = pa.array(range(dataset.num_rows), pa.int64())
    dataset.add_columns(pa.table({"n": numbers, "l": pa.array([[n] for n in range(len(numbers))])}))
    check(place)
    peer.dataset(str(place)).drop_columns(["text"])
    check(place)
    dataset = lance.open_dataset(place).drop_columns(["twice", "list"])
    check(place)
    more = dataset.take(range(40))
    lance.write_dataset(place, more, mode="append")
    check(place)
    peer.write_dataset(more, str(place), mode="append")
    check(place)
    peer.dataset(str(place)).optimize.compact_files()
    check(place)
    lance.write_dataset(place, rows_of(7, 9), mode="overwrite")
    check(place)
    peer.write_dataset(rows_of(9, 20), str(place), mode="append")
    check(place)


def test_a_dataset_that_pylance_began_is_changed(tmp_path: Path) -> None:
    """We change a dataset that pylance created, and later versions keep its index."""
    place, peer = tmp_path / "a", peer_module()
    dataset = peer.write_dataset(rows_of(0, 300), str(place), max_rows_per_file=100)
    dataset.create_scalar_index("id", "BTREE")
    check(place)
    lance.write_dataset(place, rows_of(300, 50), mode="append")
    check(place)
    lance.open_dataset(place).delete([3, 310])
    check(place)
    assert [each.name for each in peer.dataset(str(place)).describe_indices()] == ["id_idx"]


def test_rows_keep_their_ids_in_turns(tmp_path: Path) -> None:
    """Ids and versions of rows that we append or change are those that pylance goes on with."""
    place, peer = tmp_path / "a", peer_module()
    peer.write_dataset(rows_of(0, 30), str(place), enable_stable_row_ids=True)
    lance.write_dataset(place, rows_of(30, 20), mode="append", max_rows_per_file=15)
    check(place)
    peer.write_dataset(rows_of(50, 5), str(place), mode="append")
    lance.open_dataset(place).delete([1, 31, 52])
    dataset = lance.open_dataset(place).add_columns(pa.table({"n": range(52)}))
    check(place)
    peer.dataset(str(place)).update({"n": "7"}, where="id in (2, 33, 54)")
    peer.dataset(str(place)).optimize.compact_files()
    check(place)
    names = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    found = peer.dataset(str(place)).to_table(names).sort_by("id")
    assert found["_rowid"].to_pylist() == found["id"].to_pylist()
    created = [1] * 29 + [2] * 19 + [3] * 4
    assert found["_row_created_at_version"].to_pylist() == created
    assert set(found["_row_last_updated_at_version"].to_pylist()) == {5, 6}
    ours = lance.open_dataset(place)
    assert ours.take_row_ids([54, 0], ["id", "n"]).to_pydict() == {"id": [54, 0], "n": [7, 0]}
    assert dataset.version == 5


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_rows_that_lack_fields_are_appended_in_turns(version: str, tmp_path: Path) -> None:
    """Columns, and fields of structs and lists of structs, that appended rows lack are null."""
    place, peer = tmp_path / "a", peer_module()
    structs = pa.array([{"p": 1, "q": {"u": 1, "v": "x"}}] * 30)
    lists = pa.array(
        [[{"p": n, "q": [n]}, {"p": 2, "q": []}] if n % 3 else None for n in range(30)]
    )
    rows = {"id": range(30), "s": structs, "l": lists, "t": pa.array(["t"] * 30)}
    lance.write_dataset(place, pa.table(rows), version=version)
    parts = [
        {"id": range(30, 45)},
        {"id": range(45, 50), "t": ["x"] * 5},
        {"id": range(50, 53), "s": pa.array([{"q": {"v": "y"}}] * 3)},
        {"l": pa.array([[{"q": [7]}], [{"q": None}], None]), "id": range(53, 56)},
        {"l": pa.array([[{"p": 7}], []]), "s": pa.array([{"p": 1}] * 2), "id": range(56, 58)},
    ]
    for each in parts:
        lance.write_dataset(place, pa.table(each), mode="append")
        check(place)
        peer.write_dataset(pa.table(each), str(place), mode="append")
        check(place)
    lance.open_dataset(place).delete([3, 31, 60])
    check(place)
    if version > "2.0":  # whose files cannot have null structs
        peer.dataset(str(place)).optimize.compact_files()
        check(place)


EMPTY = pa.binary(0)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([], EMPTY),
        pa.array([b""] * 3000, EMPTY),
        pa.array([b"", None] * 300, EMPTY),
        pa.array([None] * 3, EMPTY),
        pa.array([[b"", None], [], None], pa.list_(EMPTY)),
        pa.array([{"z": b""}, None], pa.struct([("z", EMPTY)])),
    ],
)
def test_values_without_bytes_are_read(values: pa.Array, tmp_path: Path) -> None:
    """Columns of `fixed_size_binary(0)`, which pylance writes in version 2.2, are read."""
    table = pa.table({"z": values, "n": range(len(values))})
    peer = peer_module().write_dataset(table, str(tmp_path / "a"), data_storage_version="2.2")
    ours = lance.open_dataset(tmp_path / "a")
    assert difference(ours.to_table(), peer.to_table()) is None
    some = list(range(0, len(values), 2))
    assert difference(ours.take(some), peer.take(some)) is None


@pytest.mark.parametrize(
    "values", [pa.string(), pa.large_string(), pa.binary(), pa.int64()], ids=str
)
def test_dictionaries_of_version_0_1_outlive_changes(values: pa.DataType, tmp_path: Path) -> None:
    """Deleted rows and dropped columns leave the values of dictionaries, for both and in turns."""
    place, peer = tmp_path / "a", peer_module()
    words = pa.array([b"12345", b"6", b"789-789"], pa.binary())
    words = pa.array([12345, 6, 789]) if pa.types.is_integer(values) else words.cast(values)
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1] * 3, pa.int8()), words)
    second = pa.DictionaryArray.from_arrays(pa.array([1, 0] * 6, pa.int16()), words[1:])
    table = pa.table({"id": range(12), "first": first, "second": second, "other": range(12)})
    peer.write_dataset(table, str(place), data_storage_version="legacy", max_rows_per_file=5)
    lance.open_dataset(place).delete([0, 7])
    check(place)
    lance.open_dataset(place).drop_columns(["other"])
    check(place)
    peer.dataset(str(place)).delete("id = 3")
    check(place)
    lance.open_dataset(place).drop_columns(["first"])
    check(place)
    right = table.take([1, 2, 4, 5, 6, 8, 9, 10, 11]).select(["id", "second"])
    assert lance.open_dataset(place).to_table().to_pydict() == right.to_pydict()
    assert lance.open_dataset(place, version=1).to_table().to_pydict() == table.to_pydict()


def test_dictionaries_and_indices_of_version_0_1_outlive_a_change(tmp_path: Path) -> None:
    """A manifest that refers to dictionaries and to indices keeps both when rows are deleted."""
    place, peer = tmp_path / "a", peer_module()
    words = pa.array(["ab", "c", "ab", "d"]).dictionary_encode()
    table = pa.table({"id": range(4), "word": words})
    made = peer.write_dataset(table, str(place), data_storage_version="legacy")
    made.create_scalar_index("id", "BTREE")
    lance.open_dataset(place).delete([2])
    check(place)
    found = peer.dataset(str(place))
    assert len(found.describe_indices()) == 1
    assert found.to_table(filter="id >= 1")["word"].to_pylist() == ["c", "d"]
