"""Which tests are likely to notice a fault: those whose file is near that of the fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["nearest_first"]


def nearest_first(path: str, files: Iterable[str], tree: Path) -> list[str]:
    """Return files of tests below *tree*, those closest to the file *path* first.

    Close are tests that name its module, import from its package, or share words of its name.
    """
    module = path.removeprefix("runtime/").removesuffix(".py").replace("/", ".")
    package, words = module.rpartition(".")[0], _words(path)

    def nearness(file: str) -> int:
        text = (tree / file).read_text()
        named = 6 * (module in text) + 2 * (f"from {package} import" in text)
        return named + 3 * len(words & _words(file))

    return sorted(files, key=nearness, reverse=True)


def _words(path: str) -> set[str]:
    """Return the words in the names of a file and its folder, plurals as singulars."""
    parts = path.rpartition(".")[0].split("/")[-2:]
    return {word.rstrip("s") for part in parts for word in re.split(r"[_.]", part) if word[2:]}
