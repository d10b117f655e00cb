"""Error bounds for the estimate of a Theta sketch.

- A sketch keeps each distinct value with probability theta, so n kept ones are a binomial sample of
  all N.  A bound is the N at which keeping so few (or so many) as n is as unlikely as a normal
  variable that is 1, 2 or 3 standard deviations from its mean on that side.
- Many kept: the normal approximation, with half a value of continuity correction.
- Few kept, theta small: the same formula, but with a number of deviations for which it is exact in
  the limit of a Poisson sample.
- Few kept, theta not small: the negative binomial distribution, summed up.

The choice among them is that of DataSketches. Above 120 kept values both give the same
bounds; below, its tables of deviations agree with what is computed here to four digits.

Source: https://datasketches.apache.org/docs/Theta/ThetaErrorTable.html
"""

from __future__ import annotations

from functools import cache
from math import ceil, erfc, exp, floor, log, log1p, sqrt
from typing import Final

__all__ = ["lower_bound", "upper_bound"]

_MANY: Final = 120
_NEARLY_ALL: Final = 1 - 1e-5


def lower_bound(kept: int, theta: float, num_std_devs: int) -> float:
    """Return the least likely number of distinct values; theta is in (0, 1]."""
    if theta >= 1 or kept == 0:
        return float(kept)
    low = _approximate_lower(kept, theta, num_std_devs)
    return min(kept / theta, max(float(kept), low))


def upper_bound(kept: int, theta: float, num_std_devs: int) -> float:
    """Return the greatest likely number of distinct values; theta is in (0, 1]."""
    if theta >= 1:
        return float(kept)
    return max(kept / theta, _approximate_upper(kept, theta, num_std_devs))


def _approximate_lower(kept: int, theta: float, num_std_devs: int) -> float:
    tail = _tail(num_std_devs)
    if kept == 1:
        return floor(log1p(-tail) / log1p(-theta))
    if kept > _MANY:
        return _classic(kept - 0.5, theta, -num_std_devs) - 0.5
    if theta > _NEARLY_ALL:
        return float(kept)
    if theta < kept / 360:
        return _classic(kept - 0.5, theta, -_poisson_deviations(kept, num_std_devs, -1)) - 0.5
    return float(_trials(kept, theta, tail) - 1)


def _approximate_upper(kept: int, theta: float, num_std_devs: int) -> float:
    tail = _tail(num_std_devs)
    if kept == 0:
        return ceil(log(tail) / log1p(-theta))
    if kept > _MANY:
        return _classic(kept + 0.5, theta, num_std_devs) + 0.5
    if theta > _NEARLY_ALL:
        return float(kept + 1)
    if theta < kept / 360:
        return _classic(kept + 0.5, theta, _poisson_deviations(kept, num_std_devs, 1)) + 0.5
    return float(_trials(kept + 1, theta, 1 - tail))


def _tail(num_std_devs: int) -> float:
    """Return the probability that a normal variable is that many deviations off, on one side."""
    return 0.5 * erfc(num_std_devs / sqrt(2))


def _classic(kept: float, theta: float, deviations: float) -> float:
    """Solve ``|N - kept / theta| = deviations * sqrt(N * (1 - theta) / theta)`` for N."""
    spread = deviations * sqrt((1 - theta) / theta)
    centre = kept / theta + 0.5 * spread * spread
    return centre + 0.5 * spread * sqrt(spread * spread + 4 * kept / theta)


def _trials(successes: int, theta: float, probability: float) -> int:
    """Return the fewest trials with this number of *successes*, with more than *probability*."""
    trials = successes
    term = total = theta**successes
    while total <= probability:
        term *= (1 - theta) * trials / (trials + 1 - successes)
        total += term
        trials += 1
    return trials


@cache
def _poisson_deviations(kept: int, num_std_devs: int, side: int) -> float:
    """Return the deviations with which `_classic` gives the exact bound as theta goes to 0.

    Args:
        side: -1 for the lower bound, 1 for the upper.
    """
    tail = _tail(num_std_devs)
    fewer = kept - 1 if side < 0 else kept
    wanted = 1 - tail if side < 0 else tail
    low, high = 0.0, kept + 12 * sqrt(kept) + 24
    while low < (mean := (low + high) / 2) < high:
        low, high = (mean, high) if _poisson_at_most(fewer, mean) > wanted else (low, mean)
    return side * (mean - kept - side * 0.5) / sqrt(mean)


def _poisson_at_most(count: int, mean: float) -> float:
    """Return the probability that a Poisson variable of this mean is at most *count*."""
    term = total = exp(-mean)
    for i in range(1, count + 1):
        term *= mean / i
        total += term
    return total
