"""Machine code made of Python functions by numba, kept for the next process where that is possible.

- Numba is loaded by the first function that is compiled.
- It keeps what it compiled beside the source, or in the user's cache.  Where neither can be
  written, as in a container, a function is compiled by each process, and a log line says so once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compiled"]


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return numba's dispatcher for *function*, which compiles it for the types of each call.

    options  of ``numba.njit``; the GIL is released unless they say otherwise
    """
    from numba import njit

    options = {"nogil": True, **options}
    try:
        dispatcher: Callable[..., Any] = njit(cache=True, **options)(function)
    except RuntimeError:  # "no locator available": no folder can be written
        _warn_uncached()
        dispatcher = njit(**options)(function)
    return dispatcher


@cache
def _warn_uncached() -> None:
    import logging

    logging.getLogger("byteloom").warning(
        "byteloom: no folder for compiled code can be written, so each process compiles it again;"
        " set NUMBA_CACHE_DIR to a writable folder to keep it"
    )
