"""Tasks that fail while they write: all rows appear once, or none, and no file is left over."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, TypeGuard

import pytest
from tests.support.cli import byteloom
from tests.support.spark_faults import BEFORE, ROWS
from tests.support.spark_results import numbers_in, run_faults

from byteloom import puffin
from byteloom.errors import Truncated
from byteloom.iceberg import open_table


@pytest.fixture(scope="module")
def ran(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    """The folder of the results of all runs that tests want, and what happened to their tasks."""
    wanted = {str(each.callspec.params["run"]) for each in request.session.items if _is_here(each)}
    folder = tmp_path_factory.mktemp("faults")
    return folder, run_faults(folder, sorted(wanted))


def _is_here(item: pytest.Item) -> TypeGuard[pytest.Function]:
    return item.path == Path(__file__)


def _slow(run: str) -> Any:
    """A run that tests leave to sweeps: each has a relative that they do not."""
    return pytest.param(run, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "run",
    ["lance-killed", _slow("hfile-killed"), _slow("lance-late"), _slow("hfile-late")],
)
def test_a_sink_has_the_rows_of_a_task_that_was_repeated_once(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """A repeated task's rows appear once, whether it was killed or failed after its last row."""
    folder, outcomes = ran
    assert outcomes[run] == {"failed": 1, "error": None}
    assert numbers_in(folder / run) == list(range(ROWS))


@pytest.mark.parametrize(
    "run", ["hfile-lost", _slow("lance-lost"), "lance-full", _slow("hfile-full")]
)
def test_a_write_that_fails_for_good_changes_nothing(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """A failed overwrite keeps the earlier rows, and leaves no file of its own."""
    folder, outcomes = ran
    assert outcomes[run]["failed"] >= 3
    assert outcomes[run]["error"] is not None
    assert numbers_in(folder / run) == list(range(BEFORE))


@pytest.mark.parametrize("run", ["lance-full", _slow("hfile-full")])
def test_a_full_disk_is_named_with_the_file_that_has_no_room(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """What reaches the driver is the `StorageError` of the task, with the place of its file."""
    folder, outcomes = ran
    kind, message = outcomes[run]["error"]
    assert kind == "StorageError"
    assert str(folder / run) in message
    assert "File too large" in message


@pytest.mark.parametrize("run", ["to_lance", _slow("to_hfile"), _slow("ndv")])
def test_a_job_gives_the_same_though_workers_are_killed(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """A job has the right result though Spark has to repeat tasks of killed workers."""
    folder, outcomes = ran
    assert outcomes[run]["error"] is None
    assert outcomes[run]["failed"] >= 1
    ids = open_table(folder / "table").scan(columns=["id"]).to_table()["id"]
    if run == "ndv":
        with puffin.open(folder / run) as file:
            assert file.theta_sketch(file.blobs[0]) == puffin.ThetaSketch.from_arrow(ids)
    else:
        assert numbers_in(folder / run) == sorted(ids.to_pylist())


@pytest.mark.parametrize("run", ["cut-to_hfile", _slow("cut-to_lance"), _slow("cut-ndv")])
def test_a_damaged_file_ends_a_job_with_the_error_of_the_local_reader(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """A damaged file ends a job with the local reader's error, and no output is left."""
    folder, outcomes = ran
    with pytest.raises(Truncated, match=r"/3\.parquet: found") as local:
        open_table(folder / "cut").scan().to_table()
    assert outcomes[run]["error"] == ["Truncated", str(local.value)]
    assert [each for each in folder.glob(f"{run}*/**/*") if each.is_file()] == []
    assert not (folder / run).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("run", ["audit"])
def test_an_audit_finds_the_same_though_a_worker_is_killed(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """A group of files that is checked a second time is counted once."""
    folder, outcomes = ran
    assert outcomes[run]["error"] is None
    assert outcomes[run]["failed"] >= 1
    found = json.loads((folder / run).read_text())
    outcome = byteloom("verify", "--json", folder / "cut")
    lines = [json.loads(each) for each in outcome.out.splitlines()]
    statuses = Counter(each["status"] for each in lines)
    assert {each: count for each, count in found["counts"].items() if count} == statuses
    assert [each["file"] for each in found["findings"]] == [
        each["file"] for each in lines for _ in each["findings"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("run", ["plan"])
def test_a_plan_has_each_file_once_though_a_worker_is_killed(
    ran: tuple[Path, dict[str, Any]], run: str
) -> None:
    """Manifests that are decoded a second time give their files once."""
    folder, outcomes = ran
    assert outcomes[run]["error"] is None
    assert outcomes[run]["failed"] >= 1
    files = open_table(folder / "cut").scan().plan().files
    wanted = dict(
        zip(files["file_path"].to_pylist(), files["record_count"].to_pylist(), strict=True)
    )
    assert json.loads((folder / run).read_text()) == wanted
