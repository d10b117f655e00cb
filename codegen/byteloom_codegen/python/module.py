"""A spec becomes the text of a Python module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.python.docs import prose
from byteloom_codegen.python.literals import int_literal
from byteloom_codegen.python.names import member_name
from byteloom_codegen.python.record import record_view
from byteloom_codegen.python.scope import Module
from byteloom_codegen.python.templates import templates
from byteloom_codegen.python.view import EnumView, Label, ModuleView, RecordView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.model import EnumSpec, Spec
    from byteloom_codegen.python.statements import Statement

__all__ = ["emit"]


def emit(
    spec: Spec,
    source: str,
    *,
    navigable: bool = False,
    flat: bool = False,
    importers: Iterable[Spec] = (),
) -> str:
    """Return the module of *spec*.

    source     the path that its header names
    navigable  every record carries its parent, its root and its stream, used or not
    flat       whether the folder that it will be in is not a package
    importers  specs whose modules use it
    """
    template = templates().get_template("module.py.jinja")
    module = Module.of(spec, navigable=navigable, importers=importers)
    view = _module_view(module, source, flat=flat)
    return template.render(module=view).rstrip() + "\n"


def _module_view(module: Module, source: str, *, flat: bool) -> ModuleView:
    spec = module.spec
    types = spec.top.walk()
    enums = [_enum_view(enum, module) for each in types for enum in each.enums.values()]
    records = [record_view(each, module) for each in types]
    return ModuleView(
        header=(
            f"# Written by byteloom-codegen from {source}; do not edit.",
            "# To change it, edit that file and generate again.",
        ),
        doc=tuple(prose(_sentence(spec.title), f"The format `{spec.name}`.")),
        imports=_imports(module, records, has_enums=bool(enums), flat=flat),
        exports=sorted([*(each.name for each in enums), *(each.name for each in records)]),
        enums=enums,
        records=records,
    )


def _sentence(title: str) -> str:
    """Return the title of a spec as the first line of a docstring."""
    title = title.strip()
    return f"{title}." if title and title[-1] not in ".!?" else title


def _enum_view(enum: EnumSpec, module: Module) -> EnumView:
    return EnumView(
        name=module.class_of(enum),
        doc=tuple(prose(enum.doc, f"The values of `{enum.name}`.")),
        labels=[
            Label(
                name=member_name(each.name),
                value=int_literal(each.value),
                doc=tuple(prose(each.doc)) if each.doc.strip() else (),
            )
            for each in enum.members
        ],
    )


def _imports(
    module: Module, records: list[RecordView], *, has_enums: bool, flat: bool
) -> list[list[Statement]]:
    attributes = [each for record in records for each in record.attributes]
    hides = any(each.hidden or each.default.startswith("field(") for each in attributes)
    standard: list[Statement] = [f"from dataclasses import dataclass{', field' if hides else ''}"]
    if has_enums:
        standard.append("from enum import IntEnum")
    if module.partial:
        standard.append("from functools import partial")
    if module.keeps_nans:
        standard.append("from math import isnan")
    others = module.siblings.statements(flat=flat)
    typing = {"ClassVar", "Self", *module.typing}
    if flat and others:
        typing.add("TYPE_CHECKING")
    standard.append(f"from typing import {', '.join(sorted(typing))}")
    wire = {"Reader", "Record", "Writer", *module.wire}
    ours: list[Statement] = [f"from byteloom.wire import {', '.join(sorted(wire))}"]
    if has_enums:
        module.calc.add("labels")
    if module.calc:
        ours.append(f"from byteloom.wire.calc import {', '.join(sorted(module.calc))}")
    untyped = "  # type: ignore[import-not-found,import-untyped,unused-ignore]"
    standard += [f"import {name}{untyped}" for name in sorted(module.processors)]
    return [standard, ours, others] if others else [standard, ours]
