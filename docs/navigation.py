"""Pages that the navigation of the site finds by a pattern: a new one needs no line of its own.

It makes `build/mkdocs.yml` of `mkdocs.yml`, from standard input to standard output.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path

__all__ = ["expanded"]


def expanded(config: str, root: Path) -> str:
    """Return *config* with a line for each page below *root* in the place of a pattern's line.

    Pages whose names are found too (`a/*/*.md`) are grouped by their folders.
    """

    def lines(found: re.Match[str]) -> str:
        indent, pattern = found.groups()
        pages = sorted(path.relative_to(root) for path in root.glob(pattern))
        if "*" not in pattern.rpartition("/")[2]:
            return "\n".join(f"{indent}- {page.as_posix()}" for page in pages)
        groups = groupby(pages, lambda page: page.parent)
        return "\n".join(
            "\n".join(
                [
                    f"{indent}- {folder.name}:",
                    *(f"{indent}    - {page.as_posix()}" for page in each),
                ]
            )
            for folder, each in groups
        )

    return re.sub(r"^( +)- (\S*\*\S*)$", lines, config, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(expanded(sys.stdin.read(), Path()))
