"""Functions that generated code calls for expressions of a spec.

Generated code uses Python's own operators wherever they cannot fail, and these functions where
a value from a file could make an operator fail: the failure is a `FormatError` that names the
values.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast, overload

from byteloom.errors import FormatError, LimitExceeded, with_article
from byteloom.wire.answers import once
from byteloom.wire.members import labels, named
from byteloom.wire.open_stream import touch
from byteloom.wire.passes import inner_of, length_of, pass_to, size_of
from byteloom.wire.reader import Reader
from byteloom.wire.stored import Stored, deflated, encoded_field, processed, unknown_encoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.wire.window import Stream

__all__ = [
    "alike",
    "bounded",
    "decoded",
    "deflated",
    "element",
    "encoded",
    "first",
    "given",
    "index_of",
    "inner_of",
    "joined",
    "labels",
    "largest",
    "last",
    "length_of",
    "member_of",
    "moving",
    "named",
    "narrowed",
    "once",
    "pass_to",
    "processed",
    "quotient",
    "remainder",
    "replaced",
    "rotated",
    "shifted_left",
    "shifted_right",
    "size_of",
    "smallest",
    "stream_of",
    "to_int",
    "touch",
    "whole_quotient",
    "xored",
]

_T = TypeVar("_T")
_N = TypeVar("_N", int, float, str)

_WIDEST: Final = 1023
"""The most bits of a calculated integer: as many as a float can represent."""

_DIGITS: Final = 1_024
"""The most digits of a number in text: as many as the largest has in base 2."""

_LONGEST: Final = 1 << 20
"""The most characters of a concatenated text."""


@overload
def given(value: None, name: str) -> NoReturn: ...
@overload
def given(value: _T, name: str) -> _T: ...
def given(value: _T | None, name: str) -> _T:
    """Return *value*, and raise an error if the field *name* is None."""
    if value is None:
        wanted = "a value: its condition holds, or another field is calculated from it"
        raise FormatError(name, None, "nothing", wanted)
    return value


def stream_of(stream: Stream | None) -> Reader:
    """Return the stream that a record was read from, for parts that are read on demand."""
    if isinstance(stream, Reader):
        return stream
    found = "a record made by hand" if stream is None else "a record while it is being written"
    raise FormatError("", None, found, "a value that was set, or one to read from a stream")


def moving(stream: Stream, r: Reader) -> Stream:
    """Return *r* where it reads *stream*, which then is where *r* is; else *stream*."""
    return r if isinstance(stream, Reader) and r.views(stream) else stream


def replaced(record: Any, name: str) -> None:
    """Read the old value of *name* before it is replaced, if there is one."""
    with suppress(FormatError):
        touch(record, name)


def narrowed(value: object, wanted: type[_T], name: str = "") -> _T:
    """Return *value*, which must be a *wanted*: by a cast in the spec, or by the case of *name*."""
    if not isinstance(value, wanted):
        found = "nothing" if value is None else with_article(type(value).__name__)
        said = "as the value that it switches on says" if name else "as the spec casts it"
        raise FormatError(name, None, found, f"{with_article(wanted.__name__)}, {said}")
    return value


def alike(value: object, wanted: type[_T]) -> _T:  # noqa: ARG001  (for type checkers)
    """Return *value* as the *wanted* that the spec casts it to: nothing is known of it."""
    return cast("_T", value)


def member_of(record: object, name: str) -> Any:
    """Return the member *name* of *record*, which the spec casts, so that its type is not known."""
    try:
        return getattr(record, name)
    except AttributeError as error:
        found = "nothing" if record is None else with_article(type(record).__name__)
        wanted = f"a record with `{name}`, as the spec casts it"
        raise FormatError("", None, found, wanted) from error


@overload
def quotient(left: int, right: int) -> int: ...
@overload
def quotient(left: float, right: float) -> float: ...
def quotient(left: float, right: float) -> float:
    """Divide; integers are rounded towards minus infinity."""
    if right == 0:
        raise FormatError("", None, f"{left} / 0", "a divisor that is not 0")
    whole = isinstance(left, int) and isinstance(right, int)
    return left // right if whole else left / right


def whole_quotient(left: int, right: int) -> int:
    """Divide by *right*; a remainder is an error."""
    if left % right:
        raise FormatError("", None, f"a size of {left}", f"a multiple of {right}")
    return left // right


def remainder(left: int, right: int) -> int:
    """Return the remainder of a division, with the divisor's sign."""
    if right == 0:
        raise FormatError("", None, f"{left} % 0", "a divisor that is not 0")
    return left % right


def shifted_left(value: int, by: int) -> int:
    """Return *value* shifted left."""
    return bounded(value << _shift(by))


def shifted_right(value: int, by: int) -> int:
    """Return *value* shifted right, its sign kept."""
    return value >> _shift(by)


def _shift(by: int) -> int:
    if not 0 <= by <= _WIDEST:
        raise FormatError("", None, f"a shift by {by} bits", f"0 to {_WIDEST}")
    return by


def bounded(value: int) -> int:
    """Return *value*; an error if it has more bits than numbers may have."""
    bits = value.bit_length()
    if bits > _WIDEST:
        raise LimitExceeded("", None, f"a number of {bits} bits", f"at most {_WIDEST}")
    return value


def joined(*parts: str) -> str:
    """Return *parts* concatenated."""
    size = sum(map(len, parts))
    if size > _LONGEST:
        raise LimitExceeded("", None, f"a text of {size} characters", f"at most {_LONGEST}")
    return "".join(parts)


def element(values: Sequence[_T], index: int) -> _T:
    """Return the element at *index*, from 0."""
    if not 0 <= index < len(values):
        raise FormatError(
            "", None, f"index {index}", f"0 or more, below {len(values)}, the number of elements"
        )
    return values[index]


def first(values: Sequence[_T]) -> _T:
    """Return the first element."""
    return element(values, 0)


def last(values: Sequence[_T]) -> _T:
    """Return the last element."""
    return element(values, len(values) - 1)


def smallest(values: Sequence[_N]) -> _N:
    """Return the smallest element."""
    return min(_some(values))


def largest(values: Sequence[_N]) -> _N:
    """Return the largest element."""
    return max(_some(values))


def _some(values: Sequence[_T]) -> Sequence[_T]:
    if not values:
        raise FormatError("", None, "no elements", "at least one")
    return values


def to_int(value: str | float, radix: int = 10) -> int:
    """Parse an integer from text, or truncate a number to one."""
    try:
        if isinstance(value, str) and len(value) > _DIGITS:
            raise LimitExceeded("", None, f"a number of {len(value)} digits", f"at most {_DIGITS}")
        return bounded(int(value, radix) if isinstance(value, str) else int(value))
    except (ValueError, OverflowError) as error:
        raise FormatError("", None, repr(value), f"an integer in base {radix}") from error


def decoded(data: bytes, encoding: str) -> str:
    """Return *data* as text."""
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise unknown_encoding("", encoding) from error
    except UnicodeError as error:
        raise FormatError("", None, repr(data[:40]), f"text in {encoding}") from error


def encoded(text: str, encoding: str) -> bytes:
    """Return *text* as bytes."""
    return encoded_field("", text, encoding)


def xored(data: bytes, key: int | bytes) -> bytes:
    """Return *data* xored with *key*, which is repeated as often as needed."""
    pattern = bytes((key & 0xFF,)) if isinstance(key, int) else key
    if not pattern:
        raise FormatError("", None, "a key of 0 bytes", "a key to xor with")
    size = len(data)
    repeated = (pattern * (size // len(pattern) + 1))[:size]
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")
    return _remembered(data, mixed.to_bytes(size, "big"))


def rotated(data: bytes, by: int) -> bytes:
    """Return *data* with the bits of every byte rotated left by *by*."""
    left = by % 8
    table = bytes((each << left | each >> 8 - left) & 0xFF for each in range(256))
    return _remembered(data, data.translate(table))


def _remembered(data: bytes, made: bytes) -> bytes:
    """Return *made*, the result of a process, with the original bytes that *data* remembers."""
    if not isinstance(data, Stored):
        return made
    return data.stored if made == data.stored else Stored(made, data)


def index_of(data: bytes, wanted: bytes) -> int:
    """Return the index of the first *wanted* in *data*; -1 if there is none."""
    return data.find(wanted)
