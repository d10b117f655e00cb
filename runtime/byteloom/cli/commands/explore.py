"""``byteloom explore``: the fields and the bytes of a file, side by side in a browser."""

from __future__ import annotations

import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.application import Application
from byteloom.cli.commands.inspect import file_of
from byteloom.cli.explorer.document import Excerpts, reading
from byteloom.cli.explorer.server import Explorer, Runs
from byteloom.cli.formats import explain
from byteloom.cli.formats.by_spec import report
from byteloom.cli.inputs.files import Input, opened
from byteloom.cli.options.parsers import KEY, from_hex
from byteloom.cli.options.parsers import port as port_of
from byteloom.cli.options.specs import SpecParts, spec_parts
from byteloom.cli.printing.advice import generator_imports
from byteloom.cli.printing.report import prepare
from byteloom.cli.views import Full
from byteloom.errors import ByteloomError
from byteloom.wire.nodes import Folding

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.printing.report import Report
    from byteloom.storage import Source

__all__ = ["app"]

app = Application()


@app.command()
@spec_parts
def explore(  # noqa: PLR0913  (one for each option)
    file: Input,
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec", "-s", metavar="SPEC", help="A spec (.ksy), if the format is unknown."
        ),
    ] = None,
    *,
    parts: SpecParts,
    full: Full = False,
    key: Annotated[str | None, KEY] = None,
    port: Annotated[
        int,
        typer.Option("--port", parser=port_of, metavar="PORT", help="Port to listen on; 0: any."),
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the default browser.")
    ] = True,
) -> None:
    """Open a page with the fields of FILE beside its bytes; Ctrl-C ends the server.

    Click a field to see its bytes and the lines of its spec, or a byte to see its field. The page
    is for this machine alone: its address holds a secret, and it loads nothing from elsewhere.
    `byteloom inspect --html` prints the same page, to keep or to send.
    """
    opener = from_hex(key)
    with ExitStack() as stack:
        if spec is None:
            explain, excerpts = _known(stack, file, key=opener)
        else:
            explain, excerpts = _described(stack, file, spec, parts)
        folding = Folding.by(full=full)
        report, runs = explain(folding), Runs(explain, excerpts)
        prepare(report)
        _serve(runs.document(report, folding), reading(report), runs, port=port, browser=browser)


def _known(
    stack: ExitStack, file: str, *, key: bytes | None
) -> tuple[Callable[[Folding], Report], Excerpts]:
    """Return the function that explains a file of a known format, which *stack* keeps open."""
    source: Source = stack.enter_context(opened(file_of(file)))
    return (
        lambda folding: explain(source, folding=folding, key=key, command="explore"),
        Excerpts(),
    )


def _described(
    stack: ExitStack, file: str, spec: Path, parts: SpecParts
) -> tuple[Callable[[Folding], Report], Excerpts]:
    """Return the function that explains a file that a spec describes."""
    with generator_imports():
        from byteloom.cli.inputs.compiled_specs import compiled, params_of

    format_ = stack.enter_context(compiled(spec, parts))
    params = params_of(format_.spec, parts)
    source = stack.enter_context(opened(file))
    return lambda folding: report(format_, source, params, folding=folding), format_.excerpts()


def _serve(
    document: Any, read: Callable[..., bytes], runs: Runs, *, port: int, browser: bool
) -> None:
    """Serve the page until Ctrl-C."""
    try:
        server = Explorer(document, read, runs.fields, port=port)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise ByteloomError(f"port {port}: {why}, wanted a free port, or 0 for any") from error
    with server:
        typer.echo(server.url)
        typer.echo("byteloom: the page is served until Ctrl-C", err=True)
        if browser:
            webbrowser.open(server.url)
        server.serve_forever()
