"""Findings: one difference each, with what it does to files and programs.

All are collected beside both specs and their pairs, in the context of one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom_codegen.compat.pairing import Pairs
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import Location, Member

__all__ = [
    "FINE",
    "Aspect",
    "Context",
    "Effect",
    "Effects",
    "Finding",
    "Report",
    "Verdict",
    "Where",
]


class Effect(Enum):
    """How much still works: everything, what does not involve the difference, or nothing."""

    OK = "ok"
    SOME = "some"
    NO = "no"


class Aspect(Enum):
    """Who may be affected.

    OLD_FILES  files of the old version, read by the new reader
    NEW_FILES  files of the new version, read by the old reader
    WRITERS    programs that build records with the generated classes
    PROGRAMS   programs that use records they have read
    """

    OLD_FILES = "old-files"
    NEW_FILES = "new-files"
    WRITERS = "writers"
    PROGRAMS = "programs"


class Verdict(Enum):
    """One word for a difference.

    HARMLESS  nothing changes for anyone
    READABLE  old files stay readable; old readers may not read new files
    WRITABLE  old readers read new files; some old files are refused or misread
    BREAKING  neither direction works, or programs must change
    """

    HARMLESS = "harmless"
    READABLE = "readable"
    WRITABLE = "writable"
    BREAKING = "breaking"


@dataclass(frozen=True, slots=True)
class Effects:
    """What a difference does to each of the four."""

    old_files: Effect = Effect.OK
    new_files: Effect = Effect.OK
    writers: Effect = Effect.OK
    programs: Effect = Effect.OK

    def of(self, aspect: Aspect) -> Effect:
        """Return the effect on one of the four."""
        effect: Effect = getattr(self, aspect.name.lower())
        return effect

    @property
    def verdict(self) -> Verdict:
        """All four in one word."""
        if self == FINE:
            return Verdict.HARMLESS
        if self.programs is not Effect.OK or self.writers is Effect.NO:
            return Verdict.BREAKING
        if self.old_files is Effect.OK:
            return Verdict.READABLE
        return Verdict.WRITABLE if self.new_files is Effect.OK else Verdict.BREAKING


FINE: Final = Effects()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One difference.

    kind  its stable name, for programs: ``field-added``
    path  where it is, by names of the new version where there are any: ``footer_tail.flags``
    text  what it is now and what it was, a sentence for people whose subject is *path*
    old   its place in the old spec; None where it has none there
    new   its place in the new spec, likewise
    """

    kind: str
    path: str
    text: str
    old: Location | None
    new: Location | None
    effects: Effects = FINE

    @property
    def verdict(self) -> Verdict:
        """Whether the difference is harmless, readable, writable or breaking."""
        return self.effects.verdict

    @property
    def place(self) -> Location | None:
        """The place to look at: in the new spec, if the part is in it."""
        return self.new or self.old

    def harmed(self) -> list[Aspect]:
        """Return those of the four who are affected."""
        return [each for each in Aspect if self.effects.of(each) is not Effect.OK]

    def __str__(self) -> str:
        at = f"{self.place.file}:{self.place.line}:{self.place.column}: " if self.place else ""
        hurt = [each.value for each in self.harmed()]
        harm = f" This harms {', '.join(hurt)}." if hurt else ""
        return f"{at}{self.verdict.value}: {self.path} {self.text}.{harm}"

    def json(self) -> dict[str, Any]:
        """Return the documented shape of ``byteloom compat --json``."""
        return {
            "kind": self.kind,
            "verdict": self.verdict.value,
            "path": self.path,
            "message": self.text,
            "effects": {each.value: self.effects.of(each).value for each in Aspect},
            "old": _place(self.old),
            "new": _place(self.new),
        }


def _place(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    path = "/" + "/".join(map(str, location.path))
    return {"file": location.file, "line": location.line, "column": location.column, "path": path}


@dataclass(frozen=True, slots=True)
class Report:
    """All differences of two specs, in the order of the new one."""

    old: str
    new: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all; both readable and writable together break something for everyone."""
        found = {each.verdict for each in self.findings}
        if Verdict.BREAKING in found or {Verdict.READABLE, Verdict.WRITABLE} <= found:
            return Verdict.BREAKING
        return next(iter(found - {Verdict.HARMLESS}), Verdict.HARMLESS)

    def broken(self, needs: Iterable[Aspect]) -> list[Finding]:
        """Return the findings that affect any of *needs*."""
        needs = set(needs)
        return [each for each in self.findings if needs & {*each.harmed()}]

    def harmed(self, needs: Iterable[Aspect]) -> list[Aspect]:
        """Return the *needs* that at least one finding affects, in their order."""
        hurt = {aspect for each in self.findings for aspect in each.harmed()}
        return [each for each in needs if each in hurt]

    def json(self, needs: Iterable[Aspect]) -> dict[str, Any]:
        """Return the documented shape of ``byteloom compat --json``."""
        needs = list(needs)
        return {
            "old": self.old,
            "new": self.new,
            "needs": [each.value for each in needs],
            "compatible": not self.broken(needs),
            "verdict": self.verdict.value,
            "findings": [each.json() for each in self.findings],
        }


@dataclass(frozen=True, slots=True)
class Where:
    """The part of the specs that is being compared: its path, and its place in both specs."""

    path: str
    old: Location | None
    new: Location | None

    def inside(self, name: str, old: Location | None = None, new: Location | None = None) -> Where:
        """Return its part *name*; a place that is not given is the place of the whole."""
        return Where(f"{self.path}.{name}", old or self.old, new or self.new)


@dataclass(slots=True)
class Context:
    """Collects findings; compares expressions under the new names."""

    pairs: Pairs
    findings: list[Finding] = field(default_factory=list)

    def add(self, kind: str, where: Where, text: str, effects: Effects = FINE) -> None:
        """Note a difference."""
        self.findings.append(
            Finding(
                kind=kind, path=where.path, text=text, old=where.old, new=where.new, effects=effects
            )
        )

    def text(self, node: Expression | None) -> str:
        """Return an expression of either spec, in the names of the new one."""
        return "" if node is None else unparse(node, self._name)

    def same(self, old: Expression | None, new: Expression | None) -> bool:
        """Whether two expressions are certainly equivalent."""
        return self.text(old) == self.text(new)

    def all_same(self, old: Sequence[Expression], new: Sequence[Expression]) -> bool:
        """Whether two lists of expressions are certainly equivalent."""
        return [*map(self.text, old)] == [*map(self.text, new)]

    def _name(self, written: str, target: Member | None) -> str:
        return self.pairs.names.get(id(target), written) if target is not None else written
