"""Words of bytes at an address, aligned or not, for kernels that also run interpreted.

- Each is a Python function, which is slow and plain; in a compiled kernel a call becomes the one
  instruction that `intrinsics` describes to numba.
  Nothing is checked: the caller has proved that the bytes lie inside an array that lives on.
- Kernels pass the address of an array (``data.ctypes.data``) and not the array, whose references
  numba would count at every call.
- Every word is a signed integer of 64 bits: where numba meets signed and unsigned it goes on in
  floats.  Of a word to store, interpreted, bits above those stored are dropped.
"""

from __future__ import annotations

import ctypes
from typing import Any, Literal

import numpy as np

__all__ = [
    "be16",
    "be32",
    "be64",
    "byte",
    "call",
    "copy",
    "copy_run",
    "le32",
    "le64",
    "le64_unsigned",
    "put_be16",
    "put_be32",
    "put_be64",
    "put_byte",
    "put_le64",
]


def byte(base: int, at: int) -> int:
    """Return the byte *at* behind *base*, unsigned."""
    return _get(base, at, 1, "big")


def be16(base: int, at: int) -> int:
    """Return two bytes, the highest first, unsigned."""
    return _get(base, at, 2, "big")


def be32(base: int, at: int) -> int:
    """Return four bytes, the highest first, signed."""
    return _get(base, at, 4, "big", signed=True)


def be64(base: int, at: int) -> int:
    """Return eight bytes, the highest first, signed."""
    return _get(base, at, 8, "big", signed=True)


def le32(base: int, at: int) -> int:
    """Return four bytes, the lowest first, unsigned."""
    return _get(base, at, 4, "little")


def le64(base: int, at: int) -> int:
    """Return eight bytes, the lowest first, signed."""
    return _get(base, at, 8, "little", signed=True)


def le64_unsigned(base: int, at: int | np.integer[Any]) -> np.uint64:
    """Return eight bytes, the lowest first, as the unsigned word that hashes are made of."""
    return np.uint64(_get(base, at, 8, "little"))


def put_byte(base: int, at: int, word: int) -> None:
    """Put the lowest byte of *word*."""
    _put(base, at, word, 1, "big")


def put_be16(base: int, at: int, word: int) -> None:
    """Put two bytes, the highest first."""
    _put(base, at, word, 2, "big")


def put_be32(base: int, at: int, word: int) -> None:
    """Put four bytes, the highest first."""
    _put(base, at, word, 4, "big")


def put_be64(base: int, at: int, word: int) -> None:
    """Put eight bytes, the highest first."""
    _put(base, at, word, 8, "big")


def put_le64(base: int, at: int, word: int) -> None:
    """Put eight bytes, the lowest first."""
    _put(base, at, word, 8, "little")


def copy(source: int, target: int, size: int, room: int) -> None:
    """Copy *size* bytes, front to back, to a place where nothing lies that is still to be copied.

    room  bytes that may be read behind *source*, and overwritten behind *target*; with less than
          8 more than *size* it goes byte by byte
    """
    copied = (size + 7) // 8 * 8 if size + 8 <= room else size
    ctypes.memmove(int(target), int(source), int(copied))


def copy_run(source: int, target: int, size: int) -> None:
    """Copy *size* bytes to a place where none of them lie, by the C library.

    For runs of text: a call costs what `copy` takes for four bytes, and goes on faster.
    """
    ctypes.memmove(int(target), int(source), int(size))


def call(function: int, argument: int) -> int:
    """Return what the C function ``int32_t f(void *)`` at the address *function* returns."""
    return int(ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(int(function))(int(argument)))


_Order = Literal["big", "little"]


def _get(
    base: int, at: int | np.integer[Any], size: int, order: _Order, *, signed: bool = False
) -> int:
    return int.from_bytes(ctypes.string_at(int(base) + int(at), size), order, signed=signed)


def _put(base: int, at: int, word: int, size: int, order: _Order) -> None:
    data = (int(word) % (1 << 8 * size)).to_bytes(size, order)
    ctypes.memmove(int(base) + int(at), data, size)
