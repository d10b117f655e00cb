"""What holds for every command: help, errors as one line, exit status, start-up."""

import re
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.cli import PROGRAM, byteloom

import byteloom as package


def test_version_is_that_of_the_package() -> None:
    """`byteloom --version` prints name and version."""
    assert byteloom("--version").out == f"byteloom {package.__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    """`python -m byteloom` is `byteloom`."""
    command = [sys.executable, "-m", "byteloom", "--version"]
    told = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert told == f"byteloom {package.__version__}\n"


@pytest.mark.parametrize("command", [[], ["inspect"], ["verify"], ["generate"]])
def test_every_command_has_help(command: list[str]) -> None:
    """`--help` prints a usage line and ends well."""
    outcome = byteloom(*command, "--help")
    assert outcome.status == 0
    assert " ".join(["Usage: byteloom", *command]) in outcome.out


@pytest.mark.parametrize("command", [["verify"], ["hudi", "verify"]])
def test_paragraphs_of_help_flow(command: list[str]) -> None:
    """Only the last line of a paragraph ends before the next word would."""
    told = byteloom(*command, "--help").out.partition("╭")[0]
    for paragraph in re.split(r"\n\s*\n", told.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        for line, after in pairwise(lines):
            assert len(line) + 1 + len(after.split()[0]) > 76


@pytest.mark.parametrize(
    "arguments", [["inspect"], ["nosuch"], ["verify"], ["inspect", "--nosuch", "x"]]
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    """A missing argument, an unknown command or option is usage, not damage."""
    outcome = byteloom(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    assert "Usage" in outcome.err


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """Errors of the system are told like all others, without a traceback."""
    missing = tmp_path / "missing.puffin"
    assert byteloom("inspect", missing) == (
        1,
        "",
        f"byteloom: {missing}: No such file or directory\n",
    )


@pytest.mark.parametrize("heavy", ["jinja2", "numba", "numpy", "pyarrow", "yaml"])
def test_help_loads_nothing_heavy(heavy: str) -> None:
    """Asking for help loads neither Arrow nor a compiler."""
    code = (
        "import sys\nfrom byteloom.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        f"sys.exit({heavy!r} in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL
        ).returncode
        == 0
    )


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    """`byteloom ... | head -1` says nothing on stderr."""
    for number in range(3_000):
        (tmp_path / f"{number}.txt").write_text("no format")
    command = [*PROGRAM, "verify", "--json", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""


def test_ctrl_c_is_status_130(tmp_path: Path) -> None:
    """An interrupted run ends as shells expect, without a traceback."""
    for number in range(20_000):
        (tmp_path / str(number)).touch()
    command = [*PROGRAM, "verify", "--json", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        assert (run.stderr.read(), run.wait()) == (b"", 130)
