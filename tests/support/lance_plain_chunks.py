"""Rows of Lance pages of chunks, found by the repetition index, read one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tests.support.lance_plain import block_values, check, chunk_values, coded_texts, number_at
from tests.support.lance_plain_layers import (
    PAGE,
    Layers,
    Refused,
    buffer_of,
    each_of,
    leaf_values,
    refused_at,
    split,
)

from byteloom.errors import FormatError
from byteloom.wire import Reader
from byteloom_generated.lance.chunks import Chunk, LargeWord, SmallWord
from byteloom_generated.lance.encodings21 import PageLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from byteloom.lance.column_metadata import Page

__all__ = ["chunk_rows", "chunks_of"]

_UNIT: Final = 8
_Entry: TypeAlias = "tuple[int, int, tuple[int, int]]"
"""An entry's levels, and of its value the chunk and the number in it, which is -1 for none."""
_Stored: TypeAlias = "dict[tuple[int, int], Any]"
"""Values by the chunk and the number in it."""


@dataclass
class _Chunk:
    """A chunk: where it is, its bytes, how many values it has, and its rows.

    goes_on  whether its first row began in a chunk before it
    """

    place: int
    data: bytes
    count: int
    rows: range = range(0)
    goes_on: bool = False
    parts: Any = None
    rep: Any = None
    definition: Any = None


def _chunks(file: bytes, page: Page, layout: Any) -> list[_Chunk]:
    """All chunks of a page, by their words."""
    at, data = page.buffers[0][0], buffer_of(file, page, 0)
    word_of: Any = LargeWord if layout.has_large_chunk else SmallWord
    size = word_of.SIZE
    begins = range(at, at + len(data), size)
    words = [
        _word(word_of, file[begin : min(begin + size, at + len(data))], begin) for begin in begins
    ]
    begin, found, left = page.buffers[1][0], list[_Chunk](), layout.num_items
    end = begin + page.buffers[1][1]
    for number, word in enumerate(words):
        count = left if number == len(words) - 1 else word.num_values
        left -= count
        found.append(_Chunk(begin, file[begin : begin + word.len_chunk], count))
        begin += word.len_chunk
    refused_at(
        at, lambda: check(left == 0, begin <= end, *[0 <= each.count <= 1 << 15 for each in found])
    )
    return found


def chunks_of(file: bytes, page: Page) -> list[_Chunk]:
    """The chunks of a page, which may be a page of blobs."""
    layout = PageLayout.parse(page.encoding.data)
    inner = layout.blob_layout.inner_layout if layout.HasField("blob_layout") else layout
    return _chunks(file, page, inner.mini_block_layout)


def _word(word_of: Any, data: bytes, place: int) -> Any:
    """A record; one that is cut off is refused at its field."""
    try:
        return word_of.from_bytes(data)
    except FormatError as error:
        raise Refused(place + (error.offset or 0)) from error


def _number_rows(file: bytes, page: Page, chunks: list[_Chunk]) -> None:
    """Let chunks know which rows they have, by the repetition index."""
    at, data = page.buffers[-1][0], buffer_of(file, page, len(page.buffers) - 1)

    def numbered() -> None:
        check(len(data) == 16 * len(chunks))
        row, is_open = 0, False
        for number, chunk in enumerate(chunks):
            done, rest = (number_at(data, 16 * number + 8 * each, 8) for each in (0, 1))
            goes_on = rest != 0 and number < len(chunks) - 1
            check(0 <= done <= page.length, done > 0 or goes_on or not is_open)
            chunk.rows, chunk.goes_on = range(row, row + done + goes_on), is_open
            row, is_open = row + done, goes_on
        check(row == page.length)

    refused_at(at, numbered)


def _cut(layout: Any, chunk: _Chunk) -> None:
    """Keep the parts of a chunk."""
    has_rep, has_def = map(layout.HasField, ("rep_compression", "def_compression"))
    stored = Chunk.read(
        Reader(chunk.data),
        has_rep=has_rep,
        has_def=has_def,
        num_buffers=layout.num_buffers,
        is_large=layout.has_large_chunk,
    )
    sizes = stored.sizes
    at, parts = len(chunk.data) - len(stored.parts), list[bytes]()
    for size in [
        *([sizes.len_rep or 0] if has_rep else []),
        *([sizes.len_def or 0] if has_def else []),
        *(sizes.len_large_buffers or sizes.len_small_buffers or ()),
    ]:
        at = -(-at // _UNIT) * _UNIT
        check(at + size <= len(chunk.data))
        parts.append(chunk.data[at : at + size])
        at += size
    chunk.rep = (parts.pop(0), sizes.num_levels) if has_rep else None
    chunk.definition = (parts.pop(0), sizes.num_levels) if has_def else None
    chunk.parts = parts


def _levels(encoding: Any, stored: tuple[bytes, int]) -> list[int]:
    return [int.from_bytes(each, "little") for each in block_values(encoding, *stored)]


def _entries(layers: Layers, chunks: list[_Chunk]) -> list[list[tuple[int, int, int]]]:
    """For each chunk its entries: levels, and the number of the value in the chunk, or -1."""
    found = []
    for chunk in chunks:
        rep, definition = chunk.rep, chunk.definition
        if rep is None:
            rep = [0] * (chunk.count if definition is None else len(definition))
        if definition is None:
            definition = [0] * len(rep)
        entries, value = [], 0
        for pair in zip(rep, definition, strict=True):
            is_there = pair[1] <= layers.visible or not layers.lists
            entries.append((*pair, value if is_there else -1))
            value += is_there
        found.append(entries)
    counts = [sum(each[2] >= 0 for each in entries) for entries in found]
    wanted = [chunk.count for chunk in chunks]
    refused_at(PAGE, lambda: check(sum(counts) == sum(wanted)))
    bad = [
        chunk.place
        for chunk, count in zip(chunks, counts, strict=True)
        if count != chunk.count and len(chunks) > 1
    ]
    if bad:
        raise Refused(*bad)
    return found


def chunk_rows(
    file: bytes, page: Page, layout: Any, type_: pa.DataType, rows: Sequence[int]
) -> list[Any]:
    """Rows of a page of chunks by their numbers, which ascend."""
    layers = Layers(layout.layers, type_)
    chunks = _chunks(file, page, layout)
    if layers.lists:
        _number_rows(file, page, chunks)
    else:
        _number_values(page, layout, chunks)
    chosen = [chunk for chunk in chunks if set(rows).intersection(chunk.rows)]
    found = _chosen_rows(layers, layout, chosen, set(rows))
    entries = [entry for row in rows for entry in found[row]]
    stored = _stored_values(layout, chosen, entries)
    items = _dictionary(file, page, layout, layers) if layout.HasField("dictionary") else None
    refused_at(PAGE, lambda: check(all(state <= layers.most for _, state, _ in entries)))
    values = refused_at(PAGE, lambda: _leaves(layers, entries, stored, items))

    def made() -> list[Any]:
        return [
            layers.value([(rep, state, values.get(place)) for rep, state, place in found[row]])
            for row in rows
        ]

    result: list[Any] = refused_at(PAGE, made)
    return result


def _number_values(page: Page, layout: Any, chunks: list[_Chunk]) -> None:
    """Let chunks know which rows they have, where each value is one."""
    refused_at(PAGE, lambda: check(page.length == layout.num_items))
    first = 0
    for chunk in chunks:
        chunk.rows = range(first, first + chunk.count)
        first += chunk.count


def _stored_values(layout: Any, chosen: list[_Chunk], entries: list[_Entry]) -> _Stored:
    """The values of entries, by the chunks that they are in and their numbers in these."""
    numbers = [[value for *_, (at, value) in entries if at == each] for each in range(len(chosen))]
    pairs = zip(chosen, numbers, strict=True)
    found = each_of(
        [(pair[0].place, pair) for pair in pairs],
        lambda pair: _picked(layout.value_compression, *pair),
    )
    return {(at, number): raw for at, of in enumerate(found) for number, raw in of.items()}


def _dictionary(file: bytes, page: Page, layout: Any, layers: Layers) -> list[Any]:
    """The items that values are numbers of."""

    def items() -> list[Any]:
        count = layout.num_dictionary_items
        found = block_values(layout.dictionary, buffer_of(file, page, 2), count)
        leaf_values(layers.leaf, found)
        return found

    found: list[Any] = refused_at(page.buffers[2][0], items)
    return found


def _leaves(
    layers: Layers, entries: list[_Entry], stored: _Stored, items: list[Any] | None
) -> _Stored:
    """The values of the leaf, null where an entry is."""
    kept = [(state, place) for _, state, place in entries if place[1] >= 0]
    raws = [None if state else stored[place] for state, place in kept]
    if items is not None:
        codes = [None if raw is None else int.from_bytes(raw, "little") for raw in raws]
        check(all(code is None or code < len(items) for code in codes))
        raws = [None if code is None else items[code] for code in codes]
    return dict(zip([place for _, place in kept], leaf_values(layers.leaf, raws), strict=True))


def _read_levels(chosen: list[_Chunk], name: str, encoding: Any, *, is_read: bool) -> None:
    """Let chunks have levels instead of the bytes of these; None where they have none."""
    stored = [getattr(chunk, name) for chunk in chosen]
    found: list[Any] = [None] * len(chosen)
    if is_read and all(each is not None for each in stored):
        places = [chunk.place for chunk in chosen]
        found = each_of(zip(places, stored, strict=True), lambda each: _levels(encoding, each))
    for chunk, levels in zip(chosen, found, strict=True):
        setattr(chunk, name, levels)


def _chosen_rows(
    layers: Layers, layout: Any, chosen: list[_Chunk], wanted: set[int]
) -> dict[int, list[_Entry]]:
    """The entries of rows: levels, and the chunk and the number in it of the value."""
    places = [(chunk.place, chunk) for chunk in chosen]
    each_of(places, lambda chunk: _cut(layout, chunk))
    _read_levels(chosen, "rep", layout.rep_compression, is_read=layers.lists > 0)
    _read_levels(chosen, "definition", layout.def_compression, is_read=layers.most > 0)
    rows: dict[int, list[Any]] = {each: [] for each in wanted}
    groups = []
    for number, (chunk, entries) in enumerate(zip(chosen, _entries(layers, chosen), strict=True)):
        placed = [(rep, state, (number, value)) for rep, state, value in entries]
        groups.append((chunk, split(placed, layers.lists)))

    def sound(group: tuple[_Chunk, list[list[Any]]]) -> None:
        chunk, parts = group
        check(len(parts) == len(chunk.rows))
        begins = not parts or parts[0][0][0] >= layers.lists
        check(not parts or begins != chunk.goes_on)

    each_of(((each[0].place, each) for each in groups), sound)
    for chunk, parts in groups:
        for row, part in zip(chunk.rows, parts, strict=True):
            if row in rows:
                rows[row] += part
    return rows


def _picked(encoding: Any, chunk: _Chunk, numbers: list[int]) -> dict[int, Any]:
    """Values of a chunk by their numbers; offsets between other values are not read."""
    wanted = [each for each in numbers if each >= 0]
    kind = encoding.WhichOneof("compression")
    if kind == "fsst":
        found = _picked(encoding.fsst.values, chunk, wanted)
        texts = coded_texts(encoding.fsst.symbol_table, list(found.values()))
        return dict(zip(found, texts, strict=True))
    if kind == "packed_struct":
        flat = _Chunk(chunk.place, b"", chunk.count, parts=chunk.parts)
        return _picked(encoding.packed_struct.values, flat, wanted)
    if kind != "variable":
        values = chunk_values(encoding, chunk.parts, chunk.count)
        return {each: values[each] for each in wanted}
    width, data = encoding.variable.offsets.flat.bits_per_value // 8, chunk.parts[0]
    least = (chunk.count + 1) * width
    check(least <= len(data))
    result = {}
    for each in wanted:
        begin, end = (number_at(data, (each + side) * width, width) for side in (0, 1))
        check(least <= begin <= end <= len(data))
        result[each] = data[begin:end]
    return result
