"""Every call of a kernel twice, interpreted and as machine code, and an error where the two differ.

With BYTELOOM_KERNELS=both, every test compares the kernels that it uses: with the machine code made
at installation, and where there is none for a call, with what numba compiles for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.native.kernel import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator


def _arrays(args: tuple[Any, ...]) -> Iterator[np.ndarray]:
    for arg in args:
        if isinstance(arg, np.ndarray):
            yield arg
        elif isinstance(arg, tuple):
            yield from _arrays(arg)


def _plain(value: Any) -> Any:
    """Return *value* as something that can be compared, of equal types from both ways."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(_plain(each) for each in value)
    return int(value) if isinstance(value, (bool, int, np.generic)) else value


def _both(self: Kernel, *args: Any) -> Any:
    arrays = [array for array in _arrays(args) if array.flags.writeable]
    before = [array.copy() for array in arrays]
    with np.errstate(all="ignore"):
        wanted = _plain((self.interpreted(*args), *arrays))
    for array, content in zip(arrays, before, strict=True):
        array[...] = content
    found = self.native(*args) if self.native is not None else NotImplemented
    if found is NotImplemented:
        found = self.compiled(*args)
    if _plain((found, *arrays)) != wanted:
        raise AssertionError(f"{self.__module__}.{self.__name__} differs when interpreted")
    return found


Kernel.__call__ = _both  # type: ignore[method-assign]
