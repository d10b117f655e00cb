"""The part of ``write`` for parse instances: each goes to its position, in whatever stream.

One that was neither read nor set is left alone: its bytes are kept with all others that no field
took.  One without a position is where it was read: before the first field in sequence that uses
it, or after them all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom_codegen.expressions import Attribute, Name
from byteloom_codegen.model import Field, Instance, TypeSpec, ValueInstance
from byteloom_codegen.nodes import STEPS, of_member
from byteloom_codegen.python.child_numbers import settled_numbers
from byteloom_codegen.python.derived_fields import Derived
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.names import hidden_name
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.templates import WRITE
from byteloom_codegen.python.translation import Translator
from byteloom_codegen.python.write_statements import WriteStatements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.python.scope import Module
    from byteloom_codegen.python.statements import Statement

__all__ = ["in_sequence", "placements"]


def placements(spec: TypeSpec, module: Module) -> list[Statement]:
    """Return the statements that write the parse instances of *spec*."""
    amid = {each.name for field in spec.seq for each in _asked_by(field, spec)}
    placed = [
        each for each in spec.instances if isinstance(each, Instance) and each.name not in amid
    ]
    if not placed:
        return []
    scope = MethodScope(module, spec, stream="io")
    put = [line for each in placed for line in _placed(each, scope)]
    return [*WRITE.lines("stream_asked"), *put]


def in_sequence(field: Field, spec: TypeSpec, module: Module) -> list[Statement]:
    """Return the statements that write the instances which are read just before *field*."""
    asked = _asked_by(field, spec)
    if not asked:
        return []
    scope = MethodScope(module, spec, stream="w")
    before = {
        each.name for other in spec.seq[: spec.seq.index(field)] for each in _asked_by(other, spec)
    }
    statements: list[Statement] = []
    for each in asked:
        if each.name not in before:
            value = f"self.{hidden_name(each.name)}"
            put = WriteStatements(scope).placed(each, value)
            statements += WRITE.lines("if_any", value=value, put=put)
    return statements


def _asked_by(field: Field, spec: TypeSpec) -> list[Instance]:
    """Return the instances without a position that are used before *field* is read."""
    instances = [each for each in spec.instances if isinstance(each, Instance)]
    placeless = [each for each in instances if each.pos is None and each.io is None]
    asked = {id(each) for each in _members_asked(field)} if placeless else set[int]()
    return [each for each in placeless if id(each) in asked]


def _members_asked(member: Field | ValueInstance, depth: int = 0) -> Iterator[object]:
    """Yield the members that *member* uses, in order, through value instances too."""
    late = member.valid if isinstance(member, Field) else None
    for node in of_member(member if late is None else replace(member, valid=None)):
        if isinstance(node, Name) and node.target is not None:
            yield node.target
            if isinstance(node.target, ValueInstance) and depth < STEPS:
                yield from _members_asked(node.target, depth + 1)


def _placed(instance: Instance, scope: MethodScope) -> list[Statement]:
    described = describing_fields(scope.here).items()
    derived = {name: Derived(each.instance, each.length) for name, each in described if each.length}
    settled = settled_numbers(scope.here)
    derived |= {name: Derived(each.by, "") for name, each in settled.items()}
    source, hidden = Translator(scope), f"self.{hidden_name(instance.name)}"
    stream = "io" if instance.io is None else _stream(instance.io, source)
    return WRITE.lines(
        "placed",
        value=hidden,
        stream=stream,
        name=str_literal(instance.name),
        position=source(instance.pos) if instance.pos is not None else "io.pos",
        put=WriteStatements(scope, derived).placed(instance, hidden),
    )


def _stream(node: Expression, source: Translator) -> str:
    """Return the source of the stream *node*, which may not have been opened yet."""
    if isinstance(node, Attribute) and node.name == "_io" and node.target is None:
        return WRITE.value("stream_of", value=source(node.value))
    return WRITE.value("stream_into", value=source(node))
