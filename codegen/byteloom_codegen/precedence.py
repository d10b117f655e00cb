"""How tightly the operators of expressions bind: a greater number binds tighter.

KSY and Python agree on these, so that parentheses come out only where a reader needs them.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "AND", "BINARY", "BIT_AND", "BIT_OR", "BIT_XOR", "COMPARE", "NOT", "OR", "POSTFIX", "PRODUCT",
    "SHIFT", "SUM", "TERNARY", "UNARY",
]  # fmt: skip

TERNARY, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, POSTFIX = (
    range(1, 14)
)

BINARY: Final = {
    "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM,
    "*": PRODUCT, "/": PRODUCT, "%": PRODUCT,
}  # fmt: skip
