"""Specs that a command line names: compiled on the spot, with what they import.

A spec is code: the custom processors that it names are imported and run.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from os import environ, pathsep
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.inputs.files import named
from byteloom.cli.options.groups import option_group
from byteloom.cli.printing.advice import generator_imports
from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.cli.explorer.excerpts import Excerpts
    from byteloom.wire import Record
    from byteloom_codegen.model import Spec, TypeSpec

__all__ = ["Format", "SpecParts", "compiled", "imported", "loaded", "packaged", "spec_parts"]


@dataclass(frozen=True, slots=True)
class SpecParts:
    """What a spec needs besides its file: where its imports are, its classes, its parameters."""

    include: Annotated[
        list[Path] | None,
        typer.Option("--include", "-I", metavar="DIR", help="Look up absolute imports here."),
    ] = None
    classes: Annotated[
        list[Path] | None,
        typer.Option(
            "--classes",
            metavar="DIR",
            help="Import custom processors and opaque types from here; repeatable.",
        ),
    ] = None
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the spec; repeatable."),
    ] = None

    def params(self, spec: Spec) -> dict[str, Any]:
        """Return the parameters of *spec*; a usage error for a wrong one."""
        from byteloom.cli.inputs.spec_parameters import parameters

        try:
            return parameters(spec.top, self.param or [])
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--param") from error


ALONE = SpecParts()
"""A spec that needs nothing."""

spec_parts = option_group("parts", SpecParts)
"""Gives a command these options, and passes it a `SpecParts` as *parts*."""


@dataclass(frozen=True, slots=True)
class Format:
    """A compiled spec: its model, its top class, the description of every class.

    specs    the spec itself, and those that it imports
    """

    spec: Spec
    top: type[Record]
    types: dict[type, TypeSpec]
    specs: Sequence[Spec]

    def excerpts(self) -> Excerpts:
        """Return the lines of the specs that describe each field."""
        from byteloom.cli.explorer.excerpts import Excerpts
        from byteloom_codegen.python.names import module_name
        from byteloom_codegen.spec_lines import spec_lines

        named = ((each, Path(each.file).name) for each in self.specs)
        return Excerpts({module_name(each.name): spec_lines(each, name) for each, name in named})


@contextmanager
def compiled(path: Path, parts: SpecParts = ALONE) -> Iterator[Format]:
    """Compile the spec at *path* for use in the block; its mistakes are printed."""
    classes = parts.classes or []
    specs = loaded(path, parts.include or [], is_open=bool(classes))
    from byteloom_codegen.python.module import emit
    from byteloom_codegen.python.names import ClassNames, module_name

    texts = {module_name(each.name): emit(each, Path(each.file).name) for each in specs}
    with packaged(texts, classes) as name:
        types: dict[type, TypeSpec] = {}
        for each in specs:
            module, names = imported(f"{name}.{module_name(each.name)}", path), ClassNames(each)
            types |= {getattr(module, names.of(one)): one for one in each.top.walk()}
        (top,) = (cls for cls, one in types.items() if one is specs[0].top)
        yield Format(specs[0], top, types, specs)


def loaded(path: Path, include: Sequence[Path], *, is_open: bool) -> Sequence[Spec]:
    """Return the spec at *path*, and those that it imports; its mistakes are printed.

    is_open  whether types may be classes that are written elsewhere
    """
    named(str(path))
    with generator_imports():
        from byteloom_codegen.batch import load_batch, undecodable
    batch = load_batch([path], include, opaque_types=is_open)
    mistakes = [*batch.errors, *undecodable(batch.warnings)]
    if mistakes:
        for mistake in mistakes:
            typer.echo(str(mistake), err=True)
        raise typer.Exit(1)
    return batch.specs


@contextmanager
def packaged(texts: Mapping[str, str], classes: Sequence[Path]) -> Iterator[str]:
    """Make modules of *texts* a package that imports from *classes* too; yield its name."""
    from byteloom.cli.inputs.generated_modules import importing

    with importing() as package, _on_path(classes):
        name = package(texts)
        sys.modules[name].__path__ += [
            *map(str, classes),
            *filter(None, environ.get("PYTHONPATH", "").split(pathsep)),
        ]
        yield name


@contextmanager
def _on_path(folders: Sequence[Path]) -> Iterator[None]:
    """Let modules in *folders* be imported until the block ends."""
    before = sys.path[:]
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = before


def imported(module: str, spec: Path) -> Any:
    """Import the *module* that was generated from *spec*."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "").rpartition(".")[2]
        wanted = "wanted the module of a class that the spec names, see --classes and PYTHONPATH"
        raise ByteloomError(f"{spec}: found no module {missing}, {wanted}") from error
