"""Lance files, manifests of datasets, and the newest versions of datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset import Dataset, open_dataset
from byteloom.lance.dataset.findings import dataset_findings, manifest_findings
from byteloom.lance.dataset.manifests import read_manifest
from byteloom.lance.findings import metadata_findings
from byteloom.lance.reader import LanceFile
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Source
from byteloom.verification.damage import Damage, counted
from byteloom_generated.lance.table import Manifest

__all__ = ["manifest_of", "verify", "verify_dataset", "verify_manifest"]

_COLUMNS: Final = 64
"""Columns that are read at a time: each has a batch in memory."""


def verify(source: Source) -> str:
    """Check footer, schema, the metadata of all columns, and read all rows.

    raises  `Damage` with what is wrong with each column
    """
    try:
        file = LanceFile(source)
    except FormatError:
        manifest = manifest_of(source)
        if manifest is None:
            raise
        return verify_manifest(manifest)
    found = metadata_findings(file)
    for each in file.fields:
        try:
            for _ in file.scan([each.name]).batches():
                pass
        except ByteloomError as error:
            found.append(error)
    if found:
        raise Damage(_distinct(found))
    rows, columns = counted(file.num_rows, "row"), counted(len(file.fields), "column")
    return f"version {file.version}, {rows}, {columns}"


def _distinct(found: Sequence[ByteloomError]) -> list[ByteloomError]:
    """Return the errors, without those whose text repeats that of another."""
    return list({str(each): each for each in found}.values())


def manifest_of(source: Source) -> Manifest | None:
    """Return *source* parsed as a manifest; None if it is not a manifest."""
    try:
        return read_manifest(source, DEFAULT_LIMITS)
    except ByteloomError:
        return None


def verify_manifest(manifest: Manifest) -> str:
    """Check a manifest by itself; the files that it names are checked with its dataset.

    raises  `Damage` with what is wrong
    """
    found = [each.error for each in manifest_findings(manifest, DEFAULT_LIMITS)]
    if found:
        raise Damage(_distinct(found))
    fragments = counted(len(manifest.fragments), "fragment")
    return f"manifest of version {manifest.version}, {fragments}"


def verify_dataset(place: str, allow: Sequence[str] | None = None) -> str:
    """Check the manifests of all versions, and read all rows of the newest one.

    allow   prefixes below which files named by a manifest must be to be read; None for anywhere
    raises  `Damage` with what is wrong with versions, files and columns
    """
    dataset = open_dataset(place, allow=allow or None)
    found = dataset_findings(dataset)
    names = [
        each.name
        for each in dataset.fields
        if not found.unread.intersection(inner.id for inner in each.walk())
    ]
    found.note(_misread(dataset, names))
    if found.errors:
        raise Damage(found.errors)
    rows, fragments = counted(dataset.count(), "row"), len(dataset.fragments)
    return f"version {dataset.version}, {rows}, {counted(fragments, 'fragment')}"


def _misread(dataset: Dataset, names: Sequence[str]) -> Iterator[ByteloomError]:
    """Yield an error for each of the columns that cannot be read; some are read at a time."""
    for start in range(0, len(names), _COLUMNS):
        part = names[start : start + _COLUMNS]
        try:
            for _ in dataset.scan(part).batches():
                pass
        except ByteloomError as error:
            if len(part) == 1:
                yield error
            for name in part if len(part) > 1 else ():
                yield from _misread(dataset, [name])
