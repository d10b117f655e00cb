"""``valid`` as tests that are true of an invalid value, and how a writer checks ``repeat: until``.

Only the last element may meet the condition of an end.  Where the end of the stream ends the
repetition too, the last element need not meet it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.expressions import Array, EnumLabel, Literal_, UnaryOp
from byteloom_codegen.joints import is_deep
from byteloom_codegen.model import Field, Valid, ValidKind, ValueInstance
from byteloom_codegen.nodes import alternatives, asks_stream, is_optional
from byteloom_codegen.precedence import BIT_OR, COMPARE, NOT, OR
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.templates import READ, WRITE
from byteloom_codegen.python.translation import Translator
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import EnumSpec
    from byteloom_codegen.python.scope import MethodScope
    from byteloom_codegen.python.statements import Statement

__all__ = ["ends_with_stream", "rules", "shown", "some_checks", "stream_decides", "until_checks"]


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


def some_checks(field: Field, name: str, value: str) -> list[Statement]:
    """Refuse an empty list where a condition ends it: one element has to meet the condition."""
    if (
        field.repeat is None
        or field.repeat.kind != "until"
        or is_optional(replace(field, repeat=None, condition=None))
    ):
        return []
    return WRITE.lines("some", name=name, value=value)


def until_checks(field: Field, name: str, value: str, scope: MethodScope) -> list[Statement]:
    """Return the check that the last element, and no other, meets the condition."""
    repeat = field.repeat
    if repeat is None or repeat.kind != "until" or repeat.expression is None:
        return []
    item = scope.item_of(field)
    source = Translator(scope.of_item(field, item))
    if asks_stream(repeat.expression):
        return _until_end(repeat.expression, source, name, value, item)
    holds = source(repeat.expression, COMPARE + 1)
    wanted = f"an element of which {unparse(repeat.expression)}, at the end and only there"
    said = str_literal(wanted)
    return WRITE.lines("until", name=name, value=value, item=item, holds=holds, wanted=said)


def _until_end(
    until: ast.Expression, source: Translator, name: str, value: str, item: str
) -> list[Statement]:
    """Return the same check where the end of the stream ends a repetition too."""
    ways = list(alternatives(until))
    tests = [each for each in ways if not _is_end(each)]
    if len(tests) == len(ways) or any(map(asks_stream, tests)):
        return []
    holds = " or ".join(source(each, OR + 1) for each in tests)
    wanted = str_literal(f"an element of which {unparse(until)}, at the end and only there")
    return WRITE.lines(
        "until_or_end", name=name, value=value, item=item, holds=holds, wanted=wanted
    )


def stream_decides(node: ast.Expression, source: Translator) -> str | None:
    """Return the source of the test whether *node* depends on what is left of a stream.

    "" where it never does, None where it always may
    """
    while isinstance(node, ast.Name) and isinstance(node.target, ValueInstance):
        if node.target.condition is not None:
            return None if asks_stream(node) else ""
        node = node.target.value
    if not asks_stream(node):
        return ""
    if node.joints is not None:
        return None
    if isinstance(node, ast.BinaryOp):
        tests = [stream_decides(each, source) for each in (node.left, node.right)]
        some = [each for each in tests if each != ""]
        return some[0] if len(some) == 1 else None
    if not isinstance(node, ast.Ternary) or asks_stream(node.condition):
        return None
    yes, no = stream_decides(node.yes, source), stream_decides(node.no, source)
    holds, fails = source(node.condition), f"not ({source(node.condition)})"
    if yes is None and no is None:
        return None
    ways = [holds if yes is None else f"({holds}) and ({yes})"] if yes != "" else []
    ways += [fails if no is None else f"{fails} and ({no})"] if no != "" else []
    return " or ".join(ways)


def ends_with_stream(until: ast.Expression) -> bool:
    """Whether *until* uses the stream only to ask whether it is at its end."""
    asking = [each for each in alternatives(until) if asks_stream(each)]
    return bool(asking) and all(map(_is_end, asking))


def _is_end(node: ast.Expression) -> bool:
    stream = node.value if isinstance(node, ast.Attribute) and node.name == "eof" else None
    return isinstance(stream, ast.Name) and stream.id == "_io"
