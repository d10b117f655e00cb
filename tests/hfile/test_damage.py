"""`damage.yaml` lists word for word what a scan, lookups and an audit report for each damage."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support import hfile_findings


@cache
def expected() -> dict[str, dict[str, Any]]:
    """Return the expected findings by the name of the damage."""
    text = Path(__file__).with_name("damage.yaml").read_text("utf-8")
    return dict(yaml.load(text, yaml.CSafeLoader))


def test_every_kind_of_damage_is_listed() -> None:
    """`damage.yaml` lists every kind of damage, and no other."""
    assert list(expected()) == list(hfile_findings.cases())


@pytest.mark.parametrize("name", expected())
def test_damage_is_described_exactly(name: str) -> None:
    """The findings for each damage are exactly those of `damage.yaml`."""
    assert hfile_findings.findings(hfile_findings.cases()[name]) == expected()[name]
