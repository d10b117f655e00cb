"""Single values as JSON, as defaults and the literals of expressions are written.

The rules:

- The form of each type is the one that ``specs/iceberg/types.yaml`` names.
- Values that are read are checked against their type: digits, bits, lengths.
- Hexadecimal is written in capitals, as Java does; both cases are read.

Source: Iceberg table spec, "Appendix C", JSON single-value serialization.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.datetimes import (
    date_text,
    parse_date,
    parse_time,
    parse_timestamp,
    time_text,
    timestamp_text,
)
from byteloom.iceberg.types import DecimalType, FixedType, ListType, MapType, StructType, Type
from byteloom.iceberg.values.binary import unscaled

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["from_json", "to_json"]


def from_json(of: Type, document: Any) -> Any:
    """Return the storage value of a JSON single value; None for null.

    Raises:
        FormatError: JSON that is not a value of the type.

    Source: Iceberg table spec, "Appendix C", JSON single-value serialization.
    """
    if document is None:
        return None
    read = _FROM_JSON.get(of.row.json or "")
    if read is None:
        raise Unsupported("value", None, f"type {of}", "a type with a JSON single-value form")
    return read(of, document)


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
    write = _TO_TEXT.get(of.row.json or "")
    return write(of, value) if write else value


def _typed(of: Type, document: Any, wanted: type) -> Any:
    """Return the document if it is of the JSON type *wanted*."""
    if type(document) is not wanted:
        raise _refused(of, document)
    return document


def _integer(bits: int) -> Callable[[Type, Any], int]:
    """Return a reader of integers of that number of bits."""

    def read(of: Type, document: Any) -> int:
        value = cast("int", _typed(of, document, int))
        if not -1 << (bits - 1) <= value < 1 << (bits - 1):
            raise _refused(of, document)
        return value

    return read


def _number(of: Type, document: Any) -> float:
    """Return any JSON number as a float."""
    if type(document) not in {int, float}:
        raise _refused(of, document)
    return float(document)


def _text(parse: Callable[[Type, str], Any]) -> Callable[[Type, Any], Any]:
    """Return a reader of values that are written as text."""

    def read(of: Type, document: Any) -> Any:
        try:
            return parse(of, _typed(of, document, str))
        except (ValueError, InvalidOperation) as error:
            raise _refused(of, document) from error

    return read


def _bytes(of: Type, text: str) -> bytes:
    """Return bytes from hexadecimal text, which must have the type's length."""
    value = bytes.fromhex(text)
    if isinstance(of, FixedType) and len(value) != of.length:
        raise FormatError("value", None, f"{len(value)} bytes", f"{of.length} for type {of}")
    return value


def _decimal(of: Type, text: str) -> Decimal:
    """Return a decimal that fits the type."""
    value = Decimal(text)
    unscaled(cast("DecimalType", of), value)
    return value


def _moment(of: Type, text: str) -> int:
    """Return a timestamp in the type's unit."""
    return parse_timestamp(text, unit=of.row.unit or "us", zoned=of.row.zoned)


def _struct(of: Type, document: Any) -> dict[str, Any]:
    """Return an object whose keys are field ids; missing fields get their defaults."""
    document = _typed(of, document, dict)
    return {
        each.name: from_json(each.type, document[str(each.id)])
        if str(each.id) in document
        else each.initial_default
        for each in cast("StructType", of).fields
    }


def _array(of: Type, document: Any) -> list[Any]:
    """Return the elements of a list."""
    element = cast("ListType", of).element
    return [from_json(element, each) for each in _typed(of, document, list)]


def _pairs(of: Type, document: Any) -> list[tuple[Any, Any]]:
    """Return the pairs of ``{"keys": [...], "values": [...]}``, which must have one length."""
    pair, document = cast("MapType", of), _typed(of, document, dict)
    keys, values = document.get("keys"), document.get("values")
    if type(keys) is not list or type(values) is not list or len(keys) != len(values):
        raise _refused(of, document)
    return [
        (from_json(pair.key, key), from_json(pair.value, value))
        for key, value in zip(keys, values, strict=True)
    ]


def _refused(of: Type, document: object) -> FormatError:
    """Return the error for a document that is not a value of its type."""
    return FormatError("value", None, repr(document), f"the JSON of a value of type {of}")


_FROM_JSON: Final[dict[str, Callable[[Type, Any], Any]]] = {
    "boolean": lambda of, document: _typed(of, document, bool),
    "s4": _integer(32),
    "s8": _integer(64),
    "number": _number,
    "decimal": _text(_decimal),
    "date": _text(lambda _, text: parse_date(text)),
    "time": _text(lambda _, text: parse_time(text)),
    "moment": _text(_moment),
    "text": _text(lambda _, text: text),
    "uuid": _text(lambda _, text: UUID(text)),
    "hex": _text(_bytes),
    "by-id": _struct,
    "array": _array,
    "pairs": _pairs,
}
"""Functions that read values, by form; null, which every type allows, is handled before."""

_TO_TEXT: Final[dict[str, Callable[[Type, Any], str]]] = {
    "decimal": lambda _, value: str(value),
    "date": lambda _, value: date_text(value),
    "time": lambda _, value: time_text(value),
    "moment": lambda of, value: timestamp_text(value, unit=of.row.unit or "us", zoned=of.row.zoned),
    "text": lambda _, value: str(value),
    "uuid": lambda _, value: str(value),
    "hex": lambda _, value: value.hex().upper(),
}
"""Functions that write the forms that are text; booleans and numbers are written unchanged."""
