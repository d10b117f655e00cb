"""The kinds of JSON values: what is accepted, and what it becomes in Python and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import DEFAULT_LIMITS
from byteloom.redaction import Properties

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Kind", "list_of", "map_of", "scalar", "shortly"]

_LINE: Final = 60
_KINDS: Final = {str: "text", bool: "true or false", dict: "an object", list: "a list"}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of JSON value.

    wanted  how an error describes it
    read    JSON in, value out; raises `FormatError`
    write   value in, JSON out; the second argument is the version
    empty   makes the value of an absent field; None where that value is None
    plain   a type of JSON whose values need no conversion; None if there is none
    whole   the integers that need no conversion; None for a kind other than integers
    """

    wanted: str
    read: Callable[[Any, int], Any]
    write: Callable[[Any, int], Any]
    empty: Callable[[], Any] | None = None
    plain: type | None = None
    whole: range | None = None

    def are_plain(self, values: list[Any]) -> bool:
        """Whether no value needs a conversion; False if each has to be checked."""
        kinds = set(map(type, values))
        if self.whole is not None:
            return kinds == {int} and min(values) in self.whole and max(values) in self.whole
        return self.plain is not None and kinds == {self.plain}


def scalar(name: str) -> Kind:
    """Return the kind of ``int``, ``long``, ``string``, ``boolean``, ``uuid`` or ``json``."""
    return _SCALARS[name]


def list_of(kind: Kind) -> Kind:
    """Return the kind of a list of *kind*; an absent one is empty."""

    def read(value: Any, version: int) -> list[Any]:
        if type(value) is not list:
            raise FormatError("", None, shortly(value), "a list")
        if len(value) > DEFAULT_LIMITS.elements:
            most = f"at most {DEFAULT_LIMITS.elements} (limits.elements)"
            raise LimitExceeded("", None, f"{len(value)} elements", most)
        if kind.read is _same:
            return list(value)
        return [_inside(f"[{at}]", kind, each, version) for at, each in enumerate(value)]

    return Kind(
        "a list", read, lambda value, version: [kind.write(x, version) for x in value], list
    )


def map_of(kind: Kind) -> Kind:
    """Return the kind of an object that maps text to *kind*; an absent one is empty."""

    def read(value: Any, version: int) -> dict[str, Any]:
        if type(value) is not dict:
            raise FormatError("", None, shortly(value), "an object")
        if kind is _SCALARS["string"] and all(type(each) is str for each in value.values()):
            return Properties(value)  # is not checked key by key: a large file is mostly summaries
        return {key: _inside(key, kind, each, version) for key, each in value.items()}

    def write(value: dict[str, Any], version: int) -> dict[str, Any]:
        return {key: kind.write(each, version) for key, each in value.items()}

    return Kind("an object", read, write, dict)


def _inside(name: str, kind: Kind, value: Any, version: int) -> Any:
    """Read an element; its name begins the path in errors."""
    try:
        return kind.read(value, version)
    except FormatError as error:
        raise error.inside(name) from None


def _exactly(wanted: type) -> Callable[[Any, int], Any]:
    """Return a reader of one JSON type."""

    def read(value: Any, _: int) -> Any:
        if type(value) is not wanted:
            raise FormatError("", None, shortly(value), _KINDS[wanted])
        return value

    return read


def _of_bits(bits: int) -> range:
    """Return the range of signed integers of *bits* bits."""
    return range(-1 << (bits - 1), 1 << (bits - 1))


def _integer(bits: int) -> Callable[[Any, int], int]:
    """Return a reader of integers of *bits* bits."""
    whole = _of_bits(bits)

    def read(value: Any, _: int) -> int:
        if type(value) is not int or value not in whole:
            raise FormatError("", None, shortly(value), f"an integer of {bits} bits")
        return value

    return read


def _uuid(value: Any, _: int) -> UUID:
    """A UUID."""
    try:
        return UUID(value) if isinstance(value, str) else _no_uuid(value)
    except ValueError:
        return _no_uuid(value)


def _no_uuid(value: Any) -> UUID:
    raise FormatError("", None, shortly(value), "a UUID")


def _same(value: Any, _: int) -> Any:
    return value


def shortly(value: object) -> str:
    """Return *value* as text, cut to a line."""
    text = repr(value)
    return text if len(text) <= _LINE else f"{text[: _LINE - 3]}..."


_SCALARS: Final = {
    "int": Kind("an integer", _integer(32), _same, whole=_of_bits(32)),
    "long": Kind("an integer", _integer(64), _same, whole=_of_bits(64)),
    "string": Kind("text", _exactly(str), _same, plain=str),
    "boolean": Kind("true or false", _exactly(bool), _same, plain=bool),
    "uuid": Kind("a UUID", _uuid, lambda value, _: str(value)),
    "json": Kind("JSON", _same, _same, plain=str),
}
