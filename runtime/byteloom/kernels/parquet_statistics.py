"""Statistics of a column chunk, compared with what its schema says.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.thrift import BINARY, LIST, list_head, next_field, passed, varint
from byteloom.wire.kernel import kernel
from byteloom_generated.parquet.footers import SIZE_STATISTICS, STATISTICS, TYPES

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BOUND", "HISTOGRAM", "TEXT_SIZE", "check_bounds", "check_sizes"]

BOUND: Final = 2
HISTOGRAM: Final = 3
TEXT_SIZE: Final = 4

(_BYTE_ARRAY,) = numbers(TYPES, "BYTE_ARRAY")
_MAX, _MIN, _MAX_VALUE, _MIN_VALUE = numbers(STATISTICS, "max", "min", "max_value", "min_value")
_TEXT_SIZE, _REPETITIONS, _DEFINITIONS = numbers(
    SIZE_STATISTICS,
    "unencoded_byte_array_data_bytes",
    "repetition_level_histogram",
    "definition_level_histogram",
)


@kernel
def check_bounds(data: np.ndarray, at: int, width: int) -> tuple[int, int]:
    """What is wrong with statistics, and the place behind them."""
    number = wrong = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            return wrong, at
        if kind == BINARY and number in (_MAX, _MIN, _MAX_VALUE, _MIN_VALUE):
            size, _ = varint(data, at)
            wrong = wrong if width < 0 or size == width else BOUND
        at = passed(data, at, kind)


@kernel
def check_sizes(data: np.ndarray, at: int, leaf: np.ndarray) -> tuple[int, int]:
    """What is wrong with the numbers of values of each level, and the place behind them."""
    number = wrong = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            return wrong, at
        if kind == LIST and number in (_REPETITIONS, _DEFINITIONS):
            size, _, _ = list_head(data, at)
            most = leaf[2] if number == _REPETITIONS else leaf[3]
            wrong = wrong if size in (0, most + 1) else HISTOGRAM
        elif number == _TEXT_SIZE and leaf[0] != _BYTE_ARRAY:
            wrong = TEXT_SIZE
        at = passed(data, at, kind)
