"""Assign every byte of an example to its field, for reference pages.

Pages show what the parser of this very spec does, so the installed module is not used.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from byteloom.cli.inputs.generated_modules import importing
from byteloom.cli.printing.hexdump import segments
from byteloom.errors import ByteloomError
from byteloom.wire import Record, TracingReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom_codegen.reference.examples import Annotate, Part, Tracer

__all__ = ["tracing"]


@contextmanager
def tracing() -> Iterator[Tracer]:
    """Yield a function that runs modules, given as text by name, until the block ends."""
    with importing() as package:

        def tracer(modules: Mapping[str, str]) -> Annotate:
            return _annotate(package(modules))

        yield tracer


def _annotate(package: str) -> Annotate:
    def annotate(
        module: str, record: str, raw: bytes, params: Mapping[str, Any], name: str
    ) -> Sequence[Part]:
        from byteloom_codegen.reference.examples import Part

        cls: type[Record] = getattr(import_module(f"{package}.{module}"), record)
        reader = TracingReader(raw)
        try:
            reader.trail.complete(cls.read(reader, **params), reader.root)
        except ByteloomError as error:
            raise ByteloomError(f"{name}: {error}") from error
        return [Part(part.start, part.end, tuple(part.labels)) for part in segments(reader.root)]

    return annotate
