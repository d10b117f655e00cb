"""`byteloom generate`: specs in, Python out, nothing touched that has not changed."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import byteloom

SPEC = """\
meta:
  id: point
  endian: le
seq:
  - id: x
    type: s4
  - id: y
    type: s4
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec in a folder of its own."""
    path = tmp_path / "specs" / "point.ksy"
    path.parent.mkdir()
    path.write_text(SPEC)
    return path


def test_a_spec_becomes_a_module_that_reads_and_writes(spec: Path, tmp_path: Path) -> None:
    """What is written can be imported, and gives back what it is given."""
    out = tmp_path / "out"
    outcome = byteloom("generate", spec, "-o", out)
    assert outcome == (0, f"{out / 'point.py'}\n", "")
    code = (
        "from point import Point; p = Point(x=1, y=-2); print(Point.from_bytes(p.to_bytes()) == p)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=out, capture_output=True, check=True)
    assert run.stdout == b"True\n"


def test_current_files_are_left_alone(spec: Path, tmp_path: Path) -> None:
    """A second run writes nothing, and --check finds nothing to say."""
    byteloom("generate", spec, "-o", tmp_path / "out")
    written = (tmp_path / "out" / "point.py").stat()
    assert byteloom("generate", spec, "-o", tmp_path / "out") == (0, "", "")
    assert byteloom("generate", spec, "-o", tmp_path / "out", "--check") == (0, "", "")
    assert (tmp_path / "out" / "point.py").stat().st_mtime_ns == written.st_mtime_ns


def test_check_prints_a_diff_and_writes_nothing(spec: Path, tmp_path: Path) -> None:
    """Stale code is shown as a unified diff, with status 1."""
    out = tmp_path / "out"
    byteloom("generate", spec, "-o", out)
    before = (out / "point.py").read_text()
    spec.write_text(SPEC.replace("id: y", "id: z"))
    outcome = byteloom("generate", spec, "-o", out, "--check")
    assert outcome.status == 1
    assert "\n-    y: int\n" in outcome.out
    assert "\n+    z: int\n" in outcome.out
    assert outcome.err == "byteloom: 1 generated file is stale: run `byteloom generate`\n"
    assert (out / "point.py").read_text() == before


def test_mistakes_in_specs_are_a_line_each(spec: Path, tmp_path: Path) -> None:
    """All mistakes are told, with file, line and column, and nothing is written."""
    spec.write_text(SPEC.replace("s4", "s5").replace("id: y", "id: y\n    nonsense: 1"))
    outcome = byteloom("generate", spec, "-o", tmp_path / "out")
    lines = outcome.err.splitlines()
    assert (outcome.status, outcome.out) == (1, "")
    assert len(lines) == 3
    assert all(line.startswith(f"{spec}:") for line in lines)
    assert lines[0].startswith(f"{spec}:6:")
    assert not (tmp_path / "out").exists()


def test_a_missing_spec_is_an_error(tmp_path: Path) -> None:
    """A spec that is not there is told in one line."""
    outcome = byteloom("generate", tmp_path / "missing.ksy", "-o", tmp_path / "out")
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    assert "missing.ksy" in outcome.err


def test_output_folder_and_specs_go_together(spec: Path) -> None:
    """A spec without a folder to write to is wrong usage."""
    assert byteloom("generate", spec).status == 2


def test_outside_a_repository_a_spec_has_to_be_named(tmp_path: Path) -> None:
    """With nothing named and nothing found there is a hint, not a traceback."""
    outcome = byteloom("generate", cwd=tmp_path)
    assert outcome.status == 1
    assert outcome.err.startswith("byteloom: ")
    assert "name a SPEC and -o DIR" in outcome.err


def test_without_the_generators_libraries_the_extra_is_named(spec: Path, tmp_path: Path) -> None:
    """Where Jinja2 is not installed, the error says what to install."""
    code = (
        "import sys; sys.modules['jinja2'] = None\n"  # as the import system marks what is not there
        "from byteloom.cli import app; app(prog_name='byteloom')"
    )
    command = [sys.executable, "-c", code, "generate", str(spec), "-o", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(b"byteloom: generate: found no module jinja2, wanted ")
    assert b"pip install byteloom[codegen]" in run.stderr
