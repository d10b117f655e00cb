"""Fields that tell of what may not be there: how long it is, or where it stands.

That is a parse instance, or a field with a condition, or elements that a switch may leave out.  The
field holds what was read as long as there is no value.  Once there is one, its length follows from
it; its position is kept while the value fits there, and found anew by the layout where it does not,
or where the record was made by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BytesType, Field, Instance, IntType, SwitchType, TypeSpec
from byteloom_codegen.python.derive import can_follow, derived_fields, determines
from byteloom_codegen.python.names import attribute_name, hidden_name
from byteloom_codegen.python.translate import is_optional
from byteloom_codegen.python.uses import expressions_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType

__all__ = ["Told", "told_fields"]


@dataclass(frozen=True, slots=True)
class Told:
    """What a field says.

    instance  the name of the instance, or the field, that it is about
    length    the source of the value that the instance makes it; "" where it is a position
    there     the source of the test whether there is a value
    is_field  whether it is about a field in sequence
    """

    instance: str
    length: str = ""
    there: str = ""
    is_field: bool = False


@lru_cache(maxsize=64)
def told_fields(spec: TypeSpec) -> dict[str, Told]:
    """Return the fields of *spec* that tell of what may not be there; asked for at every field."""
    free = {field.name for field in spec.seq if can_follow(field)} - set(derived_fields(spec))
    told: dict[str, Told] = {}
    for instance in spec.instances:
        if isinstance(instance, Instance):
            for name, told_by in (*_lengths(instance), *_positions(instance, spec)):
                if name in free:
                    told.setdefault(name, told_by)
    earlier: set[str] = set()
    for field in spec.seq:
        for name, told_by in _optional(field):
            if name in free & earlier:
                told.setdefault(name, told_by)
        earlier.add(field.name)
    return told


def _optional(field: Field) -> Iterator[tuple[str, Told]]:
    """Yield what gives the length of *field*, or the number of its elements, if it has a value."""
    value, bare = f"self.{attribute_name(field.name)}", replace(field, condition=None)
    there = f"{value} is not None" if field.condition is not None else ""
    if bare.repeat and is_optional(replace(bare, repeat=None)):
        if any(isinstance(each, ast.Name) and each.id == "_index" for each in walk(_on(bare.type))):
            return  # single ones may be missing
        bare, there = replace(bare, type=BytesType()), there or value
    if there:
        for name, source in determines(bare, value).items():
            yield name, Told(field.name, source, there, is_field=True)


def _on(type_: DataType) -> ast.Expression | None:
    return type_.on if isinstance(type_, SwitchType) else None


def _lengths(instance: Instance) -> Iterator[tuple[str, Told]]:
    for name, source in determines(instance, f"self.{hidden_name(instance.name)}").items():
        there = f"self.{hidden_name(instance.name)} is not None"
        yield name, Told(instance.name, source, there)


def _positions(instance: Instance, spec: TypeSpec) -> Iterator[tuple[str, Told]]:
    """Yield the field that is the position of *instance*, and is there for nothing else."""
    match instance.pos:
        case ast.Name(target=Field(type=IntType(signed=False)) as target):
            if _uses_of(target, spec) == 1:
                yield target.name, Told(instance.name)


def _uses_of(field: Field, spec: TypeSpec) -> int:
    return sum(
        isinstance(node, ast.Name | ast.Attribute) and node.target is field
        for each in spec.spec.top.walk()
        for node in expressions_of(each)
    )
