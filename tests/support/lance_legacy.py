"""Small Lance files of version 0.1, put together from the records and messages of the specs."""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import TYPE_CHECKING

import numpy as np

from byteloom_generated.lance.file import Metadata
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import FramedMessage, LegacyTail, Version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from byteloom_generated.lance.file import Field

__all__ = ["Stored", "legacy_file", "plain", "texts"]


@dataclass
class Stored:
    """A page to be stored: its bytes, its values, and for texts what its offsets point into."""

    data: bytes
    length: int
    before: bytes | None = None


def plain(values: Sequence[float], kind: str) -> Stored:
    """A page of values of fixed width."""
    return Stored(np.array(values, kind).tobytes(), len(values))


def texts(values: Sequence[bytes]) -> Stored:
    """A page of texts: their offsets, which are relative until the file is written."""
    ends = np.cumsum([0, *map(len, values)]).astype("<i8")
    return Stored(ends.tobytes(), len(values), b"".join(values))


def legacy_file(
    fields: Sequence[Field],
    pages: Mapping[int, Sequence[Stored]],
    batches: Sequence[int],
    *,
    first: int | None = None,
    dictionary: tuple[int, bytes] | None = None,
    has_manifest: bool = True,
) -> bytes:
    """Return a file of these pages.

    pages       for each field's id those of each batch
    batches     the row that each batch begins with, and the number of rows
    first       the id that the page table begins with; None for the least of the fields
    dictionary  a text of the only value of the dictionary of a field, and the field's id
    """
    out = bytearray()
    places = {number: [_put(out, each) for each in stored] for number, stored in pages.items()}
    if dictionary is not None:
        number, value = dictionary
        place, _ = _put(out, texts([value]))
        for each in fields:
            if each.id == number:
                each.dictionary.offset, each.dictionary.length = place, 1
    table = len(out)
    start = min(each.id for each in fields) if first is None else first
    for number in range(start, max(each.id for each in fields) + 1):
        for batch in range(len(batches) - 1):
            out += pack("<qq", *places.get(number, [(0, 0)] * len(batches))[batch])
    metadata = Metadata(batch_offsets=batches, page_table_position=table)
    if has_manifest:
        metadata.manifest_position = len(out)
        out += FramedMessage(message=Manifest(fields=fields).SerializeToString()).to_bytes()
    message = len(out)
    out += FramedMessage(message=metadata.SerializeToString()).to_bytes()
    tail = LegacyTail(ofs_message=message, version=Version(major=0, minor=2))
    return bytes(out + tail.to_bytes())


def _put(out: bytearray, page: Stored) -> tuple[int, int]:
    """Put a page, and return its place and its length."""
    data = page.data
    if page.before is not None:
        data = (np.frombuffer(data, "<i8") + len(out)).tobytes()
        out += page.before
    out += data
    return len(out) - len(data), page.length
