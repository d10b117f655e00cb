"""The nodes of KSY expressions, as a resolved spec holds them.

The parser makes them without types; resolving fills `type` and the `target` of names.  After that
they do not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, EnumSpec, Location, Member, TypeSpec

__all__ = [
    "Array", "Attribute", "BinaryOp", "BoolOp", "Call", "Cast", "Compare", "EnumLabel",
    "Expression", "FString",
    "Index", "Literal_", "Name", "Operation", "SizeOf", "Ternary", "TypeName", "UnaryOp",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeName:
    """The name of a type as written: ``a::b``, ``u2[]``."""

    location: Location
    names: tuple[str, ...]
    array: bool = False

    def __str__(self) -> str:
        return "::".join(self.names) + ("[]" if self.array else "")


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """What all nodes have.

    location  with the column within the scalar
    joints    the nearest joints below this one, if it is a joint itself; otherwise None
    number    of a joint, in its expression
    """

    location: Location
    joints: tuple[Node, ...] | None = field(init=False, default=None)
    number: int = field(init=False, default=0)
    type: DataType = field(init=False)


@dataclass(slots=True, kw_only=True, eq=False)
class Literal_(Node):  # noqa: N801  (`Literal` is typing's)
    """A number, a string or a truth value."""

    value: int | float | str | bool


@dataclass(slots=True, kw_only=True, eq=False)
class FString(Node):
    """``f"..{x}.."``: its texts and the expressions between them, in order."""

    parts: list[str | Expression]


@dataclass(slots=True, kw_only=True, eq=False)
class Array(Node):
    """``[a, b]``; its type is BytesType where all elements are literals from 0 to 255."""

    elements: list[Expression]


@dataclass(slots=True, kw_only=True, eq=False)
class EnumLabel(Node):
    """``some_type::some_enum::label``."""

    names: tuple[str, ...]
    enum: EnumSpec = field(init=False)
    label: str


@dataclass(slots=True, kw_only=True, eq=False)
class Name(Node):
    """A bare name.

    target  the member of the type that has the expression; None for the special names
            ``_root _parent _io _index _ _sizeof``
    late    whether the type has no such member: it is cast, and so not looked up in the spec
    """

    id: str
    target: Member | None = None
    late: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Attribute(Node):
    """``value.name``, where it is not called.

    target  the member of a record's type; None for what the language itself knows
            (``length``, ``to_i``, ``first``, ``_io``, ``_parent``, ``_sizeof`` ...)
    late    whether the type has no such member: it is cast, and only the record may have it
    """

    value: Expression
    name: str
    target: Member | None = None
    late: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Call(Node):
    """``value.method(args)``; methods are the language's own."""

    value: Expression
    method: str
    args: list[Expression]


@dataclass(slots=True, kw_only=True, eq=False)
class Index(Node):
    """``value[index]``."""

    value: Expression
    index: Expression


@dataclass(slots=True, kw_only=True, eq=False)
class UnaryOp(Node):
    """``-x``, ``~x``, ``not x`` (plus is dropped)."""

    op: Literal["-", "~", "not"]
    operand: Expression


@dataclass(slots=True, kw_only=True, eq=False)
class BinaryOp(Node):
    """Arithmetic, bits, shifts; ``+`` joins strings too."""

    op: Literal["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
    left: Expression
    right: Expression


@dataclass(slots=True, kw_only=True, eq=False)
class Compare(Node):
    """One comparison; they do not chain."""

    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expression
    right: Expression


@dataclass(slots=True, kw_only=True, eq=False)
class BoolOp(Node):
    """``and``, ``or``."""

    op: Literal["and", "or"]
    left: Expression
    right: Expression


@dataclass(slots=True, kw_only=True, eq=False)
class Ternary(Node):
    """``condition ? yes : no``."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(slots=True, kw_only=True, eq=False)
class Cast(Node):
    """``value.as<name>``: nothing happens when running; its type is *to*, what *name* names."""

    value: Expression
    name: TypeName
    to: DataType = field(init=False)


@dataclass(slots=True, kw_only=True, eq=False)
class SizeOf(Node):
    """``sizeof<name>``, ``bitsizeof<name>``, ``operand._sizeof``, or ``_sizeof`` (of the record).

    Known when compiling: *of* is the resolved type, *value* the result.  The operand is never
    evaluated.
    """

    bits: bool
    name: TypeName | None = None
    operand: Expression | None = None
    of: DataType | TypeSpec = field(init=False)
    value: int = field(init=False)


Operation: TypeAlias = UnaryOp | BinaryOp | Compare | BoolOp | Ternary

Expression: TypeAlias = (
    Literal_ | FString | Array | EnumLabel | Name | Attribute | Call | Index | Operation | Cast
    | SizeOf
)  # fmt: skip
