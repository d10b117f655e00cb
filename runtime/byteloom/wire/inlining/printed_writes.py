"""The `write` methods of a record, printed and compiled."""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.inlining.giving_up import GiveUp, nothing
from byteloom.wire.inlining.put_statements import PutStatements
from byteloom.wire.inlining.sink import Sink
from byteloom.wire.inlining.sources import run
from byteloom.wire.inlining.writes import writes_of
from byteloom.wire.stored import encoded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PrintedWrite", "printed_write"]

_HELPERS: Final[dict[str, object]] = {
    "_GiveUp": GiveUp,
    "_bytes": bytes,
    "_encoded": encoded,
    "_getattr": getattr,
    "_id": id,
    "_int": int,
    "_isinstance": isinstance,
    "_len": len,
    "_list": list,
    "_nothing": nothing,
    "_pack": pack,
    "_str": str,
    "_type": type,
}
"""What printed methods call, by names that no module of records uses."""


class PrintedWrite:
    """The printed `write` method of a class."""

    def __init__(self, write: Callable[[Any, Sink], None]) -> None:
        """Keep the printed method."""
        self._write = write

    def written(self, record: Any) -> bytes:
        """Return *record* as bytes; after any exception, the generated `write` does."""
        if getattr(record, "_stream", None) is not None:
            raise GiveUp
        w = Sink()
        self._write(record, w)
        w.close()
        return bytes(w._sink)  # noqa: SLF001  (as what is printed has it)


def printed_write(top: type) -> PrintedWrite | None:
    """Return the printed `write` of *top* and all that it calls; None if one cannot be printed."""
    writes = writes_of(top)
    if writes is None:
        return None
    writers = {cls: f"_write_{n}_{cls.__name__}" for n, cls in enumerate(writes.nodes)}
    worlds: dict[int, dict[str, Any]] = {}
    ways: dict[str, tuple[type, ...]] = {}
    texts: dict[int, list[str]] = {}
    for cls in writes.nodes:
        own = vars(cls)["write"].__globals__
        world = worlds.setdefault(id(own), {**own, **_HELPERS})
        text = PutStatements(cls, writes, writers, world, ways).text
        texts.setdefault(id(own), []).append(text)
    found: dict[str, Any] = {}
    for key, world in worlds.items():
        run("\n".join(texts[key]), f"<{world['__name__']}, inlined writes>", world)
        found |= {name: world[name] for name in writers.values() if name in world}
    for name, kinds in ways.items():
        by_size = name.startswith("_ways")
        found[name] = {
            each: getattr(each, "SIZE", None)
            if by_size and hasattr(each, "SIZE")
            else found[writers[each]]
            for each in kinds
        }
    for world in worlds.values():
        world.update(found)
    return PrintedWrite(found[writers[top]])
