"""ORC data files.

The rules:

- Ids are the attributes ``iceberg.id`` of ORC's types; a file is read stripe by stripe.
- ORC keeps moments as seconds and nanoseconds, in a range that Arrow's nanoseconds do not have:
  stripes with such moments are read by `byteloom.iceberg.reading.orc_moments`.

Source: Iceberg table spec, "Appendix A", ORC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import orc

from byteloom.iceberg.reading.data_file import BATCH, Piece
from byteloom.iceberg.reading.fields import field_id, identified
from byteloom.iceberg.reading.opening import about, native_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.types import NestedField
    from byteloom.limits import Limits
    from byteloom.storage import Source

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
            self._file: Any = orc.ORCFile(native_file(source))
            self._schema: pa.Schema = self._file.schema
            self.fields = identified(list(self._schema), mapping, _ID)

    @property
    def rows(self) -> int:
        """How many rows the footer says that there are."""
        return int(self._file.nrows)

    def pieces(self, wanted: Sequence[NestedField], residual: Expression) -> Iterator[Piece]:
        """Yield the rows, stripe by stripe."""
        del residual  # pyarrow tells no statistics of stripes
        ids = {each.id for each in wanted}
        chosen = [at for at, each in enumerate(self.fields) if field_id(each) in ids]
        fields = [self.fields[each] for each in chosen]
        if not chosen:
            for at in range(0, self.rows, BATCH):
                yield Piece(at, min(BATCH, self.rows - at), [], [])
            return
        start = 0
        for stripe in range(self._file.nstripes):
            with about(self._path):
                arrays = self._stripe(stripe, chosen)
            rows = len(arrays[0])
            for at in range(0, rows, BATCH):
                held = [each.slice(at, BATCH) for each in arrays]
                yield Piece(start + at, min(BATCH, rows - at), fields, held)
            start += rows

    def close(self) -> None:
        """Give back the file."""
        self._source.close()

    def _stripe(self, stripe: int, chosen: list[int]) -> list[pa.Array]:
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
        return [batch.column(batch.schema.get_field_index(each)) for each in names]
