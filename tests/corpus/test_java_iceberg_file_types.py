"""Data files of Java have the column types that the tables of file formats define."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
from pyarrow import orc
from tests.support.java_iceberg import JavaTable, is_sound, java_table, java_tables

from byteloom.avro.container import open_avro
from byteloom.datafiles.fields import FIELD_ID
from byteloom.iceberg import StructType
from byteloom.iceberg.evolution import can_promote
from byteloom.iceberg.file_types import (
    from_avro,
    from_orc,
    from_parquet,
    to_avro,
    to_orc,
    to_parquet,
)
from byteloom.iceberg.file_types.parquet import leaf_of
from byteloom.iceberg.types import NestedType
from byteloom_generated.iceberg.file_types import AVRO_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg import NestedField, Type

__all__ = ["java_table"]
_IDS = {name for each in AVRO_TYPES for name in each.ids}
MOST = 20
"""Files of a table that are looked at."""


def files(table: JavaTable) -> Iterator[tuple[str, Path]]:
    """Yield the live data files of a table, with their formats."""
    opened = table.open()
    if opened.metadata.current_snapshot_id is None:
        return
    tasks = list(opened.scan().plan().tasks())
    for each in tasks[:: len(tasks) // MOST + 1]:
        yield (
            each.file_format.lower(),
            Path(opened.relocation(each.file_path).removeprefix("file:")),
        )


def inside(of: Type) -> Iterator[NestedField]:
    """Yield all fields of a type, at every level."""
    if isinstance(of, NestedType):
        for each in of.fields:
            yield each
            yield from inside(each.type)


def parquet(path: Path) -> StructType:
    """Return the columns of a Parquet file, after checking that they are written as stored."""
    file = pq.ParquetFile(path, arrow_extensions_enabled=False)
    of = from_parquet(file.schema, file.schema_arrow)
    leaves = [leaf_of(file.schema.column(number)) for number in range(len(file.schema))]
    assert to_parquet(of) == leaves
    has_ids = any(FIELD_ID in (each.metadata or {}) for each in file.schema_arrow)
    return of if has_ids else StructType(())


def orc_file(path: Path) -> StructType:
    """Return the columns of an ORC file, after checking that their attributes are stored there."""
    columns = orc.ORCFile(path).schema
    of = from_orc(columns)
    stated = {each.path: each.attributes for each in to_orc(of)}
    for each in columns:
        found = {key.decode(): value.decode() for key, value in each.metadata.items()}
        assert stated[each.name].items() <= found.items()
    return of


def plain(schema: Any, *, without_ids: bool) -> Any:
    """Return a schema without its writer's choices: names of types, docs and defaults."""
    if isinstance(schema, list):
        ordered = sorted(schema, key=lambda each: each != "null")  # where null stands in a union
        return [plain(each, without_ids=without_ids) for each in ordered]
    if not isinstance(schema, dict):
        return schema
    free = {"doc", "default", "namespace", *(_IDS if without_ids else ())}
    free |= {"name"} if schema.get("type") in ("record", "fixed", "enum") else set()
    return {
        key: plain(value, without_ids=without_ids)
        for key, value in schema.items()
        if key not in free
    }


def avro(path: Path) -> StructType:
    """Return the columns of an Avro file, after checking that its schema is written as stored."""
    schema = json.loads(open_avro(path.read_bytes()).metadata["avro.schema"])
    of = from_avro(schema)
    without_ids = "field-id" not in json.dumps(schema)
    made = plain(to_avro(of), without_ids=without_ids)
    assert made == plain(schema, without_ids=without_ids)
    return StructType(()) if without_ids else of


@java_tables(is_sound)
def test_columns_are_of_the_types_that_are_reported(java_table: JavaTable) -> None:
    """A column has the type of the table's column with its id, or one promotable to it.

    Imported files have no ids: they are compared with the tables of formats only.
    """
    read = {"parquet": parquet, "orc": orc_file, "avro": avro}
    known = {
        each.id: each.type
        for schema in java_table.open().metadata.schemas.values()
        for each in inside(schema.as_struct())
    }
    for form, path in files(java_table):
        for each in inside(read[form](path)):
            now = known.get(each.id)
            if now is not None and not isinstance(each.type, NestedType):
                is_bytes = now.kind in {"geometry", "geography"} and each.type.kind == "binary"
                assert is_bytes or can_promote(each.type, now, version=3), (path.name, each)
