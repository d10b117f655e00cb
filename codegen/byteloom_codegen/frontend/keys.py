"""Which keys are legal where, as data.

A key that starts with a dash is legal in every map with fixed keys: ``-orig-id`` and ``-loom-*``
mean something here, the rest is left alone for other tools.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.frontend.place import Place

__all__ = ["IDENTIFIER", "check_id", "check_keys", "orig_ids"]

IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9_]*")

_ATTRIBUTE: Final = (
    "id doc doc-ref type if terminator consume include eos-error valid repeat"  # for any type
)

KEYS: Final = {
    place: frozenset(keys.split())
    for place, keys in {
        "type": "meta doc doc-ref to-string params seq types instances enums",
        "meta": (
            "id title application file-extension xref license tags imports encoding endian "
            "bit-endian ks-version ks-debug ks-opaque-types ks-zero-copy-substream"
        ),
        "attribute of bytes": f"{_ATTRIBUTE} contents size size-eos pad-right parent process",
        "attribute of a string": f"{_ATTRIBUTE} size size-eos pad-right encoding",
        "attribute of a record": f"{_ATTRIBUTE} size size-eos pad-right parent process",
        "attribute of a switch": (
            f"{_ATTRIBUTE} contents size size-eos pad-right parent process encoding"
        ),
        "attribute of a number": f"{_ATTRIBUTE} enum",
        "value instance": "value doc doc-ref enum if",
        "parameter": "id type enum doc doc-ref",
        "enum member": "id doc doc-ref",
        "switch": "switch-on cases",
    }.items()
}


def check_keys(place: Place, kind: str, problems: Problems, also: Iterable[str] = ()) -> None:
    """Note every key of the map *place* that is unknown in a map of this *kind*."""
    legal = KEYS[kind] | set(also)
    extensible = kind in {"type", "meta", "value instance"} or kind.startswith("attribute")
    for key, value in place.pairs():
        if key.startswith("-loom-") and not extensible:
            problems.error(value.key_error(f"no extension key like '{key}' in {_article(kind)}"))
        if key not in legal and not key.startswith("-"):
            problems.error(value.key_error(_unknown(kind, legal, key), _nearest(key, legal)))


def _unknown(kind: str, legal: Iterable[str], key: str) -> str:
    return f"unknown key '{key}' found in {_article(kind)}, expected: {', '.join(sorted(legal))}"


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _nearest(key: str, legal: Iterable[str]) -> str:
    if hint := did_you_mean(key, legal):
        return hint
    everywhere = set().union(*KEYS.values())
    return f"keys of your own start with a dash: -{key}" if key not in everywhere else ""


def check_id(name: str, kind: str, place: Place, problems: Problems) -> bool:
    """Report a name that is not an identifier; *kind* says what it names: a type, a field."""
    if IDENTIFIER.fullmatch(name):
        return True
    problems.error(place.error(f"invalid {kind} ID: '{name}', expected /^[a-z][a-z0-9_]*$/"))
    return False


def orig_ids(place: Place) -> tuple[str, ...]:
    """Return the official spellings of a name: none, one or a list."""
    orig = place.get("-orig-id")
    found = None if orig is None else orig.plain_value()
    if isinstance(found, list):
        return tuple(map(str, found))
    return () if found is None else (str(found),)
