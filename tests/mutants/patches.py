"""Put a fault into functions that are already imported, by replacing their code objects.

A process that has collected tests then has nothing to import again. Code that runs when a module is
imported (constants, default values, bodies of classes) cannot be patched in this way.
"""

from __future__ import annotations

import gc
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Functions", "functions_below", "patch", "place"]

Functions: TypeAlias = "Mapping[tuple[str, str, int], list[FunctionType]]"
"""The living functions of each place: file, qualified name and line."""


def functions_below(root: str) -> Functions:
    """Return all functions of this process whose source is in a folder."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(root):
            found.setdefault(place(each.__code__), []).append(each)
    return found


def patch(functions: Functions, path: str, old: str, new: str) -> bool:
    """Replace the functions of a file, whose source is *old*, by those of *new*.

    Returns whether the sources differ in functions alone; if not, the patched process is of no use.
    """
    before, after = (_compiled(source, path) for source in (old, new))
    return _patch_all(functions, _differing(before, after))


def _patch_all(functions: Functions, pairs: Iterable[tuple[CodeType, CodeType]]) -> bool:
    return all(_patch_one(functions, *pair) for pair in pairs)


def _patch_one(functions: Functions, before: CodeType, after: CodeType) -> bool:
    """Replace the code of functions; for a class or a module, that of functions in it."""
    living = functions.get(place(before), [])
    if not living:
        inner = _inner(before), _inner(after)
        same = _own(before) == _own(after) and len(inner[0]) == len(inner[1]) > 0
        pairs = [pair for each in zip(*inner, strict=False) for pair in _differing(*each)]
        return same and _patch_all(functions, pairs)
    if before.co_freevars != after.co_freevars:
        return False
    for function in living:
        function.__code__ = after
    return True


def _differing(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    if _whole(before) != _whole(after):
        yield before, after


def _compiled(source: str, path: str) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)


def place(code: CodeType) -> tuple[str, str, int]:
    """Return the file, the qualified name and the first line of a function."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _inner(code: CodeType) -> list[CodeType]:
    """Return the code objects of the functions and classes that are defined in *code*."""
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _own(code: CodeType) -> tuple[Any, ...]:
    """Return what identifies the work of *code*, without its definitions and line numbers."""
    constants = [_constant(each) for each in code.co_consts if not isinstance(each, CodeType)]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags
    return (code.co_code, *names, *constants, code.co_argcount, code.co_exceptiontable)


def _whole(code: CodeType) -> tuple[Any, ...]:
    return (_own(code), *map(_whole, _inner(code)))


def _constant(value: object) -> tuple[str, str]:
    """Return what distinguishes constants: 1 from True and from 1.0, 0.0 from -0.0."""
    return type(value).__name__, repr(value)
