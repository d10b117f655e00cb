"""Rules for values: whether the new rule admits more, fewer or other values.

A rule is a set of values where it is made of numbers, texts or an enum; a rule with an expression
is known only by its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.compat.findings import Effect, Effects
from byteloom_codegen.model import EnumMember, EnumType, Field, Valid, ValidKind, ValueInstance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.compat.findings import Context, Where
    from byteloom_codegen.expressions import Expression

__all__ = ["LOOSER", "OTHER", "TIGHTER", "compare_rules", "could_be"]

LOOSER: Final = Effects(new_files=Effect.SOME)
TIGHTER: Final = Effects(old_files=Effect.SOME, writers=Effect.SOME)
OTHER: Final = Effects(old_files=Effect.SOME, new_files=Effect.SOME, writers=Effect.SOME)

_INFINITE: Final = float("inf")


@dataclass(frozen=True, slots=True)
class _Admitted:
    """The values that a rule admits: some, or all from *least* to *most*."""

    values: frozenset[object] | None = None
    least: float = -_INFINITE
    most: float = _INFINITE

    def holds(self, other: _Admitted) -> bool:
        """Whether everything that *other* admits is admitted."""
        if self.values is not None:
            return other.values is not None and other.values <= self.values
        if (self.least, self.most) == (-_INFINITE, _INFINITE):
            return True
        if other.values is None:
            return self.least <= other.least and other.most <= self.most
        numbers = [each for each in other.values if isinstance(each, int | float)]
        inside = all(self.least <= each <= self.most for each in numbers)
        return len(numbers) == len(other.values) and inside


def compare_rules(
    context: Context, where: Where, old: Field | ValueInstance, new: Field | ValueInstance
) -> None:
    """Find what changed in ``valid`` and ``-loom-limit``."""
    was, now = _rule_text(context, old), _rule_text(context, new)
    if was != now:
        effects = _effects(old, new)
        text = f"admits {now} now; it admitted {was}"
        context.add(f"valid-{_word(effects)}", where, text, effects)
    _compare_limits(context, where, old, new)


def could_be(node: Expression, value: Expression | None) -> bool:
    """Whether *node* may be *value* (None: anything), as far as the rules of a field say."""
    wanted = None if value is None else _known(value, None)
    if wanted is None or not isinstance(node, ast.Name) or not isinstance(node.target, Field):
        return True
    admitted = _admitted(node.target)
    return admitted is None or admitted.holds(_Admitted(frozenset({wanted})))


def _word(effects: Effects) -> str:
    return {LOOSER: "loosened", TIGHTER: "tightened"}.get(effects, "changed")


def _effects(old: Field | ValueInstance, new: Field | ValueInstance) -> Effects:
    was, now = _admitted(old), _admitted(new)
    if was is None and now is not None and now == _Admitted():
        return LOOSER
    if now is None and was is not None and was == _Admitted():
        return TIGHTER
    if was is None or now is None:
        return OTHER
    if now.holds(was):
        return LOOSER
    return TIGHTER if was.holds(now) else OTHER


def _admitted(member: Field | ValueInstance) -> _Admitted | None:
    """Return the values that *member* may have; None where only reading shows them."""
    valid = member.valid
    if valid is None:
        return _Admitted()
    if valid.kind is ValidKind.IN_ENUM:
        return _Admitted(frozenset(each.value for each in _labels(member)))
    if valid.kind is ValidKind.RANGE:
        ends = [_known(valid.minimum, -_INFINITE), _known(valid.maximum, _INFINITE)]
        least, most = ends
        numbers = isinstance(least, int | float) and isinstance(most, int | float)
        return _Admitted(None, least, most) if numbers else None  # type: ignore[arg-type]
    if valid.kind in {ValidKind.EQ, ValidKind.ANY_OF}:
        values = [_known(each, None) for each in valid.values]
        return None if None in values else _Admitted(frozenset(values))
    return None


def _labels(member: Field | ValueInstance) -> tuple[EnumMember, ...]:
    return member.type.enum.members if isinstance(member.type, EnumType) else ()


def _known(node: Expression | None, otherwise: object) -> object:
    """Return the value that *node* spells; None where it has to be calculated."""
    match node:
        case None:
            return otherwise
        case ast.Literal_(value=value):
            return value
        case ast.UnaryOp(op="-", operand=ast.Literal_(value=int() | float() as value)):
            return -value
        case ast.EnumLabel(enum=enum, label=label):
            return next((each.value for each in enum.members if each.name == label), None)
        case ast.Array(elements=elements):
            values = tuple(_known(each, None) for each in elements)
            return None if None in values else values
    return None


def _rule_text(context: Context, member: Field | ValueInstance) -> str:
    match member.valid:
        case None:
            return "any value"
        case Valid(kind=ValidKind.RANGE, minimum=least, maximum=most):
            ends = [("at least", least), ("at most", most)]
            limits = [f"{how} {context.text(end)}" for how, end in ends if end is not None]
            return f"values of {' and '.join(limits)}"
        case Valid(kind=ValidKind.IN_ENUM):
            values = sorted(each.value for each in _labels(member))
            return f"only the values {', '.join(map(str, values))}, which the enum names"
        case Valid(kind=kind, values=values):
            heads = {ValidKind.EQ: "only ", ValidKind.ANY_OF: "only the values "}
            head = heads.get(kind, "only values such that ")
            return head + ", ".join(map(context.text, values))
    raise TypeError(member.valid)


def _compare_limits(
    context: Context, where: Where, old: Field | ValueInstance, new: Field | ValueInstance
) -> None:
    for key, was, now in _limits(old, new):
        looser = was is not None and (now is None or now > was)
        versions = [
            f"no limit of {key}" if each is None else f"a limit of {key} of {each}"
            for each in (was, now)
        ]
        kind = "limit-loosened" if looser else "limit-tightened"
        context.add(
            kind,
            where,
            f"has {versions[1]} now; it had {versions[0]}",
            LOOSER if looser else TIGHTER,
        )


def _limits(
    old: Field | ValueInstance, new: Field | ValueInstance
) -> Iterator[tuple[str, int | None, int | None]]:
    was, now = old.loom.get("limit", {}), new.loom.get("limit", {})
    for key in sorted({*was, *now}):
        if was.get(key) != now.get(key):
            yield key, was.get(key), now.get(key)
