"""Convert a file's plain column to the table's type.

The rules:

- A column must have the table's type, or one that the table of promotions allows to be promoted
  to it. Any other type is an error.
- Timestamps may have another unit or lack a zone; they are interpreted by Iceberg's type.
- Text must be valid UTF-8, and bytes of fixed width must have that width.
- Decimals must not have more digits than their type, and times must be of a day: file readers check
  neither.
- Codes of dictionaries come from files, so each is checked against the number of entries before it
  is used. Text becomes large text in one pass, which copies each row once.

Source: Iceberg table spec, "Schema Evolution" and "Appendix A".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import is_ascii, is_text, large_type, texts_of_codes, with_large_offsets
from byteloom.errors import FormatError, found_by
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.types import DecimalType
from byteloom.late import pc
from byteloom_generated.iceberg.types import PROMOTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from byteloom.iceberg.types import Type

__all__ = ["codes_of", "converted", "expanded", "is_bounded"]


def codes_of(array: pa.DictionaryArray) -> NDArray[Any]:
    """Return the codes of a column without nulls; `FormatError` for a code beyond the entries."""
    _check_codes(array, "dictionary")
    codes: NDArray[Any] = array.indices.to_numpy()
    return codes


def _check_codes(array: pa.DictionaryArray, name: str) -> None:
    """Refuse a code beyond the entries of its dictionary."""
    entries, ends = len(array.dictionary), pc.min_max(array.indices).as_py()
    for wrong in ends.values():
        if wrong is not None and not 0 <= wrong < entries:
            raise FormatError(name, None, f"the code {wrong}", f"one of {entries} entries")


def expanded(array: pa.DictionaryArray, name: str = "dictionary") -> pa.Array:
    """Return the value of each code; text as large_string or large_binary.

    Args:
        array: The codes and their values.
        name: What has them, for the error about a code beyond the values.
    """
    _check_codes(array, name)
    values = array.dictionary
    if values.type in _VIEWS:
        values = values.cast(_VIEWS[values.type])
        array = pa.DictionaryArray.from_arrays(array.indices, values)
    if array.null_count or values.null_count or not is_text(values.type):
        return array.dictionary_decode()
    return texts_of_codes(array.indices.to_numpy(), values, large_type(values.type))


_PER_MICRO: Final = 1000

_BOUNDED: Final = frozenset(
    each.id for each in (pa.decimal128(1), pa.decimal256(1), pa.time32("s"), pa.time64("us"))
)
_VIEWS: Final = {
    pa.string_view(): pa.large_string(),
    pa.binary_view(): pa.large_binary(),
}
"""Types of text that `dictionary_decode` does not take, and their equals."""
_WIDER: Final = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


def converted(array: pa.Array, of: Type, name: str) -> pa.Array:
    """Return *array* in Arrow's type for *of*; `FormatError` for a type not promotable to it."""
    if of.kind == "string":
        _check_text(array, name)
    if pa.types.is_dictionary(array.type):
        array = expanded(array, f"column {name}")
    wanted, stored = arrow_type(of), array.type
    if stored == wanted:
        return _in_bounds(array, name)
    if _WIDER.get(stored) == wanted:
        return with_large_offsets(array)
    if pa.types.is_null(array.type) or of.kind == "unknown":
        return pa.nulls(len(array), wanted)
    if not _is_stored(array.type, of):
        raise FormatError(f"column {name}", None, f"values of type {array.type}", str(of))
    try:
        if of.kind.startswith("timestamp"):
            return _moments(array, wanted)
        if of.kind == "time" and pa.types.is_int64(array.type):
            return _in_bounds(array.view(wanted), name)
        return _in_bounds(array, name).cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = found_by(f"values of type {array.type}", error)
        raise FormatError(f"column {name}", None, found, f"values of type {of}") from error


def is_bounded(of: pa.DataType) -> bool:
    """Return whether a type has fewer values than its bytes: decimals and times."""
    return of.id in _BOUNDED  # asked of each column of each batch


def _in_bounds(array: pa.Array, name: str) -> pa.Array:
    """Return *array*; `FormatError` for a decimal of too many digits, or a time of no day."""
    if is_bounded(array.type):
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            found = found_by(f"no value of {array.type}", error)
            raise FormatError(f"column {name}", None, found, f"values of {array.type}") from error
    return array


def _check_text(array: pa.Array, name: str) -> None:
    """Refuse text that is not UTF-8, which file readers do not check."""
    values = array.dictionary if pa.types.is_dictionary(array.type) else array
    if is_text(values.type) and is_ascii(values):
        return
    try:
        values.validate(full=True)
    except pa.ArrowInvalid as error:
        found = found_by("invalid UTF-8", error)
        raise FormatError(f"column {name}", None, found, "UTF-8") from error


def _moments(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return timestamps in the wanted unit and zone; finer digits are rounded down."""
    if pa.types.is_timestamp(array.type):
        plain = array.view(pa.timestamp(array.type.unit))
    elif pa.types.is_int64(array.type):
        plain = array.view(pa.timestamp(wanted.unit))
    else:
        plain = array
    if plain.type == pa.timestamp("ns") and wanted.unit == "us":
        return _rounded(plain).view(wanted)
    return plain.cast(pa.timestamp(wanted.unit)).view(wanted)


def _rounded(array: pa.Array) -> pa.Array:
    """Return nanoseconds as microseconds."""
    words = array.view(pa.int64())
    mask = words.is_null().to_numpy(zero_copy_only=False) if words.null_count else None
    numbers = words.fill_null(0).to_numpy() if words.null_count else words.to_numpy()
    return pa.array(numbers // np.int64(_PER_MICRO), mask=mask)


def _is_integer(bits: int) -> Callable[[pa.DataType, Any], bool]:
    """Return a function: whether a type is an integer type of at most that many bits."""

    def check(of: pa.DataType, _: Any) -> bool:
        room = bits - 1 if pa.types.is_unsigned_integer(of) else bits
        return bool(pa.types.is_integer(of) and of.bit_width <= room)

    return check


def _is_decimal(of: pa.DataType, wanted: Any) -> bool:
    """Return whether a type is a decimal of the same scale."""
    same: bool = isinstance(wanted, DecimalType) and pa.types.is_decimal(of)
    return same and of.scale == wanted.scale


def _is_run(of: pa.DataType, _: Any) -> bool:
    """Return whether a type is one of bytes."""
    return bool(
        pa.types.is_binary(of)
        or pa.types.is_large_binary(of)
        or pa.types.is_fixed_size_binary(of)
        or pa.types.is_binary_view(of)
        or _is_text(of)
    )


def _is_text(of: pa.DataType) -> bool:
    """Return whether a type is one of text."""
    return bool(
        pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of)
    )


def _is_moment(of: pa.DataType, _: Any) -> bool:
    """Return whether a type is a timestamp type."""
    return bool(pa.types.is_timestamp(of) or pa.types.is_int64(of))


def _is_stored(stored: pa.DataType, of: Type) -> bool:
    """Return whether a file may store values of *of* as *stored*, even from before a promotion."""
    kinds = (of.kind, *(each.old for each in PROMOTIONS if each.new == of.kind))
    return any(_STORED[kind](stored, of) for kind in kinds)


_STORED: Final[dict[str, Callable[[pa.DataType, Any], bool]]] = {
    "boolean": lambda of, _: pa.types.is_boolean(of),
    "int": _is_integer(32),
    "long": _is_integer(64),
    "float": lambda of, _: pa.types.is_float16(of) or pa.types.is_float32(of),
    "double": lambda of, _: pa.types.is_float64(of),
    "decimal": _is_decimal,
    "date": lambda of, _: pa.types.is_date(of),
    "time": lambda of, _: pa.types.is_time(of) or pa.types.is_int64(of),
    "timestamp": _is_moment,
    "timestamptz": _is_moment,
    "timestamp_ns": _is_moment,
    "timestamptz_ns": _is_moment,
    "string": _is_run,
    "uuid": _is_run,
    "fixed": _is_run,
    "binary": _is_run,
    "geometry": _is_run,
    "geography": _is_run,
}
