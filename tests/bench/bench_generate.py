"""Processor seconds of `byteloom generate` for one spec, beside the official compiler.

    make bench ONLY=generate

- Each form is made in a process of its own, by turns; the least of some runs is printed.
- "Cold" has compiled neither modules nor templates yet: it is the first use after an installation.
- Seconds are user and system time of the process, Node's threads included.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.peers import KAITAI

SPEC = Path(__file__).parents[1] / "conformance/formats/zip.ksy"
FORMS = {
    "records": [],
    "records, scanners": ["--scanners"],
    "drop-in": ["--api", "kaitaistruct"],
}
ROUNDS = 5


@pytest.mark.bench
@pytest.mark.peer("node")
def test_generate(tmp_path: Path) -> None:
    """Prints the processor time of one spec, cold and warm, and the official compiler's."""
    (tmp_path / "specs").mkdir()
    shutil.copy(SPEC, tmp_path / "specs")
    cold, kept = tmp_path / "cold", tmp_path / "kept"
    commands = {
        form: ["-m", "byteloom", "generate", str(SPEC), "-o", str(tmp_path / "ours"), *options]
        for form, options in FORMS.items()
    }
    official = ["node", str(KAITAI / "compile.js"), str(tmp_path / "specs"), str(tmp_path / "off")]
    first = {form: used([sys.executable, *each], cold / form) for form, each in commands.items()}
    warm: dict[str, list[float]] = {form: [] for form in FORMS}
    peer = []
    for _ in range(ROUNDS + 1):
        for form, each in commands.items():
            warm[form].append(used([sys.executable, *each], kept))
        peer.append(used(official, kept))
    print(f"\n{'official compiler':20} {min(peer):5.2f} s")
    for form, seconds in warm.items():
        print(f"{form:20} cold {first[form]:5.2f} s, warm {min(seconds[1:]):5.2f} s")
    assert (tmp_path / "ours" / "zip.py").read_text()


def used(command: list[str], bytecode: Path) -> float:
    """Return the processor seconds of *command*; Python keeps what it compiles in *bytecode*."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, resources = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return resources.ru_utime + resources.ru_stime
