"""The demo runs to its end, and ends early where anything differs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from examples import demo
from examples.screen import same, show

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

ROOT = Path(__file__).parents[2]
ROWS = 20_000


class Made(NamedTuple):
    """A table, and the rows that it shows."""

    places: demo.Places
    live: pa.Table


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A table like the demo's, with fewer rows."""
    places = demo.Places.inside(tmp_path_factory.mktemp("demo"))
    return Made(places, demo.make_table(ROWS, places.table))


@pytest.mark.peer("pyspark")
def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    """The demo exits with 0, and prints its steps and comparisons without Spark's own output."""
    command = [sys.executable, "-m", "examples.demo", str(ROWS), str(tmp_path / "demo")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "4 ok, 1 empty\n")
    assert run.stdout.count("✓ ") == 9
    assert "order_id │int64" in run.stdout
    assert "done in" in run.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("run", "claim"),
    [
        (demo.sketch_columns, "the sketches"),
        (demo.query, "these are the num"),
        (demo.export, "the rows of the dataset"),
        (demo.build_index, "there is a cell"),
    ],
)
def test_a_difference_ends_the_demo(
    spark: Any, made: Made, run: Callable[[Any, pa.Table, demo.Places], None], claim: str
) -> None:
    """Each step exits with an error where half of the expected rows are missing."""
    with pytest.raises(SystemExit, match=f"(?s)not so: {claim}.*found.*wanted"):
        run(spark, made.live.slice(0, len(made.live) // 2), made.places)


def test_a_damaged_file_ends_the_demo(spark: Any, tmp_path: Path) -> None:
    """The demo's audit exits with an error where a file is damaged."""
    (tmp_path / "a.puffin").write_bytes(b"PFA1" + bytes(20) + b"PFA1")
    with pytest.raises(SystemExit, match="no file is damaged or unreadable: found 1, wanted 0"):
        demo.check_all(spark, tmp_path)


def test_a_command_that_fails_ends_the_demo() -> None:
    """The demo exits with the status of a command that fails."""
    with pytest.raises(SystemExit) as caught:
        show("verify", "there is no such file")
    assert caught.value.code == 1


def test_what_is_equal_is_shown_with_a_tick(capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison prints a tick; a difference exits with both sides as its text."""
    same("one is [one]", 1, 1)
    assert capsys.readouterr().out == "✓ one is [one]\n"
    with pytest.raises(SystemExit, match=r"^demo: this is not so: one is two: found 1, wanted 2$"):
        same("one is two", 1, 2)
