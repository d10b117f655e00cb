"""The loop over records that differ in size: each field's statements, in the order of the bytes.

Whatever a loop does not like about a record, it only says so; the record class finds the words.  So
a loop compares with the end once for a run of fixed fields, and its checks may stand in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.derive import is_checksum
from byteloom_codegen.python.sizes import least_bytes, value_size
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.scanners.calculation import (
    BytesVariable,
    Calculator,
    Environment,
    NotScannableError,
    Variable,
)
from byteloom_codegen.scanners.columns import ColumnView, arrow_type, called, column_name
from byteloom_codegen.scanners.delimit import delimited
from byteloom_codegen.scanners.frame import Frame, Row
from byteloom_codegen.scanners.shared_bytes import check_shared_bytes
from byteloom_codegen.scanners.values import Place, Values, base_of, joined

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, TypeSpec
    from byteloom_codegen.scanners.calculation import Member

__all__ = ["LoopView", "loop_view"]


@dataclass(frozen=True, slots=True)
class LoopView:
    """A loop: its slots, its statements, and the columns these slots are for."""

    slots: list[str]
    body: list[Statement]
    columns: list[ColumnView]


def loop_view(scanned: Field, used: set[int]) -> LoopView:
    """Return the loop over the elements of *scanned*; expressions name the fields *used*."""
    frame = Frame()
    return _Builder(Values(frame, used), frame).loop(scanned)


@dataclass(slots=True)
class _Builder:
    values: Values
    frame: Frame
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
        body = self._opening() + self.frame.statements + ["row += 1"]
        if scanned.repeat and scanned.repeat.kind == "until" and scanned.repeat.expression:
            nowhere.item = member
            test = Calculator(nowhere)(scanned.repeat.expression)
            body.append(Block(f"if {test.source}:", ["break"]))
        counted = scanned.repeat is not None and scanned.repeat.kind in {"expr", "until"}
        if not counted and least_bytes(value_size(scanned.type)) == 0:
            body.insert(-1, self.frame.refusing("at == place"))
        head = "while row < count:" if counted else "while row < count and at < end:"
        return LoopView(self.frame.slots, [Block(head, body), "return 0, row, at"], column.children)

    def _opening(self) -> list[Statement]:
        """Return what comes before a record's first byte."""
        full = Block(f"if row == {self.frame.first_slots[0]}:", ["return 2, row, at"])
        counters = [
            f"{counter} = int({ends}[{row.index}])" for counter, ends, row in self.frame.counters
        ]
        return [full, "place = at", *counters]

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
        self.frame.add(f"{slot}[{place.row.index}] = {value.source}")
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
        with self.frame.block(f"if {condition}:"):
            if slot:
                self.frame.add(f"{slot}[{place.row.index}] = 1")
            inner = Place(place.row, place.name, place.here, place.given | {condition})
            column = self.present(each, inner, condition)
        if column is None:
            return None
        with self.frame.block("else:"):
            self.frame.add(
                *(f"{where} = {value}" for where, value in self.blanks(column, place.row))
            )
            self.frame.add(f"{slot}[{place.row.index}] = 0")
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
            if isinstance(member, Variable):
                member = Variable(member.source, member.low, member.high, condition)
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
        """Hold a field to the expression it is derived from."""
        if not isinstance(member, Variable):
            raise NotScannableError(each.location, "derived, and no integer")
        wanted = Calculator(place.here, place.given)(node)
        self.frame.within(self.frame.refusing(f"{member.source} != {wanted.within(9)}"))

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
        raise NotScannableError(each.location, f"scanners do not take a {called(type_)}")

    def user(self, type_: UserType, place: Place, each: Field) -> tuple[ColumnView, Environment]:
        """Take a record, in a window of its own where it has a size."""
        frame, delimiting, outer = self.frame, type_.delimiting, place.here
        parent = outer if type_.parent is None else None
        here = Environment(type_.type, parent, outer.start, outer.end)
        calculator = Calculator(outer, place.given)
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value, name = calculator(arg), frame.name(joined(place.name, param.name))
            frame.add(f"{name} = {value.source}")
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
        frame.add(f"{here.start} = at", f"{here.end} = at + {extent.size}")
        with frame.window(here.end):
            column.children = self.record(type_.type, place, here)
        frame.add(f"at = {here.end}")
        return column, here

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
        with frame.block(head):
            before = frame.name(f"{place.name}_begin") if least == 0 else ""
            outer, frame.statements = frame.statements, []
            column, member = self.value(each.type, inner, each, wants_column=True)
            if column is None:
                raise NotScannableError(each.location, "a repeated record without columns")
            frame.flush()
            taken, frame.statements = frame.statements, outer
            room = Block(
                f"if {counter} == {frame.first_slots[table]}:", [f"return {2 + table}, row, place"]
            )
            frame.add(room, *([f"{before} = at"] if before else []), *taken)
            frame.add(f"{counter} += 1")
            if before:
                frame.add(frame.refusing(f"at == {before}"))
            if repeat.kind == "until" and repeat.expression is not None:
                place.here.item = member
                test = Calculator(place.here, place.given)(repeat.expression)
                frame.add(Block(f"if {test.source}:", ["break"]))
        frame.add(f"{ends}[{place.row.index} + 1] = {counter}")
        column.name = "item"
        return ColumnView("List", place.name, slots=[ends], children=[column])

    def _head(self, each: Field, place: Place, least: int) -> str:
        """Return the head of the loop over elements; a count is checked before it."""
        repeat, frame = each.repeat, self.frame
        if repeat is None or repeat.expression is None:
            return f"while at < {frame.end}:"
        if repeat.kind == "until":
            return "while True:"
        value = Calculator(place.here, place.given)(repeat.expression)
        wanted = frame.name(f"{place.name}_count")
        frame.add(f"{wanted} = {value.source}")
        below = f"{wanted} < 0 or " if value.low < 0 else ""
        many = f"{wanted} > most or {wanted} * {least} > {frame.end} - at"
        frame.add(frame.refusing(f"{below}{many}"))
        return f"for _ in range({wanted}):"
