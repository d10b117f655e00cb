"""Parsers that the official Kaitai compiler makes, for benchmarks that run them beside ours."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.peers import KAITAI

__all__ = ["compiled", "peer_of"]


def compiled(specs: Path, modules: Path) -> Path:
    """Compile a folder of specs into another; return that one."""
    subprocess.run(["node", str(KAITAI / "compile.js"), str(specs), str(modules)], check=True)
    return modules


def peer_of(folder: Path, name: str) -> Any:
    """The official class of a spec."""
    sys.path.insert(0, str(folder))
    try:
        return getattr(import_module(name), name.capitalize())
    finally:
        sys.path.remove(str(folder))
