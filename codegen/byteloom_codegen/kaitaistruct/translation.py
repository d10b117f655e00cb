"""KSY expressions as plain Python, whose errors are Python's own.

Where the record output sends a failing operation through a checked function, the official output
uses the bare operator; programs written for it catch ZeroDivisionError, IndexError or ValueError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.model import (
    ArrayType,
    BytesType,
    ContentsType,
    FloatType,
    IntType,
    IoType,
    SwitchType,
)
from byteloom_codegen.precedence import OR, POSTFIX, PRODUCT, SHIFT
from byteloom_codegen.python.literals import slice_of
from byteloom_codegen.python.translation import Translator

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.kaitaistruct.scope import Scope
    from byteloom_codegen.model import DataType, Member

__all__ = ["PlainTranslator"]

_POSTFIX_FORMS: Final = {
    "_io": "{}._io",
    "_parent": "{}._parent",
    "_root": "{}._root",
    "reverse": "{}[::-1]",
    "first": "{}[0]",
    "last": "{}[-1]",
    "index_of": "{}.find(bytes(({},)))",
    "to_b": "{}.encode({})",
}
_CALLS: Final = {
    "length": "len",
    "size": "len",
    "min": "min",
    "max": "max",
    "to_i": "int",
    "to_s": "str",
}
_STREAM: Final = {"pos": "{}.pos()", "size": "{}.size()", "eof": "{}.is_eof()"}


@dataclass(frozen=True, slots=True)
class PlainTranslator(Translator):
    """Prints expressions as the official compiler means them."""

    scope: Scope
    marked: frozenset[int] = frozenset()
    """The names whose values an earlier part of the method has left in the record."""

    def passing(self, node: ast.Expression, binds: int = 0) -> str:
        """Return the source of *node*: whatever is absent is None."""
        return self(node, binds)

    def _printed(self, node: ast.Expression) -> tuple[str, int]:
        return self.by_kind(node)  # a cast checks nothing

    def _name(self, node: ast.Name) -> tuple[str, int]:
        if node.late:
            return f"self.{self.scope.late(node.id)}", POSTFIX
        if id(node) in self.marked and node.target is not None:
            return f"self._m_{attribute_of(node.target)}", POSTFIX
        return Translator._name(self, node)  # noqa: SLF001  (super() needs a cell that slots do away with)

    def _enumlabel(self, node: ast.EnumLabel) -> tuple[str, int]:
        return self.scope.label(node.enum, node.label), POSTFIX

    def _attribute(self, node: ast.Attribute) -> tuple[str, int]:
        if node.target is not None:
            return f"{self(node.value, POSTFIX)}.{attribute_of(node.target)}", POSTFIX
        if node.late:
            return f"{self(node.value, POSTFIX)}.{self.scope.late(node.name)}", POSTFIX
        return self._builtin(node.value, node.name, [])

    def _builtin(
        self, value: ast.Expression, name: str, args: list[ast.Expression]
    ) -> tuple[str, int]:
        given = [self(arg) for arg in args]
        if isinstance(value.type, IoType):
            return _STREAM[name].format(self(value, POSTFIX)), POSTFIX
        if name == "to_s" and _is_bytes(value.type):
            return f"{self(value, POSTFIX)}.decode({given[0]})", POSTFIX
        if name == "substring":
            return f"{self(value, POSTFIX)}[{slice_of(*(self(arg, OR) for arg in args))}]", POSTFIX
        if name in _POSTFIX_FORMS:
            return _POSTFIX_FORMS[name].format(self(value, POSTFIX), *given), POSTFIX
        if name in _CALLS:
            return f"{_CALLS[name]}({', '.join([self(value), *given])})", POSTFIX
        return f"{self(value, POSTFIX)}.{name}", POSTFIX

    def _index(self, node: ast.Index) -> tuple[str, int]:
        return f"{self(node.value, POSTFIX)}[{self(node.index)}]", POSTFIX

    def _cast(self, node: ast.Cast) -> tuple[str, int]:
        if isinstance(node.to, BytesType) and isinstance(node.value.type, ArrayType):
            return f"bytes({self(node.value)})", POSTFIX
        return self._visit(node.value)

    def _binaryop(self, node: ast.BinaryOp) -> tuple[str, int]:
        if node.op == "/":
            op = "/" if _is_float(node.left.type) or _is_float(node.right.type) else "//"
            return f"{self(node.left, PRODUCT)} {op} {self(node.right, PRODUCT + 1)}", PRODUCT
        if node.op == "%":
            return f"{self(node.left, PRODUCT)} % {self(node.right, PRODUCT + 1)}", PRODUCT
        if node.op in {"<<", ">>"}:
            return f"{self(node.left, SHIFT)} {node.op} {self(node.right, SHIFT + 1)}", SHIFT
        return Translator._binaryop(self, node)  # noqa: SLF001  (super() needs a cell that slots do away with)

    def given(self, source: str, target: Member) -> str:  # noqa: ARG002  (the base asks for both)
        """Return *source*: whatever is absent is None."""
        return source


def _is_bytes(type_: DataType) -> bool:
    return isinstance(type_, BytesType | ContentsType)


def _is_float(type_: DataType) -> bool:
    match type_:
        case FloatType():
            return True
        case SwitchType(combined=combined):
            return not isinstance(combined, IntType | SwitchType) and _is_float(combined)
    return False
