"""What names refer to inside the methods of a generated record, and what the module imports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    ContentsType,
    DataType,
    EnumSpec,
    EnumType,
    Field,
    FloatType,
    IntType,
    IoType,
    Member,
    OpaqueType,
    Spec,
    StrType,
    StructType,
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.bit_runs import BitRuns, bit_runs
from byteloom_codegen.python.cost import Growth, is_short
from byteloom_codegen.python.derived_fields import (
    FUNCTIONS,
    is_checksum,
    is_magic,
    seen_while_reading,
)
from byteloom_codegen.python.names import (
    ClassNames,
    attribute_name,
    camel,
    class_names,
    item_name,
    local_name,
    member_attribute,
    upper_name,
    variables_of,
)
from byteloom_codegen.python.siblings import Siblings
from byteloom_codegen.python.sizes import padding_size
from byteloom_codegen.python.uses import Uses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.expressions import Expression
from byteloom_codegen.python.derived_fields import Derived

__all__ = ["MethodScope", "Module"]


@dataclass(slots=True)
class Module:
    """One generated module while its view is being made: its names, and the imports met so far."""

    spec: Spec
    names: ClassNames
    uses: Uses
    held: set[int]
    growth: Growth
    bits: BitRuns
    navigable: bool = False
    calc: set[str] = field(default_factory=set)
    typing: set[str] = field(default_factory=set)
    wire: set[str] = field(default_factory=set)
    siblings: Siblings = field(default_factory=Siblings)
    processors: set[str] = field(default_factory=set)
    structs: dict[str, str] = field(default_factory=dict)
    partial: bool = False
    keeps_nans: bool = False

    @classmethod
    def of(cls, spec: Spec, *, navigable: bool = False, importers: Iterable[Spec] = ()) -> Module:
        """Begin the module of *spec*, which *importers* import."""
        uses = Uses(spec, navigable=navigable, importers=importers)
        held = seen_while_reading(spec.top.walk())
        names = class_names(spec)
        siblings = Siblings(names.taken, variables_of(spec))
        growth, bits = Growth(spec), bit_runs(spec)
        return cls(spec, names, uses, held, growth, bits, navigable, siblings=siblings)

    def is_stored(self, field: Field, derived: dict[str, Derived]) -> bool:
        """Whether *field* is part of a record's value and is not derived from other fields."""
        follows = is_magic(field) or is_checksum(field) or field.name in derived
        return not follows and padding_size(field) is None

    def is_held(self, field: Field, derived: dict[str, Derived]) -> bool:
        """Whether a derived field is used before the field that determines it is read."""
        return field.name in derived and id(field) in self.held

    def uses_of(self, spec: TypeSpec) -> Uses:
        """Return what records of the spec that *spec* is part of carry."""
        return self.uses if spec.spec is self.spec else Uses(spec.spec, navigable=self.navigable)

    def class_of(self, item: TypeSpec | EnumSpec) -> str:
        """Return the class of a type or enum, imported where another spec describes it."""
        owner = (
            item.spec
            if isinstance(item, TypeSpec)
            else item.owner.spec
            if item.owner
            else self.spec
        )
        if owner is self.spec:
            return self.names.of(item)
        name = class_names(owner).of(item)
        if self.spec in _reached(owner):  # specs that import each other: neither is complete
            return f"{self.siblings.module(owner.name)}.{name}"
        return self.siblings.name(owner.name, name)

    def struct(self, owner: str, first: str, form: str) -> str:
        """Return the constant for the layout of a run of fields, which the source *form* makes."""
        name = f"_{upper_name(owner)}_{first.upper()}"
        numbers = (f"{name}_{number}" for number in count(2))
        free = next(each for each in chain([name], numbers) if self.structs.get(each, form) == form)
        self.structs[free] = form
        return free

    def annotation_of(self, field: Field, *, whole: bool = True) -> str:
        """Return the annotation for the value of *field*, or for one element of it."""
        if "varint" in field.loom:
            return "list[int]" if field.repeat and whole else "int"
        return self.annotation(field.value_type if whole else field.type)

    def annotation(self, type_: DataType) -> str:
        """Return the annotation for a value of *type_*."""
        match type_:
            case IntType():
                return "int"
            case BitsType(is_bool=is_bool):
                return "bool" if is_bool else "int"
            case FloatType():
                return "float"
            case BytesType() | ContentsType():
                return "bytes"
            case StrType():
                return "str"
            case BoolType():
                return "bool"
            case UserType(type=spec):
                return self.class_of(spec)
            case OpaqueType(name=name):
                return self._opaque(name)
            case EnumType(enum=enum):
                return f"{self.class_of(enum)} | int"
            case ArrayType(element=element):
                return f"list[{self.annotation(element)}]"
            case IoType():
                self.wire.add("Stream")
                return "Stream"
            case StructType():
                return "Record"
            case SwitchType(cases=cases):
                return self._union(case.type for case in cases)
            case AnyType():
                self.typing.add("Any")
                return "Any"
        raise TypeError(type_)

    def _union(self, types: Iterable[DataType]) -> str:
        parts: dict[str, None] = {}
        for each in types:
            parts.update(dict.fromkeys(self.annotation(each).split(" | ")))
        return " | ".join(parts)

    def _opaque(self, name: tuple[str, ...]) -> str:
        outer, *inner = map(camel, name)
        return ".".join([self.siblings.name(name[0], outer), *inner])


@dataclass(slots=True)
class MethodScope:
    """The scope of one method.

    here      the type that the method belongs to
    locals    members held in variables, not in attributes, while reading
    stream    the source of the record's own stream
    item      the source of ``_``
    index     the source of ``_index``
    varint    whether ``_`` is an integer of variable length (``-loom-varint``)
    in_place  whether short calculated values are printed where they are used
    """

    module: Module
    here: TypeSpec
    locals: frozenset[str] = frozenset()
    stream: str = "r"
    item: str = "it"
    index: str = "index"
    varint: bool = False
    in_place: bool = False

    def calculation(self, target: Member) -> Expression | None:
        """Return the expression that is printed in place of *target*, if there is one."""
        if self.in_place and isinstance(target, ValueInstance) and is_short(target):
            return target.value
        return None

    def member(self, target: Member) -> str:
        """Return the source for a bare member name."""
        if target.name in self.locals:
            return local_name(target.name)
        return f"self.{member_attribute(target)}"

    def item_of(self, field: Field) -> str:
        """Return the variable for an element of *field* in loops: one name has one type."""
        members = [*self.here.seq, *self.here.instances]
        repeated = [each for each in members if isinstance(each, Field) and each.repeat]
        first = repeated[0] if repeated else field
        kinds = (self.module.annotation(each.type) for each in (first, field))
        declared = any(isinstance(each.type, SwitchType) for each in (first, field))
        same = first is field or (len(set(kinds)) == 1 and not declared)
        return "it" if same else item_name(field.name)

    def of_item(self, field: Field, item: str = "it") -> MethodScope:
        """Return the scope in which ``_`` is the value of *field*, or one element of it."""
        return replace(self, item=item, varint="varint" in field.loom)

    @property
    def root(self) -> str:
        """The source of the root; a record that may be inside another has the same root."""
        if self.here.owner is not None:
            return "self._root"
        return "self._root or self" if self.module.uses.has_root(self.here) else "self"

    def special(self, name: str) -> str:
        """Return the source for a name that the language defines."""
        if name == "_root" and self.here.owner is None:
            return f"({self.root})" if " " in self.root else self.root
        if name in {"_root", "_parent"}:
            return f'{self.calc("given")}(self.{name}, "{name}")'
        return {"_io": self.stream, "_": self.item, "_index": self.index}[name]

    def root_of(self, top: TypeSpec, source: str) -> str:
        """Return the source for the root of *source*, a record of the type *top* of its spec."""
        may_be_nested = self.module.uses_of(top).has_root(top)
        return f"({source}._root or {source})" if may_be_nested else source

    def class_of(self, type_: DataType | EnumSpec) -> str:
        """Return the source that names a class."""
        if isinstance(type_, EnumSpec):
            return self.module.class_of(type_)
        return self.module.annotation(type_)

    def calc(self, function: str) -> str:
        """Return a function of ``byteloom.wire.calc``, imported."""
        self.module.calc.add(function)
        return function

    def import_for(self, source: str) -> None:
        """Import the functions that the *source* of a derived field calls."""
        for function in FUNCTIONS:
            if f"{function}(" in source:
                self.calc(function)

    def attribute(self, target: Member) -> str:
        """Return the attribute that holds a member of a record."""
        return member_attribute(target)

    def late(self, name: str) -> str:
        """Return the attribute of a member that only the record itself may have."""
        return attribute_name(name)

    def may_grow(self, node: Expression) -> bool:
        """Whether the result has to be checked against the size that values may have."""
        return self.module.growth.may_grow(node)


def _reached(spec: Spec) -> list[Spec]:
    """Return all specs that *spec* imports, and those that they import."""
    found: list[Spec] = []
    waiting = list(spec.imports)
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.append(each)
            waiting += each.imports
    return found
