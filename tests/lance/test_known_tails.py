"""Files that end alike share what is read from their ends; all others are read by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import ByteloomError
from byteloom.lance import reader_choice
from byteloom.lance import tail as tails
from byteloom.lance.reader_choice import reader_of
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.lance.field_reading import FileField
    from byteloom.lance.fields import Field
    from byteloom.lance.stored_columns import StoredColumns

VERSIONS = ["2.0", "2.1", "2.2"]


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without known tails."""
    monkeypatch.setattr(tails, "_tails", {})
    monkeypatch.setattr(tails, "_lengths", [])


def numbers(first: int, version: str = "2.1") -> bytes:
    """A file of 1,000 numbers; all of them end with the same bytes."""
    return written(pa.table({"c": values(first)}), version)


def values(first: int) -> np.ndarray:
    """Numbers that no encoding makes shorter."""
    return np.random.default_rng(first).integers(-(1 << 62), 1 << 62, 1000)


@pytest.mark.parametrize("version", VERSIONS)
def test_files_that_end_alike_share_their_tail(version: str) -> None:
    """The end of the second file is not parsed; each file has its own values all the same."""
    one, two = numbers(0, version), numbers(5000, version)
    with lance.open(one) as first, lance.open(two) as second:
        assert second.tail is first.tail
        assert second.to_table()["c"].to_pylist() == values(5000).tolist()
        assert first.to_table()["c"].to_pylist() == values(0).tolist()
        assert second.columns() == first.columns()


def test_a_file_of_another_size_has_its_own_tail() -> None:
    """The same last bytes in a longer file mean other places, which are refused if wrong."""
    data = numbers(0)
    with lance.open(data) as first:
        assert first.to_table().num_rows == 1000
    with pytest.raises(ByteloomError):
        lance.open(b"\0" * 64 + data)


def test_a_damaged_end_is_refused_after_a_sound_one() -> None:
    """Each bit of the metadata counts: no damaged file is taken for the sound one before it."""
    data = numbers(0)
    with lance.open(data) as sound:
        start = min(each.offset for each in sound.tail.columns)
    for at in range(start, len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1
        try:
            with lance.open(bytes(damaged)) as file:
                assert file.tail is not sound.tail
        except ByteloomError:
            continue


def test_other_limits_are_obeyed() -> None:
    """A tail that was read under other limits is read again."""
    data = numbers(0)
    with lance.open(data) as file:
        size = file.tail.buffers[0].size
    with pytest.raises(ByteloomError, match=r"limits\.metadata_size"):
        lance.open(data, limits=replace(DEFAULT_LIMITS, metadata_size=size - 1))
    with lance.open(data, limits=replace(DEFAULT_LIMITS, metadata_size=size)) as again:
        assert again.tail is not file.tail


def test_few_tails_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest tail makes way, and a long one is not kept at all."""
    monkeypatch.setattr(tails, "_MOST", 2)
    for rows in (1, 300, 5000):
        lance.open(written(pa.table({"c": np.arange(rows)}), "2.1")).close()
    with lance.open(written(pa.table({"c": np.arange(5000)}), "2.1")) as newest:
        assert newest.tail in [tail for _, tail in tails._tails.values()]
    assert len(tails._tails) == 2
    lance.open(written(pa.table({f"c{i}": [i] for i in range(300)}), "2.1")).close()
    assert len(tails._tails) == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_each_field_keeps_its_own_reader(version: str, tmp_path: Path) -> None:
    """Fragments that end alike give the rows of the columns that are asked for, in any order."""
    table = pa.table({"a": np.arange(900) << 40, "b": [f"{each:04}" for each in range(900)]})
    place = tmp_path / "table.lance"
    lance.write_dataset(place, table, max_rows_per_file=90, version=version)
    for names in (["a"], ["b"], ["b", "a"], ["a", "b"]):
        found = lance.open_dataset(place).to_table(names)
        assert found.combine_chunks() == table.select(names).combine_chunks()


def test_a_dataset_that_is_opened_again_has_its_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers are made once for equal fields; one that differs gets its own."""
    made: list[str] = []

    def noted(file: StoredColumns, field: Field) -> FileField:
        made.append(field.name)
        return reader_of(file, field)

    monkeypatch.setattr(reader_choice, "reader_of", noted)
    place = tmp_path / "table.lance"
    lance.write_dataset(place, pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}))
    for _ in range(2):
        assert lance.open_dataset(place).take([2, 0])["b"].to_pylist() == ["z", "x"]
        assert made == ["a", "b"]
    (data,) = (place / "data").iterdir()
    with lance.open(data) as file:
        file.reader(replace(file.fields[0], nullable=False))
        file.reader(replace(file.fields[1], name="c"))
    assert made == ["a", "b", "a", "c"]
