"""The methods that read a format, printed and compiled."""

from __future__ import annotations

import linecache
from itertools import count
from math import isnan
from struct import unpack
from typing import TYPE_CHECKING, Any, Final, NoReturn

from byteloom.wire.floats import exact, nan_of
from byteloom.wire.inlining.sources import methods_of
from byteloom.wire.inlining.statements import Statements
from byteloom.wire.inlining.trees import is_usual
from byteloom.wire.stored import Stored, cut_or_stored, text_of
from byteloom.wire.varints import taken

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.reader import Reader

__all__ = ["GiveUp", "Printed", "printed"]


class GiveUp(Exception):
    """The bytes are left to the methods as they were generated."""


def _nothing() -> NoReturn:
    raise GiveUp


_HELPERS: Final[dict[str, object]] = {
    "_GiveUp": GiveUp,
    "_Stored": Stored,
    "_count": count,
    "_cut_or_stored": cut_or_stored,
    "_exact": exact,
    "_from_bytes": int.from_bytes,
    "_isnan": isnan,
    "_len": len,
    "_list": list,
    "_max": max,
    "_nan_of": nan_of,
    "_new": object.__new__,
    "_nothing": _nothing,
    "_range": range,
    "_sum": sum,
    "_taken": taken,
    "_text_of": text_of,
    "_unpack": unpack,
}
"""What printed methods call, by names that no module of records has."""


class Printed:
    """The printed `read` of a class.

    spare  levels of records that are not counted one by one
    """

    def __init__(self, read: Callable[..., Any], spare: int) -> None:
        """Keep them."""
        self._read, self._spare = read, spare

    def read(self, r: Reader, name: str, params: dict[str, Any]) -> Any:
        """Return a record called *name*; any exception says that this is left to its own method."""
        spent = r._spent  # noqa: SLF001  (as what is printed has it)
        spent.depth = self._spare
        record = r.whole(name, self._read, **params)
        spent.depth = 0
        if spent.objects > r.limits.objects:
            raise GiveUp
        return record


def printed(top: type) -> Printed | None:
    """Return the `read` of *top*, printed with all that it comes to; None if that cannot be."""
    methods = methods_of(top)
    for cls in [each for each, node in methods.nodes.items() if not is_usual(node)]:
        del methods.nodes[cls]
    if top not in methods.nodes:
        return None
    readers = {cls: f"_read_{n}_{cls.__name__}" for n, cls in enumerate(methods.nodes)}
    worlds: dict[int, dict[str, Any]] = {}
    for cls in methods.nodes:
        own = vars(cls)["read"].__func__.__globals__
        world = worlds.setdefault(id(own), {**own, **_HELPERS, "_texts": []})
        world["_texts"].append(Statements(cls, methods, readers, world).text)
    found: dict[str, Any] = {}
    for world in worlds.values():
        text, file = "\n".join(world["_texts"]), f"<{world['__name__']}, inlined>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        exec(compile(text, file, "exec"), world)  # noqa: S102  (printed above)
        found |= {name: world[name] for name in readers.values() if name in world}
    for world in worlds.values():
        world.update(found)
    spare = len(methods.calls.keys() - methods.recursive() - {top})
    return Printed(found[readers[top]], spare)
