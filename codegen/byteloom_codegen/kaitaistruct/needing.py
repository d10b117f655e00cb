"""Expressions that need the stream, and so can only be evaluated while reading or writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import Instance, IoType, ValueInstance
from byteloom_codegen.nodes import walk

if TYPE_CHECKING:
    from byteloom_codegen.model import Member

__all__ = ["needs_stream"]


def needs_stream(*parts: object) -> bool:
    """Whether any expression in *parts* uses a stream, or an instance read from the record's own.

    A record that was built and not read has no stream before it is written.  Instances of other
    records are taken to be there, as officially.
    """
    seen: set[int] = set()
    return any(_asks(part, seen) for part in parts)


def _asks(part: object, seen: set[int]) -> bool:
    for node in walk(part):
        if isinstance(getattr(node, "type", None), IoType):
            return True
        if isinstance(node, ast.Name) and node.target is not None and _is_late(node.target, seen):
            return True
    return False


def _is_late(member: Member, seen: set[int]) -> bool:
    if isinstance(member, Instance):
        return True
    if not isinstance(member, ValueInstance) or id(member) in seen:
        return False
    seen.add(id(member))
    return _asks([member.value, member.condition], seen)
