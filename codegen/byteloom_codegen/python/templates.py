"""The templates that print Python, their filters, and their macros as functions.

Compiled templates are kept as Python keeps compiled modules: in ``__pycache__`` beside them, since
to compile those that print records takes a fifth of the time that one spec takes.  What is kept
names the template's text, and the release of Python and of Jinja that compiled it; whatever differs
is compiled again.  A folder that cannot be written to is no error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from itertools import groupby
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Final

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, compiler

from byteloom_codegen.python.docs import docstring
from byteloom_codegen.python.line_wrapping import WIDTH, wrapped
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.statements import Statement, indented

if TYPE_CHECKING:
    from types import ModuleType

    from jinja2.bccache import Bucket

__all__ = [
    "LOOP",
    "PROPERTY",
    "PUT",
    "READ",
    "WALK",
    "WRITE",
    "KeptTemplates",
    "Macros",
    "templates",
]


_COMPILER: Final = Path(compiler.__file__)


class KeptTemplates(BytecodeCache):
    """The compiled templates of one folder, for one set of options of their environment."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that has the templates."""
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill *bucket* with a template that was kept; leave it as it is where there is none."""
        with suppress(OSError):
            kept = self._file(bucket).read_bytes()
            release = _release()
            if kept.startswith(release):
                with suppress(EOFError, ValueError, TypeError, UnpicklingError):
                    bucket.bytecode_from_string(kept[len(release) :])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the template in *bucket*."""
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        new = file.with_name(f".{file.name}.{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(_release() + bucket.bytecode_to_string())
            new.replace(file)

    def _file(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self._folder / f"{bucket.key}.jinja")))


def _release() -> bytes:
    """Return what differs between installed releases of Jinja."""
    found = _COMPILER.stat()
    return f"{found.st_size} {found.st_mtime_ns}\n".encode()


_TEMPLATES: Final = Path(__file__).parent.parent / "templates"


@cache
def templates(folder: str = "") -> Environment:
    """Return the templates of *folder*, "" for those of records and scanners, with their filters.

    lines      statements as wrapped lines, some levels deep
    here       statements as lines that are wrapped later
    inside     the same, a level deeper, or several
    docstring  the lines of a docstring, some levels deep
    wrapped    lines of statements, each wrapped at its own depth, or some levels deeper
    quoted     text as a literal
    choices    the cases of a switch as tests, with what is done where each is true

    The test `one_if` is true for statements that consist of a single ``if``.
    """
    place = _TEMPLATES / folder
    found = Environment(
        loader=FileSystemLoader(place),
        bytecode_cache=KeptTemplates(place),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (the output is Python, not HTML)
    )
    found.filters["lines"] = _lines
    found.filters["here"] = lambda statements: _unwrapped(statements, 0)
    found.filters["inside"] = lambda statements, levels=1: _unwrapped(statements, levels)
    found.filters["docstring"] = docstring
    found.filters["wrapped"] = _wrapped
    found.filters["quoted"] = str_literal
    found.filters["choices"] = _choices
    found.tests["one_if"] = _is_one_if
    return found


def _lines(statements: list[Statement], depth: int) -> str:
    """Return statements as text, *depth* levels deep."""
    return "\n".join(
        line for level, text in indented(statements, depth) for line in wrapped(text, level)
    )


def _unwrapped(statements: list[Statement], depth: int) -> str:
    """Return statements as a macro prints them, *depth* levels deeper than they are."""
    return "\n".join("    " * level + text for level, text in indented(statements, depth))


def _choices(
    cases: list[tuple[str, list[Statement]]], kind: str
) -> list[tuple[str, list[Statement]]]:
    """Return *cases*, values of *kind*, as tests: one for adjacent cases with equal statements."""
    tests = list[tuple[str, list[Statement]]]()
    for _, alike in groupby(cases, key=lambda case: case[1]):
        values, (done, *_) = zip(*alike, strict=True)
        one_of = f"in ({', '.join(values)})" if len(values) > 1 else f"== {values[0]}"
        tests.append((f"{kind} {one_of}", done))
    return tests


def _is_one_if(statements: list[Statement]) -> bool:
    """Whether *statements* are one ``if`` without other branches."""
    (_, first), *others = indented(statements) or [(0, "")]
    return first.startswith("if ") and all(level > 0 for level, _ in others)


def _wrapped(text: str, depth: int = 0) -> str:
    """Return the lines of *text*, *depth* levels deeper, as lines that are not too long."""
    lines = list[str]()
    for line in text.split("\n"):
        statement = line.lstrip(" ")
        if len(line) + 4 * depth <= WIDTH:
            lines.append("    " * depth + line if line else line)
        else:
            lines += wrapped(statement, depth + (len(line) - len(statement)) // 4)
    return "\n".join(lines)


class Macros:
    """The macros of a template: the shapes of statements and of the values in them."""

    def __init__(self, template: str) -> None:
        """Name the template, which is loaded when one of its macros is first asked for."""
        self._template = template

    def value(self, macro: str, **arguments: object) -> str:
        """Return the expression that *macro* prints."""
        return str(getattr(_macros(self._template), macro)(**arguments)).strip()

    def lines(self, macro: str, **arguments: object) -> list[Statement]:
        """Return the statements that *macro* prints."""
        text = str(getattr(_macros(self._template), macro)(**arguments))
        return [line for line in text.split("\n") if line]


@cache
def _macros(template: str) -> ModuleType:
    return templates().get_template(template).module  # type: ignore[return-value]


READ: Final = Macros("read.py.jinja")
"""The statements in ``read``."""

WRITE: Final = Macros("write.py.jinja")
"""The statements in ``write``, their counterparts."""

PROPERTY: Final = Macros("properties.py.jinja")
"""The statements in the properties of a record."""

LOOP: Final = Macros("loop_steps.py.jinja")
"""What a scanner's loop does with a record."""

WALK: Final = Macros("walk_steps.py.jinja")
"""What a walk, but no other loop, does with a record."""

PUT: Final = Macros("put_steps.py.jinja")
"""What a put does with a record, the counterpart."""
