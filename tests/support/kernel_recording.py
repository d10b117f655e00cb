"""What kernels are called with while tests run, added to the table of signatures.

With BYTELOOM_KERNELS=recorded; `byteloom.native.build` compiles kernels for what is in it.
Names that are no longer a kernel's are removed.
"""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING, Any

from byteloom.native.kernel import Kernel
from byteloom.native.signatures import TABLE, kernel_named, read_table, table_text, types_of, united

if TYPE_CHECKING:
    from collections.abc import Callable

_FOUND: dict[str, set[tuple[Any, ...]]] = {}
_CALL: Callable[..., Any] = Kernel.__call__


def _recorded(self: Kernel, *args: Any) -> Any:
    if self.__module__.startswith("byteloom"):
        name = f"{self.__module__}.{self.__name__}"
        _FOUND.setdefault(name, set()).add(types_of(args))
    return _CALL(self, *args)


Kernel.__call__ = _recorded  # type: ignore[method-assign]


def pytest_sessionfinish() -> None:
    """Add what was found; several workers may do so at a time."""
    with TABLE.open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        table = {name: types for name, types in read_table().items() if kernel_named(name)}
        for name, found in _FOUND.items():
            known = {each for each in found if "None" not in str(each)}
            table[name] = united([*table.get(name, []), *sorted(known, key=str)])
        TABLE.write_text(table_text(table), "utf-8")
