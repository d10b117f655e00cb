"""The cells of every data block, and their totals.

- Blocks are read one by one, so that damage in one does not hide damage in others.
- Totals are checked against what the file says only if all cells could be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from byteloom.hfile.blocks import Blocks
from byteloom.hfile.cells import COLUMNS, Cells, Walked, placed, plain_cells, walked
from byteloom.hfile.dialect import CellForm
from byteloom.hfile.keys import LATEST
from byteloom.hfile.verify.findings import Findings
from byteloom.hfile.verify.walk import FoundBlock
from byteloom.kernels.hfile_order import META, disorder, overtaken
from byteloom.late import pc
from byteloom.limits import Limits
from byteloom_generated.hfile.cell import Columns, Key, KeyType

__all__ = ["DATA", "Contents", "Part"]

DATA: Final = ("data", "encoded_data")
"""Types of data blocks."""

_ANY: Final = 1 << 40
"""A limit that is never reached, since a block has fewer cells than bytes."""

_AROUND: Final = Key.MIN_SIZE + Columns.MIN_SIZE
"""Bytes of a key besides its row, family and qualifier."""

_DELETES_UP_TO: Final = (KeyType.DELETE_COLUMN, KeyType.DELETE_FAMILY)
_DELETES_FAMILY: Final = (KeyType.DELETE_FAMILY_VERSION, KeyType.DELETE_FAMILY)


@dataclass(frozen=True, slots=True)
class Part:
    """A data block.

    Attributes:
        first: Keys of its first and last cell; None where it could not be read.
        last: Keys of its first and last cell; None where it could not be read.
    """

    offset: int
    size: int
    first: bytes | None
    last: bytes | None


@dataclass(slots=True)
class Contents:
    """All data blocks of a file.

    Attributes:
        order: The sort key of cells; None if rows are not compared within blocks.
        is_complete: Every data block was read.
        times: The earliest and the latest timestamp; None without cells.  A cell that deletes
            all cells up to its time counts as one of time 0 too.
    """

    blocks: Blocks
    form: CellForm
    limits: Limits
    findings: Findings
    order: Callable[[bytes], tuple[Any, ...]]
    is_meta_order: bool
    is_hbase: bool
    parts: list[Part] = field(default_factory=list)
    is_complete: bool = True
    in_order: bool = True
    cells: int = 0
    len_rows: int = 0
    len_keys: int = 0
    len_values: int = 0
    mvcc: int = 0
    last_mvcc: int = 0
    len_tags: int = 0
    deleted_families: int = 0
    earliest_put: int | None = None
    times: tuple[int, int] | None = None

    def read(self, met: FoundBlock) -> pa.RecordBatch | None:
        """Return the cells of a data block; None where it cannot be read."""
        if met.block is not None and met.is_sound:
            with self.findings.collected(met.offset):
                block = self.blocks.at(met.offset, met.size, met.offset + met.size)
                plain = plain_cells(self.blocks, [block], self.form, self.limits)
                found = walked(plain, self.form, _ANY, COLUMNS, "view")
                first, last = found.bounds
                if not first:
                    self.findings.add(met.type, met.offset, "no cells", "at least one")
                wrong, newer = self._places_out_of_order(plain, found)
                self._check_order(met, wrong, first)
                self._check_mvcc(met, newer, first, found.batch.column("mvcc"))
                if not self.is_hbase:
                    self._check_rows_alone(met, found.batch)
                self.parts.append(Part(met.offset, met.size, first or None, last or None))
                self._add(found.batch)
                return found.batch
        self.is_complete = False
        self.parts.append(Part(met.offset, met.size, None, None))
        return None

    def _places_out_of_order(self, plain: Cells, found: Walked) -> tuple[int, int]:
        """Return the first cell out of order by its key, and by its sequence number; -1 for none.

        Cells of one key descend by their sequence numbers.
        """
        wrong, newer = found.disorder, -1
        if self.is_meta_order or self.form.is_mvcc_wide:
            starts, _ = placed(plain, self.form, _ANY)
            if self.is_meta_order:  # a walk compares keys in the order of tables only
                wrong = disorder(plain.data, starts, META)
            newer = overtaken(plain.data, starts, found.batch.column("mvcc").to_numpy())
        return wrong, newer

    def _check_order(self, met: FoundBlock, disorder: int, first: bytes) -> None:
        before = self.parts[-1].last if self.parts else None
        place = None
        if disorder >= 0:
            place = f"cells[{self.cells + disorder}]"
        elif before and first and self.order(first) < self.order(before):
            place = f"cells[{self.cells}]"
        if place is None:
            return
        self.in_order = False
        if self.is_hbase:
            found = "a key before that of the cell before"
            self.findings.add(place, met.offset, found, "keys that ascend")
        else:
            self.findings.note("keys do not ascend: lookups scan the whole file")

    def _check_mvcc(self, met: FoundBlock, newer: int, first: bytes, mvcc: pa.Array) -> None:
        """Report a cell that is newer than the previous one of its key."""
        if not len(mvcc):
            return
        is_same = bool(self.parts) and first == self.parts[-1].last
        if is_same and mvcc[0].as_py() > self.last_mvcc:
            newer = 0
        if newer >= 0:
            before = mvcc[newer - 1].as_py() if newer else self.last_mvcc
            wanted = f"at most {before}: HBase reads the first cell of a key as the newest"
            place = f"cells[{self.cells + newer}].mvcc"
            self.findings.add(place, met.offset, mvcc[newer].as_py(), wanted)
        self.last_mvcc = mvcc[-1].as_py()

    def _check_rows_alone(self, met: FoundBlock, batch: pa.RecordBatch) -> None:
        """Report a key with more than a row: Hudi writes the same ten bytes after each."""
        lengths = [
            pc.binary_length(batch.column(name).cast("binary")) for name in ("family", "qualifier")
        ]
        is_alone = pc.and_(
            pc.equal(pc.add(*lengths), 0),
            pc.and_(
                pc.equal(batch.column("timestamp"), LATEST),
                pc.equal(batch.column("type"), KeyType.PUT),
            ),
        )
        at = pc.index(is_alone, value=False).as_py()
        if at >= 0:
            wanted = "no family and qualifier, the latest time and Put, as Hudi writes them"
            self.findings.add(f"cells[{self.cells + at}].key", met.offset, "other columns", wanted)

    def _add(self, batch: pa.RecordBatch) -> None:

        def total(name: str) -> int:
            return pc.sum(pc.binary_length(batch.column(name).cast("binary"))).as_py() or 0

        self.cells += batch.num_rows
        rows = total("row")
        self.len_rows += rows
        self.len_keys += rows + total("family") + total("qualifier") + _AROUND * batch.num_rows
        self.len_values += total("value")
        self.mvcc = max(self.mvcc, pc.max(batch.column("mvcc")).as_py() or 0)
        if self.form.has_tags:
            lengths = pc.binary_length(batch.column("tags").cast("binary"))
            self.len_tags = max(self.len_tags, pc.max(lengths).as_py() or 0)
        self._add_types(batch)

    def _add_types(self, batch: pa.RecordBatch) -> None:
        types = batch.column("type")
        deletes = pc.is_in(types, pa.array(_DELETES_FAMILY, pa.uint8()))
        self.deleted_families += pc.sum(deletes).as_py() or 0
        puts = pc.min(batch.column("timestamp").filter(pc.equal(types, KeyType.PUT))).as_py()
        if puts is not None:
            known = self.earliest_put
            self.earliest_put = puts if known is None else min(known, puts)
        if batch.num_rows:
            self._add_times(batch)

    def _add_times(self, batch: pa.RecordBatch) -> None:
        found = pc.min_max(batch.column("timestamp"))
        first, last = found["min"].as_py(), found["max"].as_py()
        deletes = pa.array(_DELETES_UP_TO, pa.uint8())
        if pc.any(pc.is_in(batch.column("type"), deletes)).as_py():
            first = min(first, 0)
        before = self.times or (first, last)
        self.times = min(before[0], first), max(before[1], last)
