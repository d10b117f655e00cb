"""Pieces whose plain columns are decoded when they are asked for, for the rows that are still left.

Source: Iceberg table spec, "Column Projection".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.datafiles.data_file import Piece
from byteloom.datafiles.fields import places_of
from byteloom.datafiles.plain_arrays import PlainArrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.datafiles.plain_arrays import Plain
    from byteloom.datafiles.wanted import PlainWanted

__all__ = ["lazy_piece"]


def lazy_piece(
    rows: range,
    columns: Plain,
    wanted: PlainWanted,
    others: Sequence[Piece],
    again: Callable[[], Iterator[Piece]] | None = None,
) -> Piece:
    """Return a piece with the plain columns and the others.

    rows    the positions of its rows
    others  the other columns, decoded, of the same rows
    again   see `Piece`
    """
    fields, places = wanted.fields, wanted.places
    leaves, made = wanted.leaves, {}
    if others and others[0].fields:
        parts = zip(*(each.arrays for each in others), strict=True)
        made = {place: pa.concat_arrays(of) for place, of in enumerate(parts, len(fields))}
        leaves = [*leaves, *((-1, each.type) for each in others[0].fields)]
        fields = [*fields, *others[0].fields]
        places = places_of(fields)
    arrays = PlainArrays(columns, leaves, made)
    return Piece(rows.start, len(rows), fields, arrays, places, again)
