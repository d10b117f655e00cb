"""Compiled code is kept for the next process, or compiled by each if it cannot be kept.

No public function shows how a kernel ran.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from byteloom.native import kernel

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_function_that_cannot_be_cached_is_compiled_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Without a folder for compiled code functions still run, and one log line says why."""
    kernel._warn_uncached.cache_clear()
    scope: dict[str, Any] = {}
    exec("def f(a): return a + 1\ndef g(a): return a + 2", scope)  # noqa: S102  (a source with no file)
    with caplog.at_level(logging.WARNING, "byteloom"):
        assert [kernel.compiled(scope[name])(1) for name in "fg"] == [2, 3]
    assert "".join(record.getMessage() for record in caplog.records) == (
        "byteloom: no folder for compiled code can be written, so each process compiles it again;"
        " set XDG_CACHE_HOME to a writable folder to keep it"
    )


def test_a_change_of_what_is_called_is_noticed(tmp_path: Path) -> None:
    """Code that an earlier process compiled is not used once a module that it calls has changed."""
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "caller.py").write_text(
        "from byteloom.native.kernel import kernel\n"
        "from .called import number\n\n\n"
        "@kernel\ndef ask(more):\n    return number() + more\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    found = []
    for number in (1, 1, 2):
        (package / "called.py").write_text(
            "from byteloom.native.kernel import kernel\n\n\n"
            f"@kernel\ndef number():\n    return {number}\n"
        )
        code = (
            "from pack.caller import ask\n"
            "print(ask.compiled(0), sum(ask.compiled.stats.cache_hits.values()))"
        )
        run = [sys.executable, "-c", code]
        done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
        found.append(done.stdout.rstrip())
    assert found == ["1 0", "1 1", "2 0"]
