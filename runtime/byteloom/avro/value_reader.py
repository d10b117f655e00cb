"""Read values one at a time, as Python objects.

- Records and maps are dicts, arrays are lists, and enums are text.  Decimals are `Decimal`; values
  of other logical types are as they are stored.
- A union of null and one other type is None or a value of that type.  In a union of several others,
  a value is a pair: the name of its type without the namespace, and the value itself.

Values that come by the thousand are read as columns.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import MAX_PREC, Context, Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.avro.nodes import Enum, Lists, Node, Plain, Record, Union
from byteloom.avro.program import compile_values
from byteloom.errors import FormatError, count_of_bytes, found_by

if TYPE_CHECKING:
    Take: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
    """Returns the value at a place, and the place after it."""

__all__ = ["ValueReader"]

_FLOATS: Final = {"float": struct.Struct("<f"), "double": struct.Struct("<d")}
_LONGEST: Final = 10
"""Most bytes of a number."""

_MORE: Final = 0x80
"""The bit of bytes of a number that others follow."""

_EXACT: Final = Context(prec=MAX_PREC)


class ValueReader:
    """Reads values of one schema."""

    def __init__(self, schema: Any) -> None:
        """Take a schema, parsed from JSON; errors as for `compile_values`."""
        self._take = _taker(compile_values(schema).root)

    def read(self, data: bytes) -> Any:
        """Return the value that *data* consists of.

        raises  `FormatError` for bytes that do not fit the schema, and for bytes after the value
        """
        value, end = self._take(data, 0)
        if end != len(data):
            left = f"{count_of_bytes(len(data) - end)} after the value"
            raise FormatError("", end, left, "none")
        return value

    def take(self, data: bytes, at: int) -> tuple[Any, int]:
        """Return the value at a place in *data*, and the place after it; errors as for `read`."""
        return self._take(data, at)


# Numbers and bytes


def _take_long(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    for place in range(at, at + _LONGEST):
        if place >= len(data):
            break
        byte = data[place]
        if byte < _MORE:
            number |= byte << shift
            if number >> 64:
                break
            return (number >> 1) ^ -(number & 1), place + 1
        number |= (byte & 0x7F) << shift
        shift += 7
    raise _wrong(data, at, "a whole number of at most 10 bytes inside the value")


def _take_int(data: bytes, at: int) -> tuple[int, int]:
    number, end = _take_long(data, at)
    if not -1 << 31 <= number < 1 << 31:
        raise _wrong(data, at, "a number of 32 bits")
    return number, end


def _take_boolean(data: bytes, at: int) -> tuple[bool, int]:
    if data[at : at + 1] not in {b"\0", b"\1"}:
        raise _wrong(data, at, "0 or 1")
    return data[at] == 1, at + 1


def _take_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    size, start = _take_long(data, at)
    if not 0 <= size <= len(data) - start:
        raise _wrong(data, at, "a length of bytes that are inside the value")
    return data[start : start + size], start + size


def _take_text(data: bytes, at: int) -> tuple[str, int]:
    raw, end = _take_bytes(data, at)
    try:
        return raw.decode(), end
    except UnicodeDecodeError as error:
        place = end - len(raw) + error.start
        found = found_by("invalid UTF-8", error)
        raise FormatError("", place, found, "text in UTF-8") from error


def _take_sized(size: int) -> Take:
    def take(data: bytes, at: int) -> tuple[bytes, int]:
        if size > len(data) - at:
            raise _wrong(data, at, count_of_bytes(size))
        return data[at : at + size], at + size

    return take


def _take_float(form: struct.Struct) -> Take:
    take_bytes = _take_sized(form.size)

    def take(data: bytes, at: int) -> tuple[float, int]:
        raw, end = take_bytes(data, at)
        return form.unpack(raw)[0], end

    return take


def _take_decimal(take_bytes: Take, scale: int) -> Take:
    def take(data: bytes, at: int) -> tuple[Decimal, int]:
        raw, end = take_bytes(data, at)
        return _EXACT.scaleb(Decimal(int.from_bytes(raw, signed=True)), -scale), end

    return take


def _wrong(data: bytes, at: int, wanted: str) -> FormatError:
    return FormatError("", at, data[at : at + _LONGEST].hex(" ") or "nothing", wanted)


# A function that takes, for each kind of node


def _taker(node: Node) -> Take:
    """Return the function that takes values of *node*."""
    match node:
        case Plain():
            return _plain_taker(node)
        case Enum(symbols=symbols):
            return _enum_taker(symbols)
        case Record(fields):
            return _record_taker([(each.name, _taker(each.node)) for each in fields])
        case Union():
            return _union_taker(node)
        case Lists():
            return _list_taker(node)
    raise TypeError(node)  # no schema compiles to any other node here


def _plain_taker(node: Plain) -> Take:
    takers: dict[str, Take] = {
        "null": lambda _, at: (None, at),
        "boolean": _take_boolean,
        "int": _take_int,
        "long": _take_long,
        "bytes": _take_bytes,
        "string": _take_text,
        "fixed": _take_sized(node.size),
        **{name: _take_float(form) for name, form in _FLOATS.items()},
    }
    take = takers[node.type]
    return take if node.scale is None else _take_decimal(take, node.scale)


def _enum_taker(symbols: Sequence[str]) -> Take:
    def take(data: bytes, at: int) -> tuple[str, int]:
        number, end = _take_int(data, at)
        if not 0 <= number < len(symbols):
            raise _wrong(data, at, "a number of a symbol that the schema has")
        return symbols[number], end

    return take


def _record_taker(fields: Sequence[tuple[str, Take]]) -> Take:
    def take(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        made, name = {}, ""
        try:
            for name, take_field in fields:
                made[name], at = take_field(data, at)
        except FormatError as error:
            raise error.inside(name) from error.__cause__
        return made, at

    return take


def _union_taker(node: Union) -> Take:
    is_optional = node.is_optional
    branches = [(label, _taker(each)) for label, each in node.branches]

    def take(data: bytes, at: int) -> tuple[Any, int]:
        number, start = _take_long(data, at)
        if not 0 <= number < len(branches):
            raise _wrong(data, at, "a number of a branch that the schema has")
        label, take_branch = branches[number]
        value, end = take_branch(data, start)
        return value if is_optional or number == node.null else (label, value), end

    return take


def _list_taker(node: Lists) -> Take:
    take_item = _taker(node.items)
    if node.keys is not None:
        take_item = _pair_taker(take_item)

    def take(data: bytes, at: int) -> tuple[Any, int]:
        found: list[Any] = []
        count, at = _block_at(data, at)
        while count:
            for _ in range(count):
                try:
                    item, at = take_item(data, at)
                except FormatError as error:
                    raise error.inside(f"[{len(found)}]") from error.__cause__
                found.append(item)
            count, at = _block_at(data, at)
        return found if node.keys is None else dict(found), at

    return take


def _pair_taker(take_value: Take) -> Take:
    def take(data: bytes, at: int) -> tuple[tuple[str, Any], int]:
        key, at = _take_text(data, at)
        value, at = take_value(data, at)
        return (key, value), at

    return take


def _block_at(data: bytes, at: int) -> tuple[int, int]:
    """Return the number of items in the next block of a list; each takes at least one byte."""
    count, start = _take_long(data, at)
    if count < 0:
        count, size = -count, 0
        size, start = _take_long(data, start)
        if not 0 <= size <= len(data) - start:
            raise _wrong(data, at, "a count of items that are inside the value")
    if count > len(data) - start:
        raise _wrong(data, at, "a count of items that are inside the value")
    return count, start
