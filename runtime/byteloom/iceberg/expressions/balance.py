"""Balanced trees, shallow however many expressions are joined by one word.

The rules:

- Functions over expressions recurse, and Python allows some hundred levels.
- A chain of one word may have any shape: the two sides of a node differ in height by at most
  `SLACK`, so that short chains stay as they were written.
- An expression that is still deeper than ``limits.nesting``, such as thousands of *and* and *or* in
  turn, is refused where it is made.

Source: Adelson-Velsky and Landis, "An algorithm for the organization of information" (1962).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import LimitExceeded
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["depth_of", "height_of", "joined"]

SLACK: Final = 8


def depth_of(*inner: Any) -> int:
    """Return the number of levels of an expression with these parts.

    Raises:
        LimitExceeded: More levels than `Limits.nesting` allows by default.
    """
    depth = 1 + max(getattr(each, "depth", 0) for each in inner)
    if depth > DEFAULT_LIMITS.nesting:
        most = f"at most {DEFAULT_LIMITS.nesting}"
        raise LimitExceeded("expression", None, f"{depth} levels", most)
    return depth


def height_of(kind: Callable[..., Any], each: Any) -> int:
    """Return how many levels of an expression, from the top, are joined by *kind*."""
    return int(each.height) if type(each) is kind else 0


def joined(kind: Callable[..., Any], left: Any, right: Any) -> Any:
    """Return both joined by *kind*, in their order."""
    apart = height_of(kind, left) - height_of(kind, right)
    if apart > SLACK:
        return _turned(kind, left.left, joined(kind, left.right, right))
    if apart < -SLACK:
        return _turned(kind, joined(kind, left, right.left), right.right)
    return kind(left, right)


def _turned(kind: Callable[..., Any], left: Any, right: Any) -> Any:
    """Return two expressions joined, after a rotation if one of them is a level too high."""
    apart = height_of(kind, left) - height_of(kind, right)
    if apart > SLACK:
        if height_of(kind, left.right) > height_of(kind, left.left):
            middle = left.right
            return kind(kind(left.left, middle.left), kind(middle.right, right))
        return kind(left.left, kind(left.right, right))
    if apart < -SLACK:
        if height_of(kind, right.left) > height_of(kind, right.right):
            middle = right.left
            return kind(kind(left, middle.left), kind(middle.right, right.right))
        return kind(kind(left, right.left), right.right)
    return kind(left, right)
