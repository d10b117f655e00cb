"""Classes of read-write mode, of either compiler, put through one program."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.peers import KAITAI

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_spec

__all__ = ["emit_read_write", "faults", "rewritten"]


def emit_read_write(paths: list[Path], out: Path, include: list[Path]) -> None:
    """Write the modules of specs, and of what they import, into the folder *out*."""
    for path in paths:
        modules = emit(load_spec(path, include_dirs=include), read_write=True)
        for name, text in modules.items():
            (out / name).write_text(text, encoding="utf-8")


def rewritten(
    modules: Path, files: Path, out: Path, *, also: tuple[Path, ...] = (), changes: bool = True
) -> dict[str, Any]:
    """Run ``rewrite.py`` on all *files* in a process of its own, which imports nothing of ours."""
    path = os.pathsep.join(map(str, also))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": path}
    program = [sys.executable, str(KAITAI / "rewrite.py"), str(modules), str(files), str(out)]
    mode = [] if changes else ["--unchanged"]
    subprocess.run([*program, *mode], check=True, env=environment)
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def faults(written: str, data: bytes) -> list[int]:
    """Return where bytes were written that are not those of *data*.

    They were written over *data* with all bits turned, which is what stays where none were.
    """
    found = bytes.fromhex(written)
    assert len(found) == len(data)
    return [
        at
        for at, (mine, byte) in enumerate(zip(found, data, strict=True))
        if mine not in {byte, byte ^ 0xFF}
    ]
