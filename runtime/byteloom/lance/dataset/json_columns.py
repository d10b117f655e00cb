"""Columns of JSON in a dataset, whose files have them in a binary form.

As in pylance, datasets have the text; single files have the bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.lance.dataset.merged import filled
from byteloom.lance.json_texts import texts_of
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from byteloom.lance.fields import Field
    from byteloom.lance.reading import FieldReader, Rows

__all__ = ["JsonReader"]


class JsonReader:
    """A field that is JSON, or has JSON inside, as text."""

    def __init__(self, reader: FieldReader, field: Field) -> None:
        """Read *field*, of which *reader* has the bytes."""
        self._reader, self._path, self._type = reader, field.path, arrow_field(field).type
        self.length, self.leaves, self.joins = reader.length, reader.leaves, reader.joins

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        stored = self._reader.made(parts, rows)
        return filled(stored, self._type, lambda each: texts_of(each, self._path))
