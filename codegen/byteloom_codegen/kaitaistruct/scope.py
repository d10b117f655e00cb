"""What names refer to in a drop-in module, and what the module imports for them.

A scope knows how many bits of a byte are taken before each field, too: records are assumed to begin
at a whole byte, which generated code checks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.names import ClassPaths, attribute_of, label_names, module_alias
from byteloom_codegen.model import (
    BitsType,
    EnumSpec,
    EnumType,
    Instance,
    OpaqueType,
    SwitchType,
    TypeSpec,
    UserType,
)
from byteloom_codegen.python.names import camel

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, Field, Member, Spec

__all__ = ["Module", "Scope"]


_LONG: Final = 24
"""Layouts of this length or more are not part of their constants' names."""

_SPECIAL: Final = {
    "_root": "self._root",
    "_parent": "self._parent",
    "_io": "self._io",
    "_index": "i",
    "_": "_",
}


@dataclass
class Module:
    """One module while its view is being made.

    read_write  whether its classes write, too, and read by a call of its own
    runtime   names imported from ``kaitaistruct``
    standard    modules of the standard library
    siblings    modules of other specs, which are in the same folder
    foreign     modules of process classes, which are wherever Python finds them
    helpers     functions of the module itself
    structs     functions that unpack bytes: name to source
    constants the members of enums, which take long to look up in their class, and the tables that
              have them by their numbers: name to source
    """

    spec: Spec
    paths: ClassPaths
    read_write: bool = False
    runtime_names: set[str] = field(default_factory=set)
    standard: set[str] = field(default_factory=set)
    siblings: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    structs: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: Spec, *, read_write: bool = False) -> Module:
        """Begin the module of *spec*."""
        return cls(spec, ClassPaths(spec), read_write)

    @cached_property
    def alignment(self) -> _Alignment:
        """Where in a byte the fields of the spec are."""
        return _Alignment(self.spec)

    @cached_property
    def _enums(self) -> Counter[str]:
        """How many enums of the spec have each name."""
        types = self.spec.top.walk()
        return Counter(each.name for type_ in types for each in type_.enums.values())

    @property
    def base(self) -> str:
        """The source for the class of the runtime that records derive from."""
        return self.runtime("ReadWriteKaitaiStruct" if self.read_write else "KaitaiStruct")

    def runtime(self, name: str) -> str:
        """Return the source for a class of the runtime, whatever the spec's classes are called."""
        if self.paths.uses(name):
            return f"kaitaistruct.{name}"
        self.runtime_names.add(name)
        return name

    def stdlib(self, name: str) -> str:
        """Return the source for a module of the standard library, imported."""
        self.standard.add(name)
        return name

    def class_of(self, item: TypeSpec | EnumSpec) -> str:
        """Return the source that names the class of a type or enum of any spec."""
        owner = item if isinstance(item, TypeSpec) else item.owner
        if owner is None or owner.spec is self.spec:
            return self.paths.of(item)
        self.siblings.add(owner.spec.name)
        return f"{module_alias(owner.spec.name)}.{ClassPaths(owner.spec).of(item)}"

    def struct(self, layout: str) -> str:
        """Return the function that unpacks bytes of *layout*, in the language of `struct`."""
        self.standard.add("struct")
        order = "BE" if layout[0] == ">" else "LE"
        name = f"_{order}_{layout[1:]}" if len(layout) < _LONG else f"_{order}_LONG"
        return self._named(self.structs, name, f'struct.Struct("{layout}").unpack')

    def table(self, enum: EnumSpec) -> str:
        """Return the table of the members of *enum*; "" for an enum of another spec."""
        if not self._is_own(enum):
            return ""
        self.helpers.add("labels")
        source = f"_Labels({{each.value: each for each in {self.paths.of(enum)}}})"
        return self._named(self.constants, self._constant(enum), source)

    def label(self, enum: EnumSpec, name: str) -> str:
        """Return the source that names a member of an enum."""
        member = f"{self.class_of(enum)}.{label_names(enum)[name]}"
        if not self._is_own(enum):
            return member
        return self._named(self.constants, f"{self._constant(enum)}_{name.upper()}", member)

    def _named(self, constants: dict[str, str], name: str, source: str) -> str:
        """Return the constant that has *source*, called *name* or much like it."""
        while (self.structs | self.constants).get(name, source) != source:
            name += "_"
        constants[name] = source
        return name

    def _is_own(self, enum: EnumSpec) -> bool:
        return enum.owner is None or enum.owner.spec is self.spec

    def _constant(self, enum: EnumSpec) -> str:
        path = enum.owner.path[1:] if enum.owner and self._enums[enum.name] > 1 else ()
        return f"_{'_'.join([*path, enum.name]).upper()}"

    def opaque_class(self, name: tuple[str, ...]) -> str:
        """Return the source that names a class written elsewhere, in a module of its name."""
        self.siblings.add(name[0])
        return ".".join([module_alias(name[0]), *map(camel, name)])

    def process_class(self, name: str) -> str:
        """Return the source that names the class of a custom process ``some.module.name``."""
        *package, last = name.split(".")
        module = ".".join(package) or last
        self.foreign.add(module)
        return f"{module}.{camel(last)}"


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of any method: all names are attributes of ``self``."""

    module: Module

    def member(self, target: Member) -> str:
        """Return the source for a bare member name."""
        return f"self.{attribute_of(target)}"

    def calculation(self, target: Member) -> None:
        """Return None: calculated values have their names wherever they are used."""

    def special(self, name: str) -> str:
        """Return the source for a name that the language defines."""
        return _SPECIAL[name]

    def root_of(self, top: TypeSpec, source: str) -> str:  # noqa: ARG002  (others ask for it)
        """Return the source for the root of *source*."""
        return f"{source}._root"

    def class_of(self, type_: DataType | EnumSpec) -> str:
        """Return the source that names the class of a record or an enum."""
        match type_:
            case EnumSpec():
                return self.module.class_of(type_)
            case UserType(type=spec):
                return self.module.class_of(spec)
            case EnumType(enum=enum):
                return self.module.class_of(enum)
            case OpaqueType(name=name):
                return self.module.opaque_class(name)
        raise TypeError(type_)

    def label(self, enum: EnumSpec, name: str) -> str:
        """Return the source that names a member of an enum."""
        return self.module.label(enum, name)

    def attribute(self, target: Member) -> str:
        """Return the attribute that holds a member of a record."""
        return attribute_of(target)

    def late(self, name: str) -> str:
        """Return the attribute of a member that only the record itself may have."""
        return name

    def may_grow(self, node: ast.Expression) -> bool:  # noqa: ARG002  (others look at it)
        """Return False: the official output checks no result."""
        return False

    def calc(self, function: str) -> str:
        """Refuse: this output raises Python's own errors, as the official one does."""
        raise NotImplementedError(function)


class _Alignment:
    """The places of the fields in the types of one spec."""

    def __init__(self, spec: Spec) -> None:
        """Find the types that end between bytes where they begin so."""
        types = spec.top.walk()
        self._whole = {id(each) for each in types}
        while broken := {id(each) for each in types if not self._is_whole(each)} & self._whole:
            self._whole -= broken
        self.is_known = all(
            self._of_type(each.type, 0) == 0
            for imported in spec.with_imports()
            for type_ in imported.top.walk()
            for each in type_.instances
            if isinstance(each, Instance) and each.pos is None
        )
        """Whether an instance, which any expression may read, leaves its stream at a whole byte."""

    def after(self, field: Field, at: int | None) -> int | None:
        """Return the place after *field*, the first of whose values begins at *at*."""
        found = self._of_type(field.type, self.each(field, at))
        always = field.condition is None and field.repeat is None
        return found if always else _joined(at, found)

    def each(self, field: Field, at: int | None) -> int | None:
        """Return the place where every value of *field* begins."""
        return at if field.repeat is None else _joined(at, self._of_type(field.type, at))

    def _is_whole(self, spec: TypeSpec) -> bool:
        at: int | None = 0
        for each in spec.seq:
            at = self.after(each, at)
        return at == 0

    def _of_type(self, type_: DataType, at: int | None) -> int | None:
        match type_:
            case EnumType(base=base):
                return self._of_type(base, at)
            case BitsType(width=width):
                return None if at is None else (at + width) % 8
            case SwitchType(cases=cases):
                is_open = all(case.on is not None for case in cases)
                return _joined(
                    *(self._of_type(case.type, at) for case in cases), *([at] if is_open else [])
                )
            case UserType(delimiting=None, type=spec):
                return 0 if at == 0 and id(spec) in self._whole else None
            case OpaqueType(delimiting=None):
                return None
        return 0


def _joined(*places: int | None) -> int | None:
    """Return the place that all *places* are equal to, or None."""
    return places[0] if len(set(places)) == 1 else None
