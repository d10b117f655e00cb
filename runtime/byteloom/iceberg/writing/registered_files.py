"""Files that exist already, as the entries of manifests: no row is read, and nothing is written.

The rules:

- Metrics are those of the footer, as far as they are exact. A file of Avro states only its rows.
- Columns of files without ids get those of the table's name mapping, else those of its names.
- Each column must be one of the table, in a type that may be read as the table's. A required column
  must be there, and the footer must show that it has no nulls.

Source: Iceberg table spec, "Manifests" and "Column Projection".
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.datafiles.data_file import OpenOptions
from byteloom.datafiles.fields import field_id, identified, inner_fields
from byteloom.datafiles.opening import open_data_file
from byteloom.datafiles.parquet_view import library_file
from byteloom.datafiles.wanted import Wanted
from byteloom.errors import FormatError
from byteloom.files.kinds import AVRO, ORC, PARQUET, kind_of
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.file_types import from_avro
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.name_mapping import NAME_MAPPING_PROPERTY, NameMapping
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.sort_order import SortOrder
from byteloom.iceberg.stated import stated_values
from byteloom.iceberg.writing.known_partitions import partition_of
from byteloom.iceberg.writing.metrics import metrics_of, modes_of
from byteloom.iceberg.writing.orc_output import orc_sizes_and_offsets
from byteloom.iceberg.writing.parquet_output import sizes_and_offsets
from byteloom.orc.layout import OrcLayout
from byteloom.storage.naming import about_file
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.datafiles.data_file import DataFile
    from byteloom.iceberg.name_mapping import MappedField
    from byteloom.iceberg.observed import Seen
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.storage import Source

__all__ = ["RegisteredFiles"]

_NO_IDS: Final = b"no ids"
"""A key of metadata that no field has: fields then get the ids of their names."""

_FORMATS: Final = {PARQUET: "PARQUET", ORC: "ORC", AVRO: "AVRO"}


class RegisteredFiles:
    """Entries of files that exist already.

    Attributes:
        entries: The files, as `write_manifest` takes them, each with its ``spec_id``.
    """

    def __init__(self, table: StoredTable) -> None:
        """Begin without files.

        Raises:
            FormatError: A property of the table that is no value of its kind.
        """
        metadata = table.metadata
        self._table, self._schema, self._spec = table, metadata.schema(), metadata.spec()
        self._modes = modes_of(self._schema, SortOrder(), Properties(metadata.properties))
        self._names = _Names(table)
        self.entries: list[dict[str, Any]] = []

    @property
    def properties(self) -> dict[str, str]:
        """Properties that the table needs for these files: a name mapping, or nothing."""
        return self._names.properties

    def add(self, path: str) -> None:
        """Add a file.

        Raises:
            FormatError: A file that is damaged, or that does not fit the table; the error names the
                file and the column.
            StorageError: A file that cannot be read.
        """
        with closing(self._table.relocation.open(path)) as source, about_file(path):
            self.entries.append(self._entry(source, path))

    def _entry(self, source: Source, path: str) -> dict[str, Any]:
        """Return the entry of a file."""
        kind = kind_of(source)
        if kind not in _FORMATS:
            raise FormatError("file", None, kind or "unknown bytes", "a Parquet, ORC or Avro file")
        form = _FORMATS[kind]
        limits = self._table.limits
        data = open_data_file(form, source, path, OpenOptions(names=self._names, limits=limits))
        rows, columns = data.rows, data.columns
        if rows is None:
            blocks = read_container(source.read(0, source.size), limits)
            rows = int(blocks.blocks[:, 0].sum())
            columns = _avro_fields(blocks.schema, self._names)
        self._check_columns(columns)
        seen = self._seen(data, is_orc=form == "ORC")
        self._check_required(columns, seen)
        sizes, offsets = dict[int, int](), list[int]()
        if form == "PARQUET":
            sizes, offsets = sizes_and_offsets(library_file(source).metadata, columns)
        if form == "ORC":
            sizes, offsets = orc_sizes_and_offsets(OrcLayout(source, limits), columns)
        known = {number: size for number, size in sizes.items() if number in self._modes}
        present = {field_id(each) for each in columns}
        partition = partition_of(self._spec, self._schema, seen, present, path)
        return {
            "status": EntryStatus.ADDED,
            "content": FileContent.DATA,
            "file_path": path,
            "file_format": form,
            "spec_id": self._spec.spec_id,
            "partition": partition,
            "record_count": rows,
            "file_size_in_bytes": source.size,
            "split_offsets": offsets or None,
            **metrics_of(seen, known, self._schema, self._modes),
        }

    def _check_columns(self, columns: Sequence[pa.Field]) -> None:
        """Refuse a column that the table lacks, or whose values it cannot have."""
        for each in columns:
            field = self._schema.find(field_id(each))
            if field is None or field not in self._schema.fields:
                raise FormatError(f"column {each.name}", None, "not in the table", "a column of it")
            of = (
                each.type.storage_type if isinstance(each.type, pa.BaseExtensionType) else each.type
            )
            project(field, Columns([each], [pa.nulls(0, of)], 0))

    def _seen(self, data: DataFile, *, is_orc: bool) -> dict[int, Seen]:
        """Return what the footer states of the columns."""
        fields = self._schema.fields
        stats = data.statistics(Wanted([arrow_field(each) for each in fields], self._names))
        if stats is None:
            return {}
        # Counts of nulls under null structs miss those of the parents in ORC.
        known = fields if is_orc else self._schema.field_by_id.values()
        found = stated_values(stats, known, is_orc=is_orc)
        return {n: each for n, each in found.items() if not self._schema.is_in_repeated(n)}

    def _check_required(self, columns: Sequence[pa.Field], seen: Mapping[int, Seen]) -> None:
        """Refuse a file that lacks a required column, or that may have nulls in one."""
        fields = {field_id(each): each for each in _all_fields(columns)}
        for number, each in self._schema.field_by_id.items():
            parents = self._schema.parents(number)
            if not each.required or (parents and parents[-1] not in fields):
                continue
            name, wanted = self._schema.name(number), "a value in each row: it is required"
            if number not in fields:
                raise FormatError(f"column {name}", None, "no such column", wanted)
            if not fields[number].nullable:
                continue
            if number not in seen:
                raise FormatError(f"column {name}", None, "an unknown number of nulls", wanted)
            if seen[number].nulls:
                raise FormatError(f"column {name}", None, f"{seen[number].nulls} nulls", wanted)


class _Names(NameMapping):
    """The names of a table's fields, and whether a file needed them."""

    def __init__(self, table: StoredTable) -> None:
        """Take the table's name mapping, or make one of its schema."""
        text = table.metadata.properties.get(NAME_MAPPING_PROPERTY)
        given = None if text is None else NameMapping.parse(text)
        made = given or NameMapping.of(table.schema)
        super().__init__(made.fields)
        vars(self).update(_is_given=given is not None, _is_used=False)

    def find(self, name: str) -> MappedField | None:
        """Return the field with a name."""
        vars(self)["_is_used"] = True
        return super().find(name)

    @property
    def properties(self) -> dict[str, str]:
        """The property that the table needs."""
        held = vars(self)
        if held["_is_given"] or not held["_is_used"]:
            return {}
        return {NAME_MAPPING_PROPERTY: json.dumps(self.to_json())}


def _avro_fields(schema: bytes, names: NameMapping) -> list[pa.Field]:
    """Return the columns of a file of Avro, with the ids that it stores or those of its names."""
    document = json.loads(schema)
    fields = [arrow_field(each) for each in from_avro(document).fields]
    has_ids = any("field-id" in each for each in document["fields"])
    return fields if has_ids else identified(fields, names, _NO_IDS)


def _all_fields(fields: Sequence[pa.Field]) -> Iterator[pa.Field]:
    """Yield fields and all fields inside them."""
    for each in fields:
        yield each
        yield from _all_fields(inner_fields(each.type))
