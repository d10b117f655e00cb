"""Rows of pages of Lance files, lists included, read one row at a time, in plain Python.

A row is found by the repetition index, where its page has one.  Damage is `Refused`: it has the
places of all that the step which noticed it found damaged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from tests.support.lance_plain import (
    check,
    chunk_values,
    coded_texts,
    decompressed,
    flat_values,
    number_at,
)
from tests.support.lance_plain_chunks import chunk_rows
from tests.support.lance_plain_layers import (
    PAGE,
    Layers,
    Refused,
    buffer_of,
    leaf_values,
    refused_at,
)

from byteloom_generated.lance.encodings21 import PageLayout, RepDefLayer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.column_metadata import Page

__all__ = ["rows_of_page"]


def rows_of_page(file: bytes, page: Page, type_: pa.DataType, rows: Sequence[int]) -> list[Any]:
    """Rows of a page by their numbers in it, which ascend."""
    layout = PageLayout.parse(page.encoding.data)
    if layout.HasField("mini_block_layout"):
        return chunk_rows(file, page, layout.mini_block_layout, type_, rows)
    if layout.HasField("full_zip_layout"):
        return _full_zip(file, page, layout.full_zip_layout, type_, rows)
    if layout.HasField("blob_layout"):
        return _blobs(file, page, layout.blob_layout, rows)
    raise NotImplementedError


def _full_zip(
    file: bytes, page: Page, layout: Any, type_: pa.DataType, rows: Sequence[int]
) -> list[Any]:
    layers = Layers(layout.layers, type_)
    at, size = page.buffers[0]
    control = {0: 0, 1: 1, 2: 2, 3: 4, 4: 4}[-(-(layout.bits_rep + layout.bits_def) // 8)]
    fixed = control + layout.bits_per_value // 8
    if len(page.buffers) > 1:
        places = _index_places(file, page)
    else:
        places = [row * fixed for row in range(page.length + 1)]
    pairs = [(places[row], places[row + 1]) for row in rows]
    refused_at(PAGE, lambda: check(all(0 <= low <= high <= size for low, high in pairs)))
    found, bad = list[list[Any]](), set[int]()
    for low, high in pairs:
        try:
            found.append(_zipped(layout, layers, file[at + low : at + high], control, at + low))
        except Refused as error:
            bad |= error.places
    if bad:
        raise Refused(*bad)
    return _full_zip_values(layout, layers, found)


def _index_places(file: bytes, page: Page) -> list[int]:
    at, data = page.buffers[1][0], buffer_of(file, page, 1)
    width = len(data) // (page.length + 1)
    refused_at(at, lambda: check(width in {1, 2, 4, 8}, width * (page.length + 1) == len(data)))
    return [
        number_at(data, row * width, width) if width == 8
        else int.from_bytes(data[row * width : (row + 1) * width], "little")
        for row in range(page.length + 1)
    ]  # fmt: skip


def _zipped(
    layout: Any, layers: Layers, data: bytes, control: int, place: int
) -> list[tuple[int, int, bytes | None]]:
    """The entries of the bytes of one row; what is damaged is refused where it begins."""
    is_variable = layout.HasField("bits_per_offset")
    width = layout.bits_per_offset // 8 if is_variable else 0
    found, at = list[tuple[int, int, bytes | None]](), 0
    while at < len(data) or not found:
        begin = at
        try:
            check(control + at <= len(data))
            word = int.from_bytes(data[at : at + control], "little")
            rep, state = word >> layout.bits_def, word & (1 << layout.bits_def) - 1
            at += control
            # Bits above are those of repetition levels, which no column without lists has.
            check(not layers.lists or (rep >= layers.lists) == (not found))
            check(layers.lists > 0 or not found)
            raw = None
            if (state <= layers.visible or not layers.lists) and not (is_variable and state):
                length = layout.bits_per_value // 8
                if is_variable:
                    check(at + width <= len(data))
                    length = number_at(data, at, width)
                    at += width
                check(0 <= length <= len(data) - at)
                raw = data[at : at + length]
                at += length
            found.append((rep, state, raw))
        except ValueError as error:
            raise Refused(place + begin) from error
    return found


def _full_zip_values(layout: Any, layers: Layers, rows: list[list[Any]]) -> list[Any]:
    """The rows of entries whose values are compressed one by one."""
    entries = [entry for row in rows for entry in row]
    refused_at(PAGE, lambda: check(all(state <= layers.most for _, state, _ in entries)))

    def value(encoding: Any, raw: bytes) -> Any:
        match encoding.WhichOneof("compression"):
            case "variable" | "flat":
                return raw
            case "fsst":
                (text,) = coded_texts(
                    encoding.fsst.symbol_table, [value(encoding.fsst.values, raw)]
                )
                return text
            case "general":
                scheme = encoding.general.compression.scheme
                return value(encoding.general.values, decompressed(scheme, raw) if raw else b"")
            case "fixed_size_list":
                message = encoding.fixed_size_list
                size, valid = message.items_per_value, None
                if message.has_validity:
                    valid, raw = flat_values(1, raw, size), raw[(size + 7) // 8 :]
                items = chunk_values(message.values, [raw], size)
                if valid is None:
                    return items
                return [each if bit else None for each, bit in zip(items, valid, strict=True)]
        raise NotImplementedError

    def made() -> list[Any]:
        kept = [
            None if raw is None or state else value(layout.value_compression, raw)
            for _, state, raw in entries
        ]
        leaves = iter(leaf_values(layers.leaf, kept))
        return [layers.value([(rep, state, next(leaves)) for rep, state, _ in row]) for row in rows]

    found: list[Any] = refused_at(PAGE, made)
    return found


def _blobs(file: bytes, page: Page, layout: Any, rows: Sequence[int]) -> list[Any]:
    """Values outside of pages; of what has no bytes, the position is its levels."""
    has_nulls = RepDefLayer.REPDEF_NULLABLE_ITEM in layout.layers
    inner = layout.inner_layout.mini_block_layout
    stored = chunk_rows(file, page, inner, pa.binary(16), rows)

    def made() -> list[Any]:
        found = list[Any]()
        for each in stored:
            position, size = (int.from_bytes(each[at : at + 8], "little") for at in (0, 8))
            level = 0 if size else position >> 16
            check(level <= has_nulls)
            check(not size or position + size <= len(file))
            found.append(None if level else file[position : position + size] if size else b"")
        check(sum(len(each or b"") for each in found) <= len(file))
        return found

    result: list[Any] = refused_at(PAGE, made)
    return result
