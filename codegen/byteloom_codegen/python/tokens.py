"""Split a piece of a Python statement into tokens, the same on every version of Python.

The standard ``tokenize`` reads whole programs, and what it makes of a piece depends on the version:
from 3.12 on, an f-string is several tokens, and a bracket without its partner is an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["CLOSE", "OPEN", "Token", "is_one_token", "outer_brackets", "outside_brackets", "tokens"]

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

_INSIDE: Final = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()[\]{}]""")
"""What may open or close a bracket, and the strings, in which brackets are none."""


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
    return tuple(map(_token, _TOKEN.finditer(source)))


def is_one_token(source: str) -> bool:
    """Whether *source* has no more than one token."""
    found = _TOKEN.match(source)
    return found is not None and found.end() == len(source)


@lru_cache(_KEPT)
def outside_brackets(source: str) -> tuple[tuple[Token | None, Token], ...]:
    """Return the tokens of *source* that no bracket encloses, each after the one to its left.

    A bracket that closes is one of them; the token to its left is that which opens it.
    """
    before, found, at = None, list[tuple[Token | None, Token]](), 0
    while match := _TOKEN.search(source, at):
        token = _token(match)
        if token.kind == "operator" and token.text in OPEN:
            closing = _closing(source, token)
            if closing is None:
                break
            before, token = token, closing
        elif token.kind == "operator" and token.text in CLOSE:
            break  # what opened it is not in this piece
        found.append((before, token))
        before, at = token, token.end
    return tuple(found)


def outer_brackets(source: str) -> list[tuple[int, int]]:
    """Return where the brackets of the outermost level open and close."""
    return [
        (before.start, token.start)
        for before, token in outside_brackets(source)
        if before is not None and before.text in OPEN
    ]


def _closing(source: str, opened: Token) -> Token | None:
    """Return the bracket that closes the one *opened*; None if *source* ends before."""
    level = 1
    for match in _INSIDE.finditer(source, opened.end):
        text = match[0]
        if text in OPEN:
            level += 1
        elif text in CLOSE:
            level -= 1
            if level == 0:
                return Token("operator", text, *match.span())
    return None


def _token(found: re.Match[str]) -> Token:
    return Token(found.lastgroup or "", found[0], *found.span())
