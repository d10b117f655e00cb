"""Lines of a method that is being printed, and where it has the reader's position.

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
    """What was printed so far.

    is_open  whether the reader must have the position at all times
    is_bold  whether `_at` was moved anywhere without asking whether that is inside the window
    """

    def __init__(self, *, is_open: bool) -> None:
        """Begin where the reader has the position, and `_at` does not."""
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
        """End a statement."""
        waiting, self._after = self._after, []
        for each in waiting:
            self.put(each)

    def name(self) -> str:
        """Return a name for a value of the method's own."""
        self._names += 1
        return f"_{self._names}"

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Print *head*, and what follows inside it."""
        self.put(head)
        self._depth += 1
        yield
        self._depth -= 1

    # The position

    def local(self) -> None:
        """Have the position in `_at`."""
        if not self.is_local:
            self.put("_at = r._at")
            self.is_local = True

    def shared(self) -> None:
        """Have the position in the reader."""
        if not self.is_shared:
            self.put("r._at = _at")
            self.is_shared = True

    def moved(self) -> None:
        """Note that what comes next is after a call, which moved the reader's position."""
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
        """Have the position in `_at`, and say that it may be there alone, as where paths meet."""
        self.local()
        self.is_shared = self._is_open
