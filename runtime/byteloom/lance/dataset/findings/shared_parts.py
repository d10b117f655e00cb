"""What is wrong with a version, and the parts that several versions of a dataset have in common.

Schemas and fragments are read and checked once, for all manifests that have the same message.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.fields import EXTENSION, tree_of
from byteloom.lance.findings import name_findings
from byteloom.lance.types import arrow_field
from byteloom_generated.lance.table import DataFragment, FeatureFlag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from byteloom.lance.dataset.dataset_files import DatasetFiles
    from byteloom.lance.fields import Field
    from byteloom.limits import Limits
    from byteloom_generated.lance import file
    from byteloom_generated.lance.table import Manifest

__all__ = [
    "FieldOutline",
    "Finding",
    "Schema",
    "SharedParts",
    "StoredFragment",
    "Version",
    "outlines_of",
]


class Finding(NamedTuple):
    """Something that is wrong with a version.

    Attributes:
        error: What is wrong.
        fields: Ids of the fields whose rows cannot be right because of it.
    """

    error: ByteloomError
    fields: frozenset[int] = frozenset()

    @classmethod
    def of(cls, path: str, found: object, wanted: str, fields: Iterable[int] = ()) -> Self:
        """Return the finding that *wanted* was expected at *path*, where *found* is."""
        return cls(FormatError(path, None, found, wanted), frozenset(fields))


FieldOutline: TypeAlias = "tuple[int, int, str, str, bool]"
"""A field's id, that of its parent, its name, its type, and whether it may be null."""


@dataclass(frozen=True, eq=False)
class Schema:
    """The schema of a version.

    Attributes:
        fields: The fields by their ids, with those in others.
        numbers: The place of each in the manifest.
        outlines: What versions must not change of each field without saying so.
        findings: What is wrong with the schema by itself.
        doubtful: Ids of fields that are wrong by themselves, whose types are not compared.
    """

    fields: Mapping[int, Field]
    numbers: Mapping[int, int]
    outlines: tuple[FieldOutline, ...]
    findings: list[Finding]
    doubtful: frozenset[int]


@dataclass(frozen=True, eq=False, slots=True)
class StoredFragment:
    """A fragment as it is stored: one object for all manifests that have the same message.

    Attributes:
        id: Its id, unique in a version.
        content: The names of its data files, and what identifies its deletion file.
        places: The base paths and the names of all its files.
        flags: The feature flags that readers need for it.
    """

    id: int
    content: tuple[tuple[str, ...], tuple[object, ...]]
    places: frozenset[tuple[int | None, str]]
    flags: int


class Version(NamedTuple):
    """A version that is checked.

    Attributes:
        number: Its number by the name of its manifest.
        is_newest: Whether it is the newest one.
        file_name: The name of its manifest in errors.
    """

    number: int
    is_newest: bool
    file_name: str
    manifest: Manifest
    schema: Schema
    fragments: list[StoredFragment]
    files: DatasetFiles

    @property
    def data_version(self) -> str:
        """The version of the format of all its files; empty if the manifest does not say."""
        is_mixed = self.manifest.reader_feature_flags & FeatureFlag.MIXED_FILE_VERSIONS
        return "" if is_mixed else self.manifest.data_format.version


class SharedParts:
    """The schemas and fragments of all manifests that were read so far."""

    def __init__(self, limits: Limits) -> None:
        """Begin without any; *limits* bounds the depth of a schema."""
        self._limits = limits
        self._schemas: dict[tuple[bytes, ...], Schema] = {}
        self._fragments: dict[bytes, StoredFragment] = {}

    def schema(self, stored: Sequence[file.Field]) -> Schema:
        """Return the schema of a manifest with these fields.

        Raises:
            FormatError: For fields that are no tree.
        """
        key = tuple(each.SerializeToString() for each in stored)
        found = self._schemas.get(key)
        if found is None:
            found = self._schemas[key] = _schema_of(stored, self._limits)
        return found

    def fragments(self, stored: Sequence[DataFragment]) -> list[StoredFragment]:
        """Return the fragments of a manifest or a transaction."""
        known = self._fragments
        # A version may have many fragments, and most are known: no method is looked up for each.
        messages = list(map(DataFragment.made().SerializeToString, stored))
        for each, message in zip(stored, messages, strict=True):
            if message not in known:
                known[message] = _fragment_of(each)
        return list(map(known.__getitem__, messages))


def outlines_of(stored: Iterable[file.Field]) -> tuple[FieldOutline, ...]:
    """Return what versions must not change of each of these fields without saying so."""
    return tuple(
        (each.id, each.parent_id, each.name, each.logical_type, each.nullable) for each in stored
    )


def _schema_of(stored: Sequence[file.Field], limits: Limits) -> Schema:
    top = tree_of(stored, limits, path="manifest")
    fields = {each.id: each for one in top for each in one.walk()}
    numbers = {each.id: number for number, each in enumerate(stored)}
    findings = list(_schema_findings(stored, top))
    doubtful = frozenset[int]().union(*(each.fields for each in findings))
    return Schema(fields, numbers, outlines_of(stored), findings, doubtful)


def _schema_findings(stored: Sequence[file.Field], fields: Sequence[Field]) -> Iterator[Finding]:
    """Yield what is wrong with stored fields, of which the tree of *fields* was made."""
    yield from map(Finding, name_findings(fields, "manifest.fields"))
    for number, each in enumerate(stored):
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
    for field in fields:
        try:
            arrow_field(field)
        except ByteloomError as error:
            yield Finding(error, frozenset(inner.id for inner in field.walk()))
    for field in (each for one in fields for each in one.walk()):
        if field.children and not _is_nested(field):
            wanted = f"no field inside {field.path}, which is of type {field.type}"
            inner = field.children[0].name
            yield Finding.of("manifest.fields.parent_id", f"{inner} inside it", wanted)


def _is_nested(field: Field) -> bool:
    return field.is_struct or field.is_list or field.type.startswith("fixed_size_list:struct:")


def _fragment_of(stored: DataFragment) -> StoredFragment:
    deletions: tuple[object, ...] = ()
    flags = 0
    if stored.HasField("deletion_file"):
        name = stored.deletion_file
        deletions = name.read_version, name.id, name.file_type
        flags |= FeatureFlag.DELETION_FILES
    if stored.WhichOneof("row_id_sequence") is not None:
        flags |= FeatureFlag.STABLE_ROW_IDS
    if stored.overlays:
        flags |= FeatureFlag.DATA_OVERLAYS
    files = (*stored.files, *(each.data_file for each in stored.overlays))
    places = frozenset(
        (each.base_id if each.HasField("base_id") else None, each.path) for each in files
    )
    content = tuple(each.path for each in stored.files), deletions
    return StoredFragment(stored.id, content, places, flags)
