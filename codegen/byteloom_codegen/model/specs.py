"""The parts of a spec: fields, instances, parameters, enums, and the types and files they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from byteloom_codegen.model.types import ArrayType, DataType, Endian

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.errors import SpecWarning
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.location import Location

__all__ = [
    "EndianSwitch",
    "EnumMember",
    "EnumSpec",
    "Field",
    "Instance",
    "Member",
    "Param",
    "Repeat",
    "Spec",
    "TypeSpec",
    "Valid",
    "ValidKind",
    "ValueInstance",
]


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
class Field:
    """One attribute of ``seq``.

    name      as in the spec; ``_unnamed3`` where it has none
    type      of one element, where it is repeated
    loom      the ``-loom-*`` keys without their prefix, as their JSON Schema admits them; where the
              schema says "expression" the value is an `Expression`
    orig_ids  the official spellings (``-orig-id``)
    owner     the type that it is a member of
    """

    name: str
    type: DataType
    location: Location
    owner: TypeSpec | None = field(default=None, repr=False)
    condition: Expression | None = None
    repeat: Repeat | None = None
    valid: Valid | None = None
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    orig_ids: tuple[str, ...] = ()
    loom: dict[str, Any] = field(default_factory=dict)

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
class ValueInstance:
    """A value calculated from others; *type* is the expression's, or the enum it is cast to."""

    name: str
    value: Expression
    type: DataType
    location: Location
    owner: TypeSpec | None = field(default=None, repr=False)
    enum: EnumSpec | None = None
    condition: Expression | None = None
    valid: Valid | None = None
    doc: str = ""
    doc_ref: tuple[str, ...] = ()
    orig_ids: tuple[str, ...] = ()
    loom: dict[str, Any] = field(default_factory=dict)

    @property
    def value_type(self) -> DataType:
        """The same as *type*: what is calculated is never repeated."""
        return self.type


@dataclass(slots=True, kw_only=True, eq=False)
class Param:
    """A value that the caller who reads the record passes."""

    name: str
    type: DataType
    location: Location
    owner: TypeSpec | None = field(default=None, repr=False)
    doc: str = ""
    doc_ref: tuple[str, ...] = ()

    @property
    def value_type(self) -> DataType:
        """The same as *type*."""
        return self.type


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
