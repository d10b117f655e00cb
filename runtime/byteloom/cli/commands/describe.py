"""``byteloom describe``: show the content of a file, byte by byte, by any spec."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.formats.by_spec import report
from byteloom.cli.inputs.files import Input, opened
from byteloom.cli.options.documents import Document, document
from byteloom.cli.options.specs import SpecParts, spec_parts
from byteloom.cli.printing.advice import generator_imports
from byteloom.cli.views import View, check_view, documented, show, viewed
from byteloom.wire.nodes import Folding

__all__ = ["app", "describe"]

app = Application()


@app.command()
@document
@viewed
@spec_parts
def describe(
    file: Input,
    spec: Annotated[
        Path,
        typer.Option(
            "--spec", "-s", metavar="SPEC", help="The spec of FILE's format: a .ksy file."
        ),
    ],
    *,
    parts: SpecParts,
    view: View,
    form: Document,
) -> None:
    """Show the fields of FILE as the Kaitai Struct spec SPEC describes them, with all instances.

    Of a damaged file the fields before the damage are shown, then the error; exit status 1.
    """
    check_view(view, form, file)
    with generator_imports():
        from byteloom.cli.inputs.compiled_specs import compiled, params_of
    with ExitStack() as stack:
        format_ = stack.enter_context(compiled(spec, parts))
        params = params_of(format_.spec, parts)
        with documented(file, form):
            source = stack.enter_context(opened(file))
            found = report(format_, source, params, folding=Folding.by(full=view.full))
        show(found, view, form, format_.excerpts())
