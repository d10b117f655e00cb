"""Sort cells that are not in HBase's order.

Row, family and qualifier ascend as bytes, timestamp and type descend; a key without columns and of
type 0 comes after its whole row.  Cells of one key have the greatest sequence number first, since
HBase returns the first of them; where that is equal too, they stay in the order they came in.

Source: specs/hfile/cell.ksy
"""

from __future__ import annotations

import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.hfile.writing.cell_columns import integers_of, not_bytes
from byteloom.late import pc

__all__ = ["sorted_cells"]

_BYTES = ("row", "family", "qualifier")
_NUMBERS = ("timestamp", "type", "mvcc")


def sorted_cells(table: pa.Table) -> pa.Table:
    """Return the cells of *table* sorted, all of them in memory.

    Args:
        table: Columns as `HFileWriter.write` takes them.

    Raises:
        ArgumentError: For columns that no cells have.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import hfile
        >>> cells = pa.table({"row": ["b", "a", "a"], "timestamp": [1, 1, 2]})
        >>> hfile.sorted_cells(cells).to_pydict()
        {'row': ['a', 'a', 'b'], 'timestamp': [2, 1, 1]}
    """
    names = ["row" if name == "key" else name for name in table.column_names]
    if "row" not in names or len(set(names)) < len(names):
        raise ArgumentError(
            "columns", None, ", ".join(names), "the column row, and each other column once"
        )
    table = table.rename_columns(names)
    keys: dict[str, pa.ChunkedArray] = {}
    for name in _BYTES:
        if name in names:
            try:
                keys[name] = table[name].cast(pa.large_binary())
            except pa.ArrowException as error:
                raise not_bytes(name, table[name].type) from error
    for name in _NUMBERS:
        if name in names:
            keys[name] = integers_of(name, table[name])
    order = [("row", "ascending")]
    if {"family", "qualifier", "type"} <= set(names):
        empty = [pc.equal(pc.binary_length(keys[name]), 0) for name in _BYTES[1:]]
        keys["last"] = pc.and_(pc.and_(*empty), pc.equal(keys["type"], 0))
        order.append(("last", "ascending"))
    order += [(name, "ascending") for name in _BYTES[1:] if name in names]
    order += [(name, "descending") for name in _NUMBERS if name in names]
    return table.take(pc.sort_indices(pa.table(keys), sort_keys=order))
