"""The scripts of `examples/` that need Spark do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from byteloom import lance, puffin
from byteloom.hfile import HFileFolder
from byteloom.iceberg import open_table

EXAMPLE = Path(__file__).parents[2] / "examples" / "spark_jobs.py"


@pytest.mark.usefixtures("spark")
def test_all_jobs_run_on_a_small_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example's sketches, dataset and index have its table's rows, and all files are sound."""
    runpy.run_path(str(EXAMPLE))["main"](tmp_path)
    rows = open_table(tmp_path / "orders").scan().count()
    assert lance.open_dataset(tmp_path / "exported.lance").count() == rows
    with HFileFolder(tmp_path / "by-key") as index:
        assert index.num_rows == rows
    with puffin.open(tmp_path / "orders.stats") as file:
        assert file.theta_sketch(file.blobs[0]).estimate == rows
    printed = capsys.readouterr().out
    assert f"id: {rows} distinct values" in printed
    assert " 0 damaged, 0 unreadable" in printed
