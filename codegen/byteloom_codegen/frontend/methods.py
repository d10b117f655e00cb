"""What values know by themselves: the methods and attributes of the language's own kinds, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from byteloom_codegen.model import (
    BoolType,
    BytesType,
    DataType,
    IntType,
    IoType,
    StrType,
    StructType,
)

__all__ = ["METHODS", "Method"]

_INT: Final = IntType()


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    result   its type; None for the element of the array
    args     the lists of argument kinds that it takes: () for none, "literal" for a literal string
    """

    result: DataType | None
    args: tuple[tuple[str, ...], ...] = ((),)

    def wanted(self) -> str:
        """Return what a message says about the arguments."""
        return " or ".join(
            f"({', '.join('string' if kind == 'literal' else kind for kind in each)})"
            for each in self.args
        )


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
        "index_of": Method(_INT, (("bytes",),)),
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
