"""Generated modules run as they were just printed, to see which field every byte belongs to.

Pages show what the parser of this very spec does, so it is not the installed module that is asked:
the new text is imported from a folder of its own, and forgotten afterwards.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING

from byteloom.cli.hexdump import segments
from byteloom.errors import ByteloomError
from byteloom.wire import Record, TracingReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom_codegen.reference.examples import Annotate, Part, Tracer

__all__ = ["tracing"]

_NUMBERS = count()


@contextmanager
def tracing() -> Iterator[Tracer]:
    """Yield a function that runs modules, given as text by name, until the block ends."""
    packages: list[str] = []
    with TemporaryDirectory(prefix="byteloom-", ignore_cleanup_errors=True) as folder:

        def tracer(modules: Mapping[str, str]) -> Annotate:
            packages.append(_package(Path(folder), modules))
            return _annotate(packages[-1])

        try:
            yield tracer
        finally:
            for name in [each for each in sys.modules if each.partition(".")[0] in packages]:
                del sys.modules[name]


def _package(folder: Path, modules: Mapping[str, str]) -> str:
    """Make a package of *modules* importable; return its name."""
    name = f"_byteloom_traced_{next(_NUMBERS)}"
    (folder / name).mkdir()
    for module, text in modules.items():
        (folder / name / f"{module}.py").write_text(text, encoding="utf-8")
    package = ModuleType(name)
    package.__path__ = [str(folder / name)]
    sys.modules[name] = package
    invalidate_caches()
    return name


def _annotate(package: str) -> Annotate:
    def annotate(module: str, record: str, raw: bytes) -> Sequence[Part]:
        from byteloom_codegen.reference.examples import Part

        cls: type[Record] = getattr(import_module(f"{package}.{module}"), record)
        reader = TracingReader(raw)
        try:
            cls.read(reader)
        except ByteloomError as error:
            raise ByteloomError(f"example {raw.hex()} of {module}: {error}") from error
        return [Part(part.start, part.end, tuple(part.labels)) for part in segments(reader.root)]

    return annotate
