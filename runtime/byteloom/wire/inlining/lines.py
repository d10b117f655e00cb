"""Lines of a method that is being printed, and where it keeps the reader's position.

The position is in the local name `_at`, in the reader, or in both: `local` and `shared` print what
moves it, only where it is not there already.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Lines"]


class Lines:
    """The lines printed so far.

    is_open  whether the reader must have the position at all times
    is_bold  whether `_at` was moved anywhere without a check that it is still inside the window
    """

    def __init__(self, *, is_open: bool) -> None:
        """Begin a method: the reader has the position, and `_at` does not."""
        self.printed: list[str] = []
        self._depth = 1
        self._is_open = is_open
        self.is_local, self.is_shared = False, True
        self.is_bold = False
        self._names = 0
        self._after: list[str] = []

    def put(self, line: str) -> None:
        """Print a line."""
        self.printed.append(f"{' ' * self._depth}{line}")

    def after(self, line: str) -> None:
        """Print *line* after the statement that is being printed."""
        self._after.append(line)

    def ended(self) -> None:
        """End a statement, and print the lines that have to follow it."""
        waiting, self._after = self._after, []
        for each in waiting:
            self.put(each)

    def name(self) -> str:
        """Return a new name for a local value."""
        self._names += 1
        return f"_{self._names}"

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Print *head*, the first line of a block, and what follows indented below it."""
        self.put(head)
        self._depth += 1
        yield
        self._depth -= 1

    # The position

    def local(self) -> None:
        """Print what moves the position into `_at`, if it is not there."""
        if not self.is_local:
            self.put("_at = r._at")
            self.is_local = True

    def shared(self) -> None:
        """Print what moves the position into the reader, if it is not there."""
        if not self.is_shared:
            self.put("r._at = _at")
            self.is_shared = True

    def moved(self) -> None:
        """Note that the call just printed has moved the reader's position."""
        self.is_local, self.is_shared = False, True

    def move(self, to: str, *, later: bool = False) -> None:
        """Move `_at`, at once or after the statement."""
        line = f"_at = {to}".replace("= _at +", "+=")
        if self._is_open:
            line = f"r._at = _at = {to}"
        self.is_bold |= to.startswith("_at +")
        if later:
            self.after(line)
        else:
            self.put(line)
        self.is_local, self.is_shared = True, self._is_open

    def settle(self) -> None:
        """Have the position in `_at` and treat the reader's as outdated, as where paths join."""
        self.local()
        self.is_shared = self._is_open
