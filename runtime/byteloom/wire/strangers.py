"""Refuse a record whose type is not that of the field that holds it.

Such a record may be written without an error, as other bytes than a reader expects: nothing in
`write` of the record around it asks for the type.  Types that are read back after they are written
do not need this.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from byteloom.errors import FormatError, with_article
from byteloom.wire.members import is_record, parameter_names
from byteloom.wire.misfits import hints_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.wire.record import Record

__all__ = ["records_in", "refuse_strangers"]


class _Holder(NamedTuple):
    """A field that holds a record or a list of them.

    kinds  the types that its records may have
    deep   whether such a record may hold records itself
    """

    name: str
    kinds: tuple[type, ...]
    deep: bool


def refuse_strangers(record: Record) -> None:
    """Refuse *record* if a record in it is of a type that its field does not have.

    errors  FormatError: where, and what types are possible there
    """
    try:
        _look(record)
    except FormatError as error:
        raise error.inside(record.NAME) from None


def _look(record: Any) -> None:
    kind: Any = type(record)
    for holder in _holders(kind):
        held = getattr(record, holder.name)
        if not isinstance(held, list):
            _refuse(holder.name, held, holder)
        elif holder.deep or not set(map(type, held)).issubset(holder.kinds):
            for number, each in enumerate(held):
                _refuse(f"{holder.name}[{number}]", each, holder)


def _refuse(name: str, held: Any, holder: _Holder) -> None:
    if isinstance(held, holder.kinds):
        if holder.deep:
            try:
                _look(held)
            except FormatError as error:
                raise error.inside(name) from None
    elif is_record(held):
        wanted = " or ".join(each.__name__ for each in holder.kinds)
        raise FormatError(name, None, with_article(type(held).__name__), wanted)


@lru_cache(maxsize=1024)
def _holders(kind: Any) -> tuple[_Holder, ...]:
    """Return the fields of a record of *kind* that hold records of known types."""
    hints = hints_of(kind) if is_record(kind) else {}
    if not hints:
        return ()
    given, parts = parameter_names(kind), {hidden.lstrip("_") for hidden in kind.LAZY.values()}
    held = [
        each.name
        for each in fields(kind)
        if (each.compare and each.name not in given) or each.name.lstrip("_") in parts
    ]
    kinds = {name: tuple(records_in(hints[name])) for name in held}
    return tuple(
        _Holder(name, found, deep=any(map(_holds_records, found)))
        for name, found in kinds.items()
        if found
    )


def _holds_records(kind: Any) -> bool:
    """Whether a record of *kind* may hold records; one that may hold itself does."""
    return any(any(records_in(hint)) for hint in hints_of(kind).values())


def records_in(hint: Any) -> Iterator[type]:
    """Yield the types of records that an annotation names."""
    if isinstance(hint, type) and is_record(hint):
        yield hint
    for each in get_args(hint):
        yield from records_in(each)
