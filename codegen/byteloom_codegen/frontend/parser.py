"""KSY expressions: from text to nodes without types.

From loosest to tightest: ``?:``, or, and, not, one comparison, ``|``, ``^``, ``&``, shifts,
``+ -``, ``* / %``, unary ``+ - ~``, then calls, indexes, casts and attributes.  Comparisons bind
looser than bit operators, as in Python and unlike C, and do not chain.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, cast

from byteloom_codegen import expressions as ast
from byteloom_codegen.expressions import Expression, TypeName
from byteloom_codegen.frontend.lexer import Cursor
from byteloom_codegen.joints import jointed

if TYPE_CHECKING:
    from byteloom_codegen.frontend.lexer import Token
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import Location

__all__ = ["parse_expression", "parse_process", "parse_type"]

_OR, _AND, _NOT, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _SUM, _PRODUCT = range(1, 11)
_WORDS: Final = {"or": _OR, "and": _AND}
_LEVELS: Final = {
    "==": _COMPARE, "!=": _COMPARE, "<": _COMPARE, "<=": _COMPARE, ">": _COMPARE, ">=": _COMPARE,
    "|": _BIT_OR, "^": _BIT_XOR, "&": _BIT_AND, "<<": _SHIFT, ">>": _SHIFT, "+": _SUM, "-": _SUM,
    "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT,
}  # fmt: skip
_OPENING: Final = frozenset({"(", "[", "+", "-", "~", "::"})


def parse_expression(place: Place) -> Expression:
    """Return the expression that a YAML scalar holds."""
    return jointed(_Parser(place).whole_expression())


def parse_type(place: Place) -> tuple[TypeName, list[Expression]]:
    """Return the name of a type, ``a::b(arg, ..)`` or ``a[]``, and its arguments."""
    parser = _Parser(place, "type name")
    name = parser.type_name()
    start = parser.next
    args = parser.arguments() if parser.accept("(") else []
    if start.text == "(" and not args:
        parser.fail(start.start, "expected arguments", "leave the parentheses out")
    parser.expect_end()
    return name, [jointed(each) for each in args]


def parse_process(place: Place) -> tuple[str, list[Expression]]:
    """Return the dotted name and the arguments of ``process``."""
    parser = _Parser(place, "process name")
    names = [parser.name("a process name")]
    while parser.accept("."):
        names.append(parser.name("a name"))
    args = parser.arguments() if parser.accept("(") else []
    parser.expect_end()
    return ".".join(names), [jointed(each) for each in args]


class _Parser(Cursor):
    """The grammar."""

    def whole_expression(self) -> Expression:
        """Return the expression that all tokens make."""
        found = _finished(self.expression())
        self.expect_end()
        return found

    def arguments(self) -> list[Expression]:
        """Return what comes before the closing parenthesis, and pass that."""
        return _finished(self._elements(")"))

    def expression(self) -> _Steps[Expression]:
        start = self.next
        choices, found = [], (yield self._operation(_OR))
        while self.accept("?"):
            self.count()
            choices.append((start, found, (yield self.expression())))
            self.expect(":")
            start, found = self.next, (yield self._operation(_OR))
        for begun, condition, yes in reversed(choices):
            found = ast.Ternary(location=self.where(begun), condition=condition, yes=yes, no=found)
        return cast("Expression", found)

    def _inside(self) -> _Steps[Expression]:
        """Return an expression in brackets."""
        self.deepen()
        found = yield self.expression()
        self.depth -= 1
        return cast("Expression", found)

    def _operation(self, binds: int) -> _Steps[Expression]:
        """Return operands joined by operators that bind as tightly as *binds*, or tighter."""
        start = self.next
        negations = self._negations() if binds <= _NOT else []
        left = yield (self._operation(_COMPARE) if negations else self._signed())
        for token in reversed(negations):
            left = ast.UnaryOp(location=self.where(token), op="not", operand=left)
        while (level := self._level()) >= binds:
            self.count()
            op = self.take().text
            right = yield self._operation(level + 1)
            left = _operated(self.where(start), op, left, right)
            if level == _COMPARE:
                self._end_comparison()
        return cast("Expression", left)

    def _level(self) -> int:
        """Return how tightly the next token binds what is on both its sides; 0 if it does not."""
        token = self.next
        if token.kind == "op":
            return _LEVELS.get(token.text, 0)
        return _WORDS.get(token.text, 0) if token.kind == "name" else 0

    def _end_comparison(self) -> None:
        if self._level() == _COMPARE:
            self.fail(
                self.next.start,
                f"comparisons do not chain: second '{self.next.text}'",
                "join two with 'and'",
            )

    def _negations(self) -> list[Token]:
        found = []
        while self._negates() and (token := self.accept_word("not")):
            self.count()
            found.append(token)
        return found

    def _negates(self) -> bool:
        """Whether a ``not`` here has an operand; otherwise it is a name."""
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if after.kind == "op":
            return after.text in _OPENING
        return after.kind != "end"

    def _signed(self) -> _Steps[Expression]:
        signs: list[Token] = []
        while token := self.accept("+", "-", "~"):
            self.count()
            signs.append(token)
        found = yield self._postfix()
        for token in reversed(signs):
            if token.text != "+":
                op = cast("Literal['-', '~']", token.text)
                found = ast.UnaryOp(location=self.where(token), op=op, operand=found)
        return cast("Expression", found)

    def _postfix(self) -> _Steps[Expression]:
        start = self.next
        found = (yield self._bracketed()) if start.text in {"(", "["} else self._atom()
        while op := self.accept(".", "[", "("):
            self.count()
            where = self.where(start)
            if op.text == ".":
                found = self._after_dot(found, where)
            elif op.text == "[":
                found = ast.Index(location=where, value=found, index=(yield self._inside()))
                self.expect("]")
            elif isinstance(found, ast.Attribute):
                args = yield self._elements(")")
                found = ast.Call(location=where, value=found.value, method=found.name, args=args)
            else:
                self.fail(op.start, "only methods of values can be called")
        return cast("Expression", found)

    def _bracketed(self) -> _Steps[Expression]:
        token = self.take()
        if token.text == "[":
            elements = yield self._elements("]")
            return ast.Array(location=self.where(token), elements=elements)
        found = yield self._inside()
        self.expect(")")
        return cast("Expression", found)

    def _elements(self, closing: str) -> _Steps[list[Expression]]:
        if self.accept(closing):
            return []
        found = [(yield self._inside())]
        while self.accept(","):
            if closing == "]" and self.accept("]"):
                return found
            found.append((yield self._inside()))
        if not self.accept(closing):
            self.unexpected(f"',' or '{closing}'")
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

    # Atoms

    def _atom(self) -> Expression:
        token = self.next
        match token.kind:
            case "number":
                return ast.Literal_(
                    location=self.where(token), value=cast("int | float", self.take().value)
                )
            case "string":
                return self._string()
            case "fstring":
                return self._fstring()
            case "name":
                return self._named()
        if not self.accept("::"):
            self.unexpected("a value")
        return self._label(token, [""])

    def _string(self) -> Expression:
        token = self.take()
        text = str(token.value)
        while self.next.kind == "string":  # neighbours are joined
            text += str(self.take().value)
        return ast.Literal_(location=self.where(token), value=text)

    def _fstring(self) -> Expression:
        token = self.take()
        parts = [
            part if isinstance(part, str) else _Parser(self.place, part=part).whole_expression()
            for part in cast("tuple[str | tuple[int, int], ...]", token.value)
        ]
        return ast.FString(location=self.where(token), parts=parts)

    def _named(self) -> Expression:
        token = self.take()
        where = self.where(token)
        if token.text in {"true", "false"}:
            return ast.Literal_(location=where, value=token.text == "true")
        if token.text in {"sizeof", "bitsizeof"} and self.accept("<"):
            name = self.type_name()
            self.close_angle()
            return ast.SizeOf(location=where, bits=token.text == "bitsizeof", name=name)
        if token.text == "_sizeof":
            return ast.SizeOf(location=where, bits=False)
        if self.accept("::"):
            return self._label(token, [token.text])
        return ast.Name(location=where, id=token.text)

    def _label(self, start: Token, names: list[str]) -> Expression:
        names.append(self.name("the name of an enum or of its member"))
        while self.accept("::"):
            names.append(self.name("the name of an enum or of its member"))
        return ast.EnumLabel(location=self.where(start), names=tuple(names[:-1]), label=names[-1])

    def type_name(self) -> TypeName:
        """Return ``a::b`` or ``a[]``."""
        start = self.next
        names = [""] if self.accept("::") else []
        names.append(self.name("the name of a type"))
        while self.accept("::"):
            names.append(self.name("the name of a type"))
        array = False
        if self.accept("["):
            self.expect("]")
            array = True
        return TypeName(location=self.where(start), names=tuple(names), array=array)


_Result = TypeVar("_Result")
_Steps: TypeAlias = Generator[Any, Any, _Result]
"""A method that yields calls of others, is sent their results, and returns its own."""


def _finished(steps: _Steps[_Result]) -> _Result:
    """Return what *steps* return: all calls on one list, so that no nesting is too deep."""
    running: list[_Steps[Any]] = [steps]
    value: Any = None
    while running:
        try:
            called = running[-1].send(value)
        except StopIteration as ended:
            value = ended.value
            running.pop()
        else:
            running.append(called)
            value = None
    return cast("_Result", value)


def _operated(where: Location, op: str, left: Expression, right: Expression) -> Expression:
    match op:
        case "and" | "or":
            return ast.BoolOp(location=where, op=op, left=left, right=right)
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return ast.Compare(location=where, op=op, left=left, right=right)
    arithmetic = cast("Literal['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>']", op)
    return ast.BinaryOp(location=where, op=arithmetic, left=left, right=right)
