"""Names of encodings: the canonical ones, and the aliases that people write.

Aliases are legal, with a warning; an unknown name too, as the target's libraries may know it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CANONICAL", "canonical", "unit_width"]

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


def canonical(name: str) -> str | None:
    """Return the canonical name of an encoding; None if it is unknown."""
    return name if name in CANONICAL else _KNOWN.get(_squeezed(name))


def unit_width(name: str) -> int:
    """Return the least number of bytes of a character, which is the size of a terminator, too."""
    return _WIDTHS.get(name[:6].upper(), 1)
