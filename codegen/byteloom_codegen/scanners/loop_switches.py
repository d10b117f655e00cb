"""A value in a loop whose type depends on another value: a branch for each type."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import BytesType, IntType, base_of
from byteloom_codegen.python.templates import LOOP, WALK
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import ColumnView
from byteloom_codegen.scanners.kinds import Kind, cases_column, kinds_of, met, widest
from byteloom_codegen.scanners.loop_lists import blanks_of
from byteloom_codegen.scanners.loop_values import Place, joined
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, Field, SwitchType
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.loop_lists import Taker

__all__ = ["Switches"]


@dataclass(frozen=True, slots=True)
class Switches:
    """Adds the statements of such values; *taker* takes values of one type."""

    taker: Taker

    def switched(self, type_: SwitchType, place: Place, each: Field) -> ColumnView | None:
        """Take a value whose type depends on another value: a branch for each kind of value."""
        frame, kinds = self.taker.frame, kinds_of(type_)
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
            bodies, column = self.branch(kind, place, each, always=is_plain and always)
            branches += bodies
            columns.append((kind, column))
        for _, column in columns:
            blanks = (
                [] if column is None or not column.optional else blanks_of(frame, column, place.row)
            )
            for slot, value in blanks:
                frame.add(*LOOP.lines("assigned", name=slot, value=value))
        column = cases_column(type_, place.name, columns, self.taker.class_of)
        given = given if column is not None else ""
        if given:
            frame.slot_before(first, given, place.row)
        cases = [
            (met(tag, kind.cases, calculator), [*self.marked(given, place), *body])
            for kind, body in branches
        ]
        cases.sort(key=lambda case: not case[0])  # the case for everything else is last
        frame.add(*WALK.lines("switch", tag=tag, on=on, cases=cases))
        if column is not None and given:
            column.slots.insert(0, given)
        return column

    def branch(
        self, kind: Kind, place: Place, each: Field, *, always: bool
    ) -> tuple[list[tuple[Kind, list[Statement]]], ColumnView | None]:
        """Return the statements that take values of one kind, for each type, and their column."""
        first = kind.types[0]
        if any(isinstance(one, BytesType) and one.delimiting is None for one in kind.types):
            raise NotScannableError(each.location, "bytes without an end")
        frame = self.taker.frame
        inner = Place(place.row, joined(place.name, kind.name), place.here, place.given)
        given, number = frame.name(f"out_{inner.name}_given"), len(frame.slots)
        if all(one == first for one in kind.types):
            with frame.apart() as body:
                column, _ = self.taker.value(
                    first, inner, replace(each, type=first), wants_column=True
                )
            bodies = [(kind, body)]
        else:
            bodies, column = self.integers(kind, inner, each)
        if column is not None and not always:
            frame.slot_before(number, given, place.row)
            column.optional = True
            column.slots.insert(0, given)
            bodies = [(kind, [*place.row.stored(given, "1"), *body]) for kind, body in bodies]
        return bodies, column

    def integers(
        self, kind: Kind, place: Place, each: Field
    ) -> tuple[list[tuple[Kind, list[Statement]]], ColumnView]:
        """Return the statements that take integers of several widths, and the column they share."""
        if kind.item is not None or kind.name != "int":
            raise NotScannableError(each.location, "types whose values share a column")
        frame, row, column = self.taker.frame, place.row, widest(kind.types)
        is_wide = column.kind == "Wide"
        column.slots = [frame.slot(place.name, row)]
        column.slots += [frame.slot(f"{place.name}_high", row)] if is_wide else []
        bodies = []
        for case in kind.cases:
            with frame.apart() as body:
                name = self.taker.values.integer(case.type, place, each)
                frame.within(*row.stored(column.slots[0], name))
                if is_wide:  # the bits above the 64 of a word
                    high = f"-1 if {name} < 0 else 0" if _is_signed(case.type) else "0"
                    frame.within(*row.stored(column.slots[1], high))
            bodies.append((Kind(kind.name, None, [case]), body))
        return bodies, column

    def marked(self, given: str, place: Place) -> list[Statement]:
        """Return the statements that mark a value as present."""
        return place.row.stored(given, "1") if given else []


def _is_signed(type_: DataType) -> bool:
    base = base_of(type_)
    return isinstance(base, IntType) and base.signed
