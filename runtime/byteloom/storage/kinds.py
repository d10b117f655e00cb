"""What a file is that is not what it was opened as, by its first and last bytes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, FormatError, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.storage.sources import Source

__all__ = ["AVRO", "HFILE", "ORC", "PARQUET", "PUFFIN", "expecting", "kind_of"]

AVRO: Final = "an Avro file"
HFILE: Final = "an HFile"
ORC: Final = "an ORC file"
PARQUET: Final = "a Parquet file"
PUFFIN: Final = "a Puffin file"

_MAGICS: Final = (
    (b"PFA1", b"PFA1", PUFFIN),
    (b"PAR1", b"PAR1", PARQUET),
    (b"PAR1", b"PARE", "an encrypted Parquet file"),
    (b"ORC", b"", ORC),
    (b"Obj\x01", b"", AVRO),
    (b"DATABLK", b"\0\0\2", HFILE),
    (b"DATABLK", b"\0\0\3", HFILE),
    (b"", b"LANC", "a Lance file"),
    (b"ARROW1", b"ARROW1", "an Arrow IPC file"),
    (b"PK\3\4", b"", "a ZIP archive"),
    (b"\x1f\x8b", b"", "gzipped data"),
    (b'{"', b"", "a JSON document"),
    (b"{\n", b"", "a JSON document"),
)
"""What files begin with, what they end with, and what they are; the first that fits."""

_LONGEST: Final = 12


def kind_of(source: Source) -> str | None:
    """Return what a file is, with its article; None where its ends do not say."""
    size = min(_LONGEST, source.size)
    head, tail = source.read(0, size), source.read_tail(size)
    fitting = (
        kind
        for start, end, kind in _MAGICS
        if head.startswith(start) and tail.endswith(end) and size >= len(start + end)
    )
    return next(fitting, None)


@contextmanager
def expecting(wanted: str, source: Source, name: str | None = None) -> Iterator[None]:
    """Let an error while *source* is opened say what it is, where that is not what is *wanted*.

    name  what the error calls the file; as the source does by default
    """
    try:
        yield
    except LimitExceeded:
        raise  # no file of another format gets as far as that
    except FormatError as error:
        try:
            found = kind_of(source)
        except ByteloomError:
            found = None
        if found is None or found == wanted:
            raise
        raise FormatError(name or source.name, None, found, wanted) from error
