"""The command line's entry, ``byteloom`` and ``python -m byteloom``.

It imports next to nothing, so that Ctrl-C ends the program at once, without a traceback, while the
command line's own modules and what they need are imported.
"""

from __future__ import annotations

import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line, and exit with its status."""
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
