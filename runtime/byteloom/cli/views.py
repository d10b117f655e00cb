"""Print a report in the chosen view: a tree, a dump, a page, or one JSON document."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import typer

from byteloom.cli.inputs.files import named
from byteloom.cli.options.documents import Document, print_document
from byteloom.cli.options.outputs import STANDARD_OUTPUT, check_output
from byteloom.cli.printing.report import failure_json
from byteloom.cli.printing.rows import whole
from byteloom.cli.printing.secrets import prepare
from byteloom.cli.printing.streams import print_utf8
from byteloom.cli.printing.value_text import bytes_of
from byteloom.errors import ByteloomError, in_a_line
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.cli.explorer.excerpts import Excerpts
    from byteloom.cli.options.view import View
    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node

__all__ = ["check_view", "documented", "show"]


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
    from byteloom.cli.explorer.contents import reading
    from byteloom.cli.explorer.document import document_of
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
    from byteloom.cli.printing.hexdump import dump
    from byteloom.storage import open_source

    def show(title: str, root: Node, read: Callable[[int, int], bytes]) -> None:
        typer.echo(title)
        for offset, data, label in dump(root, read, full=full):
            typer.echo(f"{offset}  {data}  {label}".rstrip())

    source = report.source
    show(f"{in_a_line(redacted(source.name))}: {report.title}", report.root, source.read)
    for part in report.decoded:
        with closing(open_source(part.load())) as data:
            show(f"\n{part.name} decoded", part.root, data.read)
