"""KSY expressions as Python source.

What can go wrong with values from a file (a division, an index, a cast, a missing value) goes
through a named function of `byteloom.wire.calc`, which raises a `FormatError` instead of Python's
own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    BoolType,
    BytesType,
    ContentsType,
    Field,
    FloatType,
    IoType,
    Member,
    StrType,
)
from byteloom_codegen.nodes import is_optional, may_be_absent
from byteloom_codegen.precedence import (
    AND,
    BINARY,
    BIT_OR,
    COMPARE,
    NOT,
    OR,
    POSTFIX,
    SUM,
    TERNARY,
    UNARY,
)
from byteloom_codegen.python.casts import Casts, is_checkable, is_loose, is_top, runtime_type
from byteloom_codegen.python.literals import bytes_literal, number_literal, slice_of, str_literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.python.casts import Scope

__all__ = ["Translator"]


def _part(joint: ast.Expression) -> str:
    """Return the name of the function that calculates *joint*: no other has it in this file."""
    return f"_part_{joint.location.line}_{joint.location.column}_{joint.number}"


@dataclass(frozen=True, slots=True)
class Translator:
    """Prints expressions into one scope.

    waiting  the joints of a deep expression that are not printed yet, each with whether it passes
             an absent value on; None outside of deep expressions
    """

    scope: Scope
    waiting: list[tuple[ast.Expression, bool]] | None = None

    def __call__(self, node: ast.Expression, binds: int = 0) -> str:
        """Return the source of *node*, in parentheses where it binds looser than *binds*."""
        source, level = self._visit(node)
        return f"({source})" if level < binds else source

    def passing(self, node: ast.Expression, binds: int = 0) -> str:
        """Return the source of *node*, which is None where an instance that it names is absent.

        A value that may be of another type than the spec says is not checked either.
        """
        if is_loose(node):
            return Casts(self).alike(node)
        if not may_be_absent(node):
            return self(node, binds)
        return self._passed(node, binds) if node.joints is None else self._joint(node, passing=True)

    def _passed(self, node: ast.Expression, binds: int = 0) -> str:
        if isinstance(node, ast.Ternary):
            yes, no = self.passing(node.yes, OR), self.passing(node.no, TERNARY)
            source = f"{yes} if {self(node.condition, OR)} else {no}"
            return f"({source})" if binds > TERNARY else source
        if isinstance(node, ast.Attribute) and node.target is not None:
            return f"{self(node.value, POSTFIX)}.{self.scope.attribute(node.target)}"
        if isinstance(node, ast.Name) and node.target is not None:
            return self.scope.member(node.target)
        return self(node, binds)

    def _visit(self, node: ast.Expression) -> tuple[str, int]:
        if node.joints is not None:
            return self._joint(node, passing=False), POSTFIX
        return self._printed(node)

    def _joint(self, node: ast.Expression, *, passing: bool) -> str:
        """Return the source of a joint: of all, or of a call for one inside a deep expression.

        Brackets that nest deeply are more than Python compiles.  So a deep expression is a tuple of
        functions, a joint each, which call each other where the joint is calculated.
        """
        if self.waiting is not None:
            self.waiting.append((node, passing))
            return f"{_part(node)}()"
        waiting: list[tuple[ast.Expression, bool]] = [(node, passing)]
        inside = replace(self, waiting=waiting)
        whole, *parts = [inside.joint_source(each, passing=passes) for each, passes in waiting]
        named = [
            f"{_part(each)} := lambda: {part}"
            for (each, _), part in zip(waiting[1:], parts, strict=True)
        ]
        return f"({', '.join([*reversed(named), whole])})[-1]" if named else f"({whole})"

    def joint_source(self, node: ast.Expression, *, passing: bool) -> str:
        """Return the source of a joint; nodes below it up to the next joints are in it."""
        return self._passed(node) if passing else self._printed(node)[0]

    def _printed(self, node: ast.Expression) -> tuple[str, int]:
        if not is_loose(node):
            return self.by_kind(node)
        return Casts(self).narrowed(node), POSTFIX

    def by_kind(self, node: ast.Expression) -> tuple[str, int]:
        """Return the source of *node*, and how tightly it binds."""
        method: Callable[[ast.Expression], tuple[str, int]] = getattr(
            self, f"_{type(node).__name__.strip('_').lower()}"
        )
        return method(node)

    # Leaves

    def _literal(self, node: ast.Literal_) -> tuple[str, int]:
        value = node.value
        source = str_literal(value) if isinstance(value, str) else number_literal(value)
        return source, UNARY if source.startswith("-") else POSTFIX

    def _fstring(self, node: ast.FString) -> tuple[str, int]:
        parts = [
            str_literal(part) if isinstance(part, str) else f"str({self(part)})"
            for part in node.parts
        ]
        if self.scope.may_grow(node):
            return f"{self.scope.calc('joined')}({', '.join(parts)})", POSTFIX
        return " + ".join(parts) or '""', SUM if len(parts) > 1 else POSTFIX

    def _array(self, node: ast.Array) -> tuple[str, int]:
        if isinstance(node.type, BytesType):
            values = [each.value for each in node.elements if isinstance(each, ast.Literal_)]
            if len(values) == len(node.elements):
                return bytes_literal(bytes(int(value) for value in values)), POSTFIX
            return f"bytes(({', '.join(map(self, node.elements))},))", POSTFIX
        return f"[{', '.join(map(self, node.elements))}]", POSTFIX

    def _enumlabel(self, node: ast.EnumLabel) -> tuple[str, int]:
        from byteloom_codegen.python.names import member_name

        return f"{self.scope.class_of(node.enum)}.{member_name(node.label)}", POSTFIX

    def _sizeof(self, node: ast.SizeOf) -> tuple[str, int]:
        return str(node.value), POSTFIX

    def _name(self, node: ast.Name) -> tuple[str, int]:
        if node.target is None:
            return self.scope.special(node.id), POSTFIX
        calculation = self.scope.calculation(node.target)
        if calculation is not None:
            return self._visit(calculation)
        return self.given(self.scope.member(node.target), node.target), POSTFIX

    # Values of values

    def _attribute(self, node: ast.Attribute) -> tuple[str, int]:
        if node.name == "value" and self.is_varint(node.value):
            return self._visit(node.value)  # other generators read this record as an integer
        if node.target is not None:
            source = f"{self(node.value, POSTFIX)}.{self.scope.attribute(node.target)}"
            return self.given(source, node.target), POSTFIX
        return self._builtin(node.value, node.name, [])

    def _call(self, node: ast.Call) -> tuple[str, int]:
        return self._builtin(node.value, node.method, node.args)

    def _builtin(
        self, value: ast.Expression, name: str, args: list[ast.Expression]
    ) -> tuple[str, int]:
        of, given = value.type, [self(arg) for arg in args]
        calc = self.scope.calc
        if name == "_root" and is_top(of):
            return self.scope.root_of(of.type, self(value, POSTFIX)), POSTFIX
        if name in {"_io", "_parent", "_root"}:
            return f"{calc('given')}({self(value, POSTFIX)}.{name}, {str_literal(name)})", POSTFIX
        if name in {"pos", "size", "eof"} and isinstance(of, IoType):
            stream, here = self(value, POSTFIX), self.scope.special("_io")
            if name != "size" and stream != here == "r":  # what is read now moves the stream
                stream = f"{calc('moving')}({stream}, {here})"
            return f"{stream}.{name}", POSTFIX
        if name == "reverse":
            return f"{self(value, POSTFIX)}[::-1]", POSTFIX
        if name == "substring":
            return f"{self(value, POSTFIX)}[{slice_of(*(self(arg, OR) for arg in args))}]", POSTFIX
        plain = {"length": "len", "size": "len", "to_s": "str"}
        if name == "to_i":
            function = calc("to_int") if isinstance(of, StrType | FloatType) else "int"
        elif name in plain and not (name == "to_s" and isinstance(of, BytesType | ContentsType)):
            function = plain[name]
        else:
            function = calc(_FUNCTIONS.get(name, name))
        return f"{function}({', '.join([self(value), *given])})", POSTFIX

    def _index(self, node: ast.Index) -> tuple[str, int]:
        return f"{self.scope.calc('element')}({self(node.value)}, {self(node.index)})", POSTFIX

    def _cast(self, node: ast.Cast) -> tuple[str, int]:
        known, wanted = node.value.type, node.to
        if isinstance(node.value, ast.Array) and isinstance(wanted, BytesType):
            elements = ", ".join(map(self, node.value.elements))
            return f"bytes([{elements}])", POSTFIX
        if known == wanted or not is_checkable(known) or not runtime_type(wanted, self.scope):
            return self._visit(node.value)
        return Casts(self).of_type("narrowed", self(node.value), wanted), POSTFIX

    # Operators

    def _unaryop(self, node: ast.UnaryOp) -> tuple[str, int]:
        if node.op == "not":
            return f"not {self(node.operand, NOT)}", NOT
        if isinstance(node.operand.type, BoolType):  # only before a cast
            return f"{node.op}int({self(node.operand)})", UNARY
        return f"{node.op}{self(node.operand, UNARY)}", UNARY

    def _binaryop(self, node: ast.BinaryOp) -> tuple[str, int]:
        level, op = BINARY[node.op], str(node.op)
        if op in "/%" and not _is_nonzero(node.right):
            function = {"/": "quotient", "%": "remainder"}[op]
            return f"{self.scope.calc(function)}({self(node.left)}, {self(node.right)})", POSTFIX
        grows = self.scope.may_grow(node)
        if op in {"<<", ">>"} and (grows or not _is_nonzero(node.right)):
            function = {"<<": "shifted_left", ">>": "shifted_right"}[op]
            return f"{self.scope.calc(function)}({self(node.left)}, {self(node.right)})", POSTFIX
        if op == "/" and not any(
            isinstance(each.type, FloatType) for each in (node.left, node.right)
        ):
            op = "//"
        if grows and isinstance(node.type, StrType):
            return f"{self.scope.calc('joined')}({self(node.left)}, {self(node.right)})", POSTFIX
        source = f"{self(node.left, level)} {op} {self(node.right, level + 1)}"
        return (f"{self.scope.calc('bounded')}({source})", POSTFIX) if grows else (source, level)

    def _compare(self, node: ast.Compare) -> tuple[str, int]:
        side = self.passing if node.op in {"==", "!="} else self
        return f"{side(node.left, BIT_OR)} {node.op} {side(node.right, BIT_OR)}", COMPARE

    def _boolop(self, node: ast.BoolOp) -> tuple[str, int]:
        level = AND if node.op == "and" else OR
        return f"{self(node.left, level)} {node.op} {self(node.right, level)}", level

    def _ternary(self, node: ast.Ternary) -> tuple[str, int]:
        yes, test, no = self(node.yes, OR), self(node.condition, OR), self(node.no, TERNARY)
        return f"{yes} if {test} else {no}", TERNARY

    def is_varint(self, node: ast.Expression) -> bool:
        """Whether *node* is an integer of variable length (``-loom-varint``), or one of several."""
        while isinstance(node, ast.Index):
            node = node.value
        if isinstance(node, ast.Name) and node.id == "_":
            return getattr(self.scope, "varint", False)
        target = node.target if isinstance(node, ast.Name | ast.Attribute) else None
        return isinstance(target, Field) and "varint" in target.loom

    def given(self, source: str, target: Member) -> str:
        """Return *source*, of the member *target*; with a check where a record may lack it."""
        if not is_optional(target):
            return source
        return f"{self.scope.calc('given')}({source}, {str_literal(target.name)})"


_FUNCTIONS: Final = {
    "to_s": "decoded",
    "to_b": "encoded",
    "first": "first",
    "last": "last",
    "min": "smallest",
    "max": "largest",
    "index_of": "index_of",
}


def _is_nonzero(node: ast.Expression) -> bool:
    return isinstance(node, ast.Literal_) and isinstance(node.value, int | float) and node.value > 0
