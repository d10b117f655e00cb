"""Machine code of the kernels, made while a wheel is built, so that no user waits for a compiler.

- Numba makes it, which byteloom needs anyway: the build needs what byteloom needs to run, and some
  80 seconds of processor time.
- The wheel is for this kind of machine, system and Python.  Where nothing could be compiled it is
  for all of them; byteloom interprets its kernels then, or lets numba compile them at use.
- ``HATCH_BUILD_NO_HOOKS=1`` leaves it out, as ``make`` does, which compiles after setting up .venv.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["MachineCode"]


class MachineCode(BuildHookInterface):
    """What hatchling calls before it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile the kernels, and let the wheel have what was made."""
        root = Path(self.root)
        paths = [str(root / each) for each in ("runtime", "generated")]
        if "PYTHONPATH" in os.environ:  # in which pip's isolated builds have what they need
            paths.append(os.environ["PYTHONPATH"])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        run = [sys.executable, "-m", "byteloom.native.build"]
        done = subprocess.run(run, env=environment, check=False)  # noqa: S603  (our own module)
        if done.returncode:
            self.app.display_warning("byteloom: kernels were not compiled ahead of time")
            return
        build_data["artifacts"].append("runtime/byteloom/native/compiled/*")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
