"""Reading JSON as text, and the bytes of blobs, of Lance datasets beside pylance.

    make peers && make bench ONLY=lance_rich

- 200,000 documents of some 100 bytes, and 2,000 blobs of each of three sizes, which pylance keeps
  in the column's pages, packed into files of many, or in a file each.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.bench.bench_lance import compare

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pylance")]

DOCUMENTS, BLOBS = 200_000, 2_000


def peer_module() -> Any:
    """The peer, whose types are stricter than what it takes."""
    return import_module("lance")


def documents(random: np.random.Generator) -> list[str]:
    """Texts of JSON as an event log has them."""
    numbers, kinds = random.integers(0, 1 << 40, DOCUMENTS), random.integers(0, 5, DOCUMENTS)
    return [
        json.dumps(
            {"id": number, "kind": f"kind {kind}", "x": number / 7, "tags": ["a", kind], "ok": True}
        )
        for number, kind in zip(numbers.tolist(), kinds.tolist(), strict=True)
    ]


def test_json(tmp_path: Path) -> None:
    """Prints the times to scan documents, and to take 1,000 of them."""
    pylance, random = peer_module(), np.random.default_rng(7)
    place = str(tmp_path / "json.lance")
    values = pa.ExtensionArray.from_storage(pa.json_(), pa.array(documents(random)))
    table = pa.Table.from_arrays([values], schema=pa.schema([("j", pa.json_())]))
    pylance.write_dataset(table, place, data_storage_version="2.2")
    rows = random.integers(0, DOCUMENTS, 1_000).tolist()
    ours, theirs = lance.open_dataset, pylance.dataset
    mine = ours(place).take(rows)["j"].to_pylist()
    assert mine == theirs(place).take(rows)["j"].to_pylist()
    compare(
        "JSON: scan of 0.2 million",
        lambda: ours(place).to_table(),
        lambda: theirs(place).to_table(),
    )
    compare(
        "JSON: 1,000 random rows of 0.2 million",
        lambda: ours(place).take(rows),
        lambda: theirs(place).take(rows),
    )


@pytest.mark.parametrize("size", [1_000, 100_000, 1_000_000])
def test_blobs(size: int, tmp_path: Path) -> None:
    """Prints the times to read the bytes of blobs, all of them and 100 by their rows."""
    pylance, random = peer_module(), np.random.default_rng(7)
    place, count = str(tmp_path / "blobs.lance"), min(BLOBS, 200_000_000 // size)
    schema = pa.schema([("id", pa.int64()), pylance.blob_field("b")])
    values = [range(count), pylance.blob_array([random.bytes(size) for _ in range(count)])]
    pylance.write_dataset(pa.table(values, schema=schema), place, data_storage_version="2.2")
    rows = np.sort(random.choice(count, 100, replace=False)).tolist()

    def ours() -> lance.Dataset:
        return lance.open_dataset(place)

    def scan() -> pa.Table:
        return ours().to_table(["b"], with_blob_bytes=True)

    def their_scan() -> pa.Table:
        return pylance.dataset(place).scanner(["b"], blob_handling="all_binary").to_table()

    def take() -> list[Any]:
        found: list[Any] = ours().take(rows, ["b"], with_blob_bytes=True)["b"].to_pylist()
        return found

    def their_take() -> list[bytes]:
        found = pylance.dataset(place).take_blobs("b", indices=rows)
        return [each.readall() for each in found]

    assert take() == their_take()
    assert scan()["b"].to_pylist() == their_scan()["b"].to_pylist()
    compare(f"{count:,} blobs of {size:,} bytes: scan", scan, their_scan)
    compare(f"100 of {count:,} blobs of {size:,} bytes", take, their_take)
