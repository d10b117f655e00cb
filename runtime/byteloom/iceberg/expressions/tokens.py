"""The words, signs and literals in the text of an expression, each with its place.

Source: the grammar in `byteloom.iceberg.expressions.text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from byteloom.errors import ArgumentError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Cursor", "ExpressionError", "Token", "tokens"]

# Possessive repeats (`*+`): a text without its closing quote fails once, not once for each quote.
_TOKEN: Final = re.compile(
    r"""
      (?P<bytes>  [xX]'(?:[^']|'')*+' )
    | (?P<text>   '(?:[^']|'')*+' )
    | (?P<quoted> "(?:[^"]|"")*+" | `(?:[^`]|``)*+` )
    | (?P<number> (?: [0-9]++ (?:\.[0-9]*+)? | \.[0-9]++ ) (?:[eE][+-]?[0-9]++)? (?![\w.]) )
    | (?P<word>   [^\W\d]\w*+ )
    | (?P<sign>   <= | >= | <> | != | == | [=<>(),.+-] )
    """,
    re.VERBOSE,
)
_SPACE: Final = re.compile(r"\s*+")
_WINDOW: Final = 60
"""Characters shown on either side of an error's place."""


class ExpressionError(ArgumentError):
    """An invalid expression; the error shows it with a caret under the place.

    Attributes:
        text: The whole text.
        place: The index of the wrong character, from 0.
    """

    text: str = ""
    place: int = 0

    @classmethod
    def at(cls, text: str, place: int, found: str, wanted: str) -> ExpressionError:
        """Return the error at a place of *text*."""
        error = cls(f"expression at character {place + 1}", None, found, wanted)
        error.text, error.place = text, place
        return error

    def __str__(self) -> str:
        """Where, found and wanted; then the line, with a caret under the place."""
        start = self.text.rfind("\n", 0, self.place) + 1
        end = self.text.find("\n", self.place)
        line = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        column = self.place - start
        before = line[max(0, column - _WINDOW) : column]
        shown = _printable(before + line[column : column + _WINDOW])
        return f"{super().__str__()}\n    {shown}\n    {' ' * len(_printable(before))}^"


@dataclass(frozen=True, slots=True)
class Token:
    """One part of a text.

    Attributes:
        kind: ``bytes``, ``text``, ``quoted``, ``number``, ``word``, ``sign`` or ``end``.
        text: As it was written.
        place: Index of its first character, from 0.
    """

    kind: str
    text: str
    place: int

    @property
    def word(self) -> str:
        """The word or sign in lower case; empty for a literal and for a quoted name."""
        return self.text.lower() if self.kind in {"word", "sign"} else ""

    @property
    def inside(self) -> str:
        """The text between the quotation marks."""
        body = self.text[1:] if self.kind == "bytes" else self.text
        return body[1:-1].replace(body[0] * 2, body[0])

    def __str__(self) -> str:
        """Return the text as an error shows it."""
        return shortened(self.text, _WINDOW) or "the end"


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of *text*, and one for its end.

    Raises:
        ExpressionError: A character that starts no token, or a quotation mark that is not closed.
    """
    place = _after_space(text, 0)
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise ExpressionError.at(text, place, repr(text[place]), _wanted(text, place))
        yield Token(str(found.lastgroup), found[0], place)
        place = _after_space(text, found.end())
    yield Token("end", "", len(text))


class Cursor:
    """The tokens of a text, consumed one by one."""

    def __init__(self, text: str) -> None:
        """Split the text into tokens; `ExpressionError` as from `tokens`."""
        self.text = text
        self.tokens = list(tokens(text))
        self.at = 0

    @property
    def next(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    @property
    def following(self) -> Token:
        """The token after the next one."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Consume and return the next token."""
        taken = self.next
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return taken

    def takes(self, word: str) -> bool:
        """Consume the next token if it is that word or sign; return whether it was."""
        if self.next.word != word:
            return False
        self.take()
        return True

    def need(self, word: str, wanted: str = "") -> None:
        """Consume that word or sign, which must be next."""
        if not self.takes(word):
            self.refuse(wanted or repr(word))

    def refuse(self, wanted: str, token: Token | None = None) -> NoReturn:
        """Raise the error that something else was wanted."""
        token = token or self.next
        raise ExpressionError.at(self.text, token.place, str(token), wanted)


def _after_space(text: str, place: int) -> int:
    """Return the index of the first character at or after *place* that is not a space."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _wanted(text: str, place: int) -> str:
    """Return what was wanted at a place that cannot be parsed."""
    if text[place] in "'\"`" or text[place : place + 2].lower() == "x'":
        return "a closing quotation mark after it (one inside of quotes is doubled)"
    if text[place].isdigit() or text[place] == ".":
        return "a number as 3, 1.5 or 2e6; names that start with a digit are quoted"
    return "a name, a literal or an operator"


def _printable(text: str) -> str:
    """Return text in one line, of characters one column wide (wide letters excepted)."""
    return "".join(each if each.isprintable() else " " for each in text)
