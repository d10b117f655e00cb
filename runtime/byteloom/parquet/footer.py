"""Check the footers of Parquet files before pyarrow looks into them.

pyarrow accepts a footer that it can parse.  It looks at other fields of a column chunk only on
request, and an error there ends the process.  Columns that cannot be read, because they are
encrypted or compressed by an unknown codec, do not keep the others from being read.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.kernels.parquet_footers import check_chunks
from byteloom.kernels.parquet_structs import CODECS_READ
from byteloom_generated.parquet.footers import CODECS, TYPES
from byteloom_generated.parquet.parquet import Tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from byteloom.storage import Source

__all__ = ["Unreadable", "check_footer", "footer_bytes", "refuse_unreadable"]

_MOSTLY: Final = 1 << 16
"""Bytes that are enough for most footers."""

_CODECS: Final = {each.number: each.name for each in CODECS}
_TYPES: Final = {each.name: each for each in TYPES}
_ANY_WIDTH: Final = -1


class Unreadable(NamedTuple):
    """Why a leaf cannot be read: what was found, and what can be read."""

    found: str
    wanted: str


def check_footer(
    metadata: Any, source: Source, footer: bytes | None = None
) -> dict[int, Unreadable]:
    """Refuse column chunks that do not fit their column; return the leaves that cannot be read.

    pyarrow may end the process if it is asked about a chunk of such a leaf.

    metadata     the footer, as pyarrow has read it
    source       the file
    footer       the footer's bytes, if they were read already
    FormatError  a chunk, or its statistics, whose type is not that of its column
    """
    schema = metadata.schema
    leaves = [_leaf(schema.column(each)) for each in range(metadata.num_columns)]
    footer = footer_bytes(source) if footer is None else footer
    data = np.frombuffer(footer or b"", np.uint8)
    encrypted, codecs = np.zeros(len(leaves), np.uint8), np.zeros(len(leaves), np.int64)
    known = np.array(leaves, np.int64).reshape(-1, 4)
    code, group, column = check_chunks(data, known, encrypted, codecs)
    if not code:
        return _of_codecs(codecs) | dict.fromkeys(np.flatnonzero(encrypted).tolist(), _ENCRYPTED)
    where = f"row_groups[{group}].columns[{column}]"
    wanted = f"that of {schema.column(column).physical_type} {schema.column(column).path}"
    raise FormatError(where, None, _WRONG[code], wanted)


def refuse_unreadable(
    schema: Any, leaves: Iterable[int], unreadable: Mapping[int, Unreadable]
) -> None:
    """Raise `Unsupported` for the first of *leaves* that cannot be read.

    schema      the schema in the footer
    unreadable  the result of `check_footer`
    """
    for each in leaves:
        if each in unreadable:
            path = f"column {schema.column(each).path}"
            raise Unsupported(path, None, *unreadable[each])


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


def _of_codecs(codecs: NDArray[np.int64]) -> dict[int, Unreadable]:
    """Return the leaves with a codec that cannot be read; *codecs* has 0 for all others."""
    wanted = f"{', '.join(CODECS_READ[:-1])} or {CODECS_READ[-1]}"
    return {
        leaf: Unreadable(f"codec {_CODECS.get(codec, codec)}", wanted)
        for leaf, codec in enumerate(codecs.tolist())
        if codec
    }


def _leaf(column: Any) -> tuple[int, int, int, int]:
    """Return the physical type, the bytes of a bound, and the highest levels of a column."""
    kind, width = _TYPES[column.physical_type], _ANY_WIDTH
    if kind.size is not None:
        width = kind.size
    elif kind.name == "FIXED_LEN_BYTE_ARRAY":
        width = column.length
    return kind.number, width, column.max_repetition_level, column.max_definition_level


_ENCRYPTED: Final = Unreadable("an encrypted column", "an unencrypted one")

_WRONG: Final = (
    "",
    "another type",
    "a bound of another width",
    "another number of levels",
    "a size of text",
)
