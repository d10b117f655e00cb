"""Columns have the same metadata and errors, whether they are read together or alone."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.errors import ByteloomError


def table(rows: int = 40) -> pa.Table:
    """Four columns of different types."""
    numbers = pa.array(range(rows))
    return pa.table({"a": numbers, "b": numbers, "c": [f"{n}" for n in range(rows)], "d": numbers})


def outcome(data: bytes, *reads: list[int]) -> list[Any] | str:
    """The columns of one read after the other, or the first error."""
    found: list[Any] = []
    try:
        with lance.open(data) as file:
            for each in reads:
                found += file.columns(each)
    except ByteloomError as error:
        return str(error)
    return found


@pytest.mark.parametrize("page_size", [1 << 20, 100])
@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_columns_are_those_that_are_read_alone(version: str, page_size: int) -> None:
    """All columns, and some that do not follow one another, are equal to those read alone."""
    data = written(table(), version, page_size=page_size)
    alone = outcome(data, [0], [1], [2], [3])
    assert len(alone) == 4
    assert outcome(data, [0, 1, 2, 3]) == alone
    assert outcome(data, [3, 0]) == [alone[3], alone[0]]
    assert outcome(data, [1, 3]) == [alone[1], alone[3]]


@pytest.mark.parametrize("page_size", [1 << 20, 200])
@pytest.mark.parametrize("bit", [1, 8, 128])
def test_damage_has_the_error_of_the_column_alone(bit: int, page_size: int) -> None:
    """A bit that is flipped anywhere in the metadata has the same outcome as column by column."""
    data = written(table(), "2.1", page_size=page_size)
    with lance.open(data) as file:
        extents = file.tail.columns
        first, last = extents[0].offset, extents[-1].offset + extents[-1].size
    errors = 0
    for at in range(first, last):
        damaged = bytearray(data)
        damaged[at] ^= bit
        alone = outcome(bytes(damaged), [0], [1], [2], [3])
        assert outcome(bytes(damaged), [0, 1, 2, 3]) == alone
        errors += isinstance(alone, str)
    assert errors > 20
