"""Data files with columns in an order of their own, which only the manifest says, are read."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_tables import difference

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

PAIRS = {"2.0": (2, 0), "2.1": (2, 1), "2.2": (2, 2)}
INNER = pa.struct([("x", pa.int64()), ("y", pa.string())])
FIRST = pa.table(
    {
        "a": [1, 2],
        "s": pa.array([{"x": 1, "y": "p"}, {"x": 2, "y": "q"}], INNER),
        "l": [[1], [2, 3]],
        "b": ["u", "v"],
    }
)
OTHER = pa.table(
    {
        "b": ["U", "V"],
        "l": [[7], [8, 9]],
        "s": [{"y": "P", "x": 5}, {"y": "Q", "x": 6}],
        "a": [3, 4],
    }
)
SOME = pa.table({"b": ["U", "V"], "unused": [9, 9], "a": [3, 4]})


def data_file(
    place: Path, name: str, table: pa.Table, mapping: tuple[Sequence[int], Sequence[int]], on: str
) -> Any:
    """A file with rows, as a writer outside of a dataset makes it, and its description."""
    (place / "data").mkdir(parents=True, exist_ok=True)
    path = str(place / "data" / name)
    with import_module("lance.file").LanceFileWriter(path, table.schema, version=on) as writer:
        writer.write_batch(table)
    return import_module("lance.fragment").DataFile(name, *mapping, *PAIRS[on])


def check(place: Path) -> None:
    """Compare all rows, some of them, a filter and a part of a struct with those of pylance."""
    peer, ours = import_module("lance").dataset(str(place)), lance.open_dataset(place)
    assert difference(peer.to_table(), ours.to_table()) is None
    assert difference(peer.take([3, 1, 3]), ours.take([3, 1, 3])) is None
    wanted = "a >= 3 or b = 'v'"
    found = ours.to_table(["b", "a"], filter=wanted)
    assert difference(peer.to_table(columns=["b", "a"], filter=wanted), found) is None
    assert ours.count("a >= 3") == peer.count_rows("a >= 3")


CASES_20 = [
    (OTHER, [6, 4, 5, 1, 3, 2, 0], [0, 1, 2, 3, 4, 5, 6]),
    (OTHER, [0, 1, 2, 3, 4, 5, 6], [6, 3, 5, 4, 1, 2, 0]),
    (OTHER, [-2, 4, 5, 1, 3, 2, 0], [0, 1, 2, 3, 4, 5, 6]),
    (OTHER, [6, 4, 5, 1, 3, 2, 0], [-1, 1, 2, 3, 4, 5, 6]),
    (SOME, [6, 0], [0, 2]),
]
CASES_21 = [
    (OTHER, [6, 5, 3, 2, 0], [0, 1, 2, 3, 4]),
    (OTHER, [6, 4, 5, 1, 3, 2, 0], [0, -1, 1, -1, 2, 3, 4]),
    (OTHER, [0, 2, 3, 5, 6], [4, 3, 2, 1, 0]),
    (OTHER, [-2, 5, 3, 2, 0], [0, 1, 2, 3, 4]),
    (OTHER, [6, 5, -2, 2, 0], [0, 1, 2, 3, 4]),
    (OTHER.select(["s"]), [3, 2], [0, 1]),
    (SOME, [6, 0], [0, 2]),
]


@pytest.mark.parametrize(
    ("version", "table", "ids", "columns"),
    [("2.0", *each) for each in CASES_20]
    + [(version, *each) for version in ("2.1", "2.2") for each in CASES_21],
)
def test_a_file_in_an_order_of_its_own_is_appended(
    version: str, table: pa.Table, ids: list[int], columns: list[int], tmp_path: Path
) -> None:
    """Appended files have columns in any order, unused ones, and fields without a column."""
    place, peer = tmp_path / "a", import_module("lance")
    peer.write_dataset(FIRST, str(place), data_storage_version=version)
    file = data_file(place, "appended.lance", table, (ids, columns), version)
    made = import_module("lance.fragment").FragmentMetadata(1, [file], 2)
    peer.LanceDataset.commit(str(place), peer.LanceOperation.Append([made]), read_version=1)
    check(place)
    lance.open_dataset(place).delete([1])
    lance.open_dataset(place).add_columns(pa.table({"more": [0.5, 1.5, 2.5]}))
    peer, ours = peer.dataset(str(place)), lance.open_dataset(place)
    assert difference(peer.to_table(), ours.to_table()) is None


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_replaced_columns_are_read(version: str, tmp_path: Path) -> None:
    """A file that replaces two columns of another file has them in its own order."""
    place, peer = tmp_path / "a", import_module("lance")
    made = peer.write_dataset(pa.table({"a": range(4)}), str(place), data_storage_version=version)
    made.add_columns(pa.table({"b": pa.array([5, 6, 7, 8]), "c": pa.array([1, 2, 3, 4])}))
    table = pa.table({"b": pa.array([50, 60, 70, 80]), "c": pa.array([10, 20, 30, 40])})
    file = data_file(place, "replaced.lance", table, ([1, 2], [0, 1]), version)
    group = peer.LanceOperation.DataReplacementGroup(0, file)
    operation = peer.LanceOperation.DataReplacement([group])
    peer.LanceDataset.commit(str(place), operation, read_version=made.version)
    check_rows = lance.open_dataset(place).to_table()
    assert difference(peer.dataset(str(place)).to_table(), check_rows) is None
    assert check_rows["c"].to_pylist() == [10, 20, 30, 40]
