"""Literals in the text of an expression, as the Python values that they mean.

What Python's own dates and times cannot hold (the year 10000, nanoseconds) stays text, which
binding turns into the column's storage value.

Source: the grammar in `byteloom.iceberg.expressions.text`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from byteloom.errors import FormatError
from byteloom.iceberg.datetimes import has_zone, parse_date, parse_time, parse_timestamp
from byteloom.iceberg.expressions.ast import Operation
from byteloom.iceberg.expressions.tokens import Cursor, ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.expressions.tokens import Token

__all__ = ["Literal", "LiteralCursor", "prefix"]

_MOST_DIGITS: Final = 1000
"""Most digits of a number; Python itself refuses to read more than 4,300."""
_LARGEST: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal that was found.

    Attributes:
        value: Its value; False and 0 are values too.
    """

    value: Any


def _number(text: str, token: Token, sign: str) -> Literal:
    """Return an int, a Decimal (with a point) or a float (with an exponent).

    Raises:
        ExpressionError: More than 1,000 digits.
    """
    if len(token.text) > _MOST_DIGITS:
        raise ExpressionError.at(
            text, token.place, f"{len(token.text)} digits", f"at most {_MOST_DIGITS}"
        )
    written = sign + token.text
    if "e" in written.lower():
        return Literal(float(written))
    return Literal(Decimal(written) if "." in written else int(written))


def _typed(text: str, kind: str, token: Token) -> Literal:
    """Return the value of quoted text after the word *kind*.

    Raises:
        ExpressionError: Text that is no such value.
    """
    read, wanted = _TYPED[kind]
    try:
        return Literal(read(token.inside))
    except (ValueError, InvalidOperation) as error:
        raise ExpressionError.at(text, token.place, str(token), wanted) from error
    except FormatError as error:
        raise ExpressionError.at(text, token.place, str(token), error.wanted) from error


def prefix(text: str, token: Token) -> tuple[Operation, str]:
    r"""Return the predicate of a ``like`` pattern: a prefix where it ends in ``%``, else equality.

    ExpressionError  any other ``%`` or ``_``, unless it is escaped by ``\``
    """
    pattern, at = token.inside, 0
    found: list[str] = []
    while at < len(pattern):
        if pattern[at] == "%" and at == len(pattern) - 1:
            return Operation.STARTS_WITH, "".join(found)
        if pattern[at] in "%_":
            wanted = r"a prefix with one % at its end, as 'abc%' (\% and \_ stand for themselves)"
            raise ExpressionError.at(text, token.place, str(token), wanted)
        at += pattern[at] == "\\" and at + 1 < len(pattern)
        found.append(pattern[at])
        at += 1
    return Operation.EQ, "".join(found)


def _date(text: str) -> Any:
    """Return a day."""
    days = parse_date(text)
    try:
        return dt.date(1970, 1, 1) + dt.timedelta(days=days)
    except OverflowError:
        return text


def _time(text: str) -> Any:
    """Return a time of day."""
    micros = parse_time(text)
    return (dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=micros)).time()  # noqa: DTZ001  no day's


def _timestamp(text: str) -> Any:
    """Return a moment, zoned if a zone is written; a day means its midnight."""
    if "T" not in text and " " not in text:
        text = f"{text}T00:00:00"
    zoned = has_zone(text)
    nanos = parse_timestamp(text, unit="ns", zoned=zoned)
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC if zoned else None)
    try:
        found = epoch + dt.timedelta(microseconds=nanos // 1000)
    except OverflowError:
        return text
    return text if nanos % 1000 else found


_TYPED: Final[dict[str, tuple[Callable[[str], Any], str]]] = {
    "text": (str, "text"),
    "bytes": (bytes.fromhex, "bytes as two hexadecimal digits each"),
    "date": (_date, "a day as '2017-11-16'"),
    "time": (_time, "a time of day as '22:31:08.000001'"),
    "timestamp": (_timestamp, "a moment as '2017-11-16T22:31:08'"),
    "uuid": (UUID, "a UUID as 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"),
    "decimal": (Decimal, "a number as '14.20'"),
    "double": (float, "a number as '1.5e300', or 'inf'"),
}
_WORDS: Final = frozenset(_TYPED) - {"text", "bytes"}
"""The words that give quoted text their type."""


class LiteralCursor(Cursor):
    """Parses the literals of a text."""

    def count(self) -> int:
        """Parse the number of buckets or characters."""
        token, most = self.next, len(str(_LARGEST))
        is_whole = token.kind == "number" and token.text.isdigit() and len(token.text) <= most
        if not is_whole or not 0 < int(token.text) <= _LARGEST:
            self.refuse(f"a whole number from 1 to {_LARGEST}")
        return int(self.take().text)

    def string(self, wanted: str = "text in single quotes") -> Token:
        """Parse text in quotes."""
        if self.next.kind != "text":
            self.refuse(wanted)
        return self.take()

    def literals(self) -> tuple[Any, ...]:
        """Parse literals in brackets, of which there may be none."""
        self.need("(")
        if self.takes(")"):
            return ()
        found = [self.literal()]
        while self.takes(","):
            found.append(self.literal())
        self.need(")", "',' or ')'")
        return tuple(found)

    def literal(self) -> Any:
        """Parse a literal, which is required."""
        found = self.literal_if_any()
        if found is None:
            self.refuse(self.instead_of_literal())
        return found.value

    def literal_if_any(self) -> Literal | None:
        """Parse a literal if one is next."""
        token = self.next
        if token.word in {"+", "-"} and self.following.kind == "number":
            self.take()
            return _number(self.text, self.take(), token.word)
        if token.kind == "number":
            return _number(self.text, self.take(), "")
        if token.word in {"true", "false"}:
            return Literal(self.take().word == "true")
        if token.kind in {"text", "bytes"}:
            return _typed(self.text, token.kind, self.take())
        if token.word in _WORDS and self.following.kind == "text":
            self.take()
            return _typed(self.text, token.word, self.take())
        return None

    def instead_of_literal(self) -> str:
        """Return what was wanted if no literal follows, the most common intent first."""
        if self.next.word == "null":
            return "a literal; ask for null by `is null`"
        if self.next.word == "nan":
            return "a literal; ask for NaN by `is nan`"
        if self.next.kind in {"word", "quoted"}:
            return "a literal: a number, true, false, or text in single quotes"
        return "a literal"
