"""Lists of numbers in a walk: as many as an expression says, as one column of items and offsets.

The items of all records are side by side.  Where they have no room, the walk ends as it does where
a row has none, and goes on with the same record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import EnumType, FloatType, IntType
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.scanners.calculation import NotScannableError, Variable, variable_of
from byteloom_codegen.scanners.loads import load, put
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.walk_values import form_of

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, Field
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import Spot, WalkColumn, WalkValues

__all__ = ["Lists", "is_list"]

_MOST: Final = 1 << 60
"""More items than any stream has."""


def is_list(each: Field) -> bool:
    """Whether a field is a list of numbers, as many as an expression says."""
    counted = each.repeat is not None and each.repeat.kind == "expr"
    return counted and isinstance(_item(each), IntType | FloatType) and "varint" not in each.loom


@dataclass(slots=True)
class Lists:
    """Adds lists to the statements of a walk."""

    frame: WalkFrame
    values: WalkValues

    def take(self, each: Field, spot: Spot) -> None:
        """Take the items of a list."""
        type_ = _item(each)
        if not isinstance(type_, IntType | FloatType) or type_.width is None:
            raise NotScannableError(each.location, "walks have lists of numbers alone")
        if type_.width > 1 and type_.endian is None:
            raise NotScannableError(each.location, "its byte order is decided while reading")
        if "order" in each.loom:
            raise NotScannableError(each.location, "a list is no part of the order")
        frame, width = self.frame, type_.width
        count = self._count(each, spot, width)
        passed = f"at += {width} * {count}" if width > 1 else f"at += {count}"
        item, index = frame.name(each.name), frame.name(f"{each.name}_index")
        rules = self._rules(each, spot, item, index)
        if form_of(type_) == "u8" and spot.column is not None:
            rules.insert(0, frame.refusing(f"{item} < 0"))
        if spot.column is None and not rules:
            frame.statements.append(passed)
            return
        signed = isinstance(type_, IntType) and type_.signed
        body: list[Statement] = [f"{item} = {load(0, width, type_.endian, signed=signed)}"]
        body += [f"at += {width}", *rules]
        loop = Block(f"for {index} in range({count}):", body)
        if spot.column is None:
            frame.statements.append(loop)
            return
        column = self.values.column(each, spot.column, form_of(type_), items=True)
        first = frame.name(f"{each.name}_first")
        room = self._room(column, first, count)
        stored = put(column.name, column.form, item, index=f"({first} + {index})")
        wanted = f"if offsets_{column.name}:"
        if rules:
            body.append(Block(wanted, [stored]))
            frame.statements += [f"{first} = 0", Block(wanted, room), loop]
        else:
            body.append(stored)
            frame.statements += [Block(wanted, [*room, loop]), Block("else:", [passed])]

    def _count(self, each: Field, spot: Spot, width: int) -> str:
        """Find out how many items there are, and whether their bytes are there."""
        frame = self.frame
        frame.flush()
        if each.repeat is None or each.repeat.expression is None:
            raise NotScannableError(each.location, "a list without an end")
        value, count = spot.calculator(each.repeat.expression), frame.name(f"{each.name}_count")
        below = f"{count} < 0 or " if value.low < 0 else ""
        room = f"{frame.end} - at - {frame.ahead}" if frame.ahead else f"{frame.end} - at"
        room = f"({room}) // {width}" if width > 1 else room
        frame.statements += [
            f"{count} = {value.source}",
            frame.refusing(f"{below}{count} > {room}"),
        ]
        frame.known = frame.ahead
        return count

    def _rules(self, each: Field, spot: Spot, item: str, index: str) -> list[Statement]:
        """Return what refuses an item."""
        rules: list[Statement] = []
        member = variable_of(each, item, "")
        if each.valid is not None:
            if member is None:
                raise NotScannableError(each.location, "a rule on a number with a fraction")
            here = spot.here
            here.item, here.index = member, Variable(index, 0, _MOST)
            tests = broken(each.valid, each.type, item, spot.calculator, each.location)
            here.index = None
            rules += [self.frame.refusing(test) for test in tests]
        return rules

    def _room(self, column: WalkColumn, first: str, count: str) -> list[Statement]:
        """Return what ends the walk where *count* items have no room, from *first* on."""
        name = column.name
        return [
            f"{first} = le64(offsets_{name}, 8 * row)",
            Block(f"if {count} > room_{name} - {first}:", self.frame.full),
            f"put_le64(offsets_{name}, 8 * row + 8, {first} + {count})",
        ]


def _item(each: Field) -> DataType:
    """Return the type of an item, as it is stored."""
    return each.type.base if isinstance(each.type, EnumType) else each.type
