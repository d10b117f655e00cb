"""Reassemble shredded variants, whose values a Parquet file stores in columns of their own.

The rules:

- Each level has a ``value``, a ``typed_value`` or both: the latter is a primitive, a list of such
  levels, or a struct of them by the names of fields, to which ``value`` may add others.
- A value in neither is missing from its object; elsewhere it is the variant null.
- A shredded field comes only from its own columns, even if ``value`` has a field of that name.
- Values are encoded in the fewest bytes, except that field ids are as wide as the metadata's number
  of names requires, and fields are in the order of their names.  Metadata stays as it is.

Source: Apache Parquet, "Variant Shredding" and "Variant Binary Encoding".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.flags import flags_of
from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests.arrow_columns import gathered
from byteloom.kernels.variant_objects import (
    ABSENT,
    NO_OBJECT,
    find_names,
    object_sizes,
    put_objects,
)
from byteloom.kernels.variants import array_sizes, put_arrays, put_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

__all__ = ["unshredded"]

_NULL: Final = 0
_TRUE, _FALSE = 1 << 2, 2 << 2
_BINARY, _STRING = 15 << 2, 16 << 2
_FIXED: Final[dict[pa.DataType, int]] = {
    pa.int8(): 3,
    pa.int16(): 4,
    pa.int32(): 5,
    pa.int64(): 6,
    pa.float64(): 7,
    pa.date32(): 11,
    pa.timestamp("us", "UTC"): 12,
    pa.timestamp("us"): 13,
    pa.float32(): 14,
    pa.time64("us"): 17,
    pa.timestamp("ns", "UTC"): 18,
    pa.timestamp("ns"): 19,
    pa.binary(16): 20,
}
"""The variant type of each Arrow type whose value is stored as a header and Arrow's bytes."""

_DECIMALS: Final = ((9, 8, 4), (18, 9, 8), (38, 10, 16))
"""Precision up to which a decimal is of a variant type, the type, and its number of bytes."""


def unshredded(array: pa.StructArray, name: str) -> pa.Array:
    """Return the values of a column of variants as large_binary, using the same metadata.

    Args:
        array: Structs of ``metadata``, ``typed_value`` and usually ``value``.

    Raises:
        FormatError: Levels that contradict each other, or a name that the metadata lacks.
        Unsupported: Values of a type that variants do not have.
    """
    fields = _children(array)
    if fields["metadata"].null_count > array.null_count:
        raise FormatError(f"column {name}", None, "a variant without metadata", "metadata")
    coded = fields["metadata"].cast(pa.large_binary()).dictionary_encode()
    codes = coded.indices.fill_null(0).to_numpy().astype(np.int64)
    column = _Column(name, _spans(coded.dictionary))
    return _array(_or_null(column.level(fields, codes)))


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of variants.

    Attributes:
        metadata: The distinct metadata.
    """

    name: str
    metadata: Spans

    def level(self, fields: dict[str, pa.Array], codes: Numbers) -> Spans:
        """Return the values of one level, missing where neither of its columns has one.

        Args:
            codes: The index of each row's metadata.
        """
        value, typed = fields.get("value"), fields.get("typed_value")
        if value is None and typed is None:
            raise self._wrong("neither value nor typed_value", "one of them")
        held = _missing(len(codes)) if value is None else _spans(value)
        if typed is None:
            return held
        if pa.types.is_dictionary(typed.type):
            typed = typed.dictionary_decode()
        if pa.types.is_struct(typed.type):
            return _either(self._objects(typed, held, codes), held)
        is_list = pa.types.is_list(typed.type) or pa.types.is_large_list(typed.type)
        made = self._lists(typed, codes) if is_list else self._primitives(typed)
        if ((held.sizes >= 0) & (made.sizes >= 0)).any():
            raise self._wrong(
                "both value and typed_value", "one of them, for a value that is not an object"
            )
        return _either(made, held)

    def _primitives(self, typed: pa.Array) -> Spans:
        """Return values that are one number, timestamp, text or other primitive."""
        of, valid = typed.type, _valid(typed)
        if pa.types.is_boolean(of):
            flags = flags_of(typed.fill_null(fill_value=False))
            return _of_width(np.where(flags, _TRUE, _FALSE).astype(np.uint8)[:, None], valid)
        if pa.types.is_decimal128(of):
            _, number, size = next(each for each in _DECIMALS if of.precision <= each[0])
            return _of_width(_headed(_bytes(typed)[:, :size], number << 2, of.scale), valid)
        if of in _FIXED:
            return _of_width(_headed(_bytes(typed), _FIXED[of] << 2), valid)
        if pa.types.is_string(of) or pa.types.is_large_string(of):
            return _texts(_spans(typed), _STRING)
        if pa.types.is_binary(of) or pa.types.is_large_binary(of):
            return _texts(_spans(typed), _BINARY)
        raise Unsupported(self._where, None, f"typed_value of {of}", "a type that variants have")

    def _lists(self, typed: pa.Array, codes: Numbers) -> Spans:
        """Return arrays, whose elements are levels."""
        offsets = typed.offsets.to_numpy().astype(np.int64)
        first, last = (int(offsets[0]), int(offsets[-1])) if len(offsets) else (0, 0)
        elements = typed.values.slice(first, last - first)
        if not pa.types.is_struct(elements.type):
            raise self._wrong(f"elements of {elements.type}", "groups of value and typed_value")
        offsets = offsets - first
        inner = np.repeat(codes, np.diff(offsets))
        items = _or_null(self.level(_children(elements), inner))
        valid, sizes = _valid(typed), np.empty(len(typed), np.int64)
        array_sizes(offsets, items.sizes, valid, sizes)
        out, starts = _room(sizes)
        put_arrays(offsets, items.data, items.places, items.sizes, valid, out, starts)
        return Spans(out, starts, sizes)

    def _objects(self, typed: pa.StructArray, rest: Spans, codes: Numbers) -> Spans:
        """Return objects of the shredded fields and of the other fields in *rest*."""
        fields = sorted(_children(typed).items(), key=lambda each: each[0].encode())
        held = [self._field(each, codes) for _, each in fields]
        data, places = _together(held)
        sizes = np.stack([each.sizes for each in held], axis=1)
        names = Spans.of(name.encode() for name, _ in fields)
        ends = np.append(0, np.cumsum(names.sizes))
        ids, counts = self._ids(names.data, ends)
        valid, total = _valid(typed), np.empty(len(typed), np.int64)
        meta = (self.metadata.data, self.metadata.places, self.metadata.sizes)
        others = (rest.data, rest.places, rest.sizes)
        known = (names.data, ends, *meta, *others)
        self._check(*object_sizes(valid, codes, ids, counts, places, sizes, *known, total))
        out, starts = _room(total)
        put_objects(valid, codes, ids, counts, data, places, sizes, *known, out, starts)
        return Spans(out, starts, total)

    def _field(self, group: pa.Array, codes: Numbers) -> Spans:
        """Return the values of one field of objects."""
        if not pa.types.is_struct(group.type):
            raise self._wrong(f"a field of {group.type}", "a group of value and typed_value")
        return self.level(_children(group), codes)

    def _ids(self, names: NDArray[np.uint8], ends: Numbers) -> tuple[Numbers, Numbers]:
        """Return the ids of names in each metadata, and how many names each has."""
        held = self.metadata
        ids = np.empty((len(held), len(ends) - 1), np.int64)
        counts = np.empty(len(held), np.int64)
        self._check(*find_names(held.data, held.places, held.sizes, names, ends, ids, counts))
        return ids, counts

    def _check(self, row: int, code: int) -> None:
        """Raise the error for a code that a kernel returned."""
        if row < 0:
            return
        if code == ABSENT:
            raise self._wrong("a shredded field that the metadata does not name", "all names there")
        if code == NO_OBJECT:
            raise self._wrong("shredded fields beside a value that is not an object", "an object")
        raise self._wrong("variants that lead out of their bytes", "sound metadata and values")

    def _wrong(self, found: str, wanted: str) -> FormatError:
        return FormatError(self._where, None, found, wanted)

    @property
    def _where(self) -> str:
        return f"column {self.name}"


def _children(array: pa.StructArray) -> dict[str, pa.Array]:
    """Return the columns of structs by name, null where the struct is."""
    return dict(zip((each.name for each in array.type), array.flatten(), strict=True))


def _valid(array: pa.Array) -> NDArray[np.bool_]:
    """Return which rows are not null."""
    return flags_of(array.is_valid())


def _spans(array: pa.Array) -> Spans:
    """Return the runs of bytes of a column of text or bytes."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    held = array.cast(pa.large_binary())
    _, ends, data = held.buffers()
    if not len(held) or ends is None:
        return _missing(len(held))
    offsets = np.frombuffer(ends, np.int64)[held.offset : held.offset + len(held) + 1]
    sizes = np.where(_valid(held), np.diff(offsets), -1)
    plain = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return Spans(plain, offsets[:-1].copy(), sizes)


def _missing(rows: int) -> Spans:
    """Return that number of missing values."""
    return Spans(np.zeros(0, np.uint8), np.zeros(rows, np.int64), np.full(rows, -1, np.int64))


def _bytes(array: pa.Array) -> NDArray[np.uint8]:
    """Return values of fixed width as bytes, one row each."""
    width, buffer = array.type.byte_width, array.buffers()[1]
    if buffer is None:
        return np.zeros((len(array), width), np.uint8)
    start = array.offset * width
    held = np.frombuffer(buffer, np.uint8)[start : start + len(array) * width]
    return held.reshape(len(array), width)


def _headed(values: NDArray[np.uint8], *header: int) -> NDArray[np.uint8]:
    """Return the values with the same header byte before each."""
    before = np.broadcast_to(np.array(header, np.uint8), (len(values), len(header)))
    return np.concatenate([before, values], axis=1)


def _of_width(values: NDArray[np.uint8], valid: NDArray[np.bool_]) -> Spans:
    """Return runs of fixed width."""
    rows, width = values.shape
    places = np.arange(rows, dtype=np.int64) * width
    return Spans(np.ascontiguousarray(values).reshape(-1), places, np.where(valid, width, -1))


def _texts(held: Spans, header: int) -> Spans:
    """Return texts or bytes after a header and their length."""
    is_short = (header == _STRING) & (held.sizes <= 63)  # noqa: PLR2004  the encoding's own
    sizes = np.where(held.sizes < 0, -1, held.sizes + np.where(is_short, 1, 5))
    out, starts = _room(sizes)
    put_texts(held.data, held.places, held.sizes, header, out, starts)
    return Spans(out, starts, sizes)


def _room(sizes: Numbers) -> tuple[NDArray[np.uint8], Numbers]:
    """Return room for runs of these sizes, and where each starts."""
    ends = np.cumsum(np.maximum(sizes, 0))
    return np.empty(int(ends[-1]) if len(ends) else 0, np.uint8), ends - np.maximum(sizes, 0)


def _together(held: list[Spans]) -> tuple[NDArray[np.uint8], Numbers]:
    """Return runs of several columns in one buffer, and their places by row and column."""
    before = np.cumsum([0, *(len(each.data) for each in held[:-1])])
    places = [each.places + start for each, start in zip(held, before, strict=True)]
    return np.concatenate([each.data for each in held]), np.stack(places, axis=1)


def _either(first: Spans, second: Spans) -> Spans:
    """Return the first value of each row, or the second where the first is missing."""
    is_first = first.sizes >= 0
    places = np.where(is_first, first.places, second.places + len(first.data))
    data = np.concatenate([first.data, second.data])
    return Spans(data, places, np.where(is_first, first.sizes, second.sizes))


def _or_null(held: Spans) -> Spans:
    """Return the values, with the variant null where one is missing."""
    rows = len(held)
    null = Spans(np.full(1, _NULL, np.uint8), np.zeros(rows, np.int64), np.ones(rows, np.int64))
    return _either(held, null)


def _array(held: Spans) -> pa.Array:
    """Return runs as an Arrow array."""
    data, offsets = gathered(held)
    buffers: list[Any] = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(held), buffers)
