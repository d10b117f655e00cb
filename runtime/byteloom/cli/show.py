"""A report in the view that was asked for: a tree, a dump, or one JSON document."""

from __future__ import annotations

from contextlib import closing, contextmanager
from copy import copy
from typing import TYPE_CHECKING

import typer

from byteloom.cli.documents import Document, print_document
from byteloom.cli.hiding import hide_secrets
from byteloom.cli.report import Damage, failure_json
from byteloom.errors import ByteloomError, FormatError
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.cli.report import Report
    from byteloom.wire import Node

__all__ = ["check_view", "documented", "show"]


def check_view(form: Document, *, as_hex: bool) -> None:
    """Refuse a dump that is to be a document; `typer.BadParameter`."""
    if as_hex and form is not Document.TEXT:
        raise typer.BadParameter(f"prints text, not --format {form}", param_hint="--hex")


@contextmanager
def documented(file: str, form: Document) -> Iterator[None]:
    """Let a program that asked for a document have one also where the block cannot read *file*."""
    try:
        yield
    except ByteloomError as error:
        if form is not Document.TEXT:
            print_document(failure_json(file, error), form)
        raise


def show(report: Report, *, form: Document, as_hex: bool, depth: int, full: bool) -> None:
    """Print *report*, and raise its error where it has one.

    depth  levels of structure in the tree
    full   abridge nothing
    """
    hide_secrets(report)
    if report.error is not None:
        report.error = _named(report.error, report.source.name)
    if form is not Document.TEXT:
        print_document(report.json(), form)
    elif as_hex:
        _print_hex(report, full=full)
    else:
        _print_text(report, depth=depth, full=full)
    if report.error is not None:
        raise report.error


def _named(error: ByteloomError, file: str) -> ByteloomError:
    """Return a copy of *error* that names the file; the tree shows the original, at its place."""
    if isinstance(error, Damage):
        return Damage([_named(each, file) for each in error.errors])
    return copy(error).in_file(file) if isinstance(error, FormatError) else error


def _print_text(report: Report, *, depth: int, full: bool) -> None:
    from byteloom.cli.tree import console, print_report

    print_report(report, console(), depth=depth, full=full)


def _print_hex(report: Report, *, full: bool) -> None:
    from byteloom.cli.hexdump import dump
    from byteloom.storage import open_source

    def show(title: str, root: Node, read: Callable[[int, int], bytes]) -> None:
        typer.echo(title)
        for offset, data, label in dump(root, read, full=full):
            typer.echo(f"{offset}  {data}  {label}".rstrip())

    source = report.source
    show(f"{redacted(source.name)}: {report.title}", report.root, source.read)
    for part in report.decoded:
        with closing(open_source(part.load())) as data:
            show(f"\n{part.name} decoded", part.root, data.read)
