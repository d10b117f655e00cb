"""Reading words from bytes inside a kernel, wherever they lie.

A byte loop costs ten times a load, and NumPy views want aligned words, which strings do not have.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["load_u64"]


def _load_u64(typingctx: Any, address: Any, offset: Any) -> Any:  # noqa: ARG001  (numba's own form)
    """Return the 8 bytes at *address* + *offset* as a little-endian integer, aligned or not."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        word = ir.IntType(64)
        pointer = builder.inttoptr(builder.add(args[0], args[1]), word.as_pointer())
        return builder.load(pointer, align=1)

    return types.uint64(types.intp, types.intp), generate


load_u64: Any = intrinsic(_load_u64)
"""``load_u64(address, offset)``, for kernels only."""
