"""Metadata, lists and JSON documents of Iceberg's projects are read as those expect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support.corpus import corpus_cases

from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.iceberg import PartitionSpec, SortOrder, TableMetadata
from byteloom.iceberg.expressions import json_form
from byteloom.iceberg.manifests.manifest_list import read_manifest_list
from byteloom.puffin.metadata import decode, plain
from byteloom_generated.iceberg.table_metadata import SnapshotReference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_REASONS: Final = {
    "UnsupportedVersion": ("format-version", "schemas"),
    "V1MissingSchemaType": ("schema",),
    "V1NoValidSchema": ("current-schema-id",),
    "V2CurrentSchemaNotFound": ("current-schema-id",),
    "V2MissingLastPartitionId": ("last-partition-id",),
    "V2MissingPartitionSpecs": ("partition-specs",),
    "V2MissingSchemas": ("schemas",),
    "V2MissingSortOrder": ("sort-orders",),
}
"""The field that an error about a refused file names; the one version differs between projects."""


def _metadata_files(place: Path) -> Iterator[Path]:
    """Yield the metadata files of tables, of any project."""
    yield from sorted(place.rglob("*TableMetadata*.json"))
    yield from sorted(place.rglob("example_*table_metadata*.json"))


@corpus_cases("iceberg/files", _metadata_files)
def test_metadata_files_round_trip_or_are_refused(case: Path) -> None:
    """A valid file is written back as it was; an invalid one is refused for what is wrong."""
    reasons = next((each for key, each in _REASONS.items() if key in case.name), None)
    data = case.read_bytes()
    if reasons is not None:
        with pytest.raises(ByteloomError) as refused:
            TableMetadata.from_bytes(data)
        assert str(refused.value).startswith(reasons)
        return
    assert TableMetadata.from_bytes(data).to_json() == json.loads(data)


@corpus_cases("iceberg/files", _metadata_files)
def test_what_files_are_said_to_hold_is_there(case: Path) -> None:
    """Identifiers, statistics, fallbacks and keys are those that the projects' tests look for."""
    looked_for = _HELD.get(case.name)
    if looked_for is not None:
        assert looked_for(TableMetadata.from_bytes(case.read_bytes()))


def _first_statistics(metadata: TableMetadata) -> bool:
    """Return whether the statistics are those of the test."""
    (held,) = metadata.document.statistics
    (blob,) = held.blob_metadata
    return (held.snapshot_id, held.statistics_path, held.file_size_in_bytes) == (
        3055729675574597004,
        "s3://a/b/stats.puffin",
        413,
    ) and (held.file_footer_size_in_bytes, blob.type, blob.sequence_number, blob.fields) == (
        42,
        "ndv",
        1,
        [1],
    )


_HELD: Final[dict[str, Callable[[TableMetadata], bool]]] = {
    "TableMetadataV2Valid.json": lambda held: (
        [each.identifier_field_ids for each in held.schemas.values()] == [(), (1, 2)]
        and len(held.snapshots) == len(held.document.snapshot_log) == 2
    ),
    "TableMetadataV2ValidMinimal.json": lambda held: (
        not (
            held.snapshots
            or held.properties
            or held.document.snapshot_log
            or held.document.metadata_log
        )
    ),
    "TableMetadataStatisticsFiles.json": _first_statistics,
    "TableMetadataPartitionStatisticsFiles.json": lambda held: (
        [
            (each.snapshot_id, each.statistics_path, each.file_size_in_bytes)
            for each in held.document.partition_statistics
        ]
        == [(3055729675574597004, "s3://a/b/partition-stats.parquet", 43)]
    ),
    "TableMetadataV1PartitionSpecsWithoutDefaultId.json": lambda held: (
        held.default_spec_id in held.partition_specs
    ),
    "TableMetadataV1SchemasWithoutCurrentId.json": lambda held: len(held.schema().fields) == 3,
    "TableMetadataV3ValidEncryption.json": lambda held: bool(
        held.document.encryption_keys and any(each.key_id for each in held.document.snapshots)
    ),
    "example_table_metadata_v2_deep_history.json": lambda held: (
        len(held.ancestors(held.current_snapshot_id)) == 5
    ),
    "example_table_metadata_v2_partition_evolution.json": lambda held: (
        set(held.partition_specs) == {0, 1, 2}
    ),
}


@corpus_cases("iceberg/files", lambda place: sorted(place.rglob("manifest-list*.avro")))
def test_manifest_lists_are_read_by_field_id(case: Path) -> None:
    """Counts have their values under old names too; an encrypted list is refused by its magic."""
    if case.read_bytes().startswith(b"AGS1"):
        with pytest.raises(Unsupported, match="AGS1"):
            read_manifest_list(case.read_bytes())
        return
    (manifest,) = read_manifest_list(case.read_bytes()).table.to_pylist()
    counts = [manifest[f"{each}_files_count"] for each in ("added", "existing", "deleted")]
    assert counts == [1, 0, 0]


def _expression(document: Any) -> Any:
    """Return an expression that was read and written."""
    return json_form.to_json(json_form.from_json(document))


def _puffin_footer(document: Any) -> Any:
    """Return a Puffin footer's payload that was read and written."""
    found = decode(json.dumps(document).encode())
    if found is None:
        raise FormatError("footer", None, "no payload", "blobs and properties")
    return plain(found)


_KINDS: Final[dict[str, Callable[[Any], Any]]] = {
    "TestExpressionParser": _expression,
    "TestSnapshotRefParser": lambda document: SnapshotReference.from_json(
        document, version=2
    ).to_json(version=2),
    "TestPartitionSpecParser": lambda document: PartitionSpec.from_json(document).to_json(),
    "TestPartitioning": lambda document: PartitionSpec.from_json(document).to_json(),
    "TestSortOrderParser": lambda document: SortOrder.from_json(document).to_json(),
    "TestFileMetadataParser": _puffin_footer,
}
"""Readers and writers of documents, by the test of Java's that holds them.

Of the others, some 330, are messages between catalogs and their clients, reports of metrics and
views, which byteloom has no part in.
"""

_REFUSED: Final = ("invalid", "Invalid", "fail", "Missing", "missing")

_SPELLED_OTHERWISE: Final = ("testPredicateWithObject", "extraFields", "Expression")
"""Forms that are read and not written: deprecated ones, and keys that nobody knows."""


def _documents(place: Path) -> Iterator[Any]:
    """Yield the documents of supported kinds."""
    path = place / "embedded_json.json"
    for number, each in enumerate(json.loads(path.read_text()) if path.exists() else ()):
        name, _, test = each["origin"].partition("#")
        if name in _KINDS:
            yield pytest.param((name, test, each["json"]), id=f"{number}-{each['origin']}")


@corpus_cases("iceberg/vectors", _documents)
def test_embedded_documents_round_trip_or_are_refused(case: tuple[str, str, Any]) -> None:
    """Documents that Java's tests call invalid are refused; all others round-trip."""
    name, test, document = case
    again = _KINDS[name]
    if any(each in test for each in _REFUSED):
        with pytest.raises(ByteloomError, match=r": found .*, wanted "):
            again(document)
        return
    made = again(document)
    if any(each in test for each in _SPELLED_OTHERWISE):
        assert again(made) == made
    else:
        assert made == document
