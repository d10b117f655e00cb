"""Compile Python functions to machine code with numba, and cache it for later processes.

- Numba is loaded by the first function that is compiled.
- It caches what it compiled beside the source, or in the user's cache, until the source or what it
  calls has changed.  If neither can be written, as in some containers, each process compiles again,
  and a log line says so once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from byteloom.late import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compiled", "is_kept"]


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
