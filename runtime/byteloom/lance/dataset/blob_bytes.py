"""Bytes of blobs of version 2, of which data files have descriptors.

- A descriptor says which file has the bytes of a blob, and where: the data file, a file of blobs
  beside it, or a file elsewhere.
- Each of these files is opened once for some rows, whose blobs are read together.

Source: specs/lance/encodings.yaml, `blob_kinds`
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.dataset.dataset_files import check_below
from byteloom.lance.dataset.row_ids import POSITION_BITS
from byteloom.limits import FREE_EXPANSION
from byteloom.storage import open_source
from byteloom.storage.naming import about_file
from byteloom.storage.sources import LocalSource
from byteloom_generated.lance.encodings import BLOB_DESCRIPTOR, BLOB_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.lance.dataset.dataset_files import DatasetFiles
    from byteloom.lance.fields import Field
    from byteloom.storage import Folder, Source
    from byteloom_generated.lance.table import DataFragment

__all__ = ["BlobFiles", "Blobs", "valid_rows"]

_NUMBERS: Final = {each.name: each.number for each in BLOB_KINDS}
_INLINE, _EXTERNAL = _NUMBERS["inline"], _NUMBERS["external"]
_ENDING, _DATA_ENDING = ".blob", ".lance"
_DIGITS: Final = 32
_PARALLEL: Final = 8
"""Files that are read at a time, as other ranges of a store."""

_SURE: Final = 1 << 27
"""Bytes that the blobs of a batch may claim without a look at their files."""


class _Owner(NamedTuple):
    """A file with bytes of blobs, by what descriptors say of it.

    Attributes:
        fragment: The id of the fragment of the rows; 0 for a file elsewhere.
        kind: The kind of the blobs.
        number: `blob_id`; 0 for a data file.
        uri: `blob_uri`.
    """

    fragment: int
    kind: int
    number: int
    uri: str


@dataclass(frozen=True, slots=True)
class Blobs:
    """Descriptors of some rows, as columns.

    Attributes:
        field: The field of the descriptors.
        fragments: The id of the fragment of each row.
        valid: Which rows are not null.
    """

    field: Field
    fragments: NDArray[np.uint64]
    valid: NDArray[np.bool_]
    kinds: NDArray[np.uint8]
    positions: NDArray[np.uint64]
    sizes: NDArray[np.uint64]
    numbers: NDArray[np.uint32]
    uris: pa.Array

    @classmethod
    def of(
        cls,
        array: pa.Array,
        field: Field,
        addresses: NDArray[np.uint64],
        outer: NDArray[np.bool_] | None,
    ) -> Blobs:
        """Return the descriptors in an array of structs.

        Args:
            addresses: The addresses of the rows.
            outer: Which rows of the structs around it are not null; None for all.
        """
        kinds, positions, sizes, numbers = (
            array.field(each.name).fill_null(0).to_numpy() for each in BLOB_DESCRIPTOR[:4]
        )
        valid = valid_rows(array, outer)
        uris = array.field(BLOB_DESCRIPTOR[4].name)
        fragments = addresses >> np.uint64(POSITION_BITS)
        return cls(field, fragments, valid, kinds, positions, sizes, numbers, uris)

    @property
    def are_whole(self) -> NDArray[np.bool_]:
        """Which rows are all bytes of a file elsewhere."""
        found: NDArray[np.bool_] = (
            (self.kinds == _EXTERNAL) & (self.sizes == 0) & (self.positions == 0)
        )
        return found

    def owners(self) -> dict[_Owner, list[int]]:
        """Return for each file the rows whose bytes it has; empty blobs need no file."""
        found: dict[_Owner, list[int]] = {}
        outside = self.kinds == _EXTERNAL
        wanted = np.flatnonzero(self.valid & (outside | (self.sizes > 0)))
        columns = (each[wanted].tolist() for each in (self.fragments, self.kinds, self.numbers))
        uris = self.uris.take(pa.array(wanted)).to_pylist() if outside.any() else None
        for at, (row, *owner) in enumerate(zip(wanted.tolist(), *columns, strict=True)):
            fragment, kind, number = owner
            if kind == _EXTERNAL and uris is not None:
                found.setdefault(_Owner(0, kind, number, uris[at]), []).append(row)
            else:
                number = 0 if kind == _INLINE else number
                found.setdefault(_Owner(fragment, kind, number, ""), []).append(row)
        return found


def valid_rows(array: pa.Array, outer: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return which rows are neither null nor in a struct that is null.

    Args:
        outer: Which rows of the structs around it are not null; None for all.
    """
    valid: NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return valid if outer is None else valid & outer


class BlobFiles:
    """The files of a dataset that have bytes of blobs."""

    def __init__(self, files: DatasetFiles, fragments: Sequence[DataFragment]) -> None:
        """Find the files of *fragments*; none is opened yet."""
        self._files = files
        self._fragments = {each.id: each for each in fragments}
        self._sizes: dict[_Owner, int] = {}
        """The sizes of files elsewhere, of which descriptors do not say them."""

    def sizes(self, blobs: Blobs) -> NDArray[np.int64]:
        """Return the number of bytes of each blob; 0 for nulls.

        Raises:
            FormatError: For an unknown kind of blob.
        """
        self._check_kinds(blobs)
        sizes = np.where(blobs.valid, blobs.sizes, np.uint64(0))
        whole = blobs.valid & blobs.are_whole
        if whole.any():
            for owner, rows in blobs.owners().items():
                if owner.kind == _EXTERNAL and whole[rows].any():
                    at = np.array(rows)
                    sizes[at[whole[at]]] = self._size(owner, blobs.field)
        return np.minimum(sizes, np.uint64(1 << 62)).astype(np.int64)

    def bytes_of(self, blobs: Blobs) -> pa.Array:
        """Return the bytes of each blob, as large binary; null for nulls.

        Raises:
            FormatError: For bytes outside of their file.
            LimitExceeded: Blobs share bytes so often that they take far more memory than their
                file.
            StorageError: A file cannot be read or written.
        """
        sizes = self.sizes(blobs)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        owners = blobs.owners()
        if sizes.sum(dtype=np.float64) > _SURE:
            for owner, rows in owners.items():  # before there is memory for what they claim
                with closing(self._open(owner, blobs.field)) as source, about_file(source.name):
                    self._places(source, blobs, rows, sizes)
        buffer = pa.allocate_buffer(int(offsets[-1]))
        view = memoryview(buffer).cast("B")

        def read(item: tuple[_Owner, list[int]]) -> None:
            owner, rows = item
            with closing(self._open(owner, blobs.field)) as source, about_file(source.name):
                places = self._places(source, blobs, rows, sizes)
                _put(source, places, view, offsets[rows].tolist())

        if len(owners) > 1:
            with ThreadPoolExecutor(min(_PARALLEL, len(owners))) as pool:
                list(pool.map(read, owners.items()))
        else:
            list(map(read, owners.items()))
        valid = pa.py_buffer(np.packbits(blobs.valid, bitorder="little"))
        buffers = [valid, pa.py_buffer(offsets), buffer]
        return pa.Array.from_buffers(pa.large_binary(), len(sizes), buffers)

    def _check_kinds(self, blobs: Blobs) -> None:
        unknown = np.flatnonzero(blobs.valid & (blobs.kinds > _EXTERNAL))
        if len(unknown):
            folder, name = self._place(int(blobs.fragments[unknown[0]]), blobs.field)
            wanted = ", ".join(f"{each.number} ({each.name})" for each in BLOB_KINDS)
            path, found = f"{blobs.field.path}.kind", int(blobs.kinds[unknown[0]])
            raise FormatError(path, None, found, wanted).in_file(f"{folder}/{name}")

    def _places(
        self, source: Source, blobs: Blobs, rows: list[int], known: NDArray[np.int64]
    ) -> list[tuple[int, int]]:
        """Return where the bytes of rows are in their file, which must have them.

        Args:
            known: The number of bytes of each blob.
        """
        path = blobs.field.path
        positions = blobs.positions[rows]
        sizes = np.where(blobs.are_whole, known.astype(np.uint64), blobs.sizes)[rows]
        end = np.uint64(source.size)
        sound = (sizes <= end) & (positions <= end - np.minimum(sizes, end))
        if not sound.all():
            worst = int(np.argmin(sound))
            at, found = int(positions[worst]), f"{sizes[worst]} bytes"
            raise FormatError(f"{path}.size", at, found, f"a part of {source.size} bytes")
        limits = self._files.limits
        total, most = int(sizes.sum()), limits.expansion * source.size + FREE_EXPANSION
        if total > most:
            wanted = f"at most {most} (limits.expansion)"
            raise LimitExceeded(f"{path}.size", None, f"{total} bytes in all", wanted)
        return list(zip(positions.tolist(), sizes.tolist(), strict=True))

    def _size(self, owner: _Owner, field: Field) -> int:
        """The bytes of a file elsewhere, which is kept: it takes a request."""
        if owner not in self._sizes:
            with closing(self._open(owner, field)) as source:
                self._sizes[owner] = source.size
        return self._sizes[owner]

    def _open(self, owner: _Owner, field: Field) -> Source:
        files, uri = self._files, owner.uri
        if owner.kind != _EXTERNAL:
            folder, name = self._place(owner.fragment, field)
            if owner.kind != _INLINE:
                digits = f"{owner.number:0{_DIGITS}b}"[::-1]
                name = f"{name.removesuffix(_DATA_ENDING)}/{digits}{_ENDING}"
            return folder.open(name)
        if owner.number:
            check_below(uri, f"{field.path}.blob_uri", "a name below the base path")
            return files.base(owner.number).open(uri)
        if files.allowed is not None:
            files.allowed.check(uri)
        return open_source(uri, filesystem=None if "://" in uri else files.filesystem)

    def _place(self, fragment: int, field: Field) -> tuple[Folder, str]:
        """The first file of a fragment that has a field, from which its rows are read."""
        stored = next(each for each in self._fragments[fragment].files if field.id in each.fields)
        return self._files.place_of(stored, "manifest.fragments.files")


def _put(source: Source, places: list[tuple[int, int]], out: memoryview, begins: list[int]) -> None:
    """Read bytes of a file to where each of its blobs begins."""
    if isinstance(source, LocalSource):
        for position, begin, size in _runs(places, begins):
            source.read_into(position, out[begin : begin + size])
        return
    for data, begin in zip(source.read_ranges(places), begins, strict=True):
        out[begin : begin + len(data)] = data


def _runs(places: list[tuple[int, int]], begins: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield blobs that follow each other both in a file and in memory: where, where to, bytes."""
    first = to = length = 0
    for (position, size), begin in zip(places, begins, strict=True):
        if position == first + length and begin == to + length:
            length += size
            continue
        if length:
            yield first, to, length
        first, to, length = position, begin, size
    if length:
        yield first, to, length
