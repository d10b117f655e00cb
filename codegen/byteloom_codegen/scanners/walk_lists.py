"""Lists of numbers in a walk, whose count is an expression; all numbers are checked at once.

The items of all records are in one array.  Where they lack room, the walk ends as it does for a row
without room, and continues with the same record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import FloatType, IntType, base_of
from byteloom_codegen.python.templates import WALK
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.variables import Variable, variable_of
from byteloom_codegen.scanners.walk_numbers import load, store_into
from byteloom_codegen.scanners.walk_values import form_of

if TYPE_CHECKING:
    from byteloom_codegen.model import Field
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import Spot, WalkValues

__all__ = ["MOST", "Lists", "counted", "is_list"]

MOST: Final = 1 << 60
"""More items than any stream has."""


def is_list(each: Field) -> bool:
    """Whether a field is a list of numbers whose count is an expression."""
    counted = each.repeat is not None and each.repeat.kind == "expr"
    return (
        counted
        and isinstance(base_of(each.type), IntType | FloatType)
        and "varint" not in each.loom
    )


@dataclass(slots=True)
class Lists:
    """Adds lists to the statements of a walk."""

    frame: WalkFrame
    values: WalkValues

    def take(self, each: Field, spot: Spot) -> None:
        """Take the items of a list."""
        type_ = base_of(each.type)
        if not isinstance(type_, IntType | FloatType) or type_.width is None:
            raise NotScannableError(each.location, "walks have lists of numbers alone")
        if type_.width > 1 and type_.endian is None:
            raise NotScannableError(each.location, "its byte order is decided while reading")
        if "order" in each.loom:
            raise NotScannableError(each.location, "a list cannot be part of the order")
        frame, width = self.frame, type_.width
        count = counted(each, spot, frame, width)
        item, index = frame.name(each.name), frame.name(f"{each.name}_index")
        rules = self._rules(each, spot, item, index)
        if form_of(type_) == "u8" and spot.column is not None:
            rules = [*frame.refusing(f"{item} < 0"), *rules]
        if spot.column is None and not rules:
            frame.statements += WALK.lines("items_passed", count=count, width=width)
            return
        signed = isinstance(type_, IntType) and type_.signed
        items = {
            "item": item,
            "index": index,
            "count": count,
            "value": load(0, width, type_.endian, signed=signed),
            "width": width,
            "rules": rules,
        }
        if spot.column is None:
            frame.statements += WALK.lines("items", **items, stored=[])
            return
        column = self.values.column(each, spot.column, form_of(type_), items=width)
        first = frame.name(f"{each.name}_first")
        store, at = store_into(column.form, f"({first} + {index})")
        stored = WALK.lines(
            "item_stored", column=column.name, store=store, at=at, item=item, is_wanted=not rules
        )
        begun = WALK.lines(
            "items_begun", column=column.name, first=first, count=count, full=frame.full
        )
        taken = WALK.lines("items", **items, stored=stored)
        filled = {"column": column.name, "begun": begun, "taken": taken}
        if rules:
            frame.statements += WALK.lines("items_checked", **filled, first=first)
        else:
            frame.statements += WALK.lines("items_filled", **filled, count=count, width=width)

    def _rules(self, each: Field, spot: Spot, item: str, index: str) -> list[Statement]:
        """Return the statements that refuse an invalid item."""
        rules: list[Statement] = []
        member = variable_of(each, item, "")
        if each.valid is not None:
            if member is None:
                raise NotScannableError(each.location, "a rule on a number with a fraction")
            here = spot.here
            here.item, here.index = member, Variable(index, 0, MOST)
            tests = broken(each.valid, each.type, item, spot.calculator, each.location)
            here.index = None
            rules += [line for test in tests for line in self.frame.refusing(test)]
        return rules


def counted(each: Field, spot: Spot, frame: WalkFrame, least: int) -> str:
    """Add statements that count the items and check that at least *least* bytes follow for each."""
    frame.flush()
    if each.repeat is None or each.repeat.expression is None:
        raise NotScannableError(each.location, "a list without an end")
    value, count = spot.calculator(each.repeat.expression), frame.name(f"{each.name}_count")
    frame.statements += WALK.lines(
        "counted",
        count=count,
        value=value.source,
        may_be_negative=value.low < 0,
        end=frame.end,
        ahead=frame.ahead,
        width=least,
        refuse=frame.refuse,
    )
    frame.known = frame.ahead
    return count
