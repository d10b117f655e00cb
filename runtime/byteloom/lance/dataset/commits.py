"""Commit new versions of a Lance dataset: the first of several writers creates the manifest.

- A change is a function of the newest manifest.  A writer that was not the first tries again on the
  other writer's version, as long as the two changes are compatible.
- A version names the file of its transaction, from which other libraries that lost the race learn
  whether their change is compatible.
- Data files and deletion files of a writer that lost belong to no version.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

from byteloom import __version__
from byteloom.errors import ByteloomError, CommitConflict, LimitExceeded, Unsupported
from byteloom.lance.dataset.manifests import check_flags, read_section
from byteloom.lance.dataset.versions import DETACHED, FOLDER, manifest_name
from byteloom.storage.creating import create_file, make_folder, remove_file
from byteloom.storage.naming import about_file
from byteloom_generated.lance.table import FeatureFlag, Manifest
from byteloom_generated.lance.tail import FramedMessage, LegacyTail, Version

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.dataset.fragments import Fragment
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.limits import Limits
    from byteloom.storage import Folder, Source
    from byteloom_generated.lance.transaction import Transaction

__all__ = ["TRANSACTIONS", "change_again", "check_changes", "commit_change", "commit_first"]

AnyState = TypeVar("AnyState", bound="DatasetState")

TRANSACTIONS: Final = "_transactions"
"""The folder of transactions."""

_TRIES: Final = 20
_NANO: Final = 1_000_000_000
_VERSION: Final = (0, 2)
_OWN: Final = (
    "writer_version", "version_aux_data", "transaction_file", "transaction_section",
    "early_transaction_section", "tag",
)  # fmt: skip
"""Fields of a manifest that describe only its own version."""

_WRITABLE: Final = (
    FeatureFlag.DELETION_FILES
    | FeatureFlag.STABLE_ROW_IDS
    | FeatureFlag.V2_FORMAT
    | FeatureFlag.TABLE_CONFIG
    | FeatureFlag.NO_TRANSACTION_FILE
)


def commit_first(folder: Folder, manifest: Manifest, transaction: Transaction) -> None:
    """Create the first version of a dataset.

    Args:
        transaction: What it consists of; its own fields but the operation are set here.

    Raises:
        CommitConflict: There already is a dataset.
    """
    make_folder(folder, FOLDER)
    _stamp(manifest, 1)
    _create(folder, manifest_name(1), manifest, transaction)


def commit_change(
    newest: Callable[[], AnyState], change: Callable[[Manifest], Transaction]
) -> AnyState:
    """Create the next version of a dataset, and return the newest one.

    Args:
        newest: Opens the newest version; it is called again after each version of another writer.
        change: Turns the manifest of the newest version into the next one, and may clear its
            indices; it returns what it changed, with no other field than the operation; it raises
            `CommitConflict` if it is incompatible with a version created in the meantime.

    Raises:
        CommitConflict: Another writer was first.
        Unsupported: For a dataset with features that are not written.
    """
    for _ in range(_TRIES):
        dataset = newest()
        manifest = Manifest()
        manifest.CopyFrom(dataset.manifest)
        _check_written_flags(manifest)
        _keep_used_ids(manifest)
        transaction = change(manifest)
        _count_rows(dataset, manifest)
        kept = _kept(dataset, manifest)
        _stamp(manifest, dataset.version + 1)
        name = manifest_name(manifest.version, like=dataset.manifest_name)
        try:
            _create(dataset.folder, name, manifest, transaction, kept)
        except CommitConflict:
            continue
        return newest()
    raise _too_many_writers(dataset)


def change_again(dataset: AnyState, change: Callable[[AnyState], AnyState]) -> AnyState:
    """Return the version that a change makes, made again on the newest one after a conflict.

    Args:
        change: Commits a change of the version that it gets, and returns the newest one.

    Raises:
        CommitConflict: Other writers are first in every attempt.
    """
    for _ in range(_TRIES):
        try:
            return change(dataset)
        except CommitConflict:
            dataset = dataset.newest()
    raise _too_many_writers(dataset)


def _too_many_writers(dataset: DatasetState) -> CommitConflict:
    return CommitConflict(f"{dataset.folder}: {_TRIES} other writers were first")


def check_changes(dataset: DatasetState, *, keeps_rows: bool = True) -> None:
    """Refuse to change a version that has no next one, before any file is written.

    Args:
        keeps_rows: Whether the next version has rows of this one.

    Raises:
        Unsupported: For a detached version, and for features that are not written.
    """
    with about_file(dataset.file_name):
        if dataset.version >= DETACHED:
            wanted = "a version of its history: no other version follows a detached one"
            raise Unsupported("manifest.version", None, f"the detached {dataset.version}", wanted)
        _check_written_flags(dataset.manifest)
        if keeps_rows and dataset.manifest.HasField("index_section"):
            _check_indices(dataset)


def _check_indices(dataset: DatasetState) -> None:
    """Refuse indices of early releases, which may say that they cover fragments that they do not.

    Later releases correct these where one of the early ones wrote the version.
    """
    if dataset.files.miscounts:
        release = dataset.manifest.writer_version.version or "no known release"
        wanted = "a version by release 0.8.15 or later"
        raise Unsupported("manifest.index_section", None, f"indices by {release}", wanted)


def _check_written_flags(manifest: Manifest) -> None:
    """Refuse a dataset with features that this writer does not know."""
    flags = manifest.reader_feature_flags | manifest.writer_feature_flags
    check_flags("manifest.writer_feature_flags", None, flags, int(_WRITABLE))


def _keep_used_ids(manifest: Manifest) -> None:
    """Note the largest fragment id, which early releases did not, before a fragment is removed.

    Indices know fragments by their ids, which no later fragment may have.
    """
    if manifest.fragments and not manifest.HasField("max_fragment_id"):
        manifest.max_fragment_id = max(each.id for each in manifest.fragments)


def _count_rows(dataset: DatasetState, manifest: Manifest) -> None:
    """Count rows that early releases did not, or miscounted.

    Readers correct counts by the release that wrote the version; the next one is by byteloom.

    Args:
        dataset: The version before that of *manifest*.
    """
    known: dict[int, Fragment] = {}
    for each in manifest.fragments:
        has_deletions = each.HasField("deletion_file")
        is_counted = not has_deletions or each.deletion_file.num_deleted_rows
        if each.physical_rows and is_counted and not (has_deletions and dataset.files.miscounts):
            continue
        known = known or {one.id: one for one in dataset.fragments}
        if each.id in known:
            each.physical_rows = known[each.id].physical_rows
            if not is_counted:
                each.deletion_file.num_deleted_rows = len(known[each.id].deleted)


def _kept(dataset: DatasetState, manifest: Manifest) -> bytes:
    """Return the bytes that the file of the next version begins with, to which it refers.

    In version 0.1 fields say where in the file the values of their dictionaries are, and texts
    where theirs are: all bytes before the message stay at their offsets.  Otherwise only the bytes
    that describe indices are kept.

    Raises:
        LimitExceeded: For more than ``limits.metadata_size``.
    """
    has_indices = manifest.HasField("index_section")
    has_dictionaries = any(each.dictionary.length for each in manifest.fields)
    if not has_indices and not has_dictionaries:
        return b""
    with (
        closing(dataset.folder.open(dataset.manifest_name)) as source,
        about_file(source.name),
    ):
        if has_dictionaries:
            return _before_message(source, manifest, dataset.limits)
        message, _ = read_section(source, manifest, "index_section", dataset.limits)
    manifest.index_section = 0
    return FramedMessage(message=message).to_bytes()


def _before_message(source: Source, manifest: Manifest, limits: Limits) -> bytes:
    """Return the bytes before the message of a manifest; all where it refers to later ones."""
    end = source.size - LegacyTail.SIZE
    size = LegacyTail.from_bytes(source.read_tail(LegacyTail.SIZE), origin=end).ofs_message
    places = [each.dictionary.offset for each in manifest.fields if each.dictionary.length]
    if max(*places, manifest.index_section) >= size:
        size = end
    if size > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} bytes (limits.metadata_size)"
        raise LimitExceeded("manifest", 0, f"{size} bytes before its message", wanted)
    return source.read(0, size)


def _stamp(manifest: Manifest, version: int) -> None:
    """Set the time of the version, its writer, and its feature flags."""
    for name in _OWN:
        manifest.ClearField(name)
    seconds, nanos = divmod(time.time_ns(), _NANO)
    manifest.version = version
    manifest.timestamp.seconds, manifest.timestamp.nanos = seconds, nanos
    manifest.writer_version.library = "byteloom"
    manifest.writer_version.version = __version__
    has_deletions = any(each.HasField("deletion_file") for each in manifest.fragments)
    for name in ("reader_feature_flags", "writer_feature_flags"):
        flags = getattr(manifest, name) & ~FeatureFlag.DELETION_FILES
        setattr(manifest, name, flags | (FeatureFlag.DELETION_FILES if has_deletions else 0))


def _create(
    folder: Folder, name: str, manifest: Manifest, transaction: Transaction, kept: bytes = b""
) -> None:
    """Create the files of a version: that of its transaction, then the manifest *name*.

    Args:
        kept: The bytes that the manifest begins with.
    """
    transaction.read_version = manifest.version - 1
    transaction.uuid = str(uuid4())
    manifest.transaction_file = f"{transaction.read_version}-{transaction.uuid}.txn"
    described = f"{TRANSACTIONS}/{manifest.transaction_file}"
    make_folder(folder, TRANSACTIONS)
    create_file(folder, described, transaction.SerializeToString())
    try:
        create_file(folder, name, _stored(manifest, kept))
    except ByteloomError:
        remove_file(folder, described)
        raise


def _stored(manifest: Manifest, kept: bytes) -> bytes:
    """The bytes of a manifest file."""
    major, minor = _VERSION
    tail = LegacyTail(ofs_message=len(kept), version=Version(major=major, minor=minor))
    message = FramedMessage(message=manifest.SerializeToString())
    return kept + message.to_bytes() + tail.to_bytes()
