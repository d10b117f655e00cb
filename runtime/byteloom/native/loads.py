"""Words of bytes at an address, aligned or not, for kernels that also run interpreted.

- Each is a plain, slow Python function; in a compiled kernel a call becomes the one
  instruction that `intrinsics` describes to numba.
  Nothing is checked: the caller ensures that the bytes are inside an array that is alive.
- Kernels pass the address of an array (``data.ctypes.data``) and not the array, whose references
  numba would count at every call.
- Every word is a signed integer of 64 bits: numba turns a mix of signed and unsigned integers into
  floats.  When a word is stored, its higher bits are dropped.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = tuple[int, int]

__all__ = [
    "VECTOR",
    "be16",
    "be32",
    "be64",
    "byte",
    "call",
    "call_copy",
    "copy",
    "copy_run",
    "le16",
    "le32",
    "le64",
    "le64_unsigned",
    "lowest_bit",
    "merge_8",
    "merge_16",
    "merge_32",
    "merge_64",
    "put_be16",
    "put_be32",
    "put_be64",
    "put_byte",
    "put_le16",
    "put_le32",
    "put_le64",
    "shift_8",
    "shift_16",
    "shift_32",
    "shift_64",
    "those_from_16",
]

VECTOR: Final = 32
"""Bytes that a processor shifts at once."""

_TYPES: Any = ctypes  # mypy knows the byte orders of some types only


class _Word(Protocol):
    value: int


_U8: Callable[[int], _Word] = _TYPES.c_uint8.from_address
_BE16: Callable[[int], _Word] = _TYPES.c_uint16.__ctype_be__.from_address
_BE32: Callable[[int], _Word] = _TYPES.c_int32.__ctype_be__.from_address
_BE64: Callable[[int], _Word] = _TYPES.c_int64.__ctype_be__.from_address
_LE16: Callable[[int], _Word] = _TYPES.c_uint16.__ctype_le__.from_address
_LE32: Callable[[int], _Word] = _TYPES.c_uint32.__ctype_le__.from_address
_LE64: Callable[[int], _Word] = _TYPES.c_int64.__ctype_le__.from_address
_LE64_UNSIGNED: Callable[[int], _Word] = _TYPES.c_uint64.__ctype_le__.from_address
"""Types of words at an address; a value that is too large loses its higher bits."""


def byte(base: int, at: int) -> int:
    """Return the byte at *base* + *at*, unsigned."""
    return _U8(int(base) + int(at)).value


def be16(base: int, at: int) -> int:
    """Return two bytes, the highest first, unsigned."""
    return _BE16(int(base) + int(at)).value


def be32(base: int, at: int) -> int:
    """Return four bytes, the highest first, signed."""
    return _BE32(int(base) + int(at)).value


def be64(base: int, at: int) -> int:
    """Return eight bytes, the highest first, signed."""
    return _BE64(int(base) + int(at)).value


def le16(base: int, at: int) -> int:
    """Return two bytes, the lowest first, unsigned."""
    return _LE16(int(base) + int(at)).value


def le32(base: int, at: int) -> int:
    """Return four bytes, the lowest first, unsigned."""
    return _LE32(int(base) + int(at)).value


def le64(base: int, at: int) -> int:
    """Return eight bytes, the lowest first, signed."""
    return _LE64(int(base) + int(at)).value


def le64_unsigned(base: int, at: int | np.integer[Any]) -> np.uint64:
    """Return eight bytes, the lowest first, as the unsigned word that hashes are made of."""
    return np.uint64(_LE64_UNSIGNED(int(base) + int(at)).value)


def put_byte(base: int, at: int, word: int) -> None:
    """Put the lowest byte of *word*."""
    _U8(int(base) + int(at)).value = int(word)


def put_be16(base: int, at: int, word: int) -> None:
    """Put two bytes, the highest first."""
    _BE16(int(base) + int(at)).value = int(word)


def put_be32(base: int, at: int, word: int) -> None:
    """Put four bytes, the highest first."""
    _BE32(int(base) + int(at)).value = int(word)


def put_be64(base: int, at: int, word: int) -> None:
    """Put eight bytes, the highest first."""
    _BE64(int(base) + int(at)).value = int(word)


def put_le16(base: int, at: int, word: int) -> None:
    """Put two bytes, the lowest first."""
    _LE16(int(base) + int(at)).value = int(word)


def put_le32(base: int, at: int, word: int) -> None:
    """Put four bytes, the lowest first."""
    _LE32(int(base) + int(at)).value = int(word)


def put_le64(base: int, at: int, word: int) -> None:
    """Put eight bytes, the lowest first."""
    _LE64(int(base) + int(at)).value = int(word)


def copy(source: int, target: int, size: int, room: int) -> None:
    """Copy *size* bytes, front to back; the target must not overlap bytes yet to be copied.

    room  bytes that may be read from *source*, and overwritten from *target*; with less than
          8 more than *size* it goes byte by byte
    """
    copied = (size + 7) // 8 * 8 if size + 8 <= room else size
    ctypes.memmove(int(target), int(source), int(copied))


def copy_run(source: int, target: int, size: int) -> None:
    """Copy *size* bytes with the C library; source and target must not overlap.

    For runs of text: a call costs as much as `copy` of four bytes, but is faster from there on.
    """
    ctypes.memmove(int(target), int(source), int(size))


def call(function: int, argument: int) -> int:
    """Call the C function ``int32_t f(void *)`` at the address *function*."""
    return int(ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(int(function))(int(argument)))


def call_copy(function: int, context: int, target: Run, source: Run) -> int:
    """Call ``size_t f(void *, void *, size_t, const void *, size_t)`` at the address *function*.

    target, source  an address and a number of bytes
    """
    pointer, count = ctypes.c_void_p, ctypes.c_size_t
    form = ctypes.CFUNCTYPE(count, pointer, pointer, count, pointer, count)
    found = form(int(function))(int(context), *map(int, (*target, *source)))
    return ctypes.c_int64(found).value


def shift_8(source: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put 32 integers of 8 bits, those at *source* shifted right by *low* bits, without others.

    mask  of the bits that are kept
    """
    _put_vector(np.uint8, target, _vector(np.uint8, source) >> np.uint8(low), mask)


def shift_16(source: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put 16 integers of 16 bits; see `shift_8`."""
    _put_vector(np.uint16, target, _vector(np.uint16, source) >> np.uint16(low), mask)


def shift_32(source: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put eight integers of 32 bits; see `shift_8`."""
    _put_vector(np.uint32, target, _vector(np.uint32, source) >> np.uint32(low), mask)


def shift_64(source: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put four integers of 64 bits; see `shift_8`."""
    _put_vector(np.uint64, target, _vector(np.uint64, source) >> np.uint64(low), mask)


def merge_8(source: int, more: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put 32 integers of 8 bits that begin in one word and go on in another.

    source, more  where the words are: of the first all bits but *low*, 1 to 7, then the other's
    mask          of the bits that are kept
    """
    _put_vector(np.uint8, target, _merged(np.uint8, source, more, low), mask)


def merge_16(source: int, more: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put 16 integers of 16 bits; *low* is 1 to 15; see `merge_8`."""
    _put_vector(np.uint16, target, _merged(np.uint16, source, more, low), mask)


def merge_32(source: int, more: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put eight integers of 32 bits; *low* is 1 to 31; see `merge_8`."""
    _put_vector(np.uint32, target, _merged(np.uint32, source, more, low), mask)


def merge_64(source: int, more: int, target: int, low: int, mask: int | np.integer[Any]) -> None:
    """Put four integers of 64 bits; *low* is 1 to 63; see `merge_8`."""
    _put_vector(np.uint64, target, _merged(np.uint64, source, more, low), mask)


def _merged(kind: Any, source: int, more: int, low: int) -> Any:
    bits = 8 * np.dtype(kind).itemsize
    return _vector(kind, source) >> kind(low) | _vector(kind, more) << kind(bits - int(low))


def _vector(kind: Any, at: int) -> Any:
    memory: Any = (ctypes.c_uint8 * VECTOR).from_address(int(at))
    return np.frombuffer(memory, kind)


def _put_vector(kind: Any, at: int, values: Any, mask: int | np.integer[Any]) -> None:
    _vector(kind, at)[:] = values & np.int64(mask).astype(kind)


def those_from_16(source: int, at: int, least: int) -> int:
    """Return which of 32 integers of 16 bits at *source* + *at* are *least* or more.

    The lowest bit is that of the first integer.
    """
    place = int(source) + int(at)
    found = np.concatenate([_vector(np.uint16, place), _vector(np.uint16, place + VECTOR)])
    return int.from_bytes(np.packbits(found >= least, bitorder="little").tobytes(), "little")


def lowest_bit(word: int) -> int:
    """Return the number of the lowest bit of *word* that is set; *word* is not 0."""
    return (int(word) & -int(word)).bit_length() - 1
