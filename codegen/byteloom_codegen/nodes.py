"""The expression nodes in any part of a model: what values are made of, and what may be absent."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.expressions import Node
from byteloom_codegen.model import (
    DataType,
    EndianSwitch,
    Field,
    Instance,
    IoType,
    Member,
    OpaqueType,
    Param,
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "STEPS",
    "alternatives",
    "asks_index",
    "asks_place",
    "asks_stream",
    "expressions_of",
    "is_optional",
    "may_be_absent",
    "names_in",
    "of_member",
    "user_types",
    "walk",
]


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


def is_optional(target: Member | None) -> bool:
    """Whether a record may come without this member."""
    if target is None or isinstance(target, Param):
        return False
    if target.condition is not None:
        return True
    if isinstance(target, ValueInstance):
        return may_be_absent(target.value)
    return target.repeat is None and _may_read_nothing(target.type)


def may_be_absent(node: ast.Expression) -> bool:
    """Whether *node* is an instance that may be absent, or a choice with such an instance."""
    waiting = [node]
    for each in waiting:
        if isinstance(each, ast.Ternary):
            waiting += [each.yes, each.no]
        target = each.target if isinstance(each, ast.Name | ast.Attribute) else None
        if isinstance(target, Instance | ValueInstance) and is_optional(target):
            return True
    return False


def _may_read_nothing(type_: DataType) -> bool:
    return isinstance(type_, SwitchType) and all(case.on is not None for case in type_.cases)
