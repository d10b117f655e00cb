"""A spec and all it imports become a flat folder of modules."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.names import module_alias
from byteloom_codegen.kaitaistruct.scope import Module
from byteloom_codegen.kaitaistruct.view import class_view
from byteloom_codegen.python.names import module_name
from byteloom_codegen.python.templates import templates

if TYPE_CHECKING:
    from byteloom_codegen.model import Spec

__all__ = ["emit", "emit_module"]


_HELPERS_WITH: Final = {
    "BytesIO": {"back", "terminated"},
    "KaitaiStream": {"back", "end", "numbers", "reader", "terminated"},
}
"""The functions of a module that use each class of the runtime."""


def emit(spec: Spec, *, read_write: bool = False) -> dict[str, str]:
    """Return the modules of *spec* and of what it imports: file name to text."""
    return {
        f"{module_name(each.name)}.py": emit_module(each, read_write=read_write)
        for each in spec.with_imports()
    }


def emit_module(spec: Spec, *, read_write: bool = False) -> str:
    """Return the module of *spec*, which imports those of its imports from the same folder.

    In read-write mode classes do not read when they are constructed, and can write.
    """
    module = Module.of(spec, read_write=read_write)
    top = class_view(spec.top, module)
    runtime = {
        name: module.runtime(name)
        for name, helpers in _HELPERS_WITH.items()
        if module.helpers & helpers
    }
    siblings = {
        module_name(name): module_alias(name) for name in sorted(module.siblings - {spec.name})
    }
    return (
        templates("kaitaistruct")
        .get_template("module.py.jinja")
        .render(
            source=PurePath(spec.file).name,
            top=top,
            standard=sorted(module.standard),
            runtime=sorted(module.runtime_names),
            siblings=siblings,
            foreign=sorted(module.foreign),
            helpers=module.helpers,
            **runtime,
            structs=sorted(module.structs.items()),
            constants=sorted(module.constants.items()),
        )
    )
