"""Two specs, part by part; and two enums: labels by their names and by their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.compat.findings import FINE, Context, Effect, Effects, Finding, Report, Where
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
        _compare_enums(context, one, other)
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


_RENAMED: Final = Effects(writers=Effect.NO, programs=Effect.NO)
_RENUMBERED: Final = Effects(old_files=Effect.NO, new_files=Effect.NO)


def _compare_enums(context: Context, old: EnumSpec, new: EnumSpec) -> None:
    """Find labels that were added, removed, renamed or given another value."""
    path = ".".join((*(new.owner.path if new.owner else ()), new.name))
    where = Where(path, old.location, new.location)
    was = {each.name: each.value for each in old.members}
    now = {each.name: each.value for each in new.members}
    named = {each.value: each.name for each in new.members}
    for name, value in was.items():
        if name in now:
            if now[name] != value:
                text = f"gives {name} the value {now[name]} now; it was {value}"
                context.add("label-renumbered", where, text, _RENUMBERED)
        elif value in named and named[value] not in was:
            text = f"calls {value} {named[value]} now; it was {name}"
            context.add("label-renamed", where, text, _RENAMED)
        else:
            context.add(
                "label-removed", where, f"does not name {value} any more; it was {name}", _RENAMED
            )
    for name, value in now.items():
        if name not in was and value not in was.values():
            text = f"gives {value} the name {name} now; older readers see the number"
            context.add("label-added", where, text, FINE)
