"""Choose kernels to run interpreted, since their machine code does not have the fault.

These are the kernels of the file with the fault, and of all files that call its functions.
"""

from __future__ import annotations

import gc
from typing import Any

__all__ = ["Kernels"]

_MUCH = 1 << 62
"""More units of work than any kernel does."""


class Kernels:
    """All kernels of this process, by their file."""

    of: dict[str, list[Any]]

    def __init__(self) -> None:
        """Find the kernels."""
        self.of = {}
        for each in gc.get_objects():
            if type(each).__name__ == "Kernel" and hasattr(each, "is_worth_it"):
                self.of.setdefault(_file(each), []).append(each)

    def interpret(self, path: str) -> None:
        """Interpret all kernels of a file, and those that depend on it."""
        for file in self.depending(path):
            for each in self.of.get(file, []):
                each.__dict__ |= {
                    "_choice": "interpreted", "_left": _MUCH, "_is_native_sought": True,
                    "_native": None, "_run": None, "_is_kept": False,
                }  # fmt: skip

    def depending(self, path: str) -> set[str]:
        """Return a file, and all files of kernels that use what it defines."""
        found = {path}
        while True:
            more = {
                file
                for file, (first, *_) in self.of.items()
                if file not in found and any(_file(each) in found for each in _known(first))
            }
            if not more:
                return found
            found |= more


def _known(kernel: Any) -> list[Any]:
    """Return the globals of the module of a kernel."""
    return list(kernel.function.__globals__.values())


def _file(value: Any) -> str:
    """Return the file of a function or of a kernel, "" for other values."""
    code = getattr(getattr(value, "function", value), "__code__", None)
    return getattr(code, "co_filename", "")
