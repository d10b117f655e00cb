"""Fields that tell of parse instances: how long one is, or where it stands.

Such a field holds what was read as long as nobody asked for the instance.  Once there is a value,
its length follows from it; its position is kept while the value fits there, and found anew by the
layout where it does not, or where the record was made by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import Field, Instance, IntType, TypeSpec
from byteloom_codegen.python.derive import can_follow, derived_fields, determines
from byteloom_codegen.python.names import hidden_name
from byteloom_codegen.python.uses import expressions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Told", "told_fields"]


@dataclass(frozen=True, slots=True)
class Told:
    """What a field tells.

    instance  the name of the instance that it is about
    length    the source of the value that the instance makes it; "" where it is a position
    """

    instance: str
    length: str = ""


def told_fields(spec: TypeSpec) -> dict[str, Told]:
    """Return the fields of *spec* that follow from its parse instances, once these have values."""
    free = {field.name for field in spec.seq if can_follow(field)} - set(derived_fields(spec))
    told: dict[str, Told] = {}
    for instance in spec.instances:
        if isinstance(instance, Instance):
            for name, told_by in (*_lengths(instance), *_positions(instance, spec)):
                if name in free:
                    told.setdefault(name, told_by)
    return told


def _lengths(instance: Instance) -> Iterator[tuple[str, Told]]:
    for name, source in determines(instance, f"self.{hidden_name(instance.name)}").items():
        yield name, Told(instance.name, source)


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
