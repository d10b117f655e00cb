"""Faults that are known to change nothing, as `survivors.yaml` lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HARMLESS", "is_harmless"]

HARMLESS: Final[list[dict[str, str]]] = yaml.safe_load(
    Path(__file__).with_name("survivors.yaml").read_text()
)
"""The entries: ``path``, ``line``, ``becomes`` and ``reason``, and ``below`` where it is needed."""


def is_harmless(
    path: str, lines: Sequence[str], becomes: str, entries: Sequence[dict[str, str]] = HARMLESS
) -> bool:
    """Return whether a fault is listed as harmless.

    path     its file
    lines    the lines of the file up to the one with the fault
    becomes  the last of these lines with the fault
    """
    *_, above, line = ["", *(each.strip() for each in lines)]
    function = next((each for each in reversed(lines) if each.startswith("def ")), "")
    return any(
        (each["path"], each["line"], each["becomes"]) == (path, line, becomes)
        and each.get("below", above) in {above, function}
        for each in entries
    )
