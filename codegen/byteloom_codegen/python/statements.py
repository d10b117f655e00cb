"""The statements that method bodies are made of.

Views and macros of templates make them; a template prints them; `layout` wraps what is too long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Block", "Statement", "indented", "is_named"]


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
