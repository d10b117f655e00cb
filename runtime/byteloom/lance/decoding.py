"""Decode pieces of leaves: those that are alike by one call, whatever their files and columns.

- A call has a fixed cost of up to a millisecond, more than decoding a few kilobytes takes.
- A group with any damage is decoded again piece by piece, so that errors name the page, and rows
  before it are read.
- Groups of a window of a scan are decoded by threads that all scans share.  The scan is one of
  the threads: it decodes what it needs next itself, unless a thread has begun to, and a later group
  instead of waiting.  A group changes nothing that others see, so threads need no locks.
- A scan that ends waits for no thread and takes no lock: the garbage collector may end it anywhere.
- A process that is forked in the middle of a scan has no threads, and decodes what is left itself.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.errors import ByteloomError, FormatError, found_by
from byteloom.lance.field_reading import joined
from byteloom.lance.types import is_bounded
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.lance.field_reading import FieldReader, Leaf, Piece, Rows

__all__ = [
    "MOST_THREADS",
    "Group",
    "Place",
    "Window",
    "rows_of",
    "threads_of",
]

MOST_THREADS: Final = 4
"""With more threads, one thread cannot consume what the others produce."""

_MOST: Final = 1 << 23
"""Bytes of the decoded rows of a group, if it has several pieces."""

_LEAST: Final = 1 << 20
"""Bytes of the decoded rows of a group that is worth a thread: in less, threads wait for Python."""

_WORTH: Final = 1 << 22
"""Bytes of the decoded rows of such groups that are worth threads: some milliseconds of work."""

_FETCHED: Final = 1 << 26
"""Bytes of a store that are fetched before they are decoded."""

Place: TypeAlias = "tuple[Group, int]"
"""A group, and the number of a piece in it."""


class Group:
    """Pieces that are decoded together."""

    __slots__ = (
        "_arrays",
        "_begun",
        "_errors",
        "_process",
        "_starts",
        "future",
        "is_over",
        "pieces",
        "weight",
    )

    def __init__(self, begun: list[Group]) -> None:
        """Begin without pieces; *begun* are the groups that threads decode for the same scan."""
        self.pieces: list[Piece] = []
        self._begun = begun
        self.weight = 0
        self.is_over = False
        self.future: Future[None] | None = None
        self._process = 0
        self._arrays: list[pa.Array] = []
        self._errors: dict[int, ByteloomError] = {}
        self._starts: list[int] = []

    def add(self, piece: Piece) -> Place:
        """Add a piece; return its place."""
        self.pieces.append(piece)
        self.weight += piece.weight
        return self, len(self.pieces) - 1

    def submit(self, pool: ThreadPoolExecutor) -> None:
        """Decode in a thread; nothing happens where none can be started, as when Python exits."""
        try:
            self.future, self._process = pool.submit(self.decode), os.getpid()
        except RuntimeError:
            return
        self._begun.append(self)

    def decode(self) -> None:
        """Decode all pieces; a damaged one has its error instead of rows."""
        if self._starts or self.is_over:
            return
        starts = [0]
        for each in self.pieces:
            starts.append(starts[-1] + each.length)
        if len(self.pieces) > 1:
            with suppress(ByteloomError):
                self._arrays = [_decoded(self.pieces)]
        if not self._arrays:
            self._decode_apart()
        self._starts = starts

    def _decode_apart(self) -> None:
        for number, each in enumerate(self.pieces):
            try:
                with about_file(each.leaf.file_name):
                    self._arrays.append(_decoded([each]))
            except ByteloomError as error:
                self._arrays.append(pa.nulls(0))
                self._errors[number] = error

    def need(self) -> None:
        """Decode the pieces, or decode other groups while a thread does."""
        future, self.future = self.future, None
        if self._starts:
            return
        if future is None or os.getpid() != self._process or future.cancel():
            self.decode()
            return
        for each in list(self._begun):
            if future.done():
                break
            if each.future is not None and each.future.cancel():
                each.future = None
                each.decode()
        future.result()

    def rows(self, number: int, end: int) -> pa.Array:
        """Return the rows of the pieces from *number* up to *end*, which were decoded.

        Raises:
            ByteloomError: The first of them is damaged.
        """
        if number in self._errors:
            raise self._errors[number]
        if len(self._arrays) < len(self.pieces):  # all are in one array
            whole, first = self._arrays[0], self._starts[number]
            count = self._starts[end] - first
            return whole if count == len(whole) else whole.slice(first, count)
        return self._arrays[number]

    @property
    def is_one(self) -> bool:
        """Whether the rows of all pieces are in one array."""
        return len(self._arrays) < len(self.pieces)


class Window:
    """Groups of pieces that are decoded before any row of later ones.

    Attributes:
        is_local: Whether no piece is in a store.
    """

    def __init__(self, begun: list[Group] | None = None) -> None:
        """Begin without pieces; *begun* is the list of groups that threads decode for the scan."""
        self.groups: list[Group] = []
        self.is_local = True
        self._begun = [] if begun is None else begun
        self._open: dict[Hashable, Group] = {}

    def add(self, pieces: Sequence[Piece]) -> list[Place]:
        """Add pieces of a leaf to groups of their keys; return the place of each."""
        found = []
        for each in pieces:
            group = None if each.key is None else self._open.get(each.key)
            if group is None or group.weight + each.weight > _MOST:
                group = Group(self._begun)
                self.groups.append(group)
                if each.key is not None:
                    self._open[each.key] = group
            found.append(group.add(each))
        source = pieces[0].leaf.source
        self.is_local &= source is None or source.is_local
        return found

    @property
    def is_worth_threads(self) -> bool:
        """Whether threads may decode the groups, and take more time for it than they cost."""
        return self.is_local and sum([each.weight for each in self._large]) >= _WORTH

    @property
    def _large(self) -> list[Group]:
        """The groups that are worth a thread."""
        return [each for each in self.groups if each.weight >= _LEAST]

    def fetch(self) -> None:
        """Read what pieces need of each file in a store, as much as there is room for, at once."""
        files: dict[int, tuple[BufferedFile, list[tuple[int, int]]]] = {}
        left = 0 if self.is_local else _FETCHED
        for each in (piece for group in self.groups for piece in group.pieces if left):
            source = each.leaf.source
            if source is not None and not source.is_local and each.size <= left:
                left -= each.size
                files.setdefault(id(source), (source, []))[1].extend(each.leaf.ranges(each))
        for source, ranges in files.values():
            with suppress(ByteloomError):  # it is read again for the error when its turn comes
                source.hold(ranges)

    def begin(self, threads: int, *, is_ahead: bool = False) -> None:
        """Let threads decode the groups, if that is worth it.

        Args:
            threads: Their number, with the one that takes the rows.
            is_ahead: Whether other rows are taken meanwhile.
        """
        if threads > 1 and (is_ahead or len(self.groups) > 1) and self.is_worth_threads:
            pool = _pool(os.getpid(), threads - 1)
            for each in self._large:
                each.submit(pool)

    def end(self) -> None:
        """Begin no more groups."""
        for each in self.groups:
            each.is_over = True
            each.future = None
        self._begun[:] = [each for each in self._begun if not each.is_over]


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads of a process; a forked one has its own."""
    del process
    return ThreadPoolExecutor(threads, thread_name_prefix="byteloom-lance")


def threads_of(asked: int | None) -> int:
    """Return a scan's number of threads; None is one for each processor, at most four."""
    found = _default_threads() if asked is None else asked
    return whole_number("threads", found, "a number of threads, 0 or more", least=0)


@cache
def _default_threads() -> int:
    """A scan's number of threads; counting processors takes as long as reading a row."""
    return min(os.cpu_count() or 1, MOST_THREADS)


def _arrays_of(places: Sequence[Place]) -> list[pa.Array]:
    """The rows of pieces of a leaf, which were decoded, in as few arrays as there are."""
    found, at = [], 0
    while at < len(places):
        group, number = places[at]
        end = at + 1
        if group.is_one:
            while end < len(places) and places[end] == (group, number + end - at):
                end += 1
        found.append(group.rows(number, number + end - at))
        at = end
    return found


def rows_of(reader: FieldReader, rows: Rows) -> pa.Array:
    """Return *rows* of a field.

    Raises:
        FormatError: Pages are damaged.
        Unsupported: An encoding cannot be read.
        LimitExceeded: Pages need more than limits allow.
    """
    window = Window()
    found = [(each, window.add(each.pieces(rows))) for each in reader.leaves if len(rows)]
    parts = [_part(leaf, places, rows) for leaf, places in found]
    return reader.made(parts or [pa.array([], each.type) for each in reader.leaves], rows)


def _part(leaf: Leaf, places: Sequence[Place], rows: Rows) -> pa.Array:
    """The *rows* of a leaf, of pieces that may begin before a range or end after it."""
    for group, _ in places:
        group.need()
    found = joined(leaf.type, _arrays_of(places))
    if isinstance(rows, range):
        group, number = places[0]
        found = found.slice(rows.start - group.pieces[number].first, len(rows))
    return found


def _decoded(pieces: Sequence[Piece]) -> pa.Array:
    """The rows of pieces of one key, whose number and values were checked."""
    array = pieces[0].leaf.decode(pieces)
    if len(array) != sum([each.length for each in pieces]):
        raise FormatError("values", None, f"{len(array)} rows", "those of the pages")
    if is_bounded(array.type):
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            found = found_by("a value that its type does not have", error)
            raise FormatError("values", None, found, str(array.type)) from error
    return array
