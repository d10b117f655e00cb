"""Check that an edited record's bytes are read back as the same record.

Most fields are checked against their lengths and counts while they are written.  Some mistakes show
only when the bytes are read: a size, a count or a condition that depends on what is left of the
stream, a part stored at its own offset, a second view of edited bytes.  Records of such types are
read back before their bytes are returned:

- A record that was not changed gives the bytes that it was read from.
- Otherwise the new bytes must be read as the same record, with every part that is read only when
  asked for.  If they are not, those parts are read first, so that they move with the rest.
- If that does not help either, what was not edited follows, by one rule after the other: fields
  that were read from the bytes of an edited view get its value, positions follow what they point
  to, parts behind one that grew move back, and numbers that sizes are calculated from are found.
- A record for which nothing of that helps is refused.
- Bytes beyond the limits that the record was read with, or beyond the usual limits if it was made
  by hand, are returned without this check: their readers may allow more.
- A record inside another is written with the parameters that the other one passes.  A parameter
  that differs from these, and from what was read, was edited, and writing would lose it: the record
  is refused.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from byteloom.editing.comparison import difference, shortly
from byteloom.editing.differences import (
    edits,
    followed_in,
    is_plainly_unedited,
    note_followed,
    source_of,
)
from byteloom.editing.edited import Edited, FreeNumbers
from byteloom.editing.formulas import Member
from byteloom.editing.pairs import Pairs, kept_partners, parts_read
from byteloom.editing.positions import Relocation
from byteloom.editing.room import with_room
from byteloom.editing.stored_numbers import mended
from byteloom.editing.views import Carried
from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire.contradictions import Crowded, Unequal
from byteloom.wire.members import parameter_names, parameters, passed_records
from byteloom.wire.passes import bytes_of
from byteloom.wire.reader import Reader
from byteloom.wire.record import collector_paused
from byteloom.wire.temporary_changes import noting
from byteloom.wire.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.wire.record import Record
    from byteloom.wire.temporary_changes import Replaced

__all__ = [
    "keep_parameters",
    "reassigned",
    "to_bytes",
]


def reassigned(record: Record, as_read: Record) -> Iterator[str]:
    """Yield the paths of parameters that are records or lists of them, and differ from before."""
    same: dict[tuple[int, int], bool] = {}  # the same list may be passed to many records
    for path, now, was in Pairs(record, as_read).records:
        kind: Any = type(now)
        for name in passed_records(kind):
            values = getattr(now, name), getattr(was, name)
            key = id(values[0]), id(values[1])
            if key not in same:
                same[key] = not _is_other(*values)
            if not same[key]:
                yield f"{path}.{name}"


def keep_parameters(record: Record, as_read: Record | None, replaced: Replaced) -> None:
    """Remember in *record* what was passed, so that it does not count as edited later on.

    errors  FormatError: writing has *replaced* a parameter that was edited
    """
    if replaced and as_read is not None:
        for path, name, before, passed in _lost(record, as_read, replaced):
            wanted = f"{shortly(passed)}, as it is passed by the record around it: edit that one"
            raise FormatError(f"{path}.{name}", None, shortly(before), wanted)
    if replaced:
        note_followed(record, (Member(child, name) for child, name, _ in replaced.values()))


def _lost(
    record: Record, as_read: Record, replaced: Replaced
) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield edited parameters that were *replaced*: path, name, the value before, and after."""
    followed = followed_in(record)
    after = {key: getattr(child, name) for key, (child, name, _) in replaced.items()}
    for child, name, before in replaced.values():
        setattr(child, name, before)
    pairs = Pairs(record, as_read).records
    for key, (child, name, _) in replaced.items():
        setattr(child, name, after[key])
    for path, now, was in pairs:
        kind: Any = type(now)
        for name in parameter_names(kind):
            key = id(now), name
            if key in replaced:
                before = replaced[key][2]
                if _is_other(before, getattr(was, name)) and before != followed.get(key, was):
                    yield path, name, before, after[key]


def _is_other(now: Any, was: Any) -> bool:
    """Whether two values of a parameter differ; streams are not compared."""
    return now != was and not any(isinstance(each, Reader | Writer) for each in (now, was))


def to_bytes(record: Record) -> bytes:
    """Return the bytes of *record*, which are read as an equal record.

    errors  FormatError: what is wrong; the field that would be read back differently, and its value
            then; or the parameter whose edit has no effect
    """
    if not record.REREAD:
        with suppress(Unequal):
            return _plain_bytes(record)
    source = source_of(record)
    before = None if source is None else source.written()
    as_read = None if before is None else _before(record, before)
    if before is not None and not _is_edited(record, as_read):
        return before
    with noting() as replaced:
        data = _written(record) if as_read is None else _edited_bytes(Edited(record, as_read))
        keep_parameters(record, as_read, replaced)
    return data


def _plain_bytes(record: Record) -> bytes:
    """Return the bytes of *record*, of a type that need not be read back.

    errors  Unequal: a size or a count differs from what another field says, and may follow
    """
    with noting() as replaced:
        data = bytes_of(record.NAME, record)
        source = source_of(record)
        if replaced and source is not None:
            keep_parameters(record, _before(record, source.written()), replaced)
    return data


def _edited_bytes(edited: Edited) -> bytes:
    """Return an edited record as bytes; values that were not edited are adjusted if necessary."""
    try:
        return _written(edited.record, edited)
    except FormatError as error:
        carried = Carried(edited)
        data = _carried_bytes(edited, carried) if carried else None
        return _followed_bytes(edited, error) if data is None else data


def _carried_bytes(edited: Edited, carried: Carried) -> bytes | None:
    """Return the bytes of a record with the values that were *carried*; None if that fails."""
    edited = edited.renewed()
    with suppress(FormatError):
        with carried.without_views():
            data = _followed_bytes(edited)
        if _problem(edited.record, data, edited) is None:
            carried.keep()
            return data
    carried.undo()
    return None


def _followed_bytes(edited: Edited, error: FormatError | None = None) -> bytes:
    """Return an edited record as bytes; numbers that were not edited are adjusted if necessary.

    error  what is wrong with the record as it is, if that is known
    """
    record, pairs, free = edited.record, edited.pairs(), FreeNumbers(edited)
    relocation = Relocation(edited, free)

    def written() -> bytes:
        try:
            return _written(record, edited)
        except FormatError as problem:
            return relocated(problem)

    def relocated(problem: FormatError) -> bytes:
        data = relocation.written(
            lambda: bytes_of(record.NAME, record), lambda data: _problem(record, data, edited)
        )
        if data is None and isinstance(problem, Crowded):
            data = with_room(edited, pairs, free, problem, settled)
        if data is None:
            raise problem
        return data

    def settled(problem: FormatError | None = None) -> bytes:
        try:
            return written() if problem is None else relocated(problem)
        except Unequal as unequal:
            return mended(edited, unequal, written)

    with kept_partners(pairs.partners):
        return settled(error)


def _written(record: Record, edited: Edited | None = None) -> bytes:
    """Return the bytes of *record*, which are read as an equal record, or raise what is wrong."""
    data = bytes_of(record.NAME, record)
    if _problem(record, data, edited) is None:
        return data
    with parts_read(record, None if edited is None else edited.as_read):
        data = bytes_of(record.NAME, record)
        problem = _problem(record, data, edited)
    if problem is not None:
        raise problem
    return data


def _is_edited(record: Record, as_read: Record | None) -> bool:
    if as_read is None:
        return True
    with collector_paused():
        if is_plainly_unedited(record, as_read):
            return False
        return any(edits(record, as_read)) or any(reassigned(record, as_read))


def _problem(record: Record, data: bytes, edited: Edited | None) -> FormatError | None:
    """Return an error if *data* is read as anything but *record*, else None."""
    try:
        found = _reread(record, data)
    except LimitExceeded:  # who reads these bytes may allow more than this reader
        return None
    except FormatError as error:
        wanted = f"{error.wanted}; values that agree: these bytes would not be read back the same"
        return FormatError(error.path, None, error.found, wanted)
    with collector_paused():
        return difference(record, found, edited)


def _before(record: Record, data: bytes) -> Record | None:
    """Read *record* from *data* again, as it was before edits; None if that fails."""
    with suppress(FormatError):
        return _reread(record, data)
    return None


def _reread(record: Record, data: bytes) -> Record:
    source = source_of(record)
    limits = DEFAULT_LIMITS if source is None else source.limits
    return type(record).from_bytes(data, limits=limits, **parameters(record))
