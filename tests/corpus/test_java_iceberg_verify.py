"""Tables that Java Iceberg wrote: sound ones verify, damaged ones tell what is wrong."""

from __future__ import annotations

from typing import Final

from tests.support.java_iceberg import JavaTable, java_table, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg.verification import verify

__all__ = ["java_table"]

_REASONS: Final = {
    "broken_data_missing": "No such file",
    "broken_delete_missing": "No such file",
    "broken_dup_file": "live twice",
    "broken_dv_cardinality": "cardinality",
    "broken_dv_crc": "crc",
    "broken_dv_length": "bytes",
    "broken_dv_magic": "magic",
    "broken_dv_old2": "sequence number",
    "broken_dv_reference": "a data file that is live",
    "broken_dv_twice": "one deletion vector a data file",
    "broken_file_size": "bytes, as its manifest says",
    "broken_list_content": "content",
    "broken_list_counts": "added_files_count",
    "broken_list_missing": "No such file",
    "broken_manifest_missing": "No such file",
    "broken_manifest_truncated": "manifest_length",
    "broken_meta_cut": "truncated",
    "broken_meta_dup_ids": "two fields with id 1",
    "broken_meta_empty": "JSON",
    "broken_meta_log_order": "snapshot-log",
    "broken_meta_schema": "current-schema-id: found 5",
    "broken_meta_snapshot": "12345",
    "broken_meta_spec_source": "source column 77",
    "broken_meta_type": "int128",
    "broken_meta_uuid": "table-uuid",
    "broken_meta_v3_rowid": "next-row-id",
    "broken_meta_version": "format-version",
    "broken_record_count": "record_count",
    "broken_spec_id": "partition_spec_id",
}
"""What is told of the damage that is known by its table's name."""


@java_tables(lambda record: not record["name"].startswith("broken"))
def test_sound_tables_verify(java_table: JavaTable) -> None:
    """Nothing is wrong with a table of Java's, whatever its version and history."""
    assert list(map(str, verify(java_table.open()))) == []


@java_tables(lambda record: record["name"].startswith("broken"))
def test_damage_is_told_with_its_reason(java_table: JavaTable) -> None:
    """A damaged table tells its damage, also where Java notices none."""
    try:
        found = verify(java_table.open())
    except ByteloomError as error:
        found = [error]
    assert _REASONS.get(java_table.name, "") in "\n".join(map(str, found))
    assert found
