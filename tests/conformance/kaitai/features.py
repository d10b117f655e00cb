"""Which features of the language a spec uses, for the table of results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["features"]

_KEYS: Final = frozenset({
    "bit-endian", "consume", "contents", "encoding", "enum", "enums", "eos-error", "if", "imports",
    "include", "instances", "io", "ks-debug", "ks-opaque-types", "pad-right", "params", "parent",
    "pos", "process", "repeat", "size", "size-eos", "switch-on", "terminator", "to-string", "types",
    "valid", "value",
})  # fmt: skip
_TYPES: Final = {
    "integers": re.compile(r"[us]\d(le|be)?"),
    "floats": re.compile(r"f\d(le|be)?"),
    "bits": re.compile(r"b\d+(le|be)?"),
    "strings": re.compile(r"strz?"),
}


def features(path: Path) -> set[str]:
    """Return the names of the features in the spec at *path*; none where it is not YAML."""
    try:
        text = path.read_text(encoding="utf-8")
        return set(_of(yaml.load(text, yaml.BaseLoader)))  # noqa: S506  (makes only texts, lists, maps)
    except (OSError, yaml.YAMLError):
        return set()


def _of(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _of(each)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in _KEYS:
                yield f"{key}: {value}" if key == "repeat" else key
            if key == "type" and isinstance(value, str):
                yield next(
                    (name for name, form in _TYPES.items() if form.fullmatch(value)), "user types"
                )
            if key == "endian" and isinstance(value, dict):
                yield "endian: switch"
            yield from _of(value)
