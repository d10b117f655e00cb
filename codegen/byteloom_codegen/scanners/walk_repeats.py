"""Lists in a walk whose items are taken one by one: records, bytes, text, varints, other types.

- A list of records is a list for each column of its records; an item without a field has its
  default there.
- The items of all records are in one array.  Where they lack room, the walk ends as it does for a
  row without room, and continues with the same record.
- An item takes bytes, so that there are never more of them than the data can hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import BitsType, BytesType, StrType, base_of
from byteloom_codegen.python.sizes import field_size, least_bytes
from byteloom_codegen.python.statements import indented
from byteloom_codegen.python.templates import WALK
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import Variable
from byteloom_codegen.scanners.walk_lists import MOST, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import Field
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import Spot, WalkValues

__all__ = ["Repeats"]


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
