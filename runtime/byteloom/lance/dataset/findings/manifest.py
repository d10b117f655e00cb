"""What is wrong with a manifest by itself: with its schema, its fragments, and its flags.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError
from byteloom.lance.dataset.findings.finding import Finding
from byteloom.lance.dataset.findings.overlays import overlay_findings
from byteloom.lance.dataset.locating import miscounts
from byteloom.lance.fields import EXTENSION
from byteloom.lance.findings import name_findings
from byteloom.lance.types import arrow_field
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.table import FeatureFlag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.lance.fields import Field
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


def manifest_findings(manifest: Manifest, fields: Sequence[Field]) -> Iterator[Finding]:
    """Yield what is wrong with a manifest that contradicts itself.

    fields  the fields at the top of its schema
    """
    yield from outline_findings(manifest, fields)
    has_counts = not miscounts(manifest)
    for number, each in enumerate(manifest.fragments):
        path = f"manifest.fragments[{number}]"
        own = list(fragment_findings(each, manifest.version, path, has_counts=has_counts))
        yield from own or claim_findings(each, path)


def outline_findings(manifest: Manifest, fields: Sequence[Field]) -> Iterator[Finding]:
    """Yield what is wrong with a manifest but for each of its fragments by itself.

    fields  the fields at the top of its schema
    """
    yield from _schema_findings(manifest, fields)
    yield from _id_findings(manifest)
    yield from _flag_findings(manifest)
    yield from _base_findings(manifest)
    named = manifest.data_format.version
    if manifest.HasField("data_format") and named not in _VERSIONS:
        wanted = f"one of {', '.join(_VERSIONS)}: Lance does not open the dataset"
        yield Finding.of("manifest.data_format.version", repr(named), wanted)
    nanos = manifest.timestamp.nanos
    if not 0 <= nanos <= _LARGEST_NANOS:
        wanted = f"0 to {_LARGEST_NANOS}"
        yield Finding.of("manifest.timestamp.nanos", nanos, wanted)


def _schema_findings(manifest: Manifest, fields: Sequence[Field]) -> Iterator[Finding]:
    """Yield what is wrong with the schema, which was made a tree of *fields* without an error."""
    if manifest.fragments and not fields:
        wanted = "at least one field, since there are fragments"
        yield Finding.of("manifest.fields", "none", wanted)
    yield from map(Finding, name_findings(fields, "manifest.fields"))
    for number, each in enumerate(manifest.fields):
        path = f"manifest.fields[{number}]"
        if each.id < 0:
            yield Finding.of(f"{path}.id", each.id, "0 or more")
        if not each.name:
            wanted = "a name: Lance refuses filters"
            yield Finding.of(f"{path}.name", "an empty name", wanted)
        extension = each.metadata.get(EXTENSION, b"").decode(errors="replace")
        if each.extension_name not in {"", extension}:
            wanted = f"{extension or 'no name'!r}, as in its metadata"
            yield Finding.of(f"{path}.extension_name", each.extension_name, wanted)
    for each in fields:
        try:
            arrow_field(each)
        except ByteloomError as error:
            yield Finding(error, frozenset(inner.id for inner in each.walk()))
    for each in _walk(fields):
        if each.children and not _is_nested(each):
            wanted = f"no field inside {each.path}, which is of type {each.type}"
            inner = each.children[0].name
            yield Finding.of("manifest.fields.parent_id", f"{inner} inside it", wanted)


def _walk(fields: Iterable[Field]) -> Iterator[Field]:
    for each in fields:
        yield from each.walk()


def _is_nested(field: Field) -> bool:
    return field.is_struct or field.is_list or field.type.startswith("fixed_size_list:struct:")


def fragment_findings(
    fragment: DataFragment, version: int, path: str, *, has_counts: bool
) -> Iterator[Finding]:
    """Yield what is wrong with a fragment of a manifest, by itself.

    version     the number of the version
    path        its name in errors
    has_counts  whether the release of the manifest counts rows
    """
    if has_counts:
        yield from _count_findings(fragment, path)
    for index, file in enumerate(fragment.files):
        yield from _file_findings(file, f"{path}.files[{index}]")
    for index, overlay in enumerate(fragment.overlays):
        yield from _file_findings(overlay.data_file, f"{path}.overlays[{index}].data_file")
    yield from overlay_findings(fragment, version, path)


def claim_findings(fragment: DataFragment, path: str) -> Iterator[Finding]:
    """Yield the error about fields that a fragment has twice.

    path  its name in errors
    """
    ids = Counter(each for file in fragment.files for each in file.fields if each >= 0)
    twice = [str(each) for each, count in sorted(ids.items()) if count > 1]
    if twice:
        found = f"more than one column for field {', '.join(twice)}"
        yield Finding.of(f"{path}.files.fields", found, "each field once")


def _id_findings(manifest: Manifest) -> Iterator[Finding]:
    """Yield what is wrong with the ids of fragments, and files that two of them have."""
    ids = [each.id for each in manifest.fragments]
    repeated = {number: count for number, count in Counter(ids).items() if count > 1}
    for number, count in repeated.items():
        wanted = "one: rows may be read twice, and have the same addresses"
        found = f"{count} fragments with the id {number}"
        yield Finding.of("manifest.fragments.id", found, wanted)
    highest = max(ids, default=0)
    if manifest.HasField("max_fragment_id") and manifest.max_fragment_id < highest:
        wanted = f"{highest} or more, the largest id of a fragment: it would be used again"
        yield Finding.of("manifest.max_fragment_id", manifest.max_fragment_id, wanted)
    if repeated:
        return
    places = Counter(each for fragment in manifest.fragments for each in _places(fragment))
    for (_, path), count in places.items():
        if count > 1:
            found = f"{path} in {count} fragments"
            yield Finding.of("manifest.fragments.files.path", found, "each file in one")


def _places(fragment: DataFragment) -> set[tuple[int | None, str]]:
    """The roots and names of the files of a fragment."""
    files = (*fragment.files, *(each.data_file for each in fragment.overlays))
    return {(each.base_id if each.HasField("base_id") else None, each.path) for each in files}


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


def _flag_findings(manifest: Manifest) -> Iterator[Finding]:
    """Yield errors about flags that readers need in order not to misread the version."""
    used = {
        bit: name
        for bit, name, is_used in (
            (FeatureFlag.DELETION_FILES, "deletion_file", _has_deletions),
            (FeatureFlag.STABLE_ROW_IDS, "row_id_sequence", _has_row_ids),
            (FeatureFlag.DATA_OVERLAYS, "overlays", _has_overlays),
        )
        if any(map(is_used, manifest.fragments))
    }
    for field in ("reader_feature_flags", "writer_feature_flags"):
        flags = getattr(manifest, field)
        missing = [bit for bit in used if not flags & bit]
        if missing:
            names = " and ".join(used[bit] for bit in missing)
            wanted = f"{flags | sum(missing)}, since fragments have {names}"
            yield Finding.of(f"manifest.{field}", flags, wanted)
    for number, fragment in enumerate(manifest.fragments):
        flags = manifest.reader_feature_flags
        if flags & FeatureFlag.STABLE_ROW_IDS and not _has_row_ids(fragment):
            path = f"manifest.fragments[{number}].row_id_sequence"
            wanted = "row ids, by the manifest's feature flags"
            yield Finding.of(path, "nothing", wanted)


def _has_deletions(fragment: DataFragment) -> bool:
    return fragment.HasField("deletion_file")


def _has_overlays(fragment: DataFragment) -> bool:
    return bool(fragment.overlays)


def _has_row_ids(fragment: DataFragment) -> bool:
    return fragment.WhichOneof("row_id_sequence") is not None


def _base_findings(manifest: Manifest) -> Iterator[Finding]:
    """Yield errors about roots of files that have the same id."""
    for each, count in Counter(each.id for each in manifest.base_paths).items():
        if count > 1:
            found = f"{count} paths with the id {each}"
            yield Finding.of("manifest.base_paths.id", found, "one")
