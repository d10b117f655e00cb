"""KSY expressions: from text to nodes without types.

From loosest to tightest: ``?:``, or, and, not, one comparison, ``|``, ``^``, ``&``, shifts,
``+ -``, ``* / %``, unary ``+ - ~``, then calls, indexes, casts and attributes.  Comparisons bind
looser than bit operators, as in Python and unlike C, and do not chain.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from byteloom_codegen import expressions as ast
from byteloom_codegen.expressions import Expression, TypeName
from byteloom_codegen.frontend.cursor import MAX_DEEP, Cursor

if TYPE_CHECKING:
    from byteloom_codegen.frontend.lexer import Token
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import Location

__all__ = ["parse_expression", "parse_process", "parse_type"]

_BINARY: Final = {
    op: level
    for level, ops in enumerate((("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%")))
    for op in ops
}
_Operator: TypeAlias = Literal["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "and", "or"]
_OPENING: Final = frozenset({"(", "[", "+", "-", "~", "::"})
_COMPARE: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


def parse_expression(place: Place) -> Expression:
    """Return the expression that a YAML scalar holds."""
    return _Parser(place).whole_expression()


def parse_type(place: Place) -> tuple[TypeName, list[Expression]]:
    """Return the name of a type, ``a::b(arg, ..)`` or ``a[]``, and its arguments."""
    parser = _Parser(place, "type name")
    name = parser.type_name()
    start = parser.next
    args = parser.arguments() if parser.accept("(") else []
    if start.text == "(" and not args:
        parser.fail(start.start, "expected arguments", "leave the parentheses out")
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


class _Parser(Cursor):
    """The grammar, a method a level."""

    def whole_expression(self) -> Expression:
        found = self.expression()
        self.expect_end()
        return found

    def expression(self) -> Expression:
        self.deepen()
        first = start = self.next
        choices, found = [], self._or()
        while self.accept("?"):
            self.count()
            choices.append((start, found, self.expression()))
            self.expect(":")
            start, found = self.next, self._or()
        for begun, condition, yes in reversed(choices):
            found = ast.Ternary(location=self.where(begun), condition=condition, yes=yes, no=found)
        self.depth -= 1
        if not self.depth and _depth(found) > MAX_DEEP:
            message = f"expression has more than {MAX_DEEP} operators one after the other"
            self.fail(first.start, message)
        return found

    def _or(self) -> Expression:
        start, found = self.next, self._and()
        while self.accept_word("or"):
            self.count()
            found = ast.BoolOp(location=self.where(start), op="or", left=found, right=self._and())
        return _grouped(found)

    def _and(self) -> Expression:
        start, found = self.next, self._not()
        while self.accept_word("and"):
            self.count()
            found = ast.BoolOp(location=self.where(start), op="and", left=found, right=self._not())
        return _grouped(found)

    def _not(self) -> Expression:
        negations = []
        while self._negates() and (token := self.accept_word("not")):
            self.count()
            negations.append(token)
        found = self._comparison()
        for token in reversed(negations):
            found = ast.UnaryOp(location=self.where(token), op="not", operand=found)
        return found

    def _negates(self) -> bool:
        """Whether a ``not`` here has an operand; otherwise it is a name."""
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if after.kind == "op":
            return after.text in _OPENING
        return after.kind != "end"

    def _comparison(self) -> Expression:
        start, left = self.next, self._binary(0)
        op = self.accept(*_COMPARE)
        if op is None:
            return left
        self.count()
        right = self._binary(0)
        if self.next.text in _COMPARE and self.next.kind == "op":
            self.fail(
                self.next.start,
                f"comparisons do not chain: second '{self.next.text}'",
                "join two with 'and'",
            )
        found = cast("Literal['==', '!=', '<', '<=', '>', '>=']", op.text)
        return ast.Compare(location=self.where(start), op=found, left=left, right=right)

    def _binary(self, binds: int) -> Expression:
        start, left = self.next, self._unary()
        while self.next.kind == "op" and _BINARY.get(self.next.text, -1) >= binds:
            self.count()
            op = cast(
                "Literal['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>']", self.take().text
            )
            right = self._binary(_BINARY[op] + 1)
            if isinstance(left, ast.BinaryOp) and not _continues(left.op, op):
                left = _grouped(left)
            left = ast.BinaryOp(location=self.where(start), op=op, left=left, right=right)
        return _grouped(left)

    def _unary(self) -> Expression:
        signs: list[Token] = []
        while token := self.accept("+", "-", "~"):
            self.count()
            signs.append(token)
        found = self._postfix()
        for token in reversed(signs):
            if token.text != "+":
                op = cast("Literal['-', '~']", token.text)
                found = ast.UnaryOp(location=self.where(token), op=op, operand=found)
        return found

    def _postfix(self) -> Expression:
        start, found = self.next, self._atom()
        while op := self.accept(".", "[", "("):
            self.count()
            where = self.where(start)
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
                self.fail(op.start, "only methods of values can be called")
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
        """Return what comes before the closing parenthesis, and pass that."""
        return self._elements(")")

    def _elements(self, closing: str) -> list[Expression]:
        if self.accept(closing):
            return []
        found = [self.expression()]
        while self.accept(","):
            if closing == "]" and self.accept("]"):
                return found
            found.append(self.expression())
        if not self.accept(closing):
            self.unexpected(f"',' or '{closing}'")
        return found

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
        if self.accept("("):
            found = self.expression()
            self.expect(")")
            return found
        if self.accept("["):
            return ast.Array(location=self.where(token), elements=self._elements("]"))
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


_ASSOCIATIVE: Final = {"+", "*", "&", "|", "^", "and", "or"}
_SUM: Final = {"+", "-"}


def _continues(before: str, op: str) -> bool:
    """Whether the operator *op* goes on with a chain of *before*."""
    return op == before or {before, op} == _SUM


def _grouped(node: Expression) -> Expression:
    """Return a chain ``a + b - c + ...`` of more than MAX_DEEP operators in groups of two.

    Functions that recurse into the chain then do not go deep.  In a difference, all added terms are
    one group and all subtracted terms another.  Groups of floats might be rounded differently:
    their sums are refused when their types are known.
    """
    if not isinstance(node, ast.BinaryOp | ast.BoolOp) or node.op not in {*_ASSOCIATIVE, "-"}:
        return node
    links, first = [node], node.left
    while isinstance(first, ast.BinaryOp | ast.BoolOp) and _continues(first.op, node.op):
        links.append(first)
        first = first.left
    if len(links) <= MAX_DEEP:
        return node
    links.reverse()
    added = _in_pairs(node, [first, *(each.right for each in links if each.op != "-")])
    taken = [each.right for each in links if each.op == "-"]
    return _pair(node, "-", added, _in_pairs(node, taken)) if taken else added


def _in_pairs(like: ast.BinaryOp | ast.BoolOp, parts: list[Expression]) -> Expression:
    op = "+" if like.op == "-" else like.op
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        rest = parts[-1:] if len(parts) % 2 else []
        parts = [*(_pair(like, op, left, right) for left, right in pairs), *rest]
    return parts[0]


def _pair(
    like: ast.BinaryOp | ast.BoolOp, op: _Operator, left: Expression, right: Expression
) -> Expression:
    where = like.location
    match op:
        case "and" | "or":
            return ast.BoolOp(location=where, op=op, left=left, right=right)
        case _:
            return ast.BinaryOp(location=where, op=op, left=left, right=right, is_grouped=True)


_OPERATIONS: Final = (
    ast.UnaryOp, ast.BinaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Call, ast.Index,
    ast.Cast, ast.Ternary,
)  # fmt: skip


def _depth(node: ast.Node) -> int:
    """Return the depth of *node*: how many operations are nested in it."""
    deepest, waiting = 0, [(node, 0)]
    while waiting:
        each, depth = waiting.pop()
        depth += isinstance(each, _OPERATIONS)
        deepest = max(deepest, depth)
        waiting += [(part, depth) for part in _parts(each)]
    return deepest


def _parts(node: ast.Node) -> list[ast.Node]:
    """Return the operands of *node*."""
    found: list[ast.Node] = []
    for each in fields(node):
        value = getattr(node, each.name, None)
        values = value if isinstance(value, list) else [value]
        found += [part for part in values if isinstance(part, ast.Node)]
    return found
