"""``byteloom generate``: specs in, Python and reference pages out.

Mistakes in specs go to stderr, a line each; nothing is made from a spec with a mistake.  Output is
made from the others, and the exit status is 1.  A file at the place of an output that the generator
did not write ends a run before it writes anything, unless there is --force.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.file_changes import again_on_changes, below
from byteloom.cli.inputs.files import named
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.specs import Generation, generation
from byteloom.cli.printing.advice import again, generator_imports

__all__ = ["app"]

app = Application()


@app.command()
@as_json
@generation
def generate(
    context: typer.Context,
    specs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SPEC...]",
            help="Specs (.ksy, .proto) or folders of .ksy; without any, all of this repository.",
            show_default=False,
        ),
    ] = None,
    *,
    options: Generation,
    json: bool,
) -> None:
    """Turn specs into typed readers and writers, and pages; current files are left alone."""
    paths = specs or []
    options.refuse_contradictions(paths)
    for each in paths:
        named(str(each))
    with generator_imports():
        from byteloom.cli.commands import generate_outputs as outputs
    read = set[Path]()

    def run() -> None:
        with outputs.mistakes_reported():
            made, is_bad = (
                outputs.of_specs(paths, options, read) if paths else outputs.of_repository(options)
            )
            outputs.check_free(made, force=options.force)
            stale = f"run `{again(context)}`" if options.check else None
            outputs.deliver(made, stale=stale, json=json)
        if is_bad:
            raise typer.Exit(1)

    if options.watch:
        again_on_changes(run, lambda: below([*paths, *(options.include or [])], "*.ksy") | read)
    else:
        run()
