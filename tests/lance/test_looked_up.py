"""Rows of text in dictionaries of several pages of 2.0 are taken as from each page alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 9000


def few(*, has_nulls: bool) -> tuple[pa.Table, bytes]:
    """Texts of which there are few, other ones in each part, and the file of them."""
    numbers = np.random.default_rng(3).integers(0, 20, ROWS)
    texts = [f"value {n + at // 1000}" for at, n in enumerate(numbers.tolist())]
    values = [None if has_nulls and at % 7 == 0 else each for at, each in enumerate(texts)]
    table = pa.table({"c": values})
    return table, written(table, "2.0", page_size=table.nbytes // 8)


@pytest.mark.parametrize("has_nulls", [False, True])
@pytest.mark.parametrize("count", [2, 5000])
def test_rows_of_several_dictionaries_are_taken(
    has_nulls: bool, count: int, tmp_path: Path
) -> None:
    """Rows of several pages with dictionaries, and of the last one without, are as written."""
    table, data = few(has_nulls=has_nulls)
    rows = np.append(np.linspace(0, ROWS - 1000, count).astype(np.int64), ROWS - 1)
    (tmp_path / "few.lance").write_bytes(data)
    with lance.open(tmp_path / "few.lance") as file:
        assert len(file.columns()[0].pages) >= 5
        for asked in (rows[:-1], rows):
            found = file.take(asked)
            found.validate(full=True)
            assert difference(found, table.take(pa.array(asked))) is None


@pytest.mark.parametrize("has_nulls", [False, True])
def test_damage_of_a_dictionary_is_named_as_if_its_page_were_read_alone(
    has_nulls: bool, tmp_path: Path
) -> None:
    """Damage gives the same error, or the same rows, as where rows of one page are taken."""
    _, sound = few(has_nulls=has_nulls)
    with lance.open(sound) as file:
        pages = file.columns()[0].pages
    places = [place for each in pages for place in each.buffers]
    bounds = [each.first for each in pages] + [ROWS]
    rows = np.arange(0, ROWS, 3)
    cuts = [rows[(rows >= first) & (rows < last)] for first, last in pairwise(bounds)]
    random = np.random.default_rng(7)
    refused = 0
    for number in range(90):
        at, size = places[number % len(places)]
        data = bytearray(sound)
        data[at + int(random.integers(0, size))] ^= 1 << int(random.integers(0, 8))
        (tmp_path / "damaged.lance").write_bytes(data)
        results = []
        for parts in ([rows], cuts):
            try:
                with lance.open(tmp_path / "damaged.lance") as file:
                    taken = [file.take(each)["c"].to_pylist() for each in parts]
                results.append(repr([each for part in taken for each in part]))
            except ByteloomError as error:
                results.append(str(error))
        assert results[0] == results[1]
        refused += "wanted" in results[0]
    assert refused > 10
