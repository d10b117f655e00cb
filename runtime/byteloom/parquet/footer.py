"""Check the footers of Parquet files before pyarrow looks into them.

pyarrow accepts a footer that it can parse.  It looks at other fields of a column chunk only on
request, and an error there ends the process.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom_generated.parquet.footers import TYPES
from byteloom_generated.parquet.parquet import Tail

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from byteloom.storage import Source

__all__ = ["check_footer", "footer_bytes", "refuse_encrypted"]

_MOSTLY: Final = 1 << 16
"""Bytes that are enough for most footers."""

_TYPES: Final = {each.name: each for each in TYPES}
_ANY_WIDTH: Final = -1


def check_footer(metadata: Any, source: Source, footer: bytes | None = None) -> frozenset[int]:
    """Refuse column chunks that do not fit their column; return the encrypted leaves.

    pyarrow ends the process if it is asked about a chunk of such a leaf.

    metadata     the footer, as pyarrow has read it
    source       the file
    footer       the footer's bytes, if they were read already
    FormatError  a chunk, or its statistics, whose type is not that of its column
    """
    from byteloom.kernels.parquet_footer import check_chunks

    schema = metadata.schema
    leaves = [_leaf(schema.column(each)) for each in range(metadata.num_columns)]
    footer = footer_bytes(source) if footer is None else footer
    data = np.frombuffer(footer or b"", np.uint8)
    encrypted = np.zeros(len(leaves), np.uint8)
    code, group, column = check_chunks(data, np.array(leaves, np.int64).reshape(-1, 4), encrypted)
    if not code:
        return frozenset(np.flatnonzero(encrypted).tolist())
    where = f"row_groups[{group}].columns[{column}]"
    wanted = f"that of {schema.column(column).physical_type} {schema.column(column).path}"
    raise FormatError(where, None, _WRONG[code], wanted)


def refuse_encrypted(schema: Any, leaves: Iterable[int], encrypted: Collection[int]) -> None:
    """Raise `Unsupported` for the first of *leaves* that is encrypted; *schema* is the footer's."""
    for each in leaves:
        if each in encrypted:
            path = f"column {schema.column(each).path}"
            raise Unsupported(path, None, "an encrypted column", "an unencrypted one")


def footer_bytes(source: Source) -> bytes | None:
    """Return the bytes of the footer, in one request if they are few; None without a footer."""
    tail = source.read_tail(_MOSTLY)
    try:
        size = Tail.from_bytes(tail[-Tail.SIZE :]).len_footer
    except FormatError:
        return None
    if not 0 < size <= source.size - Tail.SIZE:
        return None
    if size <= len(tail) - Tail.SIZE:
        return tail[-Tail.SIZE - size : -Tail.SIZE]
    return source.read(source.size - Tail.SIZE - size, size)


def _leaf(column: Any) -> tuple[int, int, int, int]:
    """Return the physical type, the bytes of a bound, and the highest levels of a column."""
    kind, width = _TYPES[column.physical_type], _ANY_WIDTH
    if kind.size is not None:
        width = kind.size
    elif kind.name == "FIXED_LEN_BYTE_ARRAY":
        width = column.length
    return kind.number, width, column.max_repetition_level, column.max_definition_level


_WRONG: Final = (
    "",
    "another type",
    "a bound of another width",
    "another number of levels",
    "a size of text",
)
