"""What tests with peers share: processes that are started once, when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.iceberg_readers import Readers


@pytest.fixture(scope="session")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    """Other readers of Iceberg tables; polars with its own planner or none."""
    from tests.support.clickhouse import ClickHouse
    from tests.support.iceberg_readers import Readers

    answer = tmp_path_factory.mktemp("clickhouse") / "answer.arrow"
    with ClickHouse(answer) as clickhouse, pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLARS_ICEBERG_PLANNER", "plugin")
        yield Readers(clickhouse)
