"""``byteloom generate``: specs in, Python and reference pages out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.commands import Output

__all__ = ["generate"]


def generate(  # noqa: PLR0913  (one for each option)
    specs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SPEC...]",
            help="Specs (.ksy) or folders of them; without any, all of this repository.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for what SPEC becomes."),
    ] = None,
    include: Annotated[
        list[Path] | None,
        typer.Option("--include", "-I", metavar="DIR", help="Look up absolute imports here."),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", metavar="DIR", help="Folder for reference pages of SPEC."),
    ] = None,
    *,
    scanners: Annotated[
        bool,
        typer.Option(
            "--scanners", metavar="", help="Add scanners: repeated records as Arrow columns."
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", metavar="", help="Write nothing; print a diff if code is stale, exit 1."
        ),
    ] = False,
) -> None:
    """Turn specs into typed readers and writers, and pages; current files are left alone."""
    if (output is None and reference is None) != (not specs):
        raise typer.BadParameter("SPEC and -o or --reference go together", param_hint="-o")
    outputs = _outputs(specs or [], output, reference, include or [])
    if scanners and output and specs:
        outputs = _with_scanners(outputs, specs, output, include or [])
    if not check:
        from byteloom_codegen.commands import write

        for path in write(outputs):
            typer.echo(path)
        return
    stale = [each for each in outputs if not each.is_current]
    for each in stale:
        typer.echo(each.diff(), nl=False)
    if stale:
        files = "file is" if len(stale) == 1 else "files are"
        raise ByteloomError(f"{len(stale)} generated {files} stale: run `byteloom generate`")


def _with_scanners(
    outputs: list[Output], specs: Sequence[Path], output: Path, include: Sequence[Path]
) -> list[Output]:
    """Return *outputs* and all scanners, having told what has none."""
    from byteloom_codegen.commands import scanners_of_specs

    made, reasons = scanners_of_specs(specs, output, include)
    for reason in reasons:
        typer.echo(f"{reason}: no scanner", err=True)
    paths = {each.path for each in made}
    return [*(each for each in outputs if each.path not in paths), *made]


def _outputs(
    specs: Sequence[Path], output: Path | None, reference: Path | None, include: Sequence[Path]
) -> list[Output]:
    try:
        from byteloom.cli.tracing import tracing
        from byteloom_codegen import commands
        from byteloom_codegen.errors import GenerateError, SpecErrors
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("byteloom"):
            raise
        wanted = "wanted what `pip install byteloom[codegen]` brings"
        raise ByteloomError(f"generate: found no module {error.name}, {wanted}") from error
    try:
        with tracing() as tracer:
            if not specs:
                return commands.outputs_of_repository(Path.cwd(), tracer)
            made = commands.outputs_of_specs(specs, output, include) if output else []
            if reference:
                made += commands.pages_of_specs(specs, reference, tracer, include)
            return made
    except SpecErrors as error:
        for mistake in error.errors:
            typer.echo(str(mistake), err=True)
        raise typer.Exit(1) from error
    except GenerateError as error:
        raise ByteloomError(str(error)) from error
