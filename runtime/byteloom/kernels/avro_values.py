"""Read single values of Avro's binary encoding, for the loops over records and over items of lists.

- A value is read from *base*, the address of the bytes, at an offset before *end*.  The result
  is the value and the offset after it.  An offset below 0 is minus a code of `WRONG`; `NOWHERE`,
  if no integer could be read, is minus `NUMBER`.
- Addresses are passed, not arrays, whose references numba counts at every call.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from typing import Final

from byteloom.native.integers import zigzag_at
from byteloom.native.kernel import kernel

__all__ = [
    "BRANCH",
    "COUNT",
    "END",
    "INT",
    "LENGTH",
    "NEITHER",
    "NUMBER",
    "WRONG",
    "block_at",
    "bytes_at",
]

WRONG: Final = (
    "",
    "a whole number of at most 10 bytes inside the value",
    "a number of 32 bits",
    "0 or 1",
    "a length of bytes that are inside the value",
    "a number of a branch or symbol that the schema has",
    "a count of items that are inside the value",
    "the end of the value",
)
"""For each code, the *wanted* part of the error."""

NUMBER, INT, NEITHER, LENGTH, BRANCH, COUNT, END = range(1, 8)


@kernel(forceinline=True)
def bytes_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return the length of bytes, and the offset of the first one."""
    size, start = zigzag_at(base, at, end)
    if start < 0:
        return 0, start
    if size < 0 or size > end - start:
        return 0, -LENGTH
    return size, start


@kernel
def block_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return the number of items in the next block of a list; each takes at least one byte."""
    count, at = zigzag_at(base, at, end)
    if at >= 0 and count < 0:
        size, at = zigzag_at(base, at, end)
        count = -count
        if at >= 0 and (size < 0 or size > end - at):
            return 0, -COUNT
    if at >= 0 and (count < 0 or count > end - at):
        return 0, -COUNT
    return count, at
