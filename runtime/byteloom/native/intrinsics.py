"""The functions of `loads` in compiled kernels: each becomes an instruction or a call.

- Importing this loads numba; it is imported with the first kernel that is compiled.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from byteloom.native import loads

__all__: list[str] = []

_TOOLS: Any = cgutils
_BYTE = 8
_WORD = 64
_TWO_WORDS = 16
_pair: Any = types.UniTuple


def _place(builder: Any, args: Any, bits: int) -> Any:
    return builder.inttoptr(builder.add(args[0], args[1]), ir.IntType(bits).as_pointer())


def _loader(bits: int, *, swapped: bool, signed: bool, word: Any) -> Any:
    def load(typing: Any, base: Any, at: Any) -> Any:  # noqa: ARG001  (numba's own form)
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            found = builder.load(_place(builder, args, bits), align=1)
            found = builder.bswap(found) if swapped else found
            widen = builder.sext if signed else builder.zext
            return found if bits == _WORD else widen(found, ir.IntType(64))

        return word(types.int64, types.int64), generate

    return intrinsic(load)


def _storer(bits: int, *, swapped: bool) -> Any:
    def store(typing: Any, base: Any, at: Any, word: Any) -> Any:  # noqa: ARG001  (numba's own form)
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            value = args[2] if bits == _WORD else builder.trunc(args[2], ir.IntType(bits))
            value = builder.bswap(value) if swapped else value
            builder.store(value, _place(builder, args, bits), align=1)
            return context.get_dummy_value()

        return types.none(types.int64, types.int64, types.int64), generate

    return intrinsic(store)


def _compile_load(
    function: Any, bits: int, *, swapped: bool, signed: bool, word: Any = types.int64
) -> Any:
    load = _loader(bits, swapped=swapped, signed=signed, word=word)

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


_byte = _compile_load(loads.byte, 8, swapped=False, signed=False)
_compile_load(loads.be16, 16, swapped=True, signed=False)
_compile_load(loads.be32, 32, swapped=True, signed=True)
_compile_load(loads.be64, 64, swapped=True, signed=True)
_compile_load(loads.le16, 16, swapped=False, signed=False)
_compile_load(loads.le32, 32, swapped=False, signed=False)
_le64 = _compile_load(loads.le64, 64, swapped=False, signed=True)
_compile_load(loads.le64_unsigned, 64, swapped=False, signed=False, word=types.uint64)
_put_byte = _compile_store(loads.put_byte, 8, swapped=False)
_compile_store(loads.put_be16, 16, swapped=True)
_compile_store(loads.put_be32, 32, swapped=True)
_compile_store(loads.put_be64, 64, swapped=True)
_compile_store(loads.put_le16, 16, swapped=False)
_compile_store(loads.put_le32, 32, swapped=False)
_put_le64 = _compile_store(loads.put_le64, 64, swapped=False)


def _copy_words(source: Any, target: Any, size: Any, room: Any) -> None:
    if size + 8 <= room:
        for i in range(0, size, 8):
            _put_le64(target, i, _le64(source, i))
    else:
        for i in range(size):
            _put_byte(target, i, _byte(source, i))


_words: Any = njit(_copy_words)


@overload(loads.copy, jit_options={"forceinline": True})
def _copy(source: Any, target: Any, size: Any, room: Any) -> Any:  # noqa: ARG001  (as above)
    def run(source: Any, target: Any, size: Any, room: Any) -> None:
        if 0 < size <= _TWO_WORDS and size + 8 <= room:  # most names and numbers
            _put_le64(target, 0, _le64(source, 0))
            if size > 8:
                _put_le64(target, 8, _le64(source, 8))
        else:
            _words(source, target, size, room)

    return run


def _copy_call(typing: Any, target: Any, source: Any, size: Any) -> Any:  # noqa: ARG001  (as above)
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        to, of = (builder.inttoptr(each, ir.IntType(8).as_pointer()) for each in args[:2])
        _TOOLS.raw_memcpy(builder, to, of, args[2], 1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), generate


_memcpy: Any = intrinsic(_copy_call)


@overload(loads.copy_run)
def _copy_run(source: Any, target: Any, size: Any) -> Any:  # noqa: ARG001  (as above)
    def run(source: Any, target: Any, size: Any) -> None:
        _memcpy(target, source, size)

    return run


def _call(typing: Any, function: Any, argument: Any) -> Any:  # noqa: ARG001  (as above)
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        of = ir.FunctionType(ir.IntType(32), [ir.IntType(8).as_pointer()])
        called = builder.inttoptr(args[0], of.as_pointer())
        pointer = builder.inttoptr(args[1], ir.IntType(8).as_pointer())
        return builder.sext(builder.call(called, [pointer]), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


_called: Any = intrinsic(_call)


@overload(loads.call)
def _call_address(function: Any, argument: Any) -> Any:  # noqa: ARG001  (as above)
    def run(function: Any, argument: Any) -> Any:
        return _called(function, argument)

    return run


def _copy_by(typing: Any, function: Any, context: Any, target: Any, source: Any) -> Any:  # noqa: ARG001
    run = _pair(types.int64, 2)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        pointer, count = ir.IntType(8).as_pointer(), ir.IntType(_WORD)
        kinds = [pointer, pointer, count, pointer, count]
        runs = [builder.extract_value(each, at) for each in args[2:] for at in range(2)]
        given = [
            builder.inttoptr(each, kind) if kind == pointer else each
            for kind, each in zip(kinds, [args[1], *runs], strict=True)
        ]
        called = builder.inttoptr(args[0], ir.FunctionType(count, kinds).as_pointer())
        return builder.call(called, given)

    return types.int64(types.int64, types.int64, run, run), generate


_copied_by: Any = intrinsic(_copy_by)


@overload(loads.call_copy)
def _call_copy(function: Any, context: Any, target: Any, source: Any) -> Any:  # noqa: ARG001
    def run(function: Any, context: Any, target: Any, source: Any) -> Any:
        return _copied_by(function, context, target, source)

    return run


def _lanes(bits: int, count: int) -> tuple[Any, Any]:
    """The type of a vector of integers of *bits* bits, and what makes one of equal integers."""
    integer, index = ir.IntType(bits), ir.IntType(32)
    vector = ir.VectorType(integer, count)
    none, firsts = ir.Constant(vector, ir.Undefined), ir.VectorType(index, count)

    def equal(builder: Any, word: Any) -> Any:
        one = word if bits == _WORD else builder.trunc(word, integer)
        first = builder.insert_element(none, one, ir.Constant(index, 0))
        return builder.shuffle_vector(first, none, ir.Constant(firsts, [0] * count))

    return vector, equal


def _compile_shift(function: Any, bits: int) -> None:
    vector, equal = _lanes(bits, _BYTE * loads.VECTOR // bits)

    def shift(typing: Any, source: Any, target: Any, low: Any, mask: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            of, to = (builder.inttoptr(each, vector.as_pointer()) for each in args[:2])
            found = builder.lshr(builder.load(of, align=1), equal(builder, args[2]))
            builder.store(builder.and_(found, equal(builder, args[3])), to, align=1)
            return context.get_dummy_value()

        return types.none(*[types.int64] * 4), generate

    shifted: Any = intrinsic(shift)

    def typed(source: Any, target: Any, low: Any, mask: Any) -> Any:  # noqa: ARG001
        def run(source: Any, target: Any, low: Any, mask: Any) -> Any:
            return shifted(source, target, low, mask)

        return run

    overload(function)(typed)


def _compile_merge(function: Any, bits: int) -> None:
    vector, equal = _lanes(bits, _BYTE * loads.VECTOR // bits)

    def merge(typing: Any, source: Any, more: Any, target: Any, low: Any, mask: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            of, rest, to = (builder.inttoptr(each, vector.as_pointer()) for each in args[:3])
            high = builder.sub(ir.Constant(ir.IntType(_WORD), bits), args[3])
            lower = builder.lshr(builder.load(of, align=1), equal(builder, args[3]))
            upper = builder.shl(builder.load(rest, align=1), equal(builder, high))
            found = builder.and_(builder.or_(lower, upper), equal(builder, args[4]))
            builder.store(found, to, align=1)
            return context.get_dummy_value()

        return types.none(*[types.int64] * 5), generate

    merged: Any = intrinsic(merge)

    def typed(source: Any, more: Any, target: Any, low: Any, mask: Any) -> Any:  # noqa: ARG001
        def run(source: Any, more: Any, target: Any, low: Any, mask: Any) -> Any:
            return merged(source, more, target, low, mask)

        return run

    overload(function)(typed)


for _bits in (8, 16, 32, 64):
    _compile_shift(getattr(loads, f"shift_{_bits}"), _bits)
    _compile_merge(getattr(loads, f"merge_{_bits}"), _bits)


def _those_from_16(typing: Any, source: Any, at: Any, least: Any) -> Any:  # noqa: ARG001
    count = 2 * loads.VECTOR // 2
    vector, equal = _lanes(16, count)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        place = builder.inttoptr(builder.add(args[0], args[1]), vector.as_pointer())
        found = builder.icmp_unsigned(">=", builder.load(place, align=1), equal(builder, args[2]))
        return builder.zext(builder.bitcast(found, ir.IntType(count)), ir.IntType(_WORD))

    return types.int64(types.int64, types.int64, types.int64), generate


_from_16: Any = intrinsic(_those_from_16)


@overload(loads.those_from_16)
def _compile_those_from_16(source: Any, at: Any, least: Any) -> Any:  # noqa: ARG001
    def run(source: Any, at: Any, least: Any) -> Any:
        return _from_16(source, at, least)

    return run


def _lowest_bit(typing: Any, word: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


_lowest: Any = intrinsic(_lowest_bit)


@overload(loads.lowest_bit)
def _compile_lowest_bit(word: Any) -> Any:  # noqa: ARG001
    def run(word: Any) -> Any:
        return _lowest(word)

    return run
