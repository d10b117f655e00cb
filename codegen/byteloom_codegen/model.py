"""The resolved spec: all that checks, templates and pages may see.

A `.ksy` file becomes one `Spec`.  In it every name is resolved (a type is the `TypeSpec` it names,
an enum the `EnumSpec`), every default applied (byte order, encoding), every expression parsed and
typed.  Nothing here knows Python output, Markdown or YAML.

The model covers the whole KSY language, whatever an output supports.  It has three layers, each of
which refers to the other two, hence one module: the types of values (a record's type is its spec,
a size is an expression), the nodes of expressions (each has a type, and a name the member that it
refers to), and the parts of a spec.  The parser makes nodes without types; resolving fills `type`
and the `target` of names, and after that they do not change.  Other modules import nodes from
`byteloom_codegen.expressions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from byteloom_codegen.errors import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.errors import SpecWarning

__all__ = [
    "AnyType", "Array", "ArrayType", "Attribute", "BinaryOp", "BitsType", "BoolOp", "BoolType",
    "BytesType", "Call", "Case", "Cast", "Compare", "ContentsType", "DataType", "Delimiting",
    "Endian", "EndianSwitch", "EnumLabel", "EnumMember", "EnumSpec", "EnumType", "Expression",
    "FString", "Field", "FloatType", "Index", "Instance", "IntType", "IoType", "Literal_",
    "Location", "Member", "Name", "Node", "OpaqueType", "Operation", "Param", "Process", "Repeat",
    "SizeOf", "Spec", "StrType", "StructType", "SwitchType", "Ternary", "TypeName", "TypeSpec",
    "UnaryOp", "UserType", "Valid", "ValidKind", "ValueInstance", "base_of", "is_bits",
]  # fmt: skip

Endian: TypeAlias = Literal["le", "be"]


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer of whole bytes.

    width   1, 2, 4 or 8 bytes; None for an integer that was calculated
    endian  None for one byte, and where the byte order is known only when reading
            (`TypeSpec.endian` is then an `EndianSwitch`)
    """

    signed: bool = True
    width: int | None = None
    endian: Endian | None = None


@dataclass(frozen=True, slots=True)
class FloatType:
    """A number of IEEE 754; width 4 or 8 bytes, None where calculated."""

    width: int | None = None
    endian: Endian | None = None


@dataclass(frozen=True, slots=True)
class BitsType:
    """An integer of 1 to 64 bits; *is_bool* for a plain ``b1``."""

    width: int
    endian: Endian = "be"
    is_bool: bool = False


@dataclass(frozen=True, slots=True)
class Delimiting:
    """How the end of bytes is found, and what is cut from them afterwards.

    At most one of size, size_eos and terminator finds the end; a terminator or padding beside a
    size is looked for inside these bytes: padding is stripped first, then the terminator.
    """

    size: Expression | None = None
    size_eos: bool = False
    terminator: bytes | None = None
    include: bool = False
    consume: bool = True
    eos_error: bool = True
    pad_right: int | None = None

    @property
    def is_filled_up(self) -> bool:
        """Whether a value may be shorter than its size: a terminator or padding fills the rest."""
        return self.terminator is not None or self.pad_right is not None


@dataclass(frozen=True, slots=True)
class Process:
    """How bytes are decoded after reading: name is zlib, xor, rol, ror or ``some.module.name``."""

    name: str
    args: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class BytesType:
    """Bytes; `delimiting` is None for bytes that were calculated."""

    delimiting: Delimiting | None = None
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class ContentsType:
    """The exact bytes that have to be here (a magic)."""

    contents: bytes


@dataclass(frozen=True, slots=True)
class StrType:
    """Text; *encoding* is the canonical name; None where the text was calculated."""

    encoding: str | None = None
    delimiting: Delimiting | None = None
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class UserType:
    """A record.

    delimiting  None: read in the parent's stream; else in a stream of its own
    parent      None: the enclosing record; False: none; else an expression
    location    where the spec names the type, if it does
    """

    type: TypeSpec
    args: tuple[Expression, ...] = ()
    delimiting: Delimiting | None = None
    process: Process | None = None
    parent: Expression | Literal[False] | None = None
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A record whose class is written elsewhere; *name* as in the spec (``a::b``)."""

    name: tuple[str, ...]
    args: tuple[Expression, ...] = ()
    delimiting: Delimiting | None = None
    process: Process | None = None
    parent: Expression | Literal[False] | None = None


@dataclass(frozen=True, slots=True)
class EnumType:
    """An integer with named values; a value without a name stays an integer."""

    enum: EnumSpec
    base: IntType | BitsType


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a switch; *on* is None for ``_``."""

    on: Expression | None
    type: DataType


@dataclass(frozen=True, slots=True)
class SwitchType:
    """One of several types, chosen while reading.

    combined  the type that an expression sees: the common one of all cases, or AnyType
    """

    on: Expression
    cases: tuple[Case, ...]
    combined: DataType


@dataclass(frozen=True, slots=True)
class BoolType:
    """True or false."""


@dataclass(frozen=True, slots=True)
class IoType:
    """A stream."""


@dataclass(frozen=True, slots=True)
class StructType:
    """Any record."""


@dataclass(frozen=True, slots=True)
class AnyType:
    """A value of any type."""


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A list."""

    element: DataType


DataType: TypeAlias = (
    IntType | FloatType | BitsType | BytesType | ContentsType | StrType | UserType | OpaqueType
    | EnumType | SwitchType | BoolType | IoType | StructType | AnyType | ArrayType
)  # fmt: skip


def base_of(type_: DataType) -> DataType:
    """Return the type that a value is stored as: of an enum, its integer."""
    return type_.base if isinstance(type_, EnumType) else type_


def is_bits(type_: DataType) -> bool:
    """Whether a value is stored as bits, which may begin or end inside a byte."""
    return isinstance(base_of(type_), BitsType)


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


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often a field is repeated; *expression* is the count, or the condition of ``until``."""

    kind: Literal["expr", "until", "eos"]
    expression: Expression | None = None


class ValidKind(Enum):
    """The forms of ``valid``."""

    EQ = "eq"
    RANGE = "range"
    ANY_OF = "any-of"
    IN_ENUM = "in-enum"
    EXPR = "expr"


@dataclass(frozen=True, slots=True)
class Valid:
    """The rule that a value has to meet.

    values   EQ: the one value; ANY_OF: the values; EXPR: the one condition, ``_`` the value in it
    minimum  RANGE only, as is *maximum*; either may be None
    """

    kind: ValidKind
    values: tuple[Expression, ...] = ()
    minimum: Expression | None = None
    maximum: Expression | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class _Named:
    """What a name in an expression can refer to.

    name   as in the spec; ``_unnamed3`` where it has none
    owner  the type that it is a member of
    """

    name: str
    type: DataType
    location: Location
    owner: TypeSpec | None = field(default=None, repr=False)
    doc: str = ""
    doc_ref: tuple[str, ...] = ()

    @property
    def value_type(self) -> DataType:
        """The type of the whole value: *type*, where it is not repeated."""
        return self.type


@dataclass(slots=True, kw_only=True, eq=False)
class _Attribute(_Named):
    """What ``seq`` and ``instances`` may say of each of theirs.

    loom      the ``-loom-*`` keys without their prefix, as their JSON Schema admits them; where the
              schema says "expression" the value is an `Expression`
    orig_ids  the official spellings (``-orig-id``)
    """

    condition: Expression | None = None
    valid: Valid | None = None
    orig_ids: tuple[str, ...] = ()
    loom: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, eq=False)
class Field(_Attribute):
    """One attribute of ``seq``; *type* is that of one element, where it is repeated."""

    repeat: Repeat | None = None

    @property
    def value_type(self) -> DataType:
        """The type of the attribute as a whole: an array where it is repeated."""
        return ArrayType(self.type) if self.repeat else self.type


@dataclass(slots=True, kw_only=True, eq=False)
class Instance(Field):
    """A field read when it is asked for: from *pos* of *io* (default: the record's own stream).

    Without *pos* it is read at the stream's position, which moves.
    """

    pos: Expression | None = None
    io: Expression | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class ValueInstance(_Attribute):
    """A value calculated from others; *type* is the expression's, or the enum it is cast to."""

    value: Expression
    enum: EnumSpec | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Param(_Named):
    """A value that the caller who reads the record passes."""


Member: TypeAlias = Field | ValueInstance | Param
"""Everything that a name in an expression can refer to (an `Instance` is a `Field`)."""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A named value of an enum."""

    value: int
    name: str
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    orig_ids: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class EnumSpec:
    """An enum, its members in the order of the spec."""

    name: str
    owner: TypeSpec | None
    members: tuple[EnumMember, ...]
    location: Location
    doc: str = ""


@dataclass(frozen=True, slots=True)
class EndianSwitch:
    """A byte order decided while reading; *endian* None is the case ``_``; no match is an error."""

    on: Expression
    cases: tuple[tuple[Expression | None, Endian], ...]


@dataclass(slots=True, kw_only=True, eq=False)
class TypeSpec:
    """A record's description.

    name      its own name; `path` has its owners' before it
    owner     the type it is nested in; None for the top type
    spec      the file it comes from
    endian    inherited from the owners where it has none of its own
    parent    the type of ``_parent``: the one record that reads this one; else StructType
    """

    name: str
    owner: TypeSpec | None
    spec: Spec
    location: Location
    endian: Endian | EndianSwitch | None = None
    bit_endian: Endian = "be"
    encoding: str | None = None
    params: list[Param] = field(default_factory=list)
    seq: list[Field] = field(default_factory=list)
    instances: list[Instance | ValueInstance] = field(default_factory=list)
    types: dict[str, TypeSpec] = field(default_factory=dict)
    enums: dict[str, EnumSpec] = field(default_factory=dict)
    to_string: Expression | None = None
    parent: DataType | None = None
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    orig_ids: tuple[str, ...] = ()
    loom: dict[str, Any] = field(default_factory=dict)
    debug: bool = False
    """``ks-debug``: records are read by a separate call, and keep the positions of their fields."""

    @property
    def path(self) -> tuple[str, ...]:
        """Names from the top type to this one."""
        return (*(self.owner.path if self.owner else ()), self.name)

    def member(self, name: str) -> Member | None:
        """Return the parameter, field or instance of this name."""
        for found in (*self.params, *self.seq, *self.instances):
            if found.name == name:
                return found
        return None

    def walk(self) -> list[TypeSpec]:
        """Return this type and all types nested in it, owners first, in the order of the spec."""
        return [self, *(each for nested in self.types.values() for each in nested.walk())]


@dataclass(slots=True, kw_only=True, eq=False)
class Spec:
    """A spec: the content of one `.ksy` file.

    file      its path as given
    name      ``meta/id``
    imports   the specs it imports, directly
    warnings  what is legal but discouraged, in this file and all that it imports
    """

    file: str
    name: str
    top: TypeSpec = field(init=False)
    title: str = ""
    license: str = ""
    imports: list[Spec] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[SpecWarning, ...] = ()

    def with_imports(self) -> Iterator[Spec]:
        """Yield this spec and all that it imports, each once, those that import first."""
        seen, waiting = set[int](), [self]
        while waiting:
            spec = waiting.pop()
            if id(spec) not in seen:
                seen.add(id(spec))
                yield spec
                waiting += reversed(spec.imports)
