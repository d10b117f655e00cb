"""What is wrong with a manifest by itself: with its schema, its fragments, and its flags.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError
from byteloom.lance.dataset.dataset_files import miscounts
from byteloom.lance.dataset.findings.shared_parts import Finding, SharedParts
from byteloom.lance.dataset.overlays import coverage_of
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.table import FeatureFlag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.dataset.findings.shared_parts import Schema, StoredFragment
    from byteloom.limits import Limits
    from byteloom_generated.lance.table import DataFile, DataFragment, Manifest

__all__ = [
    "TOMBSTONE",
    "claim_findings",
    "fragment_findings",
    "manifest_findings",
    "outline_findings",
]

TOMBSTONE: Final = -2
"""The id of a field whose column in a file is no longer used."""

_VERSIONS: Final = tuple(each.name for each in VERSIONS)
_LARGEST_NANOS: Final = 999_999_999
_FLAGGED: Final = {
    FeatureFlag.DELETION_FILES: "deletion_file",
    FeatureFlag.STABLE_ROW_IDS: "row_id_sequence",
    FeatureFlag.DATA_OVERLAYS: "overlays",
}
"""What of a fragment needs each feature flag."""


def manifest_findings(manifest: Manifest, limits: Limits) -> Iterator[Finding]:
    """Yield what is wrong with a manifest that contradicts itself.

    Raises:
        FormatError: For fields that are no tree.
    """
    parts = SharedParts(limits)
    schema, fragments = parts.schema(manifest.fields), parts.fragments(manifest.fragments)
    yield from outline_findings(manifest, schema, fragments)
    has_counts = not miscounts(manifest)
    for number, each in enumerate(manifest.fragments):
        path = f"manifest.fragments[{number}]"
        own = list(fragment_findings(each, manifest.version, path, has_counts=has_counts))
        yield from own or claim_findings(each, path)


def outline_findings(
    manifest: Manifest, schema: Schema, fragments: Sequence[StoredFragment]
) -> Iterator[Finding]:
    """Yield what is wrong with a manifest but for each of its fragments by itself."""
    if fragments and not schema.fields:
        wanted = "at least one field, since there are fragments"
        yield Finding.of("manifest.fields", "none", wanted)
    yield from schema.findings
    yield from _id_findings(manifest, fragments)
    yield from _flag_findings(manifest, fragments)
    yield from _base_findings(manifest)
    named = manifest.data_format.version
    if manifest.HasField("data_format") and named not in _VERSIONS:
        wanted = f"one of {', '.join(_VERSIONS)}: Lance does not open the dataset"
        yield Finding.of("manifest.data_format.version", repr(named), wanted)
    nanos = manifest.timestamp.nanos
    if not 0 <= nanos <= _LARGEST_NANOS:
        wanted = f"0 to {_LARGEST_NANOS}"
        yield Finding.of("manifest.timestamp.nanos", nanos, wanted)


def fragment_findings(
    fragment: DataFragment, version: int, path: str, *, has_counts: bool
) -> Iterator[Finding]:
    """Yield what is wrong with a fragment of a manifest, by itself.

    Args:
        version: The number of the version.
        path: Its name in errors.
        has_counts: Whether the release of the manifest counts rows.
    """
    if has_counts:
        yield from _count_findings(fragment, path)
    for index, file in enumerate(fragment.files):
        yield from _file_findings(file, f"{path}.files[{index}]")
    for index, overlay in enumerate(fragment.overlays):
        yield from _file_findings(overlay.data_file, f"{path}.overlays[{index}].data_file")
    yield from _overlay_findings(fragment, version, path)


def claim_findings(fragment: DataFragment, path: str) -> Iterator[Finding]:
    """Yield the error about fields that a fragment has twice.

    Args:
        path: Its name in errors.
    """
    ids = Counter(each for file in fragment.files for each in file.fields if each >= 0)
    twice = [str(each) for each, count in sorted(ids.items()) if count > 1]
    if twice:
        found = f"more than one column for field {', '.join(twice)}"
        yield Finding.of(f"{path}.files.fields", found, "each field once")


def _id_findings(manifest: Manifest, fragments: Sequence[StoredFragment]) -> Iterator[Finding]:
    """Yield what is wrong with the ids of fragments, and files that two of them have."""
    ids = [each.id for each in fragments]
    highest = max(ids, default=0)
    is_repeated = len(set(ids)) < len(ids)
    for number, count in Counter(ids).items() if is_repeated else ():
        if count > 1:
            wanted = "one: rows may be read twice, and have the same addresses"
            found = f"{count} fragments with the id {number}"
            yield Finding.of("manifest.fragments.id", found, wanted)
    if manifest.HasField("max_fragment_id") and manifest.max_fragment_id < highest:
        wanted = f"{highest} or more, the largest id of a fragment: it would be used again"
        yield Finding.of("manifest.max_fragment_id", manifest.max_fragment_id, wanted)
    places = [each.places for each in fragments]
    if is_repeated or len(frozenset().union(*places)) == sum(map(len, places)):
        return
    for (_, path), count in Counter(chain.from_iterable(places)).items():
        if count > 1:
            found = f"{path} in {count} fragments"
            yield Finding.of("manifest.fragments.files.path", found, "each file in one")


def _count_findings(fragment: DataFragment, path: str) -> Iterator[Finding]:
    """Yield errors about counts that are missing, without which Lance refuses filters."""
    if not fragment.physical_rows:
        wanted = "the number of its rows: Lance refuses filters"
        yield Finding.of(f"{path}.physical_rows", 0, wanted)
    elif not fragment.files:
        wanted = f"files with its {fragment.physical_rows} rows"
        yield Finding.of(f"{path}.files", "none", wanted)
    if fragment.HasField("deletion_file") and not fragment.deletion_file.num_deleted_rows:
        wanted = "the number of deleted rows: Lance refuses filters"
        yield Finding.of(f"{path}.deletion_file.num_deleted_rows", 0, wanted)


def _file_findings(file: DataFile, path: str) -> Iterator[Finding]:
    """Yield what is wrong with what a manifest says of a data file, without the file."""
    fields, columns = len(file.fields), len(file.column_indices)
    # Files of version 0.1 have no columns.
    if columns != fields and (columns or file.file_major_version):
        wanted = f"{fields}, one for each field: Lance reads nulls, or refuses the file"
        yield Finding.of(f"{path}.column_indices", f"{columns} columns", wanted, file.fields)
    for each in sorted({each for each in file.fields if each < 0} - {TOMBSTONE}):
        wanted = f"an id of 0 or more, or {TOMBSTONE} for a column that is not used"
        yield Finding.of(f"{path}.fields", each, wanted)


def _overlay_findings(fragment: DataFragment, version: int, path: str) -> Iterator[Finding]:
    """Yield what is wrong with overlays.

    Args:
        version: The number of the dataset's version.
        path: The name of the fragment in errors.
    """
    for number, stored in enumerate(fragment.overlays):
        own, fields = f"{path}.overlays[{number}]", stored.data_file.fields
        if stored.committed_version > version:
            wanted = f"at most {version}, the version: it hides later overlays"
            found = stored.committed_version
            yield Finding.of(f"{own}.committed_version", found, wanted)
        for each in fields if stored.HasField("field_coverage") else fields[:1]:
            concerned = frozenset((each,) if stored.HasField("field_coverage") else fields)
            try:
                rows = coverage_of(stored, frozenset((each,)), own)
            except ByteloomError as error:
                yield Finding(error, concerned)
                continue
            if rows and rows.max() >= fragment.physical_rows > 0:
                wanted = f"positions below {fragment.physical_rows}, the rows of the fragment"
                yield Finding.of(f"{own}.coverage", rows.max(), wanted)


def _flag_findings(manifest: Manifest, fragments: Sequence[StoredFragment]) -> Iterator[Finding]:
    """Yield errors about flags that readers need in order not to misread the version."""
    used = 0
    for each in fragments:
        used |= each.flags
    for field in ("reader_feature_flags", "writer_feature_flags"):
        flags = getattr(manifest, field)
        missing = used & ~flags
        if missing:
            names = " and ".join(name for bit, name in _FLAGGED.items() if missing & bit)
            wanted = f"{flags | missing}, since fragments have {names}"
            yield Finding.of(f"manifest.{field}", flags, wanted)
    if not manifest.reader_feature_flags & FeatureFlag.STABLE_ROW_IDS:
        return
    for number, each in enumerate(fragments):
        if not each.flags & FeatureFlag.STABLE_ROW_IDS:
            path = f"manifest.fragments[{number}].row_id_sequence"
            wanted = "row ids, by the manifest's feature flags"
            yield Finding.of(path, "nothing", wanted)


def _base_findings(manifest: Manifest) -> Iterator[Finding]:
    """Yield errors about roots of files that have the same id."""
    ids = [each.id for each in manifest.base_paths]
    for each, count in Counter(ids).items() if ids else ():
        if count > 1:
            found = f"{count} paths with the id {each}"
            yield Finding.of("manifest.base_paths.id", found, "one")
