"""The record of one row of columns, as an expression that makes it by its classes.

A put refuses a row by its place alone; the record that is made of it says in its own words what is
wrong.  A record or a field that may be missing is made where its condition holds, and wherever one
of its columns has another value than the default.
"""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom_codegen.model import BoolType, Field, UserType
from byteloom_codegen.python.derive import derived_fields, is_magic
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.python.translate import NOT
from byteloom_codegen.scanners.calculation import Calculator, Environment, Variable
from byteloom_codegen.scanners.columns import column_name
from byteloom_codegen.scanners.put_values import only
from byteloom_codegen.scanners.walk_values import default_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import TypeSpec

__all__ = ["Making", "making"]


@dataclass(slots=True)
class Making:
    """An expression, and the names of the values of the columns in it."""

    class_of: Callable[[TypeSpec], str]
    arguments: list[str] = field(default_factory=list)
    source: str = ""

    def record(self, spec: TypeSpec, here: Environment) -> tuple[str, list[str]]:
        """Return the source of a record, and tests for values that are no defaults."""
        given = [
            f"{attribute_name(param.name)}={self._argument(param.type, here, param.name)}"
            for param in spec.params
        ]
        tests: list[str] = []
        for each in spec.seq:
            if each.name in derived_fields(spec) or is_magic(each):
                continue
            source, own = self._value(each, here)
            tests += own
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
        name = column_name(each, here.spec)
        if isinstance(each.type, UserType) and "varint" not in each.loom:
            if "arrow" in each.loom and name is not None:
                value = self._column(name)
                cls = self.class_of(each.type.type)
                return f'Reader({value}).whole("{each.name}", {cls}.read)', [value]
            inner = Environment(each.type.type, here, "", "")
            for param, arg in zip(each.type.type.params, each.type.args, strict=True):
                value_of = Calculator(here)(arg)
                inner.members[param.name] = Variable(value_of.source, value_of.low, value_of.high)
            return self.record(each.type.type, inner)
        if name is None:
            return str(only(each)), []
        value, default = self._column(name), default_of(each)
        return value, [f"{value} != {default}" if default else value]

    def _column(self, name: str) -> str:
        taken = keyword.iskeyword(name) or name in dir(builtins)
        self.arguments.append(f"{name}_" if taken else name)
        return self.arguments[-1]


def making(spec: TypeSpec, class_of: Callable[[TypeSpec], str]) -> Making:
    """Return the expression for a record of *spec*."""
    here = Environment(spec, None, "", "")
    for param in spec.params:
        here.members[param.name] = Variable(param.name, 0, 1)
    making = Making(class_of)
    making.source, _ = making.record(spec, here)
    return making
