"""Stripes of ORC files with timestamps outside the range of 64-bit nanoseconds.

The rules:

- ORC stores a moment as seconds from 2015 and, in a stream of its own, nanoseconds.  The library
  reads the seconds from a footer in which the timestamps are declared as integers; the nanoseconds
  are read here, one for each value that is not null.
- Timestamps become microseconds, or nanoseconds if those of the whole column fit.

Source: https://orc.apache.org/specification/ORCv1/ ("Timestamp Columns")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from pyarrow import orc

from byteloom.arrow.flags import flags_of
from byteloom.errors import FormatError, Unsupported
from byteloom.kernels.orc_runs import WRONG, unsigned_runs
from byteloom.orc.view import MOMENTS, StripeView
from byteloom.storage.native import native_file
from byteloom_generated.orc.messages import ColumnEncoding, Stream, Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.orc.layout import OrcLayout
    from byteloom.storage import Source
    from byteloom_generated.orc.messages import StripeInformation

__all__ = ["read_stripe"]

_EPOCH: Final = 1_420_070_400
"""Seconds from 1970 to 2015."""

_UTC: Final = frozenset({"", "UTC", "GMT", "Etc/UTC", "Etc/GMT", "Z"})
_MILLI: Final = 999_999
_LEAST, _MOST = -(1 << 63) // 1000, ((1 << 63) - 1) // 1000
_LEAST_REST: Final = 192
"""Nanoseconds of the least microsecond that are outside the range of nanoseconds."""


def read_stripe(
    source: Source, layout: OrcLayout, stripe: int, columns: list[int]
) -> list[pa.Array]:
    """Return columns of a stripe.

    columns      their indices among the columns of the file
    FormatError  a damaged file
    Unsupported  timestamps written in a zone other than UTC
    """
    file = orc.ORCFile(native_file(StripeView(source, layout, stripe, moments=False)))
    batch = file.read_stripe(0, columns=[str(each) for each in columns])
    moments = _Moments(layout, layout.stripes[stripe])
    inner = layout.types[0].subtypes
    return [moments.column(batch.column(str(each)), inner[each]) for each in columns]


class _Moments:
    """The timestamps of a stripe."""

    def __init__(self, layout: OrcLayout, stripe: StripeInformation) -> None:
        self._layout = layout
        found = layout.streams(stripe)
        self._encodings, self._zone = found.footer.columns, found.footer.writerTimezone
        self._streams = {
            each.column: (offset, each.length)
            for each, offset in zip(found.footer.streams, found.offsets, strict=True)
            if each.kind == Stream.Kind.SECONDARY
        }

    def column(self, array: pa.Array, column: int, parent: pa.Array | None = None) -> pa.Array:
        """Return a column whose seconds have become timestamps, at any depth.

        parent  which of the structs around its values are not null; None for all
        """
        of = self._layout.types[column]
        if of.kind in MOMENTS:
            return self._moments(array, column, parent)
        if not of.subtypes:
            return array
        if pa.types.is_struct(array.type):
            return self._struct(array, of.subtypes, parent)
        if pa.types.is_map(array.type):
            key, item = (
                self.column(each, number)
                for each, number in zip((array.keys, array.items), of.subtypes, strict=True)
            )
            mask = array.is_null() if array.null_count else None
            return pa.MapArray.from_arrays(array.offsets, key, item, mask=mask)
        items = self.column(array.values, of.subtypes[0])
        mask = array.is_null() if array.null_count else None
        return pa.ListArray.from_arrays(array.offsets, items, mask=mask)

    def _struct(self, array: pa.Array, inner: Sequence[int], parent: pa.Array | None) -> Any:
        """Convert structs, field by field."""
        valid = array.is_valid()
        around = valid if parent is None else pa.compute.and_(valid, parent)
        held = [self.column(array.field(at), number, around) for at, number in enumerate(inner)]
        names = [each.name for each in array.type]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(held, names=names, mask=mask)

    def _moments(self, array: pa.Array, column: int, parent: pa.Array | None) -> pa.Array:
        """Join seconds and nanoseconds to timestamps."""
        if self._layout.types[column].kind == Type.Kind.TIMESTAMP and self._zone not in _UTC:
            where = f"orc.column[{column}]"
            raise Unsupported(where, None, f"moments before 1678 of {self._zone}", "moments of UTC")
        valid = array.is_valid() if parent is None else pa.compute.and_(array.is_valid(), parent)
        rows = flags_of(valid)
        seconds = array.fill_null(0).to_numpy()[rows] + np.int64(_EPOCH)
        nanos = self._nanos(column, len(seconds))
        # Nanoseconds are added even to seconds that were rounded towards 1970.
        seconds -= (seconds < 0) & (nanos > _MILLI)
        words = np.zeros(len(array), np.int64)
        unit, words[rows] = _joined(seconds, nanos)
        return pa.array(words, mask=~rows).view(pa.timestamp(unit))

    def _nanos(self, column: int, count: int) -> NDArray[np.int64]:
        """Return the nanoseconds of the non-null values."""
        where = f"orc.column[{column}].secondary"
        encodings = self._encodings
        if column >= len(encodings) or encodings[column].kind != ColumnEncoding.Kind.DIRECT_V2:
            raise Unsupported(where, None, "runs of version 1", "runs of version 2")
        packed = np.zeros(count, np.int64)
        if count:
            if column not in self._streams:
                raise FormatError(where, None, "no stream", f"{count} values")
            data = np.frombuffer(self._layout.plain(*self._streams[column]), np.uint8)
            if code := unsigned_runs(data, packed):
                raise FormatError(where, None, f"{len(data)} bytes", WRONG[code])
        zeros = packed & 7
        # Zeros at the end are counted, minus 1, in the three bits below.
        return np.asarray((packed >> 3) * 10 ** np.where(zeros > 0, zeros + 1, 0), np.int64)


def _joined(seconds: NDArray[np.int64], nanos: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    """Return the finest unit that fits all timestamps, and their numbers in it."""
    micros = seconds * 1_000_000 + nanos // 1000
    fits = (micros > _LEAST) & (micros <= _MOST)
    fits |= (micros == _LEAST) & (nanos % 1000 >= _LEAST_REST)
    if not fits.all():
        return "us", micros
    return "ns", seconds * 1_000_000_000 + nanos
