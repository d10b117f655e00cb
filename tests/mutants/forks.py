"""Work in forks of this process, which has imported other projects' modules for them.

Importing those takes longer than most tests do.  Code and tests of byteloom are not imported here:
each fork imports them from the copy, with the fault that is in it.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import traceback
import warnings
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection
    from pathlib import Path

__all__ = ["ENDED", "Fork", "Forks", "load", "strangers"]

ENDED: Final = "the process ended"
"""What `Forks.run` returns for work that ends its process."""

_OURS: Final = {"byteloom", "byteloom_codegen", "byteloom_generated", "tests", "conftest"}
_ROOTS: Final = ("runtime", "codegen", "generated")
_FORK: Final = multiprocessing.get_context("fork")


class Forks:
    """Runs work in the tree of a copy, where modules of byteloom come from that copy."""

    def __init__(self, tree: Path) -> None:
        """Work in *tree*, the root of the copy."""
        self.tree = tree

    def run(
        self,
        work: Callable[..., Any],
        *args: Any,
        seconds: float | None = None,
        imported: bool = False,
    ) -> Any:
        """Return what *work* returns for *args*.

        seconds   after which it is ended, with `TimeoutError`; None for never
        imported  it has the modules of byteloom that this process imported
        """
        return Fork(partial(self._work, work, args, imported)).answer(seconds)

    def start(self, work: Callable[..., None], *args: Any) -> Fork:
        """Start *work* in a process that stays; its arguments are a connection and *args*."""
        return Fork(partial(self._stay, work, args))

    def _work(
        self, work: Callable[..., Any], args: tuple[Any, ...], imported: bool, there: Connection
    ) -> None:
        self._enter(imported)
        try:
            there.send((True, work(*args)))
        except Exception:  # noqa: BLE001  whatever went wrong is the parent's to report
            there.send((False, traceback.format_exc()))

    def _stay(self, work: Callable[..., None], args: tuple[Any, ...], there: Connection) -> None:
        self._enter(imported=False)
        work(there, *args)

    def _enter(self, imported: bool) -> None:
        """Silence the forked process, enter the tree, forget our modules unless *imported*."""
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        os.chdir(self.tree)
        roots = [str(self.tree / each) for each in _ROOTS]
        here = {"", *(os.path.realpath(path) for path in sys.path if path.endswith(_ROOTS))}
        here.add(os.path.realpath(os.path.join(os.path.dirname(__file__), "../..")))  # noqa: PTH118, PTH120
        sys.path[:] = roots + [path for path in sys.path if os.path.realpath(path) not in here]
        os.environ |= {"PYTHONPATH": os.pathsep.join(roots)}
        for name in list(sys.modules):
            if not imported and name.partition(".")[0] in _OURS:
                del sys.modules[name]


class Fork:
    """A process, and the connection to it."""

    def __init__(self, work: Callable[[Connection], None]) -> None:
        """Start *work* in a process group of its own, with its end of the connection."""
        self.connection, there = _FORK.Pipe()
        self._process = _FORK.Process(target=self._lead, args=(work, there))
        self._process.start()
        there.close()

    def _lead(self, work: Callable[[Connection], None], there: Connection) -> None:
        os.setsid()
        self.connection.close()
        work(there)

    def answer(self, seconds: float | None = None) -> Any:
        """Return the result of the process; end it and its children.

        seconds  after which it is ended, with `TimeoutError`; None for never
        """
        try:
            if not self.connection.poll(seconds):
                raise TimeoutError
            done, answer = self.connection.recv()
        except EOFError:
            return ENDED
        finally:
            self.end()
        if not done:
            raise RuntimeError(answer)
        return answer

    def end(self) -> None:
        """End the process and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        self._process.join()
        self.connection.close()


def strangers() -> list[str]:
    """Return the names of the imported modules of other projects."""
    return [name for name in sys.modules if name.partition(".")[0] not in {*_OURS, "__main__"}]


def load(names: Iterable[str]) -> None:
    """Import the modules that forks will need; those that cannot be imported alone are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            if name not in sys.modules:
                with suppress(Exception):
                    importlib.import_module(name)
