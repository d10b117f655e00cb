"""Functions that generated scanners call to calculate whole columns.

An integer that leaves 64 bits is the error of its row: the record class calculates it again.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.columns.text import BadRowError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["chosen", "exact_difference", "exact_product", "exact_sum", "unsigned"]

_SURE: Final = float(1 << 62)
"""Results that are calculated with doubles and are less than this fit 64 bits."""

_WORD: Final = range(-(1 << 63), 1 << 63)


def chosen(test: Any, yes: Any, no: Any) -> Any:
    """Return for each row *yes* where *test* is true, else *no*; each may be one value for all."""
    return np.where(test, yes, no)


def unsigned(numbers: Any) -> NDArray[Any]:
    """Return integers, none of them negative, as words without a sign."""
    found: NDArray[Any] = np.asarray(numbers).astype("u8", copy=False)
    return found


def exact_sum(left: Any, right: Any) -> NDArray[Any]:
    """Return the sums of integers; `BadRowError` for the first that leaves 64 bits."""
    return _exact(operator.add, left, right)


def exact_difference(left: Any, right: Any) -> NDArray[Any]:
    """Return the differences of integers; `BadRowError` for the first that leaves 64 bits."""
    return _exact(operator.sub, left, right)


def exact_product(left: Any, right: Any) -> NDArray[Any]:
    """Return the products of integers; `BadRowError` for the first that leaves 64 bits."""
    return _exact(operator.mul, left, right)


def _exact(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> NDArray[Any]:
    left, right = np.broadcast_arrays(left, right)
    about = np.abs(operation(left.astype("f8"), right.astype("f8")))
    for row in np.flatnonzero(about >= _SURE):
        if operation(int(left[row]), int(right[row])) not in _WORD:
            raise BadRowError(int(row))
    result: NDArray[Any] = operation(left.astype("u8"), right.astype("u8"))
    return result.view("i8")
