"""ORC data files.

The rules:

- Ids are the attributes ``iceberg.id`` of ORC's types.
- A file is read stripe by stripe, some rows at a time, within a budget of bytes: no more of a
  stripe is in memory, however large its content is.
- Stripes whose statistics show that no row matches are not read; their positions are still counted.
- ORC keeps moments as seconds and nanoseconds, in a range beyond that of Arrow's nanoseconds:
  stripes with such moments are read by `byteloom.datafiles.orc_moments`.

Source: Iceberg table spec, "Appendix A", ORC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import orc

from byteloom.datafiles.choosing import chosen
from byteloom.datafiles.damage import about
from byteloom.datafiles.data_file import BATCH, Decoding, Piece
from byteloom.datafiles.fields import field_id, identified
from byteloom.datafiles.orc_statistics import StripeStats
from byteloom.errors import FormatError
from byteloom.late import pa_dataset
from byteloom.orc.layout import OrcLayout
from byteloom.orc.view import StripeView
from byteloom.orc.weights import StripeWeights
from byteloom.storage.native import native_file
from byteloom.storage.ranges import begins_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.datafiles.data_file import OpenOptions, PartFilter, RowFilter
    from byteloom.datafiles.wanted import Wanted
    from byteloom.storage import Source
    from byteloom.storage.ranges import Span

__all__ = ["OrcData"]

_BATCH_BYTES: Final = 64 << 20
"""Budget of bytes of the rows read at a time; the library needs several times as much."""

_ID: Final = b"iceberg.id"
_OUT_OF_RANGE: Final = "out of range for nanosecond"


class OrcData:
    """An open ORC file."""

    def __init__(self, source: Source, path: str, options: OpenOptions) -> None:
        """Read the footer; `FormatError` for a damaged one."""
        self._source, self._path, self._limits = source, path, options.limits
        with about(path):
            # Read first, since the library relies on the footer.
            self._layout = OrcLayout(source, options.limits)
            self._file: Any = orc.ORCFile(native_file(source))
            self._schema: pa.Schema = self._file.schema
            self.columns = identified(list(self._schema), options.names, _ID)

    @property
    def rows(self) -> int:
        """The number of rows that the footer states."""
        return int(self._file.nrows)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._source.size

    def statistics(self, wanted: Wanted) -> StripeStats:
        """Return what the file states of its stripes."""
        with about(self._path):
            return self._statistics(wanted)

    def _statistics(self, wanted: Wanted) -> StripeStats:
        return StripeStats(self._layout, self.columns, wanted.fields)

    def decoding(self, wanted: Wanted) -> Decoding:
        """Return how rows with the *wanted* columns are decoded."""
        return Decoding((), wanted.names_in(self.columns), reason="a file of ORC")

    def pieces(
        self,
        wanted: Wanted,
        parts: PartFilter | None = None,
        span: Span = None,
        rows: RowFilter | None = None,
    ) -> Iterator[Piece]:
        """Yield the rows of the stripes that may match."""
        places = [at for at, each in enumerate(self.columns) if field_id(each) in wanted.ids]
        fields = [self.columns[each] for each in places]
        with about(self._path):
            stripes = self._layout.stripes
            held = sum(each.numberOfRows for each in stripes)
            if held != self.rows:
                raise FormatError("footer", None, f"stripes of {held} rows", f"{self.rows} rows")
            keep = [begins_in(span, each.offset) for each in stripes]
            if parts is not None:
                keep = (parts.matches(self._statistics(wanted)) & keep).tolist()
        start = 0
        for number, held in enumerate(each.numberOfRows for each in stripes):
            if keep[number]:
                end = start
                for count, arrays in self._parts(number, held, places):
                    with about(self._path):
                        left = chosen(Piece(end, count, fields, arrays), rows)
                    yield left
                    end += count
                if end != start + held:
                    found = f"{end - start} rows"
                    wrong = FormatError(f"stripe {number}", None, found, f"{held}")
                    raise wrong.in_file(self._path)
            start += held

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _parts(
        self, stripe: int, rows: int, chosen: list[int]
    ) -> Iterator[tuple[int, list[pa.Array]]]:
        """Yield the columns of a stripe, some rows at a time."""
        if not chosen:
            yield from ((min(BATCH, rows - at), []) for at in range(0, rows, BATCH))
            return
        with about(self._path):
            inner = self._layout.types[0].subtypes
            columns = [inner[each] for each in chosen]
            weights = StripeWeights(self._layout, stripe, columns, self._limits)
            at_a_time = weights.rows_within(_BATCH_BYTES, BATCH)
        done = 0
        try:
            for arrays in self._read(stripe, rows, chosen, at_a_time):
                yield len(arrays[0]), arrays
                done += len(arrays[0])
        except FormatError as error:
            if _OUT_OF_RANGE not in str(error):
                raise
            with about(self._path):
                weights.check(rows)
                arrays = self._moments(stripe, chosen)
            for at in range(done, rows, BATCH):
                yield min(BATCH, rows - at), [each.slice(at, BATCH) for each in arrays]

    def _read(
        self, stripe: int, rows: int, chosen: list[int], at_a_time: int
    ) -> Iterator[list[pa.Array]]:
        """Yield the columns of a stripe, *at_a_time* rows at a time."""
        names = [self._schema.field(each).name for each in chosen]
        # The library takes names as paths: a dot in one would lead inside another column.
        if rows <= at_a_time and not any("." in each for each in self._schema.names):
            with about(self._path):
                batch = self._file.read_stripe(stripe, columns=names)
                arrays = [batch.column(batch.schema.get_field_index(each)) for each in names]
            if batch.num_rows:
                yield arrays
            return
        batches = self._batches(stripe, chosen, at_a_time)
        while True:
            with about(self._path):
                batch = next(batches, None)
            if batch is None:
                return
            yield [batch.column(str(each)) for each in chosen]

    def _batches(self, stripe: int, chosen: list[int], at_a_time: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a stripe, read through the library's dataset interface."""
        file = native_file(StripeView(self._source, self._layout, stripe))
        fragment = pa_dataset.OrcFileFormat().make_fragment(file)
        scanner = pa_dataset.Scanner.from_fragment(
            fragment,
            schema=fragment.physical_schema,
            columns=[str(each) for each in chosen],
            batch_size=at_a_time,
            batch_readahead=0,
            use_threads=False,
        )
        yield from scanner.to_batches()

    def _moments(self, stripe: int, chosen: list[int]) -> list[pa.Array]:
        """Return the columns of a stripe with timestamps outside the range of nanoseconds."""
        from byteloom.datafiles.orc_moments import read_stripe

        return read_stripe(self._source, self._layout, stripe, chosen)
