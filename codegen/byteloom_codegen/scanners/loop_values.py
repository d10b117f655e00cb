"""One value in a loop: a number, bytes or text, put in the slots of its column.

A value of fixed size joins the run of bytes that are checked together, and so does a rule on it.
Where the file decides the size of bytes, statements find their end, and what to cut from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import BitsType, BytesType, FloatType, IntType, base_of, is_bits
from byteloom_codegen.python.templates import LOOP
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import leaf, plain_size
from byteloom_codegen.scanners.numbers import bits_source, byte, integer_source
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.rules import asks_place, broken, broken_bytes
from byteloom_codegen.scanners.variables import BytesVariable, StoredVariable, Variable, variable_of

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, Delimiting, Field, Location, Valid
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.column_views import ColumnView
    from byteloom_codegen.scanners.loop_frame import Frame, Row
    from byteloom_codegen.scanners.targets import NamedFields
    from byteloom_codegen.scanners.variables import Environment, Member

__all__ = ["Place", "Values", "base_of", "delimited", "joined"]


_WORD: Final = 8


@dataclass(slots=True)
class Place:
    """Where a value goes: into a row, under a name, in a record's environment."""

    row: Row
    name: str
    here: Environment
    given: frozenset[str] = frozenset()


@dataclass(slots=True)
class Values:
    """Adds the statements of single values to a frame.

    named  the fields that expressions name
    """

    frame: Frame
    named: NamedFields

    def is_named(self, each: Field) -> bool:
        """Whether an expression names a field."""
        return id(each) in self.named.anywhere

    def contents(self, wanted: bytes) -> None:
        """Compare bytes of the run with the bytes that the spec demands."""
        at = self.frame.take_bytes(len(wanted))
        differs = " or ".join(f"{byte(at + i)} != {x}" for i, x in enumerate(wanted))
        self.frame.within(*self.frame.refusing(differs))

    def number(
        self, type_: DataType, place: Place, each: Field, *, wants_column: bool
    ) -> tuple[ColumnView | None, Member | None]:
        """Take a number in the run."""
        base, frame = base_of(type_), self.frame
        if isinstance(base, BitsType):
            source = self._bits(base, each)
        elif isinstance(base, IntType | FloatType) and base.width:
            source = self._whole(base, base.width, place.here, each)
        else:
            raise NotScannableError(each.location, "a number without a width")
        is_read = id(each) in self.named.reading or each.valid is not None or "derive" in each.loom
        is_used = is_read or self.is_named(each)
        if not is_used and not wants_column:
            return None, None
        name = frame.name(place.name)
        if isinstance(base, BitsType) and base.is_bool:
            frame.within(*LOOP.lines("flag", name=name, bits=source))
        else:
            frame.within(*LOOP.lines("assigned", name=name, value=source))
        member: Member | None = variable_of(each, name, "")
        if isinstance(base, FloatType):
            member = StoredVariable(name, f"f{base.width}")
        elif isinstance(base, IntType) and base.width == _WORD and not base.signed:
            if is_read:
                frame.within(*frame.refusing(f"{name} < 0"))
            else:
                member = StoredVariable(name, "u8")
        self.rules(each.valid, member, place, each)
        if not wants_column:
            return None, member
        column = leaf(type_, place.name, each.location)
        column.slots.append(frame.slot(place.name, place.row))
        frame.within(*place.row.stored(column.slots[0], name))
        frame.kept[name] = column.slots[0]
        return column, member

    def integer(self, type_: DataType, place: Place, each: Field) -> str:
        """Take an integer in the run; return the variable that has it, or the word's bits of it."""
        base, name = base_of(type_), self.frame.name(place.name)
        if isinstance(base, BitsType):
            source = self._bits(base, each)
        elif isinstance(base, IntType) and base.width:
            source = self._whole(base, base.width, place.here, each)
        else:
            raise NotScannableError(each.location, "types whose values share a column")
        self.frame.within(*LOOP.lines("assigned", name=name, value=source))
        return name

    def _whole(self, base: IntType | FloatType, width: int, here: Environment, each: Field) -> str:
        """Return the source of a number of whole bytes in the run, for either byte order."""
        signed = isinstance(base, IntType) and base.signed
        at = self.frame.take_bytes(width)
        if base.endian is not None or width == 1:
            return integer_source(at, width, base.endian, signed=signed)
        if here.order is None:
            raise NotScannableError(each.location, "its byte order is decided while reading")
        little, big = (integer_source(at, width, end, signed=signed) for end in ("le", "be"))
        return f"{little} if {here.order()} else {big}"

    def _bits(self, base: BitsType, each: Field) -> str:
        if base.width == 8 * _WORD:
            raise NotScannableError(each.location, "a number of 64 bits in a bit field")
        return bits_source(self.frame.take(base.width), base)

    def rules(self, valid: Valid | None, member: Member | None, place: Place, each: Field) -> None:
        """Check a number in the run."""
        if valid is None:
            return
        if not isinstance(member, Variable):
            raise NotScannableError(each.location, "a rule on a number with a fraction")
        put = self.frame.within
        if asks_place(valid):
            if is_bits(each.type):
                raise NotScannableError(each.location, "a rule on bits that looks at the place")
            self.frame.flush()
            put = self.frame.add
        place.here.item = member
        calculator = Calculator(place.here, place.given)
        for test in broken(valid, each.type, member.source, calculator, each.location):
            put(*self.frame.refusing(test))

    def bytes(
        self,
        type_: DataType,
        delimiting: Delimiting,
        place: Place,
        each: Field,
        *,
        wants_column: bool,
    ) -> tuple[ColumnView | None, Member | None]:
        """Take bytes or text."""
        frame, size = self.frame, plain_size(delimiting)
        if size is not None:
            at = frame.take_bytes(size)
            extent, put = _Extent(f"at + {at}" if at else "at", str(size), []), frame.within
        else:
            calculator = Calculator(place.here, place.given)
            extent = delimited(frame, delimiting, place.name, calculator, each.location)
            put = frame.add
        for test in broken_bytes(each, extent.first, extent.size):
            put(*frame.refusing(test))
        column = None
        if wants_column:
            column = leaf(type_, place.name, each.location)
            column.slots.append(frame.slot(f"{place.name}_at", place.row))
            put(*place.row.stored(column.slots[0], extent.first))
            if column.kind != "FixedBytes":
                column.slots.append(frame.slot(f"{place.name}_size", place.row))
                put(*place.row.stored(column.slots[1], extent.size))
        if extent.after:
            frame.add(*extent.after)
        return column, BytesVariable(extent.size) if isinstance(type_, BytesType) else None


def joined(*names: str) -> str:
    """Return a variable's name that joins names, the outermost first."""
    return "_".join(name for name in names if name)


@dataclass(frozen=True, slots=True)
class _Extent:
    """The bytes of a delimited value.

    first  the source of the place of the first byte
    size   the source of the number of bytes in the value
    after  the statements that move past the value, its terminator and its padding
    """

    first: str
    size: str
    after: list[Statement]


def delimited(
    frame: Frame, delimiting: Delimiting, name: str, calculator: Calculator, location: Location
) -> _Extent:
    """Add the statements that find the end of bytes; return where they are.

    name  what variables begin with
    """
    frame.flush()
    if delimiting.terminator is not None and len(delimiting.terminator) != 1:
        raise NotScannableError(location, "a terminator of more than one byte")
    if delimiting.size is None and not delimiting.size_eos:
        return _until(frame, delimiting, name)
    size = frame.name(f"{name}_size")
    if delimiting.size is None:
        frame.add(*LOOP.lines("size_to_end", size=size, end=frame.end))
    else:
        value = calculator(delimiting.size)
        frame.add(
            *LOOP.lines(
                "size_given",
                size=size,
                value=value.source,
                may_be_negative=value.low < 0,
                end=frame.end,
                refuse=frame.refuse,
            )
        )
    if delimiting.is_filled_up:
        return _cut(frame, delimiting, name, size)
    return _Extent("at", size, LOOP.lines("passed", size=size))


def _cut(frame: Frame, delimiting: Delimiting, name: str, size: str) -> _Extent:
    """Strip padding, then end at the terminator."""
    stop = frame.name(f"{name}_end")
    ends_as_padded = delimiting.terminator == bytes((delimiting.pad_right or 0,))
    padding = None if ends_as_padded else delimiting.pad_right
    frame.add(*LOOP.lines("stripped", stop=stop, size=size, padding=padding))
    if delimiting.terminator is not None:
        padded, stop = stop, frame.name(f"{name}_stop")
        frame.add(*_found(delimiting, stop, padded, kept=delimiting.include))
    kept = frame.name(f"len_{name}")
    frame.add(*LOOP.lines("size_between", size=kept, stop=stop))
    return _Extent("at", kept, LOOP.lines("passed", size=size))


def _found(delimiting: Delimiting, stop: str, end: str, *, kept: bool = False) -> list[Statement]:
    """Return what finds the terminator before *end*, which comes after it if it is *kept*."""
    byte = (delimiting.terminator or b"\0")[0]
    macro = "found_and_kept" if kept else "found"
    return LOOP.lines(macro, stop=stop, end=end, terminator=byte)


def _until(frame: Frame, delimiting: Delimiting, name: str) -> _Extent:
    """Find the terminator in what is left."""
    stop = frame.name(f"{name}_stop")
    frame.add(*_found(delimiting, stop, frame.end))
    if delimiting.eos_error:
        frame.add(*frame.refusing(f"{stop} == {frame.end}"))
    size = frame.name(f"{name}_size")
    after = f"{stop} + 1" if delimiting.eos_error else f"min({stop} + 1, {frame.end})"
    frame.add(*LOOP.lines("size_between", size=size, stop=after if delimiting.include else stop))
    return _Extent("at", size, LOOP.lines("moved", place=after if delimiting.consume else stop))
