"""A new ORC file of a table.

The rules:

- Types, and the attributes that have field ids, are those of the spec's table; columns of type
  unknown are left out.
- The file appears when it is closed, and not at all if writing fails.

Source: Iceberg table spec, "Appendix A", ORC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.file_types import to_orc
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType, Type
from byteloom.late import pa_orc
from byteloom.storage.sources import storing
from byteloom.storage.targets import Sink

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.iceberg.properties import Properties
    from byteloom.iceberg.schema import Schema
    from byteloom.storage import Target

__all__ = ["OrcOutput", "orc_options", "orc_schema"]

_CODECS: Final = {"none": "uncompressed"}
"""Codecs that pyarrow calls by another name."""


def orc_schema(schema: Schema) -> pa.Schema:
    """Return the Arrow schema of a table's ORC files; metadata of fields become attributes."""
    attributes = (each.attributes for each in to_orc(StructType(schema.fields)))
    return pa.schema(_fields(schema.fields, attributes))


def _fields(
    fields: tuple[NestedField, ...], attributes: Iterator[Mapping[str, str]]
) -> list[pa.Field]:
    """Return stored fields; attributes come depth first."""
    made = []
    for each in fields:
        if each.type.kind != "unknown":
            own = dict(next(attributes))
            of = _stored(each.type, attributes)
            made.append(pa.field(each.name, of, nullable=not each.required, metadata=own))
    return made


def _stored(of: Type, attributes: Iterator[Mapping[str, str]]) -> pa.DataType:
    """Return the Arrow type of which pyarrow makes the type of ORC."""
    if isinstance(of, StructType):
        return pa.struct(_fields(of.fields, attributes))
    if isinstance(of, ListType):
        return pa.large_list(*_fields(of.fields, attributes))
    if isinstance(of, MapType):
        return pa.map_(*_fields(of.fields, attributes))
    if of.kind == "time":
        return pa.int64()
    return pa.large_binary() if of.kind in {"uuid", "fixed"} else arrow_type(of)


def orc_options(properties: Properties) -> dict[str, Any]:
    """Return what pyarrow's writer is asked for by a table's properties.

    Raises:
        FormatError: A property that is no value of its kind.
        Unsupported: A codec that is not written.
    """
    codec = properties.word("write.orc.compression-codec")
    return {
        "compression": _CODECS.get(codec, codec),
        "stripe_size": properties.number("write.orc.stripe-size-bytes"),
    }


class OrcOutput:
    """One ORC file that is being written.

    Attributes:
        path: Its path, as metadata names it.
        rows: The rows so far.
    """

    form: Final = "ORC"

    def __init__(
        self, target: Target, path: str, schema: pa.Schema, options: Mapping[str, Any]
    ) -> None:
        """Open the file.

        Args:
            target: Where it is written.
            path: Its path, as metadata will name it.
            schema: What `orc_schema` returned.
            options: What `orc_options` returned.
        """
        self.path, self.rows = path, 0
        self._target, self._sink, self._schema = target, Sink(target), schema
        try:
            with storing(path):
                self._writer = pa_orc.ORCWriter(self._sink, **options)
        except BaseException:
            self.abort()
            raise

    @property
    def size(self) -> int:
        """The bytes so far."""
        return self._sink.tell()

    def add(self, rows: pa.Table) -> None:
        """Add rows."""
        held = rows.select(self._schema.names)
        with storing(self.path):
            self._writer.write(held.cast(self._schema))
        self.rows += rows.num_rows

    def close(self) -> tuple[dict[int, int], list[int]]:
        """End the file; return no sizes of columns, and no places of stripes: none are counted.

        Raises:
            StorageError: The file cannot be written.
        """
        with storing(self.path):
            self._writer.close()
        self._target.commit()
        return {}, []

    def abort(self) -> None:
        """Remove what was written."""
        self._sink.drop()
        self._target.abort()
