"""Compiled code is kept for the next process, or made by each where it cannot be kept."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from byteloom.wire import compiling

if TYPE_CHECKING:
    import pytest


def test_a_function_that_cannot_be_cached_is_compiled_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Without a folder for compiled code functions still run, and one log line says why."""
    compiling._warn_uncached.cache_clear()
    scope: dict[str, Any] = {}
    exec("def f(a): return a + 1\ndef g(a): return a + 2", scope)  # noqa: S102  (a source with no file)
    with caplog.at_level(logging.WARNING, "byteloom"):
        assert [compiling.compiled(scope[name])(1) for name in "fg"] == [2, 3]
    assert "".join(record.getMessage() for record in caplog.records) == (
        "byteloom: no folder for compiled code can be written, so each process compiles it again;"
        " set NUMBA_CACHE_DIR to a writable folder to keep it"
    )
