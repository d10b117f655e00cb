"""``valid`` as the tests that find a value wrong."""

from __future__ import annotations

from dataclasses import replace

from byteloom_codegen.model import Valid, ValidKind
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import BIT_OR, NOT, Translator, str_literal

__all__ = ["validation"]


def validation(scope: MethodScope, valid: Valid, name: str, target: str, *, reading: bool) -> list[Statement]:
    """Return the blocks that refuse *target*, the value of the field *name* (quoted)."""
    source = Translator(replace(scope, item=target))
    invalid = f"r.invalid({name}, at, {target}, " if reading else f"w.invalid({name}, {target}, "
    return [
        Block(f"if {test}:", [f"raise {invalid}{str_literal(wanted)})"])
        for test, wanted in _failures(source, valid, target)
    ]


def _failures(source: Translator, valid: Valid, target: str) -> list[tuple[str, str]]:
    """Return the tests that are true of a wrong value, each with what is wanted instead."""
    match valid.kind:
        case ValidKind.EQ:
            return [(f"{target} != {source(valid.values[0], BIT_OR)}", source(valid.values[0]))]
        case ValidKind.RANGE:
            bounds = ((valid.minimum, "<", "at least"), (valid.maximum, ">", "at most"))
            return [
                (f"{target} {sign} {source(bound, BIT_OR)}", f"{word} {source(bound)}")
                for bound, sign, word in bounds
                if bound is not None
            ]
        case ValidKind.ANY_OF:
            options = ", ".join(source(value) for value in valid.values)
            comma = "," if len(valid.values) == 1 else ""
            return [(f"{target} not in ({options}{comma})", f"one of {options}")]
        case ValidKind.IN_ENUM:
            return [(f"type({target}) is int", "a value that the enum names")]
        case ValidKind.EXPR:
            wanted = Translator(replace(source.scope, item="_"))(valid.values[0])  # type: ignore[type-var]
            return [(f"not {source(valid.values[0], NOT)}", wanted)]
