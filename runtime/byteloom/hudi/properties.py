"""The properties of a table in ``hoodie.properties``, and the definitions of its indexes.

- The file is one of Java's `Properties`.  A writer copies it to ``hoodie.properties.backup``,
  replaces it, and removes the copy. Where a writer died in between, the file is missing or cut,
  and readers use the copy.
- A whole file ends with a line and has a checksum of the table's name.  A file without them, as
  other programs write it, counts where there is no whole copy.
- Definitions of indexes, the columns of each and how its keys are distributed to file groups, are
  in a JSON file that a property names.  Tables before version 8 have none, nor do tables whose
  indexes need no definition.  A missing version means version 1.

Source: https://hudi.apache.org/docs/configurations;
https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from byteloom.documents.json_text import check_json_values
from byteloom.errors import FormatError, MissingFile, StorageError, found_by
from byteloom.files.table_kinds import table_advice
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Folder

__all__ = [
    "BACKUP",
    "BLOOMS",
    "EXPRESSIONS",
    "SECONDARY",
    "VERSION",
    "WHOLE_KEYS",
    "IndexDefinition",
    "beside",
    "read_definitions",
    "read_properties",
    "stored_properties",
]

VERSION: Final = "hoodie.table.version"
BACKUP: Final = ".hoodie/hoodie.properties.backup"
"""The copy, relative to the table."""

_NAME: Final = ".hoodie/hoodie.properties"
_TABLE: Final = "hoodie.table.name"
_LINE: Final = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS: Final = " \t\f"


def read_properties(table: Folder) -> dict[str, str]:
    """Return the properties of *table*.

    Raises:
        StorageError: Where neither the file nor its copy is there.
    """
    return stored_properties(table)[1]


def stored_properties(table: Folder) -> tuple[str, dict[str, str]]:
    """Return the file whose properties count, relative to *table*, and the properties.

    Raises:
        ByteloomError: The same as for `read_properties`.
    """
    there: dict[str, dict[str, str]] = {}
    errors: list[StorageError] = []
    for name in (_NAME, BACKUP):
        try:
            text = _text(table.read(name))
        except StorageError as error:
            errors.append(error)
            continue
        there[name] = _properties(text)
        if _is_whole(text, there[name]):
            return name, there[name]
    for name, found in there.items():
        if VERSION in found:
            return name, found
    if _NAME in there:
        return _NAME, there[_NAME]
    if isinstance(errors[0], MissingFile):
        wanted = "the folder of a Hudi table, or its metadata table"
        advice = table_advice(table, f"{table}")
        text = f"{table}: found no {_NAME}{beside(table)}, wanted {wanted}{advice}"
        raise MissingFile(text) from errors[0]
    raise errors[0]


def beside(table: Folder) -> str:
    """Return words that name the copies of the properties of *table*; ``""`` if there are none."""
    own = _NAME.rpartition("/")[2]
    copies = {name: size for name, size in table.files(".hoodie").items() if name != own}
    named = [f"{name} ({size} bytes)" for name, size in copies.items() if name.startswith(own)]
    return f"; beside it {', '.join(sorted(named))}" if named else ""


def _is_whole(text: str, properties: Mapping[str, str]) -> bool:
    """Whether the text of a file ends with a line, and has the checksum of the names in it."""
    database, name = properties.get("hoodie.database.name", ""), properties.get(_TABLE, "")
    checksum = str(zlib.crc32(f"{database}.{name}".encode()))
    is_checked = properties.get("hoodie.table.checksum") == checksum
    return is_checked and VERSION in properties and text.endswith(("\n", "\r"))


def _text(raw: bytes) -> str:
    """Return text in UTF-8 or, as Java reads all properties, in Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _properties(text: str) -> dict[str, str]:
    return dict(_pair(line) for line in _lines(text))


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that are not comments; a line that ends with a backslash continues."""
    begun = ""
    for line in re.split(r"\r\n|\r|\n", text):
        rest = line.lstrip(_BLANKS)
        if not begun and (not rest or rest[0] in "#!"):
            continue
        backslashes = len(rest) - len(rest.rstrip("\\"))
        begun += rest[:-1] if backslashes % 2 else rest
        if backslashes % 2 == 0:
            yield begun
            begun = ""
    if begun:
        yield begun


def _pair(line: str) -> tuple[str, str]:
    found = _LINE.match(line)
    name, value = found.groups() if found else (line, "")
    return _plain(name), _plain(value)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda hit: _letter(hit[1]), text)


def _letter(escaped: str) -> str:
    if len(escaped) > 1:
        return chr(int(escaped[1:], 16))
    return _LETTERS.get(escaped, escaped)


BLOOMS: Final = "bloom_filters"
SECONDARY: Final = "secondary_index_"
"""The prefix of partitions of secondary indexes."""

EXPRESSIONS: Final = ("expr_index_", "func_index_")
"""The prefixes of partitions of expression indexes; the second one is that of Hudi 1.0.0."""

WHOLE_KEYS: Final = 1
"""The version of secondary indexes in which the records of one value are in many file groups."""

_PLACE: Final = "hoodie.table.index.defs.path"


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    """One index.

    Attributes:
        name: The name of its partition of the metadata table.
        type: ``record_index``, ``secondary_index``, ``column_stats``, ``bloom_filters``.
        function: The function of an expression index, such as ``year``; ``identity`` for a
            secondary one.
        source_fields: The columns that it indexes.
        options: Other settings that it was made with.
        version: 1 or 2: how keys are distributed to file groups.
    """

    name: str
    type: str
    function: str = ""
    source_fields: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    version: int = 1


def read_definitions(table: Folder, properties: Mapping[str, str]) -> dict[str, IndexDefinition]:
    """Return the definitions of a table's indexes by the partition of its metadata table.

    A file that is missing or empty has none, as in Hudi.

    Raises:
        FormatError: For a file that is not what Hudi writes.
    """
    name = properties.get(_PLACE)
    if not name:
        return {}
    relative = name.removeprefix(f"{table.path}/").lstrip("/")
    where = f"{table}/{relative}"
    try:
        text = table.read(relative)
    except MissingFile:
        return {}
    if not text:
        return {}
    check_json_values(where, text, DEFAULT_LIMITS)
    try:
        given = json.loads(text)["indexDefinitions"]
        return {str(each): _definition(each, given[each]) for each in given}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        found = found_by("a document without them", error)
        raise FormatError(where, None, found, "definitions of indexes in JSON") from error


def _definition(name: str, given: Any) -> IndexDefinition:
    return IndexDefinition(
        name=name,
        type=str(given["indexType"]),
        function=str(given.get("indexFunction") or ""),
        source_fields=tuple(str(each) for each in given.get("sourceFields") or ()),
        options={str(key): str(value) for key, value in (given.get("indexOptions") or {}).items()},
        version=int(str(given.get("version") or "V1").removeprefix("V")),
    )
