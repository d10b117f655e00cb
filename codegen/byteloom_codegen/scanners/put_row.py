"""The expression that makes the record of one row of columns.

A put only reports the place of a wrong row; the record made of it raises the error.  An optional
record or field is made where its condition holds, and wherever one of its columns has another value
than the default.
"""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    Field,
    IntType,
    SwitchType,
    UserType,
)
from byteloom_codegen.precedence import BIT_OR, NOT
from byteloom_codegen.python.derived_fields import derived_fields, is_magic
from byteloom_codegen.python.names import attribute_name, parameter_name
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import column_name
from byteloom_codegen.scanners.kinds import cases_of
from byteloom_codegen.scanners.put_solved_fields import solution_of
from byteloom_codegen.scanners.put_values import only
from byteloom_codegen.scanners.variables import Environment, Variable, variable_of
from byteloom_codegen.scanners.walk_values import default_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import TypeSpec

__all__ = ["Making", "making"]


_ITEM: Final = "it[{}]"
"""The value of a column in an item of a list."""


@dataclass(slots=True)
class Making:
    """An expression, and the names of the values of the columns in it.

    _items_of  the columns of the list whose item is being made
    """

    class_of: Callable[[TypeSpec], str]
    arguments: list[str] = field(default_factory=list)
    source: str = ""
    _items_of: list[str] | None = None

    def record(self, spec: TypeSpec, here: Environment) -> tuple[str, list[str]]:
        """Return the source of a record, and tests whether values differ from the defaults."""
        given = [
            f"{parameter_name(param.name)}={self._argument(param.type, here, param.name)}"
            for param in spec.params
        ]
        tests: list[str] = []
        for each in spec.seq:
            if each.name in derived_fields(spec) or is_magic(each):
                continue
            source, own = self._value(each, here)
            tests += own
            number = variable_of(each, source, "")
            if number is not None and each.repeat is None:
                here.members[each.name] = number
            if each.condition is not None:
                condition = Calculator(here)(each.condition)
                wanted = " or ".join([condition.within(NOT), *own])
                source = f"{source} if {wanted} else None"
            given.append(f"{attribute_name(each.name)}={source}")
        return f"{self.class_of(spec)}({', '.join(given)})", tests

    def _argument(self, type_: object, here: Environment, name: str) -> str:
        found = here.members[name]
        source = found.source if isinstance(found, Variable) else name
        return f"bool({source})" if isinstance(type_, BoolType) else source

    def _value(self, each: Field, here: Environment) -> tuple[str, list[str]]:
        if each.repeat is not None:
            return self._items(each, here)
        name = column_name(each, here.spec)
        if isinstance(each.type, SwitchType):
            return self._switched(each, each.type, name, here)
        if isinstance(each.type, UserType) and "varint" not in each.loom:
            return self._user(each, each.type, name, here)
        solution = solution_of(each, here.spec) if name is None else None
        if solution is not None:
            value = self._column(solution.column)
            return solution.source(value), [value]
        if name is None:
            return str(only(each)), []
        value, default = self._column(name), default_of(each)
        tests = [f"{value} != {default}" if default else value]
        is_flag = isinstance(each.type, BitsType) and each.type.is_bool
        return f"{value} == 1" if is_flag else value, tests

    def _user(
        self, each: Field, type_: UserType, name: str | None, here: Environment
    ) -> tuple[str, list[str]]:
        if "arrow" in each.loom and name is not None:
            value, cls = self._column(name), self.class_of(type_.type)
            return f'Reader({value}).whole("{each.name}", {cls}.read)', [value]
        inner = Environment(type_.type, here, "", "")
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value_of = Calculator(here)(arg)
            inner.members[param.name] = Variable(value_of.source, value_of.low, value_of.high)
        return self.record(type_.type, inner)

    def _items(self, each: Field, here: Environment) -> tuple[str, list[str]]:
        """Return the source of a list; its class takes a list for each column."""
        self._items_of = []
        source, _ = self._value(replace(each, repeat=None, condition=None), here)
        names, self._items_of = self._items_of, None
        if source == _ITEM.format(0):
            return names[0], [names[0]]
        return f"[{source} for it in zip({', '.join(names)}, strict=False)]", names

    def _switched(
        self, each: Field, type_: SwitchType, name: str | None, here: Environment
    ) -> tuple[str, list[str]]:
        """Return the value of the case that matches; if none does, of one whose columns are set."""
        number, own = "", list[str]()
        if name is not None and any(isinstance(one.type, IntType) for one in type_.cases):
            number = self._column(name)
            own.append(f"{number} != {default_of(each)}")
        on, met, set_ = Calculator(here)(type_.on), "", ""
        for group in cases_of(type_):
            case = group[0].type
            source, tests = "None", list[str]()
            if isinstance(case, IntType):
                source, tests = number, own[:1]
            elif isinstance(case, UserType):
                source, tests = self._user(each, case, name, here)
            elif isinstance(case, BytesType) and case.delimiting and name is not None:
                source = self._column(name)
                tests = [source]
            own += [test for test in tests if test not in own]
            values = [Calculator(here)(one.on).source for one in group if one.on is not None]
            if len(values) == len(group):
                met += f"{source} if {on.within(BIT_OR)} in ({', '.join(values)},) else "
                set_ += f"{source} if {' or '.join(tests)} else " if tests else ""
            else:
                set_ += source
        return f"({met}{set_})", own

    def _column(self, name: str) -> str:
        taken = keyword.iskeyword(name) or name in dir(builtins)
        argument = f"{name}_" if taken else name
        if argument not in self.arguments:
            self.arguments.append(argument)
        if self._items_of is None:
            return argument
        if argument not in self._items_of:
            self._items_of.append(argument)
        return _ITEM.format(self._items_of.index(argument))


def making(spec: TypeSpec, class_of: Callable[[TypeSpec], str]) -> Making:
    """Return the expression for a record of *spec*."""
    here = Environment(spec, None, "", "")
    for param in spec.params:
        here.members[param.name] = Variable(param.name, 0, 1)
    making = Making(class_of)
    making.source, _ = making.record(spec, here)
    return making
