"""A footer's JSON, read strictly: every field's type is checked, and errors give the place.

The rules:

- A field that the spec names must have the spec's type; ``null`` is not a string or an
  object.  One exception is accepted: a ``compression-codec`` of null, which Java reads as absent.
- No object may have a key twice, at any depth: readers would differ on which one counts.
- Fields that the spec does not name are kept, numbers to the last digit.
- Errors carry the path as JSON spells it: ``blobs[3].snapshot-id``.
"""

from __future__ import annotations

from decimal import Decimal
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

from byteloom.documents.json_text import offset_of, offset_of_word
from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import Limits
from byteloom.puffin.metadata import BlobMetadata, FileMetadata

__all__ = ["BLOB_FIELDS", "FILE_FIELDS", "blob_metadata", "file_metadata", "string_map", "unknown"]

FILE_FIELDS: Final = ("blobs", "properties")
BLOB_FIELDS: Final = (
    "type", "fields", "snapshot-id", "sequence-number", "offset", "length", "compression-codec",
    "properties",
)  # fmt: skip


class _Repeated:
    """Stands for an object with a repeated *key*, until the path to it is known."""

    def __init__(self, key: str) -> None:
        self.key = key


def file_metadata(payload: bytes, limits: Limits) -> FileMetadata:
    """Read a footer's JSON; errors begin with the field, ``blobs[3].offset``.

    Their offsets count from the start of *payload*; an error about the whole of it has none.
    """
    try:
        return _file_metadata(_loads(payload, limits), limits)
    except FormatError as error:
        if error.offset is None:
            error.offset = offset_of(payload, error.path)
        raise


def _file_metadata(document: Any, limits: Limits) -> FileMetadata:
    found = _object("", document)
    blobs = _array("blobs", _required("", found, "blobs", "a list of objects"))
    return FileMetadata(
        blobs=[blob_metadata(f"blobs[{i}]", blob, limits) for i, blob in enumerate(blobs)],
        properties=string_map("properties", found.get("properties", {})),
        extra=unknown("", found, FILE_FIELDS, limits),
    )


def blob_metadata(path: str, value: Any, limits: Limits) -> BlobMetadata:
    """Make a blob's metadata from the plain JSON object *value*."""
    found = _object(path, value)
    fields = _array(f"{path}.fields", _required(path, found, "fields", "a list of integers"))
    codec = found.get("compression-codec")
    return BlobMetadata(
        type=_string(f"{path}.type", _required(path, found, "type", "a string")),
        fields=[_integer(f"{path}.fields[{i}]", id_, 32) for i, id_ in enumerate(fields)],
        snapshot_id=_long(path, found, "snapshot-id"),
        sequence_number=_long(path, found, "sequence-number"),
        offset=_long(path, found, "offset"),
        length=_long(path, found, "length"),
        compression_codec=None if codec is None else _string(f"{path}.compression-codec", codec),
        properties=string_map(f"{path}.properties", found.get("properties", {})),
        extra=unknown(path, found, BLOB_FIELDS, limits),
    )


def string_map(path: str, value: Any) -> dict[str, str]:
    """Return *value*, an object whose values are strings."""
    found = _object(path, value)
    for key, text in found.items():
        _string(f"{path}.{key}", text)
    return found


def unknown(
    path: str, found: dict[str, Any], known: tuple[str, ...], limits: Limits
) -> dict[str, Any]:
    """Return the fields of *found* that are not *known*, checked to be JSON all the way down."""
    extra = {key: value for key, value in found.items() if key not in known}
    for key, value in extra.items():
        _any(f"{path}.{key}" if path else key, value, limits.nesting, limits)
    return extra


def _loads(payload: bytes, limits: Limits) -> Any:
    try:
        return _JSON.decode(payload.decode("utf-8"))
    except UnicodeDecodeError as error:
        found = f"byte 0x{payload[error.start]:02x}"
        raise FormatError("", error.start, found, "UTF-8") from error
    except JSONDecodeError as error:
        message, start = _trailing_comma(error) or (error.msg, error.pos)
        at = len(error.doc[:start].encode())
        raise FormatError("", at, f"invalid JSON ({message})", "JSON") from error
    except _WordError as error:
        place = offset_of_word(payload.decode("utf-8"), error.word)
        raise FormatError("", place, error.found, "JSON") from error
    except RecursionError as error:
        raise _too_deep("", limits) from error


def _trailing_comma(error: JSONDecodeError) -> tuple[str, int] | None:
    """Return the message and the place of a comma before a closing bracket, if that is the error.

    Python before 3.13 reports the bracket, as it does for any other value that is missing.
    """
    before, closing = error.doc[: error.pos].rstrip(" \t\n\r"), error.doc[error.pos :][:1]
    missing = "property name" if closing == "}" else "value" if closing == "]" else None
    if missing is None or missing not in error.msg or not before.endswith(","):
        return None
    kind = "object" if closing == "}" else "array"
    return f"Illegal trailing comma before end of {kind}", len(before) - 1


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Repeated:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    keys = [key for key, _ in pairs]
    return _Repeated(next(key for key in keys if keys.count(key) > 1))


class _WordError(Exception):
    """A number or a constant that is refused, until its place is known."""

    def __init__(self, word: str, found: str) -> None:
        super().__init__(word, found)
        self.word, self.found = word, found


def _constant(text: str) -> None:
    raise _WordError(text, f"invalid JSON ({text} is not JSON)")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:  # Python's bound on digits
        raise _WordError(text, "a number too large to keep") from error


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError as error:  # its bound on exponents
        raise _WordError(text, "a number too large to keep") from error


_JSON: Final = JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_whole, parse_float=_decimal, parse_constant=_constant
)


def _required(path: str, found: dict[str, Any], key: str, wanted: str) -> Any:
    if key not in found:
        raise FormatError(f"{path}.{key}" if path else key, None, "nothing", wanted)
    return found[key]


def _object(path: str, value: Any) -> dict[str, Any]:
    if isinstance(value, _Repeated):
        raise FormatError(path, None, f"key {value.key!r} more than once", "each key once")
    if not isinstance(value, dict):
        raise FormatError(path, None, _shown(value), "an object")
    for key in value:
        if not isinstance(key, str) or not key.isascii():
            _string(path, key)
    return value


def _array(path: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(path, None, _shown(value), "a list")
    return value


def _string(path: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FormatError(path, None, _shown(value), "a string")
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise FormatError(path, None, _shown(value), "a string without lone surrogates")
    return value


def _long(path: str, found: dict[str, Any], key: str) -> int:
    wanted = "an integer of 64 bits"
    return _integer(f"{path}.{key}", _required(path, found, key, wanted), 64)


def _integer(path: str, value: Any, bits: int) -> int:
    # A bool is an int in Python, but not in JSON.
    if type(value) is not int or not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise FormatError(path, None, _shown(value), f"an integer of {bits} bits")
    return value


def _any(path: str, value: Any, depth: int, limits: Limits) -> None:
    """Refuse JSON that cannot be written back: repeated keys, lone surrogates, too deep nesting."""
    if depth == 0:
        raise _too_deep(path, limits)
    if isinstance(value, str):
        _string(path, value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _any(f"{path}[{index}]", item, depth - 1, limits)
    elif isinstance(value, dict | _Repeated):
        for key, item in _object(path, value).items():
            _any(f"{path}.{key}", item, depth - 1, limits)
    elif value is not None and not isinstance(value, bool | int | Decimal):
        raise FormatError(path, None, _shown(value), "a value of JSON")


def _too_deep(path: str, limits: Limits) -> LimitExceeded:
    wanted = f"at most {limits.nesting} levels (limits.nesting)"
    return LimitExceeded(path, None, "deeper nesting", wanted)


def _shown(value: Any) -> str:
    """Return the value found as text, cut to a readable length."""
    if isinstance(value, dict | list | _Repeated):
        return "a list" if isinstance(value, list) else "an object"
    text = "null" if value is None else repr(str(value) if isinstance(value, Decimal) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004  a line of a terminal
