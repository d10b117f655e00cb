"""Which records keep the stream that they were read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.expressions import Name
from byteloom_codegen.frontend.kinds import element, is_record
from byteloom_codegen.model import AnyType, IoType, TypeSpec
from byteloom_codegen.python.rereading import needs_reading
from byteloom_codegen.python.uses import Uses, expressions_of, reached

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import Module

__all__ = ["keeps_stream", "sees_outer_streams"]


def keeps_stream(spec: TypeSpec, module: Module) -> bool:
    """Whether a record of *spec*, or one inside it, may ask for its stream later."""
    return any(
        each is None
        or id(each) in _uses(each, module).io
        or needs_reading(each)
        or any(isinstance(element(param.type), IoType | AnyType) for param in each.params)
        for each in reached(spec)
    )


def sees_outer_streams(spec: TypeSpec, module: Module) -> bool:
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
