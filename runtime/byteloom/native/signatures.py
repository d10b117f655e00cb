"""The types that a kernel is called with, as text, and the table of those that are compiled ahead.

- A signature is ``const u1[:], i8[:,:], int, (i8[:], bool)``.  An array is a short NumPy type with
  a colon for each dimension, ``strided`` if it need not be C-contiguous, and ``const`` if it may be
  read-only.
- ``int`` is a signed word of 64 bits, ``uint`` an unsigned one, ``float`` a double.
- In the table, a line that begins at the margin is the name of a kernel; indented lines are its
  signatures.  Tests record it, with ``BYTELOOM_KERNELS=recorded``, and it is committed.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "TABLE",
    "Array",
    "is_served",
    "kernel_named",
    "parsed",
    "read_table",
    "table_text",
    "text_of",
    "types_of",
    "united",
]


class Array(NamedTuple):
    """An array: its NumPy type in short, its dimensions, whether it may be strided or read-only."""

    dtype: str
    dimensions: int
    is_const: bool = False
    is_strided: bool = False

    def __str__(self) -> str:
        """Return the text of it."""
        shape = ",".join(":" * self.dimensions)
        const, strided = "const " * self.is_const, "strided " * self.is_strided
        return f"{const}{strided}{self.dtype}[{shape}]"


_TOKEN: Final = re.compile(
    r"(?P<const>const )?(?P<strided>strided )?(?P<dtype>[biuf]\d)\[(?P<shape>[:,]+)\]"
    r"|(?P<number>int|uint|bool|float)|(?P<mark>[()])"
)
_NUMBERS: Final = (
    ("bool", (bool, np.bool_)),
    ("uint", (np.uint64,)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
)


def types_of(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the types of *values*: an `Array`, a number's name, None for others, or a tuple."""
    return tuple(_type_of(value) for value in values)


def _type_of(value: Any) -> Any:
    if isinstance(value, tuple):
        return types_of(value)
    if not isinstance(value, np.ndarray):
        return next((name for name, kinds in _NUMBERS if isinstance(value, kinds)), None)
    if not value.dtype.isnative or value.dtype.kind not in "biuf":
        return None
    flags = value.flags
    return Array(value.dtype.str[1:], value.ndim, not flags.writeable, not flags.c_contiguous)


def text_of(types: tuple[Any, ...]) -> str:
    """Return the text of *types*."""
    parts = (f"({text_of(each)})" if type(each) is tuple else str(each) for each in types)
    return ", ".join(parts)


def is_served(types: Any, by: Any) -> bool:
    """Return whether code compiled for the types *by* can be called with *types*."""
    if isinstance(types, Array) and isinstance(by, Array):
        is_allowed = by.is_const >= types.is_const and by.is_strided >= types.is_strided
        return types[:2] == by[:2] and is_allowed
    if type(types) is tuple and type(by) is tuple:
        return len(types) == len(by) and all(map(is_served, types, by))
    return bool(types == by)


def parsed(text: str) -> tuple[Any, ...]:
    """Return the types that *text* represents."""
    stack: list[Any] = [[]]
    for token in _TOKEN.finditer(text):
        if token["dtype"]:
            marks = bool(token["const"]), bool(token["strided"])
            stack[-1].append(Array(token["dtype"], token["shape"].count(":"), *marks))
        elif token["number"]:
            stack[-1].append(token["number"])
        elif token["mark"] == "(":
            stack.append([])
        else:
            group: Any = tuple(stack.pop())
            stack[-1].append(group)
    return tuple(stack[0])


def united(signatures: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return, sorted, the signatures of a kernel that cover all calls with *signatures*.

    An argument that is read-only in one call is never written, so it may be read-only in all.
    """
    merged: dict[str, tuple[Any, ...]] = {}
    for types in signatures:
        key = text_of(types).replace("const ", "")
        merged[key] = _merged(merged.get(key, types), types)
    return [merged[key] for key in sorted(merged)]


def _merged(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    found: list[Any] = []
    for a, b in zip(one, other, strict=True):
        if isinstance(a, Array):
            found.append(a._replace(is_const=a.is_const or b.is_const))
        else:
            found.append(_merged(a, b) if isinstance(a, tuple) else a)
    return tuple(found)


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
