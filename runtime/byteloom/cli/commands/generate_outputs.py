"""What ``byteloom generate`` makes of specs, and how it is written.

Importing this takes the generator's libraries.  Reference pages show which bytes of an example
belong to which field, by the parser of this very spec: an installed module is not used.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from byteloom.cli.inputs.generated_modules import importing
from byteloom.cli.options.specs import Api
from byteloom.cli.printing.hexdump import segments
from byteloom.cli.printing.value_text import json_text
from byteloom.errors import ByteloomError, StorageError
from byteloom.wire import Record, TracingReader
from byteloom_codegen.batch import hiding, load_batch
from byteloom_codegen.errors import GenerateError, SpecErrors
from byteloom_codegen.marks import left_in, left_scanners
from byteloom_codegen.outputs import (
    drop_ins_of_specs,
    leftovers_of_repository,
    outputs_of_messages,
    outputs_of_repository,
    outputs_of_specs,
    pages_of_specs,
    scanners_of_specs,
    write,
)
from byteloom_codegen.reference.examples import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from byteloom.cli.options.specs import Generation
    from byteloom_codegen.batch import Batch
    from byteloom_codegen.model import Spec
    from byteloom_codegen.outputs import Output
    from byteloom_codegen.reference.examples import Annotate, Tracer

__all__ = ["check_free", "deliver", "mistakes_reported", "of_repository", "of_specs", "tracing"]


def of_specs(
    specs: Sequence[Path], options: Generation, read: set[Path]
) -> tuple[list[Output], bool]:
    """Return what is made of *specs*, and whether something is wrong with them or left over.

    read  gets the files that were read
    """
    output, reference = options.output, options.reference
    layouts = [each for each in specs if each.suffix != ".proto"]
    batch = _loaded(layouts, options)
    read |= {Path(each.file) for each in batch.specs}
    read |= {each.with_name("vectors.yaml") for each in read} if reference else set()
    is_package = output is not None and (output / "__init__.py").exists()
    flat = not (is_package if options.package is None else options.package)
    is_bad, made = bool(batch.errors), _messages(specs, output, reference, flat=flat)
    if output is not None:
        if options.api is Api.KAITAISTRUCT:
            made += _drop_ins(batch.specs, output, read_write=options.read_write)
        else:
            made += _modules(batch.specs, output, flat=flat, scanners=options.scanners)
        left = _report_leftover_scanners(output, batch.specs, made, scanners=options.scanners)
        is_bad |= left and options.check and options.scanners
    if reference is not None:
        made += _pages(batch.specs, reference, options.sample)
    _report_leftovers(_left(specs, batch, {output, reference}))
    return made, is_bad


@contextmanager
def mistakes_reported() -> Iterator[None]:
    """Turn the generator's errors into exit statuses and messages."""
    try:
        yield
    except SpecErrors as error:
        for mistake in error.errors:
            typer.echo(str(mistake), err=True)
        raise typer.Exit(1) from error
    except GenerateError as error:
        raise ByteloomError(str(error)) from error


def of_repository(options: Generation) -> tuple[list[Output], bool]:
    """Return what is made of this repository's specs, and whether a check finds files left over."""
    with tracing() as tracer:
        made = outputs_of_repository(Path.cwd(), tracer)
    is_left = _report_leftovers(leftovers_of_repository(Path.cwd(), made))
    return made, is_left and options.check


def _loaded(specs: Sequence[Path], options: Generation) -> Batch:
    """Return all *specs*, after printing what is wrong with any."""
    batch = load_batch(specs, options.include or [], opaque_types=options.opaque_types)
    for each in (*batch.warnings, *batch.errors):
        typer.echo(str(each), err=True)
    return batch


def _messages(
    specs: Sequence[Path], output: Path | None, reference: Path | None, *, flat: bool
) -> list[Output]:
    paths = [each for each in specs if each.suffix == ".proto"]
    return outputs_of_messages(paths, output, reference, flat=flat)


def _drop_ins(specs: Sequence[Spec], output: Path, *, read_write: bool) -> list[Output]:
    _warn_of_hidden(specs)
    return drop_ins_of_specs(specs, output, read_write=read_write)


def _warn_of_hidden(specs: Sequence[Spec]) -> None:
    for warning in hiding(specs):
        typer.echo(str(warning), err=True)


def _modules(specs: Sequence[Spec], output: Path, *, flat: bool, scanners: bool) -> list[Output]:
    if flat:
        _warn_of_hidden(specs)
    made = outputs_of_specs(specs, output, flat=flat)
    if not scanners:
        return made
    extra, reasons = scanners_of_specs(specs, output, flat=flat)
    for reason in reasons:
        typer.echo(reason, err=True)
    paths = {each.path for each in extra}
    return [*(each for each in made if each.path not in paths), *extra]


def _pages(specs: Sequence[Spec], reference: Path, sample: Path | None) -> list[Output]:
    with tracing() as tracer:
        return pages_of_specs(specs, reference, tracer, sample)


def _left(paths: Sequence[Path], batch: Batch, folders: Iterable[Path | None]) -> list[Path]:
    there = sorted(folder for folder in folders if folder is not None)
    return [path for folder in there for path in left_in(folder, paths, batch.specs)]


def _report_leftovers(paths: Sequence[Path]) -> bool:
    """Name generated files whose source is gone; return whether there are any."""
    for path in paths:
        typer.echo(f"{path}: what it was made from is gone; delete it", err=True)
    return bool(paths)


def _report_leftover_scanners(
    folder: Path, specs: Iterable[Spec], made: Sequence[Output], *, scanners: bool
) -> bool:
    """Name scanners that this run does not make again; return whether there are any."""
    paths = left_scanners(folder, specs, [each.path for each in made])
    for path in paths:
        advice = "delete it" if scanners else "make it again with --scanners, or delete it"
        typer.echo(f"{path}: an earlier run made it, and it may misread files; {advice}", err=True)
    return bool(paths)


def check_free(outputs: Sequence[Output], *, force: bool) -> None:
    """Refuse to replace files that the generator did not write, without *force*."""
    others = [] if force else [each.path for each in outputs if each.replaces_other]
    if others:
        more = f" (and {len(others) - 1} more such)" if len(others) > 1 else ""
        found = "the file exists, and `byteloom generate` did not write it"
        raise StorageError(f"{others[0]}: {found}; --force replaces it{more}")


def deliver(outputs: Sequence[Output], *, stale: str | None, json: bool) -> None:
    """Write files that are out of date; with *stale*, an advice, print their diffs and fail."""
    twice = [path for path, count in Counter(each.path for each in outputs).items() if count > 1]
    if twice:
        raise ByteloomError(f"{twice[0]}: two specs would become this file")
    if stale is None:
        for path in write(outputs):
            typer.echo(json_text({"file": str(path), "status": "written"}) if json else path)
        return
    old = [each for each in outputs if not each.is_current]
    for each in old:
        if json:
            typer.echo(json_text({"file": str(each.path), "status": "stale", "diff": each.diff()}))
        else:
            typer.echo(each.diff(), nl=False)
    if old:
        files = "file is" if len(old) == 1 else "files are"
        raise ByteloomError(f"{len(old)} generated {files} stale: {stale}")


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
        cls: type[Record] = getattr(import_module(f"{package}.{module}"), record)
        reader = TracingReader(raw)
        try:
            reader.trail.complete(cls.read(reader, **params), reader.root)
        except ByteloomError as error:
            raise ByteloomError(f"{name}: {error}") from error
        return [Part(part.start, part.end, tuple(part.labels)) for part in segments(reader.root)]

    return annotate
