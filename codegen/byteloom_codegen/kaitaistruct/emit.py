"""A spec and all it imports become a flat folder of modules."""

from __future__ import annotations

from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from byteloom_codegen.kaitaistruct.names import module_alias
from byteloom_codegen.kaitaistruct.scope import Module
from byteloom_codegen.kaitaistruct.view import class_view
from byteloom_codegen.python.docs import docstring
from byteloom_codegen.python.layout import wrapped
from byteloom_codegen.python.names import module_name
from byteloom_codegen.python.statements import Statement, indented

if TYPE_CHECKING:
    from byteloom_codegen.model import Spec

__all__ = ["emit", "emit_module"]


def emit(spec: Spec) -> dict[str, str]:
    """Return the modules of *spec* and of what it imports: file name to text."""
    return {f"{module_name(each.name)}.py": emit_module(each) for each in spec.with_imports()}


def emit_module(spec: Spec) -> str:
    """Return the module of *spec*, which imports those of its imports from the same folder."""
    module = Module.of(spec)
    top = class_view(spec.top, module)
    siblings = {
        module_name(name): module_alias(name) for name in sorted(module.siblings - {spec.name})
    }
    return (
        _templates()
        .get_template("module.py.jinja")
        .render(
            source=PurePath(spec.file).name,
            top=top,
            standard=sorted(module.standard),
            runtime=sorted(module.runtime_names),
            siblings=siblings,
            foreign=sorted(module.foreign),
        )
    )


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("byteloom_codegen", "templates/kaitaistruct"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (the output is Python, not HTML)
    )
    templates.filters["lines"] = _lines
    templates.filters["wrapped"] = lambda line, depth: "\n".join(wrapped(line, depth))
    templates.filters["docstring"] = docstring
    return templates


def _lines(statements: list[Statement], depth: int) -> str:
    """Return statements as text, *depth* levels deep."""
    lines = indented(statements, depth)
    return "\n".join(line for level, text in lines for line in wrapped(text, level))
