"""``byteloom generate``: specs in, Python and reference pages out.

Mistakes in specs go to stderr, a line each; nothing is made from a spec with a mistake.  Output is
made from the others, and the exit status is 1.  A file at the place of an output that the generator
did not write ends a run before it writes anything, unless there is --force.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.file_changes import again_on_changes, below
from byteloom.cli.inputs.files import named
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.outputs import Force  # noqa: TC001  typer asks for it
from byteloom.cli.printing.advice import again, without_generator
from byteloom.cli.printing.json_text import json_text
from byteloom.errors import ByteloomError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom_codegen.batch import Batch
    from byteloom_codegen.commands import Output
    from byteloom_codegen.model import Spec

__all__ = ["app"]

app = Application()


class Api(StrEnum):
    """The interface of generated classes."""

    RECORDS = "records"
    KAITAISTRUCT = "kaitaistruct"


@app.command()
@as_json
def generate(  # noqa: PLR0913, PLR0917  (one for each option)
    context: typer.Context,
    specs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SPEC...]",
            help="Specs (.ksy, .proto) or folders of .ksy; without any, all of this repository.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the generated modules."),
    ] = None,
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "--include",
            "-I",
            metavar="DIR",
            help="Look up absolute imports here, before the folders of KSPATH; repeatable.",
        ),
    ] = None,
    api: Annotated[
        Api,
        typer.Option(
            metavar="API",
            help="records: typed classes that read and write. kaitaistruct: the classes of the "
            "official compiler, for programs written for it; they need its Python runtime.",
        ),
    ] = Api.RECORDS,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", metavar="DIR", help="Folder for reference pages."),
    ] = None,
    sample: Annotated[
        Path | None,
        typer.Option(
            "--sample",
            metavar="FILE",
            help="With --reference: a file of the first SPEC's format; the page shows its bytes.",
        ),
    ] = None,
    *,
    json: bool,
    package: Annotated[
        bool | None,
        typer.Option(
            "--package/--flat",
            help="Modules import each other as parts of a package, or by bare names. "
            "[default: a package where DIR has an __init__.py]",
            show_default=False,
        ),
    ] = None,
    opaque_types: Annotated[
        bool,
        typer.Option("--opaque-types", help="Allow unknown types: handwritten classes."),
    ] = False,
    read_write: Annotated[
        bool,
        typer.Option(
            "--read-write",
            help="With --api kaitaistruct: the interface of its read-write mode.",
        ),
    ] = False,
    scanners: Annotated[
        bool,
        typer.Option("--scanners", help="Add scanners: repeated records as Arrow columns."),
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; print a diff if code is stale, exit 1."),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Keep running, and generate again when a spec changes."),
    ] = False,
    force: Force = False,
) -> None:
    """Turn specs into typed readers and writers, and pages; current files are left alone."""
    if specs and output is None and reference is None:
        raise typer.BadParameter("SPEC needs it: name a folder with -o DIR", param_hint="-o")
    if not specs and (output is not None or reference is not None):
        raise typer.BadParameter("name a SPEC to go there", param_hint="-o, --reference")
    has_messages = any(each.suffix == ".proto" for each in specs or ())
    if api is Api.KAITAISTRUCT and (scanners or has_messages or output is None):
        wanted = "needs SPEC (.ksy) and -o, and has no scanners"
        raise typer.BadParameter(wanted, param_hint="--api kaitaistruct")
    if read_write and api is not Api.KAITAISTRUCT:
        raise typer.BadParameter("records write anyway", param_hint="--read-write")
    if sample is not None and reference is None:
        raise typer.BadParameter("needs a folder for the page", param_hint="--sample")
    if watch and (check or not specs):
        raise typer.BadParameter("needs SPEC, and writes", param_hint="--watch")
    for each in specs or []:
        named(str(each))
    _need_codegen()
    read = set[Path]()

    def run() -> None:
        _generate(
            context,
            specs or [],
            output,
            include or [],
            api,
            reference,
            sample,
            read,
            json=json,
            package=package,
            opaque_types=opaque_types,
            read_write=read_write,
            scanners=scanners,
            check=check,
            force=force,
        )

    if watch:
        again_on_changes(run, lambda: below([*(specs or []), *(include or [])], "*.ksy") | read)
    else:
        run()


def _generate(  # noqa: PLR0913, PLR0917  (one for each option)
    context: typer.Context,
    specs: Sequence[Path],
    output: Path | None,
    include: Sequence[Path],
    api: Api,
    reference: Path | None,
    sample: Path | None,
    read: set[Path],
    *,
    json: bool,
    package: bool | None,
    opaque_types: bool,
    read_write: bool,
    scanners: bool,
    check: bool,
    force: bool,
) -> None:
    """Generate once; add the files that were read for it to *read*."""
    bad = False
    with _reported():
        if not specs:
            made = _of_repository()
            bad = _report_leftovers(_left_in_repository(made)) and check
        else:
            layouts = [each for each in specs if each.suffix != ".proto"]
            batch = _loaded(layouts, include, opaque_types=opaque_types)
            read |= {Path(each.file) for each in batch.specs}
            read |= {each.with_name("vectors.yaml") for each in read} if reference else set()
            is_package = output is not None and (output / "__init__.py").exists()
            flat = not (is_package if package is None else package)
            bad, made = bool(batch.errors), _messages(specs, output, reference, flat=flat)
            if output is not None:
                if api is Api.KAITAISTRUCT:
                    made += _drop_ins(batch.specs, output, read_write=read_write)
                else:
                    made += _modules(batch.specs, output, flat=flat, scanners=scanners)
                left = _report_leftover_scanners(output, batch.specs, made, scanners=scanners)
                bad |= left and check and scanners
            if reference is not None:
                made += _pages(batch.specs, reference, sample)
            _report_leftovers(_left(specs, batch, {output, reference}))
        _check_free(made, force=force)
        _deliver(made, stale=f"run `{again(context)}`" if check else None, json=json)
    if bad:
        raise typer.Exit(1)


def _need_codegen() -> None:
    try:
        import byteloom_codegen.commands  # noqa: F401  (only to see whether it is there)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("byteloom"):
            raise
        raise without_generator(error.name) from error


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


def _of_repository() -> list[Output]:
    from byteloom.cli.formats.example_bytes import tracing
    from byteloom_codegen.commands import outputs_of_repository

    with tracing() as tracer:
        return outputs_of_repository(Path.cwd(), tracer)


def _loaded(specs: Sequence[Path], include: Sequence[Path], *, opaque_types: bool) -> Batch:
    """Return all *specs*, after printing what is wrong with any."""
    from byteloom_codegen.batch import load_batch

    batch = load_batch(specs, include, opaque_types=opaque_types)
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


def _left_in_repository(made: Sequence[Output]) -> list[Path]:
    from byteloom_codegen.commands import leftovers_of_repository

    return leftovers_of_repository(Path.cwd(), made)


def _left(paths: Sequence[Path], batch: Batch, folders: Iterable[Path | None]) -> list[Path]:
    from byteloom_codegen.leftovers import left_in

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
    from byteloom_codegen.leftovers import left_scanners

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
