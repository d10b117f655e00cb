"""All modules that a scan of one repeated record needs, and how the records are reached.

The records are scanned by a loop if a loop can read them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import Field, Repeat, UserType
from byteloom_codegen.python.module import emit
from byteloom_codegen.python.names import ClassNames, module_name
from byteloom_codegen.scanners.module import emit_scanners
from byteloom_codegen.scanners.paths import repeated_in
from byteloom_codegen.scanners.targets import Target

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from byteloom_codegen.model import Spec
    from byteloom_codegen.scanners.paths import Repeated

__all__ = ["ChoiceError", "ScanModules", "ScanStep", "choose", "chosen_scanner", "scan_modules"]


@dataclass(frozen=True, slots=True)
class ScanStep:
    """One attribute on the path from the outermost record to the scanned records.

    name       in the spec
    attribute  of the record before it
    kind       the module and the class that is meant, where there are several; else None
    """

    name: str
    attribute: str
    kind: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class ScanModules:
    """The modules of a scan.

    modules  by their names, the texts of modules of records
    top      the module and the class of the file's outermost record
    scanner  the name and the text of the module that scans
    scan     the name of the `Scan` in it
    why      why no loop reads the records; "" if one does
    steps    the way to the records; None if outermost records fill the file
    streams  whether a window of the file is enough to read some of the records
    """

    modules: dict[str, str]
    top: tuple[str, str]
    scanner: tuple[str, str]
    scan: str
    why: str
    steps: tuple[ScanStep, ...] | None
    streams: bool


def scan_modules(
    specs: Sequence[Spec], where: Repeated | None, wanted: Collection[str] | None = None
) -> ScanModules:
    """Return the modules that scan a repeated record, or top records that fill the file for None.

    specs   a spec, and after it all that it imports
    wanted  the columns that are needed, fields inside of records after a point; None for all
    errors  `NotScannableError`
    """
    spec, made = specs[0], chosen_scanner(specs[0], where, wanted)
    classes = {
        id(one): (module_name(each.name), names.of(one))
        for each in specs
        for names in (ClassNames(each),)
        for one in each.top.walk()
    }
    steps = None
    if where is not None:
        steps = tuple(
            ScanStep(
                each.name, each.attribute, None if each.type is None else classes[id(each.type)]
            )
            for each in where.steps
        )
    return ScanModules(
        modules={module_name(each.name): emit(each, Path(each.file).name) for each in specs},
        top=classes[id(spec.top)],
        scanner=(f"{module_name(spec.name)}_scan", made.text),
        scan=made.scan,
        why=made.why,
        steps=steps,
        streams=where is not None and where.streams,
    )


_SHOWN: Final = 20
"""The most paths that an error names."""


@dataclass(frozen=True, slots=True)
class _Chosen:
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
) -> _Chosen:
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
    return _Chosen(made.text, f"_{target.name.upper()}", not why, why)
