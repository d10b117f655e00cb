"""Random damage: to bytes, to documents (JSON or YAML values), and to text.

All functions draw from the generator they are given, so that an input is known by its number.
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from random import Random

__all__ = ["damaged_bytes", "damaged_document", "damaged_json", "damaged_text"]

_NUMBERS: Final = (
    0, 1, 2, 127, 128, 255, 256, (1 << 15) - 1, 1 << 15, (1 << 16) - 1, 1 << 20, (1 << 31) - 1,
    1 << 31, (1 << 32) - 1, (1 << 62), (1 << 63) - 1, 1 << 63, (1 << 64) - 1,
)  # fmt: skip
"""Values at which programs change their minds."""

_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2, 1 << 31, -(1 << 31) - 1, (1 << 63) - 1, 1 << 63, 10**400, 0.5,
    1e308, float("nan"), float("inf"), "", "\0", "\ud800", "x" * 300, "\u00e9\U0001f600", "0", "-1",
    "9" * 30, "null", "long", "string", "../x", [], {}, [[]], [None], {"": None}, [[[[[[]]]]]],
)  # fmt: skip
"""Values that documents may hold where others are expected."""


def damaged_bytes(chance: Random, data: bytes, other: bytes = b"") -> bytes:
    """Return *data* with one to three changes; *other* lends bytes to some of them."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(chance, out, other)
    return bytes(out)


def _change(chance: Random, out: bytearray, other: bytes) -> None:
    if not out:
        out += chance.randbytes(chance.randrange(1, 20))
        return
    at = _place(chance, len(out))
    kind = chance.randrange(12)
    if kind <= 3:
        out[at] ^= 1 << chance.randrange(8)
    elif kind == 4:
        out[at] = chance.choice((0, 1, 2, 0x7F, 0x80, 0x81, 0xFE, 0xFF, chance.randrange(256)))
    elif kind <= 6:
        _renumber(chance, out, at)
    else:
        _move(chance, out, at, other or bytes(out))


def _renumber(chance: Random, out: bytearray, at: int) -> None:
    """Put another number of 1 to 8 bytes at a place: a special one, or one that is near."""
    width = chance.choice((1, 2, 4, 8))
    order: Literal["big", "little"] = "big" if chance.random() < 0.5 else "little"
    number = chance.choice(_NUMBERS)
    if chance.random() < 0.5:
        number = int.from_bytes(out[at : at + width], order) + chance.choice((-1, 1, -2, 2, 16))
    out[at : at + width] = (number % (1 << 8 * width)).to_bytes(width, order)


def _move(chance: Random, out: bytearray, at: int, lender: bytes) -> None:
    """Drop, double, insert, clear or replace bytes at a place, cut there, or add to the end."""
    size = min(chance.choice((1, 1, 2, 4, 8, 16, 100, 1000)), len(out) - at)
    kind = chance.randrange(7)
    if kind == 0:
        del out[at : at + size]
    elif kind == 1:
        out[at:at] = out[at : at + size]
    elif kind == 2:
        out[at:at] = chance.randbytes(size)
    elif kind == 3:
        out[at : at + size] = bytes(size)
    elif kind == 4:
        start = chance.randrange(len(lender))
        out[at : at + size] = lender[start : start + size]
    elif kind == 5:
        del out[at:]
    else:
        out += chance.randbytes(size)


def _place(chance: Random, size: int) -> int:
    """Return a place in *size* bytes: anywhere, or near one of the ends, where layouts begin."""
    kind = chance.randrange(4)
    if kind == 0:
        return min(size - 1, int(chance.expovariate(1 / 40)))
    if kind == 1:
        return max(0, size - 1 - int(chance.expovariate(1 / 40)))
    return chance.randrange(size)


def damaged_document(chance: Random, value: Any) -> Any:
    """Return a copy of *value*, lists and dicts in each other, with one to three changes."""
    root = [copy.deepcopy(value)]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(root))
        holder, key = chance.choice(places)
        kind = chance.randrange(8)
        if kind <= 2:
            holder[key] = copy.deepcopy(chance.choice(_VALUES))
        elif kind == 3 and holder is not root:
            del holder[key]
        elif kind == 4:
            lender, theirs = chance.choice(places)
            holder[key] = copy.deepcopy(lender[theirs])
        elif kind == 5:
            holder[key] = [holder[key]] if chance.random() < 0.5 else {"x": holder[key]}
        elif kind == 6 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif kind == 6 and isinstance(holder, dict):
            holder[chance.choice(("x", "", "id", "type", str(key) + "x"))] = holder.pop(key)
        else:
            holder[key] = _nudged(chance, holder[key])
    return root[0]


def _places(value: Any) -> Any:
    """Yield each holder with each of its keys."""
    for key in range(len(value)) if isinstance(value, list) else list(value):
        yield value, key
        if isinstance(value[key], list | dict):
            yield from _places(value[key])


def _nudged(chance: Random, value: Any) -> Any:
    """Return a value like *value*."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return chance.choice(
            (value + 1, value - 1, -value, value << 32, value % 99 + 0.5, str(value))
        )
    if isinstance(value, str):
        return damaged_text(chance, value)
    return copy.deepcopy(chance.choice(_VALUES))


def damaged_text(chance: Random, text: str) -> str:
    """Return *text* with a few characters dropped, doubled, replaced or moved."""
    out = list(text)
    at = chance.randrange(len(out) + 1)
    size = chance.choice((1, 1, 2, 5, 30))
    kind = chance.randrange(5)
    if kind == 0:
        del out[at : at + size]
    elif kind == 1:
        out[at:at] = out[at : at + size]
    elif kind == 2:
        out[at : at + 1] = chance.choice(
            ("\0", "\n", "\t", '"', "\\", "[", "}", "-", "9", "\u0663", "\ud800", "=", " ", ".")
        )
    elif kind == 3 and out:
        start = chance.randrange(len(out))
        out[at:at] = out[start : start + size]
    else:
        out.reverse() if len(out) < 9 else out.insert(
            at, chance.choice(("0", "1e9", "/", "$", "'"))
        )
    return "".join(out)


def damaged_json(chance: Random, text: bytes) -> bytes:
    """Return a JSON document with changes to its values, or to its bytes."""
    if chance.random() < 0.2:
        return damaged_bytes(chance, text)
    return json.dumps(damaged_document(chance, json.loads(text))).encode("utf-8", "surrogatepass")
