"""What tests with peers share: processes that are started once, when first needed."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.peers import KAITAI
from tests.support.strangers import hard_specs, specs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


@pytest.fixture(scope="session")
def official_parsers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The official compiler's parsers of all specs by strangers, none of which it refuses."""
    folder = tmp_path_factory.mktemp("official")
    for name in ("specs", "parsers"):
        (folder / name).mkdir()
    for path in (*specs(), *hard_specs()):
        shutil.copy(path, folder / "specs")
    compiler = ["node", str(KAITAI / "compile.js"), str(folder / "specs"), str(folder / "parsers")]
    assert not subprocess.run(compiler, check=True, capture_output=True, text=True).stdout
    return folder / "parsers"
