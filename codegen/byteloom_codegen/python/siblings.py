"""How one generated module imports another of the same folder.

In a package that is a relative import.  A flat folder has no ``__init__.py``: Python finds its
modules by their bare names where the folder is on its path, and in a namespace where the folder
above it is.  Type checkers know only the first, so the second hides from them.

Imported names stay the same, unless the importing module needs the name itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING

from byteloom_codegen.python.names import camel, module_name
from byteloom_codegen.python.statements import Block, Statement

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["FLAT", "Siblings"]

FLAT = "TYPE_CHECKING or not __package__"
"""The test for a module that was found by its bare name."""


@dataclass(slots=True)
class Siblings:
    """What a module imports from others of its folder.

    classes    names that no imported class may have
    variables  names that no imported module may have
    """

    classes: Collection[str] = ()
    variables: Collection[str] = ()
    _names: dict[str, dict[str, str]] = field(default_factory=dict)
    _modules: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is imported."""
        return bool(self._names or self._modules)

    def name(self, spec: str, name: str) -> str:
        """Return what the class *name* of the module of *spec* is called here."""
        module = module_name(spec)
        known = self._names.setdefault(module, {})
        if name not in known:
            taken = {
                *self.classes,
                *(each for one in self._names.values() for each in one.values()),
            }
            longer = camel(spec) + name
            tries = chain([name, longer], (f"{longer}{number}" for number in count(2)))
            known[name] = next(each for each in tries if each not in taken)
        return known[name]

    def module(self, spec: str) -> str:
        """Return what the module of *spec* is called here."""
        module = module_name(spec)
        tries = chain([module], (f"{spec}_module{'_' * number}" for number in count()))
        here = next(each for each in tries if each not in self.variables)
        return self._modules.setdefault(module, here)

    def statements(self, *, flat: bool) -> list[Statement]:
        """Return the import statements; *flat* says that the folder is not a package."""
        whole = [_renamed(*each) for each in sorted(self._modules.items())]
        froms = {
            module: ", ".join(_renamed(*each) for each in sorted(names.items()))
            for module, names in sorted(self._names.items())
        }
        package = [f"from . import {', '.join(whole)}"] if whole else []
        package += [f"from .{module} import {wanted}" for module, wanted in froms.items()]
        if not flat or not package:
            return list(package)
        bare = [f"import {name}" for name in whole]
        bare += [f"from {module} import {wanted}" for module, wanted in froms.items()]
        return [Block(f"if {FLAT}:", list(bare)), Block("else:", list(package))]


def _renamed(name: str, here: str) -> str:
    return name if name == here else f"{name} as {here}"
