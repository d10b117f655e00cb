"""Find edited parameters that writing replaces, and would lose.

A record inside another is written with the parameters that the other one passes.  A parameter that
differs from these, and from what was read, was edited: the record is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.editing.comparison import shortly
from byteloom.editing.differences import followed_in, note_followed
from byteloom.editing.formulas import Member
from byteloom.editing.pairs import Pairs
from byteloom.errors import FormatError
from byteloom.wire.members import parameter_names, passed_records
from byteloom.wire.reader import Reader
from byteloom.wire.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.wire.record import Record
    from byteloom.wire.temporary_changes import Replaced

__all__ = ["keep_parameters", "reassigned"]


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
