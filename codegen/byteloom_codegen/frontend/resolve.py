"""The passes in their order, over a file and all that it imports."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom_codegen.expressions import Node
from byteloom_codegen.frontend.attributes import read_members
from byteloom_codegen.frontend.check import Checker
from byteloom_codegen.frontend.infer import AlreadyReportedError, Typer
from byteloom_codegen.frontend.kinds import combined
from byteloom_codegen.frontend.names import Context
from byteloom_codegen.frontend.parents import Parents
from byteloom_codegen.frontend.scopes import Scope
from byteloom_codegen.frontend.style import check_names
from byteloom_codegen.model import (
    AnyType,
    DataType,
    Field,
    SwitchType,
    TypeSpec,
    ValueInstance,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.frontend.outline import Unit

__all__ = ["resolve"]


def resolve(units: Iterable[Unit], problems: Problems) -> None:
    """Turn the outlines of files into finished models."""
    units = list(units)
    for unit in units:
        unit.loaded = units
    scopes = {spec: Scope(spec, unit) for unit in units for spec in unit.spec.top.walk()}
    typer = Typer(scopes, Parents(), problems)
    for spec, scope in scopes.items():
        typer.broken |= read_members(scope.unit, spec, problems)
    for spec, scope in scopes.items():
        _combine_cases(spec)
        typer.pending |= {each: scope for each in spec.instances if isinstance(each, ValueInstance)}
    for unit in units:
        _infer_parents(unit, typer, problems)
    checker = Checker(typer, problems)
    for spec in scopes:
        spec.parent = typer.parents.of(spec)
        checker.check(spec)
    for unit in units:
        check_names(unit.spec.top.walk(), typer.references, unit.named_at, problems)


def _combine_cases(spec: TypeSpec) -> None:
    for member in (*spec.seq, *spec.instances):
        if isinstance(member, Field) and isinstance(member.type, SwitchType):
            member.type = replace(member.type, combined=_common(member.type))


def _infer_parents(unit: Unit, typer: Typer, problems: Problems) -> None:
    for reader, record in typer.parents.infer(unit.spec):
        with problems, suppress(AlreadyReportedError):
            if isinstance(record.parent, Node):
                typer.parents.note(
                    record.type, typer.type_of(record.parent, Context(typer.scopes[reader]))
                )


def _common(switch: SwitchType) -> DataType:
    found: DataType | None = None
    for case in switch.cases:
        found = case.type if found is None else combined(found, case.type) or AnyType()
    return found or AnyType()
