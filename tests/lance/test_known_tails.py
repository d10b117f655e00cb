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
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path


VERSIONS = ["2.0", "2.1", "2.2"]


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


@pytest.mark.parametrize("version", VERSIONS)
def test_each_field_keeps_its_own_reader(version: str, tmp_path: Path) -> None:
    """Fragments that end alike give the rows of the columns that are asked for, in any order."""
    table = pa.table({"a": np.arange(900) << 40, "b": [f"{each:04}" for each in range(900)]})
    place = tmp_path / "table.lance"
    lance.write_dataset(place, table, max_rows_per_file=90, version=version)
    for names in (["a"], ["b"], ["b", "a"], ["a", "b"]):
        found = lance.open_dataset(place).to_table(names)
        assert found.combine_chunks() == table.select(names).combine_chunks()
