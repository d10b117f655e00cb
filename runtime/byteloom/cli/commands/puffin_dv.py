"""``byteloom puffin dv``: deletion vectors as lines of positions, in and out.

A line is one position, or the first and last of neighbours (``5-12``).  What `show` prints, `make`
reads.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom import puffin
from byteloom.cli.application import Application
from byteloom.cli.inputs.files import STANDARD_INPUT, Input, content, opened
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.errors import FormatError
from byteloom.puffin import DeletionVector, PuffinWriter
from byteloom.puffin.deletion_vector import BLOB_TYPE
from byteloom.puffin.positions import MAX_POSITION
from byteloom.storage.naming import about_file
from byteloom.storage.sources import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["app"]

_LINE: Final = re.compile(r"\s*(?:(\d+)(?:\s*-\s*(\d+))?)?\s*")
_FORMS: Final = {
    False: ("%d\n", "%d-%d\n"),
    True: ('{"position": %d}\n', '{"first": %d, "last": %d}\n'),
}
"""A line for one position, and for neighbours: as text, and as JSON."""

_DIGITS: Final = 40
"""More than any position has, zeros before it included."""

_PART: Final = 1 << 16
"""So many lines are made, and written, at a time."""

app = Application(
    help="Print the positions in deletion vectors, and make vectors from lists of positions."
)


@app.command()
@as_json
def show(
    file: Input,
    blob: Annotated[
        int | None, typer.Argument(metavar="BLOB", help="The blob's number, if there are several.")
    ] = None,
    *,
    json: bool,
    each: Annotated[
        bool, typer.Option("--each", help="One line per position, without ranges.")
    ] = False,
) -> None:
    """Print the deleted positions of a vector."""
    with opened(file) as source, puffin.open(source) as statistics, about_file(name_of(source)):
        if blob is None:
            found = statistics.find(type=BLOB_TYPE)
            if len(found) != 1:
                wanted = f"a number from 0 to {len(statistics.blobs) - 1}"
                raise FormatError("BLOB", None, f"{len(found)} blobs of type {BLOB_TYPE}", wanted)
        elif 0 <= blob < len(statistics.blobs):
            found = [statistics.blobs[blob]]
        else:
            raise FormatError("BLOB", None, blob, f"a number below {len(statistics.blobs)}")
        vector = statistics.deletion_vector(found[0])
    for part in _lines(vector.positions(), each=each, json=json):
        sys.stdout.write(part)


@app.command()
@as_json
def make(
    positions: Annotated[
        str,
        typer.Argument(metavar="POSITIONS|-", help="A file with lines of positions; - is stdin."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Puffin file.")],
    data_file: Annotated[
        str,
        typer.Option("--data-file", metavar="LOCATION", help="The file whose rows are deleted."),
    ],
    *,
    json: bool,
    force: Force = False,
) -> None:
    """Make a Puffin file with one deletion vector."""
    check_output(output, [positions, data_file], force=force)
    with about_file("standard input" if positions == STANDARD_INPUT else positions):
        vector = _vector(_text(positions))
    with PuffinWriter(output) as writer:
        writer.add_deletion_vector(vector, data_file)
    typer.echo(
        json_text({"cardinality": len(vector)}) if json else counted(len(vector), "position")
    )


def _lines(positions: Any, *, each: bool, json: bool) -> Iterator[str]:
    """Yield lines in parts; *positions* ascend."""
    import numpy as np

    one, some = _FORMS[json]
    if each:
        for start in range(0, len(positions), _PART):
            part = positions[start : start + _PART].tolist()
            yield "".join(one % position for position in part)
        return
    breaks = np.flatnonzero(np.diff(positions) != 1) + 1
    firsts = positions[np.concatenate(([0], breaks))] if len(positions) else positions
    lasts = positions[np.concatenate((breaks - 1, [-1]))] if len(positions) else positions
    for start in range(0, len(firsts), _PART):
        pairs = zip(firsts[start : start + _PART], lasts[start : start + _PART], strict=True)
        yield "".join(one % a if a == b and not json else some % (a, b) for a, b in pairs)


def _text(place: str) -> str:
    try:
        return content(place).decode()
    except UnicodeDecodeError as error:
        raise FormatError(place, error.start, "bytes that are no text", "positions") from error


def _vector(text: str) -> DeletionVector:
    single: list[int] = []
    ranges: list[range] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(f"line {number}", None, line[:40], "a position, or two as 5-12")
        found = [each for each in match.groups() if each is not None]
        # Python refuses to read integers of thousands of digits.
        if any(len(each) > _DIGITS or int(each) > MAX_POSITION for each in found):
            wanted = f"positions from 0 to {MAX_POSITION}"
            raise FormatError(f"line {number}", None, line[:40], wanted)
        if len(found) == 1:
            single.append(int(found[0]))
        elif found:
            first, last = map(int, found)
            if last < first:
                raise FormatError(f"line {number}", None, line[:40], "the lower first, as 5-12")
            ranges.append(range(first, last + 1))
    return DeletionVector.union(map(DeletionVector.from_positions, [single, *ranges]))
