"""Write one Parquet file with the row groups of several, and only the wanted columns.

- The library decodes the result, at the cost of one file.
- Pages compressed with Zstandard are stored decompressed, since the library has a fixed cost for
  each page: space is left for their content, into which the caller decompresses it.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import Final

import numpy as np

from byteloom.kernels.parquet_footers import ARROW_KEY
from byteloom.kernels.parquet_pages import DATA_PAGE_V2, DICTIONARY_PAGE, ZSTD
from byteloom.kernels.parquet_structs import heads, numbers
from byteloom.kernels.thrift import BINARY, I32, STRUCT, put_list, put_number, put_varint
from byteloom.native.kernel import kernel
from byteloom.native.loads import copy_run
from byteloom_generated.parquet.footers import (
    COLUMN_CHUNK,
    COLUMN_META_DATA,
    FILE_META_DATA,
    KEY_VALUE,
    PAGE_HEADER,
    PAGE_TYPES,
    ROW_GROUP,
)
from byteloom_generated.parquet.parquet import Parquet

__all__ = ["copied", "put_arrow_schema", "put_binary", "put_ending", "put_file"]

_MAGIC: Final = np.frombuffer(Parquet.magic, np.uint8)

_VERSION, _SCHEMA, _ROWS, _GROUPS, _KEYS = heads(
    FILE_META_DATA, "version", "schema", "num_rows", "row_groups", "key_value_metadata"
)
_KEY, _VALUE = heads(KEY_VALUE, "key", "value")
_COLUMNS, _GROUP_SIZE, _GROUP_ROWS = heads(ROW_GROUP, "columns", "total_byte_size", "num_rows")
_FILE_OFFSET, _META_DATA = heads(COLUMN_CHUNK, "file_offset", "meta_data")
_TYPE, _ENCODINGS, _PATH, _CODEC, _VALUES, _RAW, _STORED, _PAGES, _DICTIONARY = heads(
    COLUMN_META_DATA,
    "type",
    "encodings",
    "path_in_schema",
    "codec",
    "num_values",
    "total_uncompressed_size",
    "total_compressed_size",
    "data_page_offset",
    "dictionary_page_offset",
)
_PAGE_TYPE, _PAGE_RAW, _PAGE_STORED = heads(
    PAGE_HEADER, "type", "uncompressed_page_size", "compressed_page_size"
)
(_LAST_OF_PAGE,) = numbers(PAGE_HEADER, "compressed_page_size")
_OF_DATA, _OF_DICTIONARY, _OF_DATA_V2 = numbers(
    PAGE_TYPES, "DATA_PAGE", "DICTIONARY_PAGE", "DATA_PAGE_V2"
)


@kernel
def copied(out: np.ndarray, at: int, data: np.ndarray, first: int, last: int) -> int:
    """Copy some bytes; return the offset after them."""
    copy_run(data.ctypes.data + first, out.ctypes.data + at, last - first)
    return at + last - first


@kernel
def _put_pages(
    out: np.ndarray,
    at: int,
    data: np.ndarray,
    places: np.ndarray,
    chunks: np.ndarray,
    pages: np.ndarray,
    written: np.ndarray,
) -> int:
    """Write the pages of chunks, and fill in their new offsets; return the offset after them."""
    page = 0
    for chunk in range(len(chunks)):
        here = written[chunk]
        here[0] = here[1] = at
        if chunks[chunk, 5] == ZSTD:
            while page < len(pages) and pages[page, 0] == chunk:
                if pages[page, 1] != DICTIONARY_PAGE and here[1] == here[0]:
                    here[1] = at
                at = _put_page_header(out, at, data, pages[page])
                at = copied(out, at, data, pages[page, 4], pages[page, 4] + pages[page, 6])
                places[page] = at
                at += pages[page, 7] - pages[page, 6]
                page += 1
        else:
            here[3] = chunks[chunk, 5]
            here[1] = at + chunks[chunk, 7]
            at = copied(out, at, data, chunks[chunk, 2], chunks[chunk, 3])
        here[2] = at
    return at


@kernel
def _put_page_header(out: np.ndarray, at: int, data: np.ndarray, page: np.ndarray) -> int:
    """Write the header of a page that is not compressed; return the offset after it."""
    kind = _OF_DATA
    if page[1] == DICTIONARY_PAGE:
        kind = _OF_DICTIONARY
    elif page[1] == DATA_PAGE_V2:
        kind = _OF_DATA_V2
    at = put_number(out, at, _PAGE_TYPE, kind)
    at = put_number(out, at, _PAGE_RAW, page[7])
    at = put_number(out, at, _PAGE_STORED, page[7])
    out[at] = (page[1] - _LAST_OF_PAGE) << 4 | STRUCT
    at = copied(out, at + 1, data, page[2], page[3])
    out[at] = 0
    return at + 1


@kernel
def _put_chunk(out: np.ndarray, at: int, kind: int, chunk: np.ndarray, written: np.ndarray) -> int:
    """Write the metadata of a chunk; return the offset after it."""
    size = written[2] - written[0]
    out[at] = _META_DATA
    at = put_number(out, at + 1, _TYPE, kind)
    at = put_list(out, at, _ENCODINGS, 0, I32)
    at = put_list(out, at, _PATH, 0, BINARY)
    at = put_number(out, at, _CODEC, written[3])
    at = put_number(out, at, _VALUES, chunk[4])
    at = put_number(out, at, _RAW, size)
    at = put_number(out, at, _STORED, size)
    at = put_number(out, at, _PAGES, written[1])
    if written[1] != written[0]:
        at = put_number(out, at, _DICTIONARY, written[0])
    out[at] = 0
    return at + 1


@kernel
def _put_groups(
    out: np.ndarray,
    at: int,
    leaves: np.ndarray,
    groups: np.ndarray,
    chunks: np.ndarray,
    written: np.ndarray,
) -> int:
    """Write the list of row groups; return the offset after it."""
    at = put_list(out, at, _GROUPS, len(groups), STRUCT)
    chunk = 0
    for group in range(len(groups)):
        at = put_list(out, at, _COLUMNS, len(leaves), STRUCT)
        for leaf in range(len(leaves)):
            at = put_number(out, at, _FILE_OFFSET, 0)
            if chunk < len(chunks) and chunks[chunk, 0] == group and chunks[chunk, 1] == leaf:
                at = _put_chunk(out, at, leaves[leaf, 0], chunks[chunk], written[chunk])
                chunk += 1
            out[at] = 0
            at += 1
        at = put_number(out, at, _GROUP_SIZE, 0)
        at = put_number(out, at, _GROUP_ROWS, groups[group, 1])
        out[at] = 0
        at += 1
    return at


@kernel
def put_binary(out: np.ndarray, at: int, data: np.ndarray, first: int, last: int) -> int:
    """Write a length and that many bytes; return the offset after them."""
    return copied(out, put_varint(out, at, last - first), data, first, last)


@kernel
def put_arrow_schema(out: np.ndarray, at: int, data: np.ndarray, first: int, last: int) -> int:
    """Write the only key-value pair that is kept, ``ARROW:schema``; return the offset after it."""
    at = put_list(out, at, _KEYS, 1, STRUCT)
    out[at] = _KEY
    at = put_binary(out, at + 1, ARROW_KEY, 0, len(ARROW_KEY))
    out[at] = _VALUE
    at = put_binary(out, at + 1, data, first, last)
    out[at] = 0
    return at + 1


@kernel
def put_ending(out: np.ndarray, at: int, footer: int) -> int:
    """End a footer that begins at *footer*, and the file; return the file's length."""
    out[at] = 0
    at += 1
    for shift in range(4):
        out[at + shift] = (at - footer) >> (8 * shift) & 0xFF
    return copied(out, at + 4, _MAGIC, 0, 4)


@kernel(work=lambda *args: 64 * len(args[5]) + 4 * len(args[3]) * len(args[4]))
def put_file(
    data: np.ndarray,
    footers: np.ndarray,
    file: np.ndarray,
    leaves: np.ndarray,
    groups: np.ndarray,
    chunks: np.ndarray,
    pages: np.ndarray,
    places: np.ndarray,
    out: np.ndarray,
) -> int:
    """Write one file of row groups, except the content of compressed pages; return its length.

    file    the fields of the first of *footers*, whose schema is that of all
    chunks  in the order of their row groups, and of the leaves in each
    places  int64[page]: the offset for each page's decompressed content; filled in
    """
    written = np.zeros((len(chunks), 4), np.int64)  # each: start, first data page, end, codec
    at = copied(out, 0, _MAGIC, 0, 4)
    footer = at = _put_pages(out, at, data, places, chunks, pages, written)
    at = put_number(out, at, _VERSION, 1)
    out[at] = _SCHEMA
    at = copied(out, at + 1, footers, file[0], file[1])
    at = put_number(out, at, _ROWS, groups[:, 1].sum())
    at = _put_groups(out, at, leaves, groups, chunks, written)
    if file[3]:
        at = put_arrow_schema(out, at, footers, file[2], file[3])
    return put_ending(out, at, footer)
