"""KSY expressions: from text to nodes without types.

From loosest to tightest: ``?:``, or, and, not, one comparison, ``|``, ``^``, ``&``, shifts, ``+ -``,
``* / %``, unary ``+ - ~``, then calls, indexes, casts and attributes.  Comparisons bind looser than bit
operators, as in Python and unlike C, and do not chain.

Depth and length are bounded, so that no expression exhausts the stack of a later pass.
"""

from __future__ import annotations

from typing import Final, Literal, NoReturn, cast

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecError
from byteloom_codegen.expressions import Expression, TypeName
from byteloom_codegen.frontend.lexer import LexError, Token, tokens
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.model import Location

__all__ = ["parse_expression", "parse_process", "parse_type"]

MAX_NESTING: Final = 32
MAX_OPERATORS: Final = 200
"""The longest sum of the public specs has 30 terms."""

_BINARY: Final = {
    op: level
    for level, ops in enumerate((("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%")))
    for op in ops
}
_COMPARE: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_WORDS: Final = frozenset({"and", "or", "not", "true", "false"})
_HINTS: Final = {
    "&&": "did you mean 'and'?",
    "||": "did you mean 'or'?",
    "**": "there is no power operator",
    "!": "did you mean 'not'?",
    "++": "there is no increment",
}


def parse_expression(place: Place) -> Expression:
    """Return the expression that a YAML scalar holds."""
    return _Parser(place).whole_expression()


def parse_type(place: Place) -> tuple[TypeName, list[Expression]]:
    """Return the name of a type, ``a::b(arg, ..)`` or ``a[]``, and its arguments."""
    parser = _Parser(place, "type name")
    name = parser.type_name()
    args = parser.arguments() if parser.accept("(") else []
    parser.expect_end()
    return name, args


def parse_process(place: Place) -> tuple[str, list[Expression]]:
    """Return the dotted name and the arguments of ``process``."""
    parser = _Parser(place, "process name")
    names = [parser.name("a process name")]
    while parser.accept("."):
        names.append(parser.name("a name"))
    args = parser.arguments() if parser.accept("(") else []
    parser.expect_end()
    return ".".join(names), args


class _Parser:
    """Walks over the tokens of one scalar, or of a part of it."""

    def __init__(
        self, place: Place, wanted: str = "expression", part: tuple[int, int] | None = None
    ) -> None:
        self.place = place
        self.text = place.scalar(wanted).text
        self.depth = self.operators = 0
        start, stop = part or (0, len(self.text))
        try:
            self.tokens = tokens(self.text, start, stop)
        except LexError as error:
            self._fail(error.offset, error.message, error.hint)
        self.at = 0

    # Tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def accept(self, *ops: str) -> Token | None:
        token = self.next
        if token.kind == "op" and token.text in ops:
            return self.take()
        return None

    def accept_word(self, word: str) -> Token | None:
        token = self.next
        if token.kind == "name" and token.text == word:
            return self.take()
        return None

    def expect(self, op: str) -> None:
        if not self.accept(op):
            self._unexpected(f"'{op}'")

    def close_angle(self) -> None:
        """Pass ``>``, even where the lexer took it for the start of ``>>`` or ``>=``."""
        token = self.next
        if token.kind == "op" and token.text in {">>", ">="}:
            self.tokens[self.at] = Token("op", token.text[1:], token.start + 1)
        else:
            self.expect(">")

    def expect_end(self) -> None:
        if self.next.kind != "end":
            self._unexpected("an operator or the end")

    def name(self, wanted: str) -> str:
        token = self.next
        if token.kind != "name" or token.text in _WORDS:
            self._unexpected(wanted)
        return self.take().text

    def _unexpected(self, wanted: str) -> NoReturn:
        token = self.next
        found = f"'{token.text}'" if token.text else "the end"
        here = self.text[token.start : token.start + 2]
        before = self.text[max(token.start - 1, 0) : token.start + 1]
        hint = _HINTS.get(here) or _HINTS.get(before) or ""
        self._fail(
            token.start,
            f"parsing expression '{self.text.strip()}' failed: expected {wanted}, found {found}",
            hint,
        )

    def _fail(self, offset: int, message: str, hint: str = "") -> NoReturn:
        raise SpecError(self.place.position(offset), message, hint)

    def _at(self, token: Token) -> Location:
        return self.place.position(token.start)

    # Grammar

    def whole_expression(self) -> Expression:
        found = self.expression()
        self.expect_end()
        return found

    def expression(self) -> Expression:
        if self.depth >= MAX_NESTING:
            self._fail(self.next.start, f"expression nested more than {MAX_NESTING} deep")
        self.depth += 1
        start = self.next
        found = self._or()
        if self.accept("?"):
            yes = self.expression()
            self.expect(":")
            found = ast.Ternary(
                location=self._at(start), condition=found, yes=yes, no=self.expression()
            )
        self.depth -= 1
        return found

    def _or(self) -> Expression:
        start, found = self.next, self._and()
        while self.accept_word("or"):
            self._count()
            found = ast.BoolOp(location=self._at(start), op="or", left=found, right=self._and())
        return found

    def _and(self) -> Expression:
        start, found = self.next, self._not()
        while self.accept_word("and"):
            self._count()
            found = ast.BoolOp(location=self._at(start), op="and", left=found, right=self._not())
        return found

    def _not(self) -> Expression:
        negations = []
        while token := self.accept_word("not"):
            self._count()
            negations.append(token)
        found = self._comparison()
        for token in reversed(negations):
            found = ast.UnaryOp(location=self._at(token), op="not", operand=found)
        return found

    def _comparison(self) -> Expression:
        start, left = self.next, self._binary(0)
        op = self.accept(*_COMPARE)
        if op is None:
            return left
        self._count()
        right = self._binary(0)
        if self.next.text in _COMPARE and self.next.kind == "op":
            self._fail(
                self.next.start,
                f"comparisons do not chain: second '{self.next.text}'",
                "join two with 'and'",
            )
        found = cast("Literal['==', '!=', '<', '<=', '>', '>=']", op.text)
        return ast.Compare(location=self._at(start), op=found, left=left, right=right)

    def _binary(self, binds: int) -> Expression:
        start, left = self.next, self._unary()
        while self.next.kind == "op" and _BINARY.get(self.next.text, -1) >= binds:
            self._count()
            op = cast(
                "Literal['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>']", self.take().text
            )
            right = self._binary(_BINARY[op] + 1)
            left = ast.BinaryOp(location=self._at(start), op=op, left=left, right=right)
        return left

    def _unary(self) -> Expression:
        signs: list[Token] = []
        while token := self.accept("+", "-", "~"):
            self._count()
            signs.append(token)
        found = self._postfix()
        for token in reversed(signs):
            if token.text != "+":
                op = cast("Literal['-', '~']", token.text)
                found = ast.UnaryOp(location=self._at(token), op=op, operand=found)
        return found

    def _postfix(self) -> Expression:
        start, found = self.next, self._atom()
        while op := self.accept(".", "[", "("):
            self._count()
            where = self._at(start)
            if op.text == ".":
                found = self._after_dot(found, where)
            elif op.text == "[":
                found = ast.Index(location=where, value=found, index=self.expression())
                self.expect("]")
            elif isinstance(found, ast.Attribute):
                found = ast.Call(
                    location=where, value=found.value, method=found.name, args=self.arguments()
                )
            else:
                self._fail(op.start, "only methods of values can be called")
        return found

    def _after_dot(self, value: Expression, where: Location) -> Expression:
        name = self.name("an attribute or a method")
        if name == "as" and self.accept("<"):
            to = self.type_name()
            self.close_angle()
            return ast.Cast(location=where, value=value, name=to)
        if name == "_sizeof":
            return ast.SizeOf(location=where, bits=False, operand=value)
        return ast.Attribute(location=where, value=value, name=name)

    def arguments(self) -> list[Expression]:
        """Return what stands before the closing parenthesis, and pass that."""
        return self._elements(")")

    def _elements(self, closing: str) -> list[Expression]:
        if self.accept(closing):
            return []
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        if not self.accept(closing):
            self._unexpected(f"',' or '{closing}'")
        return found

    # Atoms

    def _atom(self) -> Expression:
        token = self.next
        match token.kind:
            case "number":
                return ast.Literal_(
                    location=self._at(token), value=cast("int | float", self.take().value)
                )
            case "string":
                return self._string()
            case "fstring":
                return self._fstring()
            case "name" if token.text not in _WORDS - {"true", "false"}:
                return self._named()
        if self.accept("("):
            found = self.expression()
            self.expect(")")
            return found
        if self.accept("["):
            return ast.Array(location=self._at(token), elements=self._elements("]"))
        self._unexpected("a value")

    def _string(self) -> Expression:
        token = self.take()
        text = str(token.value)
        while self.next.kind == "string":  # neighbours are joined
            text += str(self.take().value)
        return ast.Literal_(location=self._at(token), value=text)

    def _fstring(self) -> Expression:
        token = self.take()
        parts: list[str | Expression] = []
        for part in cast("tuple[str | tuple[int, int], ...]", token.value):
            parts.append(
                part if isinstance(part, str) else _Parser(self.place, part=part).whole_expression()
            )
        return ast.FString(location=self._at(token), parts=parts)

    def _named(self) -> Expression:
        token = self.take()
        where = self._at(token)
        if token.text in {"true", "false"}:
            return ast.Literal_(location=where, value=token.text == "true")
        if token.text in {"sizeof", "bitsizeof"} and self.accept("<"):
            name = self.type_name()
            self.close_angle()
            return ast.SizeOf(location=where, bits=token.text == "bitsizeof", name=name)
        if token.text == "_sizeof":
            return ast.SizeOf(location=where, bits=False)
        names = [token.text]
        while self.accept("::"):
            names.append(self.name("the name of an enum or of its member"))
        if len(names) == 1:
            return ast.Name(location=where, id=names[0])
        return ast.EnumLabel(location=where, names=tuple(names[:-1]), label=names[-1])

    def type_name(self) -> TypeName:
        """Return ``a::b`` or ``a[]``."""
        start = self.next
        names = [self.name("the name of a type")]
        while self.accept("::"):
            names.append(self.name("the name of a type"))
        array = False
        if self.accept("["):
            self.expect("]")
            array = True
        return TypeName(location=self._at(start), names=tuple(names), array=array)

    def _count(self) -> None:
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            self._fail(self.next.start, f"expression has more than {MAX_OPERATORS} operators")
