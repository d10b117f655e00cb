"""Check the kinds of types, encodings and streams in an ORC stripe before the library reads it.

The library takes a kind that it does not know for the first one, which it then misreads: a type for
BOOLEAN, an encoding for DIRECT, and a stream for PRESENT.  Of two streams of a kind it reads one.

Source: https://orc.apache.org/specification/ORCv1/ ("Stripes")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, Unsupported
from byteloom_generated.orc.messages import ColumnEncoding, Stream, Type

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from byteloom_generated.orc.messages import StripeFooter

__all__ = ["check_kinds"]

_TYPES: Final = frozenset(map(int, Type.Kind))
_ENCODINGS: Final = frozenset(map(int, ColumnEncoding.Kind))
_STREAMS: Final = frozenset(map(int, Stream.Kind))


def check_kinds(
    types: Sequence[Type], footer: StripeFooter, columns: Collection[int], where: str
) -> None:
    """Refuse columns of a stripe that the library would misread.

    columns      numbers of types, including those inside them
    where        the name of the stripe in errors
    Unsupported  a kind of type, encoding or stream that version 1 of the format does not have; a
                 map with null keys
    FormatError  two streams of a kind
    """
    for each in sorted(columns):
        _check(f"{where}.columns[{each}]", "a type", types[each].kind, _TYPES)
        if each < len(footer.columns):
            _check(f"{where}.columns[{each}]", "an encoding", footer.columns[each].kind, _ENCODINGS)
    seen = set()
    for stream in footer.streams:
        if stream.column in columns:
            _check(f"{where}.columns[{stream.column}]", "a stream", stream.kind, _STREAMS)
            if (stream.column, stream.kind) in seen:
                found = f"two streams of kind {Stream.Kind(stream.kind).name}"
                raise FormatError(f"{where}.columns[{stream.column}]", None, found, "one")
            seen.add((stream.column, stream.kind))
    for each in sorted(columns):
        keys = types[each].subtypes[:1] if types[each].kind == Type.Kind.MAP else ()
        if any((key, Stream.Kind.PRESENT) in seen for key in keys):
            # Writers leave the stream out where nothing is null; Arrow ends the process.
            raise Unsupported(f"{where}.columns[{each}]", None, "null keys of a map", "keys")


def _check(where: str, what: str, kind: int, known: Collection[int]) -> None:
    """Refuse a kind that is not known."""
    if kind not in known:
        raise Unsupported(where, None, f"{what} of kind {kind}", "a kind that ORC has")
