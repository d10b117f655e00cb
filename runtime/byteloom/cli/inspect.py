"""``byteloom inspect``: what a file is, and what its bytes mean."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from byteloom.cli.commands import Application
from byteloom.cli.documents import Document, document
from byteloom.cli.inputs import STANDARD_INPUT, Input, opened
from byteloom.cli.keys import KEY, from_hex
from byteloom.cli.options import Depth, Full, Hex  # noqa: TC001  typer asks for them
from byteloom.errors import StorageError

__all__ = ["app"]

app = Application()


@app.command()
@document
def inspect(  # noqa: PLR0913  one for each option
    file: Input,
    *,
    form: Document,
    hex_: Hex = False,
    depth: Depth = 100,
    full: Full = False,
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
    """Show what FILE is: its structure with offsets and sizes, its properties, its contents.

    A damaged file shows what was understood before the damage, then the error; exit status 1.
    """
    from byteloom.cli.formats import explain
    from byteloom.cli.show import check_view, documented, show

    opener = from_hex(key)
    check_view(form, as_hex=hex_)
    with ExitStack() as stack:
        with documented(file, form):
            if file != STANDARD_INPUT and Path(file).is_dir():
                manifest = None if pages or blocks else _manifest_of(file)
                wanted = "a file; `byteloom verify` takes directories, `byteloom table info` tables"
                if manifest is None:
                    raise StorageError(f"{file}: found a directory, wanted {wanted}")
                file = manifest
            source = stack.enter_context(opened(file))
            report = None if blocks or pages else explain(source, full=full, key=opener)
        if report is None and pages:
            from byteloom.cli.lance_pages import show_pages

            show_pages(source, form=form)
            return
        if report is None:
            from byteloom.cli.blocks import show_blocks

            show_blocks(source, opener, form=form)
            return
        show(report, form=form, as_hex=hex_, depth=depth, full=full)


def _manifest_of(place: str) -> str | None:
    """The newest manifest of a Lance dataset; None where *place* is none."""
    if not (Path(place) / "_versions").is_dir():
        return None
    from byteloom.lance.dataset.versions import manifest_names
    from byteloom.storage import Folder

    names = manifest_names(Folder(place))
    return f"{place.rstrip('/')}/{names[next(reversed(names))]}"
