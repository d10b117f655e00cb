"""Kernels that have a fault, or depend on one, run interpreted; others run as usual."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from byteloom.kernels import manifests, orc_runs, orc_sizes
from byteloom.native import integers
from byteloom.native import loads
from tests.mutants.kernels import Kernels

kernels = [orc_runs.run_at, orc_sizes.add_runs, manifests.gather_items]
Kernels().interpret(sys.modules[sys.argv[1]].__file__)
print(*[int(each._choice == "interpreted") for each in kernels])
"""


@pytest.mark.parametrize(
    ("module", "interpreted"),
    [
        ("byteloom.kernels.orc_sizes", "0 1 0"),
        ("byteloom.kernels.orc_runs", "1 1 0"),
        ("byteloom.native.integers", "1 1 0"),
        ("byteloom.native.loads", "1 1 1"),
    ],
)
def test_what_depends_on_a_file_is_interpreted(module: str, interpreted: str) -> None:
    """The kernels of a file, and all that call its functions, directly or not, are interpreted."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, module], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == interpreted
