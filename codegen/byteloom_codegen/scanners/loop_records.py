"""The loop over records that differ in size: each field's statements, in the order of the bytes.

A loop only reports that a record is wrong; the record class raises the error.  So a loop compares
with the end once for a run of fixed fields, and its checks may be in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    Delimiting,
    EndianSwitch,
    EnumType,
    Field,
    FloatType,
    IntType,
    StrType,
    SwitchType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.precedence import BIT_OR, SUM
from byteloom_codegen.python.derived_fields import is_checksum
from byteloom_codegen.python.sizes import least_bytes, value_size
from byteloom_codegen.python.statements import is_named
from byteloom_codegen.python.templates import LOOP, WALK
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import ColumnView, called, column_name, set_member
from byteloom_codegen.scanners.loop_frame import Frame, Row
from byteloom_codegen.scanners.loop_instances import Instances
from byteloom_codegen.scanners.loop_lists import Lists, blanks_of, until
from byteloom_codegen.scanners.loop_surroundings import Around
from byteloom_codegen.scanners.loop_switches import Switches
from byteloom_codegen.scanners.loop_values import Place, Values, delimited, joined
from byteloom_codegen.scanners.refusals import NotScannableError, check_shared_bytes
from byteloom_codegen.scanners.variables import BytesVariable, Environment, StoredVariable, Variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, EnumSpec, TypeSpec
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.calculated_columns import Calculations
    from byteloom_codegen.scanners.targets import NamedFields
    from byteloom_codegen.scanners.variables import Member

__all__ = ["LoopView", "loop_view"]


@dataclass(frozen=True, slots=True)
class LoopView:
    """A loop, as its template prints it.

    slots         the arrays that it fills
    rows          the source of the number of rows that these have room for
    counters      of every list: the counter, the slot of its ends, and the row it is counted for
    record        the statements that take a record at ``at``
    refuse        how it ends at a wrong record
    is_counted    whether a count, not the end of the bytes, gives the number of records
    may_be_empty  whether a record may have 0 bytes, so that their number is not bounded
    until         the source of the condition that ends the loop at the last record; "" for none
    columns       the columns that the slots belong to
    around        what the loop is given of records around: parameters, and what they are taken from
    """

    slots: list[str]
    rows: str
    counters: list[tuple[str, str, str]]
    record: list[Statement]
    refuse: str
    is_counted: bool
    may_be_empty: bool
    until: str
    columns: list[ColumnView]
    around: dict[str, str]


def loop_view(
    scanned: Field,
    owner: TypeSpec | None,
    named: NamedFields,
    class_of: Callable[[TypeSpec | EnumSpec], str],
    calculations: Calculations,
) -> LoopView:
    """Return the loop over the elements of *scanned*.

    owner         the record that repeats them, if there is one
    named         the fields that expressions name
    class_of      names the classes of records and enums
    calculations  gets the functions of instances
    """
    frame = Frame()
    values = Values(frame, named)
    return _Builder(values, frame, class_of, calculations).loop(scanned, owner)


def inherits_order(spec: TypeSpec) -> bool:
    """Whether the byte order of a record's numbers is decided by the record it is in."""
    return spec.owner is not None and spec.owner.endian is spec.endian


@dataclass(slots=True)
class _Builder:
    values: Values
    frame: Frame
    class_of: Callable[[TypeSpec | EnumSpec], str]
    calculations: Calculations
    inside: list[int] = field(default_factory=list)

    def loop(self, scanned: Field, owner: TypeSpec | None) -> LoopView:
        """Return the loop over all elements."""
        if not isinstance(scanned.type, UserType) or scanned.type.process is not None:
            raise NotScannableError(
                scanned.location, f"scanners do not take a {called(scanned.type)}"
            )
        around = Around(self.frame, scanned, owner or scanned.type.type)
        outside = around.environment()
        if owner is None:
            outside = Environment(scanned.type.type, None, "start", "end")
        place = Place(Row(0, "row"), "", outside)
        given = {each.name: around.parameter(each) for each in scanned.type.type.params}
        column, member = self.user(scanned.type, place, scanned, given)
        if 0 not in self.frame.first_slots:
            raise NotScannableError(scanned.location, "its records have no columns")
        self.frame.flush()
        is_counted = scanned.repeat is not None and scanned.repeat.kind in {"expr", "until"}
        return LoopView(
            slots=self.frame.slots,
            rows=self.frame.first_slots[0],
            counters=[(counter, ends, row.index) for counter, ends, row in self.frame.counters],
            record=self.frame.statements,
            refuse=self.frame.refuse,
            is_counted=is_counted,
            may_be_empty=not is_counted and least_bytes(value_size(scanned.type)) == 0,
            until=until(scanned, Place(place.row, "", outside), member),
            columns=column.children,
            around=around.numbers,
        )

    # Records

    def record(self, spec: TypeSpec, place: Place, here: Environment) -> list[ColumnView]:
        """Take the fields of a record, in the environment *here*; return its columns."""
        if id(spec) in self.inside:
            raise NotScannableError(spec.location, "it may hold itself")
        check_shared_bytes(spec)
        self.inside.append(id(spec))
        if isinstance(spec.endian, EndianSwitch) and not inherits_order(spec):
            self.decide_order(spec.endian, here)
        columns, instances = [], Instances(self.frame, self.calculations)
        for each in spec.seq:
            column = self.field(
                each, Place(place.row, joined(place.name, each.name), here, place.given)
            )
            columns += [column] if column else []
        for instance in spec.instances:
            if isinstance(instance, ValueInstance):
                columns += instances.column(
                    instance,
                    Place(place.row, joined(place.name, instance.name), here, place.given),
                )
        self.frame.align()
        self.inside.pop()
        refused = [each.refused for each in columns if each.refused is not None]
        if refused and len(refused) == len(columns):
            raise refused[0]
        return columns

    def field(self, each: Field, place: Place) -> ColumnView | None:
        """Take one field; return its column, where it has one."""
        if is_checksum(each):
            raise NotScannableError(each.location, "a checksum, which scanners do not compute")
        if each.condition is None:
            return self.present(each, place, "")
        self.frame.flush()
        condition = Calculator(place.here, place.given)(each.condition).source
        name = column_name(each, place.here.spec)
        slot = self.frame.slot(f"{place.name}_given", place.row) if name is not None else ""
        with self.frame.apart() as taken:
            inner = Place(place.row, place.name, place.here, place.given | {condition})
            column = self.present(each, inner, condition)
        if column is not None and column.optional:  # a switch without a match is absent
            self.frame.replace(slot, column.slots[0])
            slot = ""
        if taken or slot:
            blanks = None if column is None else blanks_of(self.frame, column, place.row)
            index = place.row.index
            self.frame.add(
                *LOOP.lines(
                    "optional", test=condition, given=slot, index=index, taken=taken, blanks=blanks
                )
            )
        if column is not None and slot:
            column.optional = True
            column.slots.insert(0, slot)
        return column

    def present(self, each: Field, place: Place, condition: str) -> ColumnView | None:
        """Take a field that is present."""
        name = column_name(each, place.here.spec)
        column: ColumnView | None
        if each.repeat is not None:
            column = self.listed(each, place, name, condition)
        else:
            column, member = self.value(each.type, place, each, wants_column=name is not None)
            if isinstance(each.type, SwitchType):
                place.here.members.pop(each.name, None)
            if isinstance(member, Variable | StoredVariable | BytesVariable):
                member = replace(member, condition=condition)
            if isinstance(member, Environment) and condition:
                member.condition = condition
            if member is not None:
                place.here.members[each.name] = member
            if "derive" in each.loom:
                self.agrees(each.loom["derive"], member, place, each)
        if column is not None and name is not None:
            set_member(column, each, name)
        return column

    def listed(self, each: Field, place: Place, name: str | None, condition: str) -> ColumnView:
        """Take a repeated field that is present."""
        column, member = Lists(self).repeated(each, place, name)
        if member is not None:
            place.here.members[each.name] = replace(member, condition=condition)
        return column

    def agrees(
        self, node: ast.Expression, member: Member | None, place: Place, each: Field
    ) -> None:
        """Check a field against the expression it is derived from."""
        if not isinstance(member, Variable):
            raise NotScannableError(each.location, "derived, and no integer")
        wanted = Calculator(place.here, place.given)(node)
        self.frame.within(*self.frame.refusing(f"{member.source} != {wanted.within(SUM)}"))

    # Values

    def value(
        self, type_: DataType, place: Place, each: Field, *, wants_column: bool
    ) -> tuple[ColumnView | None, Member | None]:
        """Take one value; return its column (if wanted) and its variable for expressions."""
        match type_:
            case IntType() | FloatType() | BitsType() | EnumType():
                return self.values.number(type_, place, each, wants_column=wants_column)
            case ContentsType(contents=contents):
                self.values.contents(contents)
                return None, None
            case (
                BytesType(delimiting=Delimiting() as delimiting, process=None)
                | StrType(delimiting=Delimiting() as delimiting, process=None)
            ):
                return self.values.bytes(type_, delimiting, place, each, wants_column=wants_column)
            case UserType(process=None):
                column, member = self.user(type_, place, each)
                return (column if wants_column and column.children else None), member
            case SwitchType() if wants_column and each.valid is None:
                return Switches(self).switched(type_, place, each), None
        raise NotScannableError(each.location, f"scanners do not take a {called(type_)}")

    def user(
        self,
        type_: UserType,
        place: Place,
        each: Field,
        given: dict[str, Member | None] | None = None,
    ) -> tuple[ColumnView, Environment]:
        """Take a record, in a window of its own where it has a size.

        given  parameters whose values are known
        """
        frame, delimiting, outer = self.frame, type_.delimiting, place.here
        parent = outer if type_.parent is None else None
        here = Environment(type_.type, parent, outer.start, outer.end)
        here.order = outer.order
        calculator = Calculator(outer, place.given)
        here.members |= {name: value for name, value in (given or {}).items() if value is not None}
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            if given is not None:
                break
            value, name = calculator(arg), frame.name(joined(place.name, param.name))
            frame.add(*LOOP.lines("assigned", name=name, value=value.source))
            here.members[param.name] = Variable(name, value.low, value.high)
        column = ColumnView("Struct", place.name)
        if delimiting is None:
            frame.align()
            column.children = self.record(type_.type, place, here)
            return column, here
        if delimiting.is_filled_up:
            raise NotScannableError(each.location, "a record in bytes that are cut")
        prefix = place.name or "record"
        extent = delimited(frame, delimiting, prefix, calculator, each.location)
        here.start, here.end = frame.name(f"{prefix}_start"), frame.name(f"{prefix}_end")
        with frame.apart() as taken, frame.window(here.end):
            column.children = self.record(type_.type, place, here)
        start = here.start if is_named(here.start, taken) else ""
        frame.add(*LOOP.lines("window", start=start, end=here.end, size=extent.size, taken=taken))
        return column, here

    def decide_order(self, endian: EndianSwitch, here: Environment) -> None:
        """Find in which byte order a record's numbers are, before its first field."""
        name, calculator = self.frame.name("is_little"), Calculator(here)
        on = calculator(endian.on).within(BIT_OR)
        otherwise: list[Statement] = [self.frame.refuse]
        cases: list[tuple[str, list[Statement]]] = []
        for case, order in endian.cases:
            decided = LOOP.lines("assigned", name=name, value=int(order == "le"))
            if case is None:
                otherwise = decided
            else:
                cases.append((f"{on} == {calculator(case).within(BIT_OR)}", decided))
        self.frame.add(*WALK.lines("switch", tag=on, on=on, cases=[*cases, ("", otherwise)]))
        here.order = lambda: name
