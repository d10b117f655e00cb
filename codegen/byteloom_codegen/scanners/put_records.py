"""Puts, the inverse of walks: write columns as the bytes of records, by the same spec.

- Sizes come first, then the rules, then room, then bytes: a record is put whole or not at all.
- A derived field is calculated; a column that the record does not have must have its default.
- Records in windows that are columns of bytes are checked where they were put.
- A list is put item by item; a switch by its case.
- A list has columns of the items of all records, and says where those of each record begin.  The
  columns of a list of records have as many items each.  Items are gone through once for the rules
  and once for the bytes, and a third time where they differ in size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    SwitchType,
    UserType,
    ValueInstance,
    base_of,
)
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.derived_fields import derived_fields, is_checksum
from byteloom_codegen.python.sizes import field_size, least_bytes
from byteloom_codegen.python.templates import LOOP, PUT
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import called, column_name
from byteloom_codegen.scanners.put_frame import Length, PutFrame, PutSpot
from byteloom_codegen.scanners.put_switches import PutSwitches
from byteloom_codegen.scanners.put_values import PutValues
from byteloom_codegen.scanners.refusals import NotScannableError, check_shared_bytes
from byteloom_codegen.scanners.variables import Environment, Variable
from byteloom_codegen.scanners.walk_frame import WalkFrame
from byteloom_codegen.scanners.walk_lists import MOST
from byteloom_codegen.scanners.walk_parameters import parameter
from byteloom_codegen.scanners.walk_records import checks
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import TypeSpec
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.walk_values import WalkColumn

__all__ = ["PutView", "put_view"]


_REFUSE: Final = "return 1, row, count"
_NAMES: Final = {"data", "first", "place", "shared", "starts", "code", "before", "need"}


@dataclass(frozen=True, slots=True)
class PutView:
    """A put: what it takes, what it does with a record, its columns, and what it remembers.

    given       the loop's arguments that are parameters of the record
    check       the statements that load a record's values, and refuse those that break a rule
    size        the source of how many bytes it may touch
    store       the statements that put it at ``at``, and compare it with the one before
    columns     what it takes records from
    remembered  the variables for what the order compares of the last record, each with whether it
                is a place, which is kept as the distance from where that record begins
    ranks       the parts of the order
    """

    parameters: list[str]
    given: list[str]
    check: list[Statement]
    size: str
    store: list[Statement]
    columns: list[WalkColumn]
    remembered: list[tuple[str, bool]]
    ranks: int


def put_view(spec: TypeSpec, used: set[int]) -> PutView:
    """Return what puts records of *spec*; expressions name the fields *used*."""
    frame = WalkFrame(refuse=_REFUSE)
    frame.reserve(_NAMES)
    put = PutFrame(frame)
    return _Builder(put, PutValues(put), used).put(spec)


@dataclass(slots=True)
class _Builder:
    """Builds one put: its records, around the values that they are made of."""

    frame: PutFrame
    values: PutValues
    used: set[int]

    def put(self, spec: TypeSpec) -> PutView:
        """Return the whole function."""
        here = Environment(spec, None, "", "")
        parameters = [param.name for param in spec.params]
        variables = [self.frame.names.name(each) for each in parameters]
        for param, variable in zip(spec.params, variables, strict=True):
            here.members[param.name] = parameter(param, variable)
        length = self.record(spec, PutSpot(here))
        self.frame.flush()
        if not self.frame.columns:
            raise NotScannableError(spec.location, "its records have no columns")
        frame, ascent = self.frame, self.frame.ascent
        return PutView(
            parameters=parameters,
            given=[f"{each}: int" for each in variables],
            check=[*frame.loads, *frame.sizes, *frame.rules],
            size=Length(length.terms, length.fixed + frame.spare).source,
            store=[*frame.stores, *ascent.counted()],
            columns=frame.columns,
            remembered=list(zip(ascent.last, ascent.are_places, strict=True)),
            ranks=len(ascent.parts),
        )

    # Records

    def record(self, spec: TypeSpec, spot: PutSpot) -> Length:
        """Put the fields of a record; return how many bytes they take."""
        check_shared_bytes(spec)
        length = Length()
        for _, group in groupby(spec.seq, _condition):
            fields = list(group)
            if fields[0].condition is None:
                for each in fields:
                    length.add(self.field(each, spot))
            else:
                condition = Calculator(spot.here)(fields[0].condition).source
                inner = PutSpot(spot.here, spot.shown, condition, spot.window)
                length.add(self._optional(fields, inner))
        self.frame.align()
        length.align()
        for instance in spec.instances:
            if isinstance(instance, ValueInstance) and "order" in instance.loom:
                if self.frame.item[0]:
                    raise NotScannableError(instance.location, "a list cannot be part of the order")
                source = spot.calculator(instance.value).source
                self.frame.ascent.add(instance.loom["order"], (source,), instance.location)
        return length

    def _optional(self, fields: list[Field], spot: PutSpot) -> Length:
        """Put fields that share a condition; where it is false, their columns must be blank."""
        frame, length, places = self.frame, Length(), len(self.frame.places)
        with frame.apart() as part:
            for each in fields:
                length.add(self.field(each, spot))
        length.align()
        size, test = frame.names.name(f"{fields[0].name}_part"), spot.condition
        if length.terms or length.fixed:
            frame.sizes += PUT.lines(
                "optional_size", part=size, test=test, sizes=part.sizes, size=length.source
            )
        lost = [frame.is_set(each) for each in part.taken]
        frame.rules += PUT.lines(
            "optional_rules", test=test, rules=part.rules, lost=lost, refuse=frame.names.refuse
        )
        frame.stores += PUT.lines(
            "optional_bytes", test=test, stores=part.stores, places=frame.places[places:]
        )
        return Length([size] if length.terms or length.fixed else [])

    def field(self, each: Field, spot: PutSpot) -> Length:
        """Put one field; return how many bytes it takes."""
        if is_checksum(each) or "derive" in each.loom:
            raise NotScannableError(each.location, "puts calculate nothing")
        column = column_name(each, spot.here.spec) if spot.shown else None
        if each.repeat is not None:
            return _PutLists(self.frame, self.value).put(each, column, spot)
        return self.value(each, column, spot)

    def value(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put a value, or an item of a list; return how many bytes it takes."""
        if "varint" in each.loom:
            return self.values.varint(each, column, spot)
        match each.type:
            case IntType() | FloatType() | BitsType() | EnumType():
                return self.values.number(each, column, spot)
            case ContentsType(contents=contents):
                for byte in contents:
                    self.frame.store(1, str(byte))
                return Length([], len(contents))
            case BytesType(delimiting=Delimiting() as delimiting, process=None) if not each.valid:
                return self.values.bytes(each, delimiting, column, spot)
            case UserType(process=None):
                return self._user(each, each.type, column, spot)
            case SwitchType():
                return PutSwitches(self.frame, self.values, self._user).put(each, column, spot)
        raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")

    def _user(self, each: Field, type_: UserType, column: str | None, spot: PutSpot) -> Length:
        """Put a record, in a window of its own where it has a size."""
        shown = column is not None
        inner = Environment(type_.type, spot.here if type_.parent is None else None, "", "")
        spot.here.members[each.name] = inner
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value = spot.calculator(arg)
            if not value.source.isidentifier():
                raise NotScannableError(each.location, "an argument that is calculated")
            inner.members[param.name] = Variable(value.source, value.low, value.high)
        if type_.delimiting is None:
            return self.record(type_.type, PutSpot(inner, shown, spot.condition, spot.window))
        size = self.frame.size(each)
        self.values.measured(each, type_.delimiting, size, spot)
        inner.end = size
        if "arrow" in each.loom and column is not None:
            size = self.values.copy(each, column)
            self._checked(each, type_.type, inner, size)
        else:
            length = self.record(type_.type, PutSpot(inner, shown, "", window=True))
            self.frame.sizes += LOOP.lines("assigned", name=size, value=length.source)
        return Length([size])

    def _checked(self, each: Field, spec: TypeSpec, inner: Environment, size: str) -> None:
        """Check a record that was put as bytes."""
        end = self.frame.names.name(f"{each.name}_end")
        inner.start, inner.end = f"{end} - {size}", end
        checked = checks(spec, inner, self.frame.names, self.used)
        self.frame.stores += PUT.lines("checked", end=end, size=size, checks=checked)


def _condition(each: Field) -> str | None:
    """Return the condition under which a field is present, as the spec writes it."""
    return None if each.condition is None else unparse(each.condition)


_SOME: Final = 1
"""The least bytes of an item in a column, if the spec does not say."""


@dataclass(slots=True)
class _PutLists:
    """Adds lists to the statements of a put; *one* puts an item, as it puts a single field."""

    frame: PutFrame
    one: Callable[[Field, str | None, PutSpot], Length]

    def put(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put the items of a list; return how many bytes they take."""
        frame, here = self.frame, spot.here
        base = base_of(each.type)
        if each.repeat is None or each.repeat.kind == "until" or isinstance(base, BitsType):
            raise NotScannableError(each.location, "a list of bits, or that one of its items ends")
        if frame.item[0]:
            raise NotScannableError(each.location, "lists in lists")
        if column is None:
            raise NotScannableError(each.location, "a list that no column has")
        item = replace(each, repeat=None, condition=None)
        count, index = frame.size(each), frame.names.name(f"{each.name}_index")
        least = least_bytes(field_size(item)) or _SOME
        loads, outer_index = frame.loads, here.index
        frame.loads, frame.item, here.index = [], (index, least), Variable(index, 0, MOST)
        with frame.apart() as part:
            length = self.one(item, column, spot)
            frame.align()
        inner, frame.loads, frame.item, here.index = frame.loads, loads, ("", 0), outer_index
        length.align()
        here.members.pop(each.name, None)
        names = [one.name for one in part.taken]
        if not names:
            raise NotScannableError(each.location, "a list that no column has")
        loaded = PUT.lines("items_loaded", count=count, columns=names)
        frame.loads += [line for line in loaded if line not in frame.loads]
        frame.sizes += PUT.lines(
            "items_alike", count=count, columns=names[1:], refuse=frame.names.refuse
        )
        self._counted(each, count, spot)
        before = [*inner, *part.sizes]
        frame.rules += PUT.lines(
            "items_checked", count=count, index=index, before=before, rules=part.rules
        )
        frame.flush()
        frame.stores += PUT.lines(
            "items_stored", count=count, index=index, before=[*before, *part.rules],
            stores=part.stores,
        )  # fmt: skip
        if not length.terms:
            return Length([f"{length.fixed} * {count}" if length.fixed != 1 else count])
        size = frame.names.name(f"{each.name}_size")
        frame.sizes += PUT.lines(
            "items_sized", size=size, count=count, index=index, before=before, one=length.source
        )
        return Length([size])

    def _counted(self, each: Field, count: str, spot: PutSpot) -> None:
        """Refuse a wrong number of items, unless the count follows from it."""
        if each.repeat is None or each.repeat.expression is None:
            if not spot.window:
                raise NotScannableError(each.location, "a list up to where nothing says it")
            return
        if any(one.by == each.name for one in derived_fields(spot.here.spec).values()):
            return
        wanted = spot.calculator(each.repeat.expression)
        self.frame.refuse(f"{count} != {wanted.within(BIT_OR)}")
