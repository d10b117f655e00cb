"""Bounds of estimates agree with their distributions and with DataSketches."""

import math
import struct

import datasketches
import numpy as np
import pytest

from byteloom.puffin import ThetaSketch

THETAS = [1e-6, 0.001, 0.02, 0.1, 0.3, 0.7, 0.99]


def at_least(kept: int, trials: int, theta: float) -> float:
    """Return how often a binomial sample keeps *kept* or more."""
    return 1 - sum(
        math.comb(trials, i) * theta**i * (1 - theta) ** (trials - i) for i in range(kept)
    )


def ours(kept: int, theta: float) -> ThetaSketch:
    """Return a sketch with this number of hashes below this theta."""
    whole = min(int(theta * 2**63), (1 << 63) - 1)
    return ThetaSketch(np.arange(1, kept + 1, dtype=np.uint64), whole)


def by_datasketches(kept: int, theta: float) -> datasketches.compact_theta_sketch:
    """Return the library's sketch with this number of hashes below this theta."""
    whole = int(theta * 2**63)
    step = whole // (kept + 1)
    hashes = struct.pack(f"<{kept}Q", *(step * (i + 1) for i in range(kept)))
    head = struct.pack("<6BHIfQ", 3, 3, 3, 0, 0, 0x1A, 37836, kept, 1.0, whole)
    return datasketches.compact_theta_sketch.deserialize(head + hashes)


@pytest.mark.parametrize("deviations", [1, 2, 3])
@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("kept", [0, 1, 2, 5, 30, 120, 121, 500, 4096])
def test_bounds_are_those_of_datasketches(kept: int, theta: float, deviations: int) -> None:
    """Bounds equal those of DataSketches, to four digits for small counts."""
    peer = by_datasketches(kept, theta)
    near = 1e-9 if kept > 120 else 1e-4
    sketch = ours(kept, peer.theta)
    low, high = sketch.lower_bound(deviations), sketch.upper_bound(deviations)
    assert low == pytest.approx(peer.get_lower_bound(deviations), rel=near)
    assert high == pytest.approx(peer.get_upper_bound(deviations), rel=near)


@pytest.mark.parametrize("deviations", [1, 2, 3])
@pytest.mark.parametrize("estimate", [359.5, 360.5])
@pytest.mark.parametrize("kept", [2, 5, 30, 120])
def test_bounds_are_exact_for_small_estimates(kept: int, estimate: float, deviations: int) -> None:
    """Bounds are those of DataSketches where it begins to approximate: from 360 values on."""
    peer = by_datasketches(kept, kept / estimate)
    sketch = ours(kept, peer.theta)
    bounds = sketch.lower_bound(deviations), sketch.upper_bound(deviations)
    wanted = peer.get_lower_bound(deviations), peer.get_upper_bound(deviations)
    assert bounds == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("deviations", [1, 2, 3])
@pytest.mark.parametrize("kept", [2, 7, 40])
def test_a_lower_bound_is_where_so_many_are_just_too_many(kept: int, deviations: int) -> None:
    """The lower bound is the largest count at which keeping that many is as rare as the tail."""
    tail = 0.5 * math.erfc(deviations / math.sqrt(2))
    bound = int(ours(kept, 0.5).lower_bound(deviations))
    if bound > kept:
        assert at_least(kept, bound, 0.5) <= tail
    assert at_least(kept, bound + 1, 0.5) > tail or bound == kept


@pytest.mark.parametrize("kept", [0, 1, 17, 120, 4000])
def test_nothing_dropped_leaves_nothing_open(kept: int) -> None:
    """Both bounds are the number kept if theta is 1."""
    sketch = ours(kept, 1.0)
    assert sketch.lower_bound(2) == sketch.upper_bound(2) == kept


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("kept", [0, 1, 3, 50, 119, 120, 121, 122, 1000])
def test_bounds_widen_with_certainty(kept: int, theta: float) -> None:
    """More deviations widen the bounds, and the estimate is between them."""
    lows = [ours(kept, theta).lower_bound(deviations) for deviations in (3, 2, 1)]
    highs = [ours(kept, theta).upper_bound(deviations) for deviations in (1, 2, 3)]
    chain = [*lows, kept / theta, *highs]
    assert chain == sorted(chain)
