"""A walk over the tokens of one expression, with errors that say what was expected.

Depth and length are bounded, so that no expression exhausts the stack of a later pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from byteloom_codegen.errors import SpecError
from byteloom_codegen.frontend.lexer import LexError, Token, tokens

if TYPE_CHECKING:
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import Location

__all__ = ["Cursor"]

MAX_NESTING: Final = 10_000
MAX_OPERATORS: Final = 10_000

SHOWN: Final = 60
_HINTS: Final = {
    "&&": "did you mean 'and'?",
    "||": "did you mean 'or'?",
    "**": "there is no power operator",
    "!": "did you mean 'not'?",
    "++": "there is no increment",
}


class Cursor:
    """A position among the tokens of one scalar, or of a part of it."""

    def __init__(
        self, place: Place, wanted: str = "expression", part: tuple[int, int] | None = None
    ) -> None:
        """Start at the first token.

        wanted  what an error asks for where *place* is not a scalar
        part    the offsets of the part; None for all of it
        """
        self.place = place
        self.text = place.expression(wanted)
        self.depth = self.operators = self.at = 0
        start, stop = part or (0, len(self.text))
        try:
            self.tokens = tokens(self.text, start, stop)
        except LexError as error:
            self.fail(error.offset, error.message, error.hint)

    @property
    def next(self) -> Token:
        """The token that was not taken yet."""
        return self.tokens[self.at]

    def take(self) -> Token:
        """Return the next token and pass it; the end is never passed."""
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def accept(self, *ops: str) -> Token | None:
        """Pass the next token if it is one of these operators."""
        token = self.next
        return self.take() if token.kind == "op" and token.text in ops else None

    def accept_word(self, word: str) -> Token | None:
        """Pass the next token if it is this word."""
        token = self.next
        return self.take() if token.kind == "name" and token.text == word else None

    def expect(self, op: str) -> None:
        """Pass this operator, or fail."""
        if not self.accept(op):
            self.unexpected(f"'{op}'")

    def expect_end(self) -> None:
        """Fail unless all tokens are taken."""
        if self.next.kind != "end":
            self.unexpected("an operator or the end")

    def close_angle(self) -> None:
        """Pass ``>``, even where the lexer took it for the start of ``>>`` or ``>=``."""
        token = self.next
        if token.kind == "op" and token.text in {">>", ">="}:
            self.tokens[self.at] = Token("op", token.text[1:], token.start + 1)
        else:
            self.expect(">")

    def name(self, wanted: str) -> str:
        """Return the next name and pass it; *wanted* is what an error says it is for.

        A word is a name here: specs have types, members and fields called ``not`` and ``true``.
        """
        token = self.next
        if token.kind != "name":
            self.unexpected(wanted)
        return self.take().text

    def where(self, token: Token) -> Location:
        """Return where a token is."""
        return self.place.position(token.start)

    def unexpected(self, wanted: str) -> NoReturn:
        """Fail at the next token, which is not what was *wanted*."""
        token = self.next
        found = f"'{token.text[:SHOWN]}'" if token.text else "the end"
        here = self.text[token.start : token.start + 2]
        before = self.text[max(token.start - 1, 0) : token.start + 1]
        hint = _HINTS.get(here) or _HINTS.get(before) or ""
        text = " ".join(self.text.split())
        text = f"{text[:SHOWN]}..." if len(text) > SHOWN else text
        message = f"parsing expression '{text}' failed: expected {wanted}, found {found}"
        self.fail(token.start, message, hint)

    def fail(self, offset: int, message: str, hint: str = "") -> NoReturn:
        """Raise the error of the character at *offset*."""
        raise SpecError(self.place.position(offset), message, hint)

    def deepen(self) -> None:
        """Count one level of nesting, which `depth` takes back."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(self.next.start, f"expression nested more than {MAX_NESTING} deep")

    def count(self) -> None:
        """Count one operator."""
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            self.fail(self.next.start, f"expression has more than {MAX_OPERATORS} operators")
