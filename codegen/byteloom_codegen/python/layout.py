"""Wrapping a statement that is too long for its line, the way ruff would.

The last bracket that opens at the statement's own level is opened up: its content goes on a line of
its own where it fits there, else every item gets a line and a trailing comma.  A statement without
such a bracket gets one around what stands to the right of its keyword or its ``=``.
"""

from __future__ import annotations

import io
import tokenize
from typing import Final

__all__ = ["WIDTH", "wrapped"]

WIDTH: Final = 88
"""Columns of a line: ruff's default, so that output is stable wherever it is checked."""

_OPEN: Final = "([{"
_CLOSE: Final = ")]}"


def wrapped(line: str, depth: int) -> list[str]:
    """Return *line*, indented by *depth* levels, as one or more lines."""
    indent = "    " * depth
    if len(indent) + len(line) <= WIDTH:
        return [indent + line]
    split = _last_bracket(line)
    if split is None:
        return _parenthesised(line, depth)
    head, body, tail = line[: split[0] + 1], line[split[0] + 1 : split[1]], line[split[1] :]
    if not body or len(indent) + len(head) > WIDTH:
        return _parenthesised(line, depth)
    return [indent + head, *_body(body, depth + 1, is_call=head[-1] != "(" or _is_call(head)), indent + tail]


def _body(body: str, depth: int, *, is_call: bool) -> list[str]:
    """Lay out what stands between two brackets."""
    if 4 * depth + len(body) <= WIDTH:
        return ["    " * depth + body]
    parts = _split(body, ",")
    if len(parts) > 1 or is_call:
        lines: list[str] = []
        for part in parts:
            *before, final = wrapped(part, depth)
            lines += [*before, f"{final},"]
        return lines
    return _operands(body, depth)


def _parenthesised(line: str, depth: int) -> list[str]:
    """Put brackets around the right side of an assignment, a return or a condition."""
    indent = "    " * depth
    for start in ("return ", "if ", "elif ", "while "):
        if line.startswith(start):
            colon = ":" if line.endswith(":") else ""
            body = line[len(start) : len(line) - len(colon)]
            return [f"{indent}{start}(", *_operands(body, depth + 1), f"{indent}){colon}"]
    target, equals, body = line.partition(" = ")
    if equals:
        return [f"{indent}{target} = (", *_operands(body, depth + 1), f"{indent})"]
    return [indent + line]


def _operands(body: str, depth: int) -> list[str]:
    """Break an expression at its loosest operator, which begins the next line."""
    indent = "    " * depth
    if len(indent) + len(body) <= WIDTH:
        return [indent + body]
    for operators in ((" if ", " else "), (" or ",), (" and ",), (" == ", " != ", " <= ", " >= ", " < ", " > ", " not in ", " in "), (" | ",), (" ^ ",), (" & ",), (" << ", " >> "), (" + ", " - "), (" * ", " // ", " / ", " % ")):
        parts = _split_before(body, operators)
        if len(parts) > 1:
            return [line for part in parts for line in wrapped(part, depth)]
    return [indent + body]


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, IndentationError):
        return []


def _last_bracket(line: str) -> tuple[int, int] | None:
    """Return where the last bracket of the outermost level opens and closes."""
    level, opened, found = 0, 0, None
    for token in _tokens(line):
        if token.type != tokenize.OP:
            continue
        if token.string in _OPEN:
            if level == 0:
                opened = token.start[1]
            level += 1
        elif token.string in _CLOSE:
            level -= 1
            if level == 0:
                found = (opened, token.start[1])
    return found


def _is_call(head: str) -> bool:
    return len(head) > 1 and (head[-2].isalnum() or head[-2] in "_])")


def _split(body: str, separator: str) -> list[str]:
    parts, level, begin = [], 0, 0
    for token in _tokens(body):
        if token.type == tokenize.OP:
            level += (token.string in _OPEN) - (token.string in _CLOSE)
            if level == 0 and token.string == separator:
                parts.append(body[begin : token.start[1]].strip())
                begin = token.end[1]
    last = body[begin:].strip()
    return [*parts, last] if last else parts


def _split_before(body: str, operators: tuple[str, ...]) -> list[str]:
    words = {operator.strip() for operator in operators}
    parts, level, begin = [], 0, 0
    tokens = _tokens(body)
    for index, token in enumerate(tokens):
        level += token.type == tokenize.OP and (token.string in _OPEN) - (token.string in _CLOSE)
        binary = index > 0 and tokens[index - 1].type in {tokenize.NAME, tokenize.NUMBER, tokenize.STRING} or (index > 0 and tokens[index - 1].string in _CLOSE)
        if level == 0 and token.string in words and binary and token.start[1] > begin:
            parts.append(body[begin : token.start[1]].strip())
            begin = token.start[1]
    return [*parts, body[begin:].strip()]
