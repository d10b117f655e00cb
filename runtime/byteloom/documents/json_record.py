"""JSON objects as records: the base of generated classes of documents.

The rules:

- A field knows the versions of its format in which it may be present, and in which it must be;
  a reader requires what a writer of that version must write, unless the field is *relaxed*.
- Keys that the version does not define are kept in `JsonRecord.extra` and written back.
- Every error has the path to the key: ``snapshots[3].timestamp-ms: found 'x', wanted an integer``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

from byteloom.documents.json_kinds import Kind, shortly
from byteloom.errors import FormatError, Unsupported
from byteloom.redaction import RedactedRepr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


__all__ = ["JsonField", "JsonRecord", "record_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonField:
    """One key of a document.

    key         its key in the document
    attribute   its name in the record
    kind        the kind of its value
    versions    of the format in which it may be present
    required    versions in which writers must write it
    is_relaxed  whether readers accept documents without it
    absent      its value where the key is absent
    none        a value that means "no value", as -1 does for a snapshot
    none_until  the last version whose writers write *none* for no value; later ones write null
    values      the allowed values; empty for all
    """

    key: str
    attribute: str
    kind: Kind
    versions: tuple[int, ...]
    required: tuple[int, ...] = ()
    is_relaxed: bool = False
    absent: Any = None
    none: Any = None
    none_until: int = 0
    values: tuple[str, ...] = ()

    def read(self, document: dict[str, Any], version: int) -> Any:
        """Return the value in *document*."""
        value = document.get(self.key)
        if value is None or (self.none is not None and value == self.none):
            if version in self.required and not self.is_relaxed and value is None:
                found = "null" if self.key in document else "nothing"
                raise FormatError(self.key, None, found, self.kind.wanted)
            return self.kind.empty() if self.kind.empty else self.absent
        try:
            value = self.kind.read(value, version)
        except FormatError as error:
            raise error.inside(self.key) from None
        if self.values and value not in self.values:
            raise FormatError(self.key, None, repr(value), " or ".join(self.values))
        return value

    def read_all(
        self, documents: list[dict[str, Any]], version: int, keys: Collection[str]
    ) -> list[Any]:
        """Return the value in each of *documents*; `FormatError` for the first wrong one.

        keys  all keys that occur in them
        """
        if self.key not in keys and self.kind.empty is None:
            return [self.read(each, version) for each in documents[:1]] * len(documents)
        try:
            values = list(map(itemgetter(self.key), documents))
        except KeyError:
            values = [each.get(self.key) for each in documents]
        if self.none is None and not self.values and self.kind.are_plain(values):
            return values
        if self.kind.empty is None and values.count(None) == len(values):
            return [self.read(each, version) for each in documents[:1]] * len(values)
        return [self.read(each, version) for each in documents]

    def is_nothing(self, value: Any) -> bool:
        """Whether *value* means the same as a missing key."""
        return value is None or value == self.absent or (self.kind.empty is not None and not value)

    def write(self, value: Any, version: int) -> Any:
        """Return the JSON of *value*."""
        if value is None:
            return self.none if version <= self.none_until else None
        return self.kind.write(value, version)


@dataclass(slots=True, kw_only=True, repr=False)
class JsonRecord(RedactedRepr):
    """The base of every generated record of a document.

    extra  keys that the format's version does not define, written back unchanged
    given  the keys it was read with: an empty value is written if its key is among them
    """

    NAME: ClassVar[str]
    FIELDS: ClassVar[tuple[JsonField, ...]]

    extra: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    given: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @classmethod
    def from_json(cls, document: Any, *, version: int) -> Self:
        """Make a record of a JSON object.

        version      of the format
        FormatError  a key that is missing, or whose value is of another kind
        Unsupported  a version that has no such object
        """
        if not isinstance(document, dict):
            raise FormatError("", None, shortly(document), "an object")
        form = _form(cls, version, tuple(document))  # type: ignore[arg-type]  # is hashable
        values = form.absent.copy()
        for each, plain in form.known:
            value = document.get(each.key)
            is_plain = type(value) is plain
            values[each.attribute] = value if is_plain else each.read(document, version)
        extra = {key: document[key] for key in form.unknown}
        return cls(**values, extra=extra, given=form.given)

    @classmethod
    def columns_from_json(
        cls, documents: list[Any], *, version: int
    ) -> dict[str, list[Any]] | None:
        """Return the values of many JSON objects: for each attribute a list, with one per object.

        They are checked key by key for all objects at once, since `from_json` takes microseconds
        for each object; `extra` and `given` are not made.

        version  of the format, which has such an object
        return   None if `from_json` refuses an object; its error names the wrong key
        """
        if not set(map(type, documents)) <= {dict}:
            return None
        keys: set[str] = set().union(*documents)
        try:
            return {
                each.attribute: each.read_all(documents, version, keys)
                for each in cls.FIELDS
                if version in each.versions
            }
        except FormatError:
            return None

    @classmethod
    def _versions(cls) -> str:
        """The versions of the format that have such an object."""
        versions = sorted({version for each in cls.FIELDS for version in each.versions})
        return " or ".join(map(str, versions))

    def to_json(self, *, version: int) -> dict[str, Any]:
        """Return the JSON object of this record, as a writer of *version* must write it.

        FormatError  a required field that has no value
        """
        document = {}
        for each in self.FIELDS:
            if version not in each.versions:
                continue
            value = getattr(self, each.attribute)
            if each.is_nothing(value) and each.key not in self.given:
                if not self._is_needed(each, value, version):
                    continue
            elif value is None and version in each.required and not each.is_relaxed:
                raise self._lacking(each)
            document[each.key] = each.write(value, version)
        return document | self.extra

    def _is_needed(self, field: JsonField, value: Any, version: int) -> bool:
        """Whether an empty field is written although its key was not there when it was read.

        A relaxed key is not added to a document that was read without it.
        """
        if version not in field.required or (field.is_relaxed and (value is None or self.given)):
            return False
        if value is None:
            raise self._lacking(field)
        return True

    def _lacking(self, field: JsonField) -> FormatError:
        """Return the error for a record without the required *field*."""
        return FormatError(f"{self.NAME}.{field.key}", None, "None", field.kind.wanted)

    @classmethod
    def attributes(cls) -> tuple[str, ...]:
        """Return the names of the fields, without `extra` and `given`."""
        own = {each.name for each in fields(JsonRecord)}
        return tuple(each.name for each in fields(cls) if each.name not in own)


@dataclass(frozen=True, slots=True)
class _Form:
    """How to read objects with one set of keys: many objects of a document share theirs.

    known    fields to read, each with the JSON type that needs no conversion
    absent   the values of absent optional fields, by attribute
    unknown  keys that the version does not define
    given    all keys
    """

    known: tuple[tuple[JsonField, type | None], ...]
    absent: dict[str, Any]
    unknown: tuple[str, ...]
    given: frozenset[str]


@lru_cache(maxsize=1024)
def _form(record: type[JsonRecord], version: int, keys: tuple[str, ...]) -> _Form:
    """Return how to read objects with these keys; raise `Unsupported` as `from_json` does."""
    fields = [each for each in record.FIELDS if version in each.versions]
    if not fields:
        raise Unsupported("", None, f"format version {version}", record._versions())  # noqa: SLF001
    given = frozenset(keys)
    is_absent = {
        each.attribute: each.kind.empty is None
        and (version not in each.required or each.is_relaxed)
        for each in fields
        if each.key not in given
    }
    known = [each for each in fields if not is_absent.get(each.attribute)]
    of = [None if each.values or each.none is not None else each.kind.plain for each in known]
    names = {each.key for each in fields}
    return _Form(
        tuple(zip(known, of, strict=True)),
        {each.attribute: each.absent for each in fields if is_absent.get(each.attribute)},
        tuple(each for each in keys if each not in names),
        given,
    )


def record_of(record: Callable[[], type[JsonRecord]]) -> Kind:
    """Return the kind of a nested object, whose class *record* returns."""

    def read(value: Any, version: int) -> JsonRecord:
        return record().from_json(value, version=version)

    return Kind("an object", read, lambda value, version: value.to_json(version=version))
