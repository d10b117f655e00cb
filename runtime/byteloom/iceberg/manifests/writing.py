"""Manifests and manifest lists as a version's writers write them.

The rules:

- ``specs/iceberg/manifests.yaml`` says which fields are written, and which are required.  A field
  that the version does not have is refused, unless its value means the same as its absence: null,
  or 0.
- New entries come one by one, as dicts by the spec's names: they are the few hundred files of a
  commit. Entries that were in manifests before come as columns.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from byteloom.avro.file_writer import AvroOutput, write_avro
from byteloom.errors import FormatError
from byteloom.iceberg.file_types.avro import avro_name, to_avro
from byteloom.iceberg.manifests.encoding import encoded_entries
from byteloom.iceberg.manifests.fields import entry_type, list_type, need
from byteloom.iceberg.types import ListType, MapType, StructType
from byteloom_generated.iceberg import manifests as tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from byteloom.iceberg.manifests.entry_columns import Entries
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type
    from byteloom_generated.iceberg.manifests import ManifestField

__all__ = ["ManifestOutput", "with_first_row_ids", "write_manifest", "write_manifest_list"]

_BLOCK: Final = 64_000
"""Bytes of a block before compression, as in Java."""

_FILL: Final = {each.name: each.fill for each in (*tables.MANIFEST_ENTRY, *tables.DATA_FILE)}


def write_manifest(  # noqa: PLR0913  (options, all by name)
    entries: Iterable[Mapping[str, Any]],
    *,
    version: int,
    schema: Schema,
    spec: PartitionSpec,
    content: str = "data",
    codec: str = "deflate",
) -> bytes:
    """Return the bytes of a manifest.

    Args:
        entries: Dicts by the names of the fields of entries and data files, with values as in
            `Entries.table`; ``partition`` is a dict of storage values by the spec's names.
        version: 1, 2 or 3.
        schema: The table's schema.
        spec: The partition spec of all files.
        content: ``data`` or ``deletes``.
        codec: Codec of the blocks: ``deflate``, ``snappy`` or ``null``.

    Raises:
        FormatError: A value that is missing, of another version, or of another type.

    Source: Iceberg table spec, "Manifests".
    """
    output = ManifestOutput(version=version, schema=schema, spec=spec, content=content, codec=codec)
    for each in entries:
        output.append(each)
    return output.finish()


class ManifestOutput:
    """A manifest in memory that grows by entries, one by one or as columns."""

    def __init__(  # noqa: PLR0913  what a manifest consists of
        self,
        *,
        version: int,
        schema: Schema,
        spec: PartitionSpec,
        content: str = "data",
        codec: str = "deflate",
        sources: Schema | None = None,
    ) -> None:
        """Begin a manifest; arguments as for `write_manifest`.

        Args:
            version: As there.
            schema: As there.
            spec: As there.
            content: As there.
            codec: As there.
            sources: The columns whose values partition the files, if some are dropped.
        """
        self._version, self._spec = version, spec
        self._sources = schema if sources is None else sources
        self._of = entry_type(version, spec.partition_type(self._sources))
        self._count = 0
        keys = {
            "schema": json.dumps(schema.to_json()),
            "schema-id": str(schema.schema_id),
            "partition-spec": json.dumps(spec.to_json()["fields"]),
            "partition-spec-id": str(spec.spec_id),
            "format-version": str(version),
            "content": content,
        }
        self._output = AvroOutput(
            to_avro(self._of, "manifest_entry"),
            metadata={k.name: keys[k.name] for k in tables.MANIFEST_KEYS if need(k, version)},
            codec=codec,
            block_size=_BLOCK,
            name="entries",
        )

    @property
    def size(self) -> int:
        """Bytes of the header, and of the blocks that have ended."""
        return self._output.size

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add an entry; errors as for `write_manifest`."""
        self._output.append(_entry(self._count, entry, self._of, self._version))
        self._count += 1

    def extend(self, entries: Entries) -> None:
        """Add entries of all columns; errors as for `encoded_entries`."""
        made = encoded_entries(
            entries, version=self._version, schema=self._sources, spec=self._spec
        )
        _, offsets, data = made.buffers()
        ends = memoryview(offsets).cast("q")[1 : len(made) + 1]
        self._output.extend(memoryview(b"" if data is None else data), ends)
        self._count += len(made)

    def finish(self) -> bytes:
        """Return the bytes of the manifest."""
        return self._output.finish()


def write_manifest_list(
    manifests: Iterable[Mapping[str, Any]],
    *,
    version: int,
    header: Mapping[str, str] | None = None,
    codec: str = "deflate",
) -> bytes:
    """Return the bytes of a manifest list.

    Args:
        manifests: Dicts by the names of the fields of manifest lists, with values as in
            `ManifestList.table`.
        version: 1, 2 or 3.
        header: Additional keys of the file, such as ``snapshot-id`` and ``sequence-number``.
        codec: Codec of the blocks: ``deflate``, ``snappy`` or ``null``.

    Returns:
        The bytes of the file.

    Raises:
        FormatError: A value that is missing, of another version, or of another type.

    Source: Iceberg table spec, "Manifest Lists".
    """
    of = list_type(version)
    rows = (
        _record(f"manifests[{number}]", each, of, (tables.MANIFEST_FILE,), version)
        for number, each in enumerate(manifests)
    )
    keys = {"format-version": str(version), **(header or {})}
    return write_avro(
        to_avro(of, "manifest_file"),
        rows,
        metadata=keys,
        codec=codec,
        block_size=_BLOCK,
        name="manifests",
    )


def with_first_row_ids(
    manifests: Iterable[Mapping[str, Any]], next_row_id: int
) -> tuple[list[dict[str, Any]], int]:
    """Return manifests with first row ids for a list of version 3, and the table's next row id.

    Args:
        manifests: As for `write_manifest_list`; data manifests without ``first_row_id`` get one,
            followed by enough ids for all their added and existing rows.
        next_row_id: The table's: the snapshot's ``first-row-id``.

    Raises:
        FormatError: A manifest whose rows are not counted, as lists of version 1 may have them.

    Source: Iceberg table spec, "First Row ID Assignment".
    """
    made = []
    for number, each in enumerate(manifests):
        row = dict(each)
        if row.get("content", 0) == 0 and row.get("first_row_id") is None:
            row["first_row_id"] = next_row_id
            for name in ("added_rows_count", "existing_rows_count"):
                if row.get(name) is None:
                    wanted = "a value, which version 3 requires"
                    raise FormatError(f"manifests[{number}].{name}", None, "nothing", wanted)
                next_row_id += row[name]
        made.append(row)
    return made, next_row_id


def _entry(number: int, entry: Mapping[str, Any], of: StructType, version: int) -> dict[str, Any]:
    """Return one entry, with its data file inside."""
    where = f"entries[{number}]"
    kinds = (tables.MANIFEST_ENTRY, tables.DATA_FILE)
    outer = StructType(tuple(each for each in of.fields if each.name != "data_file"))
    file = next(each.type for each in of.fields if each.name == "data_file")
    assert isinstance(file, StructType)  # noqa: S101  the table says so
    both = StructType((*outer.fields, *file.fields))
    made = _record(where, entry, both, kinds, version)
    inner = {each.name: made.pop(each.name) for each in file.fields}
    return {**made, "data_file": inner}


def _record(
    where: str,
    row: Mapping[str, Any],
    of: StructType,
    kinds: Sequence[Sequence[ManifestField]],
    version: int,
) -> dict[str, Any]:
    """Return the values of a record, each checked against the rules of the version."""
    known = {each.name for kind in kinds for each in kind}
    written = {each.name for each in of.fields}
    for name, value in row.items():
        if name not in known:
            raise FormatError(f"{where}.{name}", None, repr(value)[:60], "no such field")
        if name not in written and value not in (None, 0):
            wanted = f"nothing: version {version} does not have it"
            raise FormatError(f"{where}.{name}", None, repr(value)[:60], wanted)
    made = {}
    for each in of.fields:
        value = row.get(each.name)
        if value is None and each.required:
            value = _FILL.get(each.name)
            if value is None:
                wanted = f"a value, which version {version} requires"
                raise FormatError(f"{where}.{each.name}", None, "nothing", wanted)
        made[each.name] = _stored(each.type, value)
    return made


def _stored(of: Type, value: Any) -> Any:
    """Return a value as the library expects it: names of Avro, pairs as records, UUIDs as bytes."""
    if value is None:
        return None
    if isinstance(of, MapType):
        pairs = value.items() if isinstance(value, dict) else value
        return [{"key": key, "value": held} for key, held in pairs]
    if isinstance(of, ListType):
        return [_stored(of.element, each) for each in value]
    if isinstance(of, StructType):
        return {
            avro_name(each.name): _stored(each.type, value.get(each.name)) for each in of.fields
        }
    return value.bytes if isinstance(value, UUID) else value
