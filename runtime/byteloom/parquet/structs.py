"""Structs of Parquet's footers and page headers, field by field, each with its place in the file.

The rules:

- The spec's tables say which fields a struct has; others are called by their numbers, and walked
  over.
- A field of another kind than its table says, a required one that is absent, and a value that ends
  after the struct's bytes, are damage.
- The elements of a list of structs come one by one: a footer with many row groups is never held as
  objects.

Source: specs/parquet/footers.yaml; Apache Thrift, ``thrift-compact-protocol.md``.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError, Truncated, count_of_bytes
from byteloom.kernels.parquet_structs import KINDS, table
from byteloom.kernels.thrift import BINARY, I16, I32, I64, LIST, STRUCT, TRUE
from byteloom.wire.stored import invalid_text
from byteloom.wire.varints import signed, uleb128
from byteloom_generated.parquet.footers import (
    CODECS,
    CONVERTED_TYPES,
    ENCODINGS,
    PAGE_TYPES,
    REPETITIONS,
    TYPES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_generated.parquet.footers import ThriftField

__all__ = ["StructField", "StructWalk"]

_FALSE, _BYTE, _DOUBLE, _SET, _MAP, _UUID = 2, 3, 7, 10, 11, 13
_BITS: Final = {I16: 16, I32: 32, I64: 64}
_SIZES: Final = {_BYTE: ("<b", 1), _DOUBLE: ("<d", 8), _UUID: ("16s", 16)}
_LONG_LIST: Final = 15
_LONGEST: Final = 10
"""Most bytes of a number."""

_DEEPEST: Final = 32
"""Most structs, lists and maps inside each other."""

_ENUM: Final[Any] = IntEnum  # called with names, it makes a class, which its type does not say
_MEMBERS: Final[dict[str, dict[int, IntEnum]]] = {
    name: {each.value: each for each in _ENUM(name, [(row.name, row.number) for row in rows])}
    for name, rows in (
        ("Type", TYPES),
        ("FieldRepetitionType", REPETITIONS),
        ("ConvertedType", CONVERTED_TYPES),
        ("CompressionCodec", CODECS),
        ("Encoding", ENCODINGS),
        ("PageType", PAGE_TYPES),
    )
}
"""The numbers that have names, by the name of their enum."""


class StructField(NamedTuple):
    """A field found in a struct, or an element of a list of structs.

    path   its path from the outermost struct: ``row_groups[0].columns[1].meta_data``
    name   the last part of the path
    depth  how many structs it is inside
    place  the offset of its head, from the start of the file
    end    the offset after it
    value  a number, text, bytes, or a list of these; None for a struct, whose fields follow
    """

    path: str
    name: str
    depth: int
    place: int
    end: int
    value: Any


class StructWalk:
    """A walk over the bytes of a struct.

    at  the offset, in these bytes, of what is read next
    """

    def __init__(self, data: bytes, origin: int = 0) -> None:
        """Begin with the first of some bytes, which is at *origin* in the file."""
        self._data, self._origin, self.at = data, origin, 0

    @property
    def place(self) -> int:
        """The offset, in the file, of what is read next."""
        return self._origin + self.at

    def fields(self, of: str, path: str = "", depth: int = 0) -> Iterator[StructField]:
        """Yield the fields of a struct called *of*, each followed by those inside it.

        FormatError  the first damaged field
        """
        known, found, number, begin = _numbered(of), set[int](), 0, self.place
        while True:
            place = self.place
            head = self._bytes(1, path)[0]
            if not head & 0xF:
                break
            number = number + (head >> 4) if head >> 4 else self._number(I16, path)
            field = known.get(number)
            name = f"unknown_{number}" if field is None else field.name
            here = f"{path}.{name}" if path else name
            kind = TRUE if head & 0xF == _FALSE else head & 0xF
            if field is not None and kind != KINDS.get(field.kind, _BYTE):
                raise FormatError(here, place, f"kind {kind}", f"kind {field.kind}")
            of_field = "" if field is None else field.type
            if kind == TRUE:
                yield StructField(here, name, depth, place, self.place, head & 0xF == TRUE)
            else:
                yield from self._value(kind, of_field, here, name, depth, place)
            found.add(number)
        for number, field in known.items():
            if field.required and number not in found:
                where = f"{path}.{field.name}" if path else field.name
                raise FormatError(where, begin, "nothing", "a required field")

    def _value(  # noqa: PLR0913, PLR0917  the parts of a `StructField`
        self, kind: int, of: str, path: str, name: str, depth: int, place: int
    ) -> Iterator[StructField]:
        """Yield a field of a *kind*, whose value or whose elements are called *of*."""
        if depth > _DEEPEST:
            raise FormatError(path, place, "more", f"at most {_DEEPEST} structs inside each other")
        if kind == STRUCT:
            inner = list(self.fields(of, path, depth + 1))
            yield StructField(path, name, depth, place, self.place, None)
            yield from inner
        elif kind in {LIST, _SET}:
            yield from self._list(of, path, name, depth, place)
        elif kind == _MAP:
            self._pass_map(path, depth)
            yield StructField(path, name, depth, place, self.place, None)
        else:
            value = self._plain(kind, of, path)
            yield StructField(path, name, depth, place, self.place, value)

    def _list(self, of: str, path: str, name: str, depth: int, place: int) -> Iterator[StructField]:
        """Yield a list of values, or the number of elements of another list, and the elements."""
        head = self._bytes(1, path)[0]
        size, kind = head >> 4, head & 0xF
        if size == _LONG_LIST:
            size = self._varint(path)
        self._check_room(size, path)
        if kind not in {STRUCT, LIST, _SET, _MAP}:
            kind = _BYTE if kind in {TRUE, _FALSE} else kind
            values = [self._plain(kind, of, path) for _ in range(size)]
            yield StructField(path, name, depth, place, self.place, values)
            return
        count = f"num_{name}"
        where = f"{path.removesuffix(name)}{count}"
        yield StructField(where, count, depth, place, self.place, size)
        for number in range(size):
            at = f"[{number}]"
            yield from self._value(kind, of, path + at, name + at, depth, self.place)

    def _pass_map(self, path: str, depth: int) -> None:
        """Walk over a map, which no struct of Parquet has."""
        size = self._varint(path)
        self._check_room(size, path)
        kinds = self._bytes(1, path)[0] if size else 0
        for _ in range(size):
            for kind in (kinds >> 4, kinds & 0xF):
                inner = _BYTE if kind in {TRUE, _FALSE} else kind
                for _ in self._value(inner, "", path, "", depth + 1, self.place):
                    pass

    def _plain(self, kind: int, of: str, path: str) -> Any:
        """Read a value that is not made of others."""
        place = self.place
        if kind == BINARY:
            raw = self._bytes(self._varint(path), path)
            if of != "string":
                return raw
            try:
                return raw.decode()
            except UnicodeDecodeError as error:
                at, found = invalid_text(raw, error)
                where = self.place - len(raw) + at
                raise FormatError(path, where, found, "text in UTF-8") from error
        if kind in _BITS:
            value = self._number(kind, path)
            return _MEMBERS[of].get(value, value) if of in _MEMBERS else value
        if kind not in _SIZES:
            raise FormatError(path, place, f"kind {kind}", "a kind of Thrift's compact protocol")
        form, size = _SIZES[kind]
        return struct.unpack(form, self._bytes(size, path))[0]

    def _number(self, kind: int, path: str) -> int:
        """Read an integer with a sign, of so many bits as its *kind* has."""
        place, value = self.place, signed(self._varint(path))
        most = 1 << _BITS[kind] - 1
        if not -most <= value < most:
            raise FormatError(path, place, value, f"{-most} to {most - 1}")
        return value

    def _varint(self, path: str) -> int:
        """Read a number of variable length."""
        try:
            value, self.at = uleb128(self._data, self.at, len(self._data))
        except ValueError:
            found = self._data[self.at : self.at + _LONGEST]
            if len(found) < _LONGEST:
                left = f"{count_of_bytes(len(found))} left"
                raise Truncated(path, self.place, left, "the end of a varint") from None
            raise FormatError(path, self.place, found, "a varint below 2^64") from None
        return value

    def _bytes(self, size: int, path: str) -> bytes:
        """Read some bytes."""
        left = len(self._data) - self.at
        if size > left:
            found = f"{count_of_bytes(left)} left"
            raise Truncated(path, self.place, found, count_of_bytes(size))
        self.at += size
        return self._data[self.at - size : self.at]

    def _check_room(self, size: int, path: str) -> None:
        """Refuse more elements than there are bytes."""
        left = len(self._data) - self.at
        if size > left:
            found, wanted = f"{size} elements", f"at most {left}, one for each byte left"
            raise Truncated(path, self.place, found, wanted)


@lru_cache(maxsize=64)
def _numbered(of: str) -> dict[int, ThriftField]:
    """Return the fields of a struct by number."""
    return {each.number: each for each in table(of)}
