"""Which loops are interpreted: those over small inputs, and those too large for numba.

No public function shows how a loop ran.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

from byteloom.columns import loops
from byteloom.columns.loops import Loop


def summed(data: bytes, count: int) -> int:
    """A loop that is quick to compile."""
    total = 0
    for at in range(count):
        total += data[at]
    return total


def test_a_loop_too_large_for_numba_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop of as many bytes of bytecode as the bound is compiled; one of more is interpreted."""
    monkeypatch.setitem(sys.modules, "numba", None)  # its import would fail
    size = len(summed.__code__.co_code)
    monkeypatch.setattr(loops, "LARGEST", size)
    assert not Loop(summed).would_interpret(loops.INTERPRETED_BELOW)
    with pytest.raises(ImportError):
        Loop(summed)(b"abc", loops.INTERPRETED_BELOW, 1)
    monkeypatch.setattr(loops, "LARGEST", size - 1)
    assert Loop(summed).would_interpret(1 << 40)
    assert Loop(summed)(b"abc", 1 << 40, 1) == ord("a")


def test_small_inputs_are_interpreted_until_the_loop_is_compiled() -> None:
    """Input below the bound is interpreted; a loop that is compiled once is used for all."""
    loop = Loop(summed)
    assert loop.would_interpret(loops.INTERPRETED_BELOW - 1)
    assert not loop.would_interpret(loops.INTERPRETED_BELOW)
    assert loop(b"\1\2\3", 3, 3) == 6
    assert loop.compiled(np.array([1, 2, 3], np.uint8), 3) == 6
    assert not loop.would_interpret(1)
    assert loop(b"\1\2\3", 3, 2) == 3
