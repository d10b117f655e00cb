"""The `read` methods that reading one record can call, as syntax trees.

- Only what the generator wrote is looked at: a hand-written `read` may do anything.
- A method whose source is not what was loaded, because its file has changed or there is none, is
  left out, as is one that asks for parts at places of their own: those are read by other rules.
"""

from __future__ import annotations

import ast
import linecache
from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile
from textwrap import dedent
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Methods", "asked_for", "definition", "methods_of", "names_of", "run", "value_of"]

_HEAD: Final = "# Written by byteloom-codegen"
_BITS: Final = frozenset({"bits_be", "bits_le"})


@dataclass(slots=True)
class Methods:
    """The methods found, by their classes.

    calls         for each class, the classes whose `read` it calls
    apart         generated classes that are read by calling their `read`
    has_bits      whether a byte may be left partly read
    keeps_stream  whether a record may ask its stream for the position
    """

    nodes: dict[type, ast.FunctionDef] = field(default_factory=dict)
    calls: dict[type, set[type]] = field(default_factory=dict)
    apart: set[type] = field(default_factory=set)
    has_bits: bool = False
    keeps_stream: bool = False

    def recursive(self) -> set[type]:
        """Return the classes whose records can be inside themselves."""
        return {each for each in self.calls if each in self._reached_from(each)}

    def _reached_from(self, start: type) -> set[type]:
        found: set[type] = set()
        waiting = [*self.calls[start]]
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += self.calls.get(each, ())
        return found


def methods_of(top: type) -> Methods:
    """Return `top.read`, if it can be printed, and the methods that it calls, directly or not."""
    found = Methods()
    waiting = deque([top])
    while waiting:
        cls = waiting.popleft()
        if cls in found.calls:
            continue
        node, names = _method(cls)
        found.calls[cls] = set()
        if node is None:
            found.apart.add(cls)
            found.has_bits = True  # for all that is known of it
            continue
        found.nodes[cls] = node
        found.has_bits |= not _BITS.isdisjoint(names)
        found.keeps_stream |= hasattr(cls, "_io")
        found.calls[cls] = {*_called(cls, node)}
        waiting += found.calls[cls]
    asked = asked_for([_function(each).__globals__ for each in found.nodes])
    for cls in [*found.nodes]:
        if not asked.isdisjoint(names_of(_function(cls).__code__)):
            del found.nodes[cls]
            found.apart.add(cls)
    return found


def _function(cls: type) -> FunctionType:
    function: FunctionType = vars(cls)["read"].__func__
    return function


def _method(cls: type) -> tuple[ast.FunctionDef | None, frozenset[str]]:
    """Return the `read` of *cls* and the names used in it; None if its source is missing."""
    if not isinstance(vars(cls).get("read"), classmethod):
        return None, frozenset()
    return definition(_function(cls), decorators=1)


def value_of(cls: type, name: str) -> ast.expr | None:
    """Return the one expression of the property *name* of *cls*; None for any other property."""
    found = vars(cls).get(name)
    get = found.fget if isinstance(found, property) else None
    if not isinstance(get, FunctionType) or hasattr(get, "__wrapped__"):
        return None
    node, _ = definition(get, decorators=1)
    last = node.body[-1] if node is not None and len(node.body) == 2 else None  # noqa: PLR2004
    return last.value if isinstance(last, ast.Return) else None


def run(text: str, file: str, names: dict[str, Any]) -> None:
    """Run the text of printed methods with *names* as globals, as lines of *file* in tracebacks."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), names)  # noqa: S102  (printed from generated methods)


def definition(
    function: FunctionType, *, decorators: int = 0
) -> tuple[ast.FunctionDef | None, frozenset[str]]:
    """Return a method's tree and the names used in it; None if its source is missing.

    decorators  number of lines above the one that begins with `def`
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines or not lines[0].startswith(_HEAD):
        return None, frozenset()
    at = code.co_firstlineno - 1 + decorators
    body = takewhile(lambda line: not line.startswith(("    def ", "    @")), lines[at + 1 :])
    inside = takewhile(lambda line: line[:1] in " \n", body)
    tree = ast.parse(dedent("".join([lines[at], *inside])))
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef) or not _is_loaded(tree, code):
        return None, frozenset()
    return node, names_of(code)


def _is_loaded(tree: ast.Module, code: CodeType) -> bool:
    """Whether *tree* is the source from which *code* was compiled."""
    made = compile(tree, code.co_filename, "exec", dont_inherit=True).co_consts
    mine = next((each for each in made if isinstance(each, CodeType)), None)
    return mine is not None and (mine.co_code, mine.co_names) == (code.co_code, code.co_names)


def names_of(code: CodeType) -> frozenset[str]:
    """Return all names of attributes and globals that *code* uses."""
    inner = [names_of(each) for each in code.co_consts if isinstance(each, CodeType)]
    return frozenset(code.co_names).union(*inner)


def _called(cls: type, node: ast.FunctionDef) -> Iterator[type]:
    """Yield the classes whose `read` is named in *node*."""
    known = _function(cls).__globals__
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and each.attr == "read":
            found = known.get(each.value.id) if isinstance(each.value, ast.Name) else None
            if isinstance(found, type):
                yield found


def asked_for(modules: list[dict[str, Any]]) -> set[str]:
    """Return the names that records of these modules read, or may read, only when they are used."""
    properties: list[tuple[str, frozenset[str]]] = []
    found: set[str] = set()
    for module in {id(each): each for each in modules}.values():
        for cls in module.values():
            if isinstance(cls, type):
                found |= {*getattr(cls, "LAZY", ())}
                properties += _properties(cls)
    size = -1
    while size != len(found):
        size = len(found)
        found |= {name for name, names in properties if not found.isdisjoint(names)}
    return found


def _properties(cls: type) -> Iterator[tuple[str, frozenset[str]]]:
    for name, each in vars(cls).items():
        if isinstance(each, property):
            get: Any = getattr(each.fget, "__wrapped__", each.fget)
            yield name, names_of(get.__code__)
