"""Sketching columns, beside the fastest Python loop over datasketches."""

from typing import Any

import datasketches
import numpy as np
import pyarrow as pa
import pytest
from tests.support.timing import best

from byteloom.puffin.theta import ThetaSketch


def update_all(values: list[Any]) -> None:
    """The fastest loop there is over the library's Python binding."""
    update = datasketches.update_theta_sketch().update
    for value in values:
        update(value)


def tell(what: str, ours: float, peer: float) -> None:
    """Print both speeds, in million values a second, and the ratio."""
    print(
        f"\n{what}: byteloom {ours:.0f} M/s, datasketches {peer:.1f} M/s, ratio {ours / peer:.1f}"
    )


def integers(count: int, distinct: int) -> pa.Array:
    """Random integers."""
    return pa.array(np.random.default_rng(9001).integers(0, distinct, count))


@pytest.mark.bench
@pytest.mark.parametrize("distinct", [1 << 60, 1_000], ids=["all distinct", "a thousand distinct"])
def test_int64(distinct: int) -> None:
    """20 million int64 from Arrow; the peer gets its Python list for nothing."""
    column = integers(20_000_000, distinct)
    some = column.slice(0, 2_000_000).to_pylist()
    ThetaSketch.from_arrow(column.slice(0, 200_000))
    ours = len(column) / best(lambda: ThetaSketch.from_arrow(column), 3) / 1e6
    peer = len(some) / best(lambda: update_all(some), 3) / 1e6
    tell("int64", ours, peer)


@pytest.mark.bench
def test_strings() -> None:
    """5 million short strings from Arrow; the peer gets its Python list for nothing."""
    column = pa.array([f"user-{i}" for i in integers(5_000_000, 10**9).to_pylist()])
    some = column.slice(0, 1_000_000).to_pylist()
    ThetaSketch.from_arrow(column.slice(0, 200_000))
    ours = len(column) / best(lambda: ThetaSketch.from_arrow(column), 3) / 1e6
    peer = len(some) / best(lambda: update_all(some), 3) / 1e6
    tell("strings", ours, peer)


@pytest.mark.bench
def test_batches() -> None:
    """20 million int64 in batches of 65,536, as a Parquet reader hands them on."""
    column = integers(20_000_000, 1 << 60)
    chunks = pa.chunked_array([column.slice(at, 65_536) for at in range(0, len(column), 65_536)])
    some = column.slice(0, 2_000_000).to_pylist()
    ThetaSketch.from_arrow(column.slice(0, 200_000))
    ours = len(column) / best(lambda: ThetaSketch.from_arrow(chunks), 3) / 1e6
    peer = len(some) / best(lambda: update_all(some), 3) / 1e6
    tell("batches", ours, peer)


@pytest.mark.bench
def test_union() -> None:
    """A thousand sketches of a million values each, from their bytes to one estimate."""
    pieces = [
        ThetaSketch.from_arrow(integers(1_000_000, 1 << 60)).to_bytes() for _ in range(3)
    ] * 333

    def peer_union() -> None:
        union = datasketches.theta_union()
        for piece in pieces:
            union.update(datasketches.compact_theta_sketch.deserialize(piece))
        union.get_result()

    ours = best(lambda: ThetaSketch.union(map(ThetaSketch.from_bytes, pieces)), 3)
    peer = best(peer_union, 3)
    each, other = 1e6 * ours / len(pieces), 1e6 * peer / len(pieces)
    print(f"\nunion: byteloom {each:.0f} us, datasketches {other:.0f} us, ratio {peer / ours:.2f}")
