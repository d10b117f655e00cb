"""Read structs of Parquet's footers and page headers by loops that the spec's tables drive.

- `numbers` and `heads` give the numbers and header bytes of fields by name.  A name that the spec
  lacks is refused when the module that asks for it is imported.
- `layout` makes a table of the wanted fields, given by their paths; `take_struct` walks a struct
  and those nested in it, and puts wanted fields into slots.  Fields that a layout lacks, or that
  have a different type, are skipped.
- `chunk_at` checks a column chunk against its leaf of the schema.

Source: specs/parquet/footers.yaml; Apache Thrift, ``thrift-compact-protocol.md``
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.kernels.thrift import (
    BINARY,
    I16,
    I32,
    I64,
    LIST,
    STRUCT,
    TRUE,
    list_head,
    next_field,
    number_at,
    passed,
    varint,
)
from byteloom.native.kernel import kernel
from byteloom_generated.parquet import footers
from byteloom_generated.parquet.footers import CODECS, TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom_generated.parquet.footers import ThriftField, ThriftName

__all__ = [
    "BOUND",
    "CODEC",
    "CODECS_READ",
    "DICTIONARY",
    "ENCODINGS",
    "ENCRYPTED",
    "END",
    "FIELDS",
    "HISTOGRAM",
    "IS_PLAIN",
    "IS_THERE",
    "KINDS",
    "MANY",
    "OTHERS",
    "PAGES",
    "RAW",
    "STORED",
    "TEXT_SIZE",
    "TYPE",
    "UNKNOWN_CODEC",
    "VALUES",
    "chunk_at",
    "heads",
    "layout",
    "numbers",
    "table",
    "take_struct",
]

KINDS: Final = {
    "bool": TRUE, "i16": I16, "i32": I32, "i64": I64, "binary": BINARY, "list": LIST,
    "struct": STRUCT,
}  # fmt: skip
_LONGEST_STEP: Final = 15


def numbers(
    table: tuple[ThriftField, ...] | tuple[ThriftName, ...], *names: str
) -> tuple[int, ...]:
    """Return the numbers of *names* in a table."""
    known = {each.name: each.number for each in table}
    return tuple(known[each] for each in names)


def heads(struct: tuple[ThriftField, ...], *names: str) -> tuple[int, ...]:
    """Return the header byte of each of the fields *names*, which are stored in this order.

    ValueError  a difference of field numbers that does not fit the byte
    """
    known = {each.name: each for each in struct}
    found, before = list[int](), 0
    for each in map(known.__getitem__, names):
        step = each.number - before
        if not 0 < step <= _LONGEST_STEP:
            raise ValueError(f"{each.name}: found a step of {step}, wanted 1 to {_LONGEST_STEP}")
        found.append(step << 4 | KINDS[each.kind])
        before = each.number
    return tuple(found)


word: Any = np.int64

MANY: Final = 62
"""Numbers in a list of i32 from this one on are not distinguished, nor are those below 0."""

OTHERS: Final = 0
"""The slot that counts the fields of the outermost struct that the layout lacks."""

END: Final = " end"
"""The suffix of a struct's path that stands for the offset of its end."""

_FALSE: Final = 2
_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def layout(struct: str, slots: Mapping[str, int]) -> np.ndarray:
    """Return the layout of a struct of the spec, given by its name there.

    slots   the slots, from 1 on, by paths such as ``meta_data.statistics.max``
    return  int64[struct, field]: the field's type, its slot or 0, and the struct nested in it, with
            8 bits each; field 0 has the struct's number in the enclosing one, the slot for its end,
            and the enclosing struct
    """
    structs = {"": (0, _fields(struct))}
    found = np.zeros((1 + sum("." in each for each in slots), 32), np.int64)
    for path, slot in slots.items():
        *around, name = path.removesuffix(END).split(".")
        node, fields = _inside(structs, found, ".".join(around))
        field = fields[name]
        if path.endswith(END):
            inner, _ = _inside(structs, found, path.removesuffix(END))
            found[inner, 0] |= slot << 8
        else:
            found[node, field.number] |= KINDS[field.kind] | slot << 8
    return found[: len(structs)].copy()


def _inside(
    structs: dict[str, tuple[int, dict[str, ThriftField]]], found: np.ndarray, path: str
) -> tuple[int, dict[str, ThriftField]]:
    """Return the index and the fields of the struct at *path*, which is added if it is new."""
    if path not in structs:
        around, _, name = path.rpartition(".")
        node, fields = _inside(structs, found, around)
        field, inner = fields[name], len(structs)
        structs[path] = inner, _fields(field.type)
        found[node, field.number] |= KINDS[field.kind] | inner << 16
        found[inner, 0] = field.number | node << 16
    return structs[path]


def table(struct: str) -> tuple[ThriftField, ...]:
    """Return the fields of a struct, given by its name in the spec; none if the spec lacks it."""
    found: tuple[ThriftField, ...] = getattr(footers, _CASE.sub("_", struct).upper(), ())
    return found


def _fields(struct: str) -> dict[str, ThriftField]:
    """Return the fields of a struct by name."""
    return {each.name: each for each in table(struct)}


@kernel
def _numbers(data: np.ndarray, at: int) -> int:
    """Return the bits of the numbers in a list of i32, and the size of any other list."""
    size, inner, at = list_head(data, at)
    if inner != I32:
        return size
    bits = word(0)
    for _ in range(size):
        number, at = number_at(data, at)
        bits |= word(1) << (number if 0 <= number < MANY else MANY)
    return bits


@kernel
def take_struct(data: np.ndarray, at: int, layout: np.ndarray, found: np.ndarray) -> int:
    """Read a struct, and return the offset after it.

    found  int64[slot]: the value of a number, 1 or 0 for a bool, the size of bytes and lists, the
           offset of a struct; of a list of i32 a bit for each number in it, the highest one for
           those of `MANY` and above; slots of absent fields are not changed
    """
    node = number = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            if not node:
                return at
            entry = int(layout[node, 0])
            if entry >> 8 & 255:
                found[entry >> 8 & 255] = at
            node, number = entry >> 16, entry & 255
            continue
        entry = int(layout[node, number]) if 0 < number < layout.shape[1] else 0
        if entry & 255 != (kind if kind != _FALSE else TRUE):
            found[OTHERS] += not node
            at = passed(data, at, kind)
            continue
        slot = entry >> 8 & 255
        if I16 <= kind <= I64:
            found[slot], at = number_at(data, at)
        elif kind == STRUCT:
            if slot:
                found[slot] = at
            if entry >> 16:
                node, number = entry >> 16, 0
            else:
                at = passed(data, at, kind)
        else:
            if kind == BINARY:
                found[slot], _ = varint(data, at)
            elif kind == LIST:
                found[slot] = _numbers(data, at)
            else:
                found[slot] = kind == TRUE
            at = passed(data, at, kind)


TYPE, BOUND, HISTOGRAM, TEXT_SIZE, ENCRYPTED, UNKNOWN_CODEC = range(1, 7)
"""Codes for what is wrong with a chunk."""

FIELDS: Final = 21
VALUES, CODEC, RAW, STORED, PAGES, DICTIONARY, IS_THERE, IS_PLAIN, ENCODINGS = range(1, 10)
"""The fields of a chunk: values, codec, bytes when decompressed and as stored, the offsets of data
pages and of
the dictionary; whether it has metadata, and nothing else but the offsets of indexes; a bit
for each encoding."""

_OF, _MAX, _MIN, _MAX_VALUE, _MIN_VALUE = range(10, 15)
_TEXT, _REPETITIONS, _DEFINITIONS, _CRYPTO, _SEALED, _PASSED = range(15, 21)

_CHUNK: Final = layout(
    "ColumnChunk",
    {
        "file_offset": _PASSED,
        "offset_index_offset": _PASSED,
        "offset_index_length": _PASSED,
        "column_index_offset": _PASSED,
        "column_index_length": _PASSED,
        "crypto_metadata": _CRYPTO,
        "encrypted_column_metadata": _SEALED,
        "meta_data": IS_THERE,
        "meta_data.type": _OF,
        "meta_data.encodings": ENCODINGS,
        "meta_data.codec": CODEC,
        "meta_data.num_values": VALUES,
        "meta_data.total_uncompressed_size": RAW,
        "meta_data.total_compressed_size": STORED,
        "meta_data.data_page_offset": PAGES,
        "meta_data.dictionary_page_offset": DICTIONARY,
        "meta_data.statistics.max": _MAX,
        "meta_data.statistics.min": _MIN,
        "meta_data.statistics.max_value": _MAX_VALUE,
        "meta_data.statistics.min_value": _MIN_VALUE,
        "meta_data.size_statistics.unencoded_byte_array_data_bytes": _TEXT,
        "meta_data.size_statistics.repetition_level_histogram": _REPETITIONS,
        "meta_data.size_statistics.definition_level_histogram": _DEFINITIONS,
    },
)
_ABSENT: Final = -(1 << 63)
(_BYTE_ARRAY,) = numbers(TYPES, "BYTE_ARRAY")

CODECS_READ: Final = tuple(each.name for each in CODECS if each.name != "LZO")
"""The codecs that can be read: all that the format has but LZO, which pyarrow lacks."""

_CODECS_READ: Final = numbers(CODECS, *CODECS_READ)


@kernel
def chunk_at(data: np.ndarray, at: int, leaf: np.ndarray, here: np.ndarray) -> tuple[int, int]:
    """Fill in the fields of a column chunk; return the code of an error, or 0, and the chunk's end.

    leaf  physical type, size of a bound or -1, the highest repetition and definition levels
    here  int64[FIELDS]
    """
    here[:] = 0
    here[VALUES] = here[STORED] = here[_CRYPTO] = here[_SEALED] = -1
    here[_OF], here[_TEXT] = leaf[0], _ABSENT
    here[_MAX] = here[_MIN] = here[_MAX_VALUE] = here[_MIN_VALUE] = leaf[1]
    at = take_struct(data, at, _CHUNK, here)
    here[IS_THERE] = here[IS_THERE] > 0
    here[IS_PLAIN] = here[OTHERS] == 0
    if here[_CRYPTO] >= 0 or here[_SEALED] >= 0:
        return ENCRYPTED, at
    if here[_OF] != leaf[0]:
        return TYPE, at
    bounds = here[_MAX] == here[_MIN] == here[_MAX_VALUE] == here[_MIN_VALUE] == leaf[1]
    if leaf[1] >= 0 and not bounds:
        return BOUND, at
    for level in range(2):
        size = here[_REPETITIONS + level]
        if size not in (0, leaf[2 + level] + 1):
            return HISTOGRAM, at
    if here[_TEXT] != _ABSENT and leaf[0] != _BYTE_ARRAY:
        return TEXT_SIZE, at
    if here[CODEC] not in _CODECS_READ:
        return UNKNOWN_CODEC, at
    return 0, at
