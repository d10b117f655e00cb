"""What is printed where the encoding of standard output lacks characters, and what `-o -` means."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import PROGRAM, byteloom

if TYPE_CHECKING:
    from pathlib import Path

CSV = "row,family,qualifier,timestamp,type,value\né日,f,q,5,Put,żółć\n"


def run(*arguments: object, encoding: str) -> str:
    """Run a command whose stdout has this encoding; return what it prints, in that or in UTF-8."""
    done = byteloom(*arguments, encoding=encoding)
    assert done.status == 0, done.err
    return done.out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files whose names and content are not ASCII."""
    folder = tmp_path_factory.mktemp("streams")
    rows = folder / "rows.csv"
    rows.write_text(CSV, "utf-8")
    run("lance", "convert", rows, folder / "zażółć.lance", encoding="utf-8")
    run("hfile", "build", folder / "日.hfile", "--from", rows, "--bytes", "text", encoding="utf-8")
    (folder / "s.ksy").write_text(
        "meta: {id: s, encoding: UTF-8}\nseq: [{id: t, type: str, size-eos: true}]\n"
    )
    (folder / "text").write_text("日本", "utf-8")
    return folder


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_text_has_escapes_for_what_the_encoding_lacks(folder: Path, encoding: str) -> None:
    """Rows, reports and names are printed with escapes, and the guides of trees in ASCII."""
    lance, hfile = folder / "zażółć.lance", folder / "日.hfile"
    rows = run("lance", "cat", lance, "-n", 1, encoding=encoding)
    assert "\\u65e5" in rows
    assert "\\u017c" in rows
    cells = run("hfile", "get", hfile, "é日", "--bytes", "text", encoding=encoding)
    assert "\\u017c" in cells
    assert "za\\u017c" in run("verify", lance, encoding=encoding)
    report = run("inspect", lance, encoding=encoding)
    assert "za\\u017c" in report
    assert "|- " in report
    described = run("describe", folder / "text", "--spec", folder / "s.ksy", encoding=encoding)
    assert "\\u65e5" in described


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_data_is_utf8_in_any_locale(folder: Path, encoding: str) -> None:
    """JSON, YAML and CSV are printed as UTF-8, since programs expect it."""
    lance, hfile = folder / "zażółć.lance", folder / "日.hfile"
    line = json.loads(run("lance", "cat", lance, "--json", encoding=encoding))
    assert (line["row"], line["value"]) == ("é日", "żółć")
    assert run("lance", "cat", lance, "--format", "csv", encoding=encoding) == CSV
    scan = ("hfile", "scan", hfile, "--bytes", "text", "--format", "csv")
    assert run(*scan, encoding=encoding) == CSV
    assert json.loads(run("verify", lance, "--json", encoding=encoding))["file"] == str(lance)
    assert json.loads(run("inspect", lance, "--json", encoding=encoding))["file"] == str(lance)
    assert "zażółć" in run("inspect", lance, "--format", "yaml", encoding=encoding)
    assert "zażółć" in run("inspect", lance, "--html", encoding=encoding)


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
    ],
    ids=["ascii", "C"],
)
def test_a_process_prints_in_the_locale(folder: Path, variables: dict[str, str]) -> None:
    """The variables that decide the encoding of a process make no error."""
    done = subprocess.run(
        [*PROGRAM, "lance", "cat", os.fsencode(folder / "zażółć.lance")],
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u017c\\xf3\\u0142\\u0107" in done.stdout
