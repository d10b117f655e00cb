"""Emit LLVM code that calls compiled kernels from Python: it checks types and releases the GIL.

- A kernel's entry is a C function as Python calls it (``METH_FASTCALL``).  It tries the kernel's
  signatures in turn and returns ``NotImplemented`` where none fits the arguments.
- Arrays are read where NumPy's C interface documents them to be, numbers through Python's.  No
  symbol of numba is needed; what an entry needs of this process is in a table of addresses
  (`NEEDS`) that is filled when the code is loaded.
- An exception of a kernel's code (there is no memory, a division by zero) is handed to a Python
  function as numba pickled it.

Importing this loads numba.

Source: https://numpy.org/doc/stable/reference/c-api/types-and-structures.html#c.PyArrayObject
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import types as numba_types
from numba.core import cgutils

from byteloom.native.linking import NEEDS
from byteloom.native.signatures import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Entries", "is_returned", "numba_type"]

_TOOLS: Any = cgutils
types: Any = numba_types  # whose annotations know less than its code
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _I8.as_pointer()
_NUMBERS = {"int": types.int64, "uint": types.uint64, "bool": types.boolean, "float": types.float64}

# Where fields of objects are, in words: ob_type, then those of an array.
_TYPE, _DATA, _DIMENSIONS, _SHAPE, _STRIDES, _DTYPE, _FLAGS = 1, 2, 3, 4, 5, 7, 8
_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400


def numba_type(each: Any) -> Any:
    """Return numba's type for one of a signature."""
    if type(each) is tuple:
        return types.Tuple([numba_type(part) for part in each])
    if not isinstance(each, Array):
        return _NUMBERS[each]
    width = 8 * int(each.dtype[1:])
    name = "boolean" if each.dtype == "b1" else _KINDS[each.dtype[0]] + str(width)
    layout = "A" if each.is_strided else "C"
    return types.Array(getattr(types, name), each.dimensions, layout, readonly=each.is_const)


_KINDS = {"i": "int", "u": "uint", "f": "float"}


def is_returned(found: Any) -> bool:
    """Return whether entries can return values of the numba type *found*."""
    if isinstance(found, types.BaseTuple):
        return all(map(is_returned, found))
    return isinstance(found, (types.Integer, types.Boolean, types.Float, types.NoneType))


class Entries:
    """The entries of one module's kernels."""

    def __init__(self, module: ir.Module, context: Any, table: str) -> None:
        """Begin entries in *module*; *context* is numba's, *table* names the needed addresses."""
        self._module = module
        self._context = context
        kind = ir.ArrayType(_POINTER, len(NEEDS))
        self._table = ir.GlobalVariable(module, kind, table)
        self._table.initializer = ir.Constant(kind, None)

    def add(self, name: str, variants: Sequence[tuple[tuple[Any, ...], Any]]) -> None:
        """Add a kernel's entry: its signatures, each with its function compiled by numba."""
        kind = ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _I64])
        entry = ir.Function(self._module, kind, name)
        builder = ir.IRBuilder(entry.append_basic_block())
        for signature, compiled in variants:
            other = entry.append_basic_block()
            call = _Call(self._module, self._context, self._table, builder, other)
            call.emit(entry.args[1], entry.args[2], signature, compiled)
            builder.position_at_end(other)
        slot = builder.gep(self._table, [_I64(0), _I64(NEEDS.index("NotImplemented"))])
        found = builder.load(slot)
        _call_python(self._module, builder, "Py_IncRef", ir.VoidType(), [found])
        builder.ret(found)


def _call_python(module: Any, builder: Any, name: str, result: Any, args: Sequence[Any]) -> Any:
    """Call a function of Python's C interface."""
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(_TOOLS.get_or_insert_function(module, kind, name), args)


class _Call:
    """The call of a kernel with one signature; if an argument does not fit, it jumps to *other*."""

    def __init__(self, module: Any, context: Any, table: Any, builder: Any, other: Any) -> None:
        self._module, self._context, self._table = module, context, table
        self._builder, self._other = builder, other

    def emit(self, args: Any, count: Any, signature: tuple[Any, ...], compiled: Any) -> None:
        """Emit the call, which ends the block."""
        builder = self._builder
        self._require(builder.icmp_signed("==", count, _I64(len(signature))))
        objects = [builder.load(builder.gep(args, [_I64(i)])) for i in range(len(signature))]
        kinds = compiled.signature.args
        values = [self._taken(*each) for each in zip(objects, signature, kinds, strict=True)]
        state = self._python("PyEval_SaveThread", _POINTER, [])
        target = self._context.declare_function(self._module, compiled.fndesc)
        returned = compiled.signature.return_type
        convention = self._context.call_conv
        status, found = convention.call_function(builder, target, returned, kinds, values)
        self._python("PyEval_RestoreThread", ir.VoidType(), [state])
        with builder.if_then(status.is_error, likely=False):
            self._raise(status)
        builder.ret(self._made(found, returned))

    def _python(self, name: str, result: Any, args: Sequence[Any]) -> Any:
        return _call_python(self._module, self._builder, name, result, args)

    def _need(self, name: str) -> Any:
        slot = self._builder.gep(self._table, [_I64(0), _I64(NEEDS.index(name))])
        return self._builder.load(slot)

    def _require(self, condition: Any) -> None:
        following = self._builder.append_basic_block()
        self._builder.cbranch(condition, following, self._other)
        self._builder.position_at_end(following)

    def _require_any(self, one: Any, others: Sequence[Any]) -> None:
        met = one
        for each in others:
            met = self._builder.or_(met, each)
        self._require(met)

    def _word(self, of: Any, at: int, kind: Any = _I64) -> Any:
        place = self._builder.bitcast(of, _POINTER.as_pointer())
        slot = self._builder.gep(place, [_I64(at)])
        return self._builder.load(self._builder.bitcast(slot, kind.as_pointer()))

    def _is(self, pointer: Any, name: str) -> Any:
        return self._builder.icmp_unsigned("==", pointer, self._need(name))

    def _taken(self, value: Any, wanted: Any, numba_type: Any) -> Any:
        """Convert the Python object *value* to its machine form."""
        if type(wanted) is tuple:
            return self._tuple(value, wanted, numba_type)
        if isinstance(wanted, Array):
            return self._array(value, wanted, numba_type)
        return getattr(self, f"_{wanted}")(value)

    def _tuple(self, value: Any, wanted: tuple[Any, ...], numba_type: Any) -> Any:
        self._require(self._is(self._word(value, _TYPE, _POINTER), "tuple"))
        count = self._python("PyTuple_Size", _I64, [value])
        self._require(self._builder.icmp_signed("==", count, _I64(len(wanted))))
        parts = [
            self._taken(self._python("PyTuple_GetItem", _POINTER, [value, _I64(i)]), each, kind)
            for i, (each, kind) in enumerate(zip(wanted, numba_type, strict=True))
        ]
        return self._context.make_tuple(self._builder, numba_type, parts)

    def _array(self, value: Any, wanted: Array, numba_type: Any) -> Any:
        builder = self._builder
        self._require(self._is(self._word(value, _TYPE, _POINTER), "ndarray"))
        self._require(self._is(self._word(value, _DTYPE, _POINTER), wanted.dtype))
        dimensions = self._word(value, _DIMENSIONS, _I32)
        self._require(builder.icmp_signed("==", dimensions, _I32(wanted.dimensions)))
        flags = _ALIGNED
        flags |= 0 if wanted.is_strided else _CONTIGUOUS
        flags |= 0 if wanted.is_const else _WRITEABLE
        has = builder.and_(self._word(value, _FLAGS, _I32), _I32(flags))
        self._require(builder.icmp_unsigned("==", has, _I32(flags)))
        sizes, steps = (self._word(value, at, _POINTER) for at in (_SHAPE, _STRIDES))
        shape, strides = (
            [self._word(of, i) for i in range(wanted.dimensions)] for of in (sizes, steps)
        )
        count = shape[0]
        for size in shape[1:]:
            count = builder.mul(count, size)
        array = self._context.make_array(numba_type)(self._context, builder)
        array.meminfo = array.parent = ir.Constant(_POINTER, None)
        array.nitems, array.itemsize = count, _I64(int(wanted.dtype[1:]))
        array.data = builder.bitcast(self._word(value, _DATA, _POINTER), array.data.type)
        array.shape, array.strides = (_TOOLS.pack_array(builder, each) for each in (shape, strides))
        return array._getvalue()  # noqa: SLF001  (numba's own form)

    def _int(self, value: Any) -> Any:
        """Convert an int, or an integer of NumPy that fits, to a signed word."""
        builder = self._builder
        kind = self._word(value, _TYPE, _POINTER)
        for name in ("bool", "np.bool", "np.uint64"):
            self._require(builder.not_(self._is(kind, name)))
        return self._index(value, "PyLong_AsLongLong")

    def _uint(self, value: Any) -> Any:
        self._require(self._is(self._word(value, _TYPE, _POINTER), "np.uint64"))
        return self._index(value, "PyLong_AsUnsignedLongLong")

    def _index(self, value: Any, name: str) -> Any:
        """Convert an integer object to a word."""
        builder = self._builder
        index = self._python("PyNumber_Index", _POINTER, [value])
        self._require_no_error(builder.icmp_unsigned("!=", index, ir.Constant(_POINTER, None)))
        word = self._python(name, _I64, [index])
        self._python("Py_DecRef", ir.VoidType(), [index])
        error = self._python("PyErr_Occurred", _POINTER, [])
        self._require_no_error(builder.icmp_unsigned("==", error, ir.Constant(_POINTER, None)))
        return word

    def _require_no_error(self, condition: Any) -> None:
        builder = self._builder
        failed, following = builder.append_basic_block(), builder.append_basic_block()
        builder.cbranch(condition, following, failed)
        builder.position_at_end(failed)
        self._python("PyErr_Clear", ir.VoidType(), [])
        builder.branch(self._other)
        builder.position_at_end(following)

    def _bool(self, value: Any) -> Any:
        kind = self._word(value, _TYPE, _POINTER)
        self._require_any(self._is(kind, "bool"), [self._is(kind, "np.bool")])
        truth = self._python("PyObject_IsTrue", _I32, [value])
        return self._builder.icmp_signed("!=", truth, _I32(0))

    def _float(self, value: Any) -> Any:
        kind = self._word(value, _TYPE, _POINTER)
        self._require_any(self._is(kind, "float"), [self._is(kind, "np.float64")])
        return self._python("PyFloat_AsDouble", ir.DoubleType(), [value])

    def _made(self, value: Any, returned: Any) -> Any:
        """Convert the machine's *value* to a Python object."""
        builder = self._builder
        if isinstance(returned, types.BaseTuple):
            parts = _TOOLS.unpack_tuple(builder, value, len(returned))
            made = self._python("PyTuple_New", _POINTER, [_I64(len(returned))])
            for i, (part, kind) in enumerate(zip(parts, returned, strict=True)):
                args = [made, _I64(i), self._made(part, kind)]
                self._python("PyTuple_SetItem", _I32, args)
            return made
        if isinstance(returned, types.NoneType):
            none = self._need("None")
            self._python("Py_IncRef", ir.VoidType(), [none])
            return none
        if isinstance(returned, types.Boolean):
            truth = value if value.type.width == 1 else builder.trunc(value, ir.IntType(1))
            word = builder.zext(truth, _I64)
            return self._python("PyBool_FromLong", _POINTER, [word])
        if isinstance(returned, types.Float):
            double = ir.DoubleType()
            wide = value if value.type == double else builder.fpext(value, double)
            return self._python("PyFloat_FromDouble", _POINTER, [wide])
        widen = builder.sext if returned.signed else builder.zext
        word = value if value.type == _I64 else widen(value, _I64)
        name = "PyLong_FromLongLong" if returned.signed else "PyLong_FromUnsignedLongLong"
        return self._python(name, _POINTER, [word])

    def _raise(self, status: Any) -> None:
        """Raise a kernel's exception, which numba pickled when it compiled the kernel."""
        builder = self._builder
        info = builder.load(status.excinfoptr)
        size = builder.sext(builder.extract_value(info, 1), _I64)
        pickled = self._python(
            "PyBytes_FromStringAndSize", _POINTER, [builder.extract_value(info, 0), size]
        )
        kind = ir.FunctionType(_POINTER, [_POINTER], var_arg=True)
        call = _TOOLS.get_or_insert_function(self._module, kind, "PyObject_CallFunctionObjArgs")
        null = ir.Constant(_POINTER, None)
        builder.call(call, [self._need("raise"), pickled, null])
        self._python("Py_DecRef", ir.VoidType(), [pickled])
        builder.ret(null)
