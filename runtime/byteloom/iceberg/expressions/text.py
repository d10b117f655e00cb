r"""Expressions as text: a grammar like that of SQL's ``where``.

    expression  factor { ("and" | "or") factor }                 and binds closer than or
    factor      "not" factor | "(" expression ")" | "true" | "false" | predicate
    predicate   term ("=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=") literal, or reversed
              | term ["not"] "in" "(" [literal { "," literal }] ")"
              | term "is" ["not"] ("null" | "nan")
              | term ["not"] "between" literal "and" literal
              | term ["not"] ("like" 'prefix%' | "starts" "with" 'prefix')
              | "starts_with" "(" term "," 'prefix' ")"
    term        path | "bucket" "(" n "," path ")" | "truncate" "(" n "," path ")"
              | ("year" | "month" | "day" | "hour" | "identity" | "void") "(" path ")"
              | "transform" "(" 'any transform' "," path ")"
    path        name { "." name }, a name plain, "quoted" or `quoted`
    literal     3, -1.5 (decimal), 2e6 (float), 'text', X'hex', true, false
              | ("date" | "time" | "timestamp" | "uuid" | "decimal" | "double") 'text'

The rules:

- Keywords may be in upper or lower case; a quotation mark inside of quotes is doubled.
- Chains of and, and of or, become balanced trees, so that thousands of them stay shallow.
- Brackets may be nested up to ``limits.nesting``.

Written by hand: nearly everything in sqlglot's SQL grammar would have to be refused, and parser
generators (lark, pyparsing) give poorer messages about what was wanted.

Source: Iceberg expressions spec; SQL's names for the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ArgumentError, LimitExceeded
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    And,
    Expression,
    Not,
    Operation,
    Or,
    Predicate,
    Reference,
    TransformTerm,
)
from byteloom.iceberg.expressions.spelling import RESERVED
from byteloom.iceberg.expressions.text_literals import Literal, LiteralCursor, prefix
from byteloom.iceberg.transforms import Bucket, Truncate, parse_transform
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from byteloom.iceberg.expressions.ast import Term
    from byteloom.iceberg.expressions.tokens import Token
    from byteloom.iceberg.transforms import Transform

__all__ = ["as_expression", "parse"]

_COMPARISONS: Final = {
    **{each.row.text: each for each in Operation if not each.row.text[0].isalpha()},
    "==": Operation.EQ,
    "<>": Operation.NOT_EQ,
}
_FLIPPED: Final = {
    Operation.LT: Operation.GT,
    Operation.LT_EQ: Operation.GT_EQ,
    Operation.GT: Operation.LT,
    Operation.GT_EQ: Operation.LT_EQ,
}
_UNARY: Final = {"null": Operation.IS_NULL, "nan": Operation.IS_NAN}
_WITH_NUMBER: Final[dict[str, Any]] = {"bucket": Bucket, "truncate": Truncate}
_ALONE: Final = {
    **{name: parse_transform(name) for name in ("year", "month", "day", "hour")},
    **{f"{name}s": parse_transform(name) for name in ("year", "month", "day", "hour")},
    **{name: parse_transform(name) for name in ("identity", "void")},
}

_OPERATORS: Final = "an operator: = != < <= > >= in, is, between, like, starts with"
_FUNCTIONS: Final = (
    "bucket(n, column), truncate(n, column), year, month, day or hour(column), starts_with(...)"
)


def parse(text: str) -> Expression:
    """Return the expression that *text* describes, on columns by name.

    Args:
        text: A condition as in SQL's ``where``.

    Returns:
        The expression; ``&``, ``|`` and ``~`` join it with others.

    Raises:
        ExpressionError: Invalid text; a `FormatError` that shows a caret under the place.
        LimitExceeded: Brackets nested deeper than ``limits.nesting``.

    Example:
        >>> from byteloom.iceberg import parse
        >>> print(~parse("id in (1, 2) and day(placed_at) < '2023-11-16'"))
        not (id in (1, 2) and day(placed_at) < '2023-11-16')
    """
    return _Parser(text).whole()


def as_expression(given: Any) -> Expression:
    """Return a filter, parsed if it is text; `FormatError` for any other type of value."""
    if isinstance(given, str):
        return parse(given)
    if not isinstance(given, Expression):
        wanted = "text, or an expression on byteloom.iceberg.col"
        raise ArgumentError("filter", None, type(given).__name__, wanted)
    return given


class _Parser(LiteralCursor):
    """A parser of one text."""

    depth = 0
    """Number of open brackets."""

    # ------------------------------------------------------------------------- expressions

    def whole(self) -> Expression:
        """Return the expression that the whole text describes."""
        found = self.expression()
        if self.next.kind != "end":
            self.refuse("and, or, or the end")
        return found

    def expression(self) -> Expression:
        """Parse factors joined by and and or."""
        groups = [[self.factor()]]
        while True:
            if self.takes("and"):
                groups[-1].append(self.factor())
            elif self.takes("or"):
                groups.append([self.factor()])
            else:
                return _joined(Or, [_joined(And, each) for each in groups])

    def factor(self) -> Expression:
        """Parse one factor: a predicate, a negation, an expression in brackets, true or false."""
        is_negated = False
        while self.takes("not"):
            is_negated = not is_negated
        if self.next.word in {"true", "false"} and self.following.word not in _COMPARISONS:
            found: Expression = TRUE if self.take().word == "true" else FALSE
        elif self.next.word == "(":
            found = self.bracketed()
        elif self.next.word == "starts_with" and self.following.word == "(":
            found = self.starts_with()
        else:
            found = self.predicate()
        return Not.of(found) if is_negated else found

    def bracketed(self) -> Expression:
        """Parse an expression in brackets."""
        self.take()
        self.depth += 1
        if self.depth > DEFAULT_LIMITS.nesting:
            most = f"at most {DEFAULT_LIMITS.nesting}"
            raise LimitExceeded("expression", None, f"{self.depth} levels of brackets", most)
        found = self.expression()
        self.need(")", "and, or, or ')'")
        self.depth -= 1
        return found

    # -------------------------------------------------------------------------- predicates

    def predicate(self) -> Expression:
        """Parse a predicate: a term and its operation."""
        if (literal := self.literal_if_any()) is not None:
            return self.reversed_comparison(literal)
        term = self.term("a column, a function of one, a literal, or '('")
        if operation := _COMPARISONS.get(self.next.word):
            self.take()
            return Predicate(operation, term, (self.literal(),))
        if self.takes("is"):
            return self.unary(term)
        is_negated = self.takes("not")
        return self.worded(term, is_negated=is_negated)

    def reversed_comparison(self, literal: Literal) -> Expression:
        """Parse a comparison that begins with the literal: ``3 < id``."""
        operation = _COMPARISONS.get(self.next.word)
        if operation is None:
            self.refuse("= != < <= > or >=, and a column")
        self.take()
        term = self.term("a column or a function of one")
        return Predicate(_FLIPPED.get(operation, operation), term, (literal.value,))

    def unary(self, term: Term) -> Expression:
        """Parse what follows ``is``."""
        is_negated = self.takes("not")
        operation = _UNARY.get(self.next.word)
        if operation is None:
            self.refuse("null or nan" if is_negated else "null, nan, not null or not nan")
        self.take()
        return Predicate(operation.negated if is_negated else operation, term)

    def worded(self, term: Term, *, is_negated: bool) -> Expression:
        """Parse an operation that begins with a word."""
        word = self.next.word
        if word not in {"in", "between", "like", "starts"}:
            self.refuse("in, between, like or starts with" if is_negated else _OPERATORS)
        self.take()
        if word == "between":
            return self.between(term, is_negated=is_negated)
        if word == "in":
            operation, literals = Operation.IN, self.literals()
        elif word == "like":
            pattern = self.string("'a prefix%'")
            operation, text = prefix(self.text, pattern)
            literals = (text,)
        else:
            self.need("with")
            operation, literals = Operation.STARTS_WITH, (self.string().inside,)
        return Predicate(operation.negated if is_negated else operation, term, literals)

    def between(self, term: Term, *, is_negated: bool) -> Expression:
        """Parse ``between 1 and 5``; both bounds are included."""
        low = self.literal()
        self.need("and")
        inside = And(
            Predicate(Operation.GT_EQ, term, (low,)),
            Predicate(Operation.LT_EQ, term, (self.literal(),)),
        )
        return Not(inside) if is_negated else inside

    def starts_with(self) -> Expression:
        """Parse ``starts_with(name, 'a')``."""
        self.take()
        self.need("(")
        term = self.term("a column or a function of one")
        self.need(",")
        text = self.string().inside
        self.need(")")
        return Predicate(Operation.STARTS_WITH, term, (text,))

    # ------------------------------------------------------------------------------- terms

    def term(self, wanted: str) -> Term:
        """Parse a term: a column, or a function of one."""
        if self.next.kind == "word" and self.following.word == "(":
            return self.function()
        return self.path(wanted)

    def path(self, wanted: str) -> Reference:
        """Parse a path such as ``point.x``."""
        parts = [self.name(wanted)]
        while self.takes("."):
            parts.append(self.name("a name"))
        return Reference(".".join(parts))

    def name(self, wanted: str) -> str:
        """Parse one part of a path."""
        if self.next.kind == "quoted":
            return self.take().inside
        if self.next.kind != "word":
            self.refuse(wanted)
        if self.next.word in RESERVED:
            self.refuse(f'{wanted}; a column of that name is quoted: "{self.next.text}"')
        return self.take().text

    def function(self) -> TransformTerm:
        """Parse a function call: a transform of a column."""
        name = self.take()
        self.need("(")
        transform = self.transform(name)
        reference = self.path("a column")
        self.need(")")
        return TransformTerm(transform, reference)

    def transform(self, name: Token) -> Transform:
        """Parse a transform up to its column, after its name."""
        if name.word in _ALONE:
            return _ALONE[name.word]
        if name.word == "transform":
            transform = parse_transform(self.string("the transform's text in quotes").inside)
        elif name.word in _WITH_NUMBER:
            transform = _WITH_NUMBER[name.word](self.count())
        else:
            self.refuse(f"a function: {_FUNCTIONS}", name)
        self.need(",")
        return transform


def _joined(join: type[And | Or], parts: list[Expression]) -> Expression:
    """Return all parts in a balanced tree, whose depth is the logarithm of their number."""
    while len(parts) > 1:
        pairs = [join.of(*parts[at : at + 2]) for at in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[len(pairs) * 2 :]
    return parts[0]
