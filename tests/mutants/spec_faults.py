"""What can be wrong in a spec: another number, width, byte order or condition, a forgotten row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.mutants.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["spec_faults"]

_NESTED: Final = r"(?:\n(?:\1 +.*|(?=\n)))*"
"""The lines that belong to the one before, which are indented further than its first group."""

_ROW: Final = re.compile(rf"^( *)- [{{\w-].*{_NESTED}", re.MULTILINE)
_KEY: Final = re.compile(
    rf"^( *)(?:valid|min|max|if|repeat|repeat-expr|enum|-loom-\w+):.*{_NESTED}", re.MULTILINE
)
_NUMBER: Final = re.compile(r"(?<=[:\s\[{,])(?:0x[0-9a-f]+|0|[1-9]\d*)(?=[\s\],}]|$)", re.MULTILINE)
_TYPE: Final = re.compile(r"(?<=type: )[us][1248](?:le|be)?\b")
_CONDITION: Final = re.compile(r"(?<= if: )[^'\"\n]+$", re.MULTILINE)
_ORDER: Final = re.compile(r"(?<=endian: )(?:le|be)\b")
_PROSE: Final = re.compile(
    r"^( *)(?:- )?(?:doc|doc-ref|title|[\w-]*ref|reason|note): .*(?:\n\1 +.*|\n *$)*", re.MULTILINE
)
_QUOTED_PROSE: Final = re.compile(r"""(?<=doc: )(?:"[^"\n]*"|'[^'\n]*')""")


def spec_faults(source: str) -> list[Fault]:
    """Return every fault that can be put into *source*, a spec, in the order of its text."""
    prose = [match.span() for match in _PROSE.finditer(source)]
    prose += [match.span() for match in _QUOTED_PROSE.finditer(source)]
    prose += [match.span() for match in re.finditer(r"#.*$", source, re.MULTILINE)]
    found = [
        *_each("dropped row", _ROW, source, lambda _: ""),
        *_each("dropped rule", _KEY, source, lambda _: ""),
        *_each("off by one", _NUMBER, source, lambda old: str(int(old, 0) + 1)),
        *_each("other sign", _TYPE, source, lambda old: ("s" if old[0] == "u" else "u") + old[1:]),
        *_each("other width", _TYPE, source, _other_width),
        *_each("negated", _CONDITION, source, lambda old: f"not ({old})"),
        *_each("byte order", _ORDER, source, lambda old: "be" if old == "le" else "le"),
    ]
    kept = [each for each in found if not any(a <= each.start < b for a, b in prose)]
    return sorted(kept, key=lambda fault: (fault.start, fault.end, fault.text))


def _other_width(old: str) -> str:
    width = int(old[1])
    return f"{old[0]}{8 if width == 4 else 2 * width if width < 4 else 4}{old[2:]}"


def _each(kind: str, pattern: re.Pattern[str], source: str, change: object) -> list[Fault]:
    assert callable(change)
    return [
        Fault(kind, source.count("\n", 0, at.start()) + 1, at.start(), at.end(), change(at[0]))
        for at in _matches(pattern, source)
    ]


def _matches(pattern: re.Pattern[str], source: str) -> Iterator[re.Match[str]]:
    """Yield every match, including those inside another one, since rows can contain rows."""
    at = 0
    while found := pattern.search(source, at):
        yield found
        at = found.start() + 1
