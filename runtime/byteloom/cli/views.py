"""Reports in the chosen view: a tree, a dump, a page for a browser, or one JSON document."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.explorer.document import document_of, reading
from byteloom.cli.inputs.files import named
from byteloom.cli.options.documents import Document, print_document
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.outputs import STANDARD_OUTPUT, Force, check_output
from byteloom.cli.options.parsers import number
from byteloom.cli.printing.report import failure_json, prepare
from byteloom.cli.printing.rows import whole
from byteloom.cli.printing.streams import print_utf8
from byteloom.cli.printing.value_text import bytes_of
from byteloom.errors import ByteloomError, in_a_line
from byteloom.redaction import redacted
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.cli.explorer.document import Excerpts
    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node

__all__ = ["Full", "View", "check_view", "documented", "show", "viewed"]

Full = Annotated[bool, typer.Option("--full", help="Show all fields and bytes.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How a file is shown; as a tree, if neither *hex_* nor *html*."""

    hex_: Annotated[
        bool, typer.Option("--hex", help="Print every byte with the name of its field.")
    ] = False
    html: Annotated[
        bool,
        typer.Option("--html", help="Print a page for a browser: fields and bytes side by side."),
    ] = False
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="With --html, write the page to FILE; - is stdout.",
        ),
    ] = None
    force: Force = False
    depth: Annotated[
        int,
        typer.Option(
            "--depth", parser=number, metavar="LEVELS", help="Levels of structure to show."
        ),
    ] = 100
    full: Full = False


viewed = option_group("view", View)
"""Gives a command these options, and passes it a `View` as *view*."""


def check_view(view: View, form: Document, file: str) -> None:
    """Refuse views that contradict each other, and an output that is *file*, or exists already."""
    if view.hex_ and form is not Document.TEXT:
        raise typer.BadParameter(f"it cannot be combined with --format {form}", param_hint="--hex")
    if view.html and (view.hex_ or form is not Document.TEXT):
        other = "--hex" if view.hex_ else f"--format {form}"
        raise typer.BadParameter(f"it cannot be combined with {other}", param_hint="--html")
    if view.output is not None and not view.html:
        raise typer.BadParameter("it needs --html; > writes other forms", param_hint="--output")
    if view.output not in {None, STANDARD_OUTPUT}:
        check_output(view.output, [named(file)], force=view.force)


@contextmanager
def documented(file: str, form: Document) -> Iterator[None]:
    """Print a document, if one is wanted, even if the block cannot read *file*."""
    try:
        yield
    except ByteloomError as error:
        if form is not Document.TEXT:
            print_document(failure_json(file, error), form)
        raise


def show(report: Report, view: View, form: Document, excerpts: Excerpts) -> None:
    """Print *report*, and raise its error where it has one.

    excerpts  the lines of specs that a page shows with its fields
    """
    prepare(report)
    if form is not Document.TEXT:
        print_document(report.json(), form)
    elif view.html:
        _print_html(report, excerpts, None if view.output == STANDARD_OUTPUT else view.output)
    elif view.hex_:
        _print_hex(report, full=view.full)
    else:
        _print_text(report, depth=view.depth, full=view.full)
    if report.error is not None:
        raise report.error


def _print_text(report: Report, *, depth: int, full: bool) -> None:
    from byteloom.cli.printing.tree import console, print_report

    print_report(report, console(), depth=depth, full=full)


def _print_html(report: Report, excerpts: Excerpts, output: str | None) -> None:
    from byteloom.cli.explorer.page import embedded, page_of

    document = document_of(report, excerpts)
    page = page_of(document, embedded(document, reading(report)))
    if output is None:
        print_utf8()
        typer.echo(page, nl=False)
        return
    data = page.encode()
    with whole(output) as target:
        target.write(data)
    typer.echo(bytes_of(len(data)))


def _print_hex(report: Report, *, full: bool) -> None:
    from byteloom.cli.printing.hexdump import dump  # late, as each view

    def show(title: str, root: Node, read: Callable[[int, int], bytes]) -> None:
        typer.echo(title)
        for offset, data, label in dump(root, read, full=full):
            typer.echo(f"{offset}  {data}  {label}".rstrip())

    source = report.source
    show(f"{in_a_line(redacted(source.name))}: {report.title}", report.root, source.read)
    for part in report.decoded:
        with closing(open_source(part.load())) as data:
            show(f"\n{part.name} decoded", part.root, data.read)
