"""``valid`` as tests that are true of an invalid value."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.binding import BIT_OR, NOT
from byteloom_codegen.expressions import Array, EnumLabel, Literal_, UnaryOp
from byteloom_codegen.joints import is_deep
from byteloom_codegen.model import Valid, ValidKind
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.templates import READ
from byteloom_codegen.python.translate import Translator
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import EnumSpec
    from byteloom_codegen.python.scope import MethodScope

__all__ = ["rules", "shown"]

_COMPARED: Final = re.compile(r"_ (?P<sign>[<>]=?|[!=]=) (?P<bound>-?[\w.]+)")
_WORDS: Final = {
    ">=": "at least ", "<=": "at most ", ">": "more than ", "<": "less than ", "==": "",
    "!=": "anything but ",
}  # fmt: skip


def rules(
    scope: MethodScope, valid: Valid, target: str, *, enum: EnumSpec | None = None
) -> list[tuple[str, str]]:
    """Return the tests that are true of an invalid *target*, each with the source of the rule.

    enum  whose members *target* may also be given as plain integers
    """
    source = Translator(replace(scope, item=target))
    tested = target
    if enum is not None and valid.kind is ValidKind.IN_ENUM:
        scope.calc("named")
        tested = READ.value("label", enum=scope.class_of(enum), number=target)
    return _failures(source, valid, tested, varint=scope.varint)


def _failures(
    source: Translator, valid: Valid, target: str, *, varint: bool
) -> list[tuple[str, str]]:
    match valid.kind:
        case ValidKind.EQ:
            value = valid.values[0]
            return [(f"{target} != {source(value, BIT_OR)}", _shown("", value, source))]
        case ValidKind.RANGE:
            bounds = ((valid.minimum, "<", "at least "), (valid.maximum, ">", "at most "))
            return [
                (f"{target} {sign} {source(bound, BIT_OR)}", _shown(word, bound, source))
                for bound, sign, word in bounds
                if bound is not None
            ]
        case ValidKind.ANY_OF:
            options = ", ".join(source(value) for value in valid.values)
            comma = "," if len(valid.values) == 1 else ""
            return [(f"{target} not in ({options}{comma})", str_literal(f"one of {options}"))]
        case ValidKind.IN_ENUM:
            return [(f"type({target}) is int", str_literal("a value that the enum names"))]
        case ValidKind.EXPR if is_deep(valid.values[0]):
            return [(f"not {source(valid.values[0], NOT)}", '"a value that the spec admits"')]
        case ValidKind.EXPR:
            rule = unparse(valid.values[0])
            if varint:  # whose value is the field itself
                rule = re.sub(r"\b_\.value\b", "_", rule)
            return [(f"not {source(valid.values[0], NOT)}", str_literal(_in_words(rule)))]


def _in_words(rule: str) -> str:
    """Return what a rule about the value ``_`` asks for: ``at least 0`` for ``_ >= 0``."""
    compared = _COMPARED.fullmatch(rule)
    if compared is None:
        return f"a value _ for which {rule}"
    return _WORDS[compared["sign"]] + compared["bound"]


def _shown(word: str, value: Expression, source: Translator) -> str:
    """Return the source of a text that shows *value*, calculated where the file decides it."""
    if isinstance(value, Literal_ | UnaryOp | Array | EnumLabel):
        return str_literal(word + source(value))
    return shown(source(value), word, quoted=True)


def shown(source: str, word: str = "", *, quoted: bool = False) -> str:
    """Return the source of a text: *word*, then the value of *source*, *quoted* or plain.

    Before Python 3.12 an f-string took no backslash, no comment sign and not its own quotes.
    """
    if "'" not in source:
        source = source.replace('"', "'")
    if '"' in source or "\\" in source or "#" in source:
        value = f"{'repr' if quoted else 'str'}({source})"
        return f"{str_literal(word)} + {value}" if word else value
    return f'f"{word}{{{source}{"!r" if quoted else ""}}}"'
