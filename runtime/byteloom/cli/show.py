"""A report in the view that was asked for: a tree, a dump, or one JSON document."""

from __future__ import annotations

from contextlib import closing
from copy import copy
from typing import TYPE_CHECKING

import typer

from byteloom.cli.documents import Document, print_document
from byteloom.cli.hiding import hide_secrets
from byteloom.cli.report import Damage
from byteloom.errors import ByteloomError, FormatError
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.report import Report
    from byteloom.wire import Node

__all__ = ["show"]


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
