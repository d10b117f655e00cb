"""Switches in a walk: values whose type depends on another value.

- Numbers of all cases share one variable and one column; bytes and records have their own.
- Columns of other cases have their defaults; two cases may fill the same column.
- Where no case is met, the record has nothing, and the walk takes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import BytesType, FloatType, IntType, UserType
from byteloom_codegen.python.templates import WALK
from byteloom_codegen.scanners.column_views import called
from byteloom_codegen.scanners.kinds import cases_of, met
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import Variable, variable_of
from byteloom_codegen.scanners.walk_values import default_of, form_of, unset_to_defaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import DataType, Field, SwitchType
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import Spot, WalkColumn, WalkValues

__all__ = ["Switches"]

_NUMBER: Final = "in a case that is a number"
"""The condition under which the value of a switch is a number, if it may be another or none."""


@dataclass(slots=True)
class _Branch:
    """The statements of a case, the columns it fills, and its variables for other cases."""

    body: list[Statement]
    filled: list[WalkColumn]
    unset: list[tuple[str, int]]


@dataclass(slots=True)
class Switches:
    """Adds switches to the statements of a walk; *user* takes a record, as a case of a field."""

    frame: WalkFrame
    values: WalkValues
    user: Callable[[Field, UserType, Spot], None]

    def take(self, each: Field, type_: SwitchType, spot: Spot) -> None:
        """Take a value of the type whose case matches."""
        if each.valid is not None:
            raise NotScannableError(each.location, "a rule on a type that another value decides")
        if "order" in each.loom and any(isinstance(one.type, UserType) for one in type_.cases):
            raise NotScannableError(each.location, "a record cannot be part of the order")
        number = self._number(each, type_, spot)
        self.frame.flush()
        tag = spot.calculator(type_.on).source
        on, tag = tag, tag if tag.isidentifier() else self.frame.name(f"{each.name}_tag")
        groups = cases_of(type_)
        tests = [met(tag, group, spot.calculator) for group in groups]
        branches = self._branches(each, [group[0].type for group in groups], spot, number)
        self.frame.known = 0
        taken = [(*branch.body, *_blanks(branch, branches)) for branch in branches]
        self.frame.statements += WALK.lines(
            "switch", tag=tag, on=on, cases=list(zip(tests, taken, strict=True))
        )
        spot.here.members.pop(each.name, None)
        if number:
            self._put(each, type_, spot, number)

    def _branches(
        self, each: Field, types: list[DataType], spot: Spot, number: str
    ) -> list[_Branch]:
        """Return the branch of each case."""
        values, branches = self.values, list[_Branch]()
        shared, filled, unset = values.shared, values.filled, values.unset
        values.shared = [one for one in shared if one not in filled]
        for type_ in types:
            values.filled, values.unset = [], []
            with self.frame.apart() as body:
                self._case(each, type_, spot, number)
            branches.append(_Branch(body, values.filled, values.unset))
            values.shared = [*values.shared, *values.filled]
        values.shared, values.filled = shared, [*filled, *_all_filled(branches)]
        values.unset = [*unset, *(one for branch in branches for one in branch.unset)]
        return branches

    def _case(self, each: Field, type_: DataType, spot: Spot, number: str) -> None:
        """Take the value of one case."""
        self.frame.ahead = 0
        if isinstance(type_, IntType | FloatType):
            self.values.load(each, type_, number)
            return
        if number:
            self.frame.add(*unset_to_defaults([(number, default_of(each))]))
        match type_:
            case BytesType(delimiting=None, process=None):
                pass
            case BytesType(delimiting=delimiting, process=None) if delimiting is not None:
                self.values.bytes(each, delimiting, spot)
            case UserType(process=None):
                self.user(each, type_, spot)
            case _:
                raise NotScannableError(each.location, f"walks do not take a {called(type_)}")

    def _number(self, each: Field, type_: SwitchType, spot: Spot) -> str:
        """Return the variable for a value that is a number in some cases; "" if nothing uses it."""
        kinds = _numbers(type_)
        forms = {form_of(one) for one in kinds}
        if len(forms) > 1 and any(isinstance(one, FloatType) for one in kinds):
            reason = "cases of several kinds of numbers, some of them with fractions"
            raise NotScannableError(each.location, reason)
        asked = forms and (spot.column or self.values.is_used(each))
        return self.frame.name(each.name) if asked else ""

    def _put(self, each: Field, type_: SwitchType, spot: Spot, number: str) -> None:
        """Put the number into its column, and let expressions use it."""
        kinds = _numbers(type_)
        ranges = [variable_of(replace(each, type=one), number, "") for one in kinds]
        known = [one for one in ranges if one is not None]
        if known:
            always = len(kinds) == len(type_.cases) and any(one.on is None for one in type_.cases)
            low, high = min(one.low for one in known), max(one.high for one in known)
            condition = spot.condition if always else _NUMBER
            spot.here.members[each.name] = Variable(number, low, high, condition)
            self.values.leaf(each, (number,), default_of(each))
        if spot.column is not None:
            forms = {form_of(one) for one in kinds}
            form = forms.pop() if len(forms) == 1 else "i8"
            self.frame.add(*self.values.column(each, spot.column, form).put(number))


def _numbers(type_: SwitchType) -> list[IntType | FloatType]:
    """Return the types of the cases that are numbers."""
    return [one.type for one in type_.cases if isinstance(one.type, IntType | FloatType)]


def _all_filled(branches: list[_Branch]) -> list[WalkColumn]:
    """Return each column that some case fills."""
    return list(dict.fromkeys(one for branch in branches for one in branch.filled))


def _blanks(branch: _Branch, branches: list[_Branch]) -> list[Statement]:
    """Return the statements that fill the columns of other cases with defaults."""
    names = [one for other in branches if other is not branch for one in other.unset]
    columns = [one for one in _all_filled(branches) if one not in branch.filled]
    return [*unset_to_defaults(names), *(line for one in columns for line in one.blank())]
