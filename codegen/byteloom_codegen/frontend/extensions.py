"""The ``-loom-*`` keys, checked against their JSON Schema.

Other keys that start with a dash belong to other tools and are left alone; an unknown ``-loom-``
key is a mistake.  Where the schema says ``"format": "expression"`` the value is parsed.  What a
schema cannot say, that keys fit their attribute, is checked once all expressions have types.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.errors import SpecError
from byteloom_codegen.expressions import Attribute
from byteloom_codegen.frontend.kinds import described, kind
from byteloom_codegen.frontend.parser import parse_expression
from byteloom_codegen.model import BytesType, DataType, Field, IntType, IoType, TypeSpec, UserType
from byteloom_codegen.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import ValidationError

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Node
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import Location

__all__ = ["extension_mistakes", "extension_places", "read_extensions", "schema"]


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


_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "boolean": (bool,),
    "integer": (int,),
    "enum": (int,),
    "float": (int, float),
    "string": (str,),
    "bytes": (str, list),
}
CRC_BYTES: Final = 4


def extension_mistakes(
    spec: TypeSpec, member: Field, at: dict[str, Location]
) -> Iterator[SpecError]:
    """Yield what is wrong with the extension keys of one attribute of *spec*.

    at  where each of them is, by its name without prefix
    """
    loom = member.loom
    if "default" in loom and not _fits(loom["default"], member.value_type):
        text = f"{loom['default']!r} is not a default of {described(member.value_type)}"
        yield SpecError(at["default"], text)
    if "crc" in loom:
        yield from _crc(spec, member, loom["crc"]["over"], at["crc"])
    if "derive" in loom and any(map(_asks_place, walk(loom["derive"]))):
        text = "the position of a stream changes while a record is read and written"
        yield SpecError(at["derive"], text, "derive it from other fields, or from _io.size")
    for key in {"crc", "derive"} & loom.keys():
        if member.condition is not None:
            text = "an attribute with this key may not have an `if`"
            yield SpecError(at[key], text, "make it part of a type that a switch-on chooses")
    if "varint" in loom and not isinstance(member.type, BytesType | UserType):
        text = "what other compilers read a varint as is bytes or a record"
        yield SpecError(at["varint"], text, "give it the type of a spec for varints")


def _asks_place(node: Node) -> bool:
    return (
        isinstance(node, Attribute)
        and node.name in {"pos", "eof"}
        and isinstance(node.value.type, IoType)
    )


def _fits(value: Any, type_: DataType) -> bool:
    if value is None:
        return True
    found = kind(type_)
    if isinstance(value, bool) != (found == "boolean"):
        return False
    return isinstance(value, _PLAIN.get(found, (object,)))


def _crc(spec: TypeSpec, member: Field, over: list[str], location: Location) -> Iterator[SpecError]:
    if not isinstance(member.type, IntType) or member.type.width != CRC_BYTES or member.repeat:
        text = f"a checksum is one integer of 4 bytes, not {described(member.value_type)}"
        yield SpecError(location, text)
    names = [each.name for each in spec.seq]
    unknown = [name for name in over if name not in names]
    for name in unknown:
        yield SpecError(location, f"'{name}' is not an attribute of the same seq")
    if unknown:
        return
    first, last = map(names.index, over)
    if first > last:
        yield SpecError(location, f"'{over[0]}' comes after '{over[1]}'")
    elif first <= names.index(member.name) <= last:
        yield SpecError(location, "a checksum cannot cover itself")
    else:
        known = _known(member, names)
        for each in spec.seq[first : last + 1]:
            if "crc" in each.loom and _known(each, names) >= known:
                text = f"it covers '{each.name}', which is calculated after it"
                yield SpecError(location, text)


def _known(checksum: Field, names: list[str]) -> tuple[int, int]:
    """Return what orders checksums by when writers calculate them.

    One is calculated where it is, or after the last attribute that it covers if that comes later;
    of several after the same attribute, the last one in the seq first.
    """
    place, last = names.index(checksum.name), checksum.loom["crc"]["over"][1]
    return max(place, names.index(last) if last in names else place), -place
