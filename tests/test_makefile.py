"""Targets of the Makefile that move files do so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

UV = f"""#!{sys.executable}
import sys
from pathlib import Path

words = sys.argv[1:]
if words[0] == "build":
    folder, python = (Path(words[words.index(each) + 1]) for each in ("--out-dir", "--python"))
    folder.mkdir(parents=True)
    for name in ("byteloom-2.0.0.tar.gz", f"byteloom-2.0.0-{{python}}-linux_x86_64.whl"):
        (folder / name).write_text(str(python))
"""
"""A program in place of uv: its wheel is named by the Python, and has that name in it."""


def test_wheels_for_several_pythons_are_in_one_folder(tmp_path: Path) -> None:
    """`make wheel` replaces the wheel for its Python, and removes those of another version only."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    uv, dist = tmp_path / ".venv/bin/uv", tmp_path / "dist"
    uv.parent.mkdir(parents=True)
    uv.write_text(UV)
    uv.chmod(0o755)
    dist.mkdir()
    old, own = dist / "byteloom-1.9.9-cp311-linux_x86_64.whl", dist / "notes"
    for each in (old, own):
        each.touch()
    for python in ("cp311", "cp312", "cp311"):
        command = ["make", "wheel", f"PYTHON={python}"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert sorted(each.name for each in dist.iterdir()) == [
        "byteloom-2.0.0-cp311-linux_x86_64.whl",
        "byteloom-2.0.0-cp312-linux_x86_64.whl",
        "byteloom-2.0.0.tar.gz",
        "notes",
    ]
