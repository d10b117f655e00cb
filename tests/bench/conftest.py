"""What benchmarks have of their own: a peer that is as fast as it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.hbase import HBase

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def hbase() -> Iterator[HBase]:
    """HBase on a Java machine that optimizes what it runs often."""
    with HBase(short=False) as peer:
        yield peer
