"""``byteloom inspect``: what a file is, and what its bytes mean."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.report import Report
    from byteloom.wire import Node

__all__ = ["inspect"]


def inspect(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A path or a URL.")],
    *,
    json: Annotated[
        bool, typer.Option("--json", metavar="", help="Print one JSON document.")
    ] = False,
    hex_: Annotated[
        bool, typer.Option("--hex", metavar="", help="Print every byte with the name of its field.")
    ] = False,
    depth: Annotated[
        int, typer.Option("--depth", metavar="LEVELS", min=0, help="Levels of structure to show.")
    ] = 100,
    full: Annotated[
        bool, typer.Option("--full", metavar="", help="Abridge nothing, neither fields nor bytes.")
    ] = False,
) -> None:
    """Show what FILE is: its structure with offsets and sizes, its properties, its contents.

    A damaged file shows what was understood before the damage, then the error; exit status 1.
    """
    from byteloom.cli.formats import explain
    from byteloom.storage import open_source

    with closing(open_source(file)) as source:
        report = explain(source, full=full)
        if json:
            _print_json(report)
        elif hex_:
            _print_hex(report, full=full)
        else:
            _print_text(report, depth=depth, full=full)
    if report.error is not None:
        raise report.error


def _print_json(report: Report) -> None:
    from json import dumps

    typer.echo(dumps(report.json(), indent=2, ensure_ascii=False))


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
    show(f"{source.name}: {report.title}", report.root, source.read)
    for part in report.decoded:
        with closing(open_source(part.load())) as data:
            show(f"\n{part.name} decoded", part.root, data.read)
