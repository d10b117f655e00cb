"""Check the scales of decimals in an ORC stripe before the library reads them.

The library multiplies or divides each number by 10 as many times as its scale differs from that of
the column.  It never ends with a scale below 0, and takes hours for huge ones.

Source: https://orc.apache.org/specification/ORCv1/ ("Decimal Columns")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels.orc_scales import FIELDS, HIGHEST, LOWEST, VALUES, add_signed
from byteloom.orc.run_parts import take_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_scales"]

_MOST: Final = 38
_LEFT: Final = 255
"""The largest scale that is left to the library: digits beyond those of the column are dropped."""


def check_scales(parts: Iterable[bytes], version: int, most: int, where: str, offset: int) -> None:
    """Refuse a stream of at most *most* scales if one is below 0, or far beyond a decimal's.

    version      of its runs, 1 or 2
    where        the name of the column in errors
    offset       offset of the stream in the file
    FormatError  such a scale, or a run that is cut off
    """
    state = np.zeros(FIELDS, np.int64)

    def take(data: bytes) -> tuple[int, bool]:
        taken = add_signed(np.frombuffer(data, np.uint8), version, most, state)
        return int(taken), state[VALUES] >= most

    is_cut_off = take_parts(parts, take)
    wanted = f"scales from 0 to {_MOST}"
    for scale in (state[LOWEST], state[HIGHEST]):
        if not 0 <= scale <= _LEFT:
            raise FormatError(where, offset, f"a scale of {scale}", wanted)
    if is_cut_off:
        raise FormatError(where, offset, "a run of scales that does not end", wanted)
