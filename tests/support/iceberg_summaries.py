"""What a manifest list says of the partition values in a manifest, made without byteloom.

Source: Iceberg table spec, "Manifest Lists" (``field_summary``) and "Appendix D".
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["summaries_of"]

_STORED = (type(None), bool, int, float, str, bytes)
_FORMS = {"boolean": "<?", "int": "<i", "long": "<q", "float": "<f", "double": "<d"}


def summaries_of(
    fields: Sequence[tuple[str, Any]], tuples: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]] | None:
    """Return the summaries of a manifest; None for values that are not as Avro stores them.

    fields  names of the partition fields, and their types in Avro
    tuples  the partition values of each file, as Avro writes them
    """
    values = [each for held in tuples for each in held.values()]
    if not all(isinstance(each, _STORED) for each in values):
        return None
    if any(of == "int" and _is_wide(held.get(name)) for name, of in fields for held in tuples):
        return None
    return [_summary(of, [each.get(name) for each in tuples]) for name, of in fields]


def _summary(of: Any, values: Sequence[Any]) -> dict[str, Any]:
    """The summary of one field."""
    is_decimal = isinstance(of, dict) and of.get("logicalType") == "decimal"
    there = [each for each in values if each is not None]
    numbers = [each for each in there if not _is_nan(each)]
    ordered = sorted(numbers, key=lambda each: _order(each, is_decimal=is_decimal))
    return {
        "contains_null": len(there) < len(values),
        "contains_nan": len(numbers) < len(there),
        "lower_bound": _bytes(of, ordered[0]) if ordered else None,
        "upper_bound": _bytes(of, ordered[-1]) if ordered else None,
    }


def _is_wide(value: Any) -> bool:
    """Whether an integer takes more than the 32 bits of a bound."""
    return isinstance(value, int) and not -(2**31) <= value < 2**31


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _order(value: Any, *, is_decimal: bool) -> Any:
    """What values are ordered by: text by its bytes, zeros by their sign."""
    if isinstance(value, str):
        return value.encode()
    if is_decimal:
        return int.from_bytes(value, "big", signed=True)
    return (value, math.copysign(1, value)) if isinstance(value, float) else value


def _bytes(of: Any, value: Any) -> bytes:
    """A value in the form of single values."""
    kind = of.get("type") if isinstance(of, dict) else of
    if kind in _FORMS:
        return struct.pack(_FORMS[kind], value)
    return value.encode() if isinstance(value, str) else bytes(value)
