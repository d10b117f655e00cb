"""``byteloom describe``: show the content of a file, byte by byte, by any spec.

The spec is compiled on the spot, and the generated parser itself reads the file.  A spec is code:
the custom processors that it names are imported and run.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from os import environ, pathsep
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.files import Input, named, opened
from byteloom.cli.options.common import Depth, Full, Hex, Html, Page  # noqa: TC001  typer asks for them
from byteloom.cli.options.documents import Document, document
from byteloom.cli.options.outputs import Force  # noqa: TC001
from byteloom.cli.printing.advice import without_generator
from byteloom.errors import ByteloomError, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.cli.explorer.excerpts import Excerpts
    from byteloom.cli.printing.report import Report
    from byteloom.storage import Source
    from byteloom.wire import Node, Record, TracingReader
    from byteloom.wire.folding import Folding
    from byteloom_codegen.model import Spec, TypeSpec

__all__ = [
    "Classes",
    "Format",
    "Include",
    "Param",
    "app",
    "compiled",
    "describe",
    "imported",
    "loaded",
    "packaged",
    "params_of",
    "report",
]

app = Application()

_OBJECTS: Final = 1_000_000
"""The most records of a tree that is folded anyway: some seconds of reading."""


@dataclass(frozen=True, slots=True)
class Format:
    """A compiled spec: its model, its top class, the description of every class.

    specs    the spec itself, and those that it imports
    """

    spec: Spec
    top: type[Record]
    types: dict[type, TypeSpec]
    specs: Sequence[Spec]

    def excerpts(self) -> Excerpts:
        """Return the lines of the specs that describe each field."""
        from byteloom.cli.explorer.excerpts import Excerpts
        from byteloom_codegen.python.names import module_name
        from byteloom_codegen.spec_lines import spec_lines

        named = ((each, Path(each.file).name) for each in self.specs)
        return Excerpts({module_name(each.name): spec_lines(each, name) for each, name in named})


Include: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--include", "-I", metavar="DIR", help="Look up absolute imports here."),
]
Classes: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--classes",
        metavar="DIR",
        help="Import custom processors and opaque types from here; repeatable.",
    ),
]
Param: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the spec; repeatable."),
]


@app.command()
@document
def describe(  # noqa: PLR0913  (one for each option)
    file: Input,
    spec: Annotated[
        Path,
        typer.Option(
            "--spec", "-s", metavar="SPEC", help="The spec of FILE's format: a .ksy file."
        ),
    ],
    include: Include = None,
    classes: Classes = None,
    param: Param = None,
    *,
    form: Document,
    hex_: Hex = False,
    html: Html = False,
    output: Page = None,
    force: Force = False,
    depth: Depth = 100,
    full: Full = False,
) -> None:
    """Show the fields of FILE as the Kaitai Struct spec SPEC describes them, with all instances.

    Of a damaged file the fields before the damage are shown, then the error; exit status 1.
    """
    from byteloom.cli.views import check_page, check_view, documented, show
    from byteloom.wire.folding import Folding

    check_view(form, as_hex=hex_, as_html=html)
    check_page(output, file, as_html=html, force=force)
    with ExitStack() as stack:
        format_ = stack.enter_context(compiled(spec, include or [], classes or []))
        params = params_of(format_.spec, param or [])
        with documented(file, form):
            source = stack.enter_context(opened(file))
            found = report(format_, source, params, folding=Folding.by(full=full))
        lines = format_.excerpts() if html else None
        show(found, form=form, as_hex=hex_, depth=depth, full=full, as_html=lines, output=output)


@contextmanager
def compiled(path: Path, include: Sequence[Path], classes: Sequence[Path] = ()) -> Iterator[Format]:
    """Compile the spec at *path* for use in the block; its mistakes are printed.

    classes  folders with the classes that it names and does not describe
    """
    specs = loaded(path, include, is_open=bool(classes))
    from byteloom_codegen.python.emit import emit
    from byteloom_codegen.python.names import ClassNames, module_name

    texts = {module_name(each.name): emit(each, Path(each.file).name) for each in specs}
    with packaged(texts, classes) as name:
        types: dict[type, TypeSpec] = {}
        for each in specs:
            module, names = imported(f"{name}.{module_name(each.name)}", path), ClassNames(each)
            types |= {getattr(module, names.of(one)): one for one in each.top.walk()}
        (top,) = (cls for cls, one in types.items() if one is specs[0].top)
        yield Format(specs[0], top, types, specs)


def loaded(path: Path, include: Sequence[Path], *, is_open: bool) -> Sequence[Spec]:
    """Return the spec at *path*, and those that it imports; its mistakes are printed.

    is_open  whether types may be classes that are written elsewhere
    """
    named(str(path))
    try:
        from byteloom_codegen.batch import load_batch, undecodable
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("byteloom"):
            raise
        raise without_generator(error.name) from error
    batch = load_batch([path], include, opaque_types=is_open)
    mistakes = [*batch.errors, *undecodable(batch.warnings)]
    if mistakes:
        for mistake in mistakes:
            typer.echo(str(mistake), err=True)
        raise typer.Exit(1)
    return batch.specs


@contextmanager
def packaged(texts: Mapping[str, str], classes: Sequence[Path]) -> Iterator[str]:
    """Make modules of *texts* a package that imports from *classes* too; yield its name."""
    from byteloom.cli.inputs.generated_modules import importing

    with importing() as package, _on_path(classes):
        name = package(texts)
        sys.modules[name].__path__ += [
            *map(str, classes),
            *filter(None, environ.get("PYTHONPATH", "").split(pathsep)),
        ]
        yield name


@contextmanager
def _on_path(folders: Sequence[Path]) -> Iterator[None]:
    """Let modules in *folders* be imported until the block ends."""
    before = sys.path[:]
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = before


def imported(module: str, spec: Path) -> Any:
    """Import the *module* that was generated from *spec*."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "").rpartition(".")[2]
        wanted = "wanted the module of a class that the spec names, see --classes and PYTHONPATH"
        raise ByteloomError(f"{spec}: found no module {missing}, {wanted}") from error


def params_of(spec: Spec, given: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of *spec* from ``NAME=VALUE`` texts; a usage error for a wrong one."""
    from byteloom.cli.options.parameters import parameters

    try:
        return parameters(spec.top, given)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--param") from error


def report(format_: Format, source: Source, params: dict[str, Any], *, folding: Folding) -> Report:
    """Return the report of *source*; *folding* says which nodes of its trees are folded."""
    from byteloom.cli.formats.instances import Asking
    from byteloom.cli.printing.report import Decoded, Report

    reader = _reader(source.read(0, source.size), folding)
    asking = Asking(reader, format_.types)
    error = _damage(reader, format_.top, params)
    reader.trail.traced.settle()
    asking.ask_all()
    return Report(
        source=source,
        format=format_.spec.name,
        title=format_.spec.title or format_.spec.name,
        root=reader.root,
        facts=_left(reader.root, source.size) if error is None else {},
        decoded=[
            Decoded(name=each.path, root=each.root, load=lambda data=each.data: data)  # type: ignore[misc]
            for each in reader.trail.traced.made
            if each.root.children
        ],
        error=error or next(iter(asking.errors), None),
    )


def _left(root: Node, size: int) -> dict[str, int]:
    """Return how many bytes follow the last field, if there are any."""
    end, nodes = 0, list(root.children)
    while nodes:
        node = nodes.pop()
        if node.placed:
            end = max(end, node.end)
        nodes += node.children
    return {"bytes_after_last_field": size - end} if end < size else {}


def _reader(data: bytes, folding: Folding) -> TracingReader:
    from byteloom.limits import DEFAULT_LIMITS
    from byteloom.wire import TracingReader

    limits = DEFAULT_LIMITS if folding.full else replace(DEFAULT_LIMITS, objects=_OBJECTS)
    return TracingReader(data, limits=limits, folding=folding)


def _damage(
    reader: TracingReader, top: type[Record], params: dict[str, Any]
) -> ByteloomError | None:
    """Read the file; return its error, or None."""
    try:
        reader.whole(top.NAME, top.read, **params)
    except RecursionError:
        return LimitExceeded(top.NAME, None, "records inside records", "fewer levels")
    except ByteloomError as error:
        return error
    return None
