"""Calculated instances in a loop, which stores the numbers that each is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.scanners.calculated_columns import calculated_column, refused_column
from byteloom_codegen.scanners.calculation import Calculator, all_true
from byteloom_codegen.scanners.column_calculation import InstanceCalculator
from byteloom_codegen.scanners.column_views import column_name
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.row_numbers import Numbers

if TYPE_CHECKING:
    from byteloom_codegen.model import ValueInstance
    from byteloom_codegen.scanners.calculated_columns import Calculations
    from byteloom_codegen.scanners.column_views import ColumnView
    from byteloom_codegen.scanners.loop_frame import Frame
    from byteloom_codegen.scanners.loop_values import Place

__all__ = ["Instances"]


@dataclass(frozen=True, slots=True)
class Instances:
    """Adds the statements of instances to a frame; *calculations* gets their functions."""

    frame: Frame
    calculations: Calculations

    def column(self, instance: ValueInstance, place: Place) -> list[ColumnView]:
        """Return the column of a calculated instance, if it has one; store what it is made of."""
        name = column_name(instance, place.here.spec)
        if name is None or place.name in self.calculations.left_out:
            return []
        frame = self.frame
        frame.flush()
        before = list(frame.statements)
        try:
            return [self._calculated(instance, name, place)]
        except NotScannableError as error:
            frame.statements[:] = before
            return [refused_column(instance, name, place.name, error)]

    def _calculated(self, instance: ValueInstance, name: str, place: Place) -> ColumnView:
        """Return the column of a calculated instance; store the numbers that it is made of."""
        numbers = Numbers(place.here, Calculator)
        calculator = InstanceCalculator(place.here, place.given, numbers=numbers)
        condition = ""
        if instance.condition is not None:
            condition = calculator.plain(instance.condition).source
            calculator = replace(calculator, given=place.given | {condition}, path=(condition,))
        column = calculated_column(instance, name, place.name, calculator, self.calculations)
        if condition:
            column.slots.append(self.frame.slot(f"{place.name}_given", place.row))
            self.frame.add(*place.row.stored(column.slots[0], f"1 if {condition} else 0"))
        for (source, test), each in numbers.taken.items():
            each.slots.append(self.frame.slot(f"{place.name}_{each.name}".rstrip("_"), place.row))
            value = f"{source} if {test} else 0" if test else source
            self.frame.add(*place.row.stored(each.slots[0], value))
        for tests in numbers.checks:
            self.frame.add(*self.frame.refusing(all_true(tests)))
        return column
