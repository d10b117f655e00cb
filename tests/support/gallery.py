"""Tables of examples in `tests/cases`, most of them of specs, in its folder `gallery`.

A file has a section a test, and a section has a row an example.  Bytes have the tag ``!bytes``, and
are text of which each character is a byte.
"""

from __future__ import annotations

from contextlib import nullcontext
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from tests.support.modules import module_of

from byteloom import errors

__all__ = ["play", "rows", "sections"]

_FOLDER: Final = Path(__file__).parents[1] / "cases"


class _Loader(yaml.SafeLoader):
    """YAML with bytes."""


def _bytes(loader: _Loader, node: yaml.ScalarNode) -> bytes:
    return str(loader.construct_scalar(node)).encode("latin-1")


def _tuple(loader: _Loader, node: yaml.SequenceNode) -> tuple[Any, ...]:
    return tuple(loader.construct_sequence(node))


def _decimal(loader: _Loader, node: yaml.ScalarNode) -> Decimal:
    return Decimal(str(loader.construct_scalar(node)))


_Loader.add_constructor("!bytes", _bytes)
_Loader.add_constructor("!decimal", _decimal)
_Loader.add_constructor("!tuple", _tuple)


@cache
def sections(topic: str) -> dict[str, Any]:
    """Return the sections of a file in the gallery, or of one that is named with its folder."""
    name = topic if "/" in topic else f"gallery/{topic}"
    text = (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, _Loader)  # noqa: S506  (a safe loader)
    return found


def rows(topic: str, section: str) -> list[Any]:
    """Return the rows of a section: tuples, or single values."""
    return [tuple(row) if isinstance(row, list) else row for row in sections(topic)[section]]


def play(example: dict[str, Any]) -> None:
    """Read, edit and write the record of an example step by step, and check what is said of it.

    The keys of an example are described in `records.yaml`.
    """
    names = dict(vars(module_of(example["spec"])))
    for step in (example, *example.get("then", [])):
        kind = getattr(errors, step.get("kind", "FormatError"))
        is_refused, written = "refused" in step, None
        with pytest.raises(kind, match=step["refused"]) if is_refused else nullcontext():
            if "read" in step:
                names["r"] = names["Sample"].from_bytes(step["read"].encode("latin-1"))
            exec(step.get("do", ""), names)  # noqa: S102  (our own examples)
            if is_refused or "writes" in step:
                written = names["r"].to_bytes()
        if "writes" in step:
            assert written == step["writes"].encode("latin-1")
        for claim in step.get("holds", []):
            assert eval(claim, names), claim  # noqa: S307  (our own examples)
