"""Parquet's structs read by the spec's tables, field by field: what loops are compared with."""

from __future__ import annotations

from typing import Any

from tests.support.varints import varint_at, zigzag_at

from byteloom_generated.parquet import footers
from byteloom_generated.parquet.footers import ThriftField

__all__ = ["footer_of", "struct_at"]

_WIRE = {
    "bool": (1, 2), "i8": (3,), "i16": (4,), "i32": (5,), "i64": (6,), "binary": (8,), "list": (9,),
    "struct": (12,),
}  # fmt: skip
_STRUCTS: dict[str, tuple[ThriftField, ...]] = {
    "".join(part.capitalize() for part in name.split("_")): getattr(footers, name)
    for name in footers.__all__
    if name.isupper() and isinstance(getattr(footers, name)[0], ThriftField)
}


def footer_of(file: bytes) -> dict[str, Any]:
    """The footer of a file."""
    size = int.from_bytes(file[-8:-4], "little")
    found, end = struct_at(file, len(file) - 8 - size, "FileMetaData")
    assert end == len(file) - 8
    return found


def struct_at(data: bytes, at: int, of: str) -> tuple[dict[str, Any], int]:
    """The fields of a struct by their names, and one past its end.

    A struct that has no table has its numbers for names.
    """
    table = {each.number: each for each in _STRUCTS.get(of, ())}
    found: dict[str, Any] = {}
    number = 0
    while data[at]:
        head, at = data[at], at + 1
        step, wire = head >> 4, head & 15
        if not step:
            number, at = zigzag_at(data, at)
        number += step
        field = table.get(number)
        if table:
            assert field is not None, f"{of} has no field {number}"
            assert wire in _WIRE[field.kind], f"{of}.{field.name} is of kind {wire}"
        value, at = _value(data, at, wire, "" if field is None else field.type)
        found[str(number) if field is None else field.name] = value
    missing = {each.name for each in table.values() if each.required} - found.keys()
    assert not missing, f"{of} lacks {missing}"
    return found, at + 1


def _value(data: bytes, at: int, wire: int, of: str) -> tuple[Any, int]:
    if wire in {1, 2}:
        return wire == 1, at
    if wire == 3:
        return int.from_bytes(data[at : at + 1], signed=True), at + 1
    if wire in {4, 5, 6}:
        return zigzag_at(data, at)
    if wire == 8:
        size, at = varint_at(data, at)
        return data[at : at + size], at + size
    if wire == 12:
        return struct_at(data, at, of)
    assert wire == 9, f"kind {wire}"
    head, at = data[at], at + 1
    size, inner = head >> 4, head & 15
    if size == 15:
        size, at = varint_at(data, at)
    values = []
    for _ in range(size):
        value, at = (data[at] == 1, at + 1) if inner in {1, 2} else _value(data, at, inner, of)
        values.append(value)
    return values, at
