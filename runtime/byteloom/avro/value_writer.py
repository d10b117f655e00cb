"""Write values, which are Python objects as `byteloom.avro.value_reader` returns them.

- A field that a record lacks has its default.
- A value that does not fit its type is refused, and the error names its field.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import MAX_PREC, Context, Decimal
from operator import index
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.avro.nodes import Enum, Lists, Node, Plain, Record, Union
from byteloom.avro.program import compile_values
from byteloom.errors import FormatError, beginning, count_of_bytes

if TYPE_CHECKING:
    Put: TypeAlias = Callable[[Any, bytearray], None]
    """Adds a value."""

__all__ = ["ValueWriter"]

_BITS: Final = {"int": 32, "long": 64}
_FLOATS: Final = {"float": struct.Struct("<f"), "double": struct.Struct("<d")}
_EXACT: Final = Context(prec=MAX_PREC)


class ValueWriter:
    """Writes values of one schema."""

    def __init__(self, schema: Any) -> None:
        """Take a schema, parsed from JSON; errors as for `compile_values`."""
        self._put = _putter(compile_values(schema).root)

    def write(self, value: Any) -> bytes:
        """Return the bytes of *value*.

        raises  `FormatError` for a value that does not fit the schema
        """
        out = bytearray()
        self._put(value, out)
        return bytes(out)

    def append(self, value: Any, out: bytearray) -> None:
        """Add the bytes of *value* to *out*; errors as for `write`."""
        self._put(value, out)


def _putter(node: Node) -> Put:
    """Return the function that puts values of *node*."""
    match node:
        case Plain():
            return _plain_putter(node)
        case Enum(symbols=symbols):
            return _enum_putter(symbols)
        case Record(fields):
            return _record_putter(
                [(each.name, each.said.get("default"), _putter(each.node)) for each in fields]
            )
        case Union():
            return _union_putter(node)
        case Lists():
            return _list_putter(node)
    raise TypeError(node)  # no schema compiles to any other node here


def _put_long(number: int, out: bytearray) -> None:
    rest = number << 1 if number >= 0 else ~(number << 1)
    while rest > 0x7F:  # noqa: PLR2004  what fits a byte
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)


def _put_integer(bits: int) -> Put:
    low, high = -1 << bits - 1, (1 << bits - 1) - 1

    def put(value: Any, out: bytearray) -> None:
        try:
            number = value if type(value) is int else index(value)  # NumPy's are others
        except TypeError as error:
            raise _refused(value, f"a whole number of {bits} bits") from error
        if isinstance(value, bool) or not low <= number <= high:
            raise _refused(value, f"a whole number of {bits} bits")
        _put_long(number, out)

    return put


def _put_float(form: struct.Struct) -> Put:
    def put(value: Any, out: bytearray) -> None:
        try:
            out += form.pack(value)
        except (struct.error, OverflowError) as error:
            raise _refused(value, f"a number of {8 * form.size} bits") from error

    return put


def _put_boolean(value: Any, out: bytearray) -> None:
    if not isinstance(value, bool):
        raise _refused(value, "True or False")
    out.append(value)


def _put_null(value: Any, _: bytearray) -> None:
    if value is not None:
        raise _refused(value, "None")


def _put_bytes(value: Any, out: bytearray) -> None:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _refused(value, "bytes")
    _put_long(len(value), out)
    out += value


def _put_text(value: Any, out: bytearray) -> None:
    try:
        raw = str.encode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise _refused(value, "text") from error
    _put_long(len(raw), out)
    out += raw


def _put_sized(size: int) -> Put:
    def put(value: Any, out: bytearray) -> None:
        if not isinstance(value, bytes | bytearray | memoryview) or len(value) != size:
            raise _refused(value, count_of_bytes(size))
        out += value

    return put


def _put_decimal(put_bytes: Put, node: Plain, scale: int) -> Put:
    digits = node.said.get("precision")

    def put(value: Any, out: bytearray) -> None:
        if isinstance(value, Decimal):
            number = _EXACT.scaleb(value, scale) if value.is_finite() else value
            size = node.size or 0
            try:
                whole = int(number)
                size = size or whole.bit_length() // 8 + 1
                raw = whole.to_bytes(size, signed=True)
            except (ValueError, OverflowError) as error:
                raise _refused(value, f"a decimal of {digits} digits") from error
            if whole != number or (isinstance(digits, int) and abs(whole) >= 10**digits):
                raise _refused(value, f"a decimal of {digits} digits, {scale} after the point")
            value = raw
        put_bytes(value, out)

    return put


def _refused(value: Any, wanted: str) -> FormatError:
    return FormatError("", None, beginning(value), wanted)


def _plain_putter(node: Plain) -> Put:
    putters: dict[str, Put] = {
        "null": _put_null,
        "boolean": _put_boolean,
        "bytes": _put_bytes,
        "string": _put_text,
        "fixed": _put_sized(node.size),
        **{name: _put_integer(bits) for name, bits in _BITS.items()},
        **{name: _put_float(form) for name, form in _FLOATS.items()},
    }
    put = putters[node.type]
    return put if node.scale is None else _put_decimal(put, node, node.scale)


def _enum_putter(symbols: Sequence[str]) -> Put:
    def put(value: Any, out: bytearray) -> None:
        if value not in symbols:
            raise _refused(value, f"one of {', '.join(symbols)}")
        _put_long(symbols.index(value), out)

    return put


def _record_putter(fields: Sequence[tuple[str, Any, Put]]) -> Put:
    def put(value: Any, out: bytearray) -> None:
        if not isinstance(value, Mapping):
            raise _refused(value, "a dict of the fields of a record")
        for name, default, put_field in fields:
            try:
                put_field(value.get(name, default), out)
            except FormatError as error:
                raise error.inside(name) from error.__cause__

    return put


def _union_putter(node: Union) -> Put:
    is_optional = node.is_optional
    numbers = {label: number for number, (label, _) in enumerate(node.branches)}
    putters = [_putter(each) for _, each in node.branches]
    other = next((each for each in numbers.values() if each != node.null), node.null)

    def put(value: Any, out: bytearray) -> None:
        number = other
        if value is None and node.null >= 0:
            number = node.null
        elif not is_optional:
            label, value = value if isinstance(value, tuple) else (None, value)
            number = numbers.get(str(label).rpartition(".")[2], -1)
            if number < 0:
                raise _refused(value, f"a pair of one of {', '.join(numbers)} and a value")
        _put_long(number, out)
        putters[number](value, out)

    return put


def _list_putter(node: Lists) -> Put:
    put_value = _putter(node.items)

    def put_pair(value: Any, out: bytearray) -> None:
        _put_text(value[0], out)
        put_value(value[1], out)

    put_item = put_value if node.keys is None else put_pair

    def put(value: Any, out: bytearray) -> None:
        if node.keys is not None:
            if not isinstance(value, Mapping):
                raise _refused(value, "a dict")
            value = list(value.items())
        if not isinstance(value, list | tuple):
            raise _refused(value, "a list")
        if value:
            _put_long(len(value), out)
        for number, each in enumerate(value):
            try:
                put_item(each, out)
            except FormatError as error:
                raise error.inside(f"[{number}]") from error.__cause__
        out.append(0)

    return put
