"""Where the files of a table are now, if it was moved or copied since their paths were written.

The rules:

- A prefix ends where a name ends: ``s3://b/trips`` is not a prefix of ``s3://b/trips_2/data``.
- The longest that fits wins; a path that none fits stays as it is.
- ``file:/a``, ``file:///a`` and ``/a`` are one place.  Names are not percent-encoded, since
  Iceberg's writers do not encode them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os.path import realpath
from shlex import quote
from typing import TYPE_CHECKING

from byteloom.errors import FormatError, MissingFile, MovedTable, StorageError
from byteloom.iceberg.metadata.access import Access
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import RedactedRepr
from byteloom.storage.allowed import is_one_place
from byteloom.storage.local import LOCAL_URL
from byteloom.storage.whole import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from byteloom.storage import Source

__all__ = ["Relocation"]


@dataclass(frozen=True, repr=False)
class Relocation(RedactedRepr):
    """A map of prefixes: as written in metadata, to as they are now.

    prefixes  the map
    advised   where the table says that it is, and where it was found: what to map, if files are
              missing; None where the two are one place
    is_moved  whether files are named below the first of *advised*; they need not be, where a table
              keeps its metadata in a folder of its own
    limits    what a file that is read whole may cost
    access    how files are reached, and which may be
    """

    prefixes: Mapping[str, str] = field(default_factory=dict)
    advised: tuple[str, str] | None = None
    is_moved: bool = False
    limits: Limits = DEFAULT_LIMITS
    access: Access = field(default_factory=Access)

    def __call__(self, path: str) -> str:
        """Return where the file of that written *path* is now."""
        plain = _plain(path)
        fitting = [each for each in self.prefixes if _is_below(plain, _plain(each))]
        if not fitting:
            return plain
        longest = max(fitting, key=lambda each: len(_plain(each)))
        rest = plain[len(_plain(longest).rstrip("/")) :]
        return f"{_plain(self.prefixes[longest]).rstrip('/')}{rest}"

    def found_at(self, written: str, folder: str, names: Iterable[str] = ()) -> Relocation:
        """Return the map that advises what to map, of a table at *folder* that says *written*.

        names  some of the paths that its metadata names
        """
        place, found = self(written).rstrip("/"), self(folder)
        if place == found or _is_one_folder(place, found):
            return self
        is_moved = any(_is_below(_plain(each), _plain(written)) for each in names)
        return replace(self, advised=(written, folder), is_moved=is_moved)

    def open(self, path: str) -> Source:
        """Open the file of that written *path*; `StorageError` names both places."""
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
            is_mapped = self.named(path) != path
            # Where a map led to something else than a missing file, another map does not help.
            advice = "" if is_mapped and not isinstance(error, MissingFile) else self._advice(path)
            if not is_mapped and not advice:
                raise
            written = f" (written as {path})" if is_mapped else ""
            raise type(error)(f"{error}{written}{advice}").about(error.file or place) from error

    def named(self, path: str) -> str:
        """Return how errors name the file of that written *path*: where it is, then the path."""
        place = self(path)
        return path if place == _plain(path) else f"{place} (written as {path})"

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file that was opened in any error that names one by its written path."""
        try:
            yield
        except FormatError as error:
            self.name(error)
            raise

    def name(self, error: FormatError) -> None:
        """Let an error name the file that was opened, if it names one by its written path."""
        if error.file is not None and " (written as " not in error.file:
            error.file = self.named(error.file)

    def moved(self, checked: str = "") -> MovedTable | None:
        """Return what is said of a table that is in another place than its metadata says.

        None for a table in its place, one whose place is mapped, and one that names no files at
        the other place.

        checked  what is known of the files that its metadata names; none was checked by default
        """
        if self.advised is None or not self.is_moved:
            return None
        return MovedTable(*self.advised, checked)

    @property
    def is_copy_of_remote(self) -> bool:
        """Whether the table is a local copy of one in a store that the caller has not mentioned.

        Metadata alone does not make a reader use the network: where the table is on this machine,
        files in a store are read if the caller allows them, or says how the store is reached.
        """
        if self.advised is None or not self.is_moved:
            return False
        old, new = map(self, self.advised)
        access = self.access
        is_asked = access.filesystem is not None or access.options or access.allowed is not None
        return "://" in old and "://" not in new and not is_asked

    def read(self, path: str) -> bytes:
        """Return all bytes of the file of that written *path*; not more than limits allow."""
        source = self.open(path)
        try:
            return read_whole(source, self.limits)
        finally:
            source.close()

    def _advice(self, path: str) -> str:
        """What to map if the table was moved; nothing where it was not, or is no question."""
        if self.advised is None or not _is_below(_plain(path), _plain(self.advised[0])):
            return ""
        old, new = self.advised
        mapped = quote(f"{old}={new}")
        return f"; if the table was moved: --relocate {mapped}, or relocate= in Python"


def _is_below(path: str, prefix: str) -> bool:
    """Whether a path begins with *prefix*, that ends where a name does."""
    names = prefix.rstrip("/")
    return path.startswith(names) and path[len(names) : len(names) + 1] in {"", "/"}


def _is_one_folder(one: str, other: str) -> bool:
    """Whether two paths on this machine are of one folder, or two URLs of one of a store."""
    if is_one_place(one, other):  # as of s3 and s3a
        return True
    try:
        return "://" not in one + other and realpath(one) == realpath(other)
    except ValueError:  # a path that no file system has, as of a null character
        return False


def _plain(path: str) -> str:
    """A path on this machine without its scheme."""
    return LOCAL_URL.sub("/", path, count=1) if LOCAL_URL.match(path) else path
