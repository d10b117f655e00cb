"""Which records need their parent, their root or their stream.

Most need none of the three, and then carry none: a record is only as big as its fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    AnyType,
    DataType,
    EndianSwitch,
    Field,
    Instance,
    OpaqueType,
    Spec,
    StructType,
    SwitchType,
    TypeSpec,
    UserType,
)
from byteloom_codegen.nodes import expressions_of, user_types, walk
from byteloom_codegen.python.casts import is_loose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Uses", "reached"]


class Uses:
    """What every type of one spec has to carry."""

    def __init__(
        self, spec: Spec, *, navigable: bool = False, importers: Iterable[Spec] = ()
    ) -> None:
        """Find out for all types of *spec*.

        navigable  all of them carry all three
        importers  specs that import it, and may ask for the streams of its records
        """
        self.parent: set[int] = set()
        self.root: set[int] = set()
        self.io: set[int] = set()
        types = spec.top.walk()
        self._is_nested = any(user.type is spec.top for each in types for user in _held(each))
        for each in types:
            self._find(each, types)
            for carried in (self.parent, self.root, self.io) if navigable else ():
                carried.add(id(each))
        for importer in importers:
            self._find_streams(importer, {each.path: each for each in types})
        self._pass_on_root(types)
        self._pass_on_io(types)

    def _find_streams(self, importer: Spec, types: dict[tuple[str, ...], TypeSpec]) -> None:
        """Note the *types* of records whose streams another spec uses."""
        for node in (node for each in importer.top.walk() for node in expressions_of(each)):
            if isinstance(node, ast.Attribute) and node.target is None and node.name == "_io":
                asked = (types.get(each.path) for each in self._of(node.value.type, []))
                self.io |= {id(each) for each in asked if each is not None}

    def _find(self, spec: TypeSpec, types: list[TypeSpec]) -> None:
        derived = [each.loom.get("derive") for each in spec.seq]
        later = {id(node) for node in walk([spec.instances, spec.to_string, derived])}
        for node in expressions_of(spec):
            if isinstance(node, ast.Name) and node.target is None:
                if node.id != "_io" or id(node) in later:  # while reading, the reader is available
                    self._note(node.id, spec)
            elif isinstance(node, ast.Attribute) and node.target is None:
                of = AnyType() if is_loose(node.value) else node.value.type
                for each in self._of(of, types):
                    self._note(node.name, each)
        if any(isinstance(each, Instance) for each in spec.instances):
            self.io.add(id(spec))

    @staticmethod
    def _of(type_: DataType, types: list[TypeSpec]) -> list[TypeSpec]:
        """Return the types that a value of *type_* may have; all if that is not known."""
        if isinstance(type_, UserType | SwitchType):
            return [user.type for user in user_types(type_) if isinstance(user, UserType)]
        return types if isinstance(type_, StructType | AnyType) else []

    def has_root(self, spec: TypeSpec) -> bool:
        """Whether *spec* carries its root; one that is always the root itself does not."""
        return id(spec) in self.root and (spec.owner is not None or self._is_nested)

    def inherits_endian(self, spec: TypeSpec) -> bool:
        """Whether *spec* has the byte order that its owner decides while reading."""
        owner = spec.owner
        return (
            isinstance(spec.endian, EndianSwitch)
            and owner is not None
            and owner.endian is spec.endian
        )

    def _note(self, name: str, spec: TypeSpec) -> None:
        uses = {"_parent": self.parent, "_root": self.root, "_io": self.io}.get(name)
        if uses is not None:
            uses.add(id(spec))

    def _pass_on_io(self, types: list[TypeSpec]) -> None:
        """Mark as keeping their stream the types with records in them that read on demand."""
        lazy = {
            id(each)
            for each in _reachable(types)
            if any(isinstance(instance, Instance) for instance in each.instances)
        }
        for each in types:
            if any(id(below) in lazy for below in _reachable([each])):
                self.io.add(id(each))

    def _pass_on_root(self, types: list[TypeSpec]) -> None:
        """Mark as needing the root all types that read a record that needs it."""
        while True:
            before = len(self.root)
            for each in types:
                needed = [user.type for user in _held(each)]
                if any(id(spec) in self.root and spec.spec is each.spec for spec in needed):
                    self.root.add(id(each))
            if len(self.root) == before:
                return


def reached(spec: TypeSpec) -> Iterator[TypeSpec | None]:
    """Yield *spec* and the types of all records inside its records; None for an opaque one."""
    for each in _reachable([spec]):
        yield each
        for member in (*each.seq, *each.instances):
            if isinstance(member, Field) and any(
                isinstance(user, OpaqueType) for user in user_types(member.type)
            ):
                yield None


def _reachable(types: list[TypeSpec]) -> list[TypeSpec]:
    """Return *types* and the types of all records inside them, at any depth."""
    found: dict[int, TypeSpec] = {}
    waiting = list(types)
    while waiting:
        each = waiting.pop()
        if id(each) in found:
            continue
        found[id(each)] = each
        waiting += [user.type for user in _held(each)]
    return list(found.values())


def _held(spec: TypeSpec) -> Iterator[UserType]:
    """Yield the types of the records that *spec* reads."""
    for member in (*spec.seq, *spec.instances):
        if isinstance(member, Field):
            yield from (user for user in user_types(member.type) if isinstance(user, UserType))
