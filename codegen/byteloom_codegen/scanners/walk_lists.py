"""Lists in a walk: of numbers, whose count is an expression, or of items taken one by one.

- All numbers of a list are checked at once.
- A list of records is a list for each column of its records; an item without a field has its
  default there.
- The items of all records are in one array.  Where they lack room, the walk ends as it does for a
  row without room, and continues with the same record.
- An item takes bytes, so that there are never more of them than the data can hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import BitsType, BytesType, FloatType, IntType, StrType, base_of
from byteloom_codegen.python.sizes import field_size, least_bytes
from byteloom_codegen.python.statements import indented
from byteloom_codegen.python.templates import WALK
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.variables import Variable, variable_of
from byteloom_codegen.scanners.walk_numbers import load, store_into
from byteloom_codegen.scanners.walk_values import form_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import Field
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import Spot, WalkValues

__all__ = ["MOST", "Lists", "Repeats", "counted", "is_list"]


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


@dataclass(slots=True)
class Repeats:
    """Adds lists to the statements of a walk; *one* takes an item, as it takes a single field."""

    frame: WalkFrame
    values: WalkValues
    one: Callable[[Field, Spot], None]

    def take(self, each: Field, spot: Spot) -> None:
        """Take the items of a list."""
        frame, values, here = self.frame, self.values, spot.here
        if each.repeat is None or each.repeat.kind == "until":
            raise NotScannableError(each.location, "a list that one of its items ends")
        base = base_of(each.type)
        if isinstance(base, BitsType):
            raise NotScannableError(each.location, "a list of bits")
        if values.item[0] and spot.column is not None:
            raise NotScannableError(each.location, "lists in lists")
        item = replace(each, repeat=None, condition=None)
        least = _least(item, spot)
        to_end = each.repeat.kind == "eos"
        frame.flush()
        count = "" if to_end else counted(each, spot, frame, least)
        index = frame.name(f"{each.name}_index")
        outer, first, outer_index = values.item, len(values.filled), here.index
        if spot.column is not None:
            values.item = index, least
        here.index = Variable(index, 0, MOST)
        with frame.apart() as taken:
            frame.known = frame.ahead = 0
            self.one(item, spot)
        values.item, here.index = outer, outer_index
        here.members.pop(each.name, None)
        filled = values.filled[first:]
        values.filled[first:] = [replace(column, number="") for column in filled]
        if not taken:  # an empty record, to the end
            return
        frame.known = 0
        columns = list(dict.fromkeys(column.name for column in filled))
        if to_end:
            asked = columns or any(index in line for _, line in indented(taken))
            frame.statements += WALK.lines(
                "each_to_end",
                columns=columns,
                index=index if asked else "",
                end=frame.end,
                full=frame.full,
                taken=taken,
            )
        else:
            frame.statements += WALK.lines(
                "each_counted",
                columns=columns,
                index=index,
                count=count,
                full=frame.full,
                taken=taken,
            )


def _least(item: Field, spot: Spot) -> int:
    """Return how many bytes an item takes at least."""
    least = least_bytes(field_size(item))
    type_ = item.type
    if not least and isinstance(type_, BytesType | StrType) and type_.delimiting is not None:
        size = type_.delimiting.size
        least = 0 if size is None else max(spot.calculator(size).low, 0)
    if not least:
        raise NotScannableError(item.location, "a list whose items may have no bytes")
    return least
