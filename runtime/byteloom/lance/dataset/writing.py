"""Writing Lance datasets: rows into a new one, after those of one, or instead of them.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.arguments import whole_number
from byteloom.errors import CommitConflict, FormatError
from byteloom.lance.dataset.committing import commit_change, commit_first
from byteloom.lance.dataset.dataset import open_dataset
from byteloom.lance.dataset.files import DataFiles
from byteloom.lance.dataset.versions import has_versions
from byteloom.lance.types import arrow_schema
from byteloom.lance.writing.schema import WRITTEN, check_version, storage_schema, stored_schema
from byteloom.lance.writing.streams import stream_of
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage import Folder
from byteloom.storage.creating import check_creates
from byteloom_generated.lance.table import Manifest

if TYPE_CHECKING:
    import os

    from byteloom.lance.dataset.dataset import Dataset
    from byteloom.lance.writing.streams import Rows
    from byteloom_generated.lance.table import DataFragment

__all__ = ["write_dataset"]

_MODES: Final = ("create", "append", "overwrite")
_ROWS: Final = 1 << 20
_VERSION: Final = "2.2"


def write_dataset(  # noqa: PLR0913  where, what, and how
    place: str | os.PathLike[str],
    data: Any,
    *,
    mode: str = "create",
    version: str | None = None,
    max_rows_per_file: int = _ROWS,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Dataset:
    """Write rows as a version of a Lance dataset, and return it.

    The version appears whole, when all rows are written.  Where another writer creates one in the
    meantime, ours follows that one.

    place              path or URL of its folder
    data               Arrow data in any form: a table, a stream, batches
    mode               ``create`` for a new dataset, ``append`` for rows after those of the newest
                       version, ``overwrite`` for rows and a schema instead of those, if any
    version            of the format of data files, ``2.0``, ``2.1`` or ``2.2``; None for that of
                       the dataset, ``2.2`` for a new one
    max_rows_per_file  rows of a fragment at most
    filesystem         of fsspec, in which *place* is a path; `pyarrow.fs` can only be read
    raises             `CommitConflict` where there is a dataset that is to be created, or another
                       writer changes the schema meanwhile; `FormatError` for rows of another
                       schema than the dataset's; `Unsupported` for types that are not written,
                       `StorageError`

    Source: https://lance.org/format/table/transaction/
    """
    if mode not in _MODES:
        raise FormatError("mode", None, mode, " or ".join(_MODES))
    if version is not None:
        check_version("version", version)
    most = whole_number("max_rows_per_file", max_rows_per_file, "1 or more", least=1)
    folder = Folder(place, filesystem=filesystem)
    check_creates(folder)
    stream, exists = stream_of(data), has_versions(folder)
    if mode == "create" and exists:
        raise CommitConflict(f"{folder}: there is a Lance dataset already")
    if mode == "append" or exists:
        dataset = open_dataset(place, filesystem=filesystem, limits=limits)
        if mode == "append":
            return _append(dataset, stream, version, most)
        return _overwrite(dataset, stream, version, most)
    made, files = _first(folder, stream, version or _VERSION, most)
    with files.removed_by_conflict():
        commit_first(folder, made)
    return open_dataset(place, filesystem=filesystem, limits=limits)


def _first(folder: Folder, stream: Rows, version: str, most: int) -> tuple[Manifest, DataFiles]:
    """A manifest of rows alone, and the files of these."""
    schema = storage_schema(stream.schema)
    fields = stored_schema(schema, version)
    with DataFiles(folder, schema, version) as files:
        fragments = files.fragments(stream.batches, most)
    manifest = Manifest(fields=fields.fields, schema_metadata=fields.metadata)
    manifest.data_format.file_format, manifest.data_format.version = "lance", version
    add_fragments(manifest, fragments)
    return manifest, files


def add_fragments(manifest: Manifest, fragments: list[DataFragment]) -> None:
    """Add fragments, numbered after all that there ever were."""
    has_any = manifest.HasField("max_fragment_id") or manifest.fragments
    first = max([manifest.max_fragment_id, *(each.id for each in manifest.fragments)]) + 1
    for number, each in enumerate(fragments, first if has_any else 0):
        each.id = number
        manifest.fragments.append(each)
        manifest.max_fragment_id = number


def _append(dataset: Dataset, stream: Rows, version: str | None, most: int) -> Dataset:
    known = dataset.data_version
    check_version("manifest.data_format.version", known)
    if version not in {None, known}:
        raise FormatError("version", None, version, f"{known}, that of the dataset")
    schema, fields = arrow_schema(dataset.fields, dataset.metadata), list(dataset.manifest.fields)
    if stream.schema.names != schema.names:
        found, wanted = ", ".join(stream.schema.names), ", ".join(schema.names)
        raise FormatError("rows", None, f"columns {found}", wanted)
    with DataFiles(dataset.folder, schema, known, [each.id for each in fields]) as files:
        fragments = files.fragments(stream.batches, most)

    def change(manifest: Manifest) -> None:
        if list(manifest.fields) != fields:
            raise CommitConflict(f"{dataset.folder}: another writer changed the schema")
        add_fragments(manifest, fragments)

    with files.removed_by_conflict():
        commit_change(dataset, change)
    return dataset.newest()


def _overwrite(dataset: Dataset, stream: Rows, version: str | None, most: int) -> Dataset:
    known = dataset.data_version if dataset.data_version in WRITTEN else _VERSION
    made, files = _first(dataset.folder, stream, version or known, most)

    def change(manifest: Manifest) -> None:
        manifest.ClearField("fragments")
        manifest.ClearField("fields")
        manifest.ClearField("schema_metadata")
        manifest.ClearField("index_section")
        manifest.fields.extend(made.fields)
        manifest.schema_metadata.update(made.schema_metadata)
        manifest.data_format.CopyFrom(made.data_format)
        add_fragments(manifest, list(made.fragments))

    with files.removed_by_conflict():
        commit_change(dataset, change)
    return dataset.newest()
