"""Switches in a put: values whose type depends on another value.

Numbers of all cases come from one column, and are refused where the case has no room for them.  A
column that only other cases have must hold its default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.model import BytesType, FloatType, IntType, SwitchType, UserType
from byteloom_codegen.python.templates import LOOP, PUT
from byteloom_codegen.scanners.column_views import called
from byteloom_codegen.scanners.kinds import cases_of, met
from byteloom_codegen.scanners.put_frame import Length, Part
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.walk_values import WalkColumn, default_of, form_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import DataType, Field
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.put_frame import PutFrame, PutSpot
    from byteloom_codegen.scanners.put_values import PutValues

__all__ = ["PutSwitches"]


@dataclass(slots=True)
class PutSwitches:
    """Adds switches to the statements of a put; *user* puts a record, as a case of a field."""

    frame: PutFrame
    values: PutValues
    user: Callable[[Field, UserType, str | None, PutSpot], Length]

    def put(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put a value of the type whose case matches; return how many bytes it takes."""
        type_, frame = each.type, self.frame
        if not isinstance(type_, SwitchType) or each.valid is not None or "order" in each.loom:
            reason = "a rule or an order on a type that another value decides"
            raise NotScannableError(each.location, reason)
        tag = spot.calculator(type_.on).source
        if not tag.isidentifier():
            name = frame.names.name(f"{each.name}_tag")
            frame.sizes += LOOP.lines("assigned", name=name, value=tag)
            tag = name
        number = self._number(each, type_, column)
        groups = cases_of(type_)
        tests = [met(tag, group, spot.calculator) for group in groups]
        outer = frame.shared
        frame.shared = [one for one in outer if one not in frame.taken]
        parts, sizes = list[Part](), list[str]()
        for group in groups:
            with frame.apart() as part:
                length = self._case(each, group[0].type, number, column, spot)
            length.align()
            parts.append(part)
            sizes.append(length.source)
            frame.shared = [*frame.shared, *part.taken]
        frame.shared = outer
        frame.taken[:] = dict.fromkeys(frame.taken)
        spot.here.members.pop(each.name, None)
        size = frame.names.name(f"{each.name}_part")
        sized = [
            [*part.sizes, *LOOP.lines("assigned", name=size, value=source)]
            for part, source in zip(parts, sizes, strict=True)
        ]
        frame.sizes += PUT.lines("cases", cases=list(zip(tests, sized, strict=True)))
        ruled = [[*self._lost(part, parts), *part.rules] for part in parts]
        frame.rules += PUT.lines("cases", cases=list(zip(tests, ruled, strict=True)))
        stored = [part.stores for part in parts]
        frame.stores += PUT.lines("cases", cases=list(zip(tests, stored, strict=True)))
        return Length([size])

    def _number(self, each: Field, type_: SwitchType, column: str | None) -> WalkColumn | None:
        """Return the column of a value that is a number in some cases; None if in none."""
        kinds = [one.type for one in type_.cases if isinstance(one.type, IntType | FloatType)]
        if not kinds:
            return None
        if column is None or any(isinstance(one, FloatType) for one in kinds):
            raise NotScannableError(each.location, "a fraction, or a number that no column has")
        forms = {form_of(one) for one in kinds}
        form, name = forms.pop() if len(forms) == 1 else "i8", self.frame.names.name(each.name)
        return self.frame.column(each, WalkColumn(column, form, default_of(each), name))

    def _case(
        self,
        each: Field,
        type_: DataType,
        number: WalkColumn | None,
        column: str | None,
        spot: PutSpot,
    ) -> Length:
        """Put the value of one case."""
        frame = self.frame
        if number is not None and not isinstance(type_, IntType):
            frame.refuse(f"{number.variable} != {number.default}")
        match type_:
            case IntType(width=int(width), endian=endian) if number and (width == 1 or endian):
                self.values.fits(type_, number.form, number.variable)
                frame.store(width, number.variable, endian)
                return Length([], width)
            case BytesType(delimiting=None, process=None):
                return Length()
            case BytesType(delimiting=delimiting, process=None) if delimiting is not None:
                return self.values.bytes(each, delimiting, column, spot)
            case UserType(process=None):
                return self.user(each, type_, column, spot)
        raise NotScannableError(each.location, f"puts do not take a {called(type_)}")

    def _lost(self, part: Part, parts: list[Part]) -> list[Statement]:
        """Return the statements that refuse values in columns of other cases only."""
        others = dict.fromkeys(one for other in parts for one in other.taken)
        lost = [self.frame.is_set(one) for one in others if one not in part.taken]
        return [line for test in lost for line in self.frame.names.refusing(test)]
