"""Walks: loops over records in many ranges of one buffer, straight to Arrow's views and numbers.

- Records in windows of their own are flattened: a walk's columns are its leaves.
- Parameters of the record are those of the walk, the same for all of its records.
- A column that is not asked for costs one test; bytes become views where they are found.
- A walk only stops at a wrong record: its class reads it again, and raises the error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    ContentsType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    StrType,
    SwitchType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.derived_fields import is_checksum
from byteloom_codegen.python.sizes import field_size, least_bytes, value_size
from byteloom_codegen.python.statements import indented
from byteloom_codegen.python.templates import LOOP, WALK
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import called, column_name
from byteloom_codegen.scanners.refusals import NotScannableError, check_shared_bytes
from byteloom_codegen.scanners.variables import Environment, Variable
from byteloom_codegen.scanners.walk_frame import WalkFrame
from byteloom_codegen.scanners.walk_lists import Lists, Repeats, is_list
from byteloom_codegen.scanners.walk_numbers import load
from byteloom_codegen.scanners.walk_parameters import Parameters, take_given
from byteloom_codegen.scanners.walk_switches import Switches
from byteloom_codegen.scanners.walk_values import (
    Spot,
    WalkColumn,
    WalkValues,
    unset_to_defaults,
)
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.model import TypeSpec
    from byteloom_codegen.python.statements import Statement

__all__ = ["WalkView", "checks", "walk_view"]


@dataclass(frozen=True, slots=True)
class WalkView:
    """A walk: what it takes, what it does with a record, its columns, and what it remembers.

    given       the loop's arguments that are parameters of the record
    begun       the statements before the loop, about those arguments
    record      the statements that take a record at ``at`` and compare it with the last one
    columns     what it fills, the last of them the places of records
    remembered  the variables for what the order compares of the last record
    """

    parameters: list[str]
    given: list[str]
    begun: list[Statement]
    record: list[Statement]
    columns: list[WalkColumn]
    remembered: list[str]

    @property
    def has_views(self) -> bool:
        """Whether there is a column of bytes, whose views need the size of the data."""
        return any(each.form == "view" for each in self.columns)


def walk_view(spec: TypeSpec, used: set[int]) -> WalkView:
    """Return the walk over records of *spec*; expressions name the fields *used*."""
    frame = WalkFrame()
    return _Builder(frame, WalkValues(used, frame)).walk(spec)


@dataclass(slots=True)
class _Builder:
    """Builds one walk: its records, around the values that they are made of."""

    frame: WalkFrame
    values: WalkValues
    _open: list[TypeSpec] = field(default_factory=list)

    def walk(self, spec: TypeSpec) -> WalkView:
        """Return the whole function."""
        here = Environment(spec, None, "start", "end")
        parameters = Parameters(spec.params, here, self.frame)
        if least_bytes(value_size(UserType(spec))) == 0:
            raise NotScannableError(spec.location, "its records may have no bytes")
        self.record(spec, here, 0)
        self.frame.flush()
        if not self.values.columns:
            raise NotScannableError(spec.location, "its records have no columns")
        place, ascent = WalkColumn("place", "i8"), self.values.ascent
        record = [*place.put("place"), *self.frame.statements, *ascent.statements()]
        return WalkView(
            parameters=parameters.names,
            given=parameters.given,
            begun=parameters.begun,
            record=_remembering(record, self.frame.full, ascent.last),
            columns=[*self.values.columns, place],
            remembered=ascent.last,
        )

    def record(self, spec: TypeSpec, here: Environment, ahead: int, *, shown: bool = True) -> None:
        """Take the fields of a record; *ahead* is the least size of what follows it."""
        if any(one is spec for one in self._open):
            raise NotScannableError(spec.location, "its records may hold others of its own type")
        self._open.append(spec)
        check_shared_bytes(spec)
        leasts = [field_size(each).least for each in spec.seq]  # in bits
        numbered = list(enumerate(spec.seq))
        for condition, group in groupby(numbered, lambda each: _condition(each[1])):
            for_all = list(group)
            if condition is None:
                for index, each in for_all:
                    self.field(each, here, sum(leasts[index + 1 :]) // 8 + ahead, shown=shown)
            else:
                self._optional([each for _, each in for_all], here, shown=shown)
        for instance in spec.instances:
            if isinstance(instance, ValueInstance):
                self.calculated(instance, here, shown=shown)
        self.frame.align()
        self._open.pop()

    def _optional(self, fields: list[Field], here: Environment, *, shown: bool) -> None:
        """Take fields that share a condition."""
        condition = Calculator(here)(fields[0].condition).source if fields[0].condition else ""
        frame, before = self.frame, len(self.values.filled)
        frame.flush()
        outer, self.values.unset = self.values.unset, []
        known, ahead, frame.ahead = frame.known, frame.ahead, 0
        with frame.apart() as taken:
            for each in fields:
                self.field(each, here, 0, shown=shown, condition=condition)
        frame.known, frame.ahead = known, ahead
        blanks = unset_to_defaults(self.values.unset)
        blanks += [line for each in self.values.filled[before:] for line in each.blank()]
        frame.statements += WALK.lines("optional", test=condition, taken=taken, blanks=blanks)
        frame.known = 0
        self.values.unset = outer + self.values.unset

    def calculated(self, instance: ValueInstance, here: Environment, *, shown: bool) -> None:
        """Take a value instance that is part of the order, or a column."""
        if "order" not in instance.loom and "column" not in instance.loom:
            return
        if instance.condition is not None or instance.valid is not None:
            raise NotScannableError(instance.location, "a calculated value with conditions")
        source = Calculator(here)(instance.value).source
        if "order" in instance.loom:
            if self.values.item[0]:
                raise NotScannableError(instance.location, "a list cannot be part of the order")
            self.values.ascent.add(instance.loom["order"], (source,), instance.location)
        column = column_name(instance, here.spec) if shown else None
        if column is not None and "column" in instance.loom:
            form = "u1" if isinstance(instance.type, BoolType) else "i8"
            self.frame.add(*self.values.column(instance, column, form).put(source))

    def field(
        self, each: Field, here: Environment, ahead: int, *, shown: bool, condition: str = ""
    ) -> None:
        """Take one field."""
        if is_checksum(each) or "derive" in each.loom:
            raise NotScannableError(each.location, "walks do not calculate what a field has to be")
        self.frame.ahead = ahead
        spot = Spot(here, column_name(each, here.spec) if shown else None, condition)
        if each.repeat is None:
            self.value(each, spot)
        elif is_list(each):
            Lists(self.frame, self.values).take(each, spot)
        else:
            Repeats(self.frame, self.values, self.value).take(each, spot)

    def value(self, each: Field, spot: Spot) -> None:
        """Take a value, or an item of a list."""
        if "varint" in each.loom:
            self.values.varint(each, spot)
            return
        match each.type:
            case IntType() | FloatType() | EnumType(base=IntType()):
                self.values.number(each, spot)
            case BitsType() | EnumType(base=BitsType()):
                self.values.bits(each, spot)
            case ContentsType(contents=contents):
                at = self.frame.take_bytes(len(contents))
                for index, byte in enumerate(contents):
                    test = f"{load(at + index, 1, None, signed=False)} != {byte}"
                    self.frame.within(*self.frame.refusing(test))
            case (
                BytesType(delimiting=Delimiting() as delimiting, process=None)
                | StrType(delimiting=Delimiting() as delimiting)
            ) if not each.valid:
                self.values.bytes(each, delimiting, spot)
            case BytesType(process=None) if each.valid:
                take_given(each, spot, self.frame)
            case UserType(process=None):
                self._user(each, each.type, spot)
            case SwitchType():
                Switches(self.frame, self.values, self._user).take(each, each.type, spot)
            case _:
                raise NotScannableError(each.location, f"walks do not take a {called(each.type)}")

    def _user(self, each: Field, type_: UserType, spot: Spot) -> None:
        """Take a record, in a window of its own where it has a size."""
        here, calculator, shown = spot.here, spot.calculator, spot.column is not None
        parent = here if type_.parent is None else None
        inner = Environment(type_.type, parent, here.start, here.end)
        here.members[each.name] = inner
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value = calculator(arg)
            name = value.source
            if not name.isidentifier():
                name = self.frame.name(f"{each.name}_{param.name}")
                self.frame.add(*LOOP.lines("assigned", name=name, value=value.source))
            inner.members[param.name] = Variable(name, value.low, value.high)
        if type_.delimiting is None:
            self.record(type_.type, inner, self.frame.ahead, shown=shown)
            return
        size, least = self.values.size(each, type_.delimiting, calculator)
        at = self.values.place(each)
        if "arrow" in each.loom:
            if each.loom["arrow"] != "binary_view":
                raise NotScannableError(each.location, "a record is a column as a binary_view")
            if spot.column is not None:
                column = self.values.column(each, spot.column, "view")
                self.frame.statements += column.put(at, size)
            shown = False
        frame, known = self.frame, self.frame.known
        inner.start, inner.end = at, frame.name(f"{each.name}_end")
        with frame.apart() as taken, frame.inside(inner.end, least):
            self.record(type_.type, inner, 0, shown=shown)
        frame.statements += WALK.lines("window", end=inner.end, size=size, taken=taken)
        frame.known = known


def _remembering(record: list[Statement], full: str, remembered: list[str]) -> list[Statement]:
    """Return the statements of a record, which keep what the walk remembers where it is *full*."""
    lines: list[Statement] = []
    for level, text in indented(record):
        kept = WALK.lines("full", remembered=remembered) if text == full else [text]
        lines += [f"{'    ' * level}{each}" for each in kept]
    return lines


def checks(spec: TypeSpec, here: Environment, frame: WalkFrame, used: set[int]) -> list[Statement]:
    """Return statements that check the record at ``at``, in the window of *here*."""
    inner = frame.fresh()
    with inner.inside(here.end, 0):
        _Builder(inner, WalkValues(used, inner)).record(spec, here, 0, shown=False)
    return inner.statements


def _condition(each: Field) -> str | None:
    """Return the condition under which a field is present, as the spec writes it."""
    return None if each.condition is None else unparse(each.condition)
