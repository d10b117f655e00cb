"""A new ORC file of a table.

The rules:

- Types, and the attributes that have field ids, are those of the spec's table; columns of type
  unknown are left out.
- The bytes of columns are those of their streams, which pyarrow does not count: they are in the
  footers of stripes, which are read when the file is there.
- A moment that pyarrow's writer would store as another one is refused.

Source: Iceberg table spec, "Appendix A", ORC.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.datafiles.fields import FIELD_ID, field_id, inner_fields
from byteloom.errors import Unsupported
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.file_types import to_orc
from byteloom.iceberg.observed import parts_of
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType, Type, VariantType
from byteloom.iceberg.writing.output import Output
from byteloom.iceberg.writing.struct_fields import with_null_fields
from byteloom.late import pa_orc
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.storage.naming import about_file
from byteloom_generated.orc.messages import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from byteloom.iceberg.properties import Properties
    from byteloom.iceberg.schema import Schema
    from byteloom.storage import Source, Target

__all__ = ["OrcOutput", "orc_options", "orc_schema", "orc_sizes_and_offsets"]

_ID: Final = b"iceberg.id"
_INDEXES: Final = frozenset(
    (Stream.Kind.ROW_INDEX, Stream.Kind.BLOOM_FILTER, Stream.Kind.BLOOM_FILTER_UTF8)
)
"""Streams that Java does not count among those of a column."""

_PER_SECOND: Final = {"us": 1_000_000, "ns": 1_000_000_000}

_CODECS: Final = {"none": "uncompressed"}
"""Codecs that pyarrow calls by another name."""


def orc_schema(schema: Schema) -> pa.Schema:
    """Return the Arrow schema of a table's ORC files; metadata of fields become attributes.

    All fields may be null, since required ones are so inside a struct that is null.
    """
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
            made.append(pa.field(each.name, of, metadata=own))  # an attribute says required
    return made


def _stored(of: Type, attributes: Iterator[Mapping[str, str]]) -> pa.DataType:
    """Return the Arrow type of which pyarrow makes the type of ORC."""
    if isinstance(of, StructType):
        return pa.struct(_fields(of.fields, attributes))
    if isinstance(of, ListType):
        return pa.large_list(*_fields(of.fields, attributes))
    if isinstance(of, MapType):
        key, value = _fields(of.fields, attributes)
        return pa.map_(key.with_nullable(False), value)  # noqa: FBT003  what Arrow asks for
    if isinstance(of, VariantType):
        return pa.struct([pa.field(each.name, each.type) for each in arrow_type(of)])
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


class OrcOutput(Output):
    """One ORC file that is being written."""

    form = "ORC"

    def __init__(
        self,
        target: Target,
        path: str,
        schema: pa.Schema,
        options: Mapping[str, Any],
        opened: Callable[[str], Source],
    ) -> None:
        """Open the file.

        Args:
            target: Where it is written.
            path: Its path, as metadata will name it.
            schema: What `orc_schema` returned.
            options: What `orc_options` returned.
            opened: Opens the file that is at a path.
        """
        self._schema, self._options, self._opened = schema, options, opened
        super().__init__(target, path)

    def _begin(self) -> None:
        self._writer = pa_orc.ORCWriter(self._sink, **self._options)

    def _put(self, rows: pa.Table) -> None:
        held = rows.select(self._schema.names)
        for field, column in zip(held.schema, held.columns, strict=True):
            for array in column.chunks:
                _check_moments(field, array)
        self._writer.write(with_null_fields(held.cast(self._schema)))

    def _end(self) -> None:
        self._writer.close()

    def _measured(self) -> tuple[dict[int, int], list[int]]:
        with closing(self._opened(self.path)) as source, about_file(self.path):
            return orc_sizes_and_offsets(OrcLayout(source, DEFAULT_LIMITS), self._schema, _ID)


def _check_moments(field: pa.Field, array: pa.Array) -> None:
    """Refuse moments that pyarrow's writer stores as others: it rounds their seconds up."""
    for _, part, _ in parts_of(field, array):
        if not pa.types.is_timestamp(part.type):
            continue
        numbers = part.cast(pa.int64()).fill_null(0).to_numpy()
        if ((numbers < 0) & (numbers % _PER_SECOND[part.type.unit] != 0)).any():
            found = "a moment before 1970 with a fraction of a second"
            wanted = "Parquet or Avro: pyarrow writes another moment to ORC"
            raise Unsupported(f"column {field.name}", None, found, wanted)


def orc_sizes_and_offsets(
    layout: OrcLayout, fields: Iterable[pa.Field], key: bytes = FIELD_ID
) -> tuple[dict[int, int], list[int]]:
    """Return the stored bytes of a file's columns by id, and where its stripes begin.

    As in Java, a struct, list or map has bytes of its own, and what is in lists and maps has none.

    Args:
        layout: The file's.
        fields: The columns of the file, with their ids.
        key: The key of an id in the metadata of a field.
    """
    ids = [each for field in fields for each in _ids(field, key)]
    counted = Counter(dict.fromkeys((each for each in ids if each >= 0), 0))
    for stripe in layout.stripes:
        for stream in layout.streams(stripe).footer.streams:
            number = ids[stream.column - 1] if 0 < stream.column <= len(ids) else -1
            if number >= 0 and stream.kind not in _INDEXES:
                counted[number] += stream.length
    return dict(counted), [each.offset for each in layout.stripes]


def _ids(field: pa.Field, key: bytes) -> Iterator[int]:
    """Yield the ids of a field and those inside it, depth first; -1 for those in lists and maps."""
    yield field_id(field, key)
    for each in inner_fields(field.type):
        inner = _ids(each, key)
        yield from inner if pa.types.is_struct(field.type) else (-1 for _ in inner)
