"""Seek by whole keys: the first cell that is not before a key, and the cell just before it.

- A position is a block and the number of a cell in it; the end of the file is a position too.
- Several blocks may have equal keys; the first of them is found.
- HBase's result -2, for a key between the key of a block in the index and the block's first cell,
  is not used: the cell before the key is the last one of the block before.

Source: https://hbase.apache.org/devapidocs/org/apache/hadoop/hbase/io/hfile/HFileScanner.html
"""

from __future__ import annotations

from typing import NamedTuple

from byteloom.hfile.decoded_blocks import DataBlock
from byteloom.hfile.dialect import CellForm
from byteloom.hfile.index_tree import IndexTree, Path, packed
from byteloom.hfile.keys import Key, row_bytes
from byteloom.kernels.hfile_order import bound
from byteloom.storage.naming import naming
from byteloom_generated.hfile.cell import Cell as StoredCell
from byteloom_generated.hfile.cell import KeyType

__all__ = ["Cell", "Cursor", "Position", "encoded", "located"]


class Cell(NamedTuple):
    """One cell.

    Attributes:
        row: The row.
        family: The column's family.
        qualifier: The column's name in its family.
        timestamp: Milliseconds since 1970.
        type: The type of its key, as in `Key`.
        value: The value.
        mvcc: Its sequence number, 0 where the file keeps none.
        tags: The tags, each after its length, as stored.
    """

    row: bytes
    family: bytes
    qualifier: bytes
    timestamp: int
    type: int
    value: bytes
    mvcc: int
    tags: bytes

    @property
    def key(self) -> Key:
        """The key, by which cells are ordered."""
        return Key(*self[:5])


class Position(NamedTuple):
    """A place in a file: before the cell *number* of a block."""

    path: Path
    data_block: DataBlock
    number: int

    @property
    def place(self) -> tuple[int, int]:
        """The sort key of a position: positions of one file are in this order."""
        return self.data_block.stored.offset, self.number

    def before(self) -> Position | None:
        """Return the position of the cell before; None for the first."""
        if self.number:
            return self._replace(number=self.number - 1)
        path = self.path.stepped(-1)
        if path is None:
            return None
        data_block = path.data_block()
        return Position(path, data_block, len(data_block) - 1)

    def after(self) -> Position | None:
        """Return the position of the next cell; None for the last."""
        if self.number + 1 < len(self.data_block):
            return self._replace(number=self.number + 1)
        path = self.path.stepped(1)
        return None if path is None else Position(path, path.data_block(), 0)


def located(tree: IndexTree, key: bytes) -> Position | None:
    """Return the position of the first cell at or after a serialized *key*; None in an empty file.

    Returns:
        The end of the file if all cells come before *key*.
    """
    path = tree.find(key)
    if path is None:
        return None
    while True:
        data_block = path.data_block()
        number = bound(data_block.data, data_block.starts, packed(key), 0, len(key), tree.order)
        following = path.stepped(1) if number == len(data_block) else None
        if following is None:
            break
        path = following
    if number == 0 and (previous := path.stepped(-1)) is not None:
        previous.data_block()  # checks the index against its last cell: the key is not there
    return Position(path, data_block, int(number))


def cell_of(data_block: DataBlock, number: int, form: CellForm) -> Cell:
    """Return one cell of a block."""
    raw = data_block.data[data_block.starts[number] : data_block.starts[number + 1]].tobytes()
    stored = StoredCell.from_bytes(
        raw,
        has_columns=form.has_columns,
        has_tags=form.has_tags,
        has_mvcc=form.has_mvcc,
        is_mvcc_wide=form.is_mvcc_wide,
    )
    row, columns = stored.key.row, stored.key.columns
    key = Key(row, type=int(KeyType.PUT))  # keys by Hudi's own writer may end after their row
    if columns is not None:
        key = Key(row, columns.family, columns.qualifier, columns.timestamp, int(columns.type))
    tags = b"" if stored.tags is None else stored.tags.to_bytes()
    return Cell(*key, stored.value, stored.mvcc or 0, tags)


@naming
class Cursor:
    """A movable position in a file, like HBase's scanner; the order of keys defines its results.

    Attributes:
        cell: The current cell; None before the first seek, and after a seek that found no cell.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import hfile
        >>> with hfile.HFileWriter("rows.hfile") as writer:
        ...     writer.write(pa.table({"row": ["a", "c", "d"]}))
        >>> with hfile.open("rows.hfile") as file:
        ...     cursor = file.cursor()
        ...     found = cursor.seek(b"c")
        ...     print(found, cursor.cell.row, cursor.previous(), cursor.cell.row)
        1 b'a' False b'a'
    """

    def __init__(self, tree: IndexTree, form: CellForm) -> None:
        """Begin without a current cell."""
        self._tree, self._form = tree, form
        self._at: Position | None = None

    @classmethod
    def ceiling(cls, tree: IndexTree, form: CellForm, key: bytes | Key) -> Cell | None:
        """Return the first cell at or after *key*; None if there is none."""
        found = located(tree, encoded(key))
        if found is None or found.number == len(found.data_block):
            return None
        return cell_of(found.data_block, found.number, form)

    @property
    def file_name(self) -> str | None:
        """What errors call the file; None where it has no name."""
        return self._tree.file.file_name

    @property
    def cell(self) -> Cell | None:
        """The current cell."""
        return (
            None if self._at is None else cell_of(self._at.data_block, self._at.number, self._form)
        )

    def seek(self, key: bytes | Key) -> int:
        """Move to the last cell at or before *key*; of equal cells, to the first.

        Args:
            key: A key, or a row, which means the place before all its cells.

        Returns:
            0 if the cell has that key, 1 if its key is less, -1 if all cells come after *key*.
        """
        wanted = encoded(key)
        found = located(self._tree, wanted)
        if found is not None and self._is(found, wanted):
            self._at = found
            return 0
        self._at = found.before() if found is not None else None
        return -1 if self._at is None else 1

    def seek_before(self, key: bytes | Key) -> bool:
        """Move to the last cell before *key*; return whether there is one.

        Args:
            key: A key, or a row, which means the place before all its cells.
        """
        found = located(self._tree, encoded(key))
        self._at = found.before() if found is not None else None
        return self._at is not None

    def reseek(self, key: bytes | Key) -> int:
        """Seek forward from the current cell; for a key before it, stay there and return -1.

        Args:
            key: As for `seek`.

        Returns:
            As for `seek`.
        """
        if self._at is not None:
            wanted, here = encoded(key), self._at.data_block.key(self._at.number)
            if self._tree.less(wanted, here):
                return -1
            if not self._tree.less(here, wanted):
                return 0
        return self.seek(key)

    def next(self) -> bool:
        """Move to the next cell; stay and return False if there is none."""
        return self._moved(self._at.after() if self._at is not None else None)

    def previous(self) -> bool:
        """Move to the previous cell; stay and return False if there is none."""
        return self._moved(self._at.before() if self._at is not None else None)

    def first(self) -> bool:
        """Move to the first cell; return whether there is one."""
        path = self._tree.first()
        return self._moved(None if path is None else Position(path, path.data_block(), 0))

    def last(self) -> bool:
        """Move to the last cell; return whether there is one."""
        path = self._tree.last()
        data_block = None if path is None else path.data_block()
        if path is None or data_block is None:
            return False
        return self._moved(Position(path, data_block, len(data_block) - 1))

    def _moved(self, to: Position | None) -> bool:
        self._at = self._at if to is None else to
        return to is not None

    def _is(self, position: Position, key: bytes) -> bool:
        """Return whether the cell at *position*, which is not before *key*, has that key."""
        data_block, number = position.data_block, position.number
        return number < len(data_block) and not self._tree.less(key, data_block.key(number))


def encoded(key: bytes | Key) -> bytes:
    """Return the serialized form of a key or of a row."""
    return key.encode() if isinstance(key, Key) else Key(row_bytes(key)).encode()
