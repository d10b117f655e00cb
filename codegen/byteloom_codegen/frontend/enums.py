"""Enums: integers with names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom_codegen.frontend.keys import check_id, check_keys, orig_ids
from byteloom_codegen.frontend.place import Place, integer
from byteloom_codegen.model import EnumMember

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems

__all__ = ["read_enum"]


def read_enum(place: Place, problems: Problems) -> tuple[EnumMember, ...]:
    """Return the members of one enum, in the order of the text."""
    by_value: dict[int, str] = {}
    by_name: dict[str, str] = {}
    found = []
    for key, each in place.pairs():
        with problems:
            member = _member(key, each, problems)
            _check_unique(by_value, member.value, each, f"value {member.value}")
            _check_unique(by_name, member.name, each, f"name '{member.name}'")
            found.append(member)
    return tuple(found)


def _member(key: str, place: Place, problems: Problems) -> EnumMember:
    value = integer(key)
    if value is None:
        raise place.key_error(
            f"expected an integer as the value of an enum member, got '{key}'", "write value: name"
        )
    if not place.is_map:
        name = place.text()
        check_id(name, "enum member", place, problems)
        return EnumMember(value, name)
    check_keys(place, "enum member", problems)
    ident = place.get("id")
    if ident is None:
        raise place.key_error("missing mandatory argument `id`")
    name = ident.text()
    check_id(name, "enum member", ident, problems)
    doc, refs = place.get("doc"), place.get("doc-ref")
    return EnumMember(
        value,
        name,
        doc.text().strip() if doc else "",
        tuple(refs.strings()) if refs else (),
        orig_ids(place),
    )


def _check_unique(seen: dict[Any, str], key: int | str, place: Place, what: str) -> None:
    if key in seen:
        raise place.key_error(f"duplicate enum member {what}, previously defined at {seen[key]}")
    seen[key] = "/" + "/".join(map(str, place.path))
