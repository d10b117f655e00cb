"""Single values as bytes, as the bounds of columns are kept.

The rules:

- The form of each type, and its width, are those in ``specs/iceberg/types.yaml``.
- A value written before its column was promoted has the form of the old type, which the number of
  bytes shows, since each promotion leads to a wider form.

Source: Iceberg table spec, "Appendix D", Binary single-value serialization.
"""

from __future__ import annotations

import struct
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from byteloom.errors import FormatError, Unsupported, beginning
from byteloom.iceberg.datetimes import MICROS_PER_DAY, NANOS_PER_DAY
from byteloom.iceberg.types import DecimalType, FixedType
from byteloom_generated.iceberg.types import BINARY_FORMS, PRIMITIVE_TYPES, PROMOTIONS

if TYPE_CHECKING:
    from byteloom.iceberg.types import Type


__all__ = ["BEFORE_PROMOTION", "FORMS", "SIZES", "from_binary", "to_binary", "unscaled"]

_PER_DAY: Final = {"day": 1, "us": MICROS_PER_DAY, "ns": NANOS_PER_DAY}
_UNITS: Final = {each.name: _PER_DAY[each.unit or "day"] for each in PRIMITIVE_TYPES}

SIZES: Final = {each.name: each.size for each in BINARY_FORMS if each.size is not None}
"""Bytes of each form of fixed width."""

FORMS: Final = {each.name: each.binary for each in PRIMITIVE_TYPES if each.binary}
"""The binary form of each type that has one."""

BEFORE_PROMOTION: Final = {
    each.new: (FORMS[each.old], _UNITS[each.new] // _UNITS[each.old])
    for each in PROMOTIONS
    if {FORMS.get(each.old), FORMS.get(each.new)} <= SIZES.keys()
}
"""For each promoted type, the form of values written before the promotion, and how many of its
units one old unit is."""


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


_WORDS: Final = {
    "u1": struct.Struct("<?"),
    "s4le": struct.Struct("<i"),
    "s8le": struct.Struct("<q"),
    "f4le": struct.Struct("<f"),
    "f8le": struct.Struct("<d"),
}
"""The `struct` format of each form of fixed width that `struct` has."""

_PACKED: Final = {kind: _WORDS[form] for kind, form in FORMS.items() if form in _WORDS}
_RAW: Final = frozenset({"bytes", "corner"})


def to_binary(of: Type, value: Any) -> bytes:
    """Return *value* in the form of bounds; `FormatError` if the type has none or cannot hold it.

    Source: Iceberg table spec, "Appendix D", Binary single-value serialization.
    """
    try:
        if packed := _PACKED.get(of.kind):
            return packed.pack(value)
        if isinstance(of, DecimalType):
            return _signed(unscaled(of, value))
        match of.row.binary:
            case "utf8":
                return cast("bytes", value.encode())
            case "u16be":
                return cast("bytes", value.bytes)
            case form if form in _RAW:
                return memoryview(value).tobytes()  # bytes() of a number would return zeros
    except (struct.error, AttributeError, TypeError, UnicodeEncodeError) as error:
        raise FormatError("value", None, repr(value), f"a value of type {of}") from error
    raise _unsupported(of)


def from_binary(of: Type, data: bytes) -> Any:
    """Return the storage value in *data*, even if it was written before a promotion.

    Raises:
        FormatError: Bytes of a length that the type never had.

    Source: Iceberg table spec, "Appendix D", Binary single-value serialization.
    """
    if packed := _PACKED.get(of.kind):
        return _unpack(of, packed, data)
    if isinstance(of, DecimalType):
        return _decimal(of, data)
    match of.row.binary:
        case "utf8":
            return _text(data)
        case "u16be":
            return UUID(bytes=_exactly(of, data, SIZES["u16be"]))
        case form if form in _RAW:
            return _exactly(of, data, of.length) if isinstance(of, FixedType) else bytes(data)
    raise _unsupported(of)


def _unpack(of: Type, packed: struct.Struct, data: bytes) -> Any:
    """Return a value of fixed width, or of the narrower width from before a promotion."""
    if len(data) == packed.size:
        return packed.unpack(data)[0]
    form, unit = BEFORE_PROMOTION.get(of.kind, (FORMS[of.kind], 1))
    narrow = _WORDS[form]
    if len(data) != narrow.size:
        raise FormatError("value", None, f"{len(data)} bytes", f"{packed.size} for type {of}")
    (value,) = narrow.unpack(data)
    return value * unit if unit > 1 else value


def _signed(number: int) -> bytes:
    """Return two's complement, big-endian, in the fewest bytes."""
    magnitude = number if number >= 0 else ~number
    return number.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def _decimal(of: DecimalType, data: bytes) -> Decimal:
    """Return the decimal in bytes of any length."""
    if not data:
        raise FormatError("value", None, "no bytes", f"a value of type {of}")
    with localcontext(prec=len(data) * 3):
        return Decimal(int.from_bytes(data, "big", signed=True)).scaleb(-of.scale)


def _text(data: bytes) -> str:
    """Return text from UTF-8."""
    try:
        return bytes(data).decode()
    except UnicodeDecodeError as error:
        raise FormatError("value", None, beginning(bytes(data)), "UTF-8 text") from error


def _exactly(of: Type, data: bytes, length: int) -> bytes:
    """Return the bytes if there are *length* of them; raise an error otherwise."""
    if len(data) != length:
        raise FormatError("value", None, f"{len(data)} bytes", f"{length} for type {of}")
    return bytes(data)


def _unsupported(of: Type) -> Unsupported:
    """Return the error for a type without such a form."""
    return Unsupported("value", None, f"type {of}", "a type with a binary single-value form")
