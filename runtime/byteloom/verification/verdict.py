"""The result of checking one place: a file, a table, or a dataset."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Final

from byteloom.errors import (
    ByteloomError,
    FormatError,
    MissingFile,
    MovedTable,
    StorageError,
    TooLarge,
    Truncated,
    Unsupported,
    with_article,
)
from byteloom.files.kinds import (
    EMPTY_FILE,
    WEB,
    head_of,
    is_view_metadata,
    kind_of,
)
from byteloom.storage import Source
from byteloom.storage.open import open_source
from byteloom.verification.damage import Damage
from byteloom.verification.formats import LANCE, TABLE_METADATA, VERSIONS, Format, recognise

__all__ = [
    "DAMAGED",
    "DATA",
    "ELSEWHERE",
    "EMPTY",
    "OK",
    "ORPHAN",
    "SKIPPED",
    "STATUSES",
    "UNCHECKED",
    "UNKNOWN",
    "UNREADABLE",
    "VIEW",
    "WHOLE",
    "Verdict",
    "check",
    "elsewhere",
    "verdict_of",
]

OK: Final = "ok"
DAMAGED: Final = "damaged"
UNREADABLE: Final = "unreadable"
ELSEWHERE: Final = "elsewhere"
EMPTY: Final = "empty"
DATA: Final = "data"
ORPHAN: Final = "orphan"
SKIPPED: Final = "skipped"

STATUSES: Final = (OK, DAMAGED, UNREADABLE, ELSEWHERE, EMPTY, DATA, ORPHAN, SKIPPED)
"""All statuses, in the order in which they are counted."""

UNCHECKED: Final = (EMPTY, DATA, ORPHAN, SKIPPED)
"""Statuses of files that were not checked."""

VIEW: Final = "an Iceberg view, which has no files of its own"
"""The summary of a view, whose metadata is not checked."""

UNKNOWN: Final = "unknown format"
"""What is said of a file whose format nothing shows."""

WHOLE: Final = (0, 1)
"""The whole of a table's files: part 0 of 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of checking one place.

    status  ok, damaged, unreadable (it cannot be opened, or is sound but not readable here, as when
            it is encrypted), elsewhere (a table whose metadata names files at a place other than
            its own), empty (no bytes at all), data (a Parquet or ORC file in the folder of a table,
            whose rows are read with it), orphan (one that its table names nowhere) or skipped
            (unknown format)
    format  the short name of its format; None if it was not recognised
    summary  what it contains, or what is wrong
    error   the first thing that is wrong
    more    all other errors
    """

    file: str
    status: str
    format: str | None = None
    summary: str = ""
    error: ByteloomError | None = None
    more: Sequence[ByteloomError] = ()


def _opened(place: str) -> AbstractContextManager[Source]:
    return closing(open_source(place))


def check(  # noqa: PLR0911, PLR0913  what is checked, and how much of it
    file: str,
    *,
    key: bytes | None = None,
    relocate: Mapping[str, str] | None = None,
    allow: Sequence[str] | None = None,
    part: tuple[int, int] = WHOLE,
    rows: bool = True,
    in_table: bool = False,
    opened: Callable[[str], AbstractContextManager[Source]] = _opened,
) -> Verdict:
    """Check all of *file*; everything wrong with it is in the verdict.

    key       the key of encrypted files
    relocate  where the files of a table are now; None to check only *file* itself
    allow     prefixes below which files named by metadata must be to be read; None for anywhere
    part      number of the part of an Iceberg table's files to check, and of how many parts;
              anything else is checked whole, with part 0
    rows      whether to read every row of a table's files, not only sizes and row counts
    in_table  whether *file* is in the folder of an Iceberg table that is checked as well: a Parquet
              or ORC file is then left to it
    opened    returns the source of a file
    """
    known = None
    try:
        if relocate is not None and os.path.isdir(file):  # noqa: PTH112  Path's may raise
            is_lance = os.path.isdir(f"{file}/{VERSIONS}")  # noqa: PTH112
            known = LANCE if is_lance else TABLE_METADATA
            return _whole(file, relocate, part, known, allow=allow, rows=rows)
        with opened(file) as source:
            known = recognise(source)
            if known is None:
                return _unchecked(file, source)
            if source.size == 0:
                raise Truncated("", None, EMPTY_FILE, with_article(known.title))
            kind = kind_of(source)
            if kind in WEB:
                raise FormatError("", 0, kind, with_article(known.title))
            if relocate is not None and known == TABLE_METADATA:
                return _whole(file, relocate, part, known, allow=allow, rows=rows)
            if in_table and known.is_data and kind is not None:
                return Verdict(file=file, status=DATA, summary=kind)
            summary = f"{known.title}, {known.verify(source, key)}"
            return Verdict(file=file, status=OK, format=known.name, summary=summary)
    except StorageError as error:
        return Verdict(file=file, status=UNREADABLE, summary=str(error), error=error)
    except ByteloomError as error:
        found = error.errors if isinstance(error, Damage) else [error]
        return verdict_of(file, known.name if known else None, found)


def _unchecked(file: str, source: Source) -> Verdict:
    """Return the verdict on a file of an unknown format, or one that is not checked."""
    if source.size == 0:
        return Verdict(file=file, status=EMPTY)
    kind = VIEW if is_view_metadata(head_of(source)) else kind_of(source) or UNKNOWN
    return Verdict(file=file, status=SKIPPED, summary=kind)


def verdict_of(file: str, name: str | None, found: Sequence[ByteloomError]) -> Verdict:
    """Return the verdict on a file; *found* has at least one error.

    A file that cannot be opened, or not be read here, is not damaged; one that is named but missing
    is, unless the table was moved.
    """
    first, *more = found
    if isinstance(first, MovedTable) and all(isinstance(each, MissingFile) for each in more):
        return elsewhere(file, first, more)
    is_closed = all(
        isinstance(each, Unsupported | TooLarge | StorageError)
        and not isinstance(each, MissingFile)
        for each in found
    )
    status = UNREADABLE if is_closed else DAMAGED
    return Verdict(
        file=file, status=status, format=name, summary=str(first), error=first, more=more
    )


def elsewhere(file: str, error: MovedTable, missing: Sequence[ByteloomError] = ()) -> Verdict:
    """Return the verdict on a moved table.

    missing  the errors about files missing at the place that its metadata names
    """
    return Verdict(
        file=file,
        status=ELSEWHERE,
        format=TABLE_METADATA.name,
        summary=f"Iceberg table, {error}",
        error=error,
        more=missing,
    )


def _whole(  # noqa: PLR0913  what is checked, and how much of it
    place: str,
    relocate: Mapping[str, str],
    part: tuple[int, int],
    known: Format,
    *,
    allow: Sequence[str] | None,
    rows: bool,
) -> Verdict:
    """Check a table or a dataset with all its files; `Damage` has what is wrong."""
    if known == LANCE:
        from byteloom.verification.lance import verify_dataset

        summary = f"Lance dataset, {verify_dataset(place, allow=allow)}"
    else:
        from byteloom.verification.iceberg_metadata import verify_table

        summary = f"Iceberg table, {verify_table(place, relocate, part, allow=allow, rows=rows)}"
    return Verdict(file=place, status=OK, format=known.name, summary=summary)
