"""What values know by themselves: methods and attributes of the language's own kinds, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import SpecError
from byteloom_codegen.expressions import Literal_
from byteloom_codegen.frontend.kinds import described, kind
from byteloom_codegen.model import (
    ArrayType,
    BoolType,
    BytesType,
    DataType,
    IntType,
    IoType,
    StrType,
    StructType,
)

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["METHODS", "Method", "method_result"]

_INT: Final = IntType()


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    result   its type; None for the element of the array
    args     lists of the argument kinds it takes: () for no arguments, "literal" for a literal text
    """

    result: DataType | None
    args: tuple[tuple[str, ...], ...] = ((),)

    def wanted(self) -> str:
        """Return what a message says about the arguments."""
        return " or ".join(f"({', '.join(_value_kinds(each))})" for each in self.args)


METHODS: Final[dict[str, dict[str, Method]]] = {
    "integer": {"to_s": Method(StrType())},
    "float": {"to_i": Method(_INT)},
    "boolean": {"to_i": Method(_INT)},
    "enum": {"to_i": Method(_INT)},
    "string": {
        "length": Method(_INT),
        "reverse": Method(StrType()),
        "to_i": Method(_INT, ((), ("integer",))),
        "to_b": Method(BytesType(), (("literal",),)),
        "substring": Method(StrType(), (("integer", "integer"),)),
    },
    "bytes": {
        "length": Method(_INT),
        "size": Method(_INT),
        "first": Method(IntType(signed=False, width=1)),
        "last": Method(IntType(signed=False, width=1)),
        "min": Method(IntType(signed=False, width=1)),
        "max": Method(IntType(signed=False, width=1)),
        "to_s": Method(StrType(), (("literal",),)),
        "index_of": Method(_INT, (("integer",),)),
    },
    "array": {
        "first": Method(None),
        "last": Method(None),
        "size": Method(_INT),
        "min": Method(None),
        "max": Method(None),
    },
    "stream": {"size": Method(_INT), "pos": Method(_INT), "eof": Method(BoolType())},
    "record": {
        "_io": Method(IoType()),
        "_parent": Method(StructType()),
        "_root": Method(StructType()),
    },
}


def method_result(
    node: Expression, of: DataType, name: str, args: list[Expression], given: list[DataType]
) -> DataType:
    """Return the type of ``of.name(args)``; *given* are the types of *args*."""
    known = METHODS.get(kind(of), {})
    if name not in known:
        hint = f"{described(of)} has {', '.join(sorted(known))}" if known else ""
        message = f"don't know how to call method '{name}' of {described(of)}"
        raise SpecError(node.location, message, hint)
    method, kinds = known[name], tuple(kind(each) for each in given)
    if kinds not in {tuple(_value_kinds(wanted)) for wanted in method.args}:
        message = f"wrong arguments to method call `{name}` on {described(of)}"
        expected = f"expected {method.wanted()}, got ({', '.join(kinds)})"
        raise SpecError(node.location, f"{message}: {expected}")
    for each, wanted in zip(args, method.args[-1], strict=False):
        if wanted == "literal" and not isinstance(each, Literal_):
            raise SpecError(each.location, f"{name}: expected string literal as the encoding")
    if method.result is None and isinstance(of, ArrayType):
        return of.element
    return method.result or IntType()


def _value_kinds(wanted: tuple[str, ...]) -> list[str]:
    return ["string" if each == "literal" else each for each in wanted]
