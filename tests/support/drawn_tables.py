"""Tables drawn by Hypothesis: nested columns of every type, in parts, with metadata, in batches.

A draw chooses types, nulls, and how values are alike; the values themselves come from a seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

__all__ = ["tables"]

FIXED = [
    pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(),
    pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(),
    pa.bool_(), pa.date32(), pa.date64(),
    pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    pa.timestamp("s"), pa.timestamp("ms", "UTC"), pa.timestamp("us", "+05:30"),
    pa.timestamp("ns", "Europe/Berlin"), pa.duration("s"), pa.duration("ns"),
    pa.decimal128(5, 2), pa.decimal128(38, 10), pa.decimal256(60, 0), pa.binary(3),
]  # fmt: skip
LEAVES = [
    *FIXED, pa.binary(1), pa.binary(13), pa.binary(300), pa.null(),
    pa.string(), pa.binary(), pa.large_string(), pa.large_binary(), pa.string_view(),
    pa.binary_view(),
    pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.large_string()),
    pa.uuid(), pa.bool8(), pa.opaque(pa.int64(), "a", "b"),
    pa.fixed_shape_tensor(pa.float32(), [2, 3]),
]  # fmt: skip
ROWS = [0, 1, 2, 7, 64, 200, 1023, 1024, 1025, 3000, 4096]
NAMES = ["a", "\xfc ber", "item", "f 3"]
METADATA = [None, {"k": "v", "empty": ""}, {"\xfc": "\xdf"}]
BLOB = {"lance-encoding:blob": "true"}
ALIKE = ["random", "few", "same", "runs", "ascending", "extreme"]
LENGTHS = [1, 1, 1, 9, 60, 400]


@dataclass(frozen=True)
class _Draw:
    """How the values of a column are drawn.

    random  what they come from
    nulls   shares of null values, of which each level has one
    alike   how values of a leaf are alike, each leaf in one of these ways
    structs whether structs may be null
    """

    random: np.random.Generator
    nulls: list[float]
    alike: list[str]
    structs: bool

    def mask(self, rows: int) -> np.ndarray:
        """Which values are null."""
        found: np.ndarray = self.random.random(rows) < self.random.choice(self.nulls)
        return found


@st.composite
def types(draw: st.DrawFn, depth: int, *, maps: bool) -> pa.DataType:
    """A type of at most *depth* levels above its leaves.

    maps  whether there may be maps
    """
    kinds = ["leaf", "leaf", "vector"]
    if depth:
        kinds += ["list", "struct", *(["map"] if maps else [])]
    kind = draw(st.sampled_from(kinds))
    inner = types(depth - 1, maps=maps)
    if kind == "list":
        make = draw(st.sampled_from([pa.list_, pa.large_list]))
        return make(pa.field(draw(st.sampled_from(["item", "x"])), draw(inner)))
    if kind == "struct":
        count = draw(st.integers(1, 3))
        return pa.struct([pa.field(NAMES[n], draw(inner)) for n in range(count)])
    if kind == "map":
        return pa.map_(draw(st.sampled_from([pa.string(), pa.int32()])), draw(inner))
    if kind == "vector":
        found = pa.list_(draw(st.sampled_from(FIXED)), draw(st.sampled_from([1, 3, 8, 130])))
        return pa.list_(found, 2) if draw(st.booleans()) else found
    return draw(st.sampled_from(LEAVES))


@st.composite
def tables(draw: st.DrawFn, *, version: str, blobs: bool = True) -> pa.Table:
    """A table of one to four columns, in batches of any sizes, that a version of Lance can have.

    blobs  whether columns may be blobs
    """
    rows = draw(st.sampled_from(ROWS))
    arrays, fields = [], []
    for name in NAMES[: draw(st.integers(1, 4))]:
        type_ = draw(types(draw(st.integers(0, 4)), maps=version == "2.2"))
        of = _Draw(
            np.random.default_rng(draw(st.integers(0, 2**32))),
            draw(st.sampled_from([[0], [0, 0.2], [0.2, 0.95], [0, 1], [1]])),
            draw(st.lists(st.sampled_from(ALIKE), min_size=1, max_size=2)),
            version != "2.0",
        )
        before, after = draw(st.sampled_from([(0, 0), (3, 0), (9, 5)]))
        arrays.append(_array(type_, before + rows + after, of).slice(before, rows))
        of_blobs = [BLOB] if blobs and type_ == pa.large_binary() else []
        metadata = draw(st.sampled_from([*METADATA, *of_blobs]))
        fields.append(pa.field(name, type_, metadata=metadata))
    schema = pa.schema(fields, metadata=draw(st.sampled_from(METADATA)))
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=4)))
    ends = zip([0, *cuts], [*cuts, rows], strict=True)
    return pa.Table.from_batches([batch.slice(first, end - first) for first, end in ends], schema)


def _array(type_: pa.DataType, rows: int, of: _Draw) -> pa.Array:
    """Values of a type, with more below null ones, some of them parts of longer arrays."""
    extra = int(of.random.integers(0, 3))
    made = _whole(type_, rows + extra, of)
    return made.slice(extra, rows)


def _whole(type_: pa.DataType, rows: int, of: _Draw) -> pa.Array:  # noqa: PLR0911  a line a kind
    if isinstance(type_, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type_, _whole(type_.storage_type, rows, of))
    mask = of.mask(rows)
    if pa.types.is_null(type_):
        return pa.nulls(rows)
    if pa.types.is_struct(type_):
        children = [_array(each.type, rows, of) for each in type_]
        null = pa.array(mask) if of.structs else None
        return pa.StructArray.from_arrays(children, fields=list(type_), mask=null)
    if pa.types.is_fixed_size_list(type_):
        items = _array(type_.value_type, rows * type_.list_size, of)
        return pa.FixedSizeListArray.from_arrays(items, type=type_, mask=pa.array(mask))
    if pa.types.is_map(type_):
        ends = _ends(rows, of)
        keys = _whole(type_.key_type, int(ends[-1]), replace(of, nulls=[0]))
        items = _array(type_.item_type, int(ends[-1]), of)
        offsets = pa.array(ends, pa.int32(), mask=np.append(mask, False))
        return pa.MapArray.from_arrays(offsets, keys, items, type=type_)
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        ends = _ends(rows, of)
        items = _array(type_.value_type, int(ends[-1]), of)
        is_large = pa.types.is_large_list(type_)
        kind = pa.LargeListArray if is_large else pa.ListArray
        offsets = pa.array(ends, pa.int64() if is_large else pa.int32())
        return kind.from_arrays(offsets, items, type=type_, mask=pa.array(mask))
    if pa.types.is_dictionary(type_):
        words = pa.array([f"word {number}" for number in range(7)], type_.value_type)
        indices = pa.array(of.random.integers(0, 7, rows), type_.index_type, mask=mask)
        return pa.DictionaryArray.from_arrays(indices, words)
    return _leaf(type_, _numbers(rows, of), mask, of)


def _ends(rows: int, of: _Draw) -> np.ndarray:
    """Where lists begin and end."""
    sizes = of.random.integers(0, of.random.choice([1, 2, 5]), rows)
    return np.append(0, np.cumsum(sizes))


def _numbers(rows: int, of: _Draw) -> np.ndarray:
    """Integers of 62 bits at most."""
    alike, random = of.random.choice(of.alike), of.random
    if alike == "same":
        return np.full(rows, random.integers(0, 1 << 40), np.int64)
    if alike in {"runs", "ascending"}:
        found: np.ndarray = np.arange(rows, dtype=np.int64)
        return found // int(random.choice([3, 50, 700])) if alike == "runs" else found
    most = {"few": 20, "random": 1 << 30, "extreme": 1 << 62}[alike]
    drawn: np.ndarray = random.integers(0, most, rows)
    return drawn


def _leaf(type_: pa.DataType, numbers: np.ndarray, mask: np.ndarray, of: _Draw) -> pa.Array:
    if pa.types.is_boolean(type_):
        return pa.array(numbers % 2 == 0, mask=mask)
    if pa.types.is_floating(type_):
        return pa.array((numbers % 2000).astype(type_.to_pandas_dtype()) / 8, type_, mask=mask)
    if pa.types.is_integer(type_):
        return pa.array(numbers.astype(type_.to_pandas_dtype()), type_, mask=mask)
    if pa.types.is_temporal(type_):
        return _moments(type_, numbers, mask)
    if pa.types.is_decimal(type_):
        values = [Decimal(number % 99_999).scaleb(-type_.scale) for number in numbers.tolist()]
    else:
        values = _bytes(type_, numbers, int(of.random.choice(LENGTHS)))
    return pa.array(np.array(values, object), type_, mask=mask)


def _moments(type_: pa.DataType, numbers: np.ndarray, mask: np.ndarray) -> pa.Array:
    """Dates, times, timestamps and durations that Python has too."""
    if pa.types.is_date32(type_):
        numbers = numbers % 100_000
    elif pa.types.is_time(type_):
        numbers = numbers % 86_400
    elif pa.types.is_date64(type_):
        numbers = numbers % 100_000 * 86_400_000
    elif type_.bit_width == 64:
        numbers = numbers % (1 << 32)
    if "[ns" in str(type_):
        numbers = numbers // 1000 * 1000  # Python's types have no nanoseconds
    width = type_.bit_width
    stored = pa.array(numbers.astype(f"i{width // 8}"), mask=mask)
    return pa.Array.from_buffers(type_, len(numbers), stored.buffers(), stored.null_count)


def _bytes(type_: pa.DataType, numbers: np.ndarray, length: int) -> list[Any]:
    """Texts of digits and one letter that takes two bytes, some empty."""
    if pa.types.is_fixed_size_binary(type_):
        width = type_.byte_width
        return [(b"%d" % each).rjust(width, b"\xff")[:width] for each in numbers.tolist()]
    texts = [f"\xe9{each}" * length if each % 7 else "" for each in numbers.tolist()]
    is_text = "string" in str(type_)
    return texts if is_text else [each.encode() for each in texts]
