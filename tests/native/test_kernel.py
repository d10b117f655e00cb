"""A kernel runs interpreted until it has done its allowance of work, and compiled from then on.

No public function shows how a kernel ran.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from byteloom.native.kernel import _WORTH, ALLOWANCE, Kernel, kernel

if TYPE_CHECKING:
    from pathlib import Path

_u64: Any = np.uint64


@kernel
def _stirred(value: Any) -> Any:
    return value * _u64(0x9E3779B97F4A7C15)


@kernel
def _sum(values: np.ndarray) -> Any:
    total = _u64(0)
    for i in range(len(values)):
        total ^= _stirred(_u64(values[i]))
    return total


@kernel(work=lambda _, count: count)
def _zeros(values: np.ndarray, count: int) -> int:
    found = 0
    for i in range(count):
        found += int(values[i] == 0)
    return found


def _is_compiled(function: Kernel) -> bool:
    return function._run is not None


@pytest.fixture
def zeros(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Return a kernel that has not run."""
    monkeypatch.delenv("BYTELOOM_KERNELS", raising=False)
    return Kernel(_zeros.function, _zeros._work, {})


def test_an_interpreted_kernel_wraps_around_as_machine_code_does() -> None:
    """Integers wrap silently in interpreted kernels too, and in kernels that they call."""
    values = np.arange(1 << 60, (1 << 60) + 99, dtype=np.uint64)
    assert _sum.interpreted.__globals__["_stirred"] is _stirred.interpreted
    with np.errstate(all="ignore"):
        wanted = _sum.interpreted(values)
    assert _sum(values) == wanted == _sum.compiled(values)


def test_the_last_unit_of_the_allowance_is_interpreted(zeros: Kernel) -> None:
    """Kernel calls are interpreted while their total work is at most the allowance."""
    values = np.zeros(4, np.int64)
    zeros._left = 7
    assert [zeros(values, 4), zeros(values, 3)] == [4, 3]
    assert not _is_compiled(zeros)
    assert zeros(values, 1) == 1
    assert _is_compiled(zeros)


def test_without_an_estimate_all_elements_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a kernel call is the number of elements of its arrays, even in tuples."""
    monkeypatch.delenv("BYTELOOM_KERNELS", raising=False)
    first = Kernel(_first.function, None, {})
    arrays = np.zeros(10, np.uint8), (np.zeros((2, 3), np.int64), np.zeros(1, np.int64))
    first(*arrays)
    assert first._left == ALLOWANCE - 17


@kernel
def _first(values: np.ndarray, others: tuple[np.ndarray, ...]) -> int:
    return int(values[0]) + len(others)


def test_what_an_earlier_process_compiled_is_used_sooner(
    zeros: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that an earlier process compiled is used compiled after less work."""
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    values = np.zeros(_WORTH + 1, np.int64)
    assert zeros(values, len(values)) == len(values)
    assert not _is_compiled(zeros)  # nothing is kept yet
    zeros.compiled(values, 1)
    later = Kernel(_zeros.function, _zeros._work, {})
    later(values, _WORTH)
    assert not _is_compiled(later)
    later(values, _WORTH + 1)
    assert _is_compiled(later)


@pytest.mark.parametrize(("choice", "compiled"), [("interpreted", False), ("compiled", True)])
def test_the_environment_fixes_the_choice(
    monkeypatch: pytest.MonkeyPatch, choice: str, compiled: bool
) -> None:
    """BYTELOOM_KERNELS forces interpreted or compiled code for inputs of any size."""
    monkeypatch.setenv("BYTELOOM_KERNELS", choice)
    run = Kernel(_zeros.function, lambda *_: 0 if compiled else 1 << 40, {})
    run(np.zeros(1, np.int64), 1)
    assert _is_compiled(run) == compiled


def test_small_files_load_no_compiler() -> None:
    """Importing a kernel, or calling it with little work, does not load numba."""
    code = (
        "import sys, numpy as np; from byteloom.kernels.transforms import days_of_micros;"
        "days = np.zeros(3, np.int32); days_of_micros(np.full(3, 86400000000), days);"
        "print(days.tolist(), 'numba' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[1, 1, 1] False"
