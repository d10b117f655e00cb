"""The ``-loom-*`` keys, checked against their JSON Schema.

Other keys that start with a dash belong to other tools and are left alone; an unknown ``-loom-``
key is a mistake.  Where the schema says ``"format": "expression"`` the value is parsed.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.frontend.parser import parse_expression

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import Location

__all__ = ["extension_places", "read_extensions", "schema"]

PREFIX: Final = "-loom-"


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of all extension keys."""
    text = files("byteloom_codegen").joinpath("schema/loom.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_extensions(place: Place, kind: str, problems: Problems) -> dict[str, Any]:
    """Return the extension keys of *place* without their prefix.

    kind  field, type or value instance
    """
    found: dict[str, Any] = {}
    for key, value in place.pairs():
        if key.startswith(PREFIX):
            with problems:
                found[key.removeprefix(PREFIX)] = _value(key, value, kind)
    return found


def extension_places(place: Place) -> dict[str, Location]:
    """Return where the extension keys of *place* have their values, by name without prefix."""
    return {
        key.removeprefix(PREFIX): value.location
        for key, value in place.pairs()
        if key.startswith(PREFIX)
    }


def _value(key: str, place: Place, kind: str) -> Any:
    legal: dict[str, Any] = schema()["$defs"][kind.replace(" ", "_")]["properties"]
    if key not in legal:
        raise place.key_error(
            f"unknown extension key '{key}' in a {kind}, expected: {', '.join(sorted(legal))}"
        )
    if legal[key].get("format") == "expression":
        return parse_expression(place)
    value = place.plain_value()
    _check(key, kind, value, place)
    return value


@cache
def _validator(key: str, kind: str) -> Any:
    from jsonschema import Draft202012Validator

    whole = schema()
    part = whole["$defs"][kind.replace(" ", "_")]["properties"][key]
    return Draft202012Validator({**part, "$defs": whole["$defs"]})


def _check(key: str, kind: str, value: Any, place: Place) -> None:
    for error in sorted(
        _validator(key, kind).iter_errors(value), key=lambda each: list(each.absolute_path)
    ):
        inner = place
        for step in error.absolute_path:
            inner = list(inner.items())[step] if isinstance(step, int) else inner[step]
        raise inner.error(f"{key}: {error.message}", _wanted(error))


def _wanted(error: ValidationError) -> str:
    """Return what a list of another length should have; empty for other errors."""
    if error.validator not in {"minItems", "maxItems"}:
        return ""
    description: str = error.schema["description"]  # type: ignore[index]  # of ours, an object
    return f"wanted: {description[0].lower()}{description[1:].removesuffix('.')}"
