"""A cache of the contents of delete files.

Source: Iceberg table spec, "Row-level Deletes".
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Cache"]

_MOST: Final = 512 << 20


class Cache:
    """Values by key, each computed once for all threads; when full, the oldest are dropped.

    Attributes:
        most: Most bytes that are kept, except for a single larger value.
    """

    def __init__(self, most: int = _MOST) -> None:
        """Begin empty."""
        self._most = most
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()
        self._making: dict[Hashable, Lock] = {}

    def __contains__(self, key: Hashable) -> bool:
        """Whether a value is cached."""
        return key in self._held

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """Return the value of *key*; if not cached, *make* returns it and its size in bytes."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key][0]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._held:
                    return self._held[key][0]
            value, size = make()
            self._keep(key, value, size)
            return value

    def _keep(self, key: Hashable, value: Any, size: int) -> None:
        """Cache a value, and drop the oldest others to make room for it."""
        with self._lock:
            self._held[key] = value, size
            self._size += size
            self._making.pop(key, None)
            while self._size > self._most and len(self._held) > 1:
                _, (_, gone) = self._held.popitem(last=False)
                self._size -= gone
