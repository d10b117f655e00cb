"""Whether bytes that were made of a record would be read as that record.

Most fields are compared with what describes them while they are written.  A size, a count or a
condition that depends on what is left of the stream, or on bytes that are read out of
order, is seen only by a reader: records of such types are read once more before anybody gets their
bytes.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, count_of_elements

if TYPE_CHECKING:
    from byteloom.wire.record import Record

__all__ = ["agree"]

_SHOWN: Final = 60
"""Characters of a value that an error shows."""

_NOTHING: Final[tuple[object, ...]] = (None, b"", "", [])


def agree(record: Record, data: bytes) -> None:
    """Refuse *data*, made of *record*, where reading it gives another one.

    errors  FormatError: which field would be read as what
    """
    kind, taken = type(record), signature(type(record).read).parameters.values()
    names = [each.name for each in taken if each.kind is Parameter.KEYWORD_ONLY]
    try:
        found = kind.from_bytes(data, **{name: getattr(record, name) for name in names})
    except LimitExceeded:  # the limits that it was read with may have been wider
        return
    except FormatError as error:
        wanted = "values that agree: what is written would not be read back"
        raise FormatError(error.path, None, error.found, f"{error.wanted}; {wanted}") from error
    difference = None if found == record else _difference(record, found, record.NAME)
    if difference is not None:
        path, written, read = difference
        wanted = f"{_short(read)}, as it would be read back"
        raise FormatError(path, None, _short(written), wanted)


def _difference(written: Any, read: Any, path: str) -> tuple[str, Any, Any] | None:
    """Return the first field that differs, and both its values; nothing is as good as empty."""
    if isinstance(written, list | tuple) and isinstance(read, list):
        for number, (one, other) in enumerate(zip(written, read, strict=False)):
            found = _difference(one, other, f"{path}[{number}]")
            if found is not None:
                return found
        return (path, written, read) if len(written) != len(read) else None
    if type(written) is type(read) and is_dataclass(written):
        for field in fields(written):
            if field.compare:
                values = getattr(written, field.name), getattr(read, field.name)
                found = _difference(*values, f"{path}.{field.name}")
                if found is not None:
                    return found
        return None
    is_different = written != read and not (written in _NOTHING and read in _NOTHING)
    return (path, written, read) if is_different and not _loose(written, read) else None


def _loose(written: Any, read: Any) -> bool:
    """Whether two values that are not equal may stand for each other."""
    floats = isinstance(written, float) or isinstance(read, float)  # not all are stored exactly
    compares = any("__eq__" in vars(each) for each in type(written).__mro__[:-1])
    return floats or (type(written) is type(read) and not compares)


def _short(value: object) -> str:
    if isinstance(value, list):
        return count_of_elements(len(value))
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
