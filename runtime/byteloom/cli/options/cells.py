r"""Cells as rows: types by their names, bytes by default as HBase prints them.

- Bytes as HBase prints them are printable characters unchanged, all others as ``\x00``.  A
  backslash is printed as ``\x5C``, so that what is printed is read back the same.
- Bytes that a program reads as text must be UTF-8, since JSON and CSV have no unambiguous form for
  other bytes.  A person is shown U+FFFD in their place.

Source: https://hbase.apache.org/devapidocs/org/apache/hadoop/hbase/util/Bytes.html#toStringBinary(byte%5B%5D)
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.printing.arrow_rows import as_text, rewritten, show_csv
from byteloom.cli.printing.rows import Form, slices
from byteloom.errors import FormatError
from byteloom.late import pa

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.cli.options.listing import Listing

__all__ = [
    "FORMS",
    "TYPES",
    "Bytes",
    "broken_escape",
    "bytes_of",
    "escaped",
    "show_cells",
    "unescaped",
]

FORMS: Final = tuple(
    chr(code) if code in range(0x20, 0x7F) and chr(code) != "\\" else f"\\x{code:02X}"
    for code in range(256)
)
"""Each byte as text."""

_ESCAPE: Final = re.compile(rb"\\x([0-9A-Fa-f]{2})")

_BROKEN: Final = re.compile(r"\\x(?![0-9A-Fa-f]{2}).{0,2}")


def broken_escape(text: str) -> str | None:
    r"""Return the first ``\x`` of *text* without two hex digits, and what follows; None if none is.

    >>> broken_escape("row\\xzz")
    '\\xzz'
    """
    found = _BROKEN.search(text)
    return None if found is None else found[0]


def escaped(data: bytes) -> str:
    r"""Return bytes as text.

    >>> escaped(b"row\x00\\1")
    'row\\x00\\x5C1'
    """
    return "".join(map(FORMS.__getitem__, data))


def unescaped(text: str) -> bytes:
    r"""Return the bytes that *text* represents; other characters are UTF-8.

    >>> unescaped("row\\x00\\x5C1")
    b'row\x00\\1'
    """
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), raw)


TYPES: Final = {
    0: "Minimum", 4: "Put", 8: "Delete", 10: "DeleteFamilyVersion", 12: "DeleteColumn",
    14: "DeleteFamily", 255: "Maximum",
}  # fmt: skip
_HEX: Final = tuple(f"{code:02x}" for code in range(256))
_SHOWN: Final = 16
"""Bytes of a value that an error shows."""


class Bytes(StrEnum):
    """How bytes are written as text."""

    ESCAPED = "escaped"
    HEX = "hex"
    TEXT = "text"


def bytes_of(text: str, how: Bytes) -> bytes:
    """Return the bytes that *text* represents.

    raises  `ValueError` for invalid hex
    """
    if how is Bytes.HEX:
        return bytes.fromhex(text)
    return unescaped(text) if how is Bytes.ESCAPED else text.encode("utf-8", "surrogateescape")


def show_cells(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    how: Bytes,
    to: Listing,
    total: int | None = None,
) -> None:
    """Print cells, or write them to a file; in Parquet bytes are bytes, whatever *how* says.

    total   how many there are; None where unknown
    raises  `FormatError` for bytes that are not UTF-8 and have to be text for a program
    """
    if to.form is Form.PARQUET:
        to.show(batches, schema, total)
        return
    if to.form is Form.CSV:
        show_csv(to.rows(batches, total), schema.names, partial(_text_column, how=how), to.output)
        return
    parts = (
        [_texts(part.column(name).to_pylist(), name, to.form, how) for name in schema.names]
        for part in slices(to.rows(batches, total))
    )
    to.show_parts(parts, schema.names)


def _text_column(column: pa.Array, name: str, how: Bytes) -> pa.Array:
    """Return a column of cells as large_string, with values as in `_texts`."""
    if name == "type":
        names = pa.array([str(TYPES.get(code, code)) for code in range(256)], pa.large_string())
        return names.take(column)
    made = as_text(column)
    if made is not None:
        return made
    if how is not Bytes.TEXT:
        return rewritten(column, FORMS if how is Bytes.ESCAPED else _HEX)
    try:
        return column.cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:  # the first value that is not UTF-8, and the place in it
        return pa.array(_texts(column.to_pylist(), name, Form.CSV, how), pa.large_string())


def _texts(values: list[Any], name: str, form: Form, how: Bytes) -> list[Any]:
    if name == "type":
        return [TYPES.get(value, value) for value in values]
    return [
        _text(value, name, form, how) if isinstance(value, bytes) else value for value in values
    ]


def _text(value: bytes, name: str, form: Form, how: Bytes) -> str:
    if how is Bytes.HEX:
        return value.hex()
    if how is Bytes.ESCAPED:
        return escaped(value)
    try:
        return value.decode("utf-8", "replace" if form is Form.TABLE else "strict")
    except UnicodeDecodeError as error:
        near = value[error.start : error.start + _SHOWN]
        wanted = "UTF-8; --bytes escaped or --bytes hex prints any bytes"
        raise FormatError(name, None, f"{near!r} at byte {error.start} of it", wanted) from error
