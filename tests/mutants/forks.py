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
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection
    from pathlib import Path

__all__ = ["ENDED", "Forks"]

ENDED: Final = "the process ended"
"""What `Forks.run` returns for work that ends its process."""

_OURS: Final = {"byteloom", "byteloom_codegen", "byteloom_generated", "tests", "conftest"}
_ROOTS: Final = ("runtime", "codegen", "generated")
_FORK: Final = multiprocessing.get_context("fork")


class Forks:
    """Runs work in the tree of a copy, where modules of byteloom come from that copy."""

    def __init__(self, tree: Path) -> None:
        """Work in *tree*, the root of the copy."""
        self._tree = tree

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
        here, there = _FORK.Pipe(duplex=False)
        process = _FORK.Process(target=self._enter, args=(there, work, args, imported))
        process.start()
        there.close()
        try:
            if not here.poll(seconds):
                raise TimeoutError
            done, answer = here.recv()
        except EOFError:
            return ENDED
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid or 0, signal.SIGKILL)
            process.join()
            here.close()
        if not done:
            raise RuntimeError(answer)
        return answer

    def _enter(
        self,
        answer: Connection,
        work: Callable[..., Any],
        args: tuple[Any, ...],
        imported: bool,
    ) -> None:
        """Become a silent process in the tree, without modules of byteloom unless *imported*."""
        os.setsid()
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        os.chdir(self._tree)
        roots = [str(self._tree / each) for each in _ROOTS]
        here = {"", *(os.path.realpath(path) for path in sys.path if path.endswith(_ROOTS))}
        here.add(os.path.realpath(os.path.join(os.path.dirname(__file__), "../..")))  # noqa: PTH118, PTH120
        sys.path[:] = roots + [path for path in sys.path if os.path.realpath(path) not in here]
        os.environ |= {"PYTHONPATH": os.pathsep.join(roots), "BYTELOOM_KERNELS": "interpreted"}
        for name in list(sys.modules):
            if not imported and name.partition(".")[0] in _OURS:
                del sys.modules[name]
        try:
            answer.send((True, work(*args)))
        except Exception:  # noqa: BLE001  whatever went wrong is the parent's to report
            answer.send((False, traceback.format_exc()))


def strangers() -> list[str]:
    """Return the names of the imported modules of other projects."""
    return [name for name in sys.modules if name.partition(".")[0] not in {*_OURS, "__main__"}]


def load(names: Iterable[str]) -> None:
    """Import modules that forks will need, as far as they can be imported by themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            if name not in sys.modules:
                with suppress(Exception):
                    importlib.import_module(name)
