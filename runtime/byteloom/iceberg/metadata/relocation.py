"""How the files of a table are reached, and where they are now, if the table was moved or copied.

The rules:

- A prefix ends where a name ends: ``s3://b/trips`` is not a prefix of ``s3://b/trips_2/data``.
- The longest that fits wins; a path without a fitting prefix stays as it is.
- ``file:/a``, ``file:///a`` and ``/a`` are the same place.  Names are not percent-encoded, since
  Iceberg's writers do not encode them.

Source: https://py.iceberg.apache.org/configuration/#fileio
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os.path import realpath
from shlex import quote
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from byteloom.errors import ByteloomError, FormatError, MissingFile, MovedTable, StorageError
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import RedactedRepr
from byteloom.storage import Folder, open_source, open_target
from byteloom.storage.allowed import is_one_place
from byteloom.storage.creating import make_folder, remove_file
from byteloom.storage.local import LOCAL_URL
from byteloom.storage.open import resolve
from byteloom.storage.options import filesystem_of, path_in
from byteloom.storage.sources import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from byteloom.storage import Source, Target
    from byteloom.storage.allowed import Allowed


__all__ = ["Access", "Relocation"]


@dataclass(frozen=True, repr=False)
class Access(RedactedRepr):
    """How the places named in metadata are reached.

    Attributes:
        filesystem: Of `pyarrow.fs` or fsspec, in which all places are; None to use their URLs.
        options: Properties of filesystems, such as ``s3.access-key-id``.
        allowed: Prefixes below which places must be; None for anywhere.
    """

    filesystem: Any = None
    options: Mapping[str, str] = field(default_factory=dict)
    allowed: Allowed | None = None
    _made: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    def open(self, place: str) -> Source:
        """Open the file at *place*; `StorageError` if it does not exist or is not allowed."""
        if self.allowed is not None:
            self.allowed.check(place)
        filesystem, path = self._reached(place)
        return open_source(path, filesystem=filesystem)

    def create(self, place: str) -> Target:
        """Open a new file at *place* for writing; `StorageError` if that is not possible."""
        if self.allowed is not None:
            self.allowed.check(place)
        filesystem, path = self._reached(place)
        folder, _, _ = path.rpartition("/")
        make_folder(Folder(folder, filesystem=filesystem), "")
        return open_target(path, filesystem=filesystem)

    def write(self, place: str, data: bytes) -> None:
        """Write the file at *place*, whole or not at all."""
        target = self.create(place)
        try:
            target.write(data)
            target.commit()
        except BaseException:
            target.abort()
            raise

    def remove(self, place: str) -> None:
        """Remove a file that nothing names; failures are ignored."""
        filesystem, path = self._reached(place)
        folder, _, name = path.rpartition("/")
        remove_file(Folder(folder, filesystem=filesystem), name)

    def folder(self, place: str) -> Folder:
        """Return the folder at *place*; `StorageError` if it is not allowed."""
        if self.allowed is not None:
            self.allowed.check(place)
        filesystem, path = self._reached(place)
        return Folder(path, filesystem=filesystem)

    def is_local(self, place: str) -> bool:
        """Return whether a place, without ``file:``, is on a disk of this machine."""
        if self.filesystem is not None:
            return resolve(".", self.filesystem)[0] is None
        return "://" not in place

    def _reached(self, place: str) -> tuple[Any, str]:
        """Return the filesystem of a place (None to use its URL), and the path in it."""
        found = self.filesystem
        if found is None and self.options and "://" in place:
            parts = urlsplit(place)
            key = parts.scheme.lower(), parts.netloc
            if key not in self._made:
                self._made[key] = filesystem_of(place, self.options)
            found = self._made[key]
        if found is None:
            return None, place
        return found, path_in(resolve(".", found)[0], place)


@dataclass(frozen=True, repr=False)
class Relocation(RedactedRepr):
    """A map of path prefixes: from those written in metadata to those where the files are now.

    Attributes:
        prefixes: The map.
        advised: The place in the table's metadata, and the place where it was found: what to map if
            files are missing; None if they are the same place.
        is_moved: Whether files are named below the first place of *advised*; they may not be, if a
            table has its metadata in a folder apart from its data.
        limits: What reading a whole file may cost.
        access: How files are reached, and which may be read.
    """

    prefixes: Mapping[str, str] = field(default_factory=dict)
    advised: tuple[str, str] | None = None
    is_moved: bool = False
    limits: Limits = DEFAULT_LIMITS
    access: Access = field(default_factory=Access)

    def __call__(self, path: str) -> str:
        """Return where the file with the written path *path* is now."""
        plain = _plain(path)
        fitting = [each for each in self.prefixes if _is_below(plain, _plain(each))]
        if not fitting:
            return plain
        longest = max(fitting, key=lambda each: len(_plain(each)))
        rest = plain[len(_plain(longest).rstrip("/")) :]
        return f"{_plain(self.prefixes[longest]).rstrip('/')}{rest}"

    def found_at(self, written: str, folder: str, names: Iterable[str] = ()) -> Relocation:
        """Return a map with advice for a table found at *folder* whose metadata says *written*.

        Args:
            written: The table's place in its metadata.
            folder: Where the table was found.
            names: Some of the paths in its metadata.

        Returns:
            The map; itself if both are one place.
        """
        place, found = self(written).rstrip("/"), self(folder)
        if place == found or _is_one_folder(place, found):
            return self
        is_moved = any(_is_below(_plain(each), _plain(written)) for each in names)
        return replace(self, advised=(written, folder), is_moved=is_moved)

    def open(self, path: str) -> Source:
        """Open the file with the written path *path*; a `StorageError` names both places."""
        place = self(path)
        if self.advised and self.is_copy_of_remote and _is_below(path, self.advised[0]):
            old, new = self.advised
            text = (
                f"{place}: not read, since the table is a copy in {new} of one in {old}:"
                f" --relocate {quote(f'{old}={new}')} reads the files beside the copy,"
                f" --allow {quote(old)} those of the original (relocate= and allow= in Python)"
            )
            raise StorageError(text).about(place)
        try:
            return self.access.open(place)
        except StorageError as error:
            is_mapped = place != _plain(path)
            # If a map led to an error other than a missing file, another map does not help.
            advice = "" if is_mapped and not isinstance(error, MissingFile) else self._advice(path)
            if not is_mapped and not advice:
                raise
            written = f" (written as {path})" if is_mapped else ""
            raise type(error)(f"{error}{written}{advice}").about(error.file or place) from error

    def create(self, path: str) -> Target:
        """Open a new file with the written path *path* for writing."""
        return self.access.create(self(path))

    def write(self, path: str, data: bytes) -> None:
        """Write the file with the written path *path*, whole or not at all."""
        self.access.write(self(path), data)

    def remove(self, path: str) -> None:
        """Remove the file with the written path *path*, which nothing names."""
        self.access.remove(self(path))

    def named(self, path: str) -> str:
        """Return how errors name the file with the written path *path*.

        That is its place, local ones without ``file:``, and for a mapped file also *path*.
        """
        place = self(path)
        return place if place == _plain(path) else f"{place} (written as {path})"

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Replace the written path in any error about a file by the name it was opened under."""
        try:
            yield
        except (FormatError, MissingFile) as error:
            self.name(error)
            raise

    def name(self, error: ByteloomError) -> None:
        """Make an error name files as they were opened, if it has their written paths."""
        if isinstance(error, FormatError) and error.file is not None:
            error.file = self._named_once(error.file)
        elif isinstance(error, MissingFile) and error.named_by is not None:
            error.named_by = self._named_once(error.named_by)

    def _named_once(self, path: str) -> str:
        """Return how errors name a file, which may have been done already."""
        is_path = "/" in path and " (written as " not in path
        return self.named(path) if is_path else path

    def moved(self, checked: str = "") -> MovedTable | None:
        """Return the error about a table that is not where its metadata says.

        None if the table is in its place, if its place is mapped, or if it names no files at the
                other place.

        Args:
            checked: What checking the files named by its metadata has shown; none was checked by
                default.
        """
        if self.advised is None or not self.is_moved:
            return None
        return MovedTable(*self.advised, checked)

    @property
    def is_copy_of_remote(self) -> bool:
        """Whether the table is a local copy of one in a store to which the caller gave no access.

        Metadata alone must not make a reader use the network: for a table on this machine, files
                in a store are read only if the caller allows them, or says how to reach the store.
        """
        if self.advised is None or not self.is_moved:
            return False
        old, new = map(self, self.advised)
        access = self.access
        is_asked = access.filesystem is not None or access.options or access.allowed is not None
        return "://" in old and "://" not in new and not is_asked

    def read(self, path: str) -> bytes:
        """Return all bytes of the file with the written path *path*, within the limits."""
        source = self.open(path)
        try:
            return read_whole(source, self.limits)
        finally:
            source.close()

    def _advice(self, path: str) -> str:
        """Return what to map if the table was moved; empty text if it was not."""
        if self.advised is None or not _is_below(_plain(path), _plain(self.advised[0])):
            return ""
        old, new = self.advised
        mapped = quote(f"{old}={new}")
        return f"; if the table was moved: --relocate {mapped}, or relocate= in Python"


def _is_below(path: str, prefix: str) -> bool:
    """Return whether a path begins with *prefix*, which must end where a name ends."""
    names = prefix.rstrip("/")
    return path.startswith(names) and path[len(names) : len(names) + 1] in {"", "/"}


def _is_one_folder(one: str, other: str) -> bool:
    """Return whether two local paths, or two URLs of one store, are of the same folder."""
    if is_one_place(one, other):  # URLs may differ, such as s3 and s3a
        return True
    try:
        return "://" not in one + other and realpath(one) == realpath(other)
    except ValueError:  # a path that no file system allows, such as one with a NUL
        return False


def _plain(path: str) -> str:
    """Return a local path without its scheme."""
    return LOCAL_URL.sub("/", path, count=1) if LOCAL_URL.match(path) else path
