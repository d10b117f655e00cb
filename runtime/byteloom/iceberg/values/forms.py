"""The binary form of each type, and of the types before a promotion, from the tables of types.

Source: Iceberg table spec, "Appendix D", and "Schema Evolution".
"""

from __future__ import annotations

from typing import Final

from byteloom.iceberg.datetimes import MICROS_PER_DAY, NANOS_PER_DAY
from byteloom_generated.iceberg.types import BINARY_FORMS, PRIMITIVE_TYPES, PROMOTIONS

__all__ = ["BEFORE_PROMOTION", "FORMS", "SIZES"]

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
