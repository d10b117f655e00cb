"""The ranges of what scanners calculate contain every result, and are as narrow as possible."""

from __future__ import annotations

from itertools import product
from operator import add, and_, floordiv, lshift, mod, mul, or_, rshift, sub, xor
from typing import TYPE_CHECKING, Final

import pytest

from byteloom_codegen.scanners.numbers import range_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.scanners.numbers import Range

EXACT: Final[dict[str, Callable[[int, int], int]]] = {
    "+": add, "-": sub, "*": mul, "/": floordiv, "<<": lshift, ">>": rshift,
}  # fmt: skip
BITS: Final[dict[str, Callable[[int, int], int]]] = {"&": and_, "|": or_, "^": xor}
SMALL: Final = [(low, high) for low in range(-5, 6) for high in range(low, 6)]


def results(call: Callable[[int, int], int], left: Range, right: Range) -> list[int]:
    """Return every result of the operator."""
    numbers = product(range(left[0], left[1] + 1), range(right[0], right[1] + 1))
    return [call(*each) for each in numbers]


@pytest.mark.parametrize("op", EXACT)
def test_the_least_and_the_greatest_result_are_the_range(op: str) -> None:
    """A range is exactly from the least to the greatest result of the operator."""
    for left, right in product(SMALL, SMALL):
        if (op == "/" and right[0] <= 0) or (op in {"<<", ">>"} and right[0] < 0):
            continue
        found = results(EXACT[op], left, right)
        assert range_of(op, left, right) == (min(found), max(found)), (left, right)


def test_a_remainder_is_below_the_greatest_divisor() -> None:
    """A remainder is from 0 to one less than the greatest divisor."""
    for left, right in product(SMALL, SMALL):
        if right[0] > 0:
            assert range_of("%", left, right) == (0, right[1] - 1)
            assert set(results(mod, left, right)) <= set(range(right[1]))


@pytest.mark.parametrize("op", BITS)
def test_results_of_bits_are_in_their_range(op: str) -> None:
    """Results of bit operators are in their range, which has the bits of the wider side."""
    for left, right in product(SMALL, SMALL):
        low, high = range_of(op, left, right)
        found = results(BITS[op], left, right)
        assert low <= min(found), (left, right)
        assert max(found) <= high, (left, right)
        if op == "&" and max(left[0], right[0]) >= 0:
            masks = [side[1] for side in (left, right) if side[0] >= 0]
            assert (low, high) == (0, min(masks))
            continue
        bits = max(abs(each).bit_length() for each in (*left, *right))
        assert high == (1 << bits) - 1
        assert low == (0 if min(left[0], right[0]) >= 0 else -(1 << bits))


@pytest.mark.parametrize(
    ("op", "right"), [("<<", (0, 63)), (">>", (0, 63)), ("<<", (-1, 1)), (">>", (-1, 1))]
)
def test_shifts_by_a_word_or_backwards_are_refused(op: str, right: Range) -> None:
    """Shifts by up to 62 bits are accepted; those by more, or by less than 0, are refused."""
    assert range_of(op, (0, 1), (0, 62)) == ((0, 1 << 62) if op == "<<" else (0, 1))
    with pytest.raises(ValueError, match="shifts by what may be 63 bits or more"):
        range_of(op, (0, 1), right)


@pytest.mark.parametrize("op", ["/", "%"])
@pytest.mark.parametrize("least", [0, -1])
def test_divisors_that_may_be_zero_or_less_are_refused(op: str, least: int) -> None:
    """Divisors from 1 are accepted; those that may be 0 or less are refused."""
    assert range_of(op, (0, 9), (1, 5)) == ((0, 9) if op == "/" else (0, 4))
    with pytest.raises(ValueError, match="divides by what may be 0 or less"):
        range_of(op, (0, 9), (least, 5))
