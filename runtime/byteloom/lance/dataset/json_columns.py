"""Columns of JSON in a dataset, whose files have them in a binary form.

As in pylance, datasets have the text; single files have the bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.lance.dataset.merged import filled
from byteloom.lance.json_texts import texts_of
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from byteloom.lance.fields import Field
    from byteloom.lance.reading import FieldReader

__all__ = ["JsonReader"]


class JsonReader:
    """A field that is JSON, or has JSON inside, as text."""

    def __init__(self, reader: FieldReader, field: Field) -> None:
        """Read *field*, of which *reader* has the bytes."""
        self._reader, self._path, self._type = reader, field.path, arrow_field(field).type
        self.length, self.starts = reader.length, reader.starts

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        return self._texts(self._reader.read(start, stop))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        return self._texts(self._reader.take(rows))

    def _texts(self, array: pa.Array) -> pa.Array:
        return filled(array, self._type, lambda each: texts_of(each, self._path))
