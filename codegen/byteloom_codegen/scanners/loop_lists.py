"""Repeated fields in a loop: lists, whose elements are rows of tables of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from byteloom_codegen.model import BitsType, ContentsType, base_of
from byteloom_codegen.precedence import COMPARE, SUM
from byteloom_codegen.python.sizes import least_bytes, value_size
from byteloom_codegen.python.templates import LOOP
from byteloom_codegen.scanners.calculation import Calculator, all_true
from byteloom_codegen.scanners.column_views import ColumnView
from byteloom_codegen.scanners.loop_frame import Row
from byteloom_codegen.scanners.loop_values import Place, joined
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import Environment, ListVariable, Variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import DataType, EnumSpec, Field, TypeSpec
    from byteloom_codegen.scanners.loop_frame import Frame
    from byteloom_codegen.scanners.loop_values import Values
    from byteloom_codegen.scanners.variables import Member, Value

__all__ = ["Lists", "Taker", "blanks_of", "until"]


class Taker(Protocol):
    """What takes one value, of any type."""

    @property
    def frame(self) -> Frame:
        """The statements so far."""

    @property
    def values(self) -> Values:
        """What takes single values."""

    @property
    def class_of(self) -> Callable[[TypeSpec | EnumSpec], str]:
        """What names the classes of records and enums."""

    def value(
        self, type_: DataType, place: Place, each: Field, *, wants_column: bool
    ) -> tuple[ColumnView | None, Member | None]:
        """Take one value; return its column (if wanted) and its variable for expressions."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Adds the statements of lists; *taker* takes their elements."""

    taker: Taker

    def repeated(
        self, each: Field, place: Place, name: str | None
    ) -> tuple[ColumnView, ListVariable | None]:
        """Take a repeated field; return its column and its variable for expressions."""
        repeat, frame = each.repeat, self.taker.frame
        least = least_bytes(value_size(each.type))
        if repeat is None or name is None:
            raise NotScannableError(each.location, "a repeated field without a column")
        if isinstance(base_of(each.type), BitsType | ContentsType):
            raise NotScannableError(each.location, "repeated bits or contents")
        if least == 0 and repeat.kind != "eos":
            raise NotScannableError(each.location, "elements that may have no bytes")
        frame.flush()
        table, counter = 1 + len(frame.counters), frame.name(f"num_{place.name}")
        ends = frame.slot(f"{place.name}_ends", place.row, more=True)
        frame.counters.append((counter, ends, place.row))
        head = self._head(each, place, least)
        first = frame.name(f"{place.name}_first") if self.taker.values.is_named(each) else ""
        if first:
            frame.add(*LOOP.lines("assigned", name=first, value=counter))
        inner = Place(Row(table, counter), joined(place.name, "item"), place.here, place.given)
        begin = frame.name(f"{place.name}_begin") if least == 0 else ""
        with frame.apart() as taken:
            column, member = self.taker.value(each.type, inner, each, wants_column=True)
            if column is None:
                raise NotScannableError(each.location, "a repeated record without columns")
            last = until(each, place, member)
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
                until=last,
                ends=ends,
                index=place.row.index,
            )
        )
        column.name = "item"
        found = None
        if first and not column.optional:
            found = ListVariable(
                f"({counter} - {first})",
                lambda at, path: self._element(member, first, counter, at, path),
            )
        return ColumnView("List", place.name, slots=[ends], children=[column]), found

    def _element(
        self, member: Member | None, first: str, counter: str, index: Value, path: tuple[str, ...]
    ) -> Member | None:
        """Return the element at *index*, which is checked where all tests of *path* are true."""
        frame, at = self.taker.frame, index.within(SUM + 1)
        below = f"{index.within(COMPARE)} < 0 or " if index.low < 0 else ""
        tests = [*path, f"{below}{at} >= {counter} - {first}"]
        frame.add(*frame.refusing(all_true(tests)))
        return self._stored(member, f"[{first} + {at}]")

    def _stored(self, member: Member | None, place: str) -> Member | None:
        """Return the element that slots have at *place*."""
        match member:
            case Variable(source=name, condition="") if name in self.taker.frame.kept:
                return replace(member, source=f"int({self.taker.frame.kept[name]}{place})")
            case Environment(spec=spec, members=members, condition=""):
                found = {name: self._stored(each, place) for name, each in members.items()}
                known = {name: each for name, each in found.items() if each is not None}
                return Environment(spec, None, "", "", known)
        return None

    def _head(self, each: Field, place: Place, least: int) -> str:
        """Return the head of the loop over elements; a count is checked before it."""
        repeat, frame = each.repeat, self.taker.frame
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


def until(each: Field, place: Place, member: Member | None) -> str:
    """Return the source of the condition that the last element meets; "" for none."""
    if each.repeat is None or each.repeat.kind != "until" or each.repeat.expression is None:
        return ""
    place.here.item = member
    return Calculator(place.here, place.given)(each.repeat.expression).source


def blanks_of(frame: Frame, column: ColumnView, row: Row) -> list[tuple[str, str]]:
    """Return what slots of *column* have where it is null: a list that ends where it begins."""
    if column.kind == "List":
        ends = column.slots[-1]
        counter = next(name for name, slot, _ in frame.counters if slot == ends)
        return [(f"{ends}[{row.index} + 1]", counter)]
    return [blank for each in column.children for blank in blanks_of(frame, each, row)]
