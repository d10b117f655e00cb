"""Which records keep the stream that they were read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import AnyType, IoType, TypeSpec
from byteloom_codegen.python.rereading import needs_reading
from byteloom_codegen.python.uses import Uses, reached

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import Module

__all__ = ["keeps_stream"]


def keeps_stream(spec: TypeSpec, module: Module) -> bool:
    """Whether a record of *spec*, or one inside it, may ask for its stream later."""
    return any(
        each is None
        or id(each) in _uses(each, module).io
        or needs_reading(each)
        or any(isinstance(param.type, IoType | AnyType) for param in each.params)
        for each in reached(spec)
    )


def _uses(spec: TypeSpec, module: Module) -> Uses:
    """Return what types carry, with what *module* asks of the records of other specs."""
    if spec.spec is module.spec:
        return module.uses
    return Uses(spec.spec, navigable=module.navigable, importers=[module.spec])
