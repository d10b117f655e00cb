"""Which records keep the stream that they were read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.expressions import Attribute, Call, Name
from byteloom_codegen.frontend.kinds import element, is_record
from byteloom_codegen.model import AnyType, DataType, IoType, TypeSpec, UserType
from byteloom_codegen.nodes import expressions_of
from byteloom_codegen.python.rereading import needs_reading
from byteloom_codegen.python.uses import Uses, reached

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import Module

__all__ = ["is_put_here", "is_taken_here"]


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
