"""``byteloom verify``: all checks, one line a file."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from itertools import accumulate
from shlex import quote
from stat import S_ISREG
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from byteloom.cli.causes import folded
from byteloom.cli.commands import Application
from byteloom.cli.documents import as_json
from byteloom.cli.inputs import STANDARD_INPUT, opened
from byteloom.cli.json_text import json_text
from byteloom.cli.keys import KEY, from_hex
from byteloom.cli.progress import counting, progress
from byteloom.cli.searching import report_links
from byteloom.cli.table_options import Relocate, relocation
from byteloom.cli.values import counted
from byteloom.errors import ByteloomError, MissingFile, StorageError, Unsupported
from byteloom.kinds import kind_of
from byteloom.redaction import redacted
from byteloom.storage.walking import Level, Walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.cli.formats import Format
    from byteloom.cli.progress import Progress

__all__ = ["Verdict", "app", "verify"]

app = Application()

OK: Final = "ok"
DAMAGED: Final = "damaged"
UNREADABLE: Final = "unreadable"
EMPTY: Final = "empty"
SKIPPED: Final = "skipped"
_Checked: TypeAlias = "tuple[str, bool, StorageError | None]"
"""A file, whether it is checked with all that it leads to, and why a folder cannot be searched."""

_VERSIONS: Final = "_versions"
"""What the folder of a Lance dataset has in it."""

_FEW: Final = 3
"""Moved tables that stderr names before it counts them."""

_BAD: Final = {DAMAGED, UNREADABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one file.

    status  ok, damaged, unreadable (it could not be opened, or is whole as far as can be seen and
            not for us to read: it is encrypted, say), empty (no bytes at all) or skipped (unknown
            format)
    format  the short name of its format; None where it was not recognised
    summary  what it holds, or what is wrong
    error   the first thing that is wrong
    more    all others
    """

    file: str
    status: str
    format: str | None = None
    summary: str = ""
    error: ByteloomError | None = None
    more: Sequence[ByteloomError] = ()

    def __str__(self) -> str:
        file = redacted(self.file)
        first = f"{self.status:<10}  {file}  {self.summary.removeprefix(f'{file}: ')}".rstrip()
        return "\n".join([first, *(f"{'':<10}  {line}" for line in folded(self.error, self.more))])

    def json(self) -> dict[str, Any]:
        """Return the documented shape of a line of ``byteloom verify --json``."""
        from byteloom.cli.report import error_json

        error = None if self.error is None else error_json(self.error)
        summary = "" if self.error else self.summary
        shape = {"file": redacted(self.file), "status": self.status, "format": self.format}
        found = [] if self.error is None else [self.error, *self.more]
        return {
            **shape,
            "summary": summary,
            "error": error,
            "findings": list(map(error_json, found)),
        }


@app.command()
@as_json
def verify(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE|DIR", help="Paths, URLs or directories; - is stdin."),
    ],
    *,
    json: bool,
    key: Annotated[str | None, KEY] = None,
    relocate: Relocate = None,
) -> None:
    """Check files whole, contents included; directories are searched through.

    A table's metadata file that is named, and directories that are tables, are checked with all
    that they lead to; other metadata files by themselves, since what they led to may be gone.
    Files of other formats are skipped and counted. Empty ones are listed; they are bad only where
    they are named, since a directory may hold markers. Links to directories are not followed in
    a directory; one that cannot be searched is listed as unreadable.

    Exit status: 0 all good; 1 damage found, or a file that cannot be read or that is named and
    empty; 2 nothing there that could be checked.
    """
    from byteloom.cli.formats import AS_DATA, DATA

    counts = dict.fromkeys((OK, DAMAGED, UNREADABLE, EMPTY, SKIPPED), 0)
    bad, is_data, opener, moved = False, False, from_hex(key), relocation(relocate)
    walks: list[Walk] = []
    elsewhere: list[str] = []
    found = list(_below(files, moved, walks, elsewhere))
    _report_elsewhere(elsewhere)
    sizes = [_size(file) for file, *_ in found]
    with progress("verifying", sum(sizes)) as shown:
        for (file, is_whole, refused), done in zip(found, accumulate(sizes), strict=True):
            verdict = (
                check(file, opener, moved if is_whole else None, shown)
                if refused is None
                else Verdict(file=file, status=UNREADABLE, summary=str(refused), error=refused)
            )
            shown.reach(done)
            counts[verdict.status] += 1
            is_data |= verdict.status == SKIPPED and verdict.summary in DATA
            bad |= verdict.status in _BAD or (verdict.status == EMPTY and file in files)
            # Not by typer.echo, which would write past the progress that holds the terminal.
            if json:
                sys.stdout.write(json_text(verdict.json()) + "\n")
            elif verdict.status != SKIPPED:
                sys.stdout.write(f"{verdict}\n")
    report_links(walks)
    typer.echo(", ".join(f"{n:,} {status}" for status, n in counts.items() if n), err=True)
    if bad:
        raise typer.Exit(1)
    if not counts[OK]:
        summary = f"no file of a format byteloom knows{f'; {AS_DATA}' if is_data else ''}"
        typer.echo(f"byteloom: nothing checked: {summary}", err=True)
        raise typer.Exit(2)


def check(
    file: str,
    key: bytes | None = None,
    relocate: dict[str, str] | None = None,
    shown: Progress | None = None,
) -> Verdict:
    """Return what comes of checking all of *file*; whatever is wrong with it is in the verdict.

    key       opens encrypted files
    relocate  where the files of a table are now; None to look at nothing but *file* itself
    shown     counts the bytes that are read
    """
    from byteloom.cli.formats import LANCE, TABLE_METADATA, recognise
    from byteloom.cli.report import Damage

    known = None
    try:
        if relocate is not None and os.path.isdir(file):  # noqa: PTH112  Path's may raise
            is_lance = os.path.isdir(f"{file}/{_VERSIONS}")  # noqa: PTH112
            known = LANCE if is_lance else TABLE_METADATA
            return _whole(file, relocate, known)
        with opened(file) as source:
            known = recognise(source)
            if known is None:
                is_empty = source.size == 0
                summary = "" if is_empty else kind_of(source) or "unknown format"
                return Verdict(file=file, status=EMPTY if is_empty else SKIPPED, summary=summary)
            if relocate is not None and known == TABLE_METADATA:
                return _whole(file, relocate, known)
            read = source if shown is None else counting(source, shown)
            summary = f"{known.title}, {known.verify(read, key)}"
            return Verdict(file=file, status=OK, format=known.name, summary=summary)
    except StorageError as error:
        return Verdict(file=file, status=UNREADABLE, summary=str(error), error=error)
    except ByteloomError as error:
        found = error.errors if isinstance(error, Damage) else [error]
        return _verdict(file, known.name if known else None, found)


def _verdict(file: str, name: str | None, found: list[ByteloomError]) -> Verdict:
    """Return what is wrong with a file.

    What we cannot open or read is no damage; a file that is named and not there is.
    """
    first, *more = found
    is_closed = all(
        isinstance(each, Unsupported | StorageError) and not isinstance(each, MissingFile)
        for each in found
    )
    status = UNREADABLE if is_closed else DAMAGED
    return Verdict(
        file=file, status=status, format=name, summary=str(first), error=first, more=more
    )


def _whole(place: str, relocate: dict[str, str], known: Format) -> Verdict:
    """Check a table or a dataset with all that it leads to; `Damage` says what is wrong."""
    if known.name == "lance":
        from byteloom.cli.formats.lance_manifest import verify_dataset

        summary = f"Lance dataset, {verify_dataset(place)}"
    else:
        from byteloom.cli.formats.iceberg_metadata import verify_table

        summary = f"Iceberg table, {verify_table(place, relocate)}"
    return Verdict(file=place, status=OK, format=known.name, summary=summary)


def _is_table(walk: Walk, level: Level) -> bool:
    """Whether a directory is a table's; the library of tables is loaded where it may be one."""
    if not level.has_folder("metadata"):
        return False
    from byteloom.iceberg.metadata.listing import is_table

    return is_table(walk, level)


def _is_at_home(folder: str, moved: dict[str, str], elsewhere: list[str]) -> bool:
    """Whether a table is where it says; of another, *elsewhere* gets a line with what to map."""
    from byteloom.iceberg.table import open_table

    try:
        advised = open_table(folder, relocate=moved).relocation.advised
    except ByteloomError:  # reported where its metadata file is checked by itself
        return False
    if advised is not None:
        mapped = f"--relocate {quote(f'{advised[0]}={advised[1]}')}"
        elsewhere.append(f"{folder}: says that it is elsewhere: {mapped} checks its files")
    return advised is None


def _report_elsewhere(lines: Sequence[str]) -> None:
    """Print the first few of these lines on stderr, and count the others."""
    for line in lines[:_FEW]:
        typer.echo(f"byteloom: {redacted(line)}", err=True)
    if len(lines) > _FEW:
        more = counted(len(lines) - _FEW, "table")
        typer.echo(f"byteloom: and {more} more that say so; their metadata is checked", err=True)


def _below(
    files: Iterable[str], moved: dict[str, str], walks: list[Walk], elsewhere: list[str]
) -> Iterator[_Checked]:
    """Yield files as they are and directories as all files below them, in the order of names.

    A directory that is a table is yielded before its files.  With each goes whether it is checked
    with all that it leads to: what was named, and tables that are where they say.

    walks      is added to: a walk for each directory
    elsewhere  is added to: a line for each table that is not where it says
    """
    for file in files:
        if file == STANDARD_INPUT or not os.path.isdir(file):  # noqa: PTH112  Path's may raise
            yield file, True, None
            continue
        walk = Walk(file)
        walks.append(walk)
        for level in walk:
            folder = walk.place(level.below)
            is_table = _is_table(walk, level) and (
                not level.below or _is_at_home(folder, moved, elsewhere)
            )
            if is_table or level.has_folder(_VERSIONS):
                yield folder, True, None
            yield from ((walk.place(level.path(name)), False, None) for name in level.files)
        yield from ((folder, False, error) for folder, error in walk.refused.items())


def _size(file: str) -> int:
    """The size of a file in bytes; 0 if it is not a regular local one."""
    try:
        found = os.stat(file)  # noqa: PTH116  Path's may raise
    except (OSError, ValueError):
        return 0
    return found.st_size if S_ISREG(found.st_mode) else 0
