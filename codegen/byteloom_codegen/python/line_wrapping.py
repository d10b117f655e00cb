"""Wrap a statement that is too long for its line, as ruff would.

The last bracket that opens at the statement's own level is opened up: its content goes on a line of
its own where it fits there, else every item gets a line and a trailing comma.  A statement without
such a bracket gets one around what is to the right of its keyword or its ``=``.
"""

from __future__ import annotations

import re
from typing import Final

from byteloom_codegen.python.tokens import (
    CLOSE,
    OPEN,
    is_one_token,
    outer_brackets,
    outside_brackets,
)

__all__ = ["WIDTH", "wrapped"]

WIDTH: Final = 88
"""Columns of a line: ruff's default, so that output is stable wherever it is checked."""

_KEYWORDS: Final = ("return ", "if ", "elif ", "while ")

_LOOSEST_FIRST: Final = (
    (" if ", " else "),
    (" or ", " and "),
    (" == ", " != ", " <= ", " >= ", " < ", " > ", " not in ", " in ", " is not ", " is "),
    (" | ",),
    (" ^ ",),
    (" & ",),
    (" << ", " >> "),
    (" + ", " - "),
    (" * ", " // ", " / ", " % "),
)
"""Operators at which an expression is broken, those that bind loosest first."""

_SPACED: Final = re.compile(
    "|".join(re.escape(each) for operators in _LOOSEST_FIRST for each in operators)
)


def wrapped(line: str, depth: int, room: int = WIDTH) -> list[str]:
    """Return *line*, indented by *depth* levels, as one or more lines of *room* columns."""
    indent = "    " * depth
    if len(indent) + len(line) <= room:
        return [indent + line]
    if line.startswith("from "):
        return _imported(line, depth)
    if line.startswith("def "):
        return _signature(line, depth, room)
    if annotated := _annotated(line, depth, room):
        return annotated
    targets, value = _assignment(line)
    if len(_split(targets, ",")) > 1 and _too_long(targets, value, depth, room):
        return _unpacked(targets, value, depth, room)
    if _has_operators(line):
        return _parenthesised(line, depth)
    if targets.endswith("]") and len(f"{targets} = (") + 4 * depth > room:
        *index, _ = _opened(targets, depth, room) or _overlong(targets, depth)
        return [*index, f"{'    ' * depth}] = {value}"]
    opened = _opened(line, depth, room) or _opened_both(line, depth, room)
    return opened or _parenthesised(line, depth)


def _signature(line: str, depth: int, room: int) -> list[str]:
    """Break the arguments of a method and, where that is not enough, the type that it returns."""
    indent, (opened, closed), inner = "    " * depth, outer_brackets(line)[0], "    " * (depth + 1)
    head, body, tail = line[: opened + 1], line[opened + 1 : closed], line[closed:]
    arguments, returned = _split(body, ","), tail.removeprefix(") -> ")
    has_room = len(indent) + len(tail) <= room
    if has_room and len(arguments) > 1 and len(inner) + len(body) <= room:
        return [indent + head, inner + body, indent + tail]
    lines = [indent + head, *(row for each in arguments for row in _argument(each, depth + 1))]
    if has_room or returned == tail:
        return [*lines, indent + tail]
    *before, last = _union(f"{indent}) -> ", returned[:-1], depth)
    return [*lines, *before, f"{last}:"]


def _argument(argument: str, depth: int) -> list[str]:
    """Lay out an argument of a method, before a comma."""
    name, colon, annotation = argument.partition(": ")
    start, indent = name + colon, "    " * depth
    first, *others = _operands(annotation, depth, WIDTH - 1, len(start))
    *before, last = [f"{indent}{start}{first.removeprefix(indent)}", *others]
    return [*before, f"{last},"]


def _annotated(line: str, depth: int, room: int) -> list[str]:
    """Break the annotation of an attribute; return nothing where breaking its value is enough."""
    name, colon, rest = line.partition(": ")
    if not colon or not name.isidentifier() or name == "lambda" or line.endswith(":"):
        return []
    annotation, equals, value = rest.partition(" = ")
    indent = "    " * depth
    start = "{" if value.startswith("{") else value[: value.find("(") + 1] or value
    room -= len(f"{indent}{name}: {annotation}{equals}")
    if len(start) <= room:
        return []
    if equals and len("(") <= room:
        return [f"{indent}{name}: {annotation} = (", *_operands(value, depth + 1), f"{indent})"]
    *lines, tail = _union(f"{indent}{name}: ", annotation, depth)
    return [*lines, f"{tail}{equals}{value}"]


def _union(head: str, annotation: str, depth: int) -> list[str]:
    """Lay out the types of an annotation inside brackets, its own or new ones."""
    indent = "    " * depth
    if len(_split_before(annotation, (" | ",))) == 1 and annotation.endswith("]"):
        opened = annotation.index("[")
        head, annotation = f"{head}{annotation[: opened + 1]}", annotation[opened + 1 : -1]
        return [head, *_operands(annotation, depth + 1), f"{indent}]"]
    return [f"{head}(", *_operands(annotation, depth + 1), f"{indent})"]


def _too_long(targets: str, value: str, depth: int, room: int) -> bool:
    """Whether several names and the start of what is assigned to them do not fit on a line."""
    return 4 * depth + len(targets) + len(" = ") + value.find("(") + 1 > room


def _unpacked(targets: str, value: str, depth: int, room: int) -> list[str]:
    """Put every name of an assignment to several names on a line of its own."""
    indent = "    " * depth
    items = [f"{indent}    {name}," for name in _split(targets, ",")]
    first, *others = wrapped(f"_ = {value}", depth, room)
    return [f"{indent}(", *items, f"{indent}){first.removeprefix(indent + '_')}", *others]


def _imported(line: str, depth: int) -> list[str]:
    """Put every name that a ``from`` statement imports on a line of its own."""
    indent = "    " * depth
    module, _, names = line.partition(" import ")
    items = [f"{indent}    {name}," for name in names.split(", ")]
    return [f"{indent}{module} import (", *items, f"{indent})"]


def _opened(line: str, depth: int, room: int) -> list[str]:
    """Open up the last bracket whose two ends fit; return nothing where none does."""
    indent = "    " * depth
    for opened, closed in reversed(outer_brackets(line)):
        head, body, tail = line[: opened + 1], line[opened + 1 : closed], line[closed:]
        is_target = " = " in tail  # an assignment breaks to the right of its sign
        if body and not is_target and max(len(head), len(tail)) + len(indent) <= room:
            return [indent + head, *_body(head, body, depth + 1), indent + tail]
    return _opened_twice(line, depth, room)


def _opened_twice(line: str, depth: int, room: int) -> list[str]:
    """Open up the last two brackets, if they are a call of what another call returns."""
    brackets = outer_brackets(line)
    opened, closed = brackets[-1] if len(brackets) > 1 else (0, 0)
    if not opened or line[opened - 1] in CLOSE or closed + 1 < len(line):
        return []
    *before, middle = _opened(line[:opened], depth, room) or [""]
    if not middle.lstrip().startswith(")."):
        return []
    head, body = line[: opened + 1], line[opened + 1 : closed]
    return [*before, f"{middle}(", *_body(head, body, depth + 1), "    " * depth + line[closed:]]


def _opened_both(line: str, depth: int, room: int) -> list[str]:
    """Open up both brackets of ``not (a) and not (b)``, where neither alone leaves enough room."""
    brackets, right = outer_brackets(line), _assignment(line)[1]
    if len(brackets) != 2 or len(_loosest(right)) != 2 or not line.endswith(")"):  # noqa: PLR2004
        return []
    (first, middle), (second, last) = brackets
    between = line[middle : second + 1]
    if any(line[at - 1] != " " for at in (first, second)):
        return []  # calls
    indent = "    " * depth
    if 4 * depth + max(first + 1, len(between)) > room:
        return []
    one = _body(line[: first + 1], line[first + 1 : middle], depth + 1)
    other = _body(between, line[second + 1 : last], depth + 1)
    return [indent + line[: first + 1], *one, indent + between, *other, f"{indent})"]


def _body(head: str, body: str, depth: int) -> list[str]:
    """Lay out what is between two brackets."""
    call = head[-1] in "([" and len(head) > 1 and (head[-2].isalnum() or head[-2] in "_])")
    items, comprehended = _split(body, ","), _split_before(body, (" for ",))
    if len(items) == 1 and len(comprehended) > 1:
        return [line for part in comprehended for line in wrapped(part, depth)]
    grouping = head[-1] == "(" and not call and len(items) == 1
    alone = call and is_one_token(body)
    if alone or (4 * depth + len(body) <= WIDTH and (call or grouping)):
        return ["    " * depth + body]
    if grouping or (call and head[-1] == "[" and len(items) == 1):
        lines = _operands(body, depth)
        is_too_long = len(lines) == 1 and len(lines[0]) > WIDTH
        return _overlong(body, depth) if is_too_long else lines
    lines = []
    for item in items:
        *before, final = _item(item, depth)
        lines += [*before, f"{final},"]
    return lines


def _item(item: str, depth: int) -> list[str]:
    """Lay out one argument, before a comma."""
    name, equals, value = item.partition("=")
    keyword = f"{name}=" if equals and name.isidentifier() and value[:1] != "=" else ""
    indent = "    " * depth
    head, is_lambda, body = item.partition("lambda: ")
    is_item = not head or head.removesuffix(" := ").isidentifier()
    if is_lambda and is_item and 4 * depth + len(item) >= WIDTH and not _is_call(body):
        return [f"{indent}{head}lambda: (", *_operands(body, depth + 1), f"{indent})"]
    if keyword and is_one_token(value):
        return [indent + item]
    if 4 * depth + len(item) < WIDTH or len(_loosest(item[len(keyword) :])) == 1:
        return wrapped(item, depth, WIDTH - 1)
    first, *others = _operands(item[len(keyword) :], depth, WIDTH - 1, len(keyword))
    return [f"{indent}{keyword}{first.removeprefix(indent)}", *others]


def _parenthesised(line: str, depth: int) -> list[str]:
    """Put brackets around the right side of an assignment, a return or a condition."""
    for start in _KEYWORDS:
        if line.startswith(start):
            colon = ":" if line.endswith(":") else ""
            body = line[len(start) : len(line) - len(colon)]
            return _enclosed(line, start, body, colon, depth)
    target, body = _assignment(line)
    if target:
        return _enclosed(line, line.removesuffix(body), body, "", depth)
    return _overlong(line, depth)


def _enclosed(line: str, head: str, body: str, tail: str, depth: int) -> list[str]:
    """Put brackets around *body*, unless it stays too long and has no operator to break at."""
    indent, inner = "    " * depth, _operands(body, depth + 1)
    is_too_long = max(len(inner[0]), len(f"{indent}{head}(")) > WIDTH
    if is_too_long if len(inner) == 1 else _is_nested_call(body):
        return _overlong(line, depth)
    return [f"{indent}{head}(", *inner, f"{indent}){tail}"]


def _overlong(line: str, depth: int) -> list[str]:
    """Open up the last bracket of a line whose start alone is too long."""
    indent = "    " * depth
    opened, closed = (outer_brackets(line) or [(0, 0)])[-1]
    if closed <= opened + 1:
        return [indent + line]
    head, body, tail = line[: opened + 1], line[opened + 1 : closed], line[closed:]
    return [indent + head, *_body(head, body, depth + 1), indent + tail]


def _operands(body: str, depth: int, room: int = WIDTH, taken: int = 0) -> list[str]:
    """Break an expression at its loosest operator, which begins the next line.

    taken  columns of the first line that something before the expression takes
    """
    indent = "    " * depth
    if len(indent) + taken + len(body) <= room:
        return [indent + body]
    for operators in _LOOSEST_FIRST:
        parts = _split_before(body, operators)
        if len(parts) > 1:
            first, *others = parts
            lines = _operands(first, depth, WIDTH, taken)
            for other in others:  # room for what follows the last line
                lines += _operand(other, operators, depth, room if other is others[-1] else WIDTH)
            return lines
    return _opened(body, depth, room) or [indent + body]


def _operand(part: str, operators: tuple[str, ...], depth: int, room: int) -> list[str]:
    """Lay out an operator and what is to its right."""
    operator = next(each.strip() for each in operators if part.startswith(each.strip() + " "))
    indent = "    " * depth
    if len(indent) + len(part) <= room:
        return [indent + part]
    start = f"{operator} "
    first, *others = _operands(part.removeprefix(start), depth, room, len(start))
    return [f"{indent}{operator} {first.removeprefix(indent)}", *others]


def _assignment(line: str) -> tuple[str, str]:
    """Return both sides of an assignment; nothing and *line* itself where it is another statement.

    The ``=`` of a default or of a keyword argument is inside brackets and assigns nothing.
    """
    for _, token in outside_brackets(line):
        if token.text in {"=", "+=", "-="}:
            return line[: token.start].strip(), line[token.end :].strip()
    return "", line


def _has_operators(line: str) -> bool:
    """Whether the right side in brackets would be broken at an operator, and not at a call."""
    for start in (*_KEYWORDS, "raise "):
        line = line.removeprefix(start)
    right = _assignment(line)[1].rstrip(":")
    parts = _loosest(right)
    ends_open = (right[-1:] in CLOSE and not _is_indexed(right)) or right[:1] in OPEN
    return len(parts) > 2 or (len(parts) == 2 and not ends_open)  # noqa: PLR2004


def _is_indexed(right: str) -> bool:
    """Whether an expression ends with an index, in whose brackets nothing is broken."""
    opened, _ = (outer_brackets(right) or [(0, 0)])[-1]
    return right[-1:] == "]" and opened > 0 and right[opened - 1] not in " (["


def _is_call(body: str) -> bool:
    """Whether the body of a function without arguments only calls another by its name."""
    brackets = outer_brackets(body)
    return (
        len(brackets) == 1
        and body.endswith(")")
        and body[: brackets[0][0]].replace(".", "_").isidentifier()
    )


def _is_nested_call(body: str) -> bool:
    """Whether an expression is one call of a name, such as ``Stream(BytesIO(data))``."""
    brackets = outer_brackets(body)
    return (
        len(brackets) == 1
        and body.endswith(")")
        and brackets[0][1] == len(body) - 1
        and body[: brackets[0][0]].isidentifier()
    )


def _loosest(body: str) -> list[str]:
    """Return the operands of the operator that binds loosest; *body* itself where it has none."""
    if _SPACED.search(body) is None:
        return [body]
    found = (_split_before(body, each) for each in _LOOSEST_FIRST)
    return next((parts for parts in found if len(parts) > 1), [body])


def _split(body: str, separator: str) -> list[str]:
    parts, begin = [], 0
    for _, token in outside_brackets(body):
        if token.text == separator:
            parts.append(body[begin : token.start].strip())
            begin = token.end
    last = body[begin:].strip()
    return [*parts, last] if last else parts


def _split_before(body: str, operators: tuple[str, ...]) -> list[str]:
    if not any(operator in body for operator in operators):
        return [body.strip()]
    words = {operator.strip() for operator in operators}
    parts, begin = [], 0
    for before, token in outside_brackets(body):
        is_binary = before is not None and before.is_operand
        if token.text in words and is_binary and token.start > begin:
            parts.append(body[begin : token.start].strip())
            begin = token.start
    return [*parts, body[begin:].strip()]
