"""KSY expressions in words, for people who do not know the language.

- Names stay as the fields are called; operators, methods and what the language provides itself
  (`_parent`, `_io`, `_index`) are spelt out.
- Parentheses stand where a phrase could be understood in two ways.
- A path of fields (`header.len_body`), a number or a text is its own phrase.
- What would be long has a line for each of its parts (`outlines`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.joints import is_deep
from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    EnumType,
    FloatType,
    IoType,
    StrType,
    UserType,
)
from byteloom_codegen.nodes import asks_index
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.reference.idioms import (
    ATOM,
    COMPARE,
    LOOSE,
    OF,
    OR,
    PRODUCT,
    SUM,
    TERNARY,
    about,
    called,
    left_in_stream,
    padded,
    selected,
)
from byteloom_codegen.reference.outlines import LONG, Outlines
from byteloom_codegen.reference.prose import NEW_LINE, Word, Words, code, in_words, joined, plain
from byteloom_codegen.reference.stream_names import CURRENT, INPUT, OWN, stream_name
from byteloom_codegen.reference.truths import Truths
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import DataType, TypeSpec
    from byteloom_codegen.reference.idioms import Selected

__all__ = ["ELEMENT", "VALUE", "condition", "explained", "formula", "phrase"]

ELEMENT: Final = "the element just read"
VALUE: Final = "it"


def formula(node: Expression) -> str:
    """Return *node* as KSY text, with masks in hexadecimal and grouped as in any language."""
    return unparse(node, explicit=True)


def phrase(node: Expression, spec: TypeSpec, this: str = VALUE) -> Words:
    """Return the value of *node* in words.

    spec  the type whose record calculates it
    this  what ``_`` is in it
    """
    return (code(formula(node)),) if is_deep(node) else _Phrases(spec, this).value(node)


def condition(node: Expression, spec: TypeSpec, this: str = VALUE) -> Words:
    """Return in words when *node* is true; *spec* and *this* are as `phrase` has them."""
    return _in_lines(node, spec, this, is_truth=True)


def explained(node: Expression, spec: TypeSpec, this: str = VALUE) -> Words:
    """Return the value of *node* in words, with its formula where that is not the same."""
    return _in_lines(node, spec, this, is_truth=False)


def _in_lines(node: Expression, spec: TypeSpec, this: str, *, is_truth: bool) -> Words:
    """Return *node* in words with its formula; the formula alone where it is deep."""
    if is_deep(node):
        return (code(formula(node)),)
    return _with_formula(_Phrases(spec, this).outlines.of(node, is_truth=is_truth), node)


def _with_formula(words: Words, node: Expression) -> Words:
    text = formula(node)
    if not words or (isinstance(node, ast.Array) and len(text) > LONG):
        return (code(text),)
    if asks_index(node):
        apart = in_words(NEW_LINE) if NEW_LINE in words else in_words(", ")
        words = in_words(words, apart, "where ", code("i"), " numbers the elements from 0")
    asked = node.operand if isinstance(node, ast.UnaryOp) and node.op == "not" else node
    if plain(words) == text or _is_path(asked) or isinstance(node, ast.EnumLabel):
        return words
    return in_words(words, NEW_LINE if NEW_LINE in words else " ", "(", code(text), ")")


def _number(value: int) -> str:
    """Return a number as people know it: from four bytes on as letters, or as a pattern."""
    return str(value) if abs(value) < _WIDE else f"{value:#x}"


def _is_name(node: Expression) -> bool:
    return isinstance(node, ast.Name) and node.target is not None


def _is_path(node: Expression) -> bool:
    """Whether *node* is a field, or a field of a field."""
    if isinstance(node, ast.Attribute):
        return node.target is not None and _is_path(node.value)
    return _is_name(node)


class _Phrases:
    """Puts the expressions of one type in words; `_bound` says how tightly they belong together."""

    def __init__(self, spec: TypeSpec, this: str) -> None:
        self.spec = spec
        self.this = this
        self.truth = Truths(self.value).truth
        self.outlines = Outlines(self.value, self.truth)

    def value(self, node: Expression, least: int = TERNARY) -> Words:
        """Return *node*, in parentheses where it binds less tightly than *least*."""
        words, bound = self._bound(node)
        return in_words("(", words, ")") if bound < least else words

    def _bound(self, node: Expression) -> tuple[Words, int]:
        bits = selected(node)
        if bits is not None:
            return self._bits(bits), OF if bits.shifted else COMPARE
        match node:
            case ast.Ternary(condition=asked, yes=yes, no=no):
                words = in_words(
                    self.value(yes, OR), " if ", self.truth(asked, OR), ", else ", self.value(no)
                )
                return words, TERNARY
            case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op="not"):
                return in_words("whether ", self.truth(node)), LOOSE
            case ast.UnaryOp(op="-", operand=ast.Literal_(value=value)):
                return in_words(f"-{value}"), ATOM
            case ast.UnaryOp(op=op, operand=operand):
                head = "minus " if op == "-" else "the inverted bits of "
                return in_words(head, self.value(operand, OF)), PRODUCT
            case ast.BinaryOp():
                return self._operation(node)
            case ast.Index(value=value, index=index):
                words = in_words("element ", self.value(index, ATOM), " of ")
                return in_words(words, self.value(value, OF)), OF
            case ast.Cast(value=value):
                return self._bound(value)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                args = [self.value(each, OF) for each in node.args]
                return called(node, self.value(node.value, OF), args), OF
        return self._atom(node), ATOM

    def _atom(self, node: Expression) -> Words:
        match node:
            case ast.Literal_(value=int() as number) if not isinstance(number, bool):
                return in_words(str(number))
            case ast.EnumLabel(enum=enum, label=label):
                values = [each.value for each in enum.members if each.name == label]
                return in_words(code(label), *(f" ({_number(each)})" for each in values))
            case ast.Array(type=BytesType(), elements=elements):
                raw = bytes(literal(each) or 0 for each in elements)
                return in_words("the bytes ", code(raw.hex(" "))) if raw else in_words("no bytes")
            case ast.Array(elements=elements):
                return in_words("the list ", tuple(joined(map(self.value, elements), ", ")))
            case ast.FString(parts=parts):
                pieces = [
                    in_words(code(f'"{each}"')) if isinstance(each, str) else self.value(each, OF)
                    for each in parts
                ]
                return tuple(joined(pieces, " followed by "))
            case ast.SizeOf(value=value, bits=bits):
                unit = "bits" if bits else "bytes"
                of = node.name or (formula(node.operand) if node.operand else "this record")
                return in_words(code(str(value)), f" ({unit} of ", code(str(of)), ")")
            case ast.Name(target=None, id=name):
                return self._special(name)
        return (code(formula(node)),)

    def _special(self, name: str) -> Words:
        match name:
            case "_":
                return in_words(self.this)
            case "_index":
                return in_words(code("i"))
            case "_io":
                return stream_name(self.spec)
            case "_parent":
                return in_words("the enclosing ", _record(self.spec.parent))
        return in_words("the outermost ", Word(self.spec.spec.top.name, target=self.spec.spec.top))

    # Attributes and methods

    def _attribute(self, node: ast.Attribute) -> tuple[Words, int]:
        if _is_path(node):
            return (code(formula(node)),), ATOM
        if node.target is not None:
            names, value = [node.name], node.value
            while isinstance(value, ast.Attribute) and value.target is not None:
                names, value = [value.name, *names], value.value
            return in_words(code(".".join(names)), " of ", self.value(value, OF)), OF
        return self._known(node), OF

    def _known(self, node: ast.Attribute) -> Words:
        """Return in words what the language itself knows about a value."""
        of, name = node.value.type, node.name
        match of, name:
            case _, "_io":
                return self._stream_of(node.value)
            case _, "_root":
                return self._special("_root")
            case _, "_parent":
                parent = of.type.parent if isinstance(of, UserType) else None
                return in_words("the ", _record(parent), " around ", self.value(node.value, OF))
            case IoType(), _:
                heads = {"size": "the size of ", "pos": "the position in "}
                return in_words(heads.get(name, f"the {name} of "), self.value(node.value, OF))
            case (EnumType() | FloatType() | BoolType() | BitsType() | StrType(), "to_i"):
                return self._as_number(node.value, of)
        return in_words(about(of, name), self.value(node.value, OF))

    def _as_number(self, value: Expression, of: DataType) -> Words:
        match of:
            case EnumType():
                return in_words("the number of ", self.value(value, OF))
            case FloatType():
                return in_words("the whole part of ", self.value(value, OF))
            case BoolType() | BitsType():
                return in_words("(1 if ", self.truth(value), ", else 0)")
        return in_words("the decimal number that ", self.value(value, OF), " spells")

    def _stream_of(self, record: Expression) -> Words:
        match record:
            case ast.Name(target=None, id="_root"):
                return INPUT
            case ast.Name(target=None, id="_parent") if isinstance(self.spec.parent, UserType):
                name, parent = stream_name(self.spec.parent.type), _record(self.spec.parent)
                if name is OWN:
                    return in_words("the enclosing ", parent)
                return in_words("the stream of the enclosing ", parent) if name is CURRENT else name
        return in_words("the bytes of ", self.value(record, OF))

    # Arithmetic

    def _operation(self, node: ast.BinaryOp) -> tuple[Words, int]:
        stream, padding = left_in_stream(node), padded(node)
        if stream is not None:
            return in_words("the number of bytes left in ", self.value(stream, OF)), OF
        if padding is not None:
            value, unit = (self.value(each, OF) for each in padding)
            words = in_words("as many as are missing from ", value, " to the next multiple of ")
            return in_words(words, unit), OF
        op, left, right = node.op, node.left, node.right
        match op:
            case "+" if isinstance(node.type, StrType):
                return self._between(left, " followed by ", right, SUM, PRODUCT)
            case "+":
                return self._between(left, " plus ", right, SUM, PRODUCT)
            case "-":
                return self._between(left, " minus ", right, SUM, PRODUCT)
            case "*":
                return self._between(left, " times ", right, PRODUCT, OF)
            case "/":
                words, _ = self._between(left, " divided by ", right, PRODUCT, OF)
                rounding = "" if isinstance(node.type, FloatType) else ", rounded down"
                return in_words(words, rounding), LOOSE
            case "%":
                words, _ = self._between(left, " divided by ", right, PRODUCT, OF)
                return in_words("the remainder of ", words), LOOSE
            case "<<" | ">>":
                words = in_words(self.value(left, OF), f" shifted {_WAY[op]} by ")
                ending = " bit" if literal(right) == 1 else " bits"
                return in_words(words, self.value(right, ATOM), ending), LOOSE
        words, _ = self._between(left, f" {_BITWISE[op]} ", right, OF, OF)
        return words, LOOSE

    def _between(
        self, left: Expression, word: str, right: Expression, least: int, right_least: int
    ) -> tuple[Words, int]:
        words = in_words(self.value(left, least), word, self.value(right, right_least))
        return words, least

    def _bits(self, bits: Selected) -> Words:
        words = in_words(f"{bits.bits} of ", self.value(bits.of, OF))
        return words if bits.shifted else in_words(words, ", left in place")


_WIDE: Final = 1 << 16
_WAY: Final = {"<<": "left", ">>": "right"}
_BITWISE: Final = {"&": "bitwise-and", "|": "bitwise-or", "^": "bitwise-xor"}


def _record(type_: DataType | None) -> Word:
    """Return the name of a record's type."""
    if isinstance(type_, UserType):
        return Word(type_.type.name, target=type_.type)
    return Word("record")
