"""``byteloom generate``: specs in, Python and reference pages out.

Mistakes in specs go to stderr, a line each; nothing is made from a spec with a mistake.  Output is
made from the others, and the exit status is 1.  A file at the place of an output that the generator
did not write ends a run before it writes anything, unless there is --force.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.file_changes import again_on_changes, below
from byteloom.cli.inputs.files import named
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.generation import Api, Generation, generation
from byteloom.cli.printing.advice import again, generator_imports
from byteloom.cli.printing.json_text import json_text
from byteloom.errors import ByteloomError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom_codegen.batch import Batch
    from byteloom_codegen.commands import Output
    from byteloom_codegen.model import Spec

__all__ = ["app"]

app = Application()


@app.command()
@as_json
@generation
def generate(
    context: typer.Context,
    specs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SPEC...]",
            help="Specs (.ksy, .proto) or folders of .ksy; without any, all of this repository.",
            show_default=False,
        ),
    ] = None,
    *,
    options: Generation,
    json: bool,
) -> None:
    """Turn specs into typed readers and writers, and pages; current files are left alone."""
    paths = specs or []
    options.refuse_contradictions(paths)
    for each in paths:
        named(str(each))
    _need_codegen()
    read = set[Path]()

    def run() -> None:
        with _reported():
            made, is_bad = _of_specs(paths, options, read) if paths else _of_repository(options)
            _check_free(made, force=options.force)
            _deliver(made, stale=f"run `{again(context)}`" if options.check else None, json=json)
        if is_bad:
            raise typer.Exit(1)

    if options.watch:
        again_on_changes(run, lambda: below([*paths, *(options.include or [])], "*.ksy") | read)
    else:
        run()


def _of_specs(
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


def _need_codegen() -> None:
    with generator_imports():
        import byteloom_codegen.commands  # noqa: F401  (only to see whether it is there)


@contextmanager
def _reported() -> Iterator[None]:
    """Turn the generator's errors into exit statuses and messages."""
    from byteloom_codegen.errors import GenerateError, SpecErrors

    try:
        yield
    except SpecErrors as error:
        for mistake in error.errors:
            typer.echo(str(mistake), err=True)
        raise typer.Exit(1) from error
    except GenerateError as error:
        raise ByteloomError(str(error)) from error


def _of_repository(options: Generation) -> tuple[list[Output], bool]:
    """Return what is made of this repository's specs, and whether a check finds files left over."""
    from byteloom.cli.formats.example_bytes import tracing
    from byteloom_codegen.commands import leftovers_of_repository, outputs_of_repository

    with tracing() as tracer:
        made = outputs_of_repository(Path.cwd(), tracer)
    is_left = _report_leftovers(leftovers_of_repository(Path.cwd(), made))
    return made, is_left and options.check


def _loaded(specs: Sequence[Path], options: Generation) -> Batch:
    """Return all *specs*, after printing what is wrong with any."""
    from byteloom_codegen.batch import load_batch

    batch = load_batch(specs, options.include or [], opaque_types=options.opaque_types)
    for each in (*batch.warnings, *batch.errors):
        typer.echo(str(each), err=True)
    return batch


def _messages(
    specs: Sequence[Path], output: Path | None, reference: Path | None, *, flat: bool
) -> list[Output]:
    from byteloom_codegen.commands import outputs_of_messages

    paths = [each for each in specs if each.suffix == ".proto"]
    return outputs_of_messages(paths, output, reference, flat=flat)


def _drop_ins(specs: Sequence[Spec], output: Path, *, read_write: bool) -> list[Output]:
    from byteloom_codegen import commands

    _warn_of_hidden(specs)
    return commands.drop_ins_of_specs(specs, output, read_write=read_write)


def _warn_of_hidden(specs: Sequence[Spec]) -> None:
    from byteloom_codegen.batch import hiding

    for warning in hiding(specs):
        typer.echo(str(warning), err=True)


def _modules(specs: Sequence[Spec], output: Path, *, flat: bool, scanners: bool) -> list[Output]:
    from byteloom_codegen import commands

    if flat:
        _warn_of_hidden(specs)
    made = commands.outputs_of_specs(specs, output, flat=flat)
    if not scanners:
        return made
    extra, reasons = commands.scanners_of_specs(specs, output, flat=flat)
    for reason in reasons:
        typer.echo(reason, err=True)
    paths = {each.path for each in extra}
    return [*(each for each in made if each.path not in paths), *extra]


def _pages(specs: Sequence[Spec], reference: Path, sample: Path | None) -> list[Output]:
    from byteloom.cli.formats.example_bytes import tracing
    from byteloom_codegen.commands import pages_of_specs

    with tracing() as tracer:
        return pages_of_specs(specs, reference, tracer, sample)


def _left(paths: Sequence[Path], batch: Batch, folders: Iterable[Path | None]) -> list[Path]:
    from byteloom_codegen.marks import left_in

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
    from byteloom_codegen.marks import left_scanners

    paths = left_scanners(folder, specs, [each.path for each in made])
    for path in paths:
        advice = "delete it" if scanners else "make it again with --scanners, or delete it"
        typer.echo(f"{path}: an earlier run made it, and it may misread files; {advice}", err=True)
    return bool(paths)


def _check_free(outputs: Sequence[Output], *, force: bool) -> None:
    """Refuse to replace files that the generator did not write, without *force*."""
    others = [] if force else [each.path for each in outputs if each.replaces_other]
    if others:
        more = f" (and {len(others) - 1} more such)" if len(others) > 1 else ""
        found = "the file exists, and `byteloom generate` did not write it"
        raise StorageError(f"{others[0]}: {found}; --force replaces it{more}")


def _deliver(outputs: Sequence[Output], *, stale: str | None, json: bool) -> None:
    """Write files that are out of date; with *stale*, an advice, print their diffs and fail."""
    from byteloom_codegen.commands import write

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
