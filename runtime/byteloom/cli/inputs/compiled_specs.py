"""Specs compiled on the spot, with what they import, and their parameters.

Importing this takes the generator's libraries.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from byteloom.cli.explorer.document import Excerpts
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.generated_modules import imported, packaged
from byteloom.cli.options.specs import ALONE, SpecParts
from byteloom_codegen.batch import load_batch, undecodable
from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    EnumType,
    FloatType,
    IntType,
    StrType,
)
from byteloom_codegen.python.module import emit
from byteloom_codegen.python.names import ClassNames, module_name, parameter_name
from byteloom_codegen.spec_lines import spec_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.wire import Record
    from byteloom_codegen.model import DataType, Spec, TypeSpec

__all__ = ["Format", "compiled", "loaded", "parameters", "params_of"]


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
        named = ((each, Path(each.file).name) for each in self.specs)
        return Excerpts({module_name(each.name): spec_lines(each, name) for each, name in named})


@contextmanager
def compiled(path: Path, parts: SpecParts = ALONE) -> Iterator[Format]:
    """Compile the spec at *path* for use in the block; its mistakes are printed."""
    classes = parts.classes or []
    specs = loaded(path, parts.include or [], is_open=bool(classes))
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
    batch = load_batch([path], include, opaque_types=is_open)
    mistakes = [*batch.errors, *undecodable(batch.warnings)]
    if mistakes:
        for mistake in mistakes:
            typer.echo(str(mistake), err=True)
        raise typer.Exit(1)
    return batch.specs


def params_of(spec: Spec, parts: SpecParts) -> dict[str, Any]:
    """Return the parameters of *spec* that a command line gives; a usage error for a wrong one."""
    try:
        return parameters(spec.top, parts.param or [])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--param") from error


def parameters(spec: TypeSpec, given: Sequence[str]) -> dict[str, Any]:
    """Return the arguments for the ``read`` of a record from ``name=value`` texts.

    given   integers as Python writes them, bytes in hex, ``true`` and ``false``
    errors  ValueError: a parameter that is missing, unknown, or has no such value
    """
    texts = {name: value for name, _, value in (each.partition("=") for each in given)}
    wanted = {each.name: each.type for each in spec.params}
    for name in texts:
        if name not in wanted:
            raise ValueError(f"found {name}, wanted one of: {', '.join(wanted) or 'none'}")
    missing = [name for name in wanted if name not in texts]
    if missing:
        raise ValueError(f"{spec.name} wants {', '.join(f'{name}=...' for name in missing)}")
    return {parameter_name(name): _value(name, wanted[name], text) for name, text in texts.items()}


def _value(name: str, type_: DataType, text: str) -> Any:
    try:
        match type_:
            case BoolType() | BitsType(is_bool=True):
                return {"true": True, "false": False}[text]
            case IntType() | BitsType():
                return int(text, 0)
            case EnumType(enum=enum):
                labels = {each.name: each.value for each in enum.members}
                return labels[text] if text in labels else int(text, 0)
            case FloatType():
                return float(text)
            case StrType():
                return text
            case BytesType():
                return bytes.fromhex(text)
    except (ValueError, KeyError):
        raise ValueError(f"{name}: found {text!r}, wanted a value of its type") from None
    raise ValueError(f"{name}: wanted a record or a stream, which no command line can give")
