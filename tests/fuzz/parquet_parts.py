"""Damage to the structs of a Parquet file: its footer, and the headers of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fuzz.mutations import damaged_bytes
from tests.fuzz.thrift import changed, field, parsed, stored

if TYPE_CHECKING:
    from random import Random

__all__ = ["damaged_parquet", "padded"]

_ROW_GROUPS, _COLUMNS, _META, _STORED, _PAGES, _DICTIONARY = 4, 1, 3, 7, 9, 11
"""Numbers of fields: of the footer, a row group, a column chunk, and its metadata."""

_PACKED, _SUM = 3, 4
"""Numbers of fields of a page header: its size as stored, and its checksum."""


def padded(data: bytes, room: int) -> bytes:
    """Return a file with bytes of no meaning before its footer."""
    at = _footer(data)
    return data[:at] + bytes(room) + data[at:]


def damaged_parquet(chance: Random, data: bytes, room: int) -> bytes:
    """Return a padded file of the same size with a change to its footer, or to a page.

    room  bytes of padding
    """
    at = _footer(data)
    footer, _ = parsed(data, at)
    body, is_page = data[: at - room], chance.random() < 0.5
    if is_page:
        body = _with_page(chance, body, footer)
    if not is_page or chance.random() < 0.2:
        footer = changed(chance, footer)
    end = stored(footer)
    end += len(end).to_bytes(4, "little") + data[-4:]
    if len(body) + len(end) > len(data):
        return damaged_bytes(chance, data)
    return body + bytes(len(data) - len(body) - len(end)) + end


def _footer(data: bytes) -> int:
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


def _with_page(chance: Random, body: bytes, footer: Any) -> bytes:
    """Return the pages with a change to one; the places in the footer are moved."""
    chunks = [
        {each[0]: each for each in field(chunk, _META)}
        for group in field(footer, _ROW_GROUPS)[1]
        for chunk in field(group, _COLUMNS)[1]
    ]
    chunk = chance.choice(chunks)
    start = chunk[_DICTIONARY][2] if _DICTIONARY in chunk else chunk[_PAGES][2]
    at, pages = start, []
    while at < start + chunk[_STORED][2]:
        header, begin = parsed(body, at)
        pages.append((at, begin, begin + field(header, _PACKED), header))
        at = pages[-1][2]
    at, begin, end, header = chance.choice(pages)
    page = body[begin:end]
    if chance.random() < 0.5:
        header = changed(chance, header)
    elif page:
        page = damaged_bytes(chance, page)
        header = [each for each in header if each[0] != _SUM or chance.random() < 0.2]
        for each in header:
            if each[0] == _PACKED and chance.random() < 0.7:
                each[2] = len(page)
    new = stored(header) + page
    more = len(new) - (end - at)
    for each in chunks:
        for number in (_PAGES, _DICTIONARY):
            if number in each and each[number][2] > at:
                each[number][2] += more
    chunk[_STORED][2] += more
    return body[:at] + new + body[end:]
