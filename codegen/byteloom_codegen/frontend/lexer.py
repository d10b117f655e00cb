"""Tokens of KSY expressions, and a walk over those of one expression.

Numbers may have ``_`` between digits.  Strings in single quotes are raw, in double quotes they have
escapes, and ``f"..."`` has expressions in braces.  Depth and length are bounded, so that no
expression exhausts the stack of a later pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NoReturn, TypeAlias

from byteloom_codegen.errors import SpecError

if TYPE_CHECKING:
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import Location

__all__ = ["Cursor", "LexError", "Token", "tokens"]


Kind: TypeAlias = Literal["number", "string", "fstring", "name", "op", "end"]


class LexError(Exception):
    """Text that is not a token: its offset, a message, a hint."""

    def __init__(self, offset: int, message: str, hint: str = "") -> None:
        """Keep the three as attributes."""
        super().__init__(offset, message, hint)
        self.offset = offset
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    value  number: int or float; string: its text; fstring: texts, and (start, end) of expressions
    """

    kind: Kind
    text: str
    start: int
    value: int | float | str | tuple[str | tuple[int, int], ...] = ""

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text)


_TOKEN: Final = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<based>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+)
    | (?P<float>(?:[0-9][0-9_]*)?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?
        | [0-9][0-9_]*(?:[eE][-+]?[0-9]+|\.(?![A-Za-z_0-9])))
    | (?P<int>[0-9][0-9_]*)
    | (?P<fquote>f")
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<raw>'[^']*')
    | (?P<quote>")
    | (?P<op>::|&&|\|\||\*\*|<<|>>|<=|>=|==|!=|[-+*/%&|^~<>?:.,()\[\]])
    """,
    re.VERBOSE,
)

_ESCAPES: Final = {
    "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    '"': '"', "'": "'", "\\": "\\",
}  # fmt: skip
_OCTAL: Final = re.compile(r"[0-7]{1,3}")
_UNICODE: Final = re.compile(r"u([0-9a-fA-F]{4})")

_WRONG: Final = {
    "!": "did you mean 'not'?",
    "=": "did you mean '=='?",
    "`": "quote strings with \" or '",
    ";": "an expression is one value, without statements",
    "'": "the closing ' is missing",
}


def tokens(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """Return the tokens of ``text[start:stop]``, an ``end`` token last."""
    found: list[Token] = []
    at, stop = start, len(text) if stop is None else stop
    while at < stop:
        match = _TOKEN.match(text, at, stop)
        if match is None:
            raise LexError(at, f"unexpected {text[at]!r}", _WRONG.get(text[at], ""))
        if match.lastgroup != "space":
            found.append(_token(text, match, stop))
        at = found[-1].end if match.lastgroup in {"quote", "fquote"} else match.end()
    return [*found, Token("end", "", stop)]


def _token(text: str, match: re.Match[str], stop: int) -> Token:
    source, at = match.group(), match.start()
    match match.lastgroup:
        case "based" | "int":
            return Token("number", source, at, _integer(source, at))
        case "float":
            return Token("number", source, at, float(source.replace("_", "")))
        case "raw":
            return Token("string", source, at, source[1:-1])
        case "quote":
            parts, end = _quoted(text, at + 1, stop, braces=False)
            return Token(
                "string", text[at:end], at, "".join(each for each in parts if isinstance(each, str))
            )
        case "fquote":
            parts, end = _quoted(text, at + 2, stop, braces=True)
            return Token("fstring", text[at:end], at, tuple(parts))
        case "name":
            return Token("name", source, at, source)
    return Token("op", source, at)


def _integer(source: str, at: int) -> int:
    digits = source.replace("_", "")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        raise LexError(at, f"number '{source}' starts with 0", f"write 0o{digits[1:]} for octal")
    try:
        return int(digits, 0)
    except ValueError:  # more digits than Python turns into an integer
        raise LexError(at, "number is too long") from None


def _quoted(
    text: str, at: int, stop: int, *, braces: bool
) -> tuple[list[str | tuple[int, int]], int]:
    """Return the parts of a double-quoted string whose inside starts at *at*, and its end."""
    opened, plain = at - 1, ""
    parts: list[str | tuple[int, int]] = []
    while at < stop:
        char = text[at]
        if char == '"':
            return ([*parts, plain] if plain else parts), at + 1
        if char == "\\":
            escaped, at = _escape(text, at, stop)
            plain += escaped
        elif char == "{" and braces:
            end = _closing_brace(text, at + 1, stop)
            parts += [plain, (at + 1, end)] if plain else [(at + 1, end)]
            plain, at = "", end + 1
        else:
            plain += char
            at += 1
    raise LexError(opened, "unexpected end of a string", 'the closing " is missing')


def _escape(text: str, at: int, stop: int) -> tuple[str, int]:
    if at + 1 < stop:
        if (simple := _ESCAPES.get(text[at + 1])) is not None:
            return simple, at + 2
        if unicode := _UNICODE.match(text, at + 1, stop):
            return chr(int(unicode[1], 16)), unicode.end()
        if octal := _OCTAL.match(text, at + 1, stop):
            return chr(int(octal[0], 8)), octal.end()
    raise LexError(
        at,
        f"unknown escape {text[at : at + 2]!r}",
        r"a backslash itself is \\, or use single quotes",
    )


def _closing_brace(text: str, at: int, stop: int) -> int:
    opened, quote = at - 1, ""
    while at < stop:
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in {"'", '"'}:
            quote = char
        elif char == "}":
            return at
        at += 1
    raise LexError(opened, "unexpected end of a string", "the closing } is missing")


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
