"""Files by pylance, and columns of every type for them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["COLUMNS", "column", "drawn", "written"]

COLUMNS = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "uint16": pa.uint16(),
    "int32": pa.int32(),
    "uint64": pa.uint64(),
    "half": pa.float16(),
    "double": pa.float64(),
    "text": pa.string(),
    "few texts": pa.string(),
    "large text": pa.large_string(),
    "bytes": pa.binary(),
    "decimal": pa.decimal128(20, 3),
    "fixed bytes": pa.binary(5),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("ns", "Europe/Berlin"),
    "duration": pa.duration("ms"),
    "dictionary": pa.dictionary(pa.int16(), pa.string()),
    "vector": pa.list_(pa.float32(), 4),
    "bits": pa.list_(pa.bool_(), 3),
    "fixed bytes lists": pa.list_(pa.binary(5), 3),
    "list": pa.list_(pa.int32()),
    "large list": pa.large_list(pa.string()),
    "lists": pa.list_(pa.list_(pa.int16())),
    "struct": pa.struct([("a", pa.int32()), ("b", pa.string())]),
    "structs": pa.list_(pa.struct([("a", pa.int8()), ("b", pa.list_(pa.string()))])),
}


WORD = "w\xf6rter "


def column(name: str, rows: int, nulls: float, *, seed: int = 0) -> pa.Array:
    """Return a column of one of `COLUMNS` of which a share is null, at every level but structs."""
    random = np.random.default_rng(seed)
    return _array(COLUMNS[name], rows, nulls, random, few=name.startswith("few"))


def drawn(type_: pa.DataType, rows: int, nulls: float) -> pa.Array:
    """Return a column of any type, as `column`."""
    return _array(type_, rows, nulls, np.random.default_rng(rows))


def written(path: Path, table: pa.Table, version: str, **settings: Any) -> Path:
    """Return a file that pylance wrote."""
    from lance.file import LanceFileWriter

    with LanceFileWriter(str(path), table.schema, version=version, **settings) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    return path


def _array(
    type_: pa.DataType, rows: int, nulls: float, random: np.random.Generator, *, few: bool = False
) -> pa.Array:
    if pa.types.is_struct(type_):
        children = [_array(each.type, rows, nulls, random) for each in type_]
        return pa.StructArray.from_arrays(children, fields=list(type_))
    mask = random.random(rows) < nulls
    if pa.types.is_fixed_size_list(type_):
        items = _array(type_.value_type, rows * type_.list_size, nulls, random)
        return pa.FixedSizeListArray.from_arrays(items, type=type_, mask=pa.array(mask))
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        sizes = np.where(mask, 0, random.integers(0, 4, rows))
        offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]))
        items = _array(type_.value_type, int(sizes.sum()), nulls, random)
        kind = pa.LargeListArray if pa.types.is_large_list(type_) else pa.ListArray
        offsets = offsets.cast(pa.int64() if kind is pa.LargeListArray else pa.int32())
        return kind.from_arrays(offsets, items, type=type_, mask=pa.array(mask))
    if pa.types.is_dictionary(type_):
        indices = pa.array(random.integers(0, 7, rows), type_.index_type, mask=mask)
        words = pa.array([f"word {number}" for number in range(7)])
        return pa.DictionaryArray.from_arrays(indices, words)
    return pa.array(_values(type_, rows, random, few=few), type_, mask=mask)


def _values(type_: pa.DataType, rows: int, random: np.random.Generator, *, few: bool) -> Any:
    """Values of a type without children."""
    numbers = random.integers(0, 20 if few else 100, rows)
    if pa.types.is_boolean(type_):
        return numbers % 2 == 0
    if pa.types.is_integer(type_) or pa.types.is_floating(type_):
        return numbers.astype(type_.to_pandas_dtype())
    if pa.types.is_temporal(type_):
        stored = pa.array(numbers).cast(pa.int32() if type_.bit_width == 32 else pa.int64())
        return stored.cast(type_).to_numpy(zero_copy_only=False)
    return np.array([_text(type_, each) for each in numbers.tolist()], object)


def _text(type_: pa.DataType, number: int) -> Any:
    """A value made of digits."""
    if pa.types.is_decimal(type_):
        return Decimal(number) / 8
    if pa.types.is_fixed_size_binary(type_):
        return b"%0*d" % (type_.byte_width, number)
    text = WORD[: number % 8] + str(number)
    return text.encode() if pa.types.is_binary(type_) else text
