"""Split a piece of a Python statement into tokens, the same on every version of Python.

The standard ``tokenize`` reads whole programs, and what it makes of a piece depends on the version:
from 3.12 on, an f-string is several tokens, and a bracket without its partner is an error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CLOSE", "OPEN", "Token", "outside_brackets", "tokens"]

OPEN: Final = "([{"
CLOSE: Final = ")]}"

_TOKEN: Final = re.compile(
    r"""
      (?P<string>[bfruBFRU]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    | (?P<number>0[xX][\da-fA-F_]+|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)
    | (?P<operator>not\ in\b|\*\*|//|<<|>>|->|:=|[=!<>]=|[^\w\s])
    | (?P<name>\w+)
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """One token: its kind (``string``, ``number``, ``operator``, ``name``), text and columns."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def is_operand(self) -> bool:
        """Whether an operator right after it has two operands."""
        return self.kind != "operator" or self.text in CLOSE


def tokens(source: str) -> list[Token]:
    """Return the tokens of *source*, a string literal being one."""
    found = _TOKEN.finditer(source)
    return [Token(each.lastgroup or "", each[0], *each.span()) for each in found]


def outside_brackets(source: str) -> Iterator[tuple[Token | None, Token]]:
    """Yield the tokens of *source* that no bracket encloses, each after the one to its left."""
    level, before = 0, None
    for token in tokens(source):
        if token.kind == "operator":
            level += (token.text in OPEN) - (token.text in CLOSE)
        if level == 0:
            yield before, token
        before = token
