"""``repeat`` and ``valid``: how often an attribute is repeated, and which values are valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.frontend.parser import parse_expression
from byteloom_codegen.model import Repeat, Valid, ValidKind

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems
    from byteloom_codegen.frontend.place import Place

__all__ = ["read_repeat", "read_valid"]

_FORMS: Final = {
    "eq": (ValidKind.EQ, {"eq"}),
    "min": (ValidKind.RANGE, {"min", "max"}),
    "max": (ValidKind.RANGE, {"min", "max"}),
    "any-of": (ValidKind.ANY_OF, {"any-of"}),
    "in-enum": (ValidKind.IN_ENUM, {"in-enum"}),
    "expr": (ValidKind.EXPR, {"expr"}),
}


def read_repeat(place: Place) -> Repeat | None:
    """Return how often the attribute *place* is repeated; None if it is not."""
    repeat = place.get("repeat")
    if repeat is None:
        return None
    kind = repeat.text()
    if kind == "eos":
        return Repeat("eos")
    if kind not in {"expr", "until"}:
        raise repeat.error(f"expected eos / expr / until, got '{kind}'")
    expression = place.get(f"repeat-{kind}")
    if expression is None:
        raise repeat.error(f"`repeat: {kind}` requires a `repeat-{kind}` expression")
    return Repeat("expr" if kind == "expr" else "until", parse_expression(expression))


def read_valid(place: Place, problems: Problems) -> Valid | None:
    """Return the rule that values of the attribute *place* have to meet; None for no rule."""
    valid = place.get("valid")
    if valid is None:
        return None
    if valid.is_list:
        raise valid.error(
            f"expected string or map, got {valid.found}", "use any-of for a list of values"
        )
    if not valid.is_map:
        return Valid(ValidKind.EQ, (parse_expression(valid),))
    keys = [key for key, _ in valid.pairs() if not key.startswith("-")]
    form = next((key for key in _FORMS if key in keys), None)
    legal = set(_FORMS) if form is None else _FORMS[form][1]
    for key in keys:
        if key not in legal:
            problems.error(
                valid[key].key_error(f"unknown key found, expected: {', '.join(sorted(legal))}")
            )
    if form is None:
        if not keys:
            raise valid.error(f"expected any of {', '.join(sorted(legal))}, found none")
        return None
    return _valid(valid, form, place)


def _valid(valid: Place, form: str, place: Place) -> Valid:
    kind, value = _FORMS[form][0], valid[form]
    match kind:
        case ValidKind.RANGE:
            low, high = valid.get("min"), valid.get("max")
            return Valid(
                kind,
                minimum=parse_expression(low) if low else None,
                maximum=parse_expression(high) if high else None,
            )
        case ValidKind.ANY_OF:
            return Valid(kind, tuple(map(parse_expression, value.items())))
        case ValidKind.IN_ENUM:
            if not value.boolean():
                raise value.error(
                    "only `true` is supported as value, got `false`", "leave `valid` out"
                )
            if "enum" not in place:
                raise value.error("`valid/in-enum` requires the `enum` key")
            return Valid(kind)
    return Valid(kind, (parse_expression(value),))
