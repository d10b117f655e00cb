"""Loops over bytes, interpreted for small inputs and compiled by numba for large ones.

The rules all loops obey:

- A loop is a plain function in a `.py` file (numba caches machine code beside the file), and its
  variables are integers of 64 bits or booleans.
- ``data`` is bytes or a memory map to Python and an array of bytes to numba: indexing one gives a
  number in both.  A loop checks each offset against the end of the bytes before it reads there.
- Numba is loaded for the first input that is large enough to be worth it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.late import numba

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.reader import Buffer

__all__ = ["DONE", "FULL", "REFUSED", "Loop"]

DONE: Final = 0
REFUSED: Final = 1
FULL: Final = 2
"""How a loop over records ends: all were taken, one is invalid, or there is no room for the next.

A loop that fills several tables returns ``FULL + k`` for table k.
"""

INTERPRETED_BELOW: Final = 4 << 20
"""Bytes.  Interpreting that many takes 0.1 s; loading numba and a compiled loop takes 0.3 s."""

LARGEST: Final = 8 << 10
"""Bytes of bytecode of a loop that is compiled: numba takes minutes for those of many switches."""


class Loop:
    """A function ``f(data, *numbers, *arrays)`` that can run interpreted or compiled."""

    __slots__ = ("_compiled", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        """Make a loop of *function*; it is not compiled yet."""
        self.function = function
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, data: Buffer, size: int, *args: Any) -> Any:
        """Run over *data*, of which the loop reads about *size* bytes."""
        if self.would_interpret(size):
            return self.function(data, *args)
        return self.compiled(np.frombuffer(data, np.uint8), *args)

    def would_interpret(self, size: int) -> bool:
        """Whether a call that reads about *size* bytes would be interpreted."""
        is_large = len(self.function.__code__.co_code) > LARGEST
        return self._compiled is None and (size < INTERPRETED_BELOW or is_large)

    @property
    def compiled(self) -> Callable[..., Any]:
        """The loop as numba compiles it, on its first call."""
        if self._compiled is None:
            self._compiled = _compile(self.function)
        return self._compiled


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    from byteloom.native.kernel import compiled

    # Bytes are unsigned and offsets signed: where numba meets both it goes on in floats.  Holding
    # every variable to a signed word keeps the two from meeting.
    code = function.__code__
    words = dict.fromkeys(code.co_varnames[code.co_argcount :], numba.types.int64)
    # A loop makes no arrays, and its caller holds those that it is given: to count who holds each
    # of up to a hundred, and to make a form for callers in C, takes numba a quarter of its time.
    return compiled(function, locals=words, _nrt=False, no_cfunc_wrapper=True)
