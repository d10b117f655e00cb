"""What a manifest says of the columns of a new file: counts, and bounds that are short.

The rules:

- Each column has a mode: ``none``, ``counts``, ``truncate(N)`` or ``full``; its own property says
  which, else the table's default. Columns that the table is sorted by have bounds in any case. If
  the table sets no default, only its first 100 fields have metrics.
- Bounds of text and bytes are cut: a lower one at N characters or bytes, an upper one after the
  last of these that can be raised by one. An upper bound that cannot be cut so is left out.
- NaN is counted and is no bound. Lists and maps, and what is in them, have neither counts nor
  bounds.

Source: Iceberg table spec, "Manifests"; Java's ``MetricsConfig`` and ``UnicodeUtil``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.iceberg.types import NestedField, StructType
from byteloom.iceberg.values import to_binary
from byteloom_generated.iceberg.table_properties import COLUMN_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.iceberg.observed import Seen
    from byteloom.iceberg.properties import Properties
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortOrder

__all__ = ["FULL", "Mode", "metrics_of", "modes_of"]

_DEFAULT: Final = "write.metadata.metrics.default"
_MOST: Final = "write.metadata.metrics.max-inferred-column-defaults"
_OF_COLUMN: Final = COLUMN_PROPERTIES[0].name
_CUT: Final = re.compile(r"truncate\(\s*(\d+)\s*\)")
_CUTTABLE: Final = frozenset({"string", "binary"})
_LAST_CHARACTER: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)
_LAST_BYTE: Final = 0xFF


class Mode(NamedTuple):
    """Which metrics a column has.

    Attributes:
        counts: Whether there are any.
        bounds: Whether there are bounds.
        length: The characters or bytes that bounds have at most; None for any number.
    """

    counts: bool
    bounds: bool
    length: int | None = None


_NONE: Final = Mode(counts=False, bounds=False)
_COUNTS: Final = Mode(counts=True, bounds=False)
FULL: Final = Mode(counts=True, bounds=True)
_SHORT: Final = Mode(counts=True, bounds=True, length=16)
_WORDS: Final = {"none": _NONE, "counts": _COUNTS, "full": FULL}


def modes_of(schema: Schema, order: SortOrder, properties: Properties) -> dict[int, Mode]:
    """Return the mode of each field by its id, those in lists and maps too.

    Raises:
        FormatError: A property that is no mode.
    """
    default = _mode(_DEFAULT, properties.text(_DEFAULT) or "")
    ids = list(_counted(schema.fields))
    unset = frozenset[int]()
    if not properties.is_set(_DEFAULT) and len(ids) > properties.number(_MOST):
        first = list(_leaves_first(schema.fields))[: properties.number(_MOST)]
        unset = frozenset(schema.field_ids) - frozenset(first)
    modes = {each: _NONE if each in unset else default for each in schema.field_ids}
    for key in order.fields:
        for each in key.source_ids:
            modes[each] = _SHORT if not default.bounds else default
    for name, text in properties.below(_OF_COLUMN).items():
        found = schema.find(name)
        if found is not None:
            modes[found.id] = _mode(f"{_OF_COLUMN}{name}", text)
    return modes


def _mode(name: str, text: str) -> Mode:
    """Return the mode that a property's text names."""
    plain = text.strip().lower()
    if plain in _WORDS:
        return _WORDS[plain]
    found = _CUT.fullmatch(plain)
    if found is None or int(found[1]) == 0:
        wanted = "none, counts, truncate(N) with N of 1 or more, or full"
        raise FormatError(f"properties.{name}", None, repr(text), wanted)
    return Mode(counts=True, bounds=True, length=int(found[1]))


def _counted(fields: tuple[NestedField, ...]) -> Iterator[int]:
    """Yield the ids that count towards the number of columns: all but those of lists and maps."""
    for each in fields:
        if each.type.is_primitive or isinstance(each.type, StructType):
            yield each.id
        yield from _counted(getattr(each.type, "fields", ()))


def _leaves_first(fields: tuple[NestedField, ...]) -> Iterator[int]:
    """Yield the ids of primitive fields, a struct's own before those inside its fields."""
    for each in fields:
        if each.type.is_primitive:
            yield each.id
    for each in fields:
        yield from _leaves_first(getattr(each.type, "fields", ()))


def metrics_of(
    seen: Mapping[int, Seen], sizes: Mapping[int, int], schema: Schema, modes: Mapping[int, Mode]
) -> dict[str, dict[int, Any]]:
    """Return the maps of a manifest's entry, by the spec's names.

    Args:
        seen: The values of the file's columns, by id.
        sizes: The stored bytes of the file's columns, by id.
        schema: The table's schema.
        modes: What `modes_of` returned.
    """
    made: dict[str, dict[int, Any]] = {
        "column_sizes": {each: size for each, size in sizes.items() if modes[each].counts},
        "value_counts": {},
        "null_value_counts": {},
        "nan_value_counts": {},
        "lower_bounds": {},
        "upper_bounds": {},
    }
    for number, values in sorted(seen.items()):
        field, mode = schema.find(number), modes[number]
        if field is None or not field.type.is_primitive or not mode.counts:
            continue
        made["value_counts"][number] = values.present + values.nulls + values.missing
        made["null_value_counts"][number] = values.nulls + values.missing
        if field.type.kind in {"float", "double"} and values.nans >= 0:
            made["nan_value_counts"][number] = values.nans
        ends = values.range(field.type) if mode.bounds else None
        if ends is not None:
            length = mode.length if field.type.kind in _CUTTABLE else None
            made["lower_bounds"][number] = to_binary(field.type, _lower(ends[0], length))
            upper = _upper(ends[1], length)
            if upper is not None:
                made["upper_bounds"][number] = to_binary(field.type, upper)
    return made


def _lower(value: Any, length: int | None) -> Any:
    """Return a value at or below *value*, of at most that many characters or bytes."""
    return value if length is None else value[:length]


def _upper(value: Any, length: int | None) -> Any:
    """Return a value at or above *value*, of at most so many characters or bytes; None for none."""
    if length is None or len(value) <= length:
        return value
    return _raised_text(value[:length]) if isinstance(value, str) else _raised(value[:length])


def _raised_text(text: str) -> str | None:
    """Return the least text above all that begin with *text*; None if there is none."""
    for end in range(len(text) - 1, -1, -1):
        following = ord(text[end]) + 1
        if following in _SURROGATES:
            following = _SURROGATES.stop
        if following <= _LAST_CHARACTER:
            return text[:end] + chr(following)
    return None


def _raised(data: bytes) -> bytes | None:
    """Return the least bytes above all that begin with *data*; None if there are none."""
    for end in range(len(data) - 1, -1, -1):
        if data[end] < _LAST_BYTE:
            return data[:end] + bytes([data[end] + 1])
    return None
