"""Compile one module's kernels to an object file.

Importing this loads numba, which takes the processor to compile for from the environment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import llvmlite.binding as llvm
from llvmlite import ir
from numba import njit
from numba.core.registry import cpu_target

from byteloom.native import intrinsics  # noqa: F401  (numba learns of `loads`)
from byteloom.native.entry import Entries, is_returned, numba_type
from byteloom.native.kernel import Kernel
from byteloom.native.linking import entry_name, table_name

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ObjectFile"]

_NJIT: Any = njit
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _I8.as_pointer()

_HEAD: Final = 64
"""Bytes before the content of memory that a kernel allocates: numba's header, padded."""
_DATA: Final = 3
_SIZE: Final = 4
"""Words of that header for the address and the size of the content; the first counts references."""

_OFFERED: Final = {"memcpy", "memmove", "memset"} | {
    "NRT_Allocate",
    "NRT_Free",
    "NRT_MemInfo_alloc_aligned",
    "NRT_MemInfo_call_dtor",
}
"""The functions that kernels may call: of the C library, and those defined here."""


def _bare(kernel: Kernel, options: dict[str, Any]) -> Any:
    """Return numba's dispatcher for *kernel*, without calls from Python and without a cache."""
    bare = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _NJIT(**bare, **options)(kernel.function)


class ObjectFile:
    """The object file of a module, while kernels are added to it."""

    def __init__(self, module: str) -> None:
        """Begin a file without kernels."""
        Kernel.compiler = staticmethod(_bare)
        self._name = module
        self._context = cpu_target.target_context
        self._codegen = self._context.codegen()
        library = self._codegen.create_library(module)
        self._module = library.create_ir_module(module)
        self._entries = Entries(self._module, self._context, table_name(module))
        self._libraries: list[Any] = []
        self._names = {table_name(module)}
        _define_memory(self._module)

    def add(self, name: str, kernel: Kernel, signatures: Sequence[tuple[Any, ...]]) -> None:
        """Compile *kernel* for *signatures*; a numba error, or TypeError for unsupported types."""
        dispatcher: Any = kernel.compiled
        variants = []
        for signature in signatures:
            kinds = tuple(map(numba_type, signature))
            dispatcher.compile(kinds)
            compiled = dispatcher.overloads[kinds]
            _check(compiled)
            variants.append((signature, compiled))
        self._libraries += [compiled.library for _, compiled in variants]
        entry = entry_name(self._name, name)
        self._entries.add(entry, variants)
        self._names.add(entry)

    def content(self) -> bytes:
        """Return the object file."""
        module = llvm.parse_assembly(str(self._module))
        for library in self._libraries:
            module.link_in(library._final_module, preserve=True)  # noqa: SLF001  (no public way)
        for each in [*module.functions, *module.global_variables]:
            if each.name not in self._names and not each.is_declaration:
                each.linkage = "internal"
        return bytes(self._codegen._tm.emit_object(module))  # noqa: SLF001  (the same)


def _check(compiled: Any) -> None:
    """Refuse code that calls functions only numba has, or whose result entries cannot return."""
    if not is_returned(compiled.signature.return_type):
        raise TypeError(f"it returns {compiled.signature.return_type}")
    for function in compiled.library._final_module.functions:  # noqa: SLF001  (as above)
        name = function.name
        if function.is_declaration and not name.startswith("llvm.") and name not in _OFFERED:
            raise TypeError(f"it calls {name}")


def _define_memory(module: ir.Module) -> None:
    """Define the functions that allocate and free arrays, which numba's runtime would provide."""
    kind = ir.FunctionType(_POINTER, [_I64, _I32])
    function = ir.Function(module, kind, "NRT_MemInfo_alloc_aligned")
    builder = ir.IRBuilder(function.append_basic_block())
    size, alignment = function.args
    wide = builder.zext(alignment, _I64)
    malloc = ir.Function(module, ir.FunctionType(_POINTER, [_I64]), "malloc")
    record = builder.call(malloc, [builder.add(builder.add(size, wide), _I64(_HEAD))])
    with builder.if_then(builder.icmp_unsigned("==", record, ir.Constant(_POINTER, None))):
        builder.ret(record)
    words = builder.bitcast(record, _I64.as_pointer())
    first = builder.add(builder.ptrtoint(record, _I64), builder.add(wide, _I64(_HEAD - 1)))
    place = builder.and_(first, builder.neg(wide))
    for at, word in ((0, _I64(1)), (1, _I64(0)), (2, _I64(0)), (_DATA, place), (_SIZE, size)):
        builder.store(word, builder.gep(words, [_I64(at)]))
    builder.ret(record)
    kind = ir.FunctionType(ir.VoidType(), [_POINTER])
    function = ir.Function(module, kind, "NRT_MemInfo_call_dtor")
    builder = ir.IRBuilder(function.append_basic_block())
    free = ir.Function(module, kind, "free")
    builder.call(free, function.args)
    builder.ret_void()
    _define_as(module, "NRT_Allocate", malloc)
    _define_as(module, "NRT_Free", free)


def _define_as(module: ir.Module, name: str, called: ir.Function) -> None:
    """Define a function that calls *called*, to allocate or free memory other than arrays."""
    function = ir.Function(module, called.function_type, name)
    builder = ir.IRBuilder(function.append_basic_block())
    result = builder.call(called, function.args)
    if called.function_type.return_type == ir.VoidType():
        builder.ret_void()
    else:
        builder.ret(result)
