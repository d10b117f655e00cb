"""Derived fields, which follow from others and need not be set.

A size or a count that is alone (or with a constant added or multiplied) in the ``size`` or
``repeat-expr`` of a later field of the same record follows from that field's value; a field with
``-loom-derive`` follows from the expression it gives; a checksum follows from the bytes it covers.
One with a condition follows from a field with the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    EndianSwitch,
    Field,
    Instance,
    IntType,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)
from byteloom_codegen.nodes import STEPS, expressions_of, is_optional, names_in, walk
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.expressions import Node

__all__ = [
    "FUNCTIONS", "PROCESSOR", "Derived", "can_follow", "derived_fields", "determines",
    "is_checksum", "is_magic", "number_of_child", "seen_while_reading",
]  # fmt: skip


FUNCTIONS: Final = (
    "deflated", "encoded", "inner_of", "length_of", "processed", "size_of", "whole_quotient",
)  # fmt: skip
"""Functions of ``byteloom.wire.calc`` that the source of a derived field may call."""

PROCESSOR: Final = "<processor>"
"""The placeholder, in the source of a derived field, for the custom processor of its value."""


def is_magic(field: Field) -> bool:
    """Whether *field* always has the same bytes, and so is not part of a record's value."""
    return isinstance(field.type, ContentsType) and field.repeat is None


def is_checksum(field: Field) -> bool:
    """Whether *field* is computed from bytes, and so is not part of a record's value."""
    return "crc" in field.loom


@dataclass(frozen=True, slots=True)
class Derived:
    """Where a derived field comes from.

    by      the field that determines it; "" where ``-loom-derive`` gives an expression
    source  the Python source of its value; "" likewise
    """

    by: str
    source: str


@lru_cache(maxsize=64)
def derived_fields(spec: TypeSpec) -> dict[str, Derived]:
    """Return the fields of *spec* that follow from another's value; called for every field."""
    derived = {field.name: Derived("", "") for field in spec.seq if "derive" in field.loom}
    earlier: dict[str, Field] = {}
    for field in spec.seq:
        for name, source in determines(field).items():
            if name in earlier and name not in derived and earlier[name].condition is None:
                derived[name] = Derived(field.name, source)
        for name, source in _of_same_condition(field):
            if name in earlier and name not in derived and _alike(earlier[name], field, spec):
                derived[name] = Derived(field.name, source)
        if can_follow(replace(field, condition=None)):
            earlier[field.name] = field
    return derived


def _of_same_condition(field: Field) -> Iterator[tuple[str, str]]:
    """Yield fields derived from *field* that have the same condition."""
    if field.condition is not None:
        value = f"self.{attribute_name(field.name)}"
        for name, source in determines(replace(field, condition=None), value).items():
            yield name, f"{source} if {value} is not None else None"


def _alike(length: Field, field: Field, spec: TypeSpec) -> bool:
    """Whether *length* has the same condition as *field*, and nothing else uses it."""
    if length.condition is None or field.condition is None or "varint" in length.loom:
        return False
    settled = all(each.id != "_io" for each in names_in(length.condition))
    free = id(length) not in seen_while_reading(spec.spec.top.walk())
    return settled and free and unparse(length.condition) == unparse(field.condition)


def seen_while_reading(types: list[TypeSpec]) -> set[int]:
    """Return the fields (their ids) that may be used before their record is complete.

    Instances of the same type use them, or children through ``_parent`` and ``_root``.
    """
    seen: set[int] = set()
    for spec in types:
        for instance in spec.instances:
            seen |= {id(name.target) for name in walk(instance) if isinstance(name, ast.Name)}
        for node in expressions_of(spec):
            if (
                isinstance(node, ast.Attribute)
                and node.target is not None
                and not _complete(node.value)
            ):
                seen.add(id(node.target))
            if isinstance(node, ast.Name) and _in_endian(spec, node):
                seen.add(id(node.target))
    return seen


def _complete(value: ast.Expression) -> bool:
    """Whether *value* is a field of the record itself, which is used only once it was read."""
    while isinstance(value, ast.Index | ast.Cast | ast.Call):
        value = value.value
    return (
        isinstance(value, ast.Name)
        and isinstance(value.target, Field)
        and not isinstance(value.target, Instance)
    )


def _in_endian(spec: TypeSpec, node: ast.Name) -> bool:
    return isinstance(spec.endian, EndianSwitch) and any(
        node is each for each in walk(spec.endian.on)
    )


def can_follow(field: Field) -> bool:
    """Whether *field* is a plain number, which may follow from another value."""
    plain = (
        isinstance(field.type, IntType)
        or "varint" in field.loom
        or (isinstance(field.type, BitsType) and not field.type.is_bool)
    )
    return plain and field.condition is None and field.repeat is None


def determines(field: Field, value: str = "") -> dict[str, str]:
    """Return the names of the fields that *field* determines, with the source of each.

    value  the source of the value of *field*
    """
    if field.condition is not None and not value:
        return {}
    value = value or f"self.{attribute_name(field.name)}"
    if field.repeat is not None:
        if field.repeat.kind != "expr" or field.repeat.expression is None:
            return {}
        if is_optional(replace(field, repeat=None, condition=None)):
            return {}  # a switch without a match skips elements
        return _solved(field.repeat.expression, f"len({value})")
    if isinstance(field.type, SwitchType):
        size = _switched_size(field.type)
        measured = f"length_of({str_literal(field.name)}, {value})"
        return {} if size is None else _solved(size, measured)
    length = _length(field, value, str_literal(field.name))
    delimiting = getattr(field.type, "delimiting", None)
    if length is None or delimiting is None or delimiting.size is None:
        return {}
    return _solved(delimiting.size, length)


def _switched_size(type_: SwitchType) -> ast.Expression | None:
    """Return the size that all cases have, where all are records or bytes of one size."""
    sizes: list[ast.Expression] = []
    for case in type_.cases:
        if not isinstance(case.type, BytesType | UserType) or case.type.process is not None:
            return None
        ends = case.type.delimiting
        if ends is None or ends.size is None or ends.is_filled_up:
            return None
        sizes.append(ends.size)
    alike = len({unparse(size) for size in sizes}) == 1
    return sizes[0] if alike else None


def _length(field: Field, value: str, name: str) -> str | None:
    """Return the source of the size of *field* in bytes, where its value alone determines it."""
    if not isinstance(field.type, BytesType | StrType | UserType):
        return None
    delimiting, process = field.type.delimiting, field.type.process
    if delimiting is None or delimiting.is_filled_up:
        return None
    custom = process is not None and process.name not in {"zlib", "xor", "rol", "ror"}
    if custom and not all(map(_stands_alone, walk(process and process.args))):
        return None
    deflates = process is not None and process.name == "zlib"
    match field.type:
        case BytesType():
            raw = value
        case StrType(encoding=encoding):
            raw = f"encoded({value}, {str_literal(encoding or 'ascii')})"
        case UserType() if not deflates and not custom:
            return f"size_of({name}, {value})"
        case UserType():
            raw = f"inner_of({name}, {value})"
    if custom:
        return f"len(processed({raw}, {PROCESSOR}))"
    return f"len(deflated({raw}))" if deflates else f"len({raw})"


def _stands_alone(node: Node) -> bool:
    """Whether *node* is a literal, or an array of literals: arguments that depend on no field."""
    return isinstance(node, ast.Literal_ | ast.Array | ast.UnaryOp)


def number_of_child(node: Node) -> str:
    """Return ``header.len_body`` if *node* is such a field of a record beside it, else ""."""
    match node:
        case ast.Attribute(
            target=Field(type=IntType() | BitsType()),
            value=ast.Name(target=Field(type=UserType()) as child),
        ):
            return f"{child.name}.{node.name}"
    return ""


def _solved(node: ast.Expression, value: str, depth: int = 0) -> dict[str, str]:
    """Solve ``node = value`` for the one name in *node*, unless that is deep."""
    match node:
        case ast.Node(joints=tuple()):
            return {}
        case ast.Name(target=Field() as target):
            return {target.name: value}
        case ast.Attribute() if number_of_child(node):
            return {number_of_child(node): value}
        case ast.Attribute(name="value", value=ast.Name(target=Field() as target)) if (
            "varint" in target.loom
        ):
            return {target.name: value}
        case ast.BinaryOp(op="+", left=left, right=ast.Literal_(value=int(constant))):
            return _solved(left, f"{value} - {constant}")
        case ast.BinaryOp(op="+", left=ast.Literal_(value=int(constant)), right=right):
            return _solved(right, f"{value} - {constant}")
        case ast.BinaryOp(op="-", left=left, right=ast.Literal_(value=int(constant))):
            return _solved(left, f"{value} + {constant}")
        case ast.BinaryOp(
            op="*", left=ast.Name(target=Field() as target), right=ast.Literal_(value=int(constant))
        ):
            return {target.name: f"whole_quotient({value}, {constant})"} if constant > 0 else {}
        case ast.Name(target=ValueInstance(condition=None) as target) if depth < STEPS:
            return _solved(target.value, value, depth + 1)
    return {}
