"""JSON text of JSON in the binary form JSONB, as columns of `lance.json` have it.

- All integers are big-endian.  A value is a container: a header of 4 bytes, entries of 4 bytes,
  and the bytes that these describe, in their order.
- A header has a kind in its upper 3 bits (array, object, scalar) and a number of items.  An object
  has the entries of all keys before those of its values.
- An entry has a type in bits 28 to 30, and in those below it a number of bytes.
- Numbers that are not integers are formatted by the caller: their words are returned, in the order
  of the text.

Source: specs/lance/SOURCE.md, "JSONB"; specs/lance/encodings.yaml, `json_types`
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom_generated.lance.encodings import JSON_CONTAINERS, JSON_NUMBERS, JSON_TYPES

__all__ = ["DEEPEST", "json_texts"]

DEEPEST: Final = 200
"""Containers inside each other, at most."""

word: Any = np.int64
natural: Any = np.uint64

_CONTAINERS: Final = {each.name: each.number for each in JSON_CONTAINERS}
_ARRAY, _OBJECT, _SCALAR = map(_CONTAINERS.__getitem__, ("array", "object", "scalar"))
_TYPES: Final = {each.name: each.number for each in JSON_TYPES}
_TEXT, _NUMBER, _CONTAINER = map(_TYPES.__getitem__, ("text", "number", "container"))
_NULL, _FALSE, _TRUE = map(_TYPES.__getitem__, ("null", "false", "true"))
_FORMS: Final = {each.name: each.number for each in JSON_NUMBERS}
_ZERO, _DOUBLE = map(_FORMS.__getitem__, ("zero", "double"))
_INTEGER, _NATURAL = map(_FORMS.__getitem__, ("integer", "natural"))
_KIND_BITS, _COUNT, _SIZE = 29, (1 << 29) - 1, (1 << 28) - 1
_ENTRY: Final = 4
_DOUBLE_SIZE: Final = 9
_SPACE: Final = 0x20
_QUOTE, _ESCAPE, _DIGIT, _MINUS = ord('"'), ord("\\"), ord("0"), ord("-")
_COMMA, _COLON = ord(","), ord(":")
_LIST_BEGIN, _LIST_END, _PAIRS_BEGIN, _PAIRS_END = b"[]{}"
_B, _F, _N, _R, _T, _U = b"bfnrtu"
_HEX_LETTERS: Final = ord("a") - 10

# Columns of the stack of open containers.
_OPEN_KIND, _LEFT, _ENTRIES, _KEYS, _KEY_AT, _AT, _END = 0, 1, 2, 3, 4, 5, 6


@kernel
def be(data: np.ndarray, at: int, size: int) -> Any:
    """Return an unsigned big-endian number of up to eight bytes."""
    value = natural(0)
    for i in range(size):
        value = (value << natural(8)) | natural(data[at + i])
    return value


@kernel
def put(out: np.ndarray, at: int, letter: int) -> int:
    """Write a letter, unless only sizes are wanted, and return where it ends."""
    if len(out):
        out[at] = letter
    return at + 1


@kernel
def put_word(out: np.ndarray, at: int, first: int, second: int, size: int) -> int:
    """Write up to 8 letters of a word: four from *first*, the rest from *second*."""
    if len(out):
        for i in range(size):
            source = first if i < _ENTRY else second
            out[at + i] = (source >> (8 * (i % _ENTRY))) & 0xFF
    return at + size


@kernel
def put_quoted(data: np.ndarray, place: int, size: int, out: np.ndarray, at: int) -> int:
    """Write a text with quotes, and return where it ends."""
    writing = len(out) > 0
    at = put(out, at, _QUOTE)
    for i in range(size):
        byte = word(data[place + i])
        short = 0
        if byte in (_QUOTE, _ESCAPE):
            short = byte
        elif byte == 8:
            short = _B
        elif byte == 12:
            short = _F
        elif byte == 10:
            short = _N
        elif byte == 13:
            short = _R
        elif byte == 9:
            short = _T
        if short:
            if writing:
                out[at] = _ESCAPE
                out[at + 1] = short
            at += 2
        elif byte < _SPACE:
            if writing:
                out[at] = _ESCAPE
                out[at + 1] = _U
                out[at + 2] = out[at + 3] = _DIGIT
                out[at + 4] = _DIGIT + (byte >> 4)
                digit = byte & 0xF
                out[at + 5] = _DIGIT + digit if digit < 10 else _HEX_LETTERS + digit
            at += 6
        else:
            at = put(out, at, byte)
    return put(out, at, _QUOTE)


@kernel
def put_integer(value: Any, negative: bool, out: np.ndarray, at: int) -> int:
    """Write an integer, and return where it ends."""
    if negative:
        at = put(out, at, _MINUS)
    digits = 1
    rest = value // natural(10)
    while rest > natural(0):
        digits += 1
        rest = rest // natural(10)
    if len(out):
        for i in range(digits):
            out[at + digits - 1 - i] = _DIGIT + word(value % natural(10))
            value = value // natural(10)
    return at + digits


@kernel
def json_texts(
    data: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    doubles: np.ndarray,
    texts: np.ndarray,
    text_ends: np.ndarray,
    out: np.ndarray,
    out_ends: np.ndarray,
    stack: np.ndarray,
    where: np.ndarray,
) -> int:
    """Write the text of each row; return how many doubles there are, or -1 for damage.

    starts     where each row begins; -1 for null
    doubles    takes the words of doubles
    texts      the texts of all doubles, one after the other; empty to count and find doubles only
    text_ends  where each ends
    out        takes the texts of rows; empty to find their sizes only
    out_ends   takes where each text ends
    stack      room for `DEEPEST` open containers
    where      takes the row and the place of the damage
    """
    at = count = 0
    for row in range(len(starts)):
        if starts[row] < 0:
            out_ends[row] = at
            continue
        where[0] = row
        place, size, depth, pending = starts[row], ends[row] - starts[row], 0, True
        while True:
            if pending:
                where[1] = place
                pending = False
                if size < _ENTRY or depth == len(stack):
                    return -1
                header = word(be(data, place, 4))
                kind, items = header >> _KIND_BITS, header & _COUNT
                if kind == _SCALAR:
                    items = 1
                elif kind not in (_ARRAY, _OBJECT):
                    return -1
                keys = items if kind == _OBJECT else 0
                first = place + _ENTRY
                values = first + _ENTRY * (items + keys)
                if values > place + size:
                    return -1
                after = values
                for i in range(keys):
                    entry = word(be(data, first + _ENTRY * i, 4))
                    if entry >> 28 != _TEXT:
                        return -1
                    after += entry & _SIZE
                stack[depth, _OPEN_KIND], stack[depth, _LEFT] = kind, items
                stack[depth, _KEYS], stack[depth, _ENTRIES] = first, first + _ENTRY * keys
                stack[depth, _KEY_AT], stack[depth, _AT] = values, after
                stack[depth, _END] = place + size
                if kind == _SCALAR and depth:
                    return -1
                if kind != _SCALAR:
                    at = put(out, at, _LIST_BEGIN if kind == _ARRAY else _PAIRS_BEGIN)
                depth += 1
                if after > place + size:
                    return -1
            top = depth - 1
            kind = stack[top, _OPEN_KIND]
            if not stack[top, _LEFT]:
                where[1] = stack[top, _AT]
                if stack[top, _AT] != stack[top, _END]:
                    return -1
                if kind != _SCALAR:
                    at = put(out, at, _LIST_END if kind == _ARRAY else _PAIRS_END)
                depth -= 1
                if not depth:
                    break
                if stack[depth - 1, _LEFT]:
                    at = put(out, at, _COMMA)
                continue
            if kind == _OBJECT:
                length = word(be(data, stack[top, _KEYS], 4)) & _SIZE
                at = put_quoted(data, stack[top, _KEY_AT], length, out, at)
                at = put(out, at, _COLON)
                stack[top, _KEYS] += _ENTRY
                stack[top, _KEY_AT] += length
            entry = word(be(data, stack[top, _ENTRIES], 4))
            where[1] = stack[top, _ENTRIES]
            type_, length, value = entry >> 28, entry & _SIZE, stack[top, _AT]
            stack[top, _ENTRIES] += _ENTRY
            stack[top, _LEFT] -= 1
            stack[top, _AT] += length
            if stack[top, _AT] > stack[top, _END]:
                return -1
            if type_ == _CONTAINER:
                place, size, pending = value, length, True
                continue
            if type_ == _TEXT:
                at = put_quoted(data, value, length, out, at)
            elif type_ == _NUMBER:
                tag = data[value] if length else 0xFF
                if tag == _ZERO and length == 1:
                    at = put_integer(natural(0), False, out, at)  # noqa: FBT003  a kernel
                elif tag == _DOUBLE and length == _DOUBLE_SIZE:
                    doubles[count] = be(data, value + 1, 8)
                    if len(texts):
                        begin = text_ends[count - 1] if count else 0
                        for i in range(begin, text_ends[count]):
                            at = put(out, at, texts[i])
                    count += 1
                elif tag in (_INTEGER, _NATURAL) and length in (2, 3, 5, 9):
                    number = be(data, value + 1, length - 1)
                    negative = tag == _INTEGER and data[value + 1] >= 0x80
                    if negative:
                        number = (natural(0) - number) & (
                            natural(0xFFFFFFFFFFFFFFFF) >> natural(64 - 8 * (length - 1))
                        )
                    at = put_integer(number, negative, out, at)
                else:
                    where[1] = value
                    return -1
            elif length:
                return -1
            elif type_ == _NULL:
                at = put_word(out, at, 0x6C6C756E, 0, 4)
            elif type_ == _TRUE:
                at = put_word(out, at, 0x65757274, 0, 4)
            elif type_ == _FALSE:
                at = put_word(out, at, 0x736C6166, 0x65, 5)
            else:
                return -1
            if stack[top, _LEFT]:
                at = put(out, at, _COMMA)
        out_ends[row] = at
    return count
