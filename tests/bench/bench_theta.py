"""Sketching columns, beside the fastest Python loop over datasketches."""

from typing import Any

import datasketches
import numpy as np
import pyarrow as pa
import pytest
from tests.support.speed import Side, compared, of_package, seconds

from byteloom.puffin.theta import ThetaSketch


def update_all(values: list[Any]) -> None:
    """The fastest possible loop over the library's Python binding."""
    update = datasketches.update_theta_sketch().update
    for value in values:
        update(value)


def show(what: str, column: Any, some: list[Any]) -> None:
    """Compare sketches of a column with the peer's of a part of it, given as a list."""
    compared(
        what,
        "M values/s",
        Side("byteloom", seconds(lambda: ThetaSketch.from_arrow(column)), len(column) / 1e6),
        of_package(
            "datasketches", "datasketches", seconds(lambda: update_all(some)), len(some) / 1e6
        ),
    )


def integers(count: int, distinct: int) -> pa.Array:
    """Random integers."""
    return pa.array(np.random.default_rng(9001).integers(0, distinct, count))


@pytest.mark.bench
@pytest.mark.parametrize("distinct", [1 << 60, 1_000], ids=["all distinct", "a thousand distinct"])
def test_int64(distinct: int) -> None:
    """Prints how fast 20 million int64 are sketched; the peer has its Python list already."""
    column = integers(20_000_000, distinct)
    some = column.slice(0, 2_000_000).to_pylist()
    name = "all" if distinct > len(column) else f"{distinct:,}"
    show(f"sketch of 20 million int64, {name} distinct", column, some)


@pytest.mark.bench
def test_strings() -> None:
    """Prints how fast 5 million short strings are sketched; the peer has its list already."""
    column = pa.array([f"user-{i}" for i in integers(5_000_000, 10**9).to_pylist()])
    some = column.slice(0, 1_000_000).to_pylist()
    show("sketch of 5 million short strings", column, some)


@pytest.mark.bench
def test_batches() -> None:
    """Prints how fast 20 million int64 are sketched in batches of 65,536."""
    column = integers(20_000_000, 1 << 60)
    chunks = pa.chunked_array([column.slice(at, 65_536) for at in range(0, len(column), 65_536)])
    some = column.slice(0, 2_000_000).to_pylist()
    show("sketch of 20 million int64 in batches of 65,536", chunks, some)


@pytest.mark.bench
def test_union() -> None:
    """Prints how fast a thousand sketches of a million values become one estimate."""
    pieces = [
        ThetaSketch.from_arrow(integers(1_000_000, 1 << 60)).to_bytes() for _ in range(3)
    ] * 333

    def peer_union() -> None:
        union = datasketches.theta_union()
        for piece in pieces:
            union.update(datasketches.compact_theta_sketch.deserialize(piece))
        union.get_result()

    def union() -> None:
        ThetaSketch.union(map(ThetaSketch.from_bytes, pieces))

    compared(
        "union of 1,000 sketches, from their bytes, a sketch",
        "us",
        Side("byteloom", seconds(union), len(pieces)),
        of_package("datasketches", "datasketches", seconds(peer_union), len(pieces)),
    )
