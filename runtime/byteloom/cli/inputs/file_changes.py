"""Run something again whenever one of its files has changed, until Ctrl-C ends it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

import typer

from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["again_on_changes", "below"]

_PAUSE: Final = 0.2
"""Seconds between two looks at the files: too short to be noticed, and hardly any work."""


_TICK: Final = 20_000_000
"""Nanoseconds by which the time of a change may be earlier than the clock."""


def again_on_changes(run: Callable[[], None], files: Callable[[], Iterable[Path]]) -> None:
    """Call *run*, and call it again after each change of *files*, which it may find more of.

    An error is a line on stderr, and the next change is waited for.  After it, files that are still
    being written are left alone until they rest, and a run that works says so.
    """
    has_failed = False
    while True:
        before, started = _states(files()), time.time_ns() - _TICK
        works = _works(run)
        if works and has_failed:
            typer.echo("byteloom: no mistakes are left", err=True)
        has_failed = not works
        sys.stdout.flush()
        # A file that *run* found may have been changed since it was read.
        found = {path: state for path, state in _states(files()).items() if state[0] < started}
        before = found | before
        while _states(files()) == before:
            time.sleep(_PAUSE)
        if has_failed:
            _wait_until_written(files)


def _works(run: Callable[[], None]) -> bool:
    """Run something; print what is wrong, and return whether nothing is."""
    try:
        run()
    except ByteloomError as error:
        typer.echo(f"byteloom: {error}", err=True)
    except OSError as error:  # a file that is being replaced
        typer.echo(f"byteloom: {error.filename}: {error.strerror}", err=True)
    except typer.Exit as error:  # the mistakes are printed
        return not error.exit_code
    else:
        return True
    return False


def _wait_until_written(files: Callable[[], Iterable[Path]]) -> None:
    """Return when no file has changed for a moment."""
    seen = None
    while (now := _states(files())) != seen:
        seen = now
        time.sleep(_PAUSE)


def below(paths: Iterable[Path], pattern: str) -> set[Path]:
    """Return *paths*, and of each folder among them the files of *pattern* in it and below."""
    return {each for path in paths for each in (path.rglob(pattern) if path.is_dir() else [path])}


def _states(paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return when each file that is there was changed, and how large it is."""
    found: dict[Path, tuple[int, int]] = {}
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue
        found[path] = (state.st_mtime_ns, state.st_size)
    return found
