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

from byteloom.native.kernel import kernel
from byteloom.native.loads import be32, byte, copy_run, le64, put_byte, put_le64
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
_KIND_BITS, _KINDS, _COUNT = 29, 7, (1 << 29) - 1
_TYPE_BITS, _TYPES_AND_MORE, _SIZE = 28, 15, (1 << 28) - 1
_ENTRY: Final = 4
_DOUBLE_SIZE: Final = 9
_QUOTE, _ESCAPE, _DIGIT, _MINUS = ord('"'), ord("\\"), ord("0"), ord("-")
_COMMA, _COLON = ord(","), ord(":")
_LIST_BEGIN, _LIST_END, _PAIRS_BEGIN, _PAIRS_END = b"[]{}"
_B, _F, _N, _R, _T, _U = b"bfnrtu"
_HEX_LETTERS: Final = ord("a") - 10
_NULL_WORD, _TRUE_WORD, _FALSE_WORD = (
    int.from_bytes(each, "little") for each in (b"null", b"true", b"false")
)

_WORD: Final = 8
_ONES: Final = 0x0101010101010101
_HIGH: Final = -0x7F7F7F7F7F7F7F80
"""The highest bit of each byte of a word."""
_SPACES, _QUOTES, _ESCAPES = 0x20 * _ONES, _QUOTE * _ONES, _ESCAPE * _ONES
_SPACE: Final = 0x20

# Columns of the stack of open containers: the kind, the items that are left, where the entries of
# items and of keys, the next key and the next item are, and the end.
_OPEN_KIND, _LEFT, _ENTRIES, _KEYS, _KEY_AT, _AT, _END = 0, 1, 2, 3, 4, 5, 6


@kernel
def be(base: int, at: int, size: int) -> Any:
    """Return an unsigned big-endian number of up to eight bytes."""
    value = natural(0)
    for i in range(size):
        value = (value << natural(8)) | natural(byte(base, at + i))
    return value


@kernel
def put(out: int, at: int, letter: int) -> int:
    """Write a letter, unless *out* is 0 since only sizes are wanted; return where it ends."""
    if out:
        put_byte(out, at, letter)
    return at + 1


@kernel
def put_letters(out: int, at: int, letters: int, size: int) -> int:
    """Write up to eight letters, the first of which is the lowest byte."""
    for i in range(size):
        at = put(out, at, letters >> (8 * i))
    return at


@kernel
def put_escaped(letter: int, out: int, at: int) -> int:
    """Write a letter of a text, with an escape if it needs one; return where it ends."""
    short = word(0)
    if letter in (_QUOTE, _ESCAPE):
        short = letter
    elif letter == 8:
        short = word(_B)
    elif letter == 12:
        short = word(_F)
    elif letter == 10:
        short = word(_N)
    elif letter == 13:
        short = word(_R)
    elif letter == 9:
        short = word(_T)
    if short:
        return put(out, put(out, at, _ESCAPE), short)
    if letter >= _SPACE:
        return put(out, at, letter)
    at = put(out, put(out, at, _ESCAPE), _U)
    at = put(out, put(out, at, _DIGIT), _DIGIT)
    digit = letter & 0xF
    at = put(out, at, _DIGIT + (letter >> 4))
    return put(out, at, _DIGIT + digit if digit < 10 else _HEX_LETTERS + digit)


@kernel
def has_escapes(letters: int) -> bool:
    """Return whether one of eight letters needs an escape."""
    quotes, escapes = letters ^ _QUOTES, letters ^ _ESCAPES
    found = (letters - _SPACES) & ~letters
    found |= (quotes - _ONES) & ~quotes | (escapes - _ONES) & ~escapes
    return bool(found & _HIGH)


@kernel
def put_quoted(base: int, place: int, size: int, out: int, at: int) -> int:
    """Write a text with quotes, and return where it ends."""
    at = put(out, at, _QUOTE)
    done = word(0)
    while done < size:
        if done + _WORD <= size:
            letters = le64(base, place + done)
            if not has_escapes(letters):
                if out:
                    put_le64(out, at, letters)
                at += _WORD
                done += _WORD
                continue
        at = put_escaped(byte(base, place + done), out, at)
        done += 1
    return put(out, at, _QUOTE)


@kernel
def put_integer(value: Any, negative: bool, out: int, at: int) -> int:
    """Write an integer, and return where it ends."""
    if negative:
        at = put(out, at, _MINUS)
    digits = 1
    rest = value // natural(10)
    while rest > natural(0):
        digits += 1
        rest = rest // natural(10)
    if out:
        for i in range(digits):
            put_byte(out, at + digits - 1 - i, _DIGIT + word(value % natural(10)))
            value = value // natural(10)
    return at + digits


@kernel
def put_number(base: int, place: int, size: int, out: int, at: int) -> int:
    """Write a number that is an integer, and return where it ends; -1 for damage."""
    if not size:
        return -1
    tag = byte(base, place)
    if tag == _ZERO and size == 1:
        return put(out, at, _DIGIT)
    if tag not in (_INTEGER, _NATURAL) or size not in (2, 3, 5, 9):
        return -1
    number = be(base, place + 1, size - 1)
    negative = tag == _INTEGER and byte(base, place + 1) >= 0x80
    if negative:
        highest = natural(0xFFFFFFFFFFFFFFFF) >> natural(64 - 8 * (size - 1))
        number = (natural(0) - number) & highest
    return put_integer(number, negative, out, at)


@kernel
def put_scalar(base: int, type_: int, place: int, size: int, out: int, at: int) -> int:
    """Write an item that is no container and no double; return where it ends, -1 for damage."""
    if type_ == _TEXT:
        return put_quoted(base, place, size, out, at)
    if type_ == _NUMBER:
        return put_number(base, place, size, out, at)
    if size:
        return -1
    if type_ == _NULL:
        return put_letters(out, at, _NULL_WORD, 4)
    if type_ == _TRUE:
        return put_letters(out, at, _TRUE_WORD, 4)
    if type_ == _FALSE:
        return put_letters(out, at, _FALSE_WORD, 5)
    return -1


@kernel
def open_container(base: int, place: int, size: int, stack: np.ndarray, depth: int) -> int:
    """Put a container onto the stack, as its entry *depth*; return its kind, -1 for damage."""
    if size < _ENTRY or depth == len(stack):
        return -1
    header = be32(base, place)
    kind, items = header >> _KIND_BITS & _KINDS, header & _COUNT
    if kind == _SCALAR:
        if depth:
            return -1
        items = word(1)
    elif kind not in (_ARRAY, _OBJECT):
        return -1
    keys = items if kind == _OBJECT else word(0)
    first = place + _ENTRY
    values = first + _ENTRY * (items + keys)
    if values > place + size:
        return -1
    after = values
    for i in range(keys):
        entry = be32(base, first + _ENTRY * i)
        if entry >> _TYPE_BITS & _TYPES_AND_MORE != _TEXT:
            return -1
        after += entry & _SIZE
    if after > place + size:
        return -1
    stack[depth, _OPEN_KIND], stack[depth, _LEFT] = kind, items
    stack[depth, _KEYS], stack[depth, _ENTRIES] = first, first + _ENTRY * keys
    stack[depth, _KEY_AT], stack[depth, _AT] = values, after
    stack[depth, _END] = place + size
    return kind


@kernel
def put_key(base: int, stack: np.ndarray, top: int, out: int, at: int) -> int:
    """Write the next key of an object and its colon, and return where they end."""
    size = be32(base, stack[top, _KEYS]) & _SIZE
    at = put_quoted(base, stack[top, _KEY_AT], size, out, at)
    stack[top, _KEYS] += _ENTRY
    stack[top, _KEY_AT] += size
    return put(out, at, _COLON)


@kernel
def next_item(base: int, stack: np.ndarray, top: int) -> tuple[int, int, int]:
    """Go on to the next item of a container; return its type, -1 for damage, place and size."""
    entry = be32(base, stack[top, _ENTRIES])
    size, place = entry & _SIZE, stack[top, _AT]
    stack[top, _ENTRIES] += _ENTRY
    stack[top, _LEFT] -= 1
    stack[top, _AT] += size
    if stack[top, _AT] > stack[top, _END]:
        return -1, place, size
    return entry >> _TYPE_BITS & _TYPES_AND_MORE, place, size


@kernel
def put_double(
    base: int, place: int, doubles: np.ndarray, count: int, texts: np.ndarray,
    text_ends: np.ndarray, out: int, at: int,
) -> int:  # fmt: skip
    """Keep the word of a double, or write its text; return where that ends."""
    doubles[count] = be(base, place + 1, _WORD)
    if not out:
        return at
    begin = text_ends[count - 1] + 1 if count else word(0)
    size = text_ends[count] - begin
    copy_run(texts.ctypes.data + begin, out + at, size)
    return at + size


@kernel
def close_containers(
    stack: np.ndarray, depth: int, out: int, at: int, where: np.ndarray
) -> tuple[int, int]:
    """Close the containers that have no item left; return how many are open, and the place.

    The place is -1 for a container that is longer than its items.
    """
    while depth and not stack[depth - 1, _LEFT]:
        depth -= 1
        where[1] = stack[depth, _AT]
        if stack[depth, _AT] != stack[depth, _END]:
            return depth, -1
        kind = stack[depth, _OPEN_KIND]
        if kind != _SCALAR:
            at = put(out, at, _LIST_END if kind == _ARRAY else _PAIRS_END)
    return depth, at


@kernel
def put_row(
    base: int, place: int, size: int, doubles: np.ndarray, texts: np.ndarray,
    text_ends: np.ndarray, out: int, at: int, count: int, stack: np.ndarray, where: np.ndarray,
) -> tuple[int, int]:  # fmt: skip
    """Write the text of a row; return where it ends, -1 for damage, and the doubles so far."""
    type_, depth, where[1] = word(_CONTAINER), word(0), place
    while True:
        is_first = type_ == _CONTAINER
        if is_first:
            where[1] = place
            kind = open_container(base, place, size, stack, depth)
            if kind < 0:
                return -1, count
            if kind != _SCALAR:
                at = put(out, at, _LIST_BEGIN if kind == _ARRAY else _PAIRS_BEGIN)
            depth += 1
        elif type_ == _NUMBER and size == _DOUBLE_SIZE and byte(base, place) == _DOUBLE:
            at = put_double(base, place, doubles, count, texts, text_ends, out, at)
            count += 1
        else:
            if type_ == _NUMBER:
                where[1] = place
            at = put_scalar(base, type_, place, size, out, at)
            if at < 0:
                return -1, count
        before = depth
        depth, at = close_containers(stack, depth, out, at, where)
        if not depth or at < 0:
            return at, count
        if not is_first or depth < before:
            at = put(out, at, _COMMA)
        if stack[depth - 1, _OPEN_KIND] == _OBJECT:
            at = put_key(base, stack, depth - 1, out, at)
        where[1] = stack[depth - 1, _ENTRIES]
        type_, place, size = next_item(base, stack, depth - 1)
        if type_ < 0:
            return -1, count


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
    texts      the texts of all doubles, with a byte between them
    text_ends  where each ends
    out        takes the texts of rows; empty to find their sizes, without those of doubles
    out_ends   takes where each text ends
    stack      room for `DEEPEST` open containers
    where      takes the row and the place of the damage
    """
    target = out.ctypes.data if len(out) else 0
    at = count = word(0)
    for row in range(len(starts)):
        if starts[row] >= 0:
            where[0] = row
            size = ends[row] - starts[row]
            at, count = put_row(
                data.ctypes.data, starts[row], size, doubles, texts, text_ends, target, at, count,
                stack, where,
            )  # fmt: skip
            if at < 0:
                return -1
        out_ends[row] = at
    return count
