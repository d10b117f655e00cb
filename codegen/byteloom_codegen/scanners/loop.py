"""The loop over records that differ in size: each field's statements, in the order of the bytes.

A loop only reports that a record is wrong; the record class raises the error.  So a loop compares
with the end once for a run of fixed fields, and its checks may be in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
from byteloom_codegen.python.derive import is_checksum
from byteloom_codegen.python.sizes import least_bytes, value_size
from byteloom_codegen.python.templates import LOOP, WALK
from byteloom_codegen.python.translate import BIT_OR, SUM
from byteloom_codegen.scanners.calculation import (
    BytesVariable,
    Calculator,
    Environment,
    NotScannableError,
    Variable,
)
from byteloom_codegen.scanners.column_views import ColumnView, arrow_type, called, column_name
from byteloom_codegen.scanners.delimit import delimited
from byteloom_codegen.scanners.frame import Frame, Row
from byteloom_codegen.scanners.kinds import Kind, cases_column, kinds_of
from byteloom_codegen.scanners.shared_bytes import check_shared_bytes
from byteloom_codegen.scanners.values import Place, Values, base_of, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, EnumSpec, TypeSpec
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.calculation import Member

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


def loop_view(
    scanned: Field, used: set[int], class_of: Callable[[TypeSpec | EnumSpec], str]
) -> LoopView:
    """Return the loop over the elements of *scanned*.

    used      the fields that expressions name
    class_of  names the classes of records and enums
    """
    frame = Frame()
    return _Builder(Values(frame, used), frame, class_of).loop(scanned)


@dataclass(slots=True)
class _Builder:
    values: Values
    frame: Frame
    class_of: Callable[[TypeSpec | EnumSpec], str]
    tables: int = 1
    inside: list[int] = field(default_factory=list)

    def loop(self, scanned: Field) -> LoopView:
        """Return the loop over all elements."""
        if not isinstance(scanned.type, UserType) or scanned.type.process is not None:
            raise NotScannableError(
                scanned.location, f"scanners do not take a {called(scanned.type)}"
            )
        nowhere = Environment(scanned.type.type, None, "start", "end")
        place = Place(Row(0, "row"), "", nowhere)
        column, member = self.user(scanned.type, place, scanned)
        if not column.children:
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
            until=self.until(scanned, Place(place.row, "", nowhere), member),
            columns=column.children,
        )

    def until(self, each: Field, place: Place, member: Member | None) -> str:
        """Return the source of what is true of the last element; "" where nothing is."""
        if each.repeat is None or each.repeat.kind != "until" or each.repeat.expression is None:
            return ""
        place.here.item = member
        return Calculator(place.here, place.given)(each.repeat.expression).source

    # Records

    def record(self, spec: TypeSpec, place: Place, here: Environment) -> list[ColumnView]:
        """Take the fields of a record, in the environment *here*; return its columns."""
        if id(spec) in self.inside:
            raise NotScannableError(spec.location, "it may hold itself")
        check_shared_bytes(spec)
        self.inside.append(id(spec))
        columns = []
        for each in spec.seq:
            column = self.field(
                each, Place(place.row, joined(place.name, each.name), here, place.given)
            )
            columns += [column] if column else []
        for instance in spec.instances:
            if isinstance(instance, ValueInstance):
                columns += self.calculated(
                    instance,
                    Place(place.row, joined(place.name, instance.name), here, place.given),
                )
        self.frame.align()
        self.inside.pop()
        return columns

    def calculated(self, instance: ValueInstance, place: Place) -> list[ColumnView]:
        """Put a value instance in a column, where the spec asks for one."""
        name = column_name(instance, place.here.spec)
        if name is None:
            return []
        if instance.condition is not None or instance.valid is not None:
            raise NotScannableError(instance.location, "a calculated column with conditions")
        kind, form = ("Flag", '"u1"') if isinstance(instance.type, BoolType) else ("Number", '"i8"')
        slot = self.frame.slot(place.name, place.row)
        value = Calculator(place.here, place.given)(instance.value)
        self.frame.add(*place.row.stored(slot, value.source))
        return [ColumnView(kind, name, [form], arrow=arrow_type(instance), slots=[slot])]

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
        if column is not None and column.optional:  # a switch says by itself whether it is there
            self.frame.replace(slot, column.slots[0])
            slot = ""
        if taken or slot:
            blanks = None if column is None else self.blanks(column, place.row)
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

    def blanks(self, column: ColumnView, row: Row) -> list[tuple[str, str]]:
        """Return what a null has in the slots of *column*."""
        if column.kind == "List":
            ends = column.slots[-1]
            counter = next(name for name, slot, _ in self.frame.counters if slot == ends)
            return [(f"{each}[{row.index}]", "0") for each in column.slots[:-1]] + [
                (f"{ends}[{row.index} + 1]", counter)
            ]
        own = [(f"{each}[{row.index}]", "0") for each in column.slots]
        return own + [blank for each in column.children for blank in self.blanks(each, row)]

    def present(self, each: Field, place: Place, condition: str) -> ColumnView | None:
        """Take a field that is there."""
        name = column_name(each, place.here.spec)
        if each.repeat is not None:
            column = self.repeated(each, place, name)
        else:
            column, member = self.value(each.type, place, each, wants_column=name is not None)
            if isinstance(each.type, SwitchType):
                place.here.members.pop(each.name, None)
            if isinstance(member, Variable):
                member = Variable(member.source, member.low, member.high, condition)
            if isinstance(member, Environment) and condition:
                member.condition = condition
            if isinstance(member, BytesVariable):
                member = BytesVariable(member.size, condition)
            if member is not None:
                place.here.members[each.name] = member
            if "derive" in each.loom:
                self.agrees(each.loom["derive"], member, place, each)
        if column is not None and name is not None:
            column.name, column.arrow = name, arrow_type(each)
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
        """Take one value; return its column (where wanted) and what expressions know of it."""
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
                return self.switched(type_, place, each), None
        raise NotScannableError(each.location, f"scanners do not take a {called(type_)}")

    def user(self, type_: UserType, place: Place, each: Field) -> tuple[ColumnView, Environment]:
        """Take a record, in a window of its own where it has a size."""
        frame, delimiting, outer = self.frame, type_.delimiting, place.here
        parent = outer if type_.parent is None else None
        here = Environment(type_.type, parent, outer.start, outer.end)
        calculator = Calculator(outer, place.given)
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value, name = calculator(arg), frame.name(joined(place.name, param.name))
            frame.add(*LOOP.lines("assigned", name=name, value=value.source))
            here.members[param.name] = Variable(name, value.low, value.high)
        column = ColumnView("Struct", place.name)
        if delimiting is None:
            frame.align()
            column.children = self.record(type_.type, place, here)
            return column, here
        if delimiting.pad_right is not None or delimiting.terminator is not None:
            raise NotScannableError(each.location, "a record in bytes that are cut")
        prefix = place.name or "record"
        extent = delimited(frame, delimiting, prefix, calculator, each.location)
        here.start, here.end = frame.name(f"{prefix}_start"), frame.name(f"{prefix}_end")
        with frame.apart() as taken, frame.window(here.end):
            column.children = self.record(type_.type, place, here)
        frame.add(
            *LOOP.lines("window", start=here.start, end=here.end, size=extent.size, taken=taken)
        )
        return column, here

    # Switches

    def switched(self, type_: SwitchType, place: Place, each: Field) -> ColumnView | None:
        """Take a value whose type another value decides: a branch for each kind of value."""
        frame, kinds = self.frame, kinds_of(type_)
        calculator = Calculator(place.here, place.given)
        frame.flush()
        on = calculator(type_.on).source
        tag = on if on.isidentifier() else frame.name(f"{place.name}_tag")
        is_plain = len(kinds) == 1 and kinds[0].item is None
        always = any(case.on is None for case in type_.cases)
        given, first = "", len(frame.slots)
        if not (is_plain or always):
            given = frame.name(f"out_{place.name}_given")
        branches, columns = [], list[tuple[Kind, ColumnView | None]]()
        for kind in kinds:
            body, column = self.branch(kind, place, each, always=is_plain and always)
            branches.append((kind, body))
            columns.append((kind, column))
        for _, column in columns:
            blanks = [] if column is None or not column.optional else self.blanks(column, place.row)
            for slot, value in blanks:
                frame.add(*LOOP.lines("assigned", name=slot, value=value))
        column = cases_column(type_, place.name, columns, self.class_of)
        given = given if column is not None else ""
        if given:
            frame.slot_before(first, given, place.row)
            frame.add(*place.row.stored(given, "0"))
        cases = [
            (self.met(kind, tag, calculator), [*self.marked(given, place), *body])
            for kind, body in branches
        ]
        cases.sort(key=lambda case: not case[0])  # what is taken where no other is, is last
        frame.add(*WALK.lines("switch", tag=tag, on=on, cases=cases))
        if column is not None and given:
            column.slots.insert(0, given)
        return column

    def branch(
        self, kind: Kind, place: Place, each: Field, *, always: bool
    ) -> tuple[list[Statement], ColumnView | None]:
        """Return what takes a value of one kind, and its column."""
        first = kind.types[0]
        if any(one != first for one in kind.types):
            raise NotScannableError(each.location, "types whose values share a column")
        if isinstance(first, BytesType) and first.delimiting is None:
            raise NotScannableError(each.location, "bytes without an end")
        inner = Place(place.row, joined(place.name, kind.name), place.here, place.given)
        given, number = self.frame.name(f"out_{inner.name}_given"), len(self.frame.slots)
        with self.frame.apart() as body:
            column, _ = self.value(first, inner, replace(each, type=first), wants_column=True)
        if column is not None and not always:
            self.frame.slot_before(number, given, place.row)
            column.optional = True
            column.slots.insert(0, given)
            body = [*place.row.stored(given, "1"), *body]
        return body, column

    def met(self, kind: Kind, tag: str, calculator: Calculator) -> str:
        """Return what is true where a value is of one kind; "" for what is so where no other is."""
        if any(case.on is None for case in kind.cases):
            return ""
        tests = [
            f"{tag} == {calculator(case.on).within(BIT_OR)}"
            for case in kind.cases
            if case.on is not None
        ]
        return " or ".join(tests)

    def marked(self, given: str, place: Place) -> list[Statement]:
        """Return what says that a value is there."""
        return place.row.stored(given, "1") if given else []

    # Lists

    def repeated(self, each: Field, place: Place, name: str | None) -> ColumnView | None:
        """Take a repeated field as a list."""
        repeat, frame = each.repeat, self.frame
        least = least_bytes(value_size(each.type))
        if repeat is None or name is None:
            raise NotScannableError(each.location, "a repeated field without a column")
        if isinstance(base_of(each.type), BitsType | ContentsType):
            raise NotScannableError(each.location, "repeated bits or contents")
        if least == 0 and repeat.kind != "eos":
            raise NotScannableError(each.location, "elements that may have no bytes")
        frame.flush()
        table, counter = self.tables, frame.name(f"num_{place.name}")
        self.tables += 1
        ends = frame.slot(f"{place.name}_ends", place.row, more=True)
        frame.counters.append((counter, ends, place.row))
        head = self._head(each, place, least)
        inner = Place(Row(table, counter), joined(place.name, "item"), place.here, place.given)
        begin = frame.name(f"{place.name}_begin") if least == 0 else ""
        with frame.apart() as taken:
            column, member = self.value(each.type, inner, each, wants_column=True)
            if column is None:
                raise NotScannableError(each.location, "a repeated record without columns")
        frame.add(
            *LOOP.lines(
                "elements",
                head=head,
                counter=counter,
                room=frame.first_slots[table],
                code=2 + table,
                begin=begin,
                taken=taken,
                refuse=frame.refuse,
                until=self.until(each, place, member),
                ends=ends,
                index=place.row.index,
            )
        )
        column.name = "item"
        return ColumnView("List", place.name, slots=[ends], children=[column])

    def _head(self, each: Field, place: Place, least: int) -> str:
        """Return the head of the loop over elements; a count is checked before it."""
        repeat, frame = each.repeat, self.frame
        if repeat is None or repeat.expression is None:
            return LOOP.value("to_end", end=frame.end)
        if repeat.kind == "until":
            return LOOP.value("repeatedly")
        value = Calculator(place.here, place.given)(repeat.expression)
        count = frame.name(f"{place.name}_count")
        frame.add(
            *LOOP.lines(
                "counted",
                count=count,
                value=value.source,
                may_be_negative=value.low < 0,
                least=least,
                end=frame.end,
                refuse=frame.refuse,
            )
        )
        return LOOP.value("as_many", count=count)
