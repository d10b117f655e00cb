"""A second look at a parsed message: whether the parser dropped or truncated a value.

It is a short loop, about twenty times as fast as `message_walk`, and answers yes or no.  If it is
not sure, it answers no, and the walk examines the message.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom.documents.message_walk import EIGHT, FOUR, LENGTH, RANGES, SIZES, VARINT, ZIGZAG
from byteloom.wire.varints import uleb128

if TYPE_CHECKING:
    from byteloom.documents.message_walk import Layout, Slot

__all__ = ["Checks"]

_FORMS: Final = (VARINT, EIGHT, LENGTH, FOUR)
_GOES_ON: Final = 1 << 7
"""The bit of a varint's byte that says that another byte follows."""

_ANY: Final = (1 << 64) - 1
_MOST: Final = {
    kind: 2 * most + 1 if kind in ZIGZAG else most
    for kind, (_, most) in RANGES.items()
    if most < 1 << 32
}
"""The largest varint that is certain to fit, by the type numbers of descriptors."""


@dataclass(frozen=True, slots=True)
class _Known:
    """One way in which a field may be stored.

    most  its largest varint
    """

    inner: Checks | None
    most: int
    is_packed: bool


@dataclass(slots=True)
class Checks:
    """A message type: its fields by number and wire type."""

    numbers: frozenset[int] = frozenset()
    known: dict[int, _Known] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, layout: Layout, made: dict[int, Checks] | None = None) -> Checks:
        """Return the checks of *layout*; *made* has those of the enclosing layouts."""
        made = {} if made is None else made
        if id(layout) in made:
            return made[id(layout)]
        checks = made[id(layout)] = cls(frozenset(layout.slots))
        for number, slot in layout.slots.items():
            other = layout.others.get(slot.message)
            inner = None if other is None else cls.of(other, made)
            for form in _FORMS:
                if form == slot.wire_type or slot.may_be_packed(form):
                    checks.known[number << 3 | form] = _known(slot, form, inner)
        return checks

    def pass_(self, data: bytes) -> bool:
        """Whether each value of the parsed message *data* is certain to equal its bytes."""
        try:
            return self._pass(data, 0, len(data))
        except ValueError:  # a varint beyond 64 bits
            return False

    def _pass(self, data: bytes, at: int, end: int) -> bool:
        """Check the fields between two offsets."""
        fields, numbers = self.known, self.numbers
        while at < end:
            key, at = (data[at], at + 1) if data[at] < _GOES_ON else uleb128(data, at, end)
            known, form = fields.get(key), key & 7
            if known is None and (key >> 3 in numbers or form not in _FORMS):
                return False
            if form in SIZES:
                at += SIZES[form]
                continue
            value, at = (data[at], at + 1) if data[at] < _GOES_ON else uleb128(data, at, end)
            if form == LENGTH:
                if known is not None and not _holds(known, data, at, at + value):
                    return False
                at += value
            elif known is not None and value > known.most:
                return False
        return True


def _known(slot: Slot, form: int, inner: Checks | None) -> _Known:
    """Return one way in which a field is stored."""
    is_packed = form != slot.wire_type and slot.wire_type == VARINT
    return _Known(inner, _MOST.get(slot.type, _ANY), is_packed)


def _holds(known: _Known, data: bytes, at: int, end: int) -> bool:
    """Check the content of a field with a length."""
    if known.inner is not None:
        return known.inner._pass(data, at, end)  # noqa: SLF001  of its own kind
    while known.is_packed and at < end:
        value, at = uleb128(data, at, end)
        if value > known.most:
            return False
    return True
