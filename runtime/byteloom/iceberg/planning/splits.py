"""Split files into pieces, and pack pieces into groups of similar size, one for each worker.

The rules:

- A file is cut at its ``split_offsets`` or, without any, every *target_size* bytes.
  Offsets that do not ascend, or that reach beyond the file, are not used.
- A piece weighs its bytes and those of its deletes, but at least *open_file_cost* for each file.
- A piece goes into the first of the *lookback* open groups that has room for it; when another
  group is opened beyond that, the heaviest is closed.
- Adjacent pieces in one group are merged.

Source: Iceberg table spec, "Data File Fields" (``split_offsets``); Java's ``TableScanUtil``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.kernels.bin_packing import pack
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

__all__ = ["split"]

_SMALLEST = 1


def split(
    files: pa.Table, deletes: pa.Table, target_size: int, open_file_cost: int, lookback: int
) -> tuple[pa.Table, int]:
    """Return the files of a plan in groups of about *target_size* bytes.

    The table has a row for each piece: ``group``, ``file`` (row of the files), ``start`` and
    ``length``; groups one after the other.  The number is that of groups.

    Raises:
        ArgumentError: A size, a cost or a number of groups that is not positive.
    """
    for name, value in (("target_size", target_size), ("lookback", lookback)):
        if value < _SMALLEST:
            raise ArgumentError(name, None, str(value), "1 or more")
    if open_file_cost < 0:
        raise ArgumentError("open_file_cost", None, str(open_file_cost), "0 or more")

    file, start, length = _pieces(files, target_size)
    sizes, counts = _deletes(files, deletes)
    weights = np.maximum(length + sizes[file], (1 + counts[file]) * open_file_cost)
    groups = np.zeros(len(weights), np.int64)
    number = int(pack(weights, target_size, lookback, groups))
    order = np.lexsort((start, file, groups))
    return _merged(groups[order], file[order], start[order], length[order]), number


def _pieces(files: pa.Table, target_size: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return the file, the start and the length of each piece, in the order of the files."""
    size = files.column("file_size_in_bytes").to_numpy()
    offsets = files.column("split_offsets").combine_chunks()
    by_offset = _usable(offsets, size)
    chunks = np.where(by_offset, 0, np.maximum(-(-size // target_size), 1))
    cut, starts = _listed(offsets, by_offset)
    file = np.concatenate([cut, np.repeat(np.arange(len(size)), chunks)])
    first = np.cumsum(chunks) - chunks
    within = np.arange(int(chunks.sum())) - np.repeat(first, chunks)
    start = np.concatenate([starts, within * target_size])
    order = np.lexsort((start, file))
    file, start = file[order], start[order]
    is_last = np.append(file[1:] != file[:-1], True) if len(file) else np.zeros(0, np.bool_)
    end = np.where(is_last, size[file], np.append(start[1:], 0)[: len(start)])
    return file, start, end - start


def _listed(offsets: pa.Array, wanted: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Return the offsets of the wanted files, and the file of each."""
    file = pc.list_parent_indices(offsets).to_numpy()
    keep = wanted[file]
    return file[keep], pc.list_flatten(offsets).to_numpy()[keep]


def _usable(offsets: pa.Array, size: Numbers) -> NDArray[np.bool_]:
    """Return whether a file has offsets that ascend and are inside the file."""
    file = pc.list_parent_indices(offsets).to_numpy()
    values = pc.list_flatten(offsets).to_numpy()
    wrong = (values < 0) | (values >= size[file])
    wrong[1:] |= (file[1:] == file[:-1]) & (values[1:] <= values[:-1])
    believed = np.zeros(len(size), np.bool_)
    believed[file] = True
    believed[file[wrong]] = False
    return believed


def _deletes(files: pa.Table, deletes: pa.Table) -> tuple[Numbers, Numbers]:
    """Return the bytes and the number of the deletes of each file."""
    whole = deletes.column("file_size_in_bytes")
    parts = pc.coalesce(deletes.column("content_size_in_bytes"), whole).to_numpy()
    lists = files.column("deletes").combine_chunks()
    counts = pc.list_value_length(lists).to_numpy().astype(np.int64)
    each = pc.list_flatten(lists).to_numpy()
    file = pc.list_parent_indices(lists).to_numpy()
    sizes = np.bincount(file, parts[each], len(lists)).astype(np.int64)
    return sizes, counts


def _merged(groups: Numbers, file: Numbers, start: Numbers, length: Numbers) -> pa.Table:
    """Return the pieces, with adjacent ones merged."""
    touches = np.zeros(len(file), np.bool_)
    touches[1:] = (groups[1:] == groups[:-1]) & (file[1:] == file[:-1])
    touches[1:] &= start[1:] == start[:-1] + length[:-1]
    first = np.flatnonzero(~touches)
    lengths = np.add.reduceat(length, first) if len(first) else length
    return pa.table(
        {
            "group": groups[first],
            "file": file[first],
            "start": start[first],
            "length": lengths,
        }
    )
