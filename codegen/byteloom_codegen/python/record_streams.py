"""Which records keep the stream that they were read from, and which are read again when written.

Only a reader can check some types, so their written bytes are read again.  They have fields whose
sizes, counts, conditions or cases depend on what is left of a stream, or on what an instance reads
out of order: the stream that is being written has neither yet.  Or they have parse instances: an
edit elsewhere may change where they are, or the bytes that they share.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.expressions import Attribute, Call, Name
from byteloom_codegen.frontend.kinds import element, is_record
from byteloom_codegen.model import AnyType, DataType, Field, Instance, IoType, TypeSpec, UserType
from byteloom_codegen.nodes import expressions_of, names_in, of_member, user_types
from byteloom_codegen.python.checks import ends_with_stream
from byteloom_codegen.python.uses import Uses, reached

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Node
    from byteloom_codegen.python.scope import Module

__all__ = ["is_put_here", "is_taken_here", "needs_reading"]


def is_taken_here(type_: DataType, module: Module) -> bool:
    """Whether a record in bytes of its own is read by the reader of the record around it."""
    return (
        isinstance(type_, UserType)
        and type_.delimiting is not None
        and not type_.delimiting.is_filled_up
        and not type_.process
        and not _keeps_stream(type_.type, module)
        and not _sees_outer_streams(type_.type, module)
    )


def is_put_here(type_: DataType, module: Module) -> bool:
    """Whether such a record is written by the writer of the record around it.

    One that asks for the size of its stream needs a stream.
    """
    return (
        is_taken_here(type_, module)
        and isinstance(type_, UserType)
        and not any(
            isinstance(node, Attribute | Call)
            and isinstance(node.value.type, IoType)
            and getattr(node, "name", "") not in {"pos", "eof"}
            for spec in reached(type_.type)
            if spec is not None
            for node in expressions_of(spec)
        )
    )


def _keeps_stream(spec: TypeSpec, module: Module) -> bool:
    """Whether a record of *spec*, or one inside it, may ask for its stream later."""
    return any(
        each is None
        or id(each) in _uses(each, module).io
        or needs_reading(each)
        or any(isinstance(element(param.type), IoType | AnyType) for param in each.params)
        for each in reached(spec)
    )


def _sees_outer_streams(spec: TypeSpec, module: Module) -> bool:
    """Whether a record of *spec*, or one inside it, may ask for the stream of a record around it.

    It then has to be read from a window of its own: in a reader that is narrowed meanwhile, the
    records around would have the narrowed stream.
    """
    inside = [each for each in reached(spec) if each is not None]
    if any(is_record(element(param.type)) for each in inside for param in each.params):
        return True
    kept = module.uses.io or any(_uses(each, module).io for each in inside)
    return bool(kept) and any(
        isinstance(node, Name) and node.target is None and node.id in {"_parent", "_root"}
        for each in inside
        for node in expressions_of(each)
    )


def _uses(spec: TypeSpec, module: Module) -> Uses:
    """Return what types carry, with what *module* asks of the records of other specs."""
    if spec.spec is module.spec:
        return module.uses
    return Uses(spec.spec, navigable=module.navigable, importers=[module.spec])


def needs_reading(spec: TypeSpec) -> bool:
    """Whether a record of *spec* has to be read again to check that it was written correctly."""
    if spec.owner is not None:
        return False  # reading it may need a parent, or other records around it
    found, waiting = set[int](), [spec]
    while waiting:
        each = waiting.pop()
        if id(each) in found:
            continue
        found.add(id(each))
        if any(map(_guesses, each.seq)) or any(isinstance(x, Instance) for x in each.instances):
            return True
        for member in (*each.seq, *each.instances):
            users = user_types(member.type) if isinstance(member, Field) else ()
            waiting += [user.type for user in users if isinstance(user, UserType)]
    return False


def _guesses(field: Field) -> bool:
    """Whether only a reader can know the size, the count or the case of *field*."""
    plain = replace(field, loom={}, valid=None)
    repeat = field.repeat
    if (
        repeat
        and repeat.expression
        and repeat.kind == "until"
        and ends_with_stream(repeat.expression)
    ):
        plain = replace(plain, repeat=None)
    return any(map(_is_late, of_member(plain)))


def _is_late(node: Node) -> bool:
    """Whether *node* is a stream, or something that is read out of order."""
    if isinstance(node, ast.Attribute):
        return node.name == "_io" or isinstance(node.target, Instance)
    if not isinstance(node, ast.Name):
        return False
    return any(each.id == "_io" or isinstance(each.target, Instance) for each in names_in(node))
