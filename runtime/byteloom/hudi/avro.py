"""Programs that decode records by the Avro schemas that Hudi stores beside them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from byteloom.avro.program import compile_values
from byteloom.errors import FormatError, found_by

if TYPE_CHECKING:
    from byteloom.avro.nodes import Program

__all__ = ["program"]


@lru_cache(maxsize=64)
def program(schema: str, wanted: tuple[str, ...] | None = None) -> Program:
    """Return the program of *schema*.

    schema  JSON
    wanted  top-level fields to keep; None for all.  Fields that the schema lacks are left out
    raises  `FormatError` for anything but a schema, `Unsupported` for one that contains itself
    """
    if wanted is None:
        return compile_values(_parsed(schema))
    return compile_values(_parsed(schema), lambda field: field["name"] in wanted)


def _parsed(schema: str) -> Any:
    from json import loads

    try:
        return loads(schema)
    except (ValueError, RecursionError) as error:
        found = found_by("invalid JSON", error)
        raise FormatError("schema", None, found, "an Avro schema in JSON") from error
