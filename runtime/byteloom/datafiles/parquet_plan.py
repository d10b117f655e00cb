"""How groups of Parquet rows are decoded: one choice a group, made from footers.

A group is one file, or several small files of one form that are read as one (`JoinedFiles`).

The rules:

- `own_groups` chooses, before a page is read, whether our own loops decode the plain columns of a
  group.  pyarrow decodes all other columns:

  - of several files, from one file in memory, made of theirs (`byteloom.parquet.joining`);
  - of one file, from a footer of the wanted columns alone (`byteloom.parquet.narrowing`), or from
    the whole footer if they are most of the file, or the footer is small or unusual.

- `Decoding` says what was chosen, for whoever asks.
- Pages that are damaged or belie their footer are `Unusual`: of several files each is then read by
  itself; a row group of one file, and those after it, are decoded by pyarrow, which names the
  damage.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.data_file import Decoding
from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_values import take_values
from byteloom.parquet.codecs import COMPRESSED, UNCOMPRESSED
from byteloom.parquet.held_files import CODEC, ENCODINGS, GROUP, RAW, found_chunks
from byteloom_generated.parquet import footers as spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.datafiles.wanted import PlainWanted
    from byteloom.parquet.forms import Form
    from byteloom.parquet.held_files import Footers

    Numbers = NDArray[np.int64]

__all__ = ["OwnGroups", "decoding", "own_groups"]

_FILE: Final = 16
"""Microseconds that our own loops save for a column of a file."""

_VALUES: Final = 16
"""Values of a column that pyarrow decodes in a microsecond, and our own loops sooner."""

_CHUNK: Final = 4 << 20
"""Most bytes of a column in a row group, on average, that our own loops decode sooner."""

_CODECS: Final = [UNCOMPRESSED, *COMPRESSED]
_ENCODINGS: Final = sum(
    1 << each
    for each in numbers(
        spec.ENCODINGS, "PLAIN", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "RLE_DICTIONARY"
    )
)
"""A bit for each encoding of values or of levels that our own loops decode, or need not."""


@dataclass(frozen=True, slots=True)
class OwnGroups:
    """The row groups whose plain columns our own loops decode.

    files   number of rows of each file
    groups  number of rows of each row group
    chunks  int64[chunk, CHUNK_FIELDS]: those of the columns, by row group and leaf
    """

    files: Numbers
    groups: Numbers
    chunks: Numbers


def decoding(
    names: Sequence[str], own: OwnGroups | str, plain: PlainWanted, footer: str, files: int = 1
) -> Decoding:
    """Return how the columns with these names are decoded, by what `own_groups` has returned."""
    if isinstance(own, str):
        return Decoding((), tuple(names), footer, own, files)
    mine = tuple(each.name for each in plain.fields)
    return Decoding(mine, tuple(each for each in names if each not in mine), footer, "", files)


def own_groups(
    footers: Footers, form: Form, plain: PlainWanted, rows: int, most: int
) -> OwnGroups | str:
    """Return the row groups for our own loops; the reason if pyarrow decodes all columns.

    Our own loops decode the plain columns of a group if

    - the footers have the usual form;
    - the loops' machine code is loaded, or there are enough values to load it;
    - the chunks have the usual codecs and encodings;
    - no row group is large: the library decodes one of more than `_CHUNK` bytes a column as fast,
      in parts; and none exceeds the limits.

    footers  those of the files of the group
    plain    the wanted columns that are plain
    rows     their number of rows
    most     most bytes of the values of a row group
    """
    columns = len(plain.leaves)
    if not columns:
        return "no wanted column is plain"
    if not take_values.is_worth_it(columns * (_FILE * len(footers.places) + rows // _VALUES)):
        return f"{rows} rows are too few to load machine code for"
    files, groups, chunks = found_chunks(footers, form, plain.marks)
    if not len(files):
        return "the footer is unusual"
    if not np.isin(chunks[:, CODEC], _CODECS).all() or (chunks[:, ENCODINGS] & ~_ENCODINGS).any():
        return "a column has another codec or encoding"
    raw = np.bincount(chunks[:, GROUP], chunks[:, RAW], len(groups))
    largest = int(max(raw.max(initial=0), plain.row * groups[:, 1].max(initial=0)))
    if largest > min(most, _CHUNK * columns):
        return f"a row group has {largest} bytes"
    return OwnGroups(files[:, 4].copy(), groups[:, 1], chunks)
