"""How a writer checks the end of ``repeat: until``, and which conditions depend on a stream.

Only the last element may meet the condition.  Where the end of the stream ends the repetition too,
the last element need not meet it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.binding import COMPARE, OR
from byteloom_codegen.model import Field, ValueInstance
from byteloom_codegen.nodes import alternatives, asks_stream
from byteloom_codegen.python.absence import is_optional
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.templates import WRITE
from byteloom_codegen.python.translate import Translator
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import MethodScope
    from byteloom_codegen.python.statements import Statement

__all__ = [
    "ends_with_stream",
    "some_checks",
    "stream_decides",
    "until_checks",
]


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
