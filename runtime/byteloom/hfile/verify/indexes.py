"""Check the index of a file against its data blocks: places, sizes, keys, levels, the middle.

- Every level must list exactly the blocks of the level below, in their order.
- A key of an index comes after the last cell before its block and not after the block's first; the
  key of an index block is that of its first entry.
- A key between two blocks that no cell has was made up, as short as possible, or is a row alone.
  HBase makes up none in its catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from byteloom.errors import beginning
from byteloom.hfile import keys
from byteloom.hfile.blocks import Blocks
from byteloom.hfile.index_entries import IndexEntry, Root, non_root_entries
from byteloom.hfile.trailer import Trailer
from byteloom.hfile.verify.contents import Part
from byteloom.hfile.verify.findings import Findings
from byteloom.hfile.verify.walk import FoundBlock
from byteloom.hfile.writing.index import between
from byteloom.limits import Limits

__all__ = ["Index"]


class Index:
    """The data index.

    Attributes:
        leaves: The entries of each leaf block that could be read, by the block's offset.
        intermediates: The same for intermediate blocks.
    """

    def __init__(
        self, blocks: Blocks, met: Sequence[FoundBlock], limits: Limits, findings: Findings
    ) -> None:
        """Parse the index blocks among *met*."""
        self._findings = findings
        self._named: set[int] = set()
        self._met = {
            kind: [each for each in met if each.type == kind]
            for kind in ("leaf_index", "intermediate_index")
        }
        self.leaves = self._parsed("leaf_index", blocks, limits)
        self.intermediates = self._parsed("intermediate_index", blocks, limits)

    def _parsed(self, kind: str, blocks: Blocks, limits: Limits) -> dict[int, list[IndexEntry]]:
        found: dict[int, list[IndexEntry]] = {}
        room = blocks.room
        for met in self._met[kind]:
            if met.block is not None and met.is_sound:
                with self._findings.collected(met.offset):
                    payload = blocks.payload(met.block)
                    found[met.offset] = non_root_entries(
                        payload, limits=limits, origin=met.offset, room=room
                    )
                    room -= len(found[met.offset])
        return found

    def check(self, root: Root, origin: int, trailer: Trailer, parts: Sequence[Part]) -> None:
        """Check the root at *origin*, and all below it, against the data blocks."""
        levels = trailer.num_data_index_levels
        entries = [(origin, entry) for entry in root.entries]
        for level in range(levels, 1, -1):
            kind = "leaf_index" if level == 2 else "intermediate_index"  # noqa: PLR2004  above it
            entries = self._below(kind, entries)
        if levels == 1 and self._met["leaf_index"]:
            at = self._met["leaf_index"][0].offset
            found = f"{len(self._met['leaf_index'])} leaf index blocks"
            self._findings.add("trailer.num_data_index_levels", at, found, "2 levels or more")
        self._check_named()
        places = [(part.offset, part.size) for part in parts]
        self._same_places("index", entries, places)
        if levels > 1:
            self._check_middle(root, origin, places)

    def _below(
        self, kind: str, entries: list[tuple[int, IndexEntry]]
    ) -> list[tuple[int, IndexEntry]]:
        """Return the entries of the blocks that *entries* point at."""
        parsed = self.leaves if kind == "leaf_index" else self.intermediates
        below: list[tuple[int, IndexEntry]] = []
        named: set[int] = set()
        sizes = {each.offset: each.size for each in self._met[kind]}
        if kind == "leaf_index":
            self._same_places(kind, entries, list(sizes.items()))
        for at, entry in entries:
            if entry.offset not in sizes:
                found = f"an entry for {entry.offset}"
                self._findings.add(f"{kind}.offset", at, found, f"the first byte of a {kind} block")
            elif kind != "leaf_index":
                self._findings.expect(f"{kind}.size", at, entry.size, sizes[entry.offset])
            children = parsed.get(entry.offset)
            if children is None or (entry.offset in named and kind == "leaf_index"):
                continue
            if entry.offset in named:
                twice = "blocks that no other entry is for"
                self._findings.add(f"{kind}.offset", at, f"an entry for {entry.offset}", twice)
                continue
            named.add(entry.offset)
            if children and children[0].key != entry.key:
                path, wanted = "index.key", children[0].key
                self._findings.expect(path, at, entry.key, wanted)
            below += [(entry.offset, child) for child in children]
        self._named |= {entry.offset for _, entry in entries}
        return below

    def _check_named(self) -> None:
        """Report the intermediate blocks that no other block of the index points at."""
        for each in self._met["intermediate_index"]:
            if each.offset not in self._named:
                found = "a block that no index names"
                self._findings.add(
                    "intermediate_index", each.offset, found, "a block that an index names"
                )

    def _same_places(
        self, name: str, stated: list[tuple[int, IndexEntry]], found: list[tuple[int, int]]
    ) -> None:
        """Report entries that do not match the existing blocks one to one."""
        for number, ((at, entry), place) in enumerate(zip(stated, found, strict=False)):
            if (entry.offset, entry.size) != place:
                wanted = f"the block of {place[1]} bytes at {place[0]}"
                place_found = f"{entry.size} bytes at {entry.offset}"
                self._findings.add(f"{name}[{number}]", at, place_found, wanted)
        if len(stated) != len(found):
            last = stated[-1][0] if stated else None
            wanted = f"{len(found)}, one for each block"
            self._findings.add(name, last, f"{len(stated)} entries", wanted)

    def _check_middle(self, root: Root, origin: int, places: list[tuple[int, int]]) -> None:
        if root.mid_key is None or not places:
            return
        middle = (len(places) - 1) // 2
        stated = root.mid_key
        for leaf in self._met["leaf_index"]:
            entries = self.leaves.get(leaf.offset)
            if entries is None:
                return
            if middle < len(entries):
                found = (stated.ofs_leaf, stated.len_leaf, stated.entry)
                self._findings.expect("mid_key", origin, found, (leaf.offset, leaf.size, middle))
                return
            middle -= len(entries)

    def check_keys(
        self,
        root: Root,
        origin: int,
        levels: int,
        parts: Sequence[Part],
        order: Callable[[bytes], tuple[Any, ...]],
    ) -> None:
        """Check the keys of the lowest level against those of the cells.

        Between two blocks that are not neighbours in the index, one is missing.
        """
        entries = [(origin, each) for each in root.entries]
        if levels > 1:
            leaves = self.leaves.items()
            entries = [(at, entry) for at, each in sorted(leaves) for entry in each]
        by_offset = {part.offset: number for number, part in enumerate(parts)}
        previous = -1
        for at, entry in entries:
            number = by_offset.get(entry.offset)
            is_next = number is not None and number - 1 == previous
            previous = -2 if number is None else number
            if number is None or parts[number].first is None:
                continue
            with self._findings.collected(at):
                before = parts[number - 1].last if number else parts[number].first
                first = parts[number].first or b""
                self._check_key(at, entry, before if is_next else None, first, order)

    def _check_key(
        self,
        at: int,
        entry: IndexEntry,
        before: bytes | None,
        first: bytes,
        order: Callable[[bytes], tuple[Any, ...]],
    ) -> None:
        key = order(entry.key)
        if key > order(first) or (before is not None and key < order(before)):
            wanted = f"a key up to {beginning(first)}, and none before it"
            self._findings.add("index.key", at, entry.key, wanted)
        elif entry.key == first or keys.is_row_alone(entry.key):
            return
        elif order is keys.order_of_meta:
            wanted = f"{beginning(first)}, the block's first key, as in all of HBase's catalog"
            self._findings.add("index.key", at, entry.key, wanted)
        elif before is not None and entry.key not in _made_up(before, first):
            wanted = f"{beginning(first)}, the block's first key, or one that HBase makes up for it"
            self._findings.add("index.key", at, entry.key, wanted)


def _made_up(before: bytes, first: bytes) -> Iterator[bytes]:
    """Yield the keys that versions of HBase make up between two cells.

    Where the one row is the beginning of the other, old versions take the next byte of that one.
    """
    yield between(before, first)
    row, longer = keys.row_of(before), keys.row_of(first)
    if row != longer and longer.startswith(row):
        yield keys.sized_row(longer[: len(row) + 1]) + b"\0" + keys.FIRST
