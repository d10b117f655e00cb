"""Walk protobuf messages field by field, with names and offsets, and refuse damage.

- A field is named as in its `.proto`, ``types[3].kind``, and an unknown one ``unknown_17``.
- It refuses whatever makes a value wrong or drops it: a known field of another wire type, a number
  that its type cannot hold, text that is not UTF-8, a required field that is absent, bytes that end
  too early.  A repeated singular field is allowed: the last one counts.

Source: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, Truncated, count_of_bytes
from byteloom.wire.stored import invalid_text
from byteloom.wire.varints import signed, uleb128

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "EIGHT",
    "FOUR",
    "LENGTH",
    "RANGES",
    "SIZES",
    "VARINT",
    "ZIGZAG",
    "Layout",
    "Met",
    "Slot",
    "layouts_of",
    "walk",
]

VARINT, EIGHT, LENGTH, FOUR = 0, 1, 2, 5
"""Wire types: how a value is stored."""

_MESSAGE, _STRING, _BYTES, _BOOL = 11, 9, 12, 8
SIZES: Final = {EIGHT: 8, FOUR: 4}
"""Bytes of a value, by its wire type."""

_FIXED: Final = {1: "<d", 2: "<f", 6: "<Q", 7: "<I", 15: "<i", 16: "<q"}
ZIGZAG: Final = frozenset({17, 18})
"""Types whose varints are zigzag-encoded."""

_SIGNED: Final = frozenset({3, 5, 14})
RANGES: Final = {
    3: (-(1 << 63), (1 << 63) - 1),
    4: (0, (1 << 64) - 1),
    5: (-(1 << 31), (1 << 31) - 1),
    8: (0, (1 << 64) - 1),
    13: (0, (1 << 32) - 1),
    14: (-(1 << 31), (1 << 31) - 1),
    17: (-(1 << 31), (1 << 31) - 1),
    18: (-(1 << 63), (1 << 63) - 1),
}
"""The least and the largest number of a type that is stored as a varint."""

_NAMES: Final = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32",
    8: "bool", 9: "string", 11: "a message", 12: "bytes", 13: "uint32", 14: "an enum",
    15: "sfixed32", 16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip
_REPEATED, _REQUIRED = 3, 2
_LEGACY_REQUIRED: Final = 3
_LARGEST: Final = (1 << 29) - 1
_DEEPEST: Final = 100
"""The deepest nesting of messages, which is that of the protobuf package."""

_SHOWN: Final = 64


@dataclass(frozen=True, slots=True)
class Slot:
    """A field of a message type.

    type     its type, as numbered in descriptors
    message  the full name of its message type; empty for other types
    """

    name: str
    type: int
    message: str = ""
    is_repeated: bool = False
    is_required: bool = False

    @property
    def wire_type(self) -> int:
        """The wire type of one value."""
        if self.type in {_MESSAGE, _STRING, _BYTES}:
            return LENGTH
        form = _FIXED.get(self.type)
        return VARINT if form is None else {8: EIGHT, 4: FOUR}[struct.calcsize(form)]

    def may_be_packed(self, form: int) -> bool:
        """Whether it may be stored as packed numbers, with the wire type *form*."""
        return self.is_repeated and form == LENGTH and self.wire_type != LENGTH


@dataclass(frozen=True, slots=True)
class Layout:
    """A message type: its fields by number, and all layouts by full name."""

    slots: dict[int, Slot]
    others: dict[str, Layout] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Met:
    """A field found in a message.

    path   its path from the outermost message: ``types[3].kind``
    name   the last part of the path
    depth  how many messages it is inside
    place  the offset of its key; *start* and *end* are those of its value, from the start of the
           file
    value  a number, text, bytes, or a list of packed numbers; None for a message, whose fields
           follow
    slot   None for an unknown field
    """

    path: str
    name: str
    depth: int
    number: int
    place: int
    start: int
    end: int
    value: Any
    slot: Slot | None

    @property
    def is_message(self) -> bool:
        """Whether its fields follow."""
        return self.slot is not None and bool(self.slot.message)


def layouts_of(files: Iterable[Any]) -> dict[str, Layout]:
    """Return the layouts of all messages of *files*, each a FileDescriptorProto."""
    found: dict[str, Layout] = {}
    for file in files:
        for message in file.message_type:
            _add(message, f".{file.package}" if file.package else "", found)
    return found


def _add(message: Any, scope: str, found: dict[str, Layout]) -> None:
    """Add a message, and those nested in it."""
    name = f"{scope}.{message.name}"
    slots = {
        each.number: Slot(
            each.name,
            each.type,
            each.type_name.lstrip(".") if each.type == _MESSAGE else "",
            is_repeated=each.label == _REPEATED,
            is_required=each.label == _REQUIRED
            or each.options.features.field_presence == _LEGACY_REQUIRED,
        )
        for each in message.field
    }
    found[name.lstrip(".")] = Layout(slots, found)
    for inner in message.nested_type:
        _add(inner, name, found)


def walk(layout: Layout, data: bytes, origin: int = 0, path: str = "") -> Iterator[Met]:
    """Yield the fields of the message *data*, each followed by those inside it.

    origin       where its first byte is in the file
    path         the name of the message in errors; may be empty
    FormatError  the first damaged field
    """
    return _Walk(data, origin).fields(_Scope(layout, path, 0), 0, len(data))


@dataclass(frozen=True, slots=True)
class _Scope:
    """A message being walked, and how often each of its fields was found."""

    layout: Layout
    path: str
    depth: int
    counts: dict[int, int] = field(default_factory=dict)


class _Walk:
    """A walk over the bytes of a message and of those inside it."""

    def __init__(self, data: bytes, origin: int) -> None:
        self._data, self._origin = data, origin

    def fields(self, scope: _Scope, at: int, end: int) -> Iterator[Met]:
        """Yield the fields between two offsets."""
        if scope.depth > _DEEPEST:
            wanted = f"at most {_DEEPEST} messages inside each other"
            raise LimitExceeded(scope.path, self._origin + at, "more", wanted)
        begin, counts, others = at, scope.counts, scope.layout.others
        while at < end:
            met = self._field(scope, at, end)
            counts[met.number] = counts.get(met.number, 0) + 1
            yield met
            at = met.end - self._origin
            if met.slot is not None and met.slot.message in others:
                inner = _Scope(others[met.slot.message], met.path, scope.depth + 1)
                yield from self.fields(inner, met.start - self._origin, at)
        for number, slot in scope.layout.slots.items():
            if slot.is_required and number not in counts:
                where = _joined(scope.path, slot.name)
                raise FormatError(where, self._origin + begin, "nothing", "a required field")

    def _field(self, scope: _Scope, at: int, end: int) -> Met:
        """Read the field at an offset."""
        place, path = self._origin + at, scope.path
        key, at = self._varint(at, end, path)
        number, form = key >> 3, key & 7
        if not 0 < number <= _LARGEST:
            raise FormatError(path, place, f"a field of number {number}", f"1 to {_LARGEST}")
        slot = scope.layout.slots.get(number)
        name = f"unknown_{number}" if slot is None else slot.name
        if slot is not None and slot.is_repeated:
            name = f"{name}[{scope.counts.get(number, 0)}]"
        here = _joined(path, name)
        if slot is not None and form != slot.wire_type and not slot.may_be_packed(form):
            found = f"wire type {form}"
            raise FormatError(here, place, found, f"{slot.wire_type}, for {_NAMES[slot.type]}")
        start, stop = self._extent(form, at, end, here)
        value = self._value(slot, form, start, stop, here)
        begin, stop = self._origin + start, self._origin + stop
        return Met(here, name, scope.depth, number, place, begin, stop, value, slot)

    def _extent(self, form: int, at: int, end: int, path: str) -> tuple[int, int]:
        """Return the offsets where a value begins and ends."""
        if form == VARINT:
            return at, self._varint(at, end, path)[1]
        if form == LENGTH:
            size, start = self._varint(at, end, path)
        elif form in SIZES:
            size, start = SIZES[form], at
        else:
            raise FormatError(path, self._origin + at, f"wire type {form}", "0, 1, 2 or 5")
        if size > end - start:
            found, wanted = f"{count_of_bytes(end - start)} left", count_of_bytes(size)
            raise Truncated(path, self._origin + at, found, wanted)
        return start, start + size

    def _value(self, slot: Slot | None, form: int, start: int, stop: int, path: str) -> Any:
        """Return the value between two offsets; only the beginning for an unknown field."""
        if slot is None and form != VARINT:
            return self._data[start : min(stop, start + _SHOWN)]
        if slot is None:
            return uleb128(self._data, start, stop)[0]
        if slot.type in {_STRING, _BYTES, _MESSAGE}:
            return self._text(slot, start, stop, path)
        if form != slot.wire_type:
            return list(self._packed(slot, start, stop, path))
        return self._number(slot, start, stop, path)[0]

    def _text(self, slot: Slot, start: int, stop: int, path: str) -> bytes | str | None:
        """Return bytes, or decode text; None for a message."""
        if slot.type == _MESSAGE:
            return None
        raw = self._data[start:stop]
        try:
            return raw if slot.type == _BYTES else raw.decode()
        except UnicodeDecodeError as error:
            at, found = invalid_text(raw, error)
            raise FormatError(path, self._origin + start + at, found, "text in UTF-8") from error

    def _packed(self, slot: Slot, at: int, stop: int, path: str) -> Iterator[float]:
        """Read packed numbers."""
        while at < stop:
            value, at = self._number(slot, at, stop, path)
            yield value

    def _number(self, slot: Slot, at: int, end: int, path: str) -> tuple[float, int]:
        """Read one number; return it and the offset after it."""
        form = _FIXED.get(slot.type)
        if form is not None:
            size = struct.calcsize(form)
            if size > end - at:
                found, wanted = f"{count_of_bytes(end - at)} left", count_of_bytes(size)
                raise Truncated(path, self._origin + at, found, wanted)
            return struct.unpack_from(form, self._data, at)[0], at + size
        value, stop = self._varint(at, end, path)
        if slot.type in ZIGZAG:
            value = signed(value)
        elif slot.type in _SIGNED and value >> 63:
            value -= 1 << 64
        least, most = RANGES[slot.type]
        if not least <= value <= most:
            raise FormatError(path, self._origin + at, value, f"{least} to {most}")
        return (value > 0 if slot.type == _BOOL else value), stop

    def _varint(self, at: int, end: int, path: str) -> tuple[int, int]:
        """Read a varint; return it and the offset after it."""
        try:
            return uleb128(self._data, at, end)
        except ValueError:
            found = self._data[at : min(end, at + 10)]
            if len(found) < 10:  # noqa: PLR2004  the longest
                left, wanted = f"{count_of_bytes(len(found))} left", "the end of a varint"
                raise Truncated(path, self._origin + at, left, wanted) from None
            wanted = "a varint below 2^64"
            raise FormatError(path, self._origin + at, found, wanted) from None


def _joined(path: str, name: str) -> str:
    """Return the path of a field inside another."""
    return f"{path}.{name}" if path else name
