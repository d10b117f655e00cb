"""``@kernel``: a loop over arrays that is interpreted for small inputs, and compiled for others.

- A call first looks for machine code that was made when byteloom was installed
  (`byteloom.native.linking`).  Loading it takes some 50 milliseconds, so that a process
  interprets its kernels until they have done as much work.
- A kernel without it is interpreted until all its calls together have done more work than
  `ALLOWANCE`; from then on it is compiled: importing numba takes longer than a small file, and
  compiling longer still.  It is compiled sooner where that costs little: another kernel has loaded
  numba, and an earlier process has compiled this one.
- The work of a call is the number of elements in its arrays, unless ``work`` estimates it better:
  one unit is about a microsecond of Python's.
- Interpreted kernels call one another as plain functions.  Words wrap around silently, as they do
  in machine code.
- ``BYTELOOM_KERNELS`` in the environment fixes the choice, for tests: ``interpreted``,
  ``compiled`` (by numba) or ``native`` (where byteloom's own kernels must have machine code).
- Numba is loaded by the first function that is compiled.  It caches what it compiled beside the
  source, or in the user's cache, until the source or what it calls has changed.  If neither can be
  written, as in some containers, each process compiles again, and a log line says so once.
"""

from __future__ import annotations

import os
import sys
from functools import cache, update_wrapper
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from byteloom.late import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ALLOWANCE",
    "Kernel",
    "compiled",
    "is_kept",
    "kernel",
]


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return numba's dispatcher for *function*, which compiles for the types of each call.

    options  of ``numba.njit``; the GIL is released unless they say otherwise
    """
    options = {"nogil": True, **options}
    try:
        dispatcher: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # "no locator available": no folder can be written
        _warn_uncached()
        dispatcher = numba.njit(**options)(function)
    else:
        _stamp(dispatcher, function.__module__)
    compiled: Callable[..., Any] = dispatcher
    return compiled


def _stamp(dispatcher: Any, module: str) -> None:
    """Make numba's cache depend on all sources of a kernel, not on its own file alone."""
    kept: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(kept, "_source_stamp"):
        kept._source_stamp = kept._source_stamp, _sources(module)  # noqa: SLF001  (no public way)


@cache
def _sources(module: str) -> str:
    from byteloom.native.sources import digest, sources

    return digest(sources(module))


def is_kept(dispatcher: Any) -> bool:
    """Return whether an earlier process seems to have cached machine code for *dispatcher*.

    It only looks for numba's index file, which may belong to an older source.
    """
    folder, code = dispatcher.stats.cache_path, dispatcher.py_func.__code__
    name = f"{Path(code.co_filename).stem}.{code.co_qualname}-{code.co_firstlineno}.*.nbi"
    return folder is not None and any(Path(folder).glob(name))


@cache
def _warn_uncached() -> None:
    import logging

    logging.getLogger("byteloom").warning(
        "byteloom: no folder for compiled code can be written, so each process compiles it again;"
        " set XDG_CACHE_HOME to a writable folder to keep it"
    )


ALLOWANCE: Final = 1 << 20
"""Units of work.  Interpreting that many takes about a second, compiling a kernel one to four."""

_WORTH: Final = 1 << 15
"""Units of work that take longer than loading what an earlier process compiled."""

_NATIVE_WORTH: Final = 1 << 10
"""Units of a kernel's own work that take longer than loading its machine code after others'."""

_ALLOWANCES: Final = {"interpreted": 1 << 62, "compiled": -1, "native": 1 << 62}
_LOCK: Final = Lock()


class Kernel:
    """A function of arrays and numbers that can run interpreted or compiled."""

    __name__: str
    compiler: Callable[[Kernel, dict[str, Any]], Callable[..., Any]] | None = None
    """The function that compiles kernels; numba's usual one while it is None."""
    spent: int = 0
    """Units of work that interpreted kernels have done in this process."""

    def __init__(
        self, function: Callable[..., Any], work: Callable[..., Any] | None, options: dict[str, Any]
    ) -> None:
        """Make a kernel of *function*; it is not compiled yet."""
        self.function = function
        update_wrapper(self, function)
        self._work = work
        self._choice = os.environ.get("BYTELOOM_KERNELS", "")
        self._left = _ALLOWANCES.get(self._choice, ALLOWANCE)
        self._native: Callable[..., Any] | None = None
        self._is_native_sought = self._choice in {"interpreted", "compiled"}
        self._options = options
        self._interpreted: Callable[..., Any] | None = None
        self._compiled: Callable[..., Any] | None = None
        self._run: Callable[..., Any] | None = None
        self._is_kept: bool | None = None

    def __call__(self, *args: Any) -> Any:
        """Run over *args*."""
        if self._native is not None:
            result = self._native(*args)
            if result is not NotImplemented:
                return result
        if self._run is not None:
            return self._run(*args)
        return self._first(args)

    def _first(self, args: tuple[Any, ...]) -> Any:
        """Run over *args*, for which no machine code is loaded yet."""
        work = _elements(args) if self._work is None else int(self._work(*args))
        self._left -= work
        Kernel.spent += work
        if not self._is_native_sought and self._is_native_worth_it():
            found = self.native
            self._is_native_sought = True  # set last: another thread would not wait for it
            if found is not None:
                return self(*args)
        if self._choice == "native" and self.__module__.startswith("byteloom"):
            from byteloom.native.signatures import text_of, types_of

            types = text_of(types_of(args))
            raise LookupError(f"no machine code of {self.__module__}.{self.__name__} for {types}")
        if self._left >= 0 and not (work > _WORTH and self._is_ready):
            with np.errstate(all="ignore"):
                return self.interpreted(*args)
        self._run = self.compiled
        return self._run(*args)

    def _is_native_worth_it(self) -> bool:
        is_long = Kernel.spent > _WORTH and ALLOWANCE - self._left > _NATIVE_WORTH
        return is_long or self._choice == "native"

    @property
    def native(self) -> Callable[..., Any] | None:
        """The machine code made at installation; None if there is none."""
        if self._native is None:
            from byteloom.native.linking import native

            self._native = native(self.__module__, self.__name__)
        return self._native

    def is_worth_it(self, work: int) -> bool:
        """Whether calls with this much *work* run as machine code made at installation.

        For kernels that a library function could replace, which is faster than interpreting.
        """
        if self._choice in {"interpreted", "compiled"}:
            return True
        return self._native is not None or (
            Kernel.spent + work > _WORTH and self.native is not None
        )

    @property
    def interpreted(self) -> Callable[..., Any]:
        """The function as Python runs it; the kernels that it calls are interpreted too."""
        if self._interpreted is None:
            self._interpreted = _plain(self.function)
        return self._interpreted

    @property
    def compiled(self) -> Callable[..., Any]:
        """The function as numba compiles it, on its first call."""
        with _LOCK:  # two dispatchers of one kernel would compile it twice
            if self._compiled is None:
                from byteloom.native import intrinsics  # noqa: F401  (numba learns of `loads`)

                if Kernel.compiler is None:
                    self._compiled = compiled(self.function, **self._options)
                else:
                    self._compiled = Kernel.compiler(self, self._options)
        return self._compiled

    @property
    def _is_ready(self) -> bool:
        """Whether numba is loaded, and an earlier process has compiled this kernel."""
        if self._is_kept is None and "numba" in sys.modules:
            self._is_kept = self._left <= ALLOWANCE and is_kept(self.compiled)
        return self._is_kept is True

    @property
    def _numba_type_(self) -> Any:
        """The kernel's numba type, for calls from other kernels."""
        return numba.types.Dispatcher(self.compiled)


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...


@overload
def kernel(
    *, work: Callable[..., Any] | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    work: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:
    """Make a kernel of a function.

    work     estimates the work of a call from its arguments
    options  for numba
    """
    if function is None:
        return lambda function: Kernel(function, work, options)
    return Kernel(function, work, options)


def _elements(args: Any) -> int:
    """Return the number of elements in all arrays of *args*, including those in nested tuples."""
    total = 0
    for arg in args:
        if isinstance(arg, np.ndarray):
            total += arg.size
        elif isinstance(arg, tuple):
            total += _elements(arg)
    return total


_worlds: dict[int, dict[str, Any]] = {}
"""The globals of each module, by id, with plain functions in place of kernels."""


def _plain(function: Any) -> Callable[..., Any]:
    """Return *function* with globals in which kernels are plain functions."""
    names = function.__globals__
    world = _worlds.get(id(names))
    if world is None:
        world = _worlds[id(names)] = dict(names)
        for name, value in names.items():
            if isinstance(value, Kernel):
                world[name] = value.interpreted
    return FunctionType(
        function.__code__, world, function.__name__, function.__defaults__, function.__closure__
    )
