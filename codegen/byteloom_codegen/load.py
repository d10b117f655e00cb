"""Specs: from a `.ksy` file to the resolved, typed and checked model.

All mistakes of a file and of its imports are reported together.  The passes run in their order,
each over a file and all that it imports.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from byteloom_codegen.errors import Problems, SpecError, SpecErrors
from byteloom_codegen.expressions import Node
from byteloom_codegen.frontend.attributes import read_members
from byteloom_codegen.frontend.expression_checks import Checker
from byteloom_codegen.frontend.imports import Importer, decoded
from byteloom_codegen.frontend.inference import AlreadyReportedError, TypeInference
from byteloom_codegen.frontend.kinds import combined
from byteloom_codegen.frontend.names import Context, Parents
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.style import check_names
from byteloom_codegen.frontend.type_names import Scope
from byteloom_codegen.frontend.yaml_tree import parse
from byteloom_codegen.model import (
    AnyType,
    DataType,
    Field,
    Location,
    Spec,
    SwitchType,
    TypeSpec,
    ValueInstance,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from byteloom_codegen.frontend.outline import Unit

__all__ = ["load_bytes", "load_spec", "load_text"]


def load_spec(
    path: str | PathLike[str],
    *,
    include_dirs: Iterable[str | PathLike[str]] = (),
    opaque_types: bool = False,
) -> Spec:
    """Return the model of a `.ksy` file.

    include_dirs  folders in which absolute imports are looked up, in this order; after them come
                  those of the environment variable KSPATH
    opaque_types  unknown types are classes written elsewhere, where a file does not say otherwise
    errors        SpecErrors: everything that is wrong, with its place
    """

    def read(importer: Importer) -> Unit:
        return importer.read(Path(path), str(path))

    return _load(read, str(path), include_dirs, opaque_types=opaque_types)


def load_text(
    text: str, name: str = "<text>", *, include_dirs: Iterable[str | PathLike[str]] = ()
) -> Spec:
    """Return the model of a spec given as text.

    name  its name in errors; relative imports start at its folder
    """

    def read(importer: Importer) -> Unit:
        return importer.add(Path(name), Place(*parse(text, name)))

    return _load(read, name, include_dirs)


def load_bytes(
    data: bytes, name: str = "<text>", *, include_dirs: Iterable[str | PathLike[str]] = ()
) -> Spec:
    """Return the model of a spec given as the bytes of its file.

    name  its name in errors; relative imports start at its folder
    """

    def read(importer: Importer) -> Unit:
        return importer.add(Path(name), Place(*parse(decoded(data, name), name)))

    return _load(read, name, include_dirs)


def _load(
    read: Callable[[Importer], Unit],
    name: str,
    include_dirs: Iterable[str | PathLike[str]],
    *,
    opaque_types: bool = False,
) -> Spec:
    problems = Problems()
    environment = filter(None, os.environ.get("KSPATH", "").split(os.pathsep))
    folders = [Path(folder) for folder in (*include_dirs, *environment)]
    importer = Importer(folders, problems, opaque_types=opaque_types)
    try:
        unit = read(importer)
        _resolve(importer.units.values(), problems)
    except SpecError as error:
        raise SpecErrors((error,)) from None
    except RecursionError:
        text = "calculated values lead to each other through too many steps"
        deep = SpecError(Location(name, 1, 1), text)
        raise SpecErrors((deep,)) from None
    problems.raise_if_any()
    unit.spec.warnings = tuple(problems.warnings)
    return unit.spec


def _resolve(units: Iterable[Unit], problems: Problems) -> None:
    """Turn the outlines of files into finished models."""
    units = list(units)
    for unit in units:
        unit.loaded = units
    scopes = {spec: Scope(spec, unit) for unit in units for spec in unit.spec.top.walk()}
    inference = TypeInference(scopes, Parents(), problems)
    for spec, scope in scopes.items():
        inference.broken |= read_members(scope.unit, spec, problems)
    for spec, scope in scopes.items():
        _combine_cases(spec)
        inference.pending |= {
            each: scope for each in spec.instances if isinstance(each, ValueInstance)
        }
    for unit in units:
        _infer_parents(unit, inference, problems)
    checker = Checker(inference, problems)
    for spec in scopes:
        spec.parent = inference.parents.of(spec)
        checker.check(spec)
    for unit in units:
        check_names(unit.spec.top.walk(), inference.references, unit.named_at, problems)


def _combine_cases(spec: TypeSpec) -> None:
    for member in (*spec.seq, *spec.instances):
        if isinstance(member, Field) and isinstance(member.type, SwitchType):
            member.type = replace(member.type, combined=_common(member.type))


def _infer_parents(unit: Unit, inference: TypeInference, problems: Problems) -> None:
    for reader, record in inference.parents.infer(unit.spec):
        with problems, suppress(AlreadyReportedError):
            if isinstance(record.parent, Node):
                inference.parents.note(
                    record.type, inference.type_of(record.parent, Context(inference.scopes[reader]))
                )


def _common(switch: SwitchType) -> DataType:
    found: DataType | None = None
    for case in switch.cases:
        found = case.type if found is None else combined(found, case.type) or AnyType()
    return found or AnyType()
