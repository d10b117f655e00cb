"""``byteloom inspect``: what a file is, and what its bytes mean."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.explorer.document import Excerpts
from byteloom.cli.formats import explain
from byteloom.cli.inputs.files import STANDARD_INPUT, Input, opened
from byteloom.cli.options.documents import Document, document
from byteloom.cli.options.parsers import KEY, from_hex
from byteloom.cli.views import View, check_view, documented, show, viewed
from byteloom.errors import StorageError
from byteloom.wire.nodes import Folding

__all__ = ["app", "file_of"]

app = Application()


@app.command()
@document
@viewed
def inspect(  # noqa: PLR0913  one for each option
    file: Input,
    *,
    form: Document,
    view: View,
    blocks: Annotated[
        bool,
        typer.Option("--blocks", help="List all blocks of an HFile, with checksums."),
    ] = False,
    pages: Annotated[
        bool,
        typer.Option("--pages", help="List all pages of a Lance file, and how they are encoded."),
    ] = False,
    key: Annotated[str | None, KEY] = None,
) -> None:
    """Show the structure of FILE with offsets and sizes, its properties and its contents.

    Of a damaged file the fields before the damage are shown, then the error; exit status 1.
    """
    opener = from_hex(key)
    check_view(view, form, file)
    with ExitStack() as stack:
        with documented(file, form):
            source = stack.enter_context(opened(file_of(file, whole=not (pages or blocks))))
            folding = Folding.by(full=view.full)
            report = None if blocks or pages else explain(source, folding=folding, key=opener)
        if report is None and pages:
            from byteloom.cli.formats.lance_pages import show_pages

            show_pages(source, form=form)
            return
        if report is None:
            from byteloom.cli.formats.hfile_blocks import show_blocks

            show_blocks(source, opener, form=form)
            return
        show(report, view, form, Excerpts())


def file_of(place: str, *, whole: bool = True) -> str:
    """Return the file to show for *place*: of a Lance dataset its newest manifest.

    whole   whether the manifest is wanted; without it a dataset is a directory like any other
    raises  `StorageError` for a directory
    """
    if place in {STANDARD_INPUT, ""} or not Path(place).is_dir():
        return place
    manifest = _manifest_of(place) if whole else None
    if manifest is None:
        wanted = "a file; `byteloom verify` takes directories, `byteloom table info` tables"
        raise StorageError(f"{place}: found a directory, wanted {wanted}")
    return manifest


def _manifest_of(place: str) -> str | None:
    """Return the newest manifest of a Lance dataset; None if *place* is not a dataset."""
    if not (Path(place) / "_versions").is_dir():
        return None
    from byteloom.lance.dataset.versions import manifest_names
    from byteloom.storage import Folder

    names = manifest_names(Folder(place))
    return f"{place.rstrip('/')}/{names[next(reversed(names))]}"
