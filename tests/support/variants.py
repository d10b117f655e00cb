"""Variants in Python: their bytes both ways, and shredded columns made of them.

- Values are None, bool, `Number`, float, str, bytes, list and dict; `Number` says how wide it is.
- Bytes are as short as the encoding allows: what any reader that puts variants together may give.

Source: Apache Parquet, "Variant Binary Encoding" and "Variant Shredding".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa

__all__ = ["MISSING", "Number", "Shape", "decode", "encode", "metadata_of", "shredded"]

MISSING: Final = object()

_FORMS: Final = {
    3: "<b",
    4: "<h",
    5: "<i",
    6: "<q",
    7: "<d",
    11: "<i",
    12: "<q",
    13: "<q",
    14: "<f",
    17: "<q",
    18: "<q",
    19: "<q",
}
_DECIMALS: Final = {8: 4, 9: 8, 10: 16}


@dataclass(frozen=True)
class Number:
    """A primitive of a type, by its number; decimals are `Decimal`, UUIDs 16 bytes."""

    kind: int
    value: Any


def metadata_of(names: list[str], *, is_sorted: bool = False) -> bytes:
    """Metadata with these names, in their order."""
    runs = [each.encode() for each in names]
    ends = [0]
    for run in runs:
        ends.append(ends[-1] + len(run))
    width = _width(max(ends[-1], len(runs)))
    header = 1 | is_sorted << 4 | (width - 1) << 6
    numbers = [len(runs), *ends]
    return bytes([header]) + b"".join(_le(each, width) for each in numbers) + b"".join(runs)


def encode(value: Any, names: list[str]) -> bytes:
    """The bytes of a value, whose names *names* has."""
    if isinstance(value, list):
        return _nested(3, [encode(each, names) for each in value], None, names)
    if isinstance(value, dict):
        fields = sorted(value.items(), key=lambda each: each[0].encode())
        ids = [names.index(name) for name, _ in fields]
        return _nested(2, [encode(each, names) for _, each in fields], ids, names)
    if value is None or isinstance(value, bool):
        return bytes([{None: 0, True: 1, False: 2}[value] << 2])
    return _run(value) if isinstance(value, str | bytes) else _number(value)


def _run(value: str | bytes) -> bytes:
    run = value if isinstance(value, bytes) else value.encode()
    if isinstance(value, str) and len(run) < 64:
        return bytes([len(run) << 2 | 1]) + run
    return bytes([(16 if isinstance(value, str) else 15) << 2]) + _le(len(run), 4) + run


def _number(value: Number | float) -> bytes:
    number = value if isinstance(value, Number) else Number(7, value)
    return bytes([number.kind << 2]) + _digits(number)


def _digits(value: Number) -> bytes:
    if value.kind in _DECIMALS:
        sign, digits, exponent = value.value.as_tuple()
        unscaled = int("".join(map(str, digits))) * (-1 if sign else 1)
        size = _DECIMALS[value.kind]
        return bytes([-exponent]) + unscaled.to_bytes(size, "little", signed=True)
    return value.value if value.kind == 20 else struct.pack(_FORMS[value.kind], value.value)


def _nested(kind: int, parts: list[bytes], ids: list[int] | None, names: list[str]) -> bytes:
    total = sum(map(len, parts))
    width, wide, is_large = _width(total), _width(len(names)), len(parts) > 255
    header = width - 1 | (is_large << 2 if ids is None else (wide - 1) << 2 | is_large << 4)
    ends = [0]
    for part in parts:
        ends.append(ends[-1] + len(part))
    head = bytes([header << 2 | kind]) + _le(len(parts), 4 if is_large else 1)
    numbers = b"".join(_le(each, wide) for each in ids or ())
    return head + numbers + b"".join(_le(each, width) for each in ends) + b"".join(parts)


def decode(metadata: bytes, value: bytes) -> Any:
    """The value that bytes hold."""
    width = (metadata[0] >> 6) + 1
    count = _from(metadata, 1, width)
    ends = [_from(metadata, 1 + width * (1 + each), width) for each in range(count + 1)]
    begin = 1 + width * (count + 2)
    names = [metadata[begin + ends[i] : begin + ends[i + 1]].decode() for i in range(count)]
    return _decoded(value, 0, names)


def _decoded(data: bytes, at: int, names: list[str]) -> Any:
    kind, header = data[at] & 3, data[at] >> 2
    if kind == 0:
        return _primitive(data, at, header)
    if kind == 1:
        return data[at + 1 : at + 1 + header].decode()
    is_object = kind == 2
    is_large = header >> (4 if is_object else 2) & 1
    width, wide = (header & 3) + 1, (header >> 2 & 3) + 1 if is_object else 0
    at += 1
    count = _from(data, at, 4 if is_large else 1)
    at += 4 if is_large else 1
    ids = [_from(data, at + each * wide, wide) for each in range(count)] if is_object else []
    at += count * wide
    ends = [_from(data, at + each * width, width) for each in range(count + 1)]
    at += (count + 1) * width
    held = [_decoded(data, at + ends[each], names) for each in range(count)]
    return {names[i]: each for i, each in zip(ids, held, strict=True)} if is_object else held


def _primitive(data: bytes, at: int, kind: int) -> Any:
    if kind < 3:
        return (None, True, False)[kind]
    if kind in {15, 16}:
        size = _from(data, at + 1, 4)
        run = data[at + 5 : at + 5 + size]
        return run.decode() if kind == 16 else run
    if kind in _DECIMALS:
        unscaled = int.from_bytes(data[at + 2 : at + 2 + _DECIMALS[kind]], "little", signed=True)
        return Number(kind, Decimal(unscaled).scaleb(-data[at + 1]))
    if kind == 20:
        return Number(kind, data[at + 1 : at + 17])
    (held,) = struct.unpack_from(_FORMS[kind], data, at + 1)
    return held if kind == 7 else Number(kind, held)


def _width(most: int) -> int:
    return max(1, (most.bit_length() + 7) // 8)


def _le(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def _from(data: bytes, at: int, size: int) -> int:
    assert at + size <= len(data)
    return int.from_bytes(data[at : at + size], "little")


@dataclass(frozen=True)
class Shape:
    """How a level is shredded.

    of         a dict of shapes by name, a list of one shape, or the Arrow type of a primitive; None
               for nothing
    kind       the number of the primitive type; 16 for text, 15 for bytes, 1 for booleans
    has_value  whether values of another shape can be kept
    """

    of: Any = None
    kind: int = 0
    has_value: bool = True

    @property
    def type(self) -> pa.DataType:
        """The struct of a level."""
        fields = [pa.field("value", pa.binary())] if self.has_value or self.of is None else []
        if self.of is not None:
            fields.append(pa.field("typed_value", self._typed))
        return pa.struct(fields)

    @property
    def _typed(self) -> pa.DataType:
        if isinstance(self.of, dict):
            inner = [pa.field(name, each.type, nullable=False) for name, each in self.of.items()]
            return pa.struct(inner)
        if isinstance(self.of, list):
            return pa.list_(pa.field("element", self.of[0].type, nullable=False))
        return self.of

    def fits(self, value: Any) -> bool:
        """Whether the typed column takes a value."""
        if self.of is None:
            return False
        if isinstance(self.of, dict):
            return isinstance(value, dict)
        if isinstance(self.of, list):
            return isinstance(value, list)
        if isinstance(value, Number):
            return value.kind == self.kind
        kinds = {bool: 1, float: 7, bytes: 15, str: 16}
        return kinds.get(type(value)) == self.kind

    def shred(self, value: Any, names: list[str]) -> dict[str, Any]:
        """What the columns of a level hold of a value, which may be `MISSING`."""
        if value is MISSING:
            return {}
        if not self.fits(value):
            return {"value": encode(value, names)}
        if isinstance(self.of, dict):
            rest = {name: each for name, each in value.items() if name not in self.of}
            typed = {
                name: shape.shred(value.get(name, MISSING), names)
                for name, shape in self.of.items()
            }
            return {"value": encode(rest, names) if rest else None, "typed_value": typed}
        if isinstance(self.of, list):
            return {"typed_value": [self.of[0].shred(each, names) for each in value]}
        return {"typed_value": value.value if isinstance(value, Number) else value}


def shredded(rows: list[Any], names: list[str], shape: Shape) -> pa.StructArray:
    """A column of variants, `MISSING` for null, kept in a shape."""
    metadata = metadata_of(names)
    of = pa.struct([pa.field("metadata", pa.binary(), nullable=False), *shape.type])
    held = [
        None if each is MISSING else {"metadata": metadata, **shape.shred(each, names)}
        for each in rows
    ]
    return pa.array(held, of)
