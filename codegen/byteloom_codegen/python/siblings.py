"""How one generated module imports another of the same folder.

In a package that is a relative import.  A flat folder has no ``__init__.py``: Python finds its
modules by their bare names where the folder is on its path, and in a namespace where the folder
above it is.  Type checkers know only the first, so the second hides from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.python.statements import Block, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["FLAT", "sibling_imports"]

FLAT = "TYPE_CHECKING or not __package__"
"""The test for a module that was found by its bare name."""


def sibling_imports(
    names: Mapping[str, Iterable[str]], modules: Iterable[str] = (), *, flat: bool = False
) -> list[Statement]:
    """Return the statements that import from the same folder.

    names    module to the names that are wanted from it
    modules  modules that are wanted whole
    flat     the folder is no package; the statements ask for ``TYPE_CHECKING``
    """
    froms = {name: ", ".join(sorted(wanted)) for name, wanted in sorted(names.items())}
    whole = sorted(modules)
    package = [f"from . import {', '.join(whole)}"] if whole else []
    package += [f"from .{name} import {wanted}" for name, wanted in froms.items()]
    if not flat or not package:
        return list(package)
    bare = [f"import {name}" for name in whole]
    bare += [f"from {name} import {wanted}" for name, wanted in froms.items()]
    return [Block(f"if {FLAT}:", list(bare)), Block("else:", list(package))]
