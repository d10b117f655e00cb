"""The statements that method bodies are made of.

Views and macros of templates make them; a template prints them; `layout` wraps what is too long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Block", "Statement", "indented", "is_named", "with_local_bytes"]


@dataclass(frozen=True, slots=True)
class Block:
    """A header that ends in a colon, and the statements under it."""

    header: str
    body: list[Statement] = field(default_factory=list)


Statement: TypeAlias = str | Block
"""A line, indented by four spaces for each level, or a block."""


def is_named(name: str, statements: list[Statement]) -> bool:
    """Whether a variable is used, or assigned to, in *statements*."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(word.search(line) for _, line in indented(statements))


def indented(statements: list[Statement], depth: int = 0) -> list[tuple[int, str]]:
    """Return every line with its depth, outermost 0."""
    lines: list[tuple[int, str]] = []
    for each in statements:
        if isinstance(each, Block):
            lines.append((depth, each.header))
            lines += indented(each.body, depth + 1)
        else:
            text = each.lstrip(" ")
            lines.append((depth + (len(each) - len(text)) // 4, text))
    return lines


def with_local_bytes(statements: list[Statement]) -> list[Statement]:
    """Return *statements* with a variable for the bytes of the writer, if they often add to it."""
    adding = [line for _, line in indented(statements) if line.startswith("w.out")]
    if len(adding) < 2:  # noqa: PLR2004  (a variable for one is no gain)
        return statements
    return ["out = w.out", *map(_to_local_bytes, statements)]


def _to_local_bytes(statement: Statement) -> Statement:
    if isinstance(statement, Block):
        return Block(statement.header, list(map(_to_local_bytes, statement.body)))
    return re.sub(r"^( *)w\.out\b", r"\1out", statement)
