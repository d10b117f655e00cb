"""Deletion vectors of ten million positions, compared with pyiceberg's."""

from typing import Any

import numpy as np
import pytest
from pyiceberg.table.deletion_vector import DeletionVector as Peer
from pyiceberg.table.deletion_vector import _extract_vector_payload
from tests.support.speed import Side, compared, of_package, seconds

from byteloom.puffin.deletion_vector import DeletionVector

ROWS = 100_000_000


@pytest.fixture(scope="module")
def positions() -> Any:
    """Ten million of a hundred million rows, at random."""
    return np.flatnonzero(np.random.default_rng(1).random(ROWS) < 0.1)


@pytest.mark.bench
def test_blob_to_mask(positions: Any) -> None:
    """Prints how fast a blob becomes a mask over all rows of the file, here and in pyiceberg."""
    blob = DeletionVector.from_positions(positions).to_bytes()

    def by_peer() -> Any:
        vector = Peer("file", Peer._deserialize_bitmap(_extract_vector_payload(blob))).to_vector()
        mask = np.zeros(ROWS, np.bool_)
        mask[vector.to_numpy()] = True
        return mask

    def by_us() -> Any:
        return DeletionVector.from_bytes(blob).mask(0, ROWS)

    assert (by_us() == by_peer()).all()
    compared(
        "deletion vector of 10 million positions, to a mask",
        "ms",
        Side("byteloom", seconds(by_us)),
        of_package("PyIceberg", "pyiceberg", seconds(by_peer)),
    )


@pytest.mark.bench
def test_positions_to_blob(positions: Any) -> None:
    """Prints how fast positions become bytes, here and in the bitmap library of pyiceberg."""
    from pyroaring import BitMap

    compared(
        "deletion vector of 10 million positions, to bytes",
        "ms",
        Side("byteloom", seconds(lambda: DeletionVector.from_positions(positions).to_bytes())),
        of_package("pyroaring", "pyroaring", seconds(lambda: BitMap(positions).serialize())),
    )
