"""`meta`: the name of a file, its imports, and the defaults of its types.

A nested type may have a `meta` too, for defaults of its own; its other keys are checked and
otherwise mean nothing.  Of encodings, aliases are legal, with a warning; an unknown name too, as
the target's libraries may know it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from byteloom_codegen.frontend.keys import check_id, check_keys
from byteloom_codegen.frontend.parser import parse_expression
from byteloom_codegen.frontend.spelling import spelled
from byteloom_codegen.model import Endian, EndianSwitch, Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.frontend.place import Place

__all__ = [
    "CANONICAL",
    "Defaults",
    "read_defaults",
    "read_encoding",
    "read_file_meta",
    "read_id",
    "unit_width",
]


OLDEST: Final = (0, 6)
NEWEST: Final = (0, 12)
"""Versions of the language that `ks-version` may ask for."""

_VERSION: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:\.(0|[1-9][0-9]*))?")


@dataclass(slots=True)
class Defaults:
    """What a `meta` sets for its type and the types nested in it."""

    endian: Endian | EndianSwitch | None = None
    bit_endian: Literal["le", "be"] | None = None
    encoding: str | None = None


def read_id(place: Place, problems: Problems) -> str:
    """Return ``meta/id``, or a stand-in where it is missing or wrong."""
    with problems:
        if not place.is_map:
            raise place.error(f"expected map, got {place.found}")
        meta = place.get("meta")
        if meta is None:
            raise place.missing("meta").error("no `meta/id` encountered in top-level class spec")
        next(meta.pairs(), None)
        ident = meta.get("id")
        if ident is None:
            raise meta.key_error("no `meta/id` encountered in top-level class spec")
        return ident.text()
    return "unnamed"


def read_defaults(meta: Place | None, problems: Problems) -> Defaults:
    """Return the defaults that *meta* sets, with all its keys checked."""
    found = Defaults()
    if meta is None:
        return found
    with problems:
        check_keys(meta, "meta", problems)
        for key, check in _CHECKS.items():
            if (value := meta.get(key)) is not None:
                with problems:
                    check(value, problems)
        if (endian := meta.get("endian")) is not None:
            with problems:
                found.endian = _endian(endian, problems)
        if (bits := meta.get("bit-endian")) is not None:
            with problems:
                found.bit_endian = _byte_order(bits, "bit endianness: expected `le` or `be`")
        if (encoding := meta.get("encoding")) is not None:
            with problems:
                found.encoding = read_encoding(encoding, problems)
    return found


def read_encoding(place: Place, problems: Problems) -> str:
    """Return the canonical name of an encoding, or the name as it is, with a warning.

    SpecError  the name has control characters, which no source text may have
    """
    name = place.text()
    if not name.isprintable():
        raise place.error(f"{name!r} is not the name of an encoding")
    known = _canonical(name)
    if known is None:
        message = f"unrecognized encoding name '{name}'"
        problems.warn(place.location, message, encoding=name)
    elif known != name:
        problems.warn(place.location, f"use canonical encoding name `{known}` instead of `{name}`")
    return known or name


def read_file_meta(meta: Place | None, spec: Spec, problems: Problems) -> None:
    """Fill in what only the `meta` of a file says; `read_defaults` has checked it."""
    if meta is None or not meta.is_map:
        return
    spec.meta = meta.plain_value()
    for key in ("title", "license"):
        with problems:
            if (value := meta.get(key)) is not None:
                setattr(spec, key, value.text().strip())


# The keys of meta


def _endian(place: Place, problems: Problems) -> Endian | EndianSwitch:
    if not place.is_map:
        return _byte_order(place, "endianness: `le`, `be` or calculated endianness map is expected")
    check_keys(place, "switch", problems)
    on, cases = place.get("switch-on"), place.get("cases")
    if on is None:
        raise place.key_error("missing mandatory argument `switch-on`")
    if cases is None:
        raise place.key_error("missing mandatory argument `cases`")
    return EndianSwitch(parse_expression(on), tuple(_endian_cases(cases, problems)))


def _endian_cases(cases: Place, problems: Problems) -> list[tuple[Expression | None, Endian]]:
    found: list[tuple[Expression | None, Endian]] = []
    for key, value in cases.pairs():
        with problems:
            order = value.text()
            if order not in {"le", "be"}:
                raise value.error(f"expected be / le, got '{order}'")
            on = None
            if key != "_":
                on = parse_expression(value.of_key())
                on = parse_expression(value.of_key(spelled(on)))
            found.append((on, cast("Endian", order)))
    return found


def _byte_order(place: Place, wanted: str) -> Endian:
    found = place.node.text if not place.is_list and not place.is_map else None  # type: ignore[union-attr]
    if found not in {"le", "be"}:
        raise place.error(f"unable to parse {wanted}, got {place.found}")
    return cast("Endian", found)


def _version(place: Place, _problems: Problems) -> None:
    node = place.scalar("string")
    match = _VERSION.fullmatch(node.text)
    if match is None:
        raise place.error(f"invalid compiler version '{node.text}', expected X.Y or X.Y.Z")
    if node.plain and match[3] is None and match[2] != "0" and match[2].endswith("0"):
        short = node.text.rstrip("0")
        raise place.error(
            f"ks-version {node.text} is a number in YAML, the same as {short}",
            f"quote it: '{node.text}'",
        )
    wanted = tuple(int(part) for part in match.groups() if part is not None)
    if wanted < OLDEST:
        raise place.error(f"minimum allowed version is 0.6, but got {node.text}")
    if wanted[:2] > NEWEST:
        raise place.error(
            f"this spec asks for version {node.text} of the language, the newest known is 0.12"
        )


def _flag(place: Place, _problems: Problems) -> None:
    place.boolean()


def _text(place: Place, _problems: Problems) -> None:
    place.text()


def _texts(place: Place, _problems: Problems) -> None:
    place.strings()


def _id(place: Place, problems: Problems) -> None:
    check_id(place.text(), "meta", place, problems)


_CHECKS: Final[dict[str, Callable[[Place, Problems], Any]]] = {
    "id": _id,
    "title": _text,
    "license": _text,
    "application": _texts,
    "file-extension": _texts,
    "tags": _texts,
    "ks-version": _version,
    "ks-debug": _flag,
    "ks-opaque-types": _flag,
    "ks-zero-copy-substream": _flag,
}


CANONICAL: Final = (
    "ASCII",
    "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE",
    *(f"ISO-8859-{part}" for part in range(1, 17) if part != 12),  # noqa: PLR2004  (there is no part 12)
    *(f"windows-{page}" for page in range(1250, 1259)),
    "IBM437", "IBM866", "Shift_JIS", "Big5", "EUC-KR", "EUC-JP", "GB2312",
)  # fmt: skip

_ALIASES: Final = {
    "US-ASCII": "ASCII", "ANSI_X3.4-1968": "ASCII",
    "LATIN1": "ISO-8859-1", "LATIN-1": "ISO-8859-1", "L1": "ISO-8859-1",
    "LATIN2": "ISO-8859-2", "LATIN3": "ISO-8859-3", "LATIN4": "ISO-8859-4", "LATIN5": "ISO-8859-9",
    "CP437": "IBM437", "CP866": "IBM866", "866": "IBM866", "437": "IBM437",
    "SJIS": "Shift_JIS", "MS_KANJI": "Shift_JIS", "CSSHIFTJIS": "Shift_JIS",
    "GB_2312-80": "GB2312",
    **{f"CP{page}": f"windows-{page}" for page in range(1250, 1259)},
}  # fmt: skip


def _squeezed(name: str) -> str:
    return name.upper().replace("-", "").replace("_", "")


_KNOWN: Final = {_squeezed(name): name for name in CANONICAL} | {
    _squeezed(alias): name for alias, name in _ALIASES.items()
}
_WIDTHS: Final = {"UTF-16": 2, "UTF-32": 4}


def _canonical(name: str) -> str | None:
    """Return the canonical name of an encoding; None if it is unknown."""
    return name if name in CANONICAL else _KNOWN.get(_squeezed(name))


def unit_width(name: str) -> int:
    """Return the least number of bytes of a character, which is the size of a terminator, too."""
    return _WIDTHS.get(name[:6].upper(), 1)
