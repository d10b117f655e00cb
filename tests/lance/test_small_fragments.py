"""Many small fragments, and wide ones, have the rows that were written, in all ways to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference

from byteloom import lance
from byteloom.errors import ByteloomError
from byteloom.iceberg import col

if TYPE_CHECKING:
    from pathlib import Path

ROWS, FRAGMENTS = 10, 150


def table() -> pa.Table:
    """Numbers, text, and structs with null numbers."""
    count = ROWS * FRAGMENTS
    numbers = np.arange(count)
    inner = pa.array(numbers, mask=numbers % 3 == 0)
    structs = pa.StructArray.from_arrays([inner, pa.array(numbers % 5)], ["a", "b"])
    texts = [f"text {each}" for each in numbers.tolist()]
    return pa.table({"n": numbers, "t": texts, "s": structs})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of many fragments."""
    folder = tmp_path_factory.mktemp("lance") / "small.lance"
    lance.write_dataset(folder, table(), max_rows_per_file=ROWS)
    return folder


def test_all_ways_to_read_give_what_was_written(place: Path) -> None:
    """A table, batches, a range, row numbers and a filter all give the written rows."""
    rows, expected = lance.open_dataset(place), table()
    assert len(rows.fragments) == FRAGMENTS
    assert difference(rows.to_table(), expected) is None
    assert difference(pa.Table.from_batches(rows.scan(batch_size=7).batches()), expected) is None
    assert difference(rows.scan(rows=range(5, 1_234)).to_table(), expected[5:1_234]) is None
    numbers = [1_499, 3, 700, 701, 3]
    assert difference(rows.take(numbers), expected.take(numbers)) is None
    found = rows.to_table(["t"], filter=col("n") >= 1_490)
    assert difference(found, expected.select(["t"])[1_490:]) is None


def test_live_rows_of_small_fragments_are_read(tmp_path: Path) -> None:
    """Live rows are read where fragments have lost some of their rows, and one has lost all."""
    folder = tmp_path / "deleted.lance"
    gone = [*range(0, ROWS * FRAGMENTS, 9), *range(40, 50)]
    rows = lance.write_dataset(folder, table(), max_rows_per_file=ROWS).delete(sorted({*gone}))
    kept = np.delete(np.arange(ROWS * FRAGMENTS), gone)
    expected = table().take(pa.array(kept))
    assert difference(rows.to_table(), expected) is None
    assert difference(rows.take([0, 30, 900]), expected.take([0, 30, 900])) is None


@pytest.mark.parametrize("damage", ["gone", "cut short", "flipped"])
def test_a_damaged_fragment_is_refused_after_the_rows_before_it(
    damage: str, tmp_path: Path
) -> None:
    """Rows before a damaged fragment are read first; then the error names its file."""
    folder = tmp_path / "damaged.lance"
    rows = lance.write_dataset(folder, table().select(["n"]), max_rows_per_file=ROWS)
    name = rows.fragments[20].stored.files[0].path
    path = folder / "data" / name
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        # The file begins with the size of its one chunk.
        path.write_bytes(data[:-9] if damage == "cut short" else bytes([data[0] ^ 0x80]) + data[1:])
    seen: list[int] = []

    def read_all() -> None:
        for batch in lance.open_dataset(folder).scan().batches():
            seen.extend(batch["n"].to_pylist())

    with pytest.raises(ByteloomError, match=name):
        read_all()
    assert seen == list(range(20 * ROWS))


def test_damage_in_one_of_several_files_of_a_fragment_names_the_file(tmp_path: Path) -> None:
    """The error for a damaged file of an added column names that file."""
    folder = tmp_path / "added.lance"
    rows = lance.write_dataset(folder, table().select(["n"]))
    rows = rows.add_columns(table().select(["t"]))
    name = rows.fragments[0].stored.files[1].path
    path = folder / "data" / name
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 0x80]) + data[1:])
    with pytest.raises(ByteloomError, match=name):
        lance.open_dataset(folder).to_table()
    with pytest.raises(ByteloomError, match=name):
        lance.open_dataset(folder).take([3])


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_wide_fragments_are_read_one_by_one(version: str, tmp_path: Path) -> None:
    """Columns of a wide fragment come without readers, those of deleted rows too, as written."""
    random = np.random.default_rng(5)
    columns = {f"n{at}": pa.array(random.integers(0, 1 << at % 60, 90)) for at in range(200)}
    columns |= {f"t{at}": pa.array([f"{at} {each}" for each in range(90)]) for at in range(100)}
    wide = pa.table(columns)
    place = tmp_path / "wide.lance"
    dataset = lance.write_dataset(place, wide, max_rows_per_file=30, version=version)
    rows = [80, 3, 31, 30, 3]
    for step in range(2):
        assert difference(dataset.to_table(), wide) is None
        assert difference(dataset.scan(rows=range(5, 71)).to_table(), wide.slice(5, 66)) is None
        batches = pa.Table.from_batches(dataset.scan(batch_size=8).batches())
        assert difference(batches, wide) is None
        assert difference(dataset.take(rows), wide.take(rows)) is None
        assert difference(dataset.take([3, 31]), wide.take([3, 31])) is None
        if step == 0:
            dataset = dataset.delete([7, 31, 80])
            wide = wide.take(pa.array(np.delete(np.arange(90), [7, 31, 80])))
