"""The `read` methods of a record, printed and compiled."""

from __future__ import annotations

from itertools import count
from math import isnan
from struct import unpack
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.floats import exact, nan_of
from byteloom.wire.inlining.giving_up import GiveUp, nothing
from byteloom.wire.inlining.sources import methods_of, run
from byteloom.wire.inlining.statements import Statements
from byteloom.wire.inlining.trees import is_usual
from byteloom.wire.stored import Stored, cut_or_stored, text_of
from byteloom.wire.varints import taken

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import partial

    from byteloom.wire.reader import Reader

__all__ = ["Printed", "printed"]


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
    "_nothing": nothing,
    "_range": range,
    "_sum": sum,
    "_taken": taken,
    "_text_of": text_of,
    "_unpack": unpack,
}
"""What printed methods call, by names that no module of records uses."""


class Printed:
    """The printed `read` method of a class.

    spare  levels of records that are not counted one by one
    """

    def __init__(self, read: Callable[..., Any], spare: int) -> None:
        """Keep the printed method."""
        self._read, self._spare = read, spare

    def read(self, r: Reader, name: str, params: dict[str, Any]) -> Any:
        """Return a record called *name*; after any exception, the generated `read` does."""
        spent = r._spent  # noqa: SLF001  (as what is printed has it)
        spent.depth = self._spare
        record = r.whole(name, self._read, **params)
        spent.depth = 0
        if spent.objects > r.limits.objects:
            raise GiveUp
        return record

    def elements(self, handed: partial[Any], r: Reader, most: int, into: list[Any]) -> None:
        """Add records to *into* until it has *most*, or the generated `read` has to read one.

        *r* is then at the start of that record.

        handed  a `read` with the arguments for each record
        """
        read, args, given, spent = self._read, handed.args, handed.keywords, r._spent  # noqa: SLF001
        depth, limits, end = spent.depth, r.limits, r._end  # noqa: SLF001
        at, objects = r._at, spent.objects  # noqa: SLF001
        if depth + self._spare > limits.nesting:
            return
        spent.depth = depth + self._spare
        try:
            while len(into) < most and at < end:
                record = read(r, *args, **given)
                if r._at == at or spent.objects > limits.objects:  # noqa: SLF001
                    break
                into.append(record)
                at, objects = r._at, spent.objects  # noqa: SLF001
        except Exception:  # noqa: BLE001, S110  (whatever it is, `read` says it better)
            pass
        r._at, spent.depth, spent.objects = at, depth, objects  # noqa: SLF001
        r._bits = r._bits_left = 0  # noqa: SLF001


def printed(top: type) -> Printed | None:
    """Return the printed `read` of *top* and all that it calls; None if one cannot be printed."""
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
        run("\n".join(world["_texts"]), f"<{world['__name__']}, inlined>", world)
        found |= {name: world[name] for name in readers.values() if name in world}
    for world in worlds.values():
        world.update(found)
    spare = len(methods.calls.keys() - methods.recursive() - {top})
    return Printed(found[readers[top]], spare)
