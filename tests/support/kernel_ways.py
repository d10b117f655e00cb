"""The two ways in which a kernel runs, for tests that compare both with plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.native.kernel import Kernel


def interpreted(kernel: Kernel) -> Callable[..., Any]:
    """A kernel as Python runs it."""

    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return kernel.interpreted(*args)

    return run


def machine_code(kernel: Kernel) -> Callable[..., Any]:
    """A kernel as it was compiled at installation, or is compiled now."""

    def run(*args: Any) -> Any:
        found = kernel.native(*args) if kernel.native else NotImplemented
        return kernel.compiled(*args) if found is NotImplemented else found

    return run


ways = pytest.mark.parametrize("way", [interpreted, machine_code])


def bytes_of(data: bytes) -> np.ndarray:
    """Bytes that cannot be written, as those of a file."""
    return np.frombuffer(data, np.uint8)
