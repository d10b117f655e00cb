"""Lists in a put: columns of the items of all records, and where those of each record begin.

The columns of a list of records have as many items each.  Items are gone through once for the rules
and once for the bytes, and a third time where they differ in size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.binding import BIT_OR
from byteloom_codegen.model import BitsType, base_of
from byteloom_codegen.python.derive import derived_fields
from byteloom_codegen.python.sizes import field_size, least_bytes
from byteloom_codegen.python.templates import PUT
from byteloom_codegen.scanners.put_frame import Length
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import Variable
from byteloom_codegen.scanners.walk_lists import MOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import Field
    from byteloom_codegen.scanners.put_frame import PutFrame, PutSpot

__all__ = ["PutLists"]

_SOME: Final = 1
"""The least bytes of an item in a column, if the spec does not say."""


@dataclass(slots=True)
class PutLists:
    """Adds lists to the statements of a put; *one* puts an item, as it puts a single field."""

    frame: PutFrame
    one: Callable[[Field, str | None, PutSpot], Length]

    def put(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put the items of a list; return how many bytes they take."""
        frame, here = self.frame, spot.here
        base = base_of(each.type)
        if each.repeat is None or each.repeat.kind == "until" or isinstance(base, BitsType):
            raise NotScannableError(each.location, "a list of bits, or that one of its items ends")
        if frame.item[0]:
            raise NotScannableError(each.location, "lists in lists")
        if column is None:
            raise NotScannableError(each.location, "a list that no column has")
        item = replace(each, repeat=None, condition=None)
        count, index = frame.size(each), frame.names.name(f"{each.name}_index")
        least = least_bytes(field_size(item)) or _SOME
        loads, outer_index = frame.loads, here.index
        frame.loads, frame.item, here.index = [], (index, least), Variable(index, 0, MOST)
        with frame.apart() as part:
            length = self.one(item, column, spot)
            frame.align()
        inner, frame.loads, frame.item, here.index = frame.loads, loads, ("", 0), outer_index
        length.align()
        here.members.pop(each.name, None)
        names = [one.name for one in part.taken]
        if not names:
            raise NotScannableError(each.location, "a list that no column has")
        loaded = PUT.lines("items_loaded", count=count, columns=names)
        frame.loads += [line for line in loaded if line not in frame.loads]
        frame.sizes += PUT.lines(
            "items_alike", count=count, columns=names[1:], refuse=frame.names.refuse
        )
        self._counted(each, count, spot)
        before = [*inner, *part.sizes]
        frame.rules += PUT.lines(
            "items_checked", count=count, index=index, before=before, rules=part.rules
        )
        frame.flush()
        frame.stores += PUT.lines(
            "items_stored", count=count, index=index, before=[*before, *part.rules],
            stores=part.stores,
        )  # fmt: skip
        if not length.terms:
            return Length([f"{length.fixed} * {count}" if length.fixed != 1 else count])
        size = frame.names.name(f"{each.name}_size")
        frame.sizes += PUT.lines(
            "items_sized", size=size, count=count, index=index, before=before, one=length.source
        )
        return Length([size])

    def _counted(self, each: Field, count: str, spot: PutSpot) -> None:
        """Refuse a wrong number of items, unless the count follows from it."""
        if each.repeat is None or each.repeat.expression is None:
            if not spot.window:
                raise NotScannableError(each.location, "a list up to where nothing says it")
            return
        if any(one.by == each.name for one in derived_fields(spot.here.spec).values()):
            return
        wanted = spot.calculator(each.repeat.expression)
        self.frame.refuse(f"{count} != {wanted.within(BIT_OR)}")
