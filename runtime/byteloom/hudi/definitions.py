"""Definitions of indexes: the columns of each, and how its keys are distributed to file groups.

- They are in a JSON file that ``hoodie.properties`` names.  Tables before version 8 have none, nor
  do tables whose indexes need no definition.
- A missing version means version 1.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from byteloom.documents.json_text import check_json_values
from byteloom.errors import FormatError, MissingFile, found_by
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Folder

__all__ = [
    "BLOOMS",
    "EXPRESSIONS",
    "SECONDARY",
    "WHOLE_KEYS",
    "IndexDefinition",
    "read_definitions",
]

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
