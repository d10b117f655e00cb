"""Split a piece of a Python statement into tokens, the same on every version of Python.

The standard ``tokenize`` reads whole programs, and what it makes of a piece depends on the version:
from 3.12 on, an f-string is several tokens, and a bracket without its partner is an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["CLOSE", "OPEN", "Token", "outside_brackets", "tokens"]

OPEN: Final = "([{"
CLOSE: Final = ")]}"

_KEPT: Final = 64
"""Pieces whose tokens are cached: a long one is used once for each kind of operator."""

_TOKEN: Final = re.compile(
    r"""
      (?P<string>[bfruBFRU]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    | (?P<number>0[xX][\da-fA-F_]+|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)
    | (?P<operator>not\ in\b|is\ not\b|\*\*|//|<<|>>|->|:=|[=!<>]=|[-+]=|[^\w\s])
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


@lru_cache(_KEPT)
def tokens(source: str) -> tuple[Token, ...]:
    """Return the tokens of *source*, a string literal being one."""
    found = _TOKEN.finditer(source)
    return tuple(Token(each.lastgroup or "", each[0], *each.span()) for each in found)


@lru_cache(_KEPT)
def outside_brackets(source: str) -> tuple[tuple[Token | None, Token], ...]:
    """Return the tokens of *source* that no bracket encloses, each after the one to its left."""
    level, before, found = 0, None, list[tuple[Token | None, Token]]()
    for token in tokens(source):
        if token.kind == "operator":
            level += (token.text in OPEN) - (token.text in CLOSE)
        if level == 0:
            found.append((before, token))
        before = token
    return tuple(found)
