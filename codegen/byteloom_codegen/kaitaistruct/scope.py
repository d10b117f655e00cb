"""Where names lead in a drop-in module, and what the module has to import for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.names import ClassPaths, attribute_of, label_names, module_alias
from byteloom_codegen.model import EnumSpec, EnumType, OpaqueType, TypeSpec, UserType
from byteloom_codegen.python.names import camel

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, Member, Spec

__all__ = ["Module", "Scope"]

_SPECIAL: Final = {
    "_root": "self._root",
    "_parent": "self._parent",
    "_io": "self._io",
    "_index": "i",
    "_": "_",
}


@dataclass(slots=True)
class Module:
    """One module while its view is being made.

    read_write  whether its classes write, too, and read by a call of its own
    runtime   names imported from ``kaitaistruct``
    standard  modules of the standard library
    siblings  modules of other specs, which are in the same folder
    foreign   modules of process classes, which are wherever Python finds them
    helpers   functions of the module itself, which write
    """

    spec: Spec
    paths: ClassPaths
    read_write: bool = False
    runtime_names: set[str] = field(default_factory=set)
    standard: set[str] = field(default_factory=set)
    siblings: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, spec: Spec, *, read_write: bool = False) -> Module:
        """Begin the module of *spec*."""
        return cls(spec, ClassPaths(spec), read_write)

    @property
    def base(self) -> str:
        """The source for the class of the runtime that records derive from."""
        return self.runtime("ReadWriteKaitaiStruct" if self.read_write else "KaitaiStruct")

    def runtime(self, name: str) -> str:
        """Return the source for a class of the runtime, past any class of the spec of that name."""
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

    def special(self, name: str) -> str:
        """Return the source for a name that the language gives."""
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
        return f"{self.class_of(enum)}.{label_names(enum)[name]}"

    def attribute(self, name: str) -> str:
        """Return the attribute for a member known by name alone."""
        return name

    def may_grow(self, node: ast.Expression) -> bool:  # noqa: ARG002  (others look at it)
        """Say no: the official output looks at no result."""
        return False

    def calc(self, function: str) -> str:
        """Refuse: this output raises Python's own errors, as the official one does."""
        raise NotImplementedError(function)
