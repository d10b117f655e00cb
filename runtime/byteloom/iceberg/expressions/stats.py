"""Statistics of many files as columns: counts, and bounds that compare with literals.

The rules:

- An unknown count is -1; an unknown bound has the size -1.
- A bound that is NaN counts as unknown: old writers counted NaN among the values.
- Text, bytes and UUIDs are ordered by their bytes, unsigned; zeros of either sign are equal.

Source: Iceberg table spec, "Manifests" (``data_file``) and "Appendix D".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.transforms import apply_array
from byteloom.iceberg.transforms.buffers import decimal_words
from byteloom.iceberg.types import DecimalType, Type
from byteloom.iceberg.values import unscaled
from byteloom.iceberg.values.binary import BEFORE_PROMOTION, FORMS
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from byteloom.iceberg.transforms import Transform

__all__ = [
    "WORD_SIGNS",
    "Bounds",
    "Counts",
    "FieldStats",
    "FileStats",
    "Flags",
    "Spans",
    "signed_words",
    "transformed",
]

Flags: TypeAlias = "NDArray[np.bool_]"
Counts: TypeAlias = "NDArray[np.int64]"
_Signs: TypeAlias = "NDArray[np.int8]"

_WORDS: Final = {"u1": "u1", "s4le": "<i4", "s8le": "<i8", "f4le": "<f4", "f8le": "<f8"}
"""NumPy's names for the storage forms that it has."""

_LITTLE: Final = {kind: _WORDS[form] for kind, form in FORMS.items() if form in _WORDS}
"""The NumPy form in which bounds of a type are stored, for types with such a form."""

WORD_SIGNS: Final = bytes([0x80, 0, 0, 0, 0, 0, 0, 0]) * 2
"""The sign bits of the two words of a UUID."""

_WORD: Final = 1 << 64
_WIDEST: Final = 7
"""Most bytes of an unscaled decimal that certainly fit a 64-bit word."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Runs of bytes in one buffer.

    Attributes:
        data: uint8.
        places: int64[row], where each starts.
        sizes: int64[row], -1 for a missing value.
    """

    data: NDArray[np.uint8]
    places: Counts
    sizes: Counts

    @classmethod
    def of(cls, values: Iterable[bytes | None]) -> Spans:
        """Return spans of these bytes, for a few of them."""
        held = list(values)
        sizes = [-1 if each is None else len(each) for each in held]
        places = list(accumulate((max(each, 0) for each in sizes), initial=0))[:-1]
        data = np.frombuffer(b"".join(each or b"" for each in held), np.uint8)
        return cls(data, np.array(places, np.int64), np.array(sizes, np.int64))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.sizes)

    def to_arrow(self) -> pa.Array:
        """Return a large_binary array, null for missing values."""
        sizes = np.maximum(self.sizes, 0)
        ends = np.cumsum(sizes)
        offsets = np.concatenate([[0], ends]).astype(np.int64)
        total = int(ends[-1]) if len(ends) else 0
        gathered = np.repeat(self.places - (ends - sizes), sizes) + np.arange(total)
        return pa.LargeBinaryArray.from_buffers(
            pa.large_binary(),
            len(self),
            [
                pa.array(self.sizes >= 0).buffers()[1],
                pa.py_buffer(offsets),
                pa.py_buffer(np.ascontiguousarray(self.data[gathered])),
            ],
        )

    def fixed(self, size: int, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Return uint8[row, size] of *rows*, whose spans all have that size."""
        return np.asarray(self.data[self.places[rows, None] + np.arange(size)])


@dataclass(frozen=True, slots=True)
class FieldStats:
    """The statistics of one column, one row per file.

    Attributes:
        value_count: Values, nulls and NaNs included; -1 for unknown, as below.
        null_count: Nulls.
        nan_count: NaNs.
        lower: Lower bounds, in the binary form of Appendix D.
        upper: Upper bounds, likewise.
    """

    value_count: Counts
    null_count: Counts
    nan_count: Counts
    lower: Spans
    upper: Spans


class FileStats(Protocol):
    """The statistics of many files."""

    @property
    def record_count(self) -> Counts:
        """Rows of each file; -1 for unknown."""

    def of(self, field_id: int) -> FieldStats:
        """Return the statistics of a column."""


@dataclass(slots=True)
class Bounds:
    """The lower or the upper bounds of a column, as comparable values.

    Attributes:
        is_known: bool[row]; where it is False, the other attributes are arbitrary.
        numbers: int64, float64 or Python integers; None if the values are in *runs*.
        runs: large_binary.
    """

    is_known: Flags
    numbers: NDArray[Any] | None = None
    runs: pa.Array | None = None
    _of: Type | None = field(default=None, repr=False)

    @classmethod
    def read(cls, of: Type, spans: Spans) -> Bounds:
        """Return the bounds of a column of type *of*; those of another size are unknown."""
        if of.kind in _LITTLE:
            return _read_little(of, spans)
        if isinstance(of, DecimalType):
            return _read_decimals(of, spans)
        runs = spans.to_arrow()
        return cls(spans.sizes >= 0, runs=runs, _of=of)

    def signs(self, literal: Any) -> _Signs:
        """Return -1, 0 or 1 for each bound: how it compares with a storage value."""
        if self.numbers is not None:
            return _signs(self.numbers, _number(self._of, literal))
        scalar = pa.scalar(_run(literal), pa.large_binary())
        above = _flags(pc.greater(self.runs, scalar))
        return above.astype(np.int8) - _flags(pc.less(self.runs, scalar))

    def exact_signs(self, literal: Any) -> _Signs:
        """Return the same in the order of bits, in which -0.0 is below 0.0."""
        signs = self.signs(literal)
        if self.numbers is None or self.numbers.dtype.kind != "f" or literal != 0:
            return signs
        is_below = math.copysign(1, literal) < 0
        of_zeros = np.int8(is_below) - np.signbit(self.numbers).astype(np.int8)
        return np.where(signs == 0, of_zeros, signs)

    def prefix_signs(self, prefix: str) -> _Signs:
        """Return how the first bytes of each bound, as many as *prefix* has, compare with it."""
        run = prefix.encode()
        heads = pc.binary_slice(self.runs, 0, len(run))
        scalar = pa.scalar(run, pa.large_binary())
        above = _flags(pc.greater(heads, scalar))
        return above.astype(np.int8) - _flags(pc.less(heads, scalar))

    def same_as(self, other: Bounds) -> Flags:
        """Return where both sides are known and equal; zeros of different signs are not equal."""
        if self.numbers is not None and other.numbers is not None:
            equal = self.numbers == other.numbers
            if self.numbers.dtype.kind == "f":
                equal &= np.signbit(self.numbers) == np.signbit(other.numbers)
        else:
            equal = _flags(pc.equal(self.runs, other.runs))
        return np.asarray(equal & self.is_known & other.is_known)

    def to_arrow(self) -> pa.Array:
        """Return an Arrow array of the column's type, null where unknown or not of that type."""
        assert self._of is not None  # noqa: S101  set by whoever reads
        made = arrow_type(self._of)
        if self.runs is not None:
            return _as_type(self.runs, made)
        if isinstance(self._of, DecimalType):
            return _as_decimals(np.asarray(self.numbers), self.is_known, made)
        numbers = pa.array(self.numbers, mask=~self.is_known)
        return numbers.cast(pa.int32()).cast(made) if made == pa.date32() else numbers.cast(made)


def signed_words(spans: Spans) -> Spans:
    """Return bounds of UUIDs made to compare as two signed words, as some writers order them."""
    rows = np.flatnonzero(spans.sizes == len(WORD_SIGNS))
    data = spans.fixed(len(WORD_SIGNS), rows) ^ np.frombuffer(WORD_SIGNS, np.uint8)
    places, sizes = np.zeros(len(spans), np.int64), np.full(len(spans), -1, np.int64)
    places[rows], sizes[rows] = np.arange(len(rows)) * len(WORD_SIGNS), len(WORD_SIGNS)
    return Spans(data.reshape(-1), places, sizes)


def transformed(bounds: Bounds, source: Type, transform: Transform) -> Bounds:
    """Return the bounds of a column's values after *transform*, which must keep their order."""
    made = apply_array(transform, source, bounds.to_arrow())
    result = transform.result_type(source)
    is_known = bounds.is_known & ~_flags(pc.is_null(made))
    if result.kind in _LITTLE:
        width = pa.int32() if made.type.bit_width <= pa.int32().bit_width else pa.int64()
        numbers = made if pa.types.is_floating(made.type) else made.cast(width)
        return Bounds(is_known, numbers=numbers.fill_null(0).to_numpy(), _of=result)
    if isinstance(result, DecimalType):
        words = decimal_words(made)
        numbers = words[:, 1].view(np.int64).astype(object) * _WORD + words[:, 0].astype(object)
        return Bounds(is_known, numbers=numbers, _of=result)
    return Bounds(is_known, runs=made.cast(pa.large_binary()), _of=result)


def _as_type(runs: pa.Array, made: pa.DataType) -> pa.Array:
    """Return bytes as values of a type; null where they are invalid, such as invalid UTF-8."""
    try:
        return runs.cast(made)
    except pa.ArrowInvalid:
        values = [pa.array([each], runs.type) for each in runs]
        return pa.concat_arrays([_as_type_or_null(each, made) for each in values])


def _as_type_or_null(value: pa.Array, made: pa.DataType) -> pa.Array:
    """Return a single value in a type; null if it is invalid."""
    try:
        return value.cast(made)
    except pa.ArrowInvalid:
        return pa.nulls(1, made)


def _as_decimals(numbers: NDArray[Any], is_known: Flags, made: pa.DataType) -> pa.Array:
    """Return unscaled integers as decimals; those beyond 128 bits, which are wrong, are unknown."""
    whole = numbers.astype(object)
    fits = is_known & np.asarray((whole >= -(_WORD**2) // 2) & (whole < _WORD**2 // 2), np.bool_)
    data = b"".join(
        int(each if fit else 0).to_bytes(16, "little", signed=True)
        for each, fit in zip(whole, fits, strict=True)
    )
    validity = pa.array(fits).buffers()[1]
    return pa.Array.from_buffers(made, len(fits), [validity, pa.py_buffer(data)])


def _read_little(of: Type, spans: Spans) -> Bounds:
    """Return bounds of fixed width, including that of the type before a promotion."""
    stored = np.dtype(_LITTLE[of.kind])
    before, each = BEFORE_PROMOTION.get(of.kind, (FORMS[of.kind], 1))
    numbers = np.zeros(len(spans), np.float64 if stored.kind == "f" else np.int64)
    is_known = np.zeros(len(spans), np.bool_)
    for old, unit in {np.dtype(_WORDS[before]): each, stored: 1}.items():
        rows = np.flatnonzero(spans.sizes == old.itemsize)
        if len(rows):
            held = spans.fixed(old.itemsize, rows).view(old)[:, 0]
            numbers[rows] = held.astype(numbers.dtype) * unit
            is_known[rows] = True
    if stored.kind == "f":
        is_known &= ~np.isnan(numbers)
    return Bounds(is_known, numbers=numbers, _of=of)


def _read_decimals(of: DecimalType, spans: Spans) -> Bounds:
    """Return bounds of decimals from unscaled integers, as 64-bit words if they fit."""
    is_known = spans.sizes > 0
    data = spans.data
    values = [
        int.from_bytes(data[place : place + size].tobytes(), "big", signed=True)
        for place, size in zip(spans.places, np.maximum(spans.sizes, 0), strict=True)
    ]
    fits = not len(spans) or spans.sizes.max() <= _WIDEST
    return Bounds(is_known, numbers=np.array(values, np.int64 if fits else object), _of=of)


def _number(of: Type | None, literal: Any) -> Any:
    """Return a storage value as a comparable number; truncated decimals may have more digits."""
    return unscaled(of, literal, is_stored=False) if isinstance(of, DecimalType) else literal


def _run(literal: Any) -> bytes:
    """Return a storage value as comparable bytes."""
    if isinstance(literal, str):
        return literal.encode()
    return bytes(getattr(literal, "bytes", literal))


def _signs(numbers: NDArray[Any], literal: Any) -> _Signs:
    """Return how numbers compare with a literal, which may be infinite or beyond 64 bits."""
    if isinstance(literal, float) and math.isinf(literal) and numbers.dtype.kind == "i":
        return np.full(len(numbers), -1 if literal > 0 else 1, np.int8)
    above = np.asarray(numbers > literal, np.int8)
    return above - np.asarray(numbers < literal, np.int8)


def _flags(flags: pa.Array) -> Flags:
    """Return a boolean array as flags; null becomes False."""
    return np.asarray(
        pc.fill_null(flags, fill_value=False).to_numpy(zero_copy_only=False), np.bool_
    )
