"""Where runs of bits end: not with a field or a record, but at the next bytes.

Bits go on in the byte that others have begun, those of another record too.  What takes bytes first
drops the rest of a byte begun, which is remembered, so that it is written again.  A record ends
its last byte itself unless bits may follow it somewhere.

A place in a byte is the number of its bits that are taken, 0 to 7, or None where the file decides.
"""

from __future__ import annotations

from functools import lru_cache

from byteloom_codegen.model import (
    BitsType,
    DataType,
    EnumType,
    Field,
    Spec,
    SwitchType,
    TypeSpec,
    UserType,
)
from byteloom_codegen.python.sizes import literal

__all__ = ["BitRuns", "begins_in_bits", "bit_runs"]

_MANY = 64
"""The most elements whose bits are added up; after more, the end may be at any bit."""


def begins_in_bits(type_: DataType, seen: set[int] | None = None) -> bool:
    """Whether a value of *type_* may begin with bits.

    seen  the types (their `id`) that were looked at already
    """
    seen = set() if seen is None else seen
    match type_:
        case EnumType(base=base):
            return begins_in_bits(base, seen)
        case BitsType():
            return True
        case SwitchType(cases=cases):
            return any(begins_in_bits(case.type, seen) for case in cases)
        case UserType(delimiting=None, type=spec) if id(spec) not in seen:
            seen.add(id(spec))
            for each in spec.seq:
                if begins_in_bits(each.type, seen):
                    return True
                if each.condition is None and each.repeat is None and _takes(each.type):
                    return False
    return False


def _is_mixed(type_: SwitchType) -> bool:
    """Whether some cases of *type_* begin in bits, and others do not."""
    return len({begins_in_bits(case.type) for case in type_.cases}) > 1


@lru_cache(maxsize=64)
def bit_runs(spec: Spec) -> BitRuns:
    """Return the runs of bits in the records of *spec*."""
    return BitRuns(spec)


class BitRuns:
    """The runs of bits in the records of one spec.

    carried  the types (their `id`) that leave their last byte begun
    mixed    the switches (likewise) that meet a byte begun, which some of their cases go on with
    """

    def __init__(self, spec: Spec) -> None:
        """Follow the bits through all types of *spec*."""
        self._spec = spec
        self._entries: dict[int, set[int | None]] = {}
        self._ends: dict[tuple[int, int | None], int | None] = {}
        self._breaks: dict[int, dict[int, str | None]] = {}
        self.carried: set[int] = set()
        self.mixed: set[int] = set()
        self._has_bits = any(
            begins_in_bits(field.type) for each in spec.top.walk() for field in each.seq
        )
        for each in spec.top.walk():
            self._walk(each, 0)

    def breaks(self, spec: TypeSpec) -> dict[int, str | None]:
        """Return the fields, by number, before which a byte begun ends; the last is the end.

        returns  with each the field before it, which remembers bits that none holds, or None
        """
        if id(spec) not in self._breaks:
            self._breaks[id(spec)] = self._find_breaks(spec)
        return self._breaks[id(spec)]

    def begins(self, spec: TypeSpec, number: int) -> int | None:
        """Return how many bits of a byte are taken before the field *number*, which is bits."""
        at = _joined(*self._entries[id(spec)])
        for each in spec.seq[:number]:
            if at != 0 and not begins_in_bits(each.type):
                at = at if each.condition is not None else 0
            at = self._field(each, at)
        return at

    def _find_breaks(self, spec: TypeSpec) -> dict[int, str | None]:
        at = _joined(*self._entries[id(spec)])
        found = dict[int, str | None]()
        for number, each in enumerate([*spec.seq, None]):
            ends = id(spec) not in self.carried if each is None else not begins_in_bits(each.type)
            if at != 0 and ends:
                found[number] = spec.seq[number - 1].name if number else None
                at = at if each is not None and each.condition is not None else 0
            if each is not None:
                at = self._field(each, at)
        return found

    def _walk(self, spec: TypeSpec, at: int | None) -> int | None:
        """Return where a record that begins at *at* ends; each is walked once for each place."""
        begun = id(spec), at
        if begun in self._ends:
            return self._ends[begun]
        self._ends[begun] = None if self._has_bits else 0  # of a record inside itself
        self._entries.setdefault(id(spec), set()).add(at)
        for each, after in zip(spec.seq, [*spec.seq[1:], None], strict=False):
            at = self._field(each, at)
            if at != 0 and after is not None and begins_in_bits(after.type):
                self.carried.update(_tail(each.type))
        self._ends[begun] = at
        return at

    def _field(self, field: Field, at: int | None) -> int | None:
        count = 1
        if field.repeat is not None:
            number = literal(field.repeat.expression) if field.repeat.kind == "expr" else None
            count = _MANY + 1 if number is None else number
        ends = {at} if field.condition is not None or count > _MANY else set()
        found = at
        for _ in range(min(count, _MANY)):
            before, found = found, self._value(field.type, found)
            if count > 1 and found != 0 and begins_in_bits(field.type):
                self.carried.update(_tail(field.type))
            if count > _MANY:
                ends.add(found)
            if found == before:
                break
        return _joined(*ends, found)

    def _value(self, type_: DataType, at: int | None) -> int | None:
        match type_:
            case EnumType(base=base):
                return self._value(base, at)
            case BitsType(width=width):
                return None if at is None else (at + width) % 8
            case SwitchType(cases=cases):
                if at != 0 and _is_mixed(type_):
                    self.mixed.add(id(type_))
                ends = [self._value(case.type, at) for case in cases]
                return _joined(*ends, *([] if any(case.on is None for case in cases) else [at]))
            case UserType(delimiting=None, type=spec) if spec.spec is self._spec:
                return self._walk(spec, at if begins_in_bits(type_) else 0)
            case UserType(delimiting=None) if not _takes(type_):
                return at
        return 0


def _takes(type_: DataType) -> bool:
    """Whether a value of *type_* takes bits, or at least begins at a whole byte."""
    match type_:
        case SwitchType(cases=cases):
            otherwise = any(case.on is None for case in cases)
            return otherwise and all(_takes(case.type) for case in cases)
        case UserType(delimiting=None, type=spec):
            always = (each for each in spec.seq if each.condition is None and each.repeat is None)
            return any(not isinstance(each.type, UserType | SwitchType) for each in always)
    return True


def _tail(type_: DataType, seen: set[int] | None = None) -> set[int]:
    """Return the types whose values can be at the end of a value of *type_*."""
    seen = set() if seen is None else seen
    if isinstance(type_, SwitchType):
        for case in type_.cases:
            _tail(case.type, seen)
    elif isinstance(type_, UserType) and type_.delimiting is None and id(type_.type) not in seen:
        seen.add(id(type_.type))
        for each in reversed(type_.type.seq):
            _tail(each.type, seen)
            if each.condition is None and each.repeat is None and _takes(each.type):
                break
    return seen


def _joined(*places: int | None) -> int | None:
    """Return the place that all *places* are equal to, or None."""
    return places[0] if len(set(places)) == 1 else None
