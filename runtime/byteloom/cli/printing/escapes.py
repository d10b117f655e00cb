r"""Bytes as HBase prints them: printable characters unchanged, all others as ``\x00``.

A backslash is printed as ``\x5C``, so that what is printed is read back the same.

Source: https://hbase.apache.org/devapidocs/org/apache/hadoop/hbase/util/Bytes.html#toStringBinary(byte%5B%5D)
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["FORMS", "broken_escape", "escaped", "unescaped"]

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
