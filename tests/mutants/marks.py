"""Functions that note which of their statements run, by a store into an array of bytes.

Statements that always run one after the other share a mark. Kernels have none of their own, since
machine code runs in their place: a call of one marks its file, and the files of those it may call.
"""

from __future__ import annotations

import ast
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from tests.mutants.kernels import Kernels
from tests.mutants.patches import functions_below, place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["MarkedFile", "Marks", "marked"]

_ARRAY: Final = "__marks__"
"""The array's name in the globals of each function that has marks."""

_BODIES: Final = ("body", "orelse", "finalbody")


class MarkedFile(NamedTuple):
    """A source, and the numbers of the marks in it."""

    source: str
    called: int
    """The mark of calls of its kernels; -1 if it has none."""
    lines: dict[int, int]
    """The mark of each line of a function, except of kernels."""


def marked(source: str, path: str, first: int, left_out: Iterable[int] = ()) -> Any:
    """Return the code of a module with marks, and the mark of each line that has one.

    first     number of its marks
    left_out  first lines of functions that get none
    """
    marker = _Marker(first, set(left_out))
    tree = ast.parse(source)
    marker.enter(tree, in_function=False)
    code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    return code, marker.lines


class _Marker:
    def __init__(self, first: int, left_out: set[int]) -> None:
        self._next, self._left_out = first, left_out
        self.lines: dict[int, int] = {}

    def enter(self, node: ast.AST, *, in_function: bool) -> None:
        """Put marks into the blocks of a node."""
        for name in _BODIES:
            if isinstance(body := getattr(node, name, None), list):
                setattr(node, name, list(self._block(body, in_function)))
        for each in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            each.body = list(self._block(each.body, in_function))

    def _block(self, body: list[ast.stmt], in_function: bool) -> Iterator[ast.stmt]:
        is_new = in_function
        for each in body:
            if is_new:
                yield self._mark(each)
            if in_function:
                lines = range(each.lineno, (each.end_lineno or 0) + 1)
                self.lines |= dict.fromkeys(lines, self._next - 1)
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if _first_line(each) not in self._left_out:
                    self.enter(each, in_function=True)
            else:
                is_class = isinstance(each, ast.ClassDef)
                self.enter(each, in_function=in_function and not is_class)
            is_new = in_function and hasattr(each, "body")
            yield each

    def _mark(self, before: ast.stmt) -> ast.stmt:
        """Return the statement that notes that the next one runs."""
        array = ast.Name(_ARRAY, ast.Load())
        place = ast.Subscript(array, ast.Constant(self._next), ast.Store())
        self._next += 1
        return ast.copy_location(ast.Assign([place], ast.Constant(1)), before)


def _first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([each.lineno for each in function.decorator_list], default=function.lineno)


class Marks:
    """The marks of this process: all functions that it has of some tree get theirs."""

    def __init__(self, tree: str) -> None:
        """Put marks into the functions of files below *tree*."""
        functions = functions_below(tree)
        kernels = Kernels()
        every = [each for of_file in kernels.of.values() for each in of_file]
        of_kernels = {place(each.function.__code__) for each in every}
        paths = {*kernels.of, *(path for path, *_ in functions)}
        roots = tuple(f"{tree}/{each}/" for each in ("runtime", "codegen", "generated"))
        self.files: dict[str, MarkedFile] = {}
        codes: list[tuple[str, CodeType]] = []
        size = 0
        # The functions of templates have no source in Python.
        modules = (each for each in paths if each.startswith(roots) and each.endswith(".py"))
        for path in sorted(modules):
            source = Path(path).read_text()
            left_out = [line for file, _, line in of_kernels if file == path]
            code, lines = marked(source, path, size + 1, left_out)
            self.files[path] = MarkedFile(source, size if path in kernels.of else -1, lines)
            size = max(lines.values(), default=size) + 1
            codes += [(path, each) for each in _all(code)]
        self.array = bytearray(size)
        for path, code in codes:
            for each in functions.get(place(code), []):
                if place(code) not in of_kernels and path in self.files:
                    self._replace(each, code)
        self._note_calls(kernels, {type(each) for each in every})

    def taken(self) -> np.ndarray:
        """Return which marks were noted since the last call, a bit each."""
        found = np.packbits(np.frombuffer(self.array, np.uint8))
        self.array[:] = bytes(len(self.array))
        return found

    def _replace(self, function: FunctionType, code: CodeType) -> None:
        if function.__code__.co_freevars == code.co_freevars:
            function.__globals__[_ARRAY] = self.array
            function.__code__ = code

    def _note_calls(self, kernels: Kernels, kinds: set[type[Any]]) -> None:
        """Let calls of kernels, and whoever asks for one's code, set the marks of their files."""
        of: dict[str, list[int]] = {}
        for path in self.files.keys() & kernels.of:
            for caller in kernels.depending(path):
                of.setdefault(caller, []).append(self.files[path].called)
        array = self.array

        def note(each: Any) -> Any:
            for mark in of.get(each.function.__code__.co_filename, ()):
                array[mark] = 1
            return each

        for kind in kinds:
            _let_note(kind, note)


def _let_note(kind: Any, note: Callable[[Any], Any]) -> None:
    """Let calls of kernels, and requests for the code of one, pass the kernel to *note*."""
    call, code = kind.__call__, kind.interpreted.fget
    kind.__call__ = lambda self, *args: call(note(self), *args)
    kind.interpreted = property(lambda self: code(note(self)))


def _all(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _all(each)
