"""Which loops are interpreted: those over small inputs, and those too large for numba."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from byteloom.columns import loops
from byteloom.columns.loops import Loop

if TYPE_CHECKING:
    from collections.abc import Callable


def summed(data: bytes, count: int) -> int:
    """A loop that is quick to compile."""
    total = 0
    for at in range(count):
        total += data[at]
    return total


def long_loop(statements: int) -> Callable[..., Any]:
    """A loop of a given number of statements, which returns how it was run."""
    body = "".join(f"    a{at} = count + {at}\n" for at in range(statements))
    world: dict[str, Any] = {}
    exec(f"def f(data, count):\n{body}    return type(data).__name__\n", world)  # noqa: S102
    function: Callable[..., Any] = world["f"]
    return function


def test_a_loop_too_large_for_numba_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop with more bytecode than the bound runs on the bytes themselves, however many."""
    monkeypatch.setitem(sys.modules, "numba", None)  # its import would fail
    sizes = {}
    for statements in range(500, 3000, 50):
        function = long_loop(statements)
        sizes[len(function.__code__.co_code)] = function
    over = min(size for size in sizes if size > loops.LARGEST)
    assert Loop(sizes[over])(b"abc", 1 << 40, 1) == "bytes"
    under = max(size for size in sizes if size <= loops.LARGEST)
    assert not Loop(sizes[under]).would_interpret(loops.INTERPRETED_BELOW)
    with pytest.raises(ImportError):
        Loop(sizes[under])(b"abc", loops.INTERPRETED_BELOW, 1)


def test_a_loop_of_exactly_the_bound_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound itself is still compiled, one byte more is not."""
    size = len(summed.__code__.co_code)
    monkeypatch.setattr(loops, "LARGEST", size)
    assert not Loop(summed).would_interpret(1 << 40)
    monkeypatch.setattr(loops, "LARGEST", size - 1)
    assert Loop(summed).would_interpret(1 << 40)


def test_small_inputs_are_interpreted_until_the_loop_is_compiled() -> None:
    """Input below the bound is interpreted; a loop that is compiled once is used for all."""
    loop = Loop(summed)
    assert loop.would_interpret(loops.INTERPRETED_BELOW - 1)
    assert not loop.would_interpret(loops.INTERPRETED_BELOW)
    assert loop(b"\1\2\3", 3, 3) == 6
    assert loop.compiled(np.array([1, 2, 3], np.uint8), 3) == 6
    assert not loop.would_interpret(1)
    assert loop(b"\1\2\3", 3, 2) == 3
