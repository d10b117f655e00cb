"""ORC data files.

The rules:

- Ids are the attributes ``iceberg.id`` of ORC's types; a file is read stripe by stripe.
- Stripes whose statistics show that no row matches are not read; positions count on over them.
- ORC keeps moments as seconds and nanoseconds, in a range that Arrow's nanoseconds do not have:
  stripes with such moments are read by `byteloom.iceberg.reading.orc_moments`.

Source: Iceberg table spec, "Appendix A", ORC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import orc

from byteloom.errors import FormatError
from byteloom.iceberg.expressions import metrics
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.reading.data_file import BATCH, Piece
from byteloom.iceberg.reading.fields import field_id, identified
from byteloom.iceberg.reading.opening import about
from byteloom.iceberg.reading.orc_statistics import StripeStats
from byteloom.orc.layout import OrcLayout
from byteloom.storage.native import native_file
from byteloom.storage.spans import begins_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.types import NestedField
    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom.storage.spans import Span

__all__ = ["OrcData"]

_ID: Final = b"iceberg.id"
_OUT_OF_RANGE: Final = "out of range for nanosecond"


class OrcData:
    """An open ORC file."""

    def __init__(
        self, source: Source, path: str, mapping: NameMapping | None, limits: Limits
    ) -> None:
        """Read the footer; `FormatError` for a damaged one."""
        self._source, self._path, self._limits = source, path, limits
        with about(path):
            self._layout = OrcLayout(source, limits)  # first: the library would trust the footer
            self._file: Any = orc.ORCFile(native_file(source))
            self._schema: pa.Schema = self._file.schema
            self.fields = identified(list(self._schema), mapping, _ID)

    @property
    def rows(self) -> int:
        """How many rows the footer says that there are."""
        return int(self._file.nrows)

    def pieces(
        self, wanted: Sequence[NestedField], residual: Expression = TRUE, span: Span = None
    ) -> Iterator[Piece]:
        """Yield the rows of the stripes that may match."""
        ids = {each.id for each in wanted}
        chosen = [at for at, each in enumerate(self.fields) if field_id(each) in ids]
        fields = [self.fields[each] for each in chosen]
        with about(self._path):
            stripes = self._layout.stripes
            held = sum(each.numberOfRows for each in stripes)
            if held != self.rows:
                raise FormatError("footer", None, f"stripes of {held} rows", f"{self.rows} rows")
            keep = [begins_in(span, each.offset) for each in stripes]
            if residual != TRUE:
                stats = StripeStats(self._layout, self.fields, wanted)
                keep = (metrics.inclusive(residual, stats) & keep).tolist()
        start = 0
        for number, held in enumerate(each.numberOfRows for each in stripes):
            if keep[number]:
                with about(self._path):
                    arrays = self._stripe(number, held, chosen) if chosen else []
                for at in range(0, held, BATCH):
                    rows = min(BATCH, held - at)
                    yield Piece(start + at, rows, fields, [each.slice(at, rows) for each in arrays])
            start += held

    def close(self) -> None:
        """Give back the file."""
        self._source.close()

    def _stripe(self, stripe: int, rows: int, chosen: list[int]) -> list[pa.Array]:
        """The columns of a stripe."""
        names = [self._schema.field(each).name for each in chosen]
        # The library takes names as paths: a dot in one would lead inside another column.
        is_plain = not any("." in each for each in self._schema.names)
        asked = names if is_plain else None
        try:
            batch = self._file.read_stripe(stripe, columns=asked)
        except pa.ArrowInvalid as error:
            if _OUT_OF_RANGE not in str(error):
                raise
            from byteloom.iceberg.reading.orc_moments import read_stripe

            batch = read_stripe(self._source, stripe, asked, self._limits)
        if batch.num_rows != rows:
            raise FormatError(f"stripe {stripe}", None, f"{batch.num_rows} rows", f"{rows}")
        return [batch.column(batch.schema.get_field_index(each)) for each in names]
