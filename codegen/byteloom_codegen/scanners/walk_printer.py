"""Walks and puts, as a module of scanners prints them: functions, and what the runtime needs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom_codegen.model import BoolType
from byteloom_codegen.python.names import parameter_name
from byteloom_codegen.python.statements import indented
from byteloom_codegen.scanners.put_records import put_view
from byteloom_codegen.scanners.put_row import making
from byteloom_codegen.scanners.targets import plural
from byteloom_codegen.scanners.walk_frame import FUNCTIONS
from byteloom_codegen.scanners.walk_parameters import argument_type
from byteloom_codegen.scanners.walk_records import walk_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import Param, TypeSpec
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.put_records import PutView
    from byteloom_codegen.scanners.walk_records import WalkView
    from byteloom_codegen.scanners.walk_values import WalkColumn

__all__ = ["PrintedWalk", "WalkPrinter"]


@dataclass(frozen=True, slots=True)
class PrintedWalk:
    """A walk or a put, as its template prints it.

    template   its name
    view       its loop
    arguments  of the loop, after those that every walk or put has
    one        of the function that reads or makes one record: its arguments, class and result
    """

    template: str
    exports: str
    name: str
    view: WalkView | PutView
    arguments: list[str]
    one: tuple[str, str, str]


@dataclass(slots=True)
class WalkPrinter:
    """Prints walks and puts, and the imports that they need.

    reads  whether any of them takes records by their class
    """

    used: set[int]
    class_of: Callable[[TypeSpec], str]
    reads: bool = False
    bodies: list[list[Statement]] = field(default_factory=list)
    _names: dict[str, set[str]] = field(default_factory=dict)

    def imports(self) -> list[Statement]:
        """Return the statements that import what the walks use from the runtime."""
        if not self.bodies:
            return []
        text = "\n".join(line for body in self.bodies for _, line in indented(body))
        called = set(re.findall(r"\b(\w+)\(", text))
        names = {"native.kernel": {"kernel"}, **self._names}
        for module, known in FUNCTIONS.items():
            names[module] = names.get(module, set()) | (called & known)
        return [
            f"from byteloom.{module} import {', '.join(sorted(each, key=_cased))}"
            for module, each in sorted(names.items())
            if each
        ]

    def walk(self, spec: TypeSpec) -> PrintedWalk:
        """Return the walk over runs of *spec*."""
        view, name, cls = walk_view(spec, self.used), plural(spec.name), self.class_of(spec)
        self._names.setdefault("columns.walks", set()).update({"Out", "Walk", "bytes_walked"})
        self.bodies.append(view.record)
        self.reads = True
        taken = "".join(f", {each}" for each in _arguments(spec))
        return PrintedWalk(
            template="walk.py.jinja",
            exports=name.upper(),
            name=name,
            view=view,
            arguments=[*view.given, *(to for each in view.columns for to in _filled(each))],
            one=(f", *{taken}" if taken else "", cls, f"{cls}.read{_given(spec)}"),
        )

    def put(self, spec: TypeSpec) -> PrintedWalk:
        """Return what puts runs of *spec*."""
        view, name, cls = put_view(spec, self.used), plural(spec.name), self.class_of(spec)
        self._names.setdefault("columns.puts", set()).update({"SLACK", "Put", "rows_put"})
        self._names.setdefault("columns.walks", set()).add("Out")
        self.bodies.append([*view.check, *view.store])
        given = [
            each
            for column in view.columns
            for each in (
                f"of_{column.name}: Any",
                *([f"ends_of_{column.name}: Any"] if column.form == "view" else []),
                *([f"offsets_of_{column.name}: Any"] if column.items else []),
            )
        ]
        made = making(spec, self.class_of)
        self.reads |= "Reader(" in made.source
        values = [
            f"{argument}: {_python_type(column)}"
            for argument, column in zip(made.arguments, view.columns, strict=True)
        ]
        taken = ", ".join([*values, *(["*", *_arguments(spec)] if spec.params else [])])
        return PrintedWalk(
            template="put.py.jinja",
            exports=f"PUT_{name.upper()}",
            name=name,
            view=view,
            arguments=[*view.given, *given],
            one=(taken, cls, made.source),
        )


def _cased(name: str) -> tuple[bool, bool, str]:
    """Return the sort key of an imported name: constants, classes, functions."""
    return not name.isupper(), name.islower(), name


def _filled(column: WalkColumn) -> list[str]:
    """Return the arguments of a walk that a column is filled through."""
    offsets = [f"offsets_of_{column.name}: Any"] if column.items else []
    return [f"to_{column.name}: Any", *offsets]


def _python_type(column: WalkColumn) -> str:
    """Return the Python type that a record's class takes for a value of a column."""
    one = "bytes" if column.form == "view" else "int"
    return f"list[{one}]" if column.items else one


def _arguments(spec: TypeSpec) -> list[str]:
    return [f"{parameter_name(param.name)}: {argument_type(param)}" for param in spec.params]


def _given(spec: TypeSpec) -> str:
    values = list(map(argument, spec.params))
    return f", ({', '.join(values)}{',' * (len(values) == 1)})" if values else ""


def argument(param: Param) -> str:
    """Return the source of the argument that passes a walk's parameter to a record's class."""
    name = parameter_name(param.name)
    return f"bool({name})" if isinstance(param.type, BoolType) else name
