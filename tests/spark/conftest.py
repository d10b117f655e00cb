"""One Spark session for all tests of this folder: starting one takes longer than most of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.java import SHORT
from tests.support.peers import skip_without

from byteloom.spark import session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class SparkModule(pytest.Module):
    """A module of this folder, most of which import pyspark."""

    def collect(self) -> Any:
        """Skip the tests of this folder without pyspark."""
        skip_without("pyspark")
        return super().collect()


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Let pytest take the modules of this folder as such."""
    return SparkModule.from_parent(parent, path=module_path)


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use the session: they need pyspark, and run in one worker."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peer("pyspark"))


@pytest.fixture(scope="session", autouse=True)
def short_java() -> Iterator[None]:
    """Start Spark, here and in programs of tests, as a Java that runs for a short time only."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SPARK_LAUNCHER_OPTS", "SPARK_SUBMIT_OPTS"):
            patch.setenv(name, " ".join(SHORT))
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session on two cores."""
    warehouse = tmp_path_factory.mktemp("warehouse")
    found = session(cores=2, memory="1g", config={"spark.sql.warehouse.dir": str(warehouse)})
    yield found
    found.stop()
