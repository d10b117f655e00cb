"""A Hudi table that tests of audits and of lookups share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.hudi_indexed import made

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a table whose indexes are all true."""
    return made().write(tmp_path)
