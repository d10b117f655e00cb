"""``byteloom hfile splits``: parts of similar size, as ranges of rows.

- A part begins with a row, never inside of one: parts that would begin in one row are joined.
- Borders are taken from the index, so no cell is read; keys there may be shortened, so that no cell
  need have the row at which a part begins.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Final

import typer

from byteloom import hfile
from byteloom.cli.inputs.files import Input, opened
from byteloom.cli.options.cells import Bytes, show_cells
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import KEY, from_hex, number
from byteloom.late import pa

if TYPE_CHECKING:
    from byteloom.hfile import HFile

__all__ = ["splits"]

_NAMES: Final = ("from", "to", "offset", "size")


@listing
def splits(
    file: Input,
    parts: Annotated[
        int, typer.Option("--parts", metavar="NUMBER", parser=number, help="Most parts.")
    ] = 2,
    how: Annotated[
        Bytes,
        typer.Option("--bytes", metavar="HOW", help="How rows are printed: escaped, hex or text."),
    ] = Bytes.ESCAPED,
    key: Annotated[str | None, KEY] = None,
    *,
    to: Listing,
) -> None:
    """List parts of similar size, each a range of rows for one reader, or for one region."""
    with opened(file) as source, hfile.open(source, key=from_hex(key)) as cells_of:
        table = _table(cells_of, parts)
    show_cells(table.to_batches(), table.schema, how, to, table.num_rows)


def _table(file: HFile, parts: int) -> pa.Table:
    """Return a row for each part: its first row, that of the next part, its offset and its bytes.

    The first part has no first row, and the last one no next part: null.
    """
    found = file.splits(parts)
    by_row = groupby(found, key=lambda part: None if part.start is None else part.start.row)
    joined = [(row, list(same)) for row, same in by_row]
    starts = [row for row, _ in joined]
    columns = (
        pa.array(starts, pa.binary()),
        pa.array([*starts[1:], None][: len(starts)], pa.binary()),
        pa.array([same[0].offset for _, same in joined], pa.int64()),
        pa.array([sum(part.size for part in same) for _, same in joined], pa.int64()),
    )
    return pa.table(dict(zip(_NAMES, columns, strict=True)))
