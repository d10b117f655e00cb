"""Which files a reader may open: those below certain prefixes, however a path is spelled.

Paths in metadata are untrusted: without this check, whoever can write a table's metadata could make
its readers open any file that they have access to, or send their credentials to any server.

- A prefix ends where a name does: ``s3://b/trips`` does not allow ``s3://b/trips_2/data``.
- ``.`` and ``..`` are resolved first, even when percent-encoded; links of local paths are followed.
- Schemes and hosts are compared in lower case; ``s3``, ``s3a`` and ``s3n`` are one scheme.
- User info and options in a URL (``?endpoint_override=...``) are never allowed, nor are fsspec's
  chains of URLs (``::``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import unquote

from byteloom.errors import StorageError
from byteloom.storage.local import LOCAL_URL

__all__ = ["Allowed", "is_one_place"]

_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>.*)", re.DOTALL
)
_SAME: Final = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "wasbs": "wasb"}
_CONTAINERS: Final = {"abfs", "wasb"}
_ROUNDS: Final = 8
"""How often a path is percent-decoded before it is refused as an attempt to hide a path."""


class _Place(NamedTuple):
    """A place, by its names from the root on, and its scheme and host."""

    scheme: str
    authority: str
    names: tuple[str, ...]


class Allowed:
    """Prefixes of paths and URLs; only files below one of them may be opened."""

    def __init__(self, prefixes: Iterable[str | os.PathLike[str]]) -> None:
        """Keep the *prefixes*, paths or URLs; `StorageError` for one that is not a place.

        The empty text is not a place: the working directory is ``.``.
        """
        given = [prefixes] if isinstance(prefixes, str | os.PathLike) else prefixes
        if not isinstance(given, Iterable):
            raise _refused(given)
        self.prefixes: Final = tuple(map(_text, given))
        self._places = [_only(each) for each in self.prefixes]

    def check(self, place: str) -> None:
        """Refuse a path or URL that is not below one of the prefixes, with a `StorageError`."""
        found = _places(place)
        if found and all(any(_is_below(each, of) for of in self._places) for each in found):
            return
        wanted = ", ".join(self.prefixes) or "nothing at all"
        text = f"{place}: not allowed, wanted a file below allow= {wanted}"
        raise StorageError(text).about(place)


def _text(prefix: object) -> str:
    text = os.fspath(prefix) if isinstance(prefix, str | os.PathLike) else None
    if not isinstance(text, str) or not text:
        raise _refused(prefix)
    return text


def _refused(found: object) -> StorageError:
    return StorageError(f"allow: found {found!r}, wanted paths or URLs of a host or bucket")


def _only(prefix: str) -> _Place:
    found = _places(prefix)
    if not found or (found[0].scheme and not found[0].authority):
        raise _refused(prefix)
    return found[0]


def _is_below(place: _Place, prefix: _Place) -> bool:
    same = place[:2] == prefix[:2]
    return same and place.names[: len(prefix.names)] == prefix.names


def is_one_place(one: str, other: str) -> bool:
    """Return whether two paths or URLs may mean one place: ``s3`` and ``s3a`` are one scheme."""
    return not set(_places(one)).isdisjoint(_places(other))


def _places(text: str) -> list[_Place]:
    """Return every place that *text* may mean to some reader; none if it is never allowed."""
    if "\0" in text:
        return []
    url = _URL.fullmatch(text)
    if LOCAL_URL.match(text):
        return [_local(each) for each in _spellings(LOCAL_URL.sub("/", text, count=1))]
    return [_local(text)] if url is None else _remote(**url.groupdict())


def _remote(scheme: str, authority: str, path: str) -> list[_Place]:
    """Return every place that a URL may mean to some reader."""
    scheme, authority = scheme.lower(), authority.lower()
    scheme = _SAME.get(scheme, scheme)
    user, at, _ = authority.rpartition("@")
    is_odd = any(each in f"{authority}{path}" for each in ("?", "#", "::", "\\"))
    if is_odd or (at and (scheme not in _CONTAINERS or ":" in user)):
        return []
    found = [_resolved(each) for each in _spellings(path)]
    if None in found:
        return []
    return [_Place(scheme, authority, each) for each in found if each is not None]


def _spellings(path: str) -> list[str]:
    """Return a path as it is, and percent-decoded once, twice and so on."""
    found = [path]
    while (plain := unquote(found[-1])) != found[-1]:
        found.append(plain)
        if len(found) > _ROUNDS:
            return []
    return found


def _resolved(path: str) -> tuple[str, ...] | None:
    """Return the names of a path; None if it leaves its root."""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not names:
                return None
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    return tuple(names)


def _local(path: str) -> _Place:
    names = os.path.realpath(path).split("/")
    return _Place("", "", tuple(filter(None, names)))
