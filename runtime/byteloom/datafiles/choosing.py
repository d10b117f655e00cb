"""Keep those rows of a piece that deletes and filters leave.

The rules:

- The columns that a choice looks at are decoded first.  Where single columns can be decoded, the
  others are decoded only for the rows that are left, and not at all if there are none.
- Whatever decodes columns late has checked that their text is UTF-8.
- Every column must have a value for each flag, since Arrow would not notice one that is longer.
- Rows are taken by number if at most half of them stay, since that takes as long as there are rows
  to take; otherwise they are filtered, which copies runs of rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from byteloom.datafiles.data_file import Piece
from byteloom.datafiles.fields import places_of
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import RowFilter
    from byteloom.datafiles.wanted import PlainWanted

__all__ = ["Plain", "chosen", "kept", "late_piece"]


def kept(arrays: Sequence[pa.Array], keep: NDArray[np.bool_]) -> list[pa.Array]:
    """Return the columns *arrays* with only those rows whose flag in *keep* is set.

    FormatError  a column with another number of values, which damaged pages can have
    """
    for each in arrays:
        if len(each) != len(keep):
            raise FormatError("columns", None, f"a column of {len(each)} values", f"{len(keep)}")
    if np.count_nonzero(keep) * 2 <= len(keep):
        numbers = pa.array(np.flatnonzero(keep))
        return [each.take(numbers) for each in arrays]
    flags = pa.array(keep)
    return [each.filter(flags) for each in arrays]


class Plain(Protocol):
    """Plain columns of some rows, which are decoded when they are taken."""

    def take(
        self, leaves: Sequence[int], types: Sequence[pa.DataType], rows: NDArray[np.int64] | None
    ) -> list[pa.Array]:
        """Return the columns of some leaves, ascending.

        types        their types, as `plain_type` returns them
        rows         numbers of the wanted rows, ascending; None for all
        Unusual      unusual or damaged pages, or too many bytes
        """


def chosen(piece: Piece, rows: RowFilter | None) -> Piece:
    """Return a piece, all of whose columns are decoded, with the rows that are left."""
    if rows is None:
        return piece
    choice = rows.choose(piece)
    if choice.keep is None:
        return replace(piece, choice=choice)
    if not choice.count_of(piece.rows):
        return Piece(piece.start, piece.rows, [], [], choice=choice)
    return replace(piece, arrays=kept(piece.arrays, choice.keep), choice=choice)


def late_piece(
    span: range,
    plain: Plain,
    wanted: PlainWanted,
    others: Callable[[], Sequence[Piece]] | None,
    rows: RowFilter,
) -> Piece:
    """Return a piece with the plain columns and the others, of the rows that are left.

    span     the positions of its rows
    others   returns the columns that are not plain, of the same rows; None without any
    Unusual  as for `Plain.take`
    """
    first = [place for place, of in wanted.ids_by_place if of in rows.ids]
    is_late = rows.ids.issubset(wanted.places)
    rest = None if others is None or is_late else _joined(others())
    held = _taken(plain, wanted, first, None)
    choice = rows.choose(_piece(span, wanted, held, rest))
    if not choice.count_of(len(span)):
        return Piece(span.start, len(span), [], [], choice=choice)
    if others is not None and rest is None:
        rest = _joined(others())
    if choice.keep is not None:
        held = dict(zip(held, kept(list(held.values()), choice.keep), strict=True))
        rest = None if rest is None else (rest[0], kept(rest[1], choice.keep))
    left = [place for place in range(len(wanted.fields)) if place not in held]
    held |= _taken(plain, wanted, left, choice.rows)
    return replace(_piece(span, wanted, held, rest), choice=choice)


def _taken(
    plain: Plain, wanted: PlainWanted, places: Sequence[int], rows: NDArray[np.int64] | None
) -> dict[int, pa.Array]:
    """Return plain columns by their place."""
    if not places:
        return {}
    leaves, types = zip(*map(wanted.leaves.__getitem__, places), strict=True)
    return dict(zip(places, plain.take(leaves, types, rows), strict=True))


_Columns = tuple[list[pa.Field], list[pa.Array]]


def _joined(pieces: Sequence[Piece]) -> _Columns | None:
    """Return the columns of consecutive pieces; None without any."""
    if not pieces or not pieces[0].fields:
        return None
    parts = zip(*(each.arrays for each in pieces), strict=True)
    return list(pieces[0].fields), [*map(pa.concat_arrays, parts)]


def _piece(
    span: range, wanted: PlainWanted, held: dict[int, pa.Array], rest: _Columns | None
) -> Piece:
    """Return a piece with those plain columns that are decoded, and the others."""
    is_whole = len(held) == len(wanted.fields)
    order = range(len(held)) if is_whole else sorted(held)
    fields = wanted.fields if is_whole else [wanted.fields[each] for each in order]
    arrays = [held[each] for each in order]
    places = wanted.places if is_whole and rest is None else None
    if rest is not None:
        fields, arrays = [*fields, *rest[0]], [*arrays, *rest[1]]
    return Piece(
        span.start, len(span), fields, arrays, places or places_of(fields), checked=len(order)
    )
