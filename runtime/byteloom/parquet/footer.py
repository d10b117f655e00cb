"""Footers of Parquet files, checked before the library is asked what they say.

pyarrow takes a footer for sound once it can be taken apart: what a column chunk says beyond that is
looked at when it is asked for, and an error there ends the process.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.kinds import PARQUET_MAGIC

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from byteloom.storage import Source

__all__ = ["check_footer", "footer_bytes", "refuse_encrypted"]

_TAIL: Final = 8
_LENGTH: Final = 4
_MOSTLY: Final = 1 << 16
"""Bytes that most footers have at most."""

_TYPES: Final = (
    "BOOLEAN",
    "INT32",
    "INT64",
    "INT96",
    "FLOAT",
    "DOUBLE",
    "BYTE_ARRAY",
    "FIXED_LEN_BYTE_ARRAY",
)
_WIDTHS: Final = (1, 4, 8, 12, 4, 8, -1)


def check_footer(metadata: Any, source: Source, footer: bytes | None = None) -> frozenset[int]:
    """Refuse column chunks that are not of their column; return the leaves that are encrypted.

    pyarrow ends the process where it is asked about a chunk of such a leaf.

    metadata     the footer, as pyarrow has read it
    source       the file
    footer       its bytes, where they are known
    FormatError  a chunk of another type than its column, or with statistics of another
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
            raise Unsupported(path, None, "an encrypted column", "a plain one")


def footer_bytes(source: Source) -> bytes | None:
    """Return the bytes of the footer, in one request if they are few; None of what has none."""
    tail = source.read_tail(_MOSTLY)
    size = int.from_bytes(tail[-_TAIL:-_LENGTH], "little")
    if tail[-_LENGTH:] != PARQUET_MAGIC or not 0 < size <= source.size - _TAIL:
        return None
    if size <= len(tail) - _TAIL:
        return tail[-_TAIL - size : -_TAIL]
    return source.read(source.size - _TAIL - size, size)


def _leaf(column: Any) -> tuple[int, int, int, int]:
    """The physical type, the bytes of a bound, and the highest levels of a column."""
    kind = _TYPES.index(column.physical_type)
    width = _WIDTHS[kind] if kind < len(_WIDTHS) else column.length
    return kind, width, column.max_repetition_level, column.max_definition_level


_WRONG: Final = (
    "",
    "another type",
    "a bound of another width",
    "another number of levels",
    "a size of text",
)
