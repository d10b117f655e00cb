"""Single values: the binary form of bounds (Appendix D), the JSON form of defaults (Appendix C).

In memory a single value is one plain Python value, its *storage value*:

    boolean                            bool
    int, long                          int
    float, double                      float
    decimal                            decimal.Decimal, of the type's scale
    date                               int, days
    time, timestamp, timestamptz       int, microseconds
    timestamp_ns, timestamptz_ns       int, nanoseconds
    string                             str
    uuid                               uuid.UUID
    fixed, binary, geometry, geography bytes
    struct                             dict by field name
    list, map                          list; list of (key, value)

Source: Iceberg table spec, "Appendix C" and "Appendix D".
"""

from __future__ import annotations

import struct
from decimal import Decimal, InvalidOperation, localcontext
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.datetimes import (
    MICROS_PER_DAY,
    NANOS_PER_DAY,
    date_text,
    parse_date,
    parse_time,
    parse_timestamp,
    time_text,
    timestamp_text,
)
from byteloom.iceberg.types import (
    DecimalType,
    FixedType,
    ListType,
    MapType,
    StructType,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["from_binary", "from_json", "to_binary", "to_json"]

_INT: Final = struct.Struct("<i")
_LONG: Final = struct.Struct("<q")
_FLOAT: Final = struct.Struct("<f")
_DOUBLE: Final = struct.Struct("<d")

_PACKED: Final = {
    "boolean": struct.Struct("<?"),
    "int": _INT,
    "long": _LONG,
    "float": _FLOAT,
    "double": _DOUBLE,
    "date": _INT,
    "time": _LONG,
    "timestamp": _LONG,
    "timestamptz": _LONG,
    "timestamp_ns": _LONG,
    "timestamptz_ns": _LONG,
}
"""The types of one fixed width."""

_BEFORE_PROMOTION: Final[dict[str, tuple[struct.Struct, int]]] = {
    "long": (_INT, 1),
    "double": (_FLOAT, 1),
    "timestamp": (_INT, MICROS_PER_DAY),
    "timestamp_ns": (_INT, NANOS_PER_DAY),
}
"""What a value of fewer bytes was when it was written, and what one unit of it has become."""

_RAW: Final = frozenset({"fixed", "binary", "geometry", "geography"})


def to_binary(of: Type, value: Any) -> bytes:
    """Return *value* in the form of bounds; `FormatError` if the type has none or cannot hold it.

    Source: Iceberg table spec, "Appendix D", Binary single-value serialization.
    """
    try:
        if packed := _PACKED.get(of.kind):
            return packed.pack(value)
        if isinstance(of, DecimalType):
            return _decimal_bytes(unscaled(of, value))
        if of.kind == "string":
            return cast("bytes", value.encode())
        if of.kind == "uuid":
            return cast("bytes", value.bytes)
        if of.kind in _RAW:
            return bytes(value)
    except (struct.error, AttributeError, TypeError, UnicodeEncodeError) as error:
        raise FormatError("value", None, repr(value), f"a value of type {of}") from error
    raise Unsupported("value", None, f"type {of}", "a type with a binary single-value form")


def from_binary(of: Type, data: bytes) -> Any:
    """Return the storage value that *data* holds, also where it was written before a promotion.

    FormatError   bytes of a length that the type never had

    Source: Iceberg table spec, "Appendix D", Binary single-value serialization.
    """
    if packed := _PACKED.get(of.kind):
        return _unpack(of, packed, data)
    if isinstance(of, DecimalType):
        if not data:
            raise FormatError("value", None, "no bytes", f"a value of type {of}")
        with localcontext(prec=len(data) * 3):
            return Decimal(int.from_bytes(data, "big", signed=True)).scaleb(-of.scale)
    if of.kind == "string":
        return _text(data)
    if of.kind == "uuid":
        return UUID(bytes=_exactly(of, data, 16))
    if isinstance(of, FixedType):
        return _exactly(of, data, of.length)
    if of.kind in _RAW:
        return bytes(data)
    raise Unsupported("value", None, f"type {of}", "a type with a binary single-value form")


def _unpack(of: Type, packed: struct.Struct, data: bytes) -> Any:
    """A value of one width, or of the narrower one that it had before its type was promoted."""
    if len(data) == packed.size:
        return packed.unpack(data)[0]
    narrow, unit = _BEFORE_PROMOTION.get(of.kind, (packed, 1))
    if len(data) != narrow.size:
        raise FormatError("value", None, f"{len(data)} bytes", f"{packed.size} for type {of}")
    (value,) = narrow.unpack(data)
    return value * unit if unit > 1 else value


def unscaled(of: DecimalType, value: Decimal) -> int:
    """Return the integer that *value* is in units of the type's last digit."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or value.adjusted() + of.scale >= of.precision:
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


def _decimal_bytes(number: int) -> bytes:
    """Two's complement, big-endian, in as few bytes as hold it."""
    magnitude = number if number >= 0 else ~number
    return number.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def _text(data: bytes) -> str:
    """UTF-8."""
    try:
        return bytes(data).decode()
    except UnicodeDecodeError as error:
        raise FormatError("value", None, repr(bytes(data[:40])), "UTF-8 text") from error


def _exactly(of: Type, data: bytes, length: int) -> bytes:
    """The bytes, if there are *length* of them."""
    if len(data) != length:
        raise FormatError("value", None, f"{len(data)} bytes", f"{length} for type {of}")
    return bytes(data)


# ---------------------------------------------------------------------------------------- JSON


_FROM_TEXT: Final[dict[str, Callable[[str], Any]]] = {
    "date": parse_date,
    "time": parse_time,
    "timestamp": parse_timestamp,
    "timestamptz": lambda text: parse_timestamp(text, zoned=True),
    "timestamp_ns": lambda text: parse_timestamp(text, unit="ns"),
    "timestamptz_ns": lambda text: parse_timestamp(text, unit="ns", zoned=True),
    "string": str,
    "uuid": UUID,
    "fixed": bytes.fromhex,
    "binary": bytes.fromhex,
    "decimal": Decimal,
}

# Hexadecimal goes out in capitals, as Java writes it; both cases are read.
_TO_TEXT: Final[dict[str, Callable[[Any], str]]] = {
    "date": date_text,
    "time": time_text,
    "timestamp": timestamp_text,
    "timestamptz": lambda value: timestamp_text(value, zoned=True),
    "timestamp_ns": lambda value: timestamp_text(value, unit="ns"),
    "timestamptz_ns": lambda value: timestamp_text(value, unit="ns", zoned=True),
    "string": str,
    "uuid": str,
    "fixed": lambda value: value.hex().upper(),
    "binary": lambda value: value.hex().upper(),
    "decimal": str,
}


def from_json(of: Type, document: Any) -> Any:
    """Return the storage value of a JSON single value; None for null.

    FormatError   JSON that is no value of the type

    Source: Iceberg table spec, "Appendix C", JSON single-value serialization.
    """
    if document is None:
        return None
    if isinstance(of, StructType):
        return _struct_from_json(of, document)
    if isinstance(of, ListType):
        return [from_json(of.element, each) for each in _typed(of, document, list)]
    if isinstance(of, MapType):
        return _map_from_json(of, document)
    read = _FROM_JSON.get(of.kind)
    return read(of, document) if read else _from_text(of, document)


def to_json(of: Type, value: Any) -> Any:
    """Return the JSON single value of a storage value; None for None.

    Source: Iceberg table spec, "Appendix C", JSON single-value serialization.
    """
    if value is None:
        return None
    if isinstance(of, StructType):
        fields = of.fields
        return {str(each.id): to_json(each.type, value.get(each.name)) for each in fields}
    if isinstance(of, ListType):
        return [to_json(of.element, each) for each in value]
    if isinstance(of, MapType):
        keys = [to_json(of.key, key) for key, _ in value]
        return {"keys": keys, "values": [to_json(of.value, each) for _, each in value]}
    write = _TO_TEXT.get(of.kind)
    return write(value) if write else value


def _typed(of: Type, document: Any, wanted: type) -> Any:
    """The document, if it is JSON of the kind that the type is written as."""
    if type(document) is not wanted:
        raise _refused(of, document)
    return document


def _integer(of: Type, document: Any, bits: int) -> int:
    """An integer within the type's bits."""
    value = cast("int", _typed(of, document, int))
    if not -1 << bits <= value < 1 << bits:
        raise _refused(of, document)
    return value


def _number(of: Type, document: Any) -> float:
    """Any JSON number."""
    if type(document) not in {int, float}:
        raise _refused(of, document)
    return float(document)


_FROM_JSON: Final[dict[str, Callable[[Type, Any], Any]]] = {
    "boolean": lambda of, document: _typed(of, document, bool),
    "int": lambda of, document: _integer(of, document, 31),
    "long": lambda of, document: _integer(of, document, 63),
    "float": _number,
    "double": _number,
}
"""The types that JSON has itself; all others are text."""


def _from_text(of: Type, document: Any) -> Any:
    """A value that is written as text."""
    read = _FROM_TEXT.get(of.kind)
    if read is None:
        raise Unsupported("value", None, f"type {of}", "a type with a JSON single-value form")
    try:
        value = read(_typed(of, document, str))
    except (ValueError, InvalidOperation) as error:
        raise _refused(of, document) from error
    if isinstance(of, FixedType):
        return _exactly(of, value, of.length)
    if isinstance(of, DecimalType):
        unscaled(of, value)
    return value


def _struct_from_json(of: StructType, document: Any) -> dict[str, Any]:
    """An object whose keys are field ids; what it leaves out is the field's own default."""
    document = _typed(of, document, dict)
    return {
        each.name: from_json(each.type, document[str(each.id)])
        if str(each.id) in document
        else each.initial_default
        for each in of.fields
    }


def _map_from_json(of: MapType, document: Any) -> list[tuple[Any, Any]]:
    """``{"keys": [...], "values": [...]}`` of one length."""
    document = _typed(of, document, dict)
    keys, values = document.get("keys"), document.get("values")
    if type(keys) is not list or type(values) is not list or len(keys) != len(values):
        raise _refused(of, document)
    return [
        (from_json(of.key, key), from_json(of.value, value))
        for key, value in zip(keys, values, strict=True)
    ]


def _refused(of: Type, document: object) -> FormatError:
    """What a document is told that is no value of its type."""
    return FormatError("value", None, repr(document), f"the JSON of a value of type {of}")
