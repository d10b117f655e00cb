"""Words of bytes at an address, aligned or not, for kernels that also run interpreted.

- Each is a Python function, which is slow and plain; numba makes of a call the one instruction.
  Nothing is checked: the caller has proved that the bytes lie inside an array that lives on.
- Kernels pass the address of an array (``data.ctypes.data``) and not the array, whose references
  numba would count at every call.
- Every word is a signed integer of 64 bits: where numba meets signed and unsigned it goes on in
  floats.  Of a word to store, interpreted, bits above those stored are dropped.
"""

from __future__ import annotations

import ctypes
from typing import Any, Literal

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

__all__ = [
    "be16",
    "be32",
    "be64",
    "byte",
    "copy",
    "copy_run",
    "le32",
    "le64",
    "put_be16",
    "put_be32",
    "put_be64",
    "put_byte",
    "put_le64",
]


def byte(base: int, at: int) -> int:
    """Return the byte *at* behind *base*, unsigned."""
    return _get(base + at, 1, "big")


def be16(base: int, at: int) -> int:
    """Return two bytes, the highest first, unsigned."""
    return _get(base + at, 2, "big")


def be32(base: int, at: int) -> int:
    """Return four bytes, the highest first, signed."""
    return _get(base + at, 4, "big", signed=True)


def be64(base: int, at: int) -> int:
    """Return eight bytes, the highest first, signed."""
    return _get(base + at, 8, "big", signed=True)


def le32(base: int, at: int) -> int:
    """Return four bytes, the lowest first, unsigned."""
    return _get(base + at, 4, "little")


def le64(base: int, at: int) -> int:
    """Return eight bytes, the lowest first, signed."""
    return _get(base + at, 8, "little", signed=True)


def put_byte(base: int, at: int, word: int) -> None:
    """Put the lowest byte of *word*."""
    _put(base + at, word, 1, "big")


def put_be16(base: int, at: int, word: int) -> None:
    """Put two bytes, the highest first."""
    _put(base + at, word, 2, "big")


def put_be32(base: int, at: int, word: int) -> None:
    """Put four bytes, the highest first."""
    _put(base + at, word, 4, "big")


def put_be64(base: int, at: int, word: int) -> None:
    """Put eight bytes, the highest first."""
    _put(base + at, word, 8, "big")


def put_le64(base: int, at: int, word: int) -> None:
    """Put eight bytes, the lowest first."""
    _put(base + at, word, 8, "little")


def copy(source: int, target: int, size: int, room: int) -> None:
    """Copy *size* bytes, front to back, to a place where nothing lies that is still to be copied.

    room  bytes that may be read behind *source*, and overwritten behind *target*; with less than
          8 more than *size* it goes byte by byte
    """
    del room
    ctypes.memmove(target, source, size)


def copy_run(source: int, target: int, size: int) -> None:
    """Copy *size* bytes to a place where none of them lie, by the C library.

    For runs of text: a call costs what `copy` takes for four bytes, and goes on faster.
    """
    ctypes.memmove(target, source, size)


_Order = Literal["big", "little"]
_TOOLS: Any = cgutils


def _get(address: int, size: int, order: _Order, *, signed: bool = False) -> int:
    return int.from_bytes(ctypes.string_at(int(address), size), order, signed=signed)


def _put(address: int, word: int, size: int, order: _Order) -> None:
    ctypes.memmove(int(address), (int(word) % (1 << 8 * size)).to_bytes(size, order), size)


def _place(builder: Any, args: Any, bits: int) -> Any:
    return builder.inttoptr(builder.add(args[0], args[1]), ir.IntType(bits).as_pointer())


def _loader(bits: int, *, swapped: bool, signed: bool) -> Any:
    def load(typing: Any, base: Any, at: Any) -> Any:  # noqa: ARG001  (numba's own form)
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            found = builder.load(_place(builder, args, bits), align=1)
            found = builder.bswap(found) if swapped else found
            widen = builder.sext if signed else builder.zext
            return found if bits == 64 else widen(found, ir.IntType(64))

        return types.int64(types.int64, types.int64), generate

    return intrinsic(load)


def _storer(bits: int, *, swapped: bool) -> Any:
    def store(typing: Any, base: Any, at: Any, word: Any) -> Any:  # noqa: ARG001  (numba's own form)
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            value = args[2] if bits == 64 else builder.trunc(args[2], ir.IntType(bits))
            value = builder.bswap(value) if swapped else value
            builder.store(value, _place(builder, args, bits), align=1)
            return context.get_dummy_value()

        return types.none(types.int64, types.int64, types.int64), generate

    return intrinsic(store)


def _compile_load(function: Any, bits: int, *, swapped: bool, signed: bool) -> Any:
    load = _loader(bits, swapped=swapped, signed=signed)

    def typed(base: Any, at: Any) -> Any:  # noqa: ARG001  (numba's own form)
        def run(base: Any, at: Any) -> Any:
            return load(base, at)

        return run

    overload(function)(typed)
    return load


def _compile_store(function: Any, bits: int, *, swapped: bool) -> Any:
    store = _storer(bits, swapped=swapped)

    def typed(base: Any, at: Any, word: Any) -> Any:  # noqa: ARG001  (numba's own form)
        def run(base: Any, at: Any, word: Any) -> Any:
            return store(base, at, word)

        return run

    overload(function)(typed)
    return store


_byte = _compile_load(byte, 8, swapped=False, signed=False)
_compile_load(be16, 16, swapped=True, signed=False)
_compile_load(be32, 32, swapped=True, signed=True)
_compile_load(be64, 64, swapped=True, signed=True)
_compile_load(le32, 32, swapped=False, signed=False)
_le64 = _compile_load(le64, 64, swapped=False, signed=True)
_put_byte = _compile_store(put_byte, 8, swapped=False)
_compile_store(put_be16, 16, swapped=True)
_compile_store(put_be32, 32, swapped=True)
_compile_store(put_be64, 64, swapped=True)
_put_le64 = _compile_store(put_le64, 64, swapped=False)


@overload(copy)
def _copy(source: Any, target: Any, size: Any, room: Any) -> Any:  # noqa: ARG001  (as above)
    def run(source: Any, target: Any, size: Any, room: Any) -> None:
        if size + 8 <= room:
            for i in range(0, size, 8):
                _put_le64(target, i, _le64(source, i))
        else:
            for i in range(size):
                _put_byte(target, i, _byte(source, i))

    return run


def _copy_call(typing: Any, target: Any, source: Any, size: Any) -> Any:  # noqa: ARG001  (as above)
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        to, of = (builder.inttoptr(each, ir.IntType(8).as_pointer()) for each in args[:2])
        _TOOLS.raw_memcpy(builder, to, of, args[2], 1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), generate


_memcpy: Any = intrinsic(_copy_call)


@overload(copy_run)
def _copy_run(source: Any, target: Any, size: Any) -> Any:  # noqa: ARG001  (as above)
    def run(source: Any, target: Any, size: Any) -> None:
        _memcpy(target, source, size)

    return run
