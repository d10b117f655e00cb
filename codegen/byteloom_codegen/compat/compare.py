"""Two specs, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.compat.context import Context, Where
from byteloom_codegen.compat.enums import compare_enums
from byteloom_codegen.compat.findings import FINE, Finding, Report
from byteloom_codegen.compat.pairing import Pairs
from byteloom_codegen.compat.records import compare_records
from byteloom_codegen.compat.storage import RETYPED

if TYPE_CHECKING:
    from byteloom_codegen.model import EnumSpec, Spec, TypeSpec

__all__ = ["compare"]


def compare(old: Spec, new: Spec) -> Report:
    """Return all differences between two versions of a spec, imports included."""
    context = Context(Pairs.of(old, new))
    if old.name != new.name:
        where = Where(new.name, old.top.location, new.top.location)
        context.add(
            "module-renamed", where, f"has this name now; the module was called {old.name}", RETYPED
        )
    for was, now in context.pairs.types:
        compare_records(context, was, now)
    for one, other in context.pairs.enums:
        compare_enums(context, one, other)
    _unpaired(context, old, new)
    return Report(old.file, new.file, tuple(sorted(context.findings, key=_order)))


def _unpaired(context: Context, old: Spec, new: Spec) -> None:
    for part in _parts(old):
        if not context.pairs.has(part):
            context.add("removed", _where(part, old=True), "was removed", RETYPED)
    for part in _parts(new):
        if not context.pairs.has(part):
            context.add("added", _where(part, old=False), "is new", FINE)


def _parts(spec: Spec) -> list[TypeSpec | EnumSpec]:
    types = spec.top.walk()
    return [*types, *(enum for each in types for enum in each.enums.values())]


def _where(part: TypeSpec | EnumSpec, *, old: bool) -> Where:
    path = ".".join((*(part.owner.path if part.owner else ()), part.name))
    return Where(path, part.location if old else None, None if old else part.location)


def _order(finding: Finding) -> tuple[bool, str, int, int, str]:
    place = finding.place
    if place is None:
        return (True, "", 0, 0, finding.kind)
    return (finding.new is None, place.file, place.line, place.column, finding.kind)
