"""How tightly the words of a phrase belong together.

A part that is looser than its place allows is put in parentheses.
"""

from __future__ import annotations

from typing import Final

__all__ = ["AND", "ATOM", "COMPARE", "LOOSE", "OF", "OR", "PRODUCT", "SUM", "TERNARY"]

ATOM: Final = 9
OF: Final = 8
"""``x of y``."""
PRODUCT: Final = 7
SUM: Final = 6
LOOSE: Final = 5
"""Operations whose words continue after the last operand: ``shifted left by 3 bits``."""
COMPARE: Final = 4
AND: Final = 3
OR: Final = 2
TERNARY: Final = 1
