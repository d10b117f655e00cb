"""Every manifest and list of Java Iceberg's tables has the rows that fastavro reads."""

from __future__ import annotations

import re
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

import fastavro
import numpy as np
from tests.support.java_iceberg import JavaTable, java_table, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.manifests.manifest_list import manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.iceberg import Table
    from byteloom.iceberg.manifests.manifest_list import ManifestList

__all__ = ["java_table"]

OLD_NAMES = {
    f"{kind}_files_count": f"{kind}_data_files_count" for kind in ("added", "existing", "deleted")
}
ZERO = ("content", "sequence_number", "min_sequence_number")


def whole(record: dict[str, Any]) -> bool:
    """Return whether a table is undamaged."""
    return not record.get("expect")


def lists(table: Table) -> Iterator[tuple[Any, ManifestList]]:
    """Yield each snapshot with its manifests."""
    for snapshot in table.metadata.snapshots.values():
        yield (
            snapshot,
            manifests_of(snapshot, table.relocation.read, table.metadata.partition_specs),
        )


def records(data: bytes) -> list[dict[str, Any]]:
    """Return the records that fastavro reads."""
    return list(fastavro.reader(BytesIO(data)))  # type: ignore[arg-type]


def pairs(value: Any) -> Any:
    """Return a list of keys and values as pairs, and other values unchanged."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [(each["key"], each["value"]) for each in value]
    return value


def inherited(entry: dict[str, Any], manifest: Mapping[str, Any], row_id: int) -> dict[str, Any]:
    """Return an entry and its file in one, with what the manifest gives it by the spec's rules.

    row_id  what the next file without a first row id has
    """
    flat = {**entry, **entry["data_file"]}
    flat["content"] = flat.get("content") or 0
    if flat["snapshot_id"] is None:
        flat["snapshot_id"] = manifest["added_snapshot_id"]
    for name in ("sequence_number", "file_sequence_number"):
        inherits = flat["status"] == 1 or manifest["sequence_number"] == 0
        if flat.get(name) is None and inherits:
            flat[name] = manifest["sequence_number"]
    if manifest["first_row_id"] is None or manifest["content"] == 1:
        flat["first_row_id"] = None
    elif flat.get("first_row_id") is None and flat["status"] != 2:
        flat["first_row_id"] = row_id
    return flat


@java_tables(whole)
def test_lists(java_table: JavaTable) -> None:
    """A list has the rows that fastavro reads, under the spec's names and with its defaults."""
    table = java_table.open()
    for snapshot, held in lists(table):
        if snapshot.manifest_list is None:
            continue
        expected = records(table.relocation.read(snapshot.manifest_list))
        for row, wanted in zip(held.table.to_pylist(), expected, strict=True):
            for name, value in row.items():
                stated = wanted.get(name, wanted.get(OLD_NAMES.get(name, "")))
                assert value == (0 if stated is None and name in ZERO else stated), name


@java_tables(whole)
def test_entries(java_table: JavaTable) -> None:
    """Entries have what fastavro reads, and what they inherit; all statistics included."""
    table = java_table.open()
    metadata = table.metadata
    for _, held in lists(table):
        entries = read_entries(
            held,
            table.relocation.read,
            metadata.partition_specs,
            metadata.schema(),
            columns=ALL_COLUMNS,
            with_deleted=True,
        )
        rows = iter(entries.table().to_pylist())
        for manifest in held.table.to_pylist():
            row_id = manifest["first_row_id"] or 0
            for record in records(table.relocation.read(manifest["manifest_path"])):
                wanted, row = inherited(record, manifest, row_id), next(rows)
                took = wanted["first_row_id"] == row_id
                row_id += wanted["record_count"] if took else 0
                assert row.pop("spec_id") == manifest["partition_spec_id"]
                del row["manifest"]
                assert row == {name: pairs(wanted.get(name)) for name in row}
        assert next(rows, None) is None


@java_tables(whole)
def test_partitions(java_table: JavaTable) -> None:
    """Partition tuples have the values that fastavro reads, in all specs of a table."""
    table = java_table.open()
    metadata = table.metadata
    for _, held in lists(table):
        entries = read_entries(
            held,
            table.relocation.read,
            metadata.partition_specs,
            metadata.schema(),
            with_deleted=True,
        )
        found: dict[int, list[Any]] = {}
        for spec_id in metadata.partition_specs:
            rows, tuples = entries.partition(spec_id)
            values = [list(each.values()) for each in tuples.to_pylist()]
            found |= dict(zip(rows.tolist(), values, strict=True))
        manifests = held.table.column("manifest_path").to_pylist()
        expected = [
            list(record["data_file"]["partition"].values())
            for path in manifests
            for record in records(table.relocation.read(path))
        ]
        reported = [found[row] for row in range(len(entries))]
        assert [list(map(plain, each)) for each in reported] == [
            list(map(plain, each)) for each in expected
        ]


def plain(value: Any) -> Any:
    """Return a value as it is compared: UUIDs as their bytes, NaN as a word."""
    if value != value:  # noqa: PLR0124  only NaN is not itself
        return "NaN"
    return getattr(value, "bytes", value)


@java_tables(lambda record: not whole(record))
def test_damage(java_table: JavaTable) -> None:
    """Damage of manifests, lists and metadata is refused in some snapshot, or `verify` finds it."""
    try:
        table = java_table.open()
        read_all(table)
        found = table.verify()
    except ByteloomError as error:
        found = [error]
    assert found
    assert any(re.search(r"\.(avro|json|parquet|orc|puffin)", str(each)) for each in found)


def read_all(table: Table) -> None:
    """Read the entries of all snapshots."""
    for _, held in lists(table):
        metadata = table.metadata
        read_entries(held, table.relocation.read, metadata.partition_specs, metadata.schema())


@java_tables(whole)
def test_flips(java_table: JavaTable) -> None:
    """A changed byte of a manifest never makes a list shorter."""
    table = java_table.open()
    metadata = table.metadata
    _, held = next(lists(table), (None, None))
    if held is None or not len(held):
        return
    path = held.table.column("manifest_path")[0].as_py()
    data = table.relocation.read(path)
    first = held.take(np.array([0]))

    def count(data: bytes) -> int:
        specs, schema = metadata.partition_specs, metadata.schema()
        return len(read_entries(first, {path: data}.__getitem__, specs, schema))

    wanted = count(data)
    for at in range(0, len(data), 97):
        with suppress(ByteloomError):
            assert count(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]) == wanted
