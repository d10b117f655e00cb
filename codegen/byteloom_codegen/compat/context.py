"""Both specs while they are compared: their pairs, and the findings so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom_codegen.compat.findings import FINE, Effects, Finding
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.compat.pairing import Pairs
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import Location, Member

__all__ = ["Context", "Where"]


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
