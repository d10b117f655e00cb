"""Check the metadata file as it was written: what other readers refuse, or take in another way.

The rules:

- A list or map is left out if it is empty, or is empty, but not null.
- Version 1 has its current schema and spec beside the lists of all of them, and both are the same.
- Later versions have partition specs, whose fields have ids.
- Snapshots have the id of a schema or none, but not null.
- Only a file with ``.gz`` in its name is gzipped.
- Paths have no control characters; most writers escape those.

Source: Iceberg table spec, "Table Metadata Fields"; Java's ``TableMetadataParser``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import TableMetadata


__all__ = ["check_document", "check_locations", "check_name", "check_paths"]

_EMPTY: Final = (
    *("schemas", "partition-spec", "partition-specs", "sort-orders", "properties", "refs"),
    *("snapshots", "snapshot-log", "metadata-log", "statistics", "partition-statistics"),
)
"""Keys of lists and maps."""


def check_name(metadata: TableMetadata, location: str) -> Iterator[FormatError]:
    """Yield an error if a gzipped file does not have the name of one."""
    name = location.rpartition("/")[2]
    if metadata.is_gzipped and not name.endswith((".gz.metadata.json", ".gz")):
        wanted = "a name with .gz, by which other readers know that a file is gzipped"
        yield FormatError("", None, "gzipped JSON", wanted).in_file(location)


def check_document(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with the JSON of the metadata, however byteloom reads it."""
    given = metadata.as_written
    for key in _EMPTY:
        if key in given and given[key] is None:
            kind = "object" if key in {"properties", "refs"} else "list"
            wanted = f"an empty {kind}, or no such key; PyIceberg refuses the table"
            yield FormatError(key, None, "null", wanted)
    if metadata.format_version == 1:
        yield from _only_schema(metadata, given.get("schema"))
        yield from _only_spec(metadata, given)
    elif not given.get("partition-specs"):
        wanted = "all specs, which version 2 requires; DuckDB refuses the table"
        yield FormatError("partition-specs", None, "nothing", wanted)
    for spec in given.get("partition-specs") or ():
        for number, field in enumerate(spec.get("fields") or ()):
            if field.get("field-id", metadata.format_version == 1 or None) is None:
                where = f"partition-specs[{spec.get('spec-id')}].fields[{number}].field-id"
                wanted = "the id of the field; DuckDB loses rows"
                yield FormatError(where, None, "nothing", wanted)
    for each in given.get("snapshots") or ():
        if "schema-id" in each and each["schema-id"] is None:
            where = f"snapshots[{each['snapshot-id']}].schema-id"
            yield FormatError(where, None, "null", "an id, or no such key; DuckDB crashes")


def _only_schema(metadata: TableMetadata, schema: Any) -> Iterator[FormatError]:
    """Yield an error if the schema beside the list of schemas is none of them.

    PyIceberg leaves an earlier one there when it changes the schema; all readers take the list.
    """
    readers = "PyIceberg refuses the table"
    if not isinstance(schema, dict):
        found = "null" if schema is None else repr(schema)
        yield FormatError("schema", None, found, f"the current schema; {readers}")
        return
    if schema.get("type") != "struct":
        yield FormatError("schema.type", None, repr(schema.get("type")), f"'struct'; {readers}")
    if schema.get("schema-id", 0) is None:
        yield FormatError("schema.schema-id", None, "null", f"a number; {readers}")
        schema = {name: each for name, each in schema.items() if name != "schema-id"}
    try:
        fields = Schema.from_json({**schema, "type": "struct"}).fields
    except FormatError as error:
        yield error.inside("schema")
        return
    if all(fields != each.fields for each in metadata.schemas.values()):
        wanted = f"those of the current schema ({metadata.current_schema_id}), or of another"
        yield FormatError("schema.fields", None, f"{len(fields)} other fields", wanted)


def _only_spec(metadata: TableMetadata, given: Any) -> Iterator[FormatError]:
    """Yield an error if the spec beside the list of specs is none of them, see `_only_schema`."""
    if "partition-spec" not in given:
        wanted = "the default spec, which version 1 requires"
        yield FormatError("partition-spec", None, "nothing", wanted)
    if not isinstance(fields := given.get("partition-spec"), list):
        return
    try:
        only = PartitionSpec.from_json({"spec-id": metadata.default_spec_id, "fields": fields})
    except FormatError as error:
        yield error.inside("partition-spec")
        return
    if all(only.fields != each.fields for each in metadata.partition_specs.values()):
        wanted = f"those of the default spec ({metadata.default_spec_id}), or of another"
        yield FormatError("partition-spec", None, f"{len(only.fields)} other fields", wanted)


_CONTROL: Final = r"[\x00-\x1f\x7f]"


def check_locations(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with the paths in a table's metadata, the first of each kind."""
    lists = [each.manifest_list for each in metadata.snapshots.values()]
    yield from check_paths("", "location", pa.chunked_array([[metadata.location]]))
    yield from check_paths("snapshots", "manifest-list", pa.chunked_array([lists], pa.string()))


def check_paths(where: str, name: str, paths: pa.ChunkedArray) -> Iterator[FormatError]:
    """Yield the first of some paths that has a control character.

    Args:
        where: The list that the paths come from, ``entries`` or ``manifests``; empty for a single
            path.
    """
    wrong = pc.fill_null(pc.match_substring_regex(paths, _CONTROL), fill_value=False).to_numpy()
    for row in np.flatnonzero(wrong)[:1].tolist():
        path = f"{where}[{row}].{name}" if where else name
        found, wanted = repr(paths[row].as_py()), "a path without control characters"
        yield FormatError(path, None, found, wanted)
