"""Commands that are imported when they are asked for.

Importing all commands takes longer than handling a small file; only help, completion and unknown
names need all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from typer.main import get_command

__all__ = ["Modules"]


class Modules(Mapping[str, Any]):
    """The commands of a group by name: each the ``app`` of a module that is called so."""

    def __init__(self, package: str, names: tuple[str, ...]) -> None:
        """Name the modules *names* of *package*, and import none."""
        self._package = package
        self._made: dict[str, Any] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Any:
        """Return a command, importing its module on the first call; KeyError for another name."""
        if self._made[name] is None:
            made = get_command(import_module(f"{self._package}.{name}").app)
            made.name = name
            self._made[name] = made
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in order."""
        return iter(self._made)

    def __len__(self) -> int:
        """Return how many commands there are."""
        return len(self._made)

    def __contains__(self, name: object) -> bool:
        """Whether there is a command *name*; imports nothing."""
        return name in self._made
