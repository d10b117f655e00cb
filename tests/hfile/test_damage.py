"""What a scan, lookups and an audit say of each kind of damage, word for word: `damage.yaml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support import hfile_findings


@cache
def expected() -> dict[str, dict[str, Any]]:
    """What is said, by the name of the damage."""
    text = Path(__file__).with_name("damage.yaml").read_text("utf-8")
    return dict(yaml.load(text, yaml.CSafeLoader))


def test_every_kind_of_damage_is_listed() -> None:
    """None is left out, and none is listed that is not tried."""
    assert list(expected()) == list(hfile_findings.cases())


@pytest.mark.parametrize("name", expected())
def test_damage_is_described_exactly(name: str) -> None:
    """Each finding has its field, its place, what was found and what was wanted; no more come."""
    assert hfile_findings.findings(hfile_findings.cases()[name]) == expected()[name]
