"""Programs that decode records by the Avro schemas that Hudi stores beside them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from byteloom.avro.nodes import Program
from byteloom.avro.program import compile_values
from byteloom.avro.value_reader import ValueReader
from byteloom.errors import FormatError, beginning, found_by

__all__ = ["parsed", "program", "reader_of"]


@lru_cache(maxsize=64)
def program(schema: str, wanted: tuple[str, ...] | None = None) -> Program:
    """Return the program of *schema*.

    Args:
        schema: JSON.
        wanted: Top-level fields to keep; None for all.  Fields that the schema lacks are left
            out.

    Raises:
        FormatError: For anything but a schema.
        Unsupported: For one that contains itself.
    """
    if wanted is None:
        return compile_values(parsed(schema))
    return compile_values(parsed(schema), lambda field: field["name"] in wanted)


@lru_cache(maxsize=32)
def reader_of(schema: str) -> ValueReader:
    """Return what reads single records of *schema*; errors as for `program`, and for no record."""
    made = parsed(schema)
    if not isinstance(made, dict) or made.get("type") != "record":
        raise FormatError("schema", None, beginning(schema), "the schema of a record")
    return ValueReader(made)


def parsed(schema: str) -> Any:
    """Return a schema as Python objects; `FormatError` for invalid JSON."""
    try:
        return json.loads(schema)
    except (ValueError, RecursionError) as error:
        found = found_by("invalid JSON", error)
        raise FormatError("schema", None, found, "an Avro schema in JSON") from error
