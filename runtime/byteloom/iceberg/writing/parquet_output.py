"""A new Parquet file of a table, row group by row group.

The rules:

- Types and field ids are those of the spec's table; columns of type unknown are left out.
- Each part of the rows that is added is a row group.
- Logical types that pyarrow does not write, those of variants and of some shapes on a globe, are
  added to the footer.

Source: Iceberg table spec, "Appendix A", Parquet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from byteloom.datafiles.fields import field_id, inner_fields
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.shapes import ShapeType
from byteloom.iceberg.types import (
    GeographyType,
    GeometryType,
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    VariantType,
)
from byteloom.iceberg.types.primitive import DEFAULT_ALGORITHM, DEFAULT_CRS
from byteloom.iceberg.writing.output import Output
from byteloom.iceberg.writing.parquet_columns import column_options, supported
from byteloom.iceberg.writing.struct_fields import with_valid_fields
from byteloom.late import pq
from byteloom.parquet.annotations import annotated, geography, geometry, variant
from byteloom.storage.targets import Sink

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from byteloom.iceberg.properties import Properties
    from byteloom.iceberg.schema import Schema
    from byteloom.storage import Target

__all__ = [
    "ParquetForm",
    "ParquetOutput",
    "coded_paths",
    "logical_types",
    "parquet_options",
    "sizes_and_offsets",
    "stored_paths",
    "stored_schema",
]

_CODECS: Final = {"uncompressed": "none"}
"""Codecs that pyarrow calls by another name."""

_NO_ID: Final = -1
_TAKEN_FOR_DEFAULT: Final = "EPSG:4326"
"""A reference system whose name pyarrow leaves out, since it differs in the order of axes only."""

_PAGES: Final = {"v1": "1.0", "v2": "2.0"}
_LEVELLED: Final = frozenset({"zstd", "gzip", "brotli"})
_MOST_ROWS: Final = 1 << 20
"""Rows of a row group at most, as in pyarrow."""


def stored_schema(schema: Schema) -> pa.Schema:
    """Return the Arrow schema of a table's files."""
    fields = [each for each in schema.fields if each.type.kind != "unknown"]
    return pa.schema(
        [arrow_field(each).with_type(_stored(arrow_field(each).type, each.type)) for each in fields]
    )


def _stored(of: pa.DataType, kind: Type) -> pa.DataType:
    """Return a type with UUIDs as pyarrow writes them with their annotation."""
    if kind.kind == "uuid":
        return pa.uuid()
    if isinstance(kind, GeometryType | GeographyType) and not _is_annotated(kind):
        return ShapeType.of(kind)
    if isinstance(kind, StructType):
        inner = [each for each in kind.fields if each.type.kind != "unknown"]
        return pa.struct([_field(of.field(each.name), each.type) for each in inner])
    if isinstance(kind, ListType):
        return pa.large_list(of.value_field.with_type(_stored(of.value_type, kind.element)))
    if isinstance(kind, MapType):
        key = of.key_field.with_type(_stored(of.key_type, kind.key))
        return pa.map_(key, of.item_field.with_type(_stored(of.item_type, kind.value)))
    return of


def _field(of: pa.Field, kind: Type) -> pa.Field:
    return of.with_type(_stored(of.type, kind))


def logical_types(schema: Schema) -> dict[tuple[str, ...], bytes]:
    """Return the logical types of a table's files that pyarrow does not write, by their names."""
    return {names: made for each in schema.fields for names, made in _annotations(each, ())}


def _annotations(
    field: NestedField, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the same for a field and those inside it."""
    names, of = (*above, field.name), field.type
    if isinstance(of, VariantType):
        yield names, variant()
    elif isinstance(of, GeographyType) and _is_annotated(of):
        yield names, geography(None if of.crs == DEFAULT_CRS else of.crs, of.algorithm)
    elif isinstance(of, GeometryType) and _is_annotated(of):
        yield names, geometry(of.crs)
    middle = {ListType: ("list",), MapType: ("key_value",)}.get(type(of), ())
    for each in getattr(of, "fields", ()):
        yield from _annotations(each, (*names, *middle))


def _is_annotated(of: GeometryType | GeographyType) -> bool:
    """Return whether pyarrow would not write a type of shapes, or as another one."""
    if isinstance(of, GeographyType):
        return (of.crs, of.algorithm) != (DEFAULT_CRS, DEFAULT_ALGORITHM)
    return of.crs == _TAKEN_FOR_DEFAULT


def parquet_options(properties: Properties, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return what pyarrow's writer is asked for by a table's properties.

    Args:
        properties: The table's.
        paths: What `stored_paths` returned.

    Raises:
        FormatError: A property that is no value of its kind.
        Unsupported: A codec that is not written, or an option that this pyarrow lacks.
    """
    rows = "write.parquet.page-row-limit"
    limit = properties.number(rows)
    paged = supported("max_rows_per_page", limit, rows) if properties.is_set(rows) else {}
    codec = properties.word("write.parquet.compression-codec")
    level = properties.optional_number("write.parquet.compression-level")
    return {
        "compression": _CODECS.get(codec, codec),
        "compression_level": level if codec in _LEVELLED else None,
        "data_page_size": properties.number("write.parquet.page-size-bytes"),
        "dictionary_pagesize_limit": properties.number("write.parquet.dict-size-bytes"),
        "store_decimal_as_integer": True,
        "store_schema": False,
        "data_page_version": _PAGES[properties.word("write.parquet.page-version")],
        **paged,
        **column_options(properties, paths),
    }


def stored_paths(schema: Schema) -> dict[str, str]:
    """Return the path of each stored column of a table's files, by its name in the table."""
    fields = stored_schema(schema)
    ids = [each for field in fields for each in _leaf_ids(field)]
    paths = [each for field in fields for each in _leaf_paths(field)]
    return {schema.name(n): path for n, path in zip(ids, paths, strict=True) if n != _NO_ID}


def coded_paths(fields: pa.Schema, again: AbstractSet[str], asked: Mapping[str, bool]) -> list[str]:
    """Return the paths of the stored columns that get dictionaries.

    Args:
        fields: What `stored_schema` returned.
        again: The columns whose values come again.
        asked: By path, whether the table asks for dictionaries.
    """
    repeats = {path: each.name in again for each in fields for path in _leaf_paths(each)}
    return [path for path, is_coded in (repeats | dict(asked)).items() if is_coded]


class ParquetForm(NamedTuple):
    """What all Parquet files of some columns have in common.

    Attributes:
        schema: What `stored_schema` returned.
        options: What `parquet_options` returned.
        annotations: What `logical_types` returned.
    """

    schema: pa.Schema
    options: Mapping[str, Any]
    annotations: Mapping[tuple[str, ...], bytes]


class ParquetOutput(Output):
    """One Parquet file that is being written."""

    form = "PARQUET"

    def __init__(self, target: Target, path: str, form: ParquetForm, coded: Sequence[str]) -> None:
        """Open the file.

        Args:
            target: Where it is written.
            path: Its path, as metadata will name it.
            form: Of the columns.
            coded: The paths of the stored columns that get dictionaries.
        """
        self._schema, self._footers = form.schema, list[Any]()
        self._options = {"use_dictionary": list(coded), **form.options}
        self._annotations = form.annotations
        super().__init__(target, path)

    def _begin(self) -> None:
        self._ending = _Ending(self._sink)
        self._writer = pq.ParquetWriter(
            Sink(self._ending), self._schema, metadata_collector=self._footers, **self._options
        )

    def _put(self, rows: pa.Table) -> None:
        held = with_valid_fields(rows.select(self._schema.names))
        self._writer.write_table(held.cast(self._schema), row_group_size=_MOST_ROWS)

    def _end(self) -> None:
        self._ending.is_held = bool(self._annotations)
        try:
            self._writer.close()
        except BaseException:
            self._writer.is_open = False  # or it would be closed again when it is collected
            raise
        if self._annotations:
            self._sink.write(annotated(bytes(self._ending.held), self._annotations))

    def _measured(self) -> tuple[dict[int, int], list[int]]:
        return sizes_and_offsets(self._footers[0], self._schema)


class _Ending:
    """Passes bytes on, or holds them.

    Attributes:
        is_held: Whether bytes are held from now on.
        held: The held ones.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink, self.is_held, self.held = sink, False, bytearray()

    def write(self, data: bytes) -> None:
        """Take bytes."""
        if self.is_held:
            self.held += data
        else:
            self._sink.write(data)


def sizes_and_offsets(footer: Any, fields: Iterable[pa.Field]) -> tuple[dict[int, int], list[int]]:
    """Return the stored bytes of a file's columns by id, and where its row groups begin.

    Args:
        footer: The footer, as pyarrow has it.
        fields: The columns of the file, with their ids.
    """
    ids = [each for field in fields for each in _leaf_ids(field)]
    sizes = dict.fromkeys(ids, 0)
    offsets = []
    for group in range(footer.num_row_groups):
        columns = [footer.row_group(group).column(each) for each in range(len(ids))]
        for number, each in zip(ids, columns, strict=True):
            sizes[number] += each.total_compressed_size
        offsets += [_start(each) for each in columns[:1]]
    sizes.pop(_NO_ID, None)  # of the parts of variants
    return sizes, offsets


def _start(column: Any) -> int:
    """Return where a column chunk begins."""
    first = column.data_page_offset
    start = column.dictionary_page_offset
    return int(first if start is None else min(start, first))


def _leaf_ids(field: pa.Field) -> Iterator[int]:
    """Yield the ids of the stored columns of a field, in the order of the file."""
    inner: Iterable[pa.Field] = inner_fields(field.type)
    if not inner:
        yield field_id(field)
    for each in inner:
        yield from _leaf_ids(each)


def _leaf_paths(field: pa.Field, above: str = "") -> Iterator[str]:
    """Yield the paths of the stored columns of a field, as Parquet has them."""
    path = f"{above}{field.name}"
    if pa.types.is_struct(field.type) and field.type.num_fields:
        for each in field.type.fields:
            yield from _leaf_paths(each, f"{path}.")
    elif pa.types.is_map(field.type):
        for each, name in ((field.type.key_field, "key"), (field.type.item_field, "value")):
            yield from _leaf_paths(each.with_name(name), f"{path}.key_value.")
    elif pa.types.is_large_list(field.type):
        yield from _leaf_paths(field.type.value_field.with_name("element"), f"{path}.list.")
    else:
        yield path
