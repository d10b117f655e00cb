"""One official unit test of ``spec/python``, unchanged, on the drop-in modules."""

from __future__ import annotations

import importlib
import os
import unittest
from typing import TYPE_CHECKING

from tests.conformance.kaitai.compare import Differs

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["run_official"]


def run_official(suite: Path, path: Path) -> None:
    """Run all tests of one file, with ``src/`` where the tests look for it."""
    os.chdir(suite)
    module = importlib.import_module(f"spec.{path.stem}")
    tests = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TestResult()
    tests.run(result)
    reported = [text.strip().splitlines()[-1] for _, text in (*result.failures, *result.errors)]
    if reported:
        raise Differs("; ".join(reported))
    if result.testsRun == 0 or result.skipped:
        raise Differs(f"{result.testsRun} tests ran, {len(result.skipped)} skipped")
