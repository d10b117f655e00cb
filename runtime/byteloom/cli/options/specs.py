"""Options about specs: what one needs besides its file, and what is made of it, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.options.groups import option_group
from byteloom.cli.options.outputs import Force

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ALONE", "Api", "Generation", "SpecParts", "generation", "spec_parts"]


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


ALONE = SpecParts()
"""A spec that needs nothing."""

spec_parts = option_group("parts", SpecParts)
"""Gives a command these options, and passes it a `SpecParts` as *parts*."""


class Api(StrEnum):
    """The interface of generated classes."""

    RECORDS = "records"
    KAITAISTRUCT = "kaitaistruct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What is made of specs: modules, pages or both, of which kind, and where they go."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the generated modules."),
    ] = None
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "--include",
            "-I",
            metavar="DIR",
            help="Look up absolute imports here, before the folders of KSPATH; repeatable.",
        ),
    ] = None
    api: Annotated[
        Api,
        typer.Option(
            metavar="API",
            help="records: typed classes that read and write. kaitaistruct: the classes of the "
            "official compiler, for programs written for it; they need its Python runtime.",
        ),
    ] = Api.RECORDS
    reference: Annotated[
        Path | None,
        typer.Option("--reference", metavar="DIR", help="Folder for reference pages."),
    ] = None
    sample: Annotated[
        Path | None,
        typer.Option(
            "--sample",
            metavar="FILE",
            help="With --reference: a file of the first SPEC's format; the page shows its bytes.",
        ),
    ] = None
    package: Annotated[
        bool | None,
        typer.Option(
            "--package/--flat",
            help="Modules import each other as parts of a package, or by bare names. "
            "[default: a package where DIR has an __init__.py]",
            show_default=False,
        ),
    ] = None
    opaque_types: Annotated[
        bool,
        typer.Option("--opaque-types", help="Allow unknown types: handwritten classes."),
    ] = False
    read_write: Annotated[
        bool,
        typer.Option(
            "--read-write",
            help="With --api kaitaistruct: the interface of its read-write mode.",
        ),
    ] = False
    scanners: Annotated[
        bool,
        typer.Option("--scanners", help="Add scanners: repeated records as Arrow columns."),
    ] = False
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; print a diff if code is stale, exit 1."),
    ] = False
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Keep running, and generate again when a spec changes."),
    ] = False
    force: Force = False

    def refuse_contradictions(self, specs: Sequence[Path]) -> None:
        """Refuse options that do not go together, or not with *specs*; `typer.BadParameter`."""
        if specs and self.output is None and self.reference is None:
            raise typer.BadParameter("SPEC needs it: name a folder with -o DIR", param_hint="-o")
        if not specs and (self.output is not None or self.reference is not None):
            raise typer.BadParameter("name a SPEC to go there", param_hint="-o, --reference")
        has_messages = any(each.suffix == ".proto" for each in specs or ())
        if self.api is Api.KAITAISTRUCT and (self.scanners or has_messages or self.output is None):
            wanted = "needs SPEC (.ksy) and -o, and has no scanners"
            raise typer.BadParameter(wanted, param_hint="--api kaitaistruct")
        if self.read_write and self.api is not Api.KAITAISTRUCT:
            raise typer.BadParameter("records write anyway", param_hint="--read-write")
        if self.sample is not None and self.reference is None:
            raise typer.BadParameter("needs a folder for the page", param_hint="--sample")
        if self.watch and (self.check or not specs):
            raise typer.BadParameter("needs SPEC, and writes", param_hint="--watch")


generation = option_group("options", Generation)
"""Gives a command these options, and passes it a `Generation` as *options*."""
