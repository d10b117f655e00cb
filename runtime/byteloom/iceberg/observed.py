"""What the values of columns are, found while rows are read.

The rules:

- Values of each leaf are counted, and its least and greatest found, row group by row group, by
  kernels of Arrow and NumPy; those in lists and maps are left out, since no reader uses statistics
  of these.
- NaN is neither least nor greatest. A value inside a null struct is missing: writers count it among
  values and nulls, or not at all.

Source: Iceberg table spec, "Manifests" (``value_counts``, ``lower_bounds``, ...).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.datafiles.fields import field_id, inner_fields
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.stats import WORD_SIGNS
from byteloom.iceberg.reading.conversion import converted
from byteloom.iceberg.transforms import apply_array
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.transforms import Transform
    from byteloom.iceberg.types import Type

__all__ = ["Observed", "Seen", "leaves_of", "parts_of"]

_UUID: Final = len(WORD_SIGNS)
_UNORDERED: Final = frozenset({"geometry", "geography", "variant", "unknown"})
_PLAIN: Final = {
    "int": {pa.int32()},
    "long": {pa.int32(), pa.int64()},
    "float": {pa.float32()},
    "double": {pa.float32(), pa.float64()},
    "string": {pa.string(), pa.large_string()},
    "binary": {pa.binary(), pa.large_binary()},
    "date": {pa.date32()},
    "timestamp": {pa.timestamp("us")},
    "timestamptz": {pa.timestamp("us", "UTC")},
}
"""Types of files whose values are storage values of a type as they are."""


@dataclass(slots=True)
class Seen:
    """The values of a column in some rows.

    Attributes:
        present: Values that are not null, NaNs among them.
        nulls: Nulls whose parents are present.
        nans: NaNs; -1 if their number is not known.
        missing: Values that are absent with their parent.
        ends: The least and the greatest value of each part of the rows, as Arrow scalars.
        signed: The same in the order of two signed words, of values of 16 bytes.
        results: By transform, those of its results, for transforms that do not keep the order.
        right: Bounds by the name of their map that are known to include all values.
    """

    present: int = 0
    nulls: int = 0
    nans: int = 0
    missing: int = 0
    ends: list[pa.Scalar] = field(default_factory=list)
    signed: list[bytes] = field(default_factory=list)
    results: dict[str, list[pa.Scalar]] = field(default_factory=dict)
    right: set[tuple[str, bytes]] = field(default_factory=set)
    _range: tuple[Type, tuple[Any, Any] | None] | None = field(default=None, repr=False)

    def add(self, array: pa.Array, missing: int) -> None:
        """Add some values."""
        self.present += len(array) - array.null_count
        self.nulls += array.null_count
        self.missing += missing
        if pa.types.is_dictionary(array.type):
            array = array.dictionary.take(pc.unique(array.indices).drop_null())
        if len(array) > array.null_count:
            ends = _ends(array)
            if pa.types.is_floating(array.type):
                nans = int(np.count_nonzero(np.isnan(array.drop_null().to_numpy())))
                self.nans += nans
                ends = [] if nans == len(array) - array.null_count else ends
            self.ends += ends
            if pa.types.is_fixed_size_binary(array.type) and array.type.byte_width == _UUID:
                self.signed += _signed_ends(array)

    def merge(self, other: Seen) -> None:
        """Add the values of other rows."""
        for name in ("present", "nulls", "nans", "missing", "ends", "signed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for key, ends in other.results.items():
            self.results[key] = self.results.get(key, []) + ends

    def know_range(self, of: Type, ends: tuple[Any, Any] | None) -> None:
        """Set the least and the greatest storage value, of values that were not added."""
        self._range = of, ends

    def range(self, of: Type) -> tuple[Any, Any] | None:
        """Return the least and the greatest storage value in the table's type; None if unknown."""
        if self._range is None or self._range[0] != of:
            self._range = of, self._ends_in(of)
        return self._range[1]

    def _ends_in(self, of: Type) -> tuple[Any, Any] | None:
        """Return the same, calculated."""
        if not self.ends or of.kind in _UNORDERED:
            return None
        stored = self.ends[0].type
        if stored in _PLAIN.get(of.kind, ()) or (of.kind == "decimal" and stored == arrow_type(of)):
            is_temporal = pa.types.is_temporal(stored)
            plain = [each.value if is_temporal else each.as_py() for each in self.ends]
            return min(plain), max(plain)
        try:
            ends = converted(pa.array(self.ends, stored), of, "")
        except FormatError:
            return None  # values of another type are a finding by themselves
        values = storage_values(of, ends)
        return min(values), max(values)


class Observed:
    """The values of some columns of a file.

    Attributes:
        rows: How many there are.
        groups: By row group, the columns by id.
    """

    def __init__(
        self,
        wanted: frozenset[int],
        rows: Sequence[int],
        hashed: Mapping[int, Sequence[tuple[Transform, Type]]],
    ) -> None:
        """Begin without rows.

        Args:
            wanted: Ids of columns.
            rows: The number of rows of each row group; of the last one, it may be less.
            hashed: By id, transforms that do not keep the order, and the column's type.
        """
        self._wanted, self._hashed = wanted, hashed
        self._starts = np.cumsum([0, *rows], dtype=np.int64)
        self.groups: list[dict[int, Seen]] = [{} for _ in rows]
        self.rows = 0

    @property
    def whole(self) -> dict[int, Seen]:
        """The columns in all rows."""
        if len(self.groups) == 1:
            return self.groups[0]
        made: dict[int, Seen] = {}
        for group in self.groups:
            for number, seen in group.items():
                made.setdefault(number, Seen()).merge(seen)
        return made

    def add(self, piece: Piece) -> None:
        """Add the rows of a piece."""
        self.rows = max(self.rows, piece.start + piece.rows)
        start, end = piece.start, piece.start + piece.rows
        first = int(np.searchsorted(self._starts, start, side="right")) - 1
        for group in range(first, len(self.groups)):
            low, high = max(start, self._starts[group]), min(end, self._starts[group + 1])
            if low >= end:
                break
            for each, array in zip(piece.fields, piece.arrays, strict=True):
                part = array if high - low == len(array) else array.slice(low - start, high - low)
                self._add(self.groups[group], each, part)

    def _add(self, group: dict[int, Seen], of: pa.Field, array: pa.Array) -> None:
        """Add the values of a column, and of those inside it."""
        for number, part, missing in parts_of(of, array, in_lists=False):
            if number not in self._wanted:
                continue
            held = part.storage if isinstance(part, pa.ExtensionArray) else part
            seen = group.setdefault(number, Seen())
            seen.add(held, missing)
            for transform, source in self._hashed.get(number, ()):
                try:
                    made = apply_array(transform, source, converted(held, source, of.name))
                except FormatError:
                    continue  # values of another type are a finding by themselves
                if made.null_count < len(made):
                    seen.results.setdefault(str(transform), []).extend(_ends(made))


def leaves_of(of: pa.Field) -> Iterator[int]:
    """Yield the ids of a field and of all fields inside it, but for those in lists and maps."""
    yield field_id(of)
    if pa.types.is_struct(of.type):
        for each in inner_fields(of.type):
            yield from leaves_of(each)


def parts_of(
    of: pa.Field, array: pa.Array, missing: int = 0, *, in_lists: bool = True
) -> Iterator[tuple[int, pa.Array, int]]:
    """Yield a column and all fields inside it by id, each without rows whose parent is null.

    Args:
        missing: The number of values that are absent with their parents.
        in_lists: Whether fields in lists and maps are wanted; those absent from these are not
            counted.
    """
    yield field_id(of), array, missing
    held = array.storage if isinstance(array, pa.ExtensionArray) else array
    inner = inner_fields(held.type)
    if pa.types.is_struct(held.type):
        parts = [held.field(number) for number in range(len(inner))]
        parts = [each.filter(held.is_valid()) for each in parts] if held.null_count else parts
        missing += held.null_count
    elif not inner or not in_lists:
        return
    elif pa.types.is_map(held.type):
        entries = held.cast(pa.list_(pa.struct(inner))).flatten()
        parts = [entries.field(number) for number in range(len(inner))]
    else:
        parts = [held.flatten()]
    for child, part in zip(inner, parts, strict=True):
        yield from parts_of(child, part, missing, in_lists=in_lists)


def _ends(array: pa.Array) -> list[pa.Scalar]:
    """Return the least and the greatest value, NaNs left out; nothing for a type without order."""
    try:
        found = pc.min_max(array)
    except pa.ArrowNotImplementedError:
        return []
    return [found["min"], found["max"]]


def _signed_ends(array: pa.Array) -> list[bytes]:
    """Return the least and the greatest of values of two words, both of which are signed."""
    held = array.drop_null()
    start = held.offset * _UUID
    stored = np.frombuffer(held.buffers()[1], np.uint8)[start : start + len(held) * _UUID]
    data = stored.reshape(-1, _UUID) ^ np.frombuffer(WORD_SIGNS, np.uint8)
    made = pa.Array.from_buffers(held.type, len(held), [None, pa.py_buffer(data)])
    return [each.as_py() for each in _ends(made)]
