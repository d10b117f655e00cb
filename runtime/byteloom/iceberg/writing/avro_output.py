"""A new Avro file of a table.

The rules:

- Types and field ids are those of the spec's table; a column of type unknown is always null.
- Rows are encoded column by column, some thousand at a time.
- Nothing is known of the bytes of a column, and files may be split between any two blocks: entries
  say nothing of either, as in Java.

Source: Iceberg table spec, "Appendix A", Avro.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from byteloom.avro.column_writer import ColumnWriter
from byteloom.avro.file_writer import AvroOutput
from byteloom.errors import FormatError
from byteloom.iceberg.file_types import to_avro
from byteloom.iceberg.types import StructType
from byteloom.iceberg.writing.output import Output

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from byteloom.iceberg.properties import Properties
    from byteloom.iceberg.schema import Schema
    from byteloom.storage import Target

__all__ = ["AvroForm", "AvroRows", "avro_options"]

_CODECS: Final = {"uncompressed": "null", "gzip": "deflate", "zstd": "zstandard"}
"""Codecs that Avro calls by another name."""

_LEVELS: Final = {"gzip": range(10), "zstd": range(1, 23)}
_LEVEL: Final = "write.avro.compression-level"
_BLOCK: Final = 64_000
"""Bytes of a block before compression, as in Java."""

_ROWS: Final = 1 << 14
"""Rows that are encoded together."""


def avro_options(properties: Properties) -> dict[str, Any]:
    """Return what the writer is asked for by a table's properties.

    Raises:
        FormatError: A property that is no value of its kind.
        Unsupported: A codec that is not written.
    """
    codec = properties.word("write.avro.compression-codec")
    level, levels = properties.optional_number(_LEVEL), _LEVELS.get(codec, range(0))
    if level is not None and levels and level not in levels:
        wanted = f"{levels[0]} to {levels[-1]} for {codec}"
        raise FormatError(f"properties.{_LEVEL}", None, str(level), wanted)
    return {"codec": _CODECS.get(codec, codec), "level": level if levels else None}


class AvroForm:
    """What all Avro files of some columns have in common.

    Attributes:
        names: The columns.
        schema: Their schema, as the JSON of Avro.
        stated: Other properties of the files.
        writer: Encodes their rows.
    """

    def __init__(self, schema: Schema) -> None:
        """Take the columns.

        Raises:
            FormatError: Names that are equal in Avro.
            Unsupported: Lists of values that take no bytes.
        """
        self.names = [each.name for each in schema.fields]
        self.schema = to_avro(StructType(schema.fields))
        self.stated = {"iceberg.schema": json.dumps(schema.to_json())}
        self.writer = ColumnWriter(self.schema)


class AvroRows(Output):
    """One Avro file that is being written."""

    form = "AVRO"

    def __init__(
        self, target: Target, path: str, form: AvroForm, options: Mapping[str, Any]
    ) -> None:
        """Open the file.

        Args:
            target: Where it is written.
            path: Its path, as metadata will name it.
            form: Of the columns.
            options: What `avro_options` returned.
        """
        self._columns = form
        self._file = AvroOutput(form.schema, metadata=form.stated, block_size=_BLOCK, **options)
        super().__init__(target, path)

    def _begin(self) -> None:
        self._sink.write(self._file.take())

    def _put(self, rows: pa.Table) -> None:
        for batch in rows.select(self._columns.names).to_batches(max_chunksize=_ROWS):
            made = self._columns.writer.write(batch.columns)
            _, offsets, data = made.buffers()
            ends = memoryview(offsets).cast("q")[1 : len(made) + 1]
            self._file.extend(memoryview(b"" if data is None else data), ends)
            self._sink.write(self._file.take())

    def _end(self) -> None:
        self._sink.write(self._file.finish())

    def _measured(self) -> tuple[dict[int, int], list[int]]:
        return {}, []
