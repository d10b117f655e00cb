"""What the stream of a record is called on a page: the bytes that its positions count from.

A record that is given a size has a stream of its own; any other shares the stream of the record
that it is part of, and one that nothing else contains is read from the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import Instance, UserType
from byteloom_codegen.nodes import user_types
from byteloom_codegen.reference.prose import Word, Words, in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import TypeSpec

__all__ = ["CURRENT", "INPUT", "OWN", "stream_name"]

INPUT: Final = in_words("the input")
OWN: Final = in_words("this record")
CURRENT: Final = in_words("the current stream")
"""Where a type is part of records with different streams."""


def stream_name(spec: TypeSpec) -> Words:
    """Return the name of the stream that a record of *spec* is read from."""
    found = set(_streams(spec, frozenset()))
    if found <= {None}:
        return INPUT
    if len(found) != 1:
        return CURRENT
    (owner,) = found
    if owner is spec:
        return OWN
    return in_words("the enclosing ", Word(owner.name, target=owner))  # type: ignore[union-attr]  # not None


def _streams(spec: TypeSpec, seen: frozenset[int]) -> Iterator[TypeSpec | None]:
    """Yield the type whose bytes each record of *spec* is read from; None for the input."""
    readers = list(_readers(spec))
    if not readers or spec.owner is None:
        yield None
    for reader, is_own in readers:
        if is_own is None:
            yield None
        elif is_own:
            yield spec
        elif id(reader) not in seen:
            yield from _streams(reader, seen | {id(spec), id(reader)})


def _readers(spec: TypeSpec) -> Iterator[tuple[TypeSpec, bool | None]]:
    """Yield each type with records of *spec*, and whether these have bytes of their own.

    None for records that are read from another stream, which an expression names.
    """
    for each in spec.spec.top.walk():
        for member in (*each.seq, *each.instances):
            for user in user_types(getattr(member, "type", None)):
                if isinstance(user, UserType) and user.type is spec:
                    own = user.delimiting is not None
                    elsewhere = isinstance(member, Instance) and member.io is not None
                    yield each, None if elsewhere and not own else own
