"""Pages that the navigation of the site finds by a pattern: a new one needs no line of its own.

It makes `build/mkdocs.yml` of `mkdocs.yml`, from standard input to standard output.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["expanded"]


def expanded(config: str, root: Path) -> str:
    """Return *config* with a line for each page below *root* in the place of a pattern's line."""

    def lines(found: re.Match[str]) -> str:
        pages = sorted(path.relative_to(root).as_posix() for path in root.glob(found[2]))
        return "\n".join(f"{found[1]}{page}" for page in pages)

    return re.sub(r"^( +- )(\S*\*\S*)$", lines, config, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(expanded(sys.stdin.read(), Path()))
