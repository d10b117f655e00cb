"""Overlays of Lance datasets, put together from the messages of the specs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyroaring import BitMap
from tests.support.lance_datasets import change_manifest
from tests.support.written_lance import written

from byteloom_generated.lance.table import DataFile, DataOverlayFile, FeatureFlag, FieldCoverage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pyarrow as pa

    from byteloom_generated.lance.table import Manifest

__all__ = ["bitmap", "overlay", "put_overlays"]


def overlay(
    folder: Path,
    values: pa.Table,
    fields: dict[int, int],
    rows: Iterable[int] | None = None,
    *,
    apart: Sequence[Iterable[int]] | None = None,
    version: int = 2,
    files: str = "2.1",
) -> DataOverlayFile:
    """Put the file of an overlay into a dataset, and return the overlay's message.

    fields   ids of fields with their columns
    rows     that have new values of all fields
    apart    rows of each field instead
    version  that has the overlay first
    files    the version of the format
    """
    name = f"overlay-{len(list((folder / 'data').iterdir()))}.lance"
    (folder / "data" / name).write_bytes(written(values, files))
    major, minor = map(int, files.split("."))
    stored = DataFile(
        path=name,
        fields=list(fields),
        column_indices=list(fields.values()),
        file_major_version=major,
        file_minor_version=minor,
    )
    coverage: dict[str, Any] = {"shared_offset_bitmap": bitmap(rows or ())}
    if apart is not None:
        coverage = {"field_coverage": FieldCoverage(offset_bitmaps=map(bitmap, apart))}
    return DataOverlayFile(data_file=stored, committed_version=version, **coverage)


def bitmap(rows: Iterable[int]) -> bytes:
    """A Roaring bitmap of rows."""
    return bytes(BitMap(rows).serialize())


def put_overlays(
    folder: Path, *overlays: DataOverlayFile, fragment: int = 0, version: int = 1
) -> None:
    """Add overlays to a fragment of a version of a dataset."""

    def change(manifest: Manifest) -> None:
        manifest.fragments[fragment].overlays.extend(overlays)
        manifest.reader_feature_flags |= FeatureFlag.DATA_OVERLAYS
        manifest.writer_feature_flags |= FeatureFlag.DATA_OVERLAYS

    change_manifest(folder, version, change)
