"""All modules that a scan of one repeated record needs, and how the records are reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from byteloom_codegen.python.emit import emit
from byteloom_codegen.python.names import ClassNames, module_name
from byteloom_codegen.scanners.chosen_module import chosen_scanner

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from byteloom_codegen.model import Spec
    from byteloom_codegen.scanners.paths import Repeated

__all__ = ["ScanModules", "ScanStep", "scan_modules"]


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
