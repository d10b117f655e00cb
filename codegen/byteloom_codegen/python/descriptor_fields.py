"""Fields that describe optional values: how long such a value is, or where it is stored.

An optional value is a parse instance, a field with a condition, or elements that a switch may leave
out.  Without the value, the describing field keeps what was read.  With it, a length follows from
the value; a position is kept while the value fits there, and the layout chooses a new one where it
does not, or where the record was made by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BytesType, Field, Instance, IntType, SwitchType, TypeSpec
from byteloom_codegen.nodes import asks_index, expressions_of, is_optional
from byteloom_codegen.python.derived_fields import can_follow, derived_fields, determines
from byteloom_codegen.python.names import attribute_name, hidden_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType

__all__ = ["Describes", "describing_fields"]


@dataclass(frozen=True, slots=True)
class Describes:
    """What a field describes.

    instance  the name of the instance, or the field, that it describes
    length    the source of the length, calculated from the value; "" where it is a position
    there     the source of the test whether the value is present
    is_field  whether it describes a field in sequence
    """

    instance: str
    length: str = ""
    there: str = ""
    is_field: bool = False


@lru_cache(maxsize=64)
def describing_fields(spec: TypeSpec) -> dict[str, Describes]:
    """Return the fields of *spec* that describe optional values; called for every field."""
    free = {field.name for field in spec.seq if can_follow(field)} - set(derived_fields(spec))
    found: dict[str, Describes] = {}
    for instance in spec.instances:
        if isinstance(instance, Instance):
            for name, describes in (*_lengths(instance), *_positions(instance, spec)):
                if name in free:
                    found.setdefault(name, describes)
    earlier: set[str] = set()
    for field in spec.seq:
        for name, describes in _optional(field):
            if name in free & earlier:
                found.setdefault(name, describes)
        earlier.add(field.name)
    return found


def _optional(field: Field) -> Iterator[tuple[str, Describes]]:
    """Yield what gives the length of *field*, or the number of its elements, if it has a value."""
    value, bare = f"self.{attribute_name(field.name)}", replace(field, condition=None)
    there = f"{value} is not None" if field.condition is not None else ""
    if bare.repeat and is_optional(replace(bare, repeat=None)):
        if asks_index(_on(bare.type)):
            return  # single elements may be missing
        bare, there = replace(bare, type=BytesType()), there or value
    if there:
        for name, source in determines(bare, value).items():
            yield name, Describes(field.name, source, there, is_field=True)


def _on(type_: DataType) -> ast.Expression | None:
    return type_.on if isinstance(type_, SwitchType) else None


def _lengths(instance: Instance) -> Iterator[tuple[str, Describes]]:
    for name, source in determines(instance, f"self.{hidden_name(instance.name)}").items():
        there = f"self.{hidden_name(instance.name)} is not None"
        yield name, Describes(instance.name, source, there)


def _positions(instance: Instance, spec: TypeSpec) -> Iterator[tuple[str, Describes]]:
    """Yield the field that is the position of *instance*, if it has no other use."""
    match instance.pos:
        case ast.Name(target=Field(type=IntType(signed=False)) as target):
            if _uses_of(target, spec) == 1:
                yield target.name, Describes(instance.name)


def _uses_of(field: Field, spec: TypeSpec) -> int:
    return sum(
        isinstance(node, ast.Name | ast.Attribute) and node.target is field
        for each in spec.spec.top.walk()
        for node in expressions_of(each)
    )
