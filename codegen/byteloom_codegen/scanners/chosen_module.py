"""A module that scans one repeated record of a spec, by a loop if a loop can read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import Field, Repeat, UserType
from byteloom_codegen.scanners.emit import emit_scanners
from byteloom_codegen.scanners.paths import repeated_in
from byteloom_codegen.scanners.targets import Target

if TYPE_CHECKING:
    from collections.abc import Collection

    from byteloom_codegen.model import Spec
    from byteloom_codegen.scanners.paths import Repeated

__all__ = ["ChoiceError", "Chosen", "choose", "chosen_scanner"]

_SHOWN: Final = 20
"""The most paths that an error names."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A module that scans one repeated record.

    text   of the module
    scan   the name of its `Scan`
    loops  whether a loop reads the records; otherwise *why* gives the reason
    """

    text: str
    scan: str
    loops: bool
    why: str


class ChoiceError(ValueError):
    """No repeated record has the path that was given, or several are as near.

    wanted  the paths that there are
    """

    def __init__(self, found: str, wanted: str) -> None:
        """Keep both."""
        super().__init__(f"{found}, wanted {wanted}")
        self.wanted = wanted


def choose(spec: Spec, path: str | None) -> Repeated | None:
    """Return the repeated record that *path* names; without a path, the one nearest to the top.

    returns  None for a spec without any, whose top records fill the file
    errors   `ChoiceError`
    """
    found = repeated_in(spec)
    if path is not None:
        named = [each for each in found if each.path == path]
        named = named or [each for each in found if each.steps[-1].name == path]
        if len(named) != 1:
            raise ChoiceError(f"found {path!r}", _one_of(named or found, spec))
        return named[0]
    nearest = [each for each in found if len(each.steps) == len(found[0].steps)]
    if len(nearest) > 1:
        raise ChoiceError(f"none given, and {spec.name} repeats several", _one_of(found, spec))
    return nearest[0] if nearest else None


def _one_of(found: list[Repeated], spec: Spec) -> str:
    if not found:
        return (
            f"no path, since {spec.name} repeats no field: without --records, the file is read as"
            f" {spec.name} records end to end"
        )
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"one of {', '.join(each.path for each in found[:_SHOWN])}{more}"


def chosen_scanner(
    spec: Spec, chosen: Repeated | None, wanted: Collection[str] | None = None
) -> Chosen:
    """Return the module that scans *chosen*, or the top records that fill the file.

    wanted  the columns that are needed, fields inside of records after a point; None for all
    """
    if chosen is None:
        field = Field(
            name=spec.name,
            type=UserType(spec.top),
            location=spec.top.location,
            repeat=Repeat("eos"),
        )
        target = Target(spec.name, field, None, wanted=wanted)
    else:
        field = replace(chosen.field, type=chosen.type)
        target = Target(field.name, field, field.owner or spec.top, chosen.direct, wanted)
    made = emit_scanners(spec, spec.name, only=target)
    refused = [*made.refused, *made.slow]
    if not made.text:
        raise refused[0]
    why = refused[0].reason if refused else "" if target.loops else "its place is in other records"
    return Chosen(made.text, f"_{target.name.upper()}", not why, why)
