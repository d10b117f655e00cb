"""New manifests: their files, and what the list of a snapshot says of each.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from byteloom.iceberg.manifests.writing import write_manifest
from byteloom.iceberg.values import to_binary
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import Type

__all__ = ["write_manifest_file"]


def write_manifest_file(  # noqa: PLR0913  what a manifest consists of
    table: StoredTable,
    path: str,
    entries: Sequence[Mapping[str, Any]],
    *,
    snapshot_id: int,
    schema: Schema,
    spec: PartitionSpec,
    content: ManifestContent = ManifestContent.DATA,
) -> dict[str, Any]:
    """Write a manifest; return its row for the snapshot's list, without sequence numbers.

    Args:
        table: The table, for the format version and where files are.
        path: The path of the manifest.
        entries: The files, by the names of manifests.
        snapshot_id: The snapshot that adds the manifest.
        schema: The schema of the files.
        spec: The partition spec of the files.
        content: Whether they are data files or delete files.
    """
    rows = [{"snapshot_id": snapshot_id, **each} for each in entries]
    for each in rows:
        each.pop("spec_id", None)
    data = write_manifest(
        rows,
        version=table.metadata.format_version,
        schema=schema,
        spec=spec,
        content=content.name.lower(),
    )
    table.relocation.write(path, data)
    return {
        "manifest_path": path,
        "manifest_length": len(data),
        "partition_spec_id": spec.spec_id,
        "content": content,
        "added_snapshot_id": snapshot_id,
        **_counts(entries),
        "partitions": [
            _field_summary([each["partition"][field.name] for each in entries], field.type)
            for field in spec.partition_type(schema).fields
        ],
    }


def _counts(entries: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many files and rows each status has."""
    made: dict[str, int] = {}
    for status in EntryStatus:
        rows = [each["record_count"] for each in entries if each["status"] == status]
        name = status.name.lower()
        made |= {f"{name}_files_count": len(rows), f"{name}_rows_count": sum(rows)}
    return made


def _field_summary(values: Sequence[Any], of: Type) -> dict[str, Any]:
    """Return what a list says of one partition field."""
    known = [each for each in values if each is not None]
    is_float = of.kind in {"float", "double"}
    plain = [each for each in known if not (is_float and math.isnan(each))]
    return {
        "contains_null": len(known) < len(values),
        "contains_nan": len(plain) < len(known),
        "lower_bound": to_binary(of, min(plain)) if plain else None,
        "upper_bound": to_binary(of, max(plain)) if plain else None,
    }
