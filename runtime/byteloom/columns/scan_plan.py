"""How the repeated records of files are scanned, as plain data: modules, names and the way to them.

The generator makes it (`byteloom_codegen.scanners.scan_modules`); it can be kept, and sent to other
processes.  What it takes to read records is imported with the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from byteloom.columns.chosen_records import ChosenRecords

__all__ = ["PlanStep", "ScanPlan"]


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One attribute on the path from the outermost record to the scanned records.

    name       in the spec, for errors
    attribute  of the record before it
    kind       the module and the class that is meant, where there are several; else None
    """

    name: str
    attribute: str
    kind: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """How the records of a file are scanned, by modules that are imported into one package.

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
    steps: tuple[PlanStep, ...] | None
    streams: bool

    @classmethod
    def of(cls, found: dict[str, Any]) -> Self:
        """Return the plan that *found* has as plain data; KeyError or TypeError if it has none."""
        steps = found["steps"]
        if steps is not None:
            kinds = [None if each["kind"] is None else tuple(each["kind"]) for each in steps]
            steps = tuple(
                PlanStep(each["name"], each["attribute"], kind)
                for each, kind in zip(steps, kinds, strict=True)
            )
        pairs = {name: tuple(found[name]) for name in ("top", "scanner")}
        return cls(**{**found, **pairs, "steps": steps})

    def chosen(
        self, found: Callable[[str, str], Any], params: Mapping[str, Any] | None = None
    ) -> ChosenRecords:
        """Return the records, as they are read from a file.

        found   returns what has a name in an imported module, by the names of both
        params  the parameters of the outermost record
        """
        from byteloom.columns.chosen_records import ChosenRecords, Step

        steps = None
        if self.steps is not None:
            steps = [
                Step(each.name, each.attribute, found(*each.kind) if each.kind else None)
                for each in self.steps
            ]
        scan, top = found(self.scanner[0], self.scan), found(*self.top)
        return ChosenRecords(scan, top, steps, not self.why, params or {})
