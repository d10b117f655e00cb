"""Bounds on memory and work, so that a hostile file cannot exhaust the machine.

Every bound is generous: an honest file meets none of them by a wide margin.  Callers
who need more pass their own `Limits`; an error names the limit to raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["DEFAULT_LIMITS", "Limits"]

_MIB: Final = 1 << 20

FREE_EXPANSION: Final = 8 * _MIB
"""Bytes that decompressed parts may take in all, however small the file is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What reading one file may cost at most."""

    decompressed_size: int = 512 * _MIB
    """Bytes that one compressed part may grow to.  Twice the largest blob or block that any known
    writer makes; a decompression bomb of 1 MiB asks for more.
    """

    expansion: int = 50
    """Bytes that all decompressed parts of one file together may take, for each byte of the file,
    and 8 MiB more.  Text compresses ten times, zeros a thousand times.  Parquet's pages and the
    blocks of Avro's data files are bounded one by one instead, to ``decompressed_size`` and this
    for each byte of the page or block: they are not in memory together."""

    metadata_size: int = 256 * _MIB
    """Bytes of one footer, header or JSON document.  Table metadata of 250 MB exists."""

    json_values: int = 1_000_000
    """Values of one JSON document, beyond one for every six bytes of it; an object or a list counts
    as four.  Without it, lists of nothing would take thirty times their size."""

    elements: int = 100_000_000
    """Elements of one repeated field, and records of one block of an Avro data file.  An element
    may take no bytes, so the number of bytes left does not bound it.  Also values of an ORC
    stripe that are read to find its heaviest row, beyond ``expansion`` for each byte of it."""

    empty_elements: int = 20_000
    """Elements of repeated fields that take no bytes, beyond one for each byte of the file: the
    size of the file does not bound their number.  Likewise the empty bitmaps written before the
    first one with a high position: a data file of 86 trillion rows would have as many.
    """

    objects: int = 50_000_000
    """Records that one read may create, all repeated fields together: about 5 GB of objects."""

    nesting: int = 200
    """Records inside records.  Python's own stack ends near 1,000 frames, three for a record."""

    def __hash__(self) -> int:
        """A hash of two of the limits: caches of parsed messages look limits up for each page."""
        return hash((self.decompressed_size, self.elements))


DEFAULT_LIMITS: Final = Limits()
"""The limits of a reader that was given none."""
