"""A `write` method, printed with the work of a writer's methods in place of calls of them."""

from __future__ import annotations

import ast
import re
from contextlib import contextmanager
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, TypeVar

from byteloom.wire.inlining.calls import GIVE_UP
from byteloom.wire.inlining.put_values import PutValues
from byteloom.wire.inlining.puts import CALLS
from byteloom.wire.inlining.trees import literal
from byteloom.wire.inlining.writes import put_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.wire.inlining.writes import Writes

__all__ = ["PutStatements"]

_T = TypeVar("_T")

_NAME: Final = re.compile(r"[A-Za-z_]\w*")


@cache
def _packing(form: str) -> Callable[..., bytes]:
    return Struct(form).pack


class PutStatements(PutValues):
    """Prints one method."""

    def __init__(
        self,
        cls: Any,
        writes: Writes,
        writers: dict[type, str],
        names: dict[str, Any],
        ways: dict[str, tuple[type, ...]],
    ) -> None:
        """Print the `write` of *cls*."""
        super().__init__(cls, writes, writers, names, ways)
        self._printed: list[str] = []
        self._depth = 1
        self._put_all(writes.nodes[cls].body)
        head = [f"def {writers[cls]}(self, w):", " _s = w._sink"]
        self.text = "\n".join([*head, *self._printed, ""])

    # Lines

    def put(self, line: str) -> None:
        """Print a line."""
        self._printed.append(f"{' ' * self._depth}{line}")

    def kept(self, value: str) -> str:
        """Print an assignment of *value* to a name, if it has none; return the name."""
        if _NAME.fullmatch(value):
            return value
        name = self.name()
        self.put(f"{name} = {value}")
        return name

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Print *head*, the first line of a block, and what follows indented below it."""
        self.put(head)
        known = dict(self._texts)
        self._depth += 1
        yield
        self._depth -= 1
        self._texts = known

    # Statements

    def _put_all(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            self._put(node)

    def _put(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self._put_if(node)
        elif isinstance(node, ast.For):
            self._put_for(node)
        elif isinstance(node, ast.Raise):
            self.put(GIVE_UP)
        elif isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Call):
                self._put_call(node.value)
        else:
            self._put_simple(node)

    def _put_simple(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            node.value = self.visit(node.value)
            if not all(isinstance(each, ast.Attribute) and each.attr[0] == "_" for each in targets):
                self._texts.clear()
        self.put(ast.unparse(node))

    def _put_call(self, call: ast.Call) -> None:
        method = put_of(call)
        if method is None:
            self._pass_to(call)
        else:
            CALLS.get(method, PutStatements.called)(self, call)

    def called(self, call: ast.Call) -> None:
        """Print a call of the writer's method unchanged."""
        self.put(self.plain(ast.Call(call.func, call.args, call.keywords)))

    def _pass_to(self, call: ast.Call) -> None:
        """Print a check that the values passed to a record equal those it has."""
        child = self.kept(self.plain(call.args[0]))
        for each in call.keywords:
            value = self.kept(self.plain(each.value))
            with self.inside(f"if {child}.{each.arg} is not {value}:"):
                with self.inside(f"if {child}.{each.arg} != {value}:"):
                    self.put(GIVE_UP)
                self.put(f"{child}.{each.arg} = {value}")

    def _put_if(self, node: ast.If, word: str = "if") -> None:
        test = self.visit(node.test) if word == "if" else self._unsure(node.test)
        with self.inside(f"{word} {ast.unparse(test)}:"):
            self._put_body(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._put_if(node.orelse[0], "elif")
        elif node.orelse:
            with self.inside("else:"):
                self._put_body(node.orelse)

    def _put_body(self, nodes: Sequence[ast.stmt]) -> None:
        size = len(self._printed)
        self._put_all(nodes)
        if len(self._printed) == size:
            self.put("pass")

    def _put_for(self, node: ast.For) -> None:
        over = node.iter
        if isinstance(over, ast.Call) and ast.unparse(over.func) == "enumerate":
            over.args[0] = self._listed(over.args[0])
            numbers = ast.unparse(over)
        elif isinstance(over, ast.Call):
            numbers = self.plain(over)
        else:
            numbers = ast.unparse(self._listed(over))
        self._texts.clear()
        with self.inside(f"for {ast.unparse(node.target)} in {numbers}:"):
            self._put_body(node.body)
        self._texts.clear()

    def _listed(self, node: ast.expr) -> ast.expr:
        """Print a check that *node* is a list, which can be iterated twice; return its name."""
        values = self.kept(self.plain(node))
        with self.inside(f"if _type({values}) is not _list:"):
            self.put(GIVE_UP)
        return ast.Name(values)

    # What puts.py asks

    def packing(self, layout: Struct) -> str:
        """Return a global name for the function that packs *layout*."""
        order = {"<": "le", ">": "be"}.get(layout.format[0], "")
        return self.bound(f"_put_{layout.format[1:]}_{order}", _packing(layout.format))

    def constant(self, node: ast.expr, kind: type[_T]) -> _T | None:
        """Return the value of a global, if it is of this *kind*; otherwise None."""
        value = self._globals.get(node.id) if isinstance(node, ast.Name) else None
        return value if isinstance(value, kind) else None

    def kinds_of(self, call: ast.Call) -> tuple[type, ...]:
        """Return the types that the record put by *call* may have."""
        value = call.args[1]
        held = self.writes.kinds[self._cls][literal(call.args[0], str) or ""]
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "narrowed":
            wanted = value.args[1]
            kind = self._globals.get(wanted.id) if isinstance(wanted, ast.Name) else None
            return (kind,) if isinstance(kind, type) and kind in held else held
        return held

    def record(self, call: ast.Call) -> tuple[str, str]:
        """Print the record that *call* puts; return its name, and the function that writes it."""
        kinds, value = self.kinds_of(call), call.args[1]
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "narrowed":
            value = value.args[0]
        name = self.kept(self.plain(value))
        return name, self.checked(name, kinds)

    def checked(self, name: str, kinds: tuple[type, ...]) -> str:
        """Print a check that a record is of one of these types; return the function to write it."""
        if len(kinds) > 1:
            return f"{self.table(kinds, sizes=False)}[_type({name})]"
        kind = self.bound(f"_{kinds[0].__name__}", kinds[0])
        with self.inside(f"if _type({name}) is not {kind}:"):
            self.put(GIVE_UP)
        return self.writers[kinds[0]]
