"""Split a file: its middle, and ranges of similar size for parallel readers.

- Parts begin at borders of blocks, taken from the first level of the index that has enough of them.
- A border is a key, so every cell is in exactly one part.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from typing import Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.hfile.indexed import IndexedFile
from byteloom.hfile.keys import Key
from byteloom.hfile.leaves import leaf_at
from byteloom.hfile.nodes import Node

__all__ = ["Split", "midkey", "splits"]

_ENOUGH: Final = 8
"""Entries for each part, so that sizes of parts differ by an eighth at most."""


class Split(NamedTuple):
    """A part of a file, from *start* up to but not including *stop*, as `HFile.range` takes them.

    Attributes:
        offset: Where its first block is.
        size: Bytes of the file up to the next part.
    """

    start: Key | None
    stop: Key | None
    offset: int
    size: int


def midkey(file: IndexedFile) -> Key | None:
    """Return the middle key by the index: that of an entry of a leaf, or the root's middle one."""
    root, mid = file.root.entries, file.root.mid_key
    if not root:
        return None
    if mid is None:
        return Key.decode(root[len(root) // 2].key)
    entries = leaf_at(file, mid.ofs_leaf, mid.len_leaf)
    if not 0 <= mid.entry < len(entries):
        at = file.trailer.load_on_open_data_offset
        raise FormatError("mid_key.entry", at, mid.entry, f"0 to {len(entries) - 1}")
    return Key.decode(entries[mid.entry].key)


def splits(file: IndexedFile, count: int) -> list[Split]:
    """Return up to *count* parts, in the order of the file; none without cells."""
    if count < 1:
        raise FormatError("splits.count", None, count, "1 or more")
    end = file.trailer.load_on_open_data_offset
    if not file.root.entries:
        return []
    if count == 1 or not file.is_in_order:
        return [Split(None, None, 0, end)]
    borders = _borders(file, count)
    starts = [None, *(Key.decode(key) for _, key in borders)]
    offsets = [0, *(offset for offset, _ in borders)]
    return [
        Split(start, stop, offset, after - offset)
        for start, stop, offset, after in zip(
            starts, [*starts[1:], None], offsets, [*offsets[1:], end], strict=True
        )
    ]


def _borders(file: IndexedFile, count: int) -> list[tuple[int, bytes]]:
    """Return where each part after the first begins: a block's offset and the key of its entry."""
    tree = file.tree
    nodes: list[Node] = [tree.root]
    stops: list[bytes | None] = [None]
    while nodes[0].level > 1 and sum(map(len, nodes)) < _ENOUGH * count:
        below, stops_below = [], []
        for node, stop in zip(nodes, stops, strict=True):
            keys = [node.key(number) for number in range(1, len(node))]
            for number, after in enumerate([*keys, stop]):
                below.append(tree.node(node, number, after))
                stops_below.append(after)
        nodes, stops = below, stops_below
    entries = [(node, number) for node in nodes for number in range(len(node))]
    count = min(count, len(entries))
    return [
        (node.entry(number).offset, node.key(number))
        for node, number in (entries[part * len(entries) // count] for part in range(1, count))
        if number or node is not nodes[0]
    ]
