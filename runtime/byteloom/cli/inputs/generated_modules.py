"""Run generated modules from their text, without installing them.

Modules are imported from memory, so that nothing needs a folder that can be written, and forgotten
afterwards.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import invalidate_caches
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from byteloom.cli.inputs.module_cache import kept_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["add_module", "importing"]

_NUMBERS = count()


class _Texts(InspectLoader, MetaPathFinder):
    """Imports modules whose text is in memory, by their full names."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return how the module is imported; None for modules that are elsewhere."""
        return ModuleSpec(fullname, self) if fullname in self.texts else None

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002  (none of them is)
        """Return False."""
        return False

    def get_source(self, fullname: str) -> str:
        """Return the text, which those ask for that inline its functions, or show its lines."""
        return self.texts[fullname]

    def get_code(self, fullname: str) -> CodeType:
        """Return the text, compiled."""
        return compile(self.texts[fullname], f"{fullname}.py", "exec", dont_inherit=True)


@contextmanager
def importing() -> Iterator[Callable[[Mapping[str, str]], str]]:
    """Yield a function that makes modules, text by name, a package; it returns the package's name.

    Packages can be imported from until the block ends.
    """
    packages: list[str] = []
    texts = _Texts()

    def package(modules: Mapping[str, str]) -> str:
        name = f"_byteloom_traced_{next(_NUMBERS)}"
        texts.texts |= {f"{name}.{module}": text for module, text in modules.items()}
        made = ModuleType(name)
        made.__path__, made.__loader__ = [], texts
        sys.modules[name] = made
        packages.append(name)
        return name

    sys.meta_path.insert(0, texts)
    try:
        yield package
    finally:
        sys.meta_path.remove(texts)
        for name in [each for each in sys.modules if each.partition(".")[0] in packages]:
            del sys.modules[name]


def add_module(package: str, name: str, text: str) -> None:
    """Make *text* one more module of a package that can be imported, before any other of its name.

    It is kept on disk, where there is a place for it, with its bytecode and machine code of loops.
    """
    made, path = sys.modules[package], kept_module(name, text)
    if path is not None:
        made.__path__.insert(0, str(path.parent))
        invalidate_caches()
    elif isinstance(made.__loader__, _Texts):
        made.__loader__.texts[f"{package}.{name}"] = text
