"""Structs in Thrift's compact protocol as trees that can be changed and stored again.

A struct is a list of fields, each a list of number, kind and value; a list is its kind and items.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from tests.support.varints import folded, varint, varint_at, zigzag_at

if TYPE_CHECKING:
    from random import Random

__all__ = ["STRUCT", "changed", "field", "parsed", "stored"]

_BOOLS, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _LIST, STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, 9, 12

_VALUES: Final = (
    *range(13), 15, 17, 21, 22, 23, 31, 63, 127, 128, 255, 256, -1, -2, -128, 1 << 15, 1 << 31,
    (1 << 31) - 1, -(1 << 31), 1 << 40, (1 << 63) - 1, -(1 << 63),
)  # fmt: skip
"""Numbers that fields get: those of kinds and just beyond, and those at which programs change."""


def parsed(data: bytes, at: int, kind: int = STRUCT) -> tuple[Any, int]:
    """Return a value of a kind, and the place after it."""
    if kind in _BOOLS:
        return None, at
    if kind == _BYTE:
        return data[at], at + 1
    if kind in _NUMBERS:
        return zigzag_at(data, at)
    if kind == _DOUBLE:
        return data[at : at + 8], at + 8
    if kind == _BINARY:
        size, at = varint_at(data, at)
        return data[at : at + size], at + size
    return _items(data, at) if kind == _LIST else _fields(data, at)


def _items(data: bytes, at: int) -> tuple[Any, int]:
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = varint_at(data, at)
    items = []
    for _ in range(count):
        item, at = (data[at], at + 1) if kind in _BOOLS else parsed(data, at, kind)
        items.append(item)
    return [kind, items], at


def _fields(data: bytes, at: int) -> tuple[Any, int]:
    fields, number = list[Any](), 0
    while data[at]:
        step, kind = data[at] >> 4, data[at] & 15
        number, at = (number + step, at + 1) if step else parsed(data, at + 1, 4)
        value, at = parsed(data, at, kind)
        fields.append([number, kind, value])
    return fields, at + 1


def stored(value: Any, kind: int = STRUCT) -> bytes:
    """Return the bytes of a value."""
    if kind in _BOOLS:
        return b""
    if kind in _NUMBERS:
        return varint(folded(value) % (1 << 64))
    if kind == _BINARY:
        return varint(len(value)) + bytes(value)
    if kind in {_BYTE, _DOUBLE}:
        return bytes([value] if kind == _BYTE else value)
    return _stored_items(*value) if kind == _LIST else _stored_fields(value)


def _stored_items(kind: int, items: list[Any]) -> bytes:
    count = len(items)
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + varint(count)
    parts = (bytes([each]) if kind in _BOOLS else stored(each, kind) for each in items)
    return head + b"".join(parts)


def _stored_fields(value: list[Any]) -> bytes:
    out, before = b"", 0
    for number, of, each in value:
        step, before = number - before, number
        out += bytes([step << 4 | of]) if 0 < step < 16 else bytes([of]) + stored(number, 4)
        out += stored(each, of)
    return out + b"\0"


def field(struct: Any, number: int) -> Any:
    """Return the value of a field."""
    return next(value for own, _, value in struct if own == number)


def changed(chance: Random, struct: Any) -> Any:
    """Return a copy of a struct with one or two changes anywhere in it."""
    root = [copy.deepcopy(struct)]
    for _ in range(chance.choice((1, 1, 1, 2))):
        kind, holder, key = chance.choice(list(_places(STRUCT, root, 0)))
        value = holder[key]
        if kind == _BYTE:
            holder[key] = chance.randrange(256)
        elif kind in _NUMBERS:
            near = value + chance.choice((-1, 1))
            holder[key] = near if chance.random() < 0.2 else chance.choice(_VALUES)
        elif kind == _DOUBLE:
            holder[key] = chance.randbytes(8)
        elif kind == _BINARY:
            others = b"", value + b"x", value[:-1], b"\xff" + value[1:], 2 * value, 300 * b"x"
            holder[key] = chance.choice((*others, chance.randbytes(len(value))))
        elif kind == _LIST:
            _change_items(chance, value[1])
        elif kind == STRUCT:
            _change_fields(chance, value)
    return root[0]


def _places(kind: int, holder: Any, key: int) -> Any:
    """Yield the kind of each value with its holder and its key there."""
    yield kind, holder, key
    value = holder[key]
    if kind == STRUCT:
        for each in value:
            yield from _places(each[1], each, 2)
    elif kind == _LIST:
        for at in range(len(value[1])):
            yield from _places(value[0], value[1], at)


def _change_items(chance: Random, items: list[Any]) -> None:
    """Drop, double or repeat items."""
    kind = chance.randrange(4)
    if not items or kind == 0:
        items.clear()
    elif kind == 1:
        items.pop(chance.randrange(len(items)))
    elif kind == 2:
        items.append(copy.deepcopy(chance.choice(items)))
    else:
        items[:] = [copy.deepcopy(each) for each in items * chance.choice((2, 20))]


def _change_fields(chance: Random, fields: list[Any]) -> None:
    """Drop, renumber, double, retype or add a field."""
    new = {1: None, 5: chance.choice(_VALUES), 6: chance.choice(_VALUES), 8: b"abcd", STRUCT: []}
    kind, of = chance.randrange(5), chance.choice(list(new))
    at = chance.randrange(len(fields)) if fields else 0
    if not fields or kind == 0:
        last = max((each[0] for each in fields), default=0)
        fields.append([last + chance.randrange(1, 12), of, new[of]])
    elif kind == 1:
        fields.pop(at)
    elif kind == 2:
        fields[at][0] = chance.randrange(1, 20)
    elif kind == 3:
        fields.append(copy.deepcopy(fields[at]))
    else:
        fields[at][1:] = [of, new[of]]
