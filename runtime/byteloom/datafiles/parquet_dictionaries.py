"""Read columns of text as dictionary codes if a Parquet file stores them so.

The rules:

- A column is read as codes if its chunks have dictionaries and take less than four bytes a value:
  each plain value begins with a length of four bytes, so only few can be plain.
- Arrow drops repeated entries of a dictionary but keeps the codes, so its dictionary must have as
  many entries as the page states.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "Dictionary Encoding";
https://github.com/apache/parquet-format, ``parquet.thrift``, ``PageHeader``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.arrow.texts import is_text
from byteloom.datafiles.fields import leaf_marks
from byteloom.wire.varints import taken

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pyarrow as pa

    from byteloom.storage import Source

__all__ = ["coded_columns", "has_all_entries"]

_LENGTH: Final = 4
_HEADER: Final = 64
_I32, _STRUCT = 5, 12
_DICTIONARY_PAGE: Final = 7


def coded_columns(
    source: Source, metadata: Any, schema: pa.Schema, leaves: Collection[int], groups: Sequence[int]
) -> dict[str, dict[int, int]]:
    """Return the columns to read as codes, and how many entries each has in each row group.

    schema  the file's schema in Arrow
    leaves  the numbers of the leaves to read
    groups  the row groups that are read
    """
    found, leaf = {}, 0
    for field in schema:
        # Arrow knows leaves by dotted paths, so a name with a dot may be that of another leaf.
        is_named = "." not in field.name and schema.get_field_index(field.name) >= 0
        if leaf in leaves and is_named and is_text(field.type):
            chunks = [metadata.row_group(each).column(leaf) for each in groups]
            if _are_coded(chunks, source.size):
                found[field.name] = [int(each.dictionary_page_offset) for each in chunks]
        leaf += len(leaf_marks(field.type, None))
    places = [each for held in found.values() for each in held]
    ranges = [(each, min(_HEADER, source.size - each)) for each in places]
    heads = iter(source.read_ranges(ranges) if ranges else ())
    return {name: {group: _entries(next(heads)) for group in groups} for name in found}


def _are_coded(chunks: Sequence[Any], size: int) -> bool:
    """Return whether chunks consist of codes, except for a few values, judging by their sizes."""
    held = sum(each.total_uncompressed_size for each in chunks)
    rows = sum(each.num_values for each in chunks)
    return held < _LENGTH * rows and all(
        each.has_dictionary_page and 0 < each.dictionary_page_offset < size for each in chunks
    )


def has_all_entries(
    batch: pa.RecordBatch, group: int, coded: Mapping[str, Mapping[int, int]]
) -> bool:
    """Return whether the dictionaries of a row group's first batch have all the file's entries."""
    return all(len(batch.column(name).dictionary) == sizes[group] for name, sizes in coded.items())


def _entries(head: bytes) -> int:
    """Return the number of entries of a dictionary, from the start of its page; -1 if unclear."""
    at, number, is_inside = 0, 0, False
    try:
        while True:
            # Thrift's compact protocol: how far to the next field's number, and its type.
            step, kind = head[at] >> 4, head[at] & 0xF
            at, number = at + 1, number + step
            if step and kind == _I32:
                value, at = taken("zigzag", head, at, len(head))
                if is_inside and number == 1:
                    return value
            elif number == _DICTIONARY_PAGE and kind == _STRUCT and not is_inside:
                number, is_inside = 0, True
            else:
                return -1
    except (IndexError, ValueError):
        return -1
