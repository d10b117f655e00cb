"""The keys to read from a file slice: some keys, keys with some prefixes, or all.

- Of a base file only the blocks that may have wanted keys are read.
- Records of log files are in memory already, and are filtered.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom import compute as pc
from byteloom.hudi.merge import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.hfile import HFile

__all__ = ["COLUMNS", "KeyChoice", "plain"]

COLUMNS: Final = ("row", "value")
"""The columns of a row of a metadata table."""


class KeyChoice:
    """The keys to read: some keys, keys with some prefixes, or (None for both) all keys."""

    def __init__(
        self, keys: Sequence[bytes] | pa.Array | None, prefixes: Sequence[bytes] | None
    ) -> None:
        """Keep each key and prefix once, and drop prefixes that begin with another one."""
        if isinstance(keys, pa.Array):
            unique = keys.unique()
            self._keys = unique.take(pc.sort_indices(unique)).cast(pa.binary())
        else:
            self._keys = None if keys is None else pa.array(sorted(set(keys)), pa.binary())
        kept: list[bytes] = []
        for prefix in sorted(prefixes or ()):
            if not kept or not prefix.startswith(kept[-1]):
                kept.append(prefix)
        self._prefixes = None if prefixes is None else kept

    def mask(self, keys: pa.Array) -> pa.Array | None:
        """Return which of *keys* are wanted; None for all."""
        if self._keys is not None:
            return pc.is_in(keys, self._keys)
        if self._prefixes is None:
            return None
        found = pa.repeat(pa.scalar(False), len(keys))  # noqa: FBT003  a value, no switch
        for prefix in self._prefixes:
            found = pc.or_(found, pc.starts_with(keys, prefix))
        return found

    def cells(self, file: HFile) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yield the wanted keys of *file* and their values, in parts."""
        if self._keys is not None:
            table = file.lookup(self._keys, COLUMNS)
            yield plain(table["row"]), plain(table["value"])
        elif self._prefixes is not None:
            for prefix in self._prefixes:
                table = file.prefix(prefix, COLUMNS)
                yield plain(table["row"]), plain(table["value"])
        else:
            for batch in file.batches(COLUMNS, binary="binary"):
                yield batch.column("row"), batch.column("value")


def plain(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece."""
    return joined(column.chunks)
