"""The command line's entry, ``byteloom`` and ``python -m byteloom``.

It imports next to nothing, so that Ctrl-C ends the program at once, without a traceback, while the
command line's own modules and what they need are imported.

For a small file, most of the time goes to imports, and what Python and NumPy do about them:

- Python collects garbage after every 700 new objects, and searches all objects when the process
  ends; modules are never garbage.
- OpenBLAS starts a thread for each processor when NumPy is imported; nothing here multiplies
  matrices.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal

__all__ = ["main"]

_OBJECTS = 10_000
"""Number of new objects between two garbage collections: at most some megabytes of garbage,
in 30 collections."""


def main() -> None:
    """Run the command line, and exit with its status."""
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    handler = signal.getsignal(signal.SIGINT)
    is_usual = handler is signal.default_int_handler  # a program in the background ignores Ctrl-C
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from byteloom.cli import app

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    app(prog_name="byteloom")


if __name__ == "__main__":
    main()
