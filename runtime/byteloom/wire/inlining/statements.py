"""A `read` method, printed with the work of a reader's methods in place of calls of them."""

from __future__ import annotations

import ast
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from byteloom.wire.inlining.calls import ADVANCES, CALLS, GIVE_UP
from byteloom.wire.inlining.lines import Lines
from byteloom.wire.inlining.properties import Properties
from byteloom.wire.inlining.trees import (
    PLACES,
    asks,
    attribute_of,
    literal,
    method_of,
    needs_place,
)
from byteloom.wire.labels import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.wire.inlining.sources import Methods

__all__ = ["Statements"]

_T = TypeVar("_T")


class Statements(Properties, ast.NodeTransformer):
    """Prints one method; the globals it needs are put into `names`.

    methods  all methods that are printed
    readers  by class, the names of the printed methods
    """

    def __init__(
        self, cls: type, methods: Methods, readers: dict[type, str], names: dict[str, Any]
    ) -> None:
        """Print the `read` of *cls*."""
        super().__init__(cls, vars(cls)["read"].__func__)
        self.methods, self._readers, self._names = methods, readers, names
        self.lines = Lines(is_open=methods.keeps_stream)
        self._keeps_apart = False
        self._globals = vars(cls)["read"].__func__.__globals__
        node = methods.nodes[cls]
        is_recursive = cls in methods.recursive()
        self._put_all(node.body[:-1])
        self.lines.shared()
        if self.lines.is_bold:
            with self.lines.inside(f"if {'_at' if self.lines.is_local else 'r._at'} > _end:"):
                self.lines.put(GIVE_UP)
        head = self._head(node, self.bound(f"_{cls.__name__}", cls), is_recursive=is_recursive)
        if is_recursive:
            self.lines.put("_spent.depth = _depth - 1")
        self.lines.put("return self")
        self.text = "\n".join([*head, *self.lines.printed, ""])

    def _head(self, node: ast.FunctionDef, cls: str, *, is_recursive: bool) -> list[str]:
        printed = "\n".join(self.lines.printed)
        args = node.args
        args.args = args.args[1:]
        for each in (*args.args, *args.kwonlyargs):
            each.annotation = None
        name = self._readers[self._names[cls]]
        head = [f"def {name}({ast.unparse(args)}):"]
        if is_recursive or "_spent" in printed:
            head.append(" _spent = r._spent")
        if is_recursive:
            head += [
                " _spent.depth = _depth = _spent.depth + 1",
                " if _depth > r.limits.nesting or _spent.objects > r.limits.objects:",
                f"  {GIVE_UP}",
            ]
        head += [f" {each} = r.{each}" for each in ("_data", "_end") if each in printed]
        return [*head, f" self = _new({cls})"]

    # Statements

    def _put_all(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            self._put(node)
            self.lines.ended()

    def _put(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self._put_if(node.test, node.body, node.orelse)
        elif isinstance(node, ast.For):
            self._put_for(node)
        elif isinstance(node, ast.Raise):
            self.lines.put(GIVE_UP)
        elif isinstance(node, ast.Break):
            state = self.lines.is_local, self.lines.is_shared
            self.lines.settle()
            self.lines.put("break")
            self.lines.is_local, self.lines.is_shared = state  # what comes next is another path
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self._put_call(node.value)
        elif isinstance(node, ast.Assign):
            self._assign(node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.lines.put(f"{ast.unparse(node.target)} = {self.value(node.value)}")

    def _put_call(self, value: ast.expr) -> None:
        method = method_of(value)
        if method is None:
            self.lines.put(self.plain(value))
        elif method != "align" or self.methods.has_bits:
            self.value(value)

    def _assign(self, node: ast.Assign) -> None:
        target, value = node.targets[0], node.value
        text = ast.unparse(target)
        if text == "self" or (text == "at" and ast.unparse(value) == "r.offset"):
            return  # made already; for an error
        if isinstance(value, ast.IfExp) and asks(value):
            first, second = (ast.Assign([target], each) for each in (value.body, value.orelse))
            self._put_if(value.test, [first], [second])
            return
        calls = [each for each in ast.walk(value) if method_of(each) in ADVANCES]
        is_alone = len(calls) == 1 and calls[0] is value
        self._keeps_apart = not is_alone and (
            len(calls) > 1 or needs_place(value) or self.methods.keeps_stream
        )
        self.lines.put(f"{text} = {self.value(value)}")

    def _put_if(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        moves = any(map(asks, (*body, *orelse)))
        if moves or any(map(needs_place, (test, *body, *orelse))):
            self.lines.local()
        before, ends, word = self.lines.is_shared, list[bool](), "if"
        while True:
            self._put_branch(f"{word} {self.plain(test)}:", body, moves=moves)
            ends.append(self.lines.is_shared)
            self.lines.is_shared, word = before, "elif"
            if len(orelse) != 1 or not isinstance(orelse[0], ast.If):
                break
            test, body, orelse = orelse[0].test, orelse[0].body, orelse[0].orelse
        if orelse:
            self._put_branch("else:", orelse, moves=moves)
        self.lines.is_shared = all(ends) and self.lines.is_shared

    def _put_branch(self, head: str, body: Sequence[ast.stmt], *, moves: bool) -> None:
        with self.lines.inside(head):
            size = len(self.lines.printed)
            self._put_all(body)
            if moves:
                self.lines.local()
            if len(self.lines.printed) == size:
                self.lines.put("pass")

    def _put_for(self, node: ast.For) -> None:
        self.lines.settle()
        if method_of(node.iter) is None or not isinstance(node.iter, ast.Call):
            self._put_loop(node, self.plain(node.iter))
        elif self.methods.has_bits:
            self._put_called_loop(node, ast.unparse(self.generic_visit(node.iter)))
        else:
            self._put_inlined_loop(node, node.iter)
        self.lines.settle()

    def _put_loop(self, node: ast.For, numbers: str) -> None:
        with self.lines.inside(f"for {ast.unparse(node.target)} in {numbers}:"):
            self._put_all(node.body)
            self.lines.settle()

    def _put_called_loop(self, node: ast.For, numbers: str) -> None:
        """Print a loop that the reader counts; between elements, the reader has the position."""
        self.lines.shared()
        with self.lines.inside(f"for {ast.unparse(node.target)} in {numbers}:"):
            self._put_all(node.body)
            self.lines.local()
            self.lines.shared()

    def _put_inlined_loop(self, node: ast.For, counted: ast.Call) -> None:
        """Print a loop with the reader's work inside it; count elements without bytes."""
        method, numbers = method_of(counted), "_count()"
        least = int(method == "endless")
        if method == "times":
            least = self.least(counted.keywords[0].value)
            numbers = f"_range({self._counted(counted.args[1], least)})"
        if least:
            self._put_loop(node, numbers)
            return
        with self.lines.inside(f"for {ast.unparse(node.target)} in {numbers}:"):
            if method == "to_end":
                with self.lines.inside("if _at >= _end:"):
                    self.lines.put("break")
            before = self.lines.name()
            self.lines.put(f"{before} = _at")
            self._put_all(node.body)
            self.lines.settle()
            with self.lines.inside(f"if _at == {before}:"):
                if method != "to_end":
                    self.lines.put("_spent.empty -= 1")
                    self.lines.put("if _spent.empty >= 0:")
                    self.lines.put(" continue")
                self.lines.put(GIVE_UP)

    def _counted(self, count: ast.expr, least: int) -> str:
        """Print the count of a loop, checked against the bytes that are left; return its name."""
        number = self.lines.name()
        self.lines.put(f"{number} = {self.plain(count)}")
        room = "_end - _at" if least else "8 * (_end - _at) + _spent.empty"
        most = f"{number} * {max(least, 1)} > {room} or {number} > r.limits.elements"
        with self.lines.inside(f"if {number} < 0 or {most}:"):
            self.lines.put(GIVE_UP)
        return number

    # Values

    def value(self, node: ast.expr) -> str:
        """Print what has to run before *node* has a value; return the expression of the value."""
        return self.plain(node)

    def plain(self, node: ast.expr) -> str:
        """Return *node* with its calls replaced."""
        return ast.unparse(self.visit(node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace a call of the reader, or one for which there is a quicker expression."""
        method = method_of(node)
        if method is not None:
            inlined = CALLS.get(method)
            text = self.called(node) if inlined is None else inlined(self, node)
            return ast.Name(self._apart(text) if self._keeps_apart else text)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "given":
            value, name = self.plain(node.args[0]), self.lines.name()
            return ast.Name(f"({name} if ({name} := {value}) is not None else _nothing())")
        if called == "named" and isinstance(node.args[0], ast.Name):
            enum = self._globals.get(node.args[0].id)
            if isinstance(enum, type) and issubclass(enum, IntEnum):
                members = self.bound(f"_{enum.__name__}_of", numbered(enum).get)
                value, name = self.plain(node.args[1]), self.lines.name()
                return ast.Name(f"{members}({name} := {value}, {name})")
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace a property of the reader that depends on its position."""
        if attribute_of(node) in PLACES:
            self.lines.local()
            bits = " and not r._bits_left" * (node.attr == "eof" and self.methods.has_bits)
            return ast.Name(f"({PLACES[node.attr]}{bits})")
        read = self.read_of(node)
        if read is not None:
            return ast.Name(read)
        return self.in_place(node) or self.generic_visit(node)

    def called(self, call: ast.Call) -> str:
        """Print a call of the reader unchanged; return the name of its result."""
        args = [
            self._apart(self.plain(each)) if asks(each) else self.plain(each) for each in call.args
        ]
        args += [f"{each.arg}={self.plain(each.value)}" for each in call.keywords]
        on = ast.unparse(call.func)
        self.lines.shared()
        value = self.lines.name()
        self.lines.put(f"{value} = {on}({', '.join(args)})")
        self.lines.moved()
        return value

    def _apart(self, text: str) -> str:
        """Print *text* as a value with a name, and then what has to follow it."""
        name = self.lines.name()
        self.lines.put(f"{name} = {text}")
        self.lines.ended()
        return name

    # What calls.py asks

    def bound(self, name: str, value: object) -> str:
        """Return a global name for *value*: *name*, or one like it."""
        while self._names.setdefault(name, value) != value:
            name += "_"
        return name

    def constant(self, node: ast.expr, kind: type[_T]) -> tuple[str, _T] | None:
        """Return the name and the value of a global, if it is of this *kind*; otherwise None."""
        value = self._globals.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Name) and isinstance(value, kind):
            return node.id, value
        return None

    def read_of(self, node: ast.expr) -> str | None:
        """Return the name of the printed `read` that *node* names, or makes a `partial` of."""
        cls = self._class_of(node)
        return None if cls is None else self._readers.get(cls)

    def _class_of(self, node: ast.expr) -> type | None:
        if isinstance(node, ast.Call) and node.args:
            node = node.args[0]
        if isinstance(node, ast.Attribute) and node.attr in {"read", "MIN_SIZE"}:
            found = self._globals.get(node.value.id) if isinstance(node.value, ast.Name) else None
            return found if isinstance(found, type) else None
        return None

    def handed(self, node: ast.expr) -> str:
        """Return the arguments of a call of `read`, or of a `partial` of it."""
        keywords = node.keywords if isinstance(node, ast.Call) else []
        return ", ".join(["r", *(f"{each.arg}={self.plain(each.value)}" for each in keywords)])

    def given(self, call: ast.Call, first: int) -> str:
        """Return the arguments for a record: the reader and those from *first* on."""
        more = [self.plain(each) for each in call.args[first:]]
        more += [f"{each.arg}={self.plain(each.value)}" for each in call.keywords]
        return ", ".join(["r", *more])

    def least(self, node: ast.expr) -> int:
        """Return the least number of bytes that an element takes."""
        least = literal(node, int)
        return self.least_of(node) if least is None else least

    def least_of(self, node: ast.expr) -> int:
        """Return the least number of bytes that a record takes, by its `read` or its `MIN_SIZE`."""
        return int(getattr(self._class_of(node), "MIN_SIZE", 0))
