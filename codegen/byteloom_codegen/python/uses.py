"""Which records need their parent, their root or their stream.

Most need none of the three, and then carry none: a record is only as big as its fields.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.expressions import Node
from byteloom_codegen.model import (
    AnyType,
    DataType,
    EndianSwitch,
    Field,
    Instance,
    IoType,
    OpaqueType,
    Spec,
    StructType,
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.casts import is_loose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "STEPS", "Uses", "alternatives", "asks_index", "asks_place", "asks_stream", "expressions_of",
    "names_in", "of_member", "reached", "user_types", "walk",
]  # fmt: skip


STEPS: Final = 8
"""The most value instances between a value and a field that it is calculated from."""

_PLAIN: Final = frozenset({type(None), str, int, bool, float, bytes})
"""What holds no expressions: as half of the parts of an expression are."""


def walk(node: Any) -> Iterator[Node]:
    """Yield every expression node inside *node*: any part of a model but a type spec."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Node):
            yield each
        elif isinstance(each, list | tuple):
            waiting += reversed(each)
            continue
        elif isinstance(each, dict):
            waiting += reversed(each.values())
            continue
        for name in _parts(each.__class__):
            part = getattr(each, name, None)
            if part.__class__ not in _PLAIN:
                waiting.append(part)


@cache
def _parts(kind: type) -> list[str]:
    """Return the attributes of a part of a model that may hold expressions, the last one first.

    The type of an expression is left out: it says what the value is, and any expression in it is
    calculated elsewhere.
    """
    if not is_dataclass(kind) or issubclass(kind, TypeSpec):
        return []
    passed = () if issubclass(kind, Field) else ("type", "target", "location", "enum", "joints")
    return [each.name for each in reversed(fields(kind)) if each.name not in passed]


def alternatives(node: ast.Expression) -> Iterator[ast.Expression]:
    """Yield the conditions that *node* joins with ``or``, however they are nested."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.BoolOp) and each.op == "or":
            waiting += [each.right, each.left]
        else:
            yield each


def names_in(node: ast.Expression, depth: int = 0) -> Iterator[ast.Name]:
    """Yield the names that *node* is calculated from, through value instances as well."""
    for each in walk(node):
        if isinstance(each, ast.Name):
            yield each
            if isinstance(each.target, ValueInstance) and depth < STEPS:
                yield from names_in(each.target.value, depth + 1)


def asks_index(node: Any) -> bool:
    """Whether *node* uses the number of an element, which no value instance can use."""
    return any(isinstance(each, ast.Name) and each.id == "_index" for each in walk(node))


def asks_stream(node: Any) -> bool:
    """Whether *node* is calculated from a stream, which only a reader knows: of any record."""
    return any(
        (isinstance(each, ast.Name) and each.id == "_io")
        or (isinstance(each, ast.Attribute) and each.target is None and each.name == "_io")
        for each in _behind(node)
    )


def _behind(node: Any) -> Iterator[Node]:
    """Yield what *node* is calculated from, through the value instances of all records."""
    seen, waiting = set[int](), [node]
    while waiting:
        for each in walk(waiting.pop()):
            yield each
            target = each.target if isinstance(each, ast.Name | ast.Attribute) else None
            if isinstance(target, ValueInstance) and id(target) not in seen:
                seen.add(id(target))
                waiting.append(target.value)


def expressions_of(spec: TypeSpec) -> Iterator[Node]:
    """Yield every expression node of *spec* itself, not in its nested types."""
    for member in (*spec.seq, *spec.instances):
        yield from of_member(member)
    yield from walk(spec.to_string)
    if isinstance(spec.endian, EndianSwitch):
        yield from walk(spec.endian.on)
        yield from walk([on for on, _ in spec.endian.cases])


def of_member(member: Field | ValueInstance) -> Iterator[Node]:
    """Yield every expression node of *member*."""
    yield from walk(
        [
            member.condition,
            member.loom,
            member.valid and (*member.valid.values, member.valid.minimum, member.valid.maximum),
        ]
    )
    if isinstance(member, ValueInstance):
        yield from walk(member.value)
        return
    yield from walk(member.repeat and member.repeat.expression)
    yield from _of_type(member.type)
    if isinstance(member, Instance):
        yield from walk([member.pos, member.io])


def _of_type(type_: Any) -> Iterator[Node]:
    if isinstance(type_, SwitchType):
        yield from walk(type_.on)
        for case in type_.cases:
            yield from walk(case.on)
            yield from _of_type(case.type)
        return
    for name in ("delimiting", "process", "args", "parent"):
        part = getattr(type_, name, None)
        yield from walk(part)


def asks_place(instance: ValueInstance | Field) -> bool:
    """Whether a calculated value depends on the position of the stream at its first use."""
    return isinstance(instance, ValueInstance) and any(
        isinstance(node, ast.Attribute)
        and node.name in {"pos", "eof"}
        and isinstance(node.value.type, IoType)
        for node in walk([instance.value, instance.condition])
    )


def user_types(type_: Any) -> Iterator[UserType | OpaqueType]:
    """Yield the record types that a value of *type_* may have."""
    if isinstance(type_, UserType | OpaqueType):
        yield type_
    elif isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from user_types(case.type)


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
