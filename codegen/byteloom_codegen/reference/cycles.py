"""Types that can contain themselves, which a reader in any language needs a limit for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import Field, Instance, UserType
from byteloom_codegen.nodes import user_types
from byteloom_codegen.reference.prose import Word, Words, in_words, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import TypeSpec

__all__ = ["cycle_words"]


def cycle_words(spec: TypeSpec) -> Words:
    """Return in words how *spec* contains itself, and what a reader does; empty if it does not."""
    found = _cycle(spec)
    if found is None:
        return ()
    between, jumps = found
    names = tuple(joined([in_words(Word(each.name, target=each)) for each in between], ", "))
    through = in_words("through ", names, ": ") if between else ()
    if jumps:
        danger = "offsets in damaged bytes may lead round in circles"
    else:
        danger = "damaged bytes may nest it without end"
    return in_words(through, danger, ", so a reader needs a limit for the depth")


def _cycle(spec: TypeSpec) -> tuple[list[TypeSpec], bool] | None:
    """Return the types on the shortest way from *spec* to itself, and whether it has an offset."""
    ways: list[tuple[list[TypeSpec], bool]] = [([spec], False)]
    seen = {id(spec)}
    for way, jumps in ways:  # grows
        for each, is_far in _contained(way[-1]):
            if each is spec:
                return way[1:], jumps or is_far
            if id(each) not in seen:
                seen.add(id(each))
                ways.append(([*way, each], jumps or is_far))
    return None


def _contained(spec: TypeSpec) -> Iterator[tuple[TypeSpec, bool]]:
    """Yield the types that *spec* contains, and whether each is at an offset of its own."""
    for member in (*spec.seq, *spec.instances):
        if isinstance(member, Field):
            is_far = isinstance(member, Instance) and member.pos is not None
            for user in user_types(member.type):
                if isinstance(user, UserType):
                    yield user.type, is_far
