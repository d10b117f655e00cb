"""Arrow types of Lance's logical types.

A logical type is text: a name, and after colons what the type needs, ``decimal:128:38:10``.  The
type of a fixed-size list has that of its items inside, ``fixed_size_list:float:128``; the fields of
structs, lists and maps are fields of their own.

Source: https://lance.org/format/table/schema/#data-types
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.fields import BFLOAT16, EXTENSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.lance.fields import Field

__all__ = [
    "arrow_field",
    "arrow_schema",
    "arrow_type",
    "has_same_values",
    "is_bounded",
    "width_of",
]

_PLAIN: Final = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "halffloat": pa.float16(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "json": pa.large_binary(),
    "date32:day": pa.date32(),
    "date64:ms": pa.date64(),
}
_NAMED: Final = {"json": "lance.json", BFLOAT16: BFLOAT16}
"""Extension types that have a logical type of their own."""

_UNITS: Final[dict[str, tuple[Callable[..., Any], tuple[str, ...]]]] = {
    "time32": (pa.time32, ("s", "ms")),
    "time64": (pa.time64, ("us", "ns")),
    "duration": (pa.duration, ("s", "ms", "us", "ns")),
    "timestamp": (pa.timestamp, ("s", "ms", "us", "ns")),
}
_DECIMALS: Final = {"128": pa.decimal128, "256": pa.decimal256}
_NO_ZONE: Final = "-"
_MAX: Final = (1 << 31) - 1


def arrow_schema(fields: Sequence[Field], metadata: dict[str, bytes] | None = None) -> pa.Schema:
    """Return the Arrow schema of fields at the top."""
    return pa.schema([arrow_field(each) for each in fields], metadata=metadata or None)


def arrow_type(field: Field) -> pa.DataType:
    """Return the type of `arrow_field`; numbers and text need no Arrow field for it."""
    plain = _PLAIN.get(field.type)
    return arrow_field(field).type if plain is None else plain


def arrow_field(field: Field) -> pa.Field:
    """Return the Arrow field of *field*; its type is the storage type of extension types.

    Raises:
        Unsupported: For an unknown logical type.
        FormatError: For a malformed one.
    """
    metadata = dict(field.metadata)
    if field.type in _NAMED:
        metadata.setdefault(EXTENSION, _NAMED[field.type].encode())
    try:
        type_ = _type(field.type, field)
    except FormatError:
        raise
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise _malformed(field, str(error)) from error
    return pa.field(field.name, type_, field.nullable, metadata or None)


def is_bounded(type_: pa.DataType) -> bool:
    """Return whether some bit patterns are not a value of a type, or of one of its inner types."""
    if pa.types.is_decimal(type_) or pa.types.is_time(type_) or pa.types.is_date64(type_):
        return True
    if pa.types.is_dictionary(type_):
        return is_bounded(type_.value_type)
    return any(is_bounded(type_.field(each).type) for each in range(type_.num_fields))


def has_same_values(one: str, other: str) -> bool:
    """Return whether values stored as one logical type can be read as another.

    Texts and bytes can, and moments of one unit in any zone; fields with others inside are not
    compared.
    """
    return "null" in {one, other} or _values(one) == _values(other)


def _values(text: str) -> str:
    """The part of a logical type that says what bits mean; empty if values vary in length."""
    name, _, rest = text.partition(":")
    if text == BFLOAT16:
        return "fixed_size_binary:2"
    if name == "timestamp":
        return f"{name}:{rest.partition(':')[0]}"
    if name == "decimal":
        return f"{name}:{rest.partition(':')[0]}:{rest.rpartition(':')[2]}"
    if name == "fixed_size_list":
        items, _, count = rest.rpartition(":")
        return f"{name}:{_values(items) or items}:{count}"
    is_number = name in _PLAIN and pa.types.is_primitive(_PLAIN[name])
    return text if is_number or name in {*_UNITS, "fixed_size_binary"} else ""


def _type(text: str, field: Field) -> pa.DataType:
    """The type for *text*, the logical type of *field* or of its items."""
    if text in _PLAIN:
        return _PLAIN[text]
    name, _, rest = text.partition(":")
    if name in _UNITS:
        return _of_unit(name, rest, field)
    if name in _NESTED:
        return _NESTED[name](field)
    if name in _WITH_PARAMETERS:
        return _WITH_PARAMETERS[name](rest, field)
    if text == BFLOAT16:
        return pa.binary(2)
    wanted = "a logical type that is known"
    raise Unsupported(f"schema.{field.path}.logical_type", None, field.type, wanted)


def _of_unit(name: str, rest: str, field: Field) -> pa.DataType:
    make, units = _UNITS[name]
    unit, colon, zone = rest.partition(":")
    if unit not in units or (bool(colon) != (name == "timestamp")):
        raise _malformed(field, f"{name} of {', '.join(units)}")
    return make(unit, zone) if zone not in {"", _NO_ZONE} else make(unit)


def _decimal(rest: str, field: Field) -> pa.DataType:
    bits, precision, scale = _parts(rest, 3, field)
    if bits not in _DECIMALS:
        raise _malformed(field, "decimal:128 or decimal:256")
    places = _count(scale.removeprefix("-"), field, least=0)
    return _DECIMALS[bits](_count(precision, field), -places if "-" in scale else places)


def _fixed_size_binary(rest: str, field: Field) -> pa.DataType:
    return pa.binary(_count(rest, field, least=0))


def _fixed_size_list(rest: str, field: Field) -> pa.DataType:
    items, _, count = rest.rpartition(":")
    if items == "struct":
        return pa.list_(_only(field), _count(count, field))
    metadata = {EXTENSION: BFLOAT16} if items == BFLOAT16 else None
    item = _type(items, field)
    return pa.list_(pa.field("item", item, metadata=metadata), _count(count, field))


def _dictionary(rest: str, field: Field) -> pa.DataType:
    # The type of the values may have colons of its own.
    values, indices, ordered = rest.rsplit(":", 2) if rest.count(":") > 1 else ("", "", "")
    if indices not in _PLAIN or not pa.types.is_integer(_PLAIN[indices]):
        raise _malformed(field, "dict:VALUES:INTEGERS:ORDERED")
    return pa.dictionary(_PLAIN[indices], _type(values, field), ordered == "true")


def _struct(field: Field) -> pa.DataType:
    return pa.struct([arrow_field(each) for each in field.children])


def _list(field: Field) -> pa.DataType:
    return pa.list_(_only(field))


def _large_list(field: Field) -> pa.DataType:
    return pa.large_list(_only(field))


def _map(field: Field) -> pa.DataType:
    entries = _only(field)
    if not pa.types.is_struct(entries.type) or entries.type.num_fields != 2:  # noqa: PLR2004
        raise _malformed(field, "entries of a key and a value")
    return pa.map_(entries.type.field(0), entries.type.field(1))


def _only(field: Field) -> pa.Field:
    if len(field.children) != 1:
        raise _malformed(field, f"one child, not {len(field.children)}")
    return arrow_field(field.children[0])


def _parts(rest: str, count: int, field: Field) -> list[str]:
    parts = rest.split(":")
    if len(parts) != count:
        raise _malformed(field, f"{count} parameters")
    return parts


def _count(text: str, field: Field, least: int = 1) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= _MAX):
        raise _malformed(field, f"a size of {least} to {_MAX}")
    return int(text)


def _malformed(field: Field, wanted: str) -> FormatError:
    return FormatError(f"schema.{field.path}.logical_type", None, field.type, wanted)


_NESTED: Final[dict[str, Callable[[Field], pa.DataType]]] = {
    "struct": _struct,
    "list": _list,
    "list.struct": _list,
    "large_list": _large_list,
    "large_list.struct": _large_list,
    "map": _map,
}
_WITH_PARAMETERS: Final[dict[str, Callable[[str, Field], pa.DataType]]] = {
    "decimal": _decimal,
    "fixed_size_binary": _fixed_size_binary,
    "fixed_size_list": _fixed_size_list,
    "dict": _dictionary,
}


def width_of(type_: pa.DataType) -> int:
    """Return the bits of a value of a fixed-width type; 0 for other types."""
    is_fixed = pa.types.is_primitive(type_) or pa.types.is_decimal(type_)
    return type_.bit_width if is_fixed or pa.types.is_fixed_size_binary(type_) else 0
