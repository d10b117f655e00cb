"""Loops over bytes: one source, run by Python on small inputs and compiled by numba on large ones.

The rules all loops obey:

- A loop is a plain function of a `.py` file (numba keeps what it compiled beside the file), and its
  variables hold nothing but integers of 64 bits and truth values.
- ``data`` is bytes or a memory map to Python and an array of bytes to numba: indexing one gives a
  number in both.  Whatever a loop reads, it has compared with the end of the bytes first.
- Numba is loaded for the first input that pays for it, and never for a small one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.reader import Buffer

__all__ = ["Loop"]

INTERPRETED_BELOW: Final = 4 << 20
"""Bytes.  Python takes 0.1 s for so many; loading numba and a compiled loop takes 0.3 s once."""


class Loop:
    """A function ``f(data, *numbers, *arrays)`` that may run compiled."""

    __slots__ = ("_compiled", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        """Take *function*, and compile nothing yet."""
        self.function = function
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, data: Buffer, size: int, *args: Any) -> Any:
        """Run over *data*, of which the loop looks at about *size* bytes."""
        if self._compiled is None and size < INTERPRETED_BELOW:
            return self.function(data, *args)
        return self.compiled(np.frombuffer(data, np.uint8), *args)

    @property
    def compiled(self) -> Callable[..., Any]:
        """The loop as numba compiles it, on its first call."""
        if self._compiled is None:
            self._compiled = _compile(self.function)
        return self._compiled


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    from numba import types

    from byteloom.wire.compiling import compiled

    # Bytes are unsigned and offsets signed: where numba meets both it goes on in floats.  Holding
    # every variable to a signed word keeps the two from meeting.
    code = function.__code__
    words = dict.fromkeys(code.co_varnames[code.co_argcount :], types.int64)
    return compiled(function, locals=words)
