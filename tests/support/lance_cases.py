"""Lance files of the rows in `tests/cases/lance`: pages put together by hand, in every encoding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import text_format
from tests.support.gallery import sections
from tests.support.lance_files import VALUES, StoredPage, lance_field, lance_file

from byteloom_generated.lance import encodings19, encodings20, encodings21, encodings26

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["file_of", "stored_pages"]

_DESCRIBED: Final[dict[str, tuple[type[Any], str]]] = {
    "encodings19": (encodings19.PageLayout, "/lance.encodings.PageLayout"),
    "encodings20": (encodings20.ArrayEncoding, "/lance.encodings.ArrayEncoding"),
    "encodings21": (encodings21.PageLayout, "/lance.encodings21.PageLayout"),
    "encodings26": (encodings26.PageLayout, "/lance.encodings.PageLayout"),
}
"""For each module of messages the one that describes a page, and the name it is stored under."""

_SHORT: Final = (
    (r"flat\((\d+)\)", r"flat { bits_per_value: \1 }"),
    (r"flat\((\d+), (\d+)\)", r"flat { bits_per_value: \1 buffer { buffer_index: \2 } }"),
    (r"layers: (?=[A-Z])", "layers: REPDEF_"),
    (r"scheme: (LZ4|ZSTD)", r"scheme: COMPRESSION_ALGORITHM_\1"),
)


def _stored(text: str) -> bytes:
    """The bytes of a buffer."""
    parts = (part.partition("*") for part in str(text).split())
    return b"".join(bytes.fromhex(digits) * int(times or 1) for digits, _, times in parts)


def _page(row: dict[str, Any], version: str) -> StoredPage:
    """A page of a row."""
    by = row.get("by", "encodings20" if version == "2.0" else "encodings21")
    text, buffers = row["encoding"], [_stored(each) for each in row.get("buffers", [])]
    if by not in _DESCRIBED:
        return StoredPage(row["rows"], by, _stored(text), buffers)
    for short, long in _SHORT:
        text = re.sub(short, long, text)
    kind, url = _DESCRIBED[by]
    return StoredPage(row["rows"], url, text_format.Parse(text, kind()), buffers)


def file_of(row: dict[str, Any]) -> bytes:
    """The file of a row."""
    if "page" in row:
        count, _, types = row["page"].partition(" of ")
        row = {**row, "rows": int(count), "type": types}
    version = row.get("version", "2.1")
    kinds = enumerate(str(row.get("type")).split())
    nested = [[f"y{at}" if at else "x", each, at, at - 1] for at, each in kinds]
    given = row.get("fields", nested)
    fields = [
        lance_field(
            *each[:3],
            parent_id=each[3],
            metadata={key: value.encode() for key, value in (each[4:] or [{}])[0].items()},
        )
        for each in given
    ]
    columns = [[_page(each, version) for each in pages] for pages in row.get("columns", [[row]])]
    total = row.get("rows", sum(each.length for each in columns[0]))
    whole = row.get("column_encoding", VALUES)
    return lance_file(fields, columns, rows=total, version=version, column_encoding=whole)


def stored_pages(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the row of each page that has *kind*: ``reads`` or ``refused``."""
    for topic in ("pages_20", "pages_21", "pages_early"):
        for claim, found in sections(f"lance/{topic}").items():
            for number, row in enumerate(found):
                if kind in row:
                    yield f"{topic}, {claim[:40]}, {number}", row
