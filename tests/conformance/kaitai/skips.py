"""The list of cases that are known to fail, each with its reason, and what it means for a run.

``skips.yaml`` maps an area to cases to reasons.  A listed case still runs and still counts as
failed; it does not fail the run.  One that passes does: the list cannot outlive its reasons.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

if TYPE_CHECKING:
    from tests.conformance.kaitai.isolate import Outcome

__all__ = ["known_failures", "verdict"]

_LIST: Final = Path(__file__).with_name("skips.yaml")


def known_failures() -> dict[tuple[str, str], str]:
    """Return the reason for each (area, case) that is listed."""
    listed = yaml.safe_load(_LIST.read_text(encoding="utf-8")) or {}
    return {
        (area, name): reason for area, cases in listed.items() for name, reason in cases.items()
    }


def verdict(area: str, outcome: Outcome, listed: dict[tuple[str, str], str]) -> str:
    """Return what is wrong with an outcome; empty where it is as it should be."""
    reason = listed.get((area, outcome.name))
    if outcome.passed:
        return "" if reason is None else f"passes, but skips.yaml says: {reason}"
    return outcome.reason if reason is None else ""
