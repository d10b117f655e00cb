"""``byteloom compat``: whether two versions of a spec are compatible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.files import STANDARD_INPUT, content
from byteloom.cli.options.documents import Document, document, print_document
from byteloom.cli.options.parsers import one_of
from byteloom.cli.printing.advice import generator_imports
from byteloom_codegen.compat import Aspect, compare
from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.reference.prose import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.compat import Report
    from byteloom_codegen.model import Spec

__all__ = ["app"]

app = Application()

NEEDS: Final = ("old-files", "new-files", "writers", "programs")
DEFAULT: Final = ("old-files", "writers", "programs")

UNUSABLE: Final = 2
"""The exit status for an invalid spec, which cannot be compared."""


@app.command()
@document
def compat(
    old: Annotated[
        Path,
        typer.Argument(
            metavar="OLD", help="The old version of the spec (.ksy); - is standard input."
        ),
    ],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The new version.")],
    include: Annotated[
        list[Path] | None,
        typer.Option("--include", "-I", metavar="DIR", help="Look up absolute imports here."),
    ] = None,
    need: Annotated[
        list[str] | None,
        typer.Option(
            "--need",
            metavar="WHAT",
            help=f"What must keep working, repeatable: {', '.join(NEEDS)}. "
            f"[default: {', '.join(DEFAULT)}]",
            show_default=False,
            autocompletion=one_of(*NEEDS),
        ),
    ] = None,
    *,
    form: Document,
) -> None:
    """Show which files and programs of one version of a spec work with another version.

    A line for each difference begins with one word. harmless: nothing changes for anyone; readable:
    the new version reads old files, the old one may not read new files; writable: the old version
    reads new files, the new one may not read old files; breaking: neither holds, or programs must
    change.

    Exit status: 0 what is needed keeps working; 1 it does not; 2 wrong usage, or an invalid spec.
    """
    needs = tuple(need or DEFAULT)
    if unknown := sorted(set(needs) - set(NEEDS)):
        wanted = f"found {unknown[0]}, wanted one of {', '.join(NEEDS)}"
        raise typer.BadParameter(wanted, param_hint="--need")
    if str(old) == str(new) == STANDARD_INPUT:
        wanted = f"found {STANDARD_INPUT} twice, wanted one version from standard input"
        raise typer.BadParameter(wanted, param_hint="OLD NEW")
    report = _compared(old, new, include or [])
    broken = report.broken(_aspects(needs))
    if form is not Document.TEXT:
        print_document(report.json(_aspects(needs)), form)
    else:
        for finding in report.findings:
            typer.echo(finding)
        typer.echo(_summary(report, needs))
    if broken:
        raise typer.Exit(1)


def _aspects(needs: Sequence[str]) -> list[Aspect]:
    return [Aspect(each) for each in needs]


def _summary(report: Report, needs: Sequence[str]) -> str:
    """Return a sentence that says whom of *needs* the change harms, and another for the rest."""
    if not report.findings:
        return "The specs do not differ."
    harmed = [each.value for each in report.harmed(_aspects(needs))]
    others = [each.value for each in report.harmed(list(Aspect)) if each.value not in needs]
    options = " ".join(f"--need {each}" for each in others)
    more = f"harms {listed(others)}, which count only with {options}." if others else ""
    if harmed:
        return f"The change harms {listed(harmed)}.{f' It also {more}' if more else ''}"
    return f"The change harms no {listed(needs, 'or')}.{f' It {more}' if more else ''}"


def _compared(old: Path, new: Path, include: Sequence[Path]) -> Report:
    with generator_imports():
        from byteloom_codegen.load import load_bytes, load_spec
    other = new if str(old) == STANDARD_INPUT else old

    def loaded(path: Path) -> Spec:
        if str(path) != STANDARD_INPUT:
            return load_spec(path, include_dirs=include)
        # It imports what the other version does, which is beside that.
        name = str(other.parent / "standard input")
        return load_bytes(content(STANDARD_INPUT), name, include_dirs=include)

    try:
        return compare(*(loaded(path) for path in (old, new)))
    except SpecErrors as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(UNUSABLE) from error
