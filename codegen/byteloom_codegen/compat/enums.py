"""Two enums: labels by their names and by their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.compat.context import Where
from byteloom_codegen.compat.findings import FINE, Effect, Effects

if TYPE_CHECKING:
    from byteloom_codegen.compat.context import Context
    from byteloom_codegen.model import EnumSpec

__all__ = ["compare_enums"]

_RENAMED: Final = Effects(writers=Effect.NO, programs=Effect.NO)
_RENUMBERED: Final = Effects(old_files=Effect.NO, new_files=Effect.NO)


def compare_enums(context: Context, old: EnumSpec, new: EnumSpec) -> None:
    """Find labels that were added, removed, renamed or given another value."""
    path = ".".join((*(new.owner.path if new.owner else ()), new.name))
    where = Where(path, old.location, new.location)
    was = {each.name: each.value for each in old.members}
    now = {each.name: each.value for each in new.members}
    named = {each.value: each.name for each in new.members}
    for name, value in was.items():
        if name in now:
            if now[name] != value:
                text = f"gives {name} the value {now[name]} now; it was {value}"
                context.add("label-renumbered", where, text, _RENUMBERED)
        elif value in named and named[value] not in was:
            text = f"calls {value} {named[value]} now; it was {name}"
            context.add("label-renamed", where, text, _RENAMED)
        else:
            context.add(
                "label-removed", where, f"does not name {value} any more; it was {name}", _RENAMED
            )
    for name, value in now.items():
        if name not in was and value not in was.values():
            text = f"gives {value} the name {name} now; older readers see the number"
            context.add("label-added", where, text, FINE)
