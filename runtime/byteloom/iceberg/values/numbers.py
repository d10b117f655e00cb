"""Decimals as integers.

Source: Iceberg table spec, "Appendix D".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from decimal import Decimal

    from byteloom.iceberg.types import DecimalType

__all__ = ["unscaled"]


def unscaled(of: DecimalType, value: Decimal, *, is_stored: bool = True) -> int:
    """Return the integer that *value* is in units of the type's last digit.

    Args:
        is_stored: Whether it must be a value of the type, and not only be compared with some.

    Raises:
        FormatError: More digits after the point than the type has or, if *is_stored*, before it.
    """
    sign, digits, exponent = value.as_tuple()
    too_long = is_stored and value.adjusted() + of.scale >= of.precision
    if not isinstance(exponent, int) or too_long:
        if value.is_zero():
            return 0
        raise FormatError("value", None, str(value), f"a value of type {of}")
    shift = exponent + of.scale
    number = int("".join(map(str, digits)) or "0")
    scale: int = 10 ** abs(shift)
    whole, rest = (number * scale, 0) if shift >= 0 else divmod(number, scale)
    if rest:
        raise FormatError("value", None, str(value), f"a value of type {of}")
    return -whole if sign else whole
