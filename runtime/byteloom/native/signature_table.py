"""The table of signatures that kernels are compiled for when byteloom is installed.

- A line that begins at the margin is the name of a kernel; indented lines are its signatures.
- Tests record it, with ``BYTELOOM_KERNELS=recorded``, and it is committed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from byteloom.native.signatures import parsed, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TABLE", "kernel_named", "read_table", "table_text"]

TABLE: Final = Path(__file__).parents[1] / "kernels" / "signatures.txt"

_HEAD: Final = """\
# What kernels are compiled for when byteloom is installed: each kernel, and the types of its calls.
# Recorded by `BYTELOOM_KERNELS=recorded make test`; lines may also be removed or added by hand.
"""


def read_table() -> dict[str, list[tuple[Any, ...]]]:
    """Return the signatures of each kernel, by the name of its module and its own."""
    table: dict[str, list[tuple[Any, ...]]] = {}
    name = ""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("    "):
            table[name].append(parsed(line))
        elif line and not line.startswith("#"):
            name = line
            table[name] = []
    return table


def kernel_named(name: str) -> Any:
    """Return the kernel with this name in the table; None if there is no such kernel."""
    module, _, kernel = name.rpartition(".")
    try:
        return getattr(import_module(module), kernel, None)
    except ModuleNotFoundError:
        return None


def table_text(table: Mapping[str, list[tuple[Any, ...]]]) -> str:
    """Return the text of *table*, sorted by name."""
    lines = [_HEAD]
    for name in sorted(table):
        lines += [name, *(f"    {text_of(types)}" for types in table[name])]
    return "\n".join(lines) + "\n"
