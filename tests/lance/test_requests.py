"""Files in a store are read in few requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = "/store/rows.lance"


@pytest.fixture
def store() -> Iterator[Any]:
    """A store in memory."""
    found = fsspec.filesystem("memory")
    yield found
    found.store.clear()


@pytest.fixture
def requests(store: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The first byte and the number of bytes of each request to the store."""
    asked: list[tuple[int, int]] = []
    fetch = store.cat_file

    def counted(path: str, start: int, end: int) -> bytes:
        asked.append((start, end - start))
        return bytes(fetch(path, start=start, end=end))

    monkeypatch.setattr(store, "cat_file", counted)
    return asked


def opened(store: Any, table: pa.Table, version: str, **settings: Any) -> lance.LanceFile:
    """A file in the store."""
    with store.open(PLACE, "wb") as file:
        file.write(written(table, version, **settings))
    return lance.open(PLACE, filesystem=store)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wide_file_takes_a_request_for_its_end_and_one_for_its_pages(
    version: str, store: Any, requests: list[tuple[int, int]]
) -> None:
    """A file of 300 columns, whose pages are adjacent, is read by at most three requests."""
    random = np.random.default_rng(3)
    table = pa.table({f"c{each}": random.integers(0, 1 << 60, 900) for each in range(300)})
    with opened(store, table, version) as file:
        assert difference(file.to_table(), table) is None
        assert file.size > 2_000_000
    assert len(requests) <= 3


@pytest.mark.parametrize("columns", ["ab", "abcd"])
@pytest.mark.parametrize("version", VERSIONS)
def test_large_pages_of_columns_are_fetched_in_one_request(
    version: str, columns: str, store: Any, requests: list[tuple[int, int]]
) -> None:
    """The large pages that a batch needs come in one request, and none is made before."""
    random = np.random.default_rng(3)
    table = pa.table({name: random.integers(0, 1 << 62, 200_000) for name in columns})
    with opened(store, table, version, page_size=400_000) as file:
        pages = len(file.columns()[0].pages)
        batches = file.scan(batch_size=1_000).batches()
        requests.clear()
        next(batches)
        assert len(requests) == 1
        rest = pa.Table.from_batches(batches)
    assert difference(rest, table[1_000:]) is None
    assert len(requests) <= pages
    assert sum(size for _, size in requests) < 1.1 * table.nbytes


def test_rows_are_taken_without_their_whole_pages(
    store: Any, requests: list[tuple[int, int]]
) -> None:
    """Taking two rows reads less than a tenth of the bytes of the table."""
    random = np.random.default_rng(3)
    table = pa.table({name: random.integers(0, 1 << 62, 200_000) for name in "ab"})
    with opened(store, table, "2.2") as file:
        requests.clear()
        assert difference(file.take([7, 8]), table.take([7, 8])) is None
    assert sum(size for _, size in requests) < table.nbytes // 10
