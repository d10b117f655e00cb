"""Values in a `write` method: the expressions that replace calls and properties."""

from __future__ import annotations

import ast
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from byteloom.wire.inlining.properties import Properties
from byteloom.wire.inlining.trees import literal
from byteloom.wire.inlining.writes import put_of
from byteloom.wire.labels import numbered
from byteloom.wire.stored import exactly_decoded

if TYPE_CHECKING:
    from byteloom.wire.inlining.writes import Writes

__all__ = ["PutValues"]


class PutValues(Properties, ast.NodeTransformer):
    """Replaces calls and properties in the `write` of one class by quicker expressions.

    writes   all methods that are printed
    writers  by class, the names of the printed methods
    names    the globals of what is printed
    ways     by name, tables of the functions that write records; filled in later
    """

    def __init__(
        self,
        cls: Any,
        writes: Writes,
        writers: dict[type, str],
        names: dict[str, Any],
        ways: dict[str, tuple[type, ...]],
    ) -> None:
        """Begin at the start of the method."""
        super().__init__(cls, vars(cls)["write"])
        self.writes, self.writers = writes, writers
        self._names, self._ways = names, ways
        self._globals = vars(cls)["write"].__globals__
        self._count = 0
        self._texts: dict[tuple[str, str], str] = {}
        self._measured: set[str] = set()

    def plain(self, node: ast.expr) -> str:
        """Return *node* with its calls replaced."""
        return ast.unparse(self.visit(node))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Visit the condition first; nothing calculated only in one branch is remembered."""
        node.test = self.visit(node.test)
        node.body, node.orelse = self._unsure(node.body), self._unsure(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Visit all operands; remember only what the first calculates: others may be skipped."""
        first, *others = node.values
        node.values = [self.visit(first), *map(self._unsure, others)]
        return node

    def _unsure(self, node: ast.expr) -> ast.expr:
        """Visit *node*, which may be skipped; forget what it calculates."""
        known = dict(self._texts)
        found: ast.expr = self.visit(node)
        self._texts = known
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace a call for which there is a quicker expression."""
        if put_of(node) == "encoded":
            return self._encoded(node.args[1:])
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        found = self._replaced(called, node.args)
        return self.generic_visit(node) if found is None else found

    def _replaced(self, called: str, args: list[ast.expr]) -> ast.expr | None:
        """Return the expression that replaces a call of `byteloom.wire.calc`; None without one."""
        match called:
            case "encoded":
                return self._encoded(args)
            case "given":
                return self._given(args)
            case "length_of" | "size_of":
                return self._length(args)
            case "named":
                return self._named(args)
            case "narrowed":
                return self._narrowed(args)
        return None

    def _given(self, args: list[ast.expr]) -> ast.expr:
        value, name = self.plain(args[0]), self.name()
        return ast.Name(f"({name} if ({name} := {value}) is not None else _nothing())")

    def _narrowed(self, args: list[ast.expr]) -> ast.expr:
        value, name, kind = self.plain(args[0]), self.name(), ast.unparse(args[1])
        return ast.Name(f"({name} if _isinstance({name} := {value}, {kind}) else _nothing())")

    def _named(self, args: list[ast.expr]) -> ast.expr | None:
        enum = self._globals.get(args[0].id) if isinstance(args[0], ast.Name) else None
        if not (isinstance(enum, type) and issubclass(enum, IntEnum)):
            return None
        members = self.bound(f"_{enum.__name__}_of", numbered(enum).get)
        value, name = self.plain(args[1]), self.name()
        return ast.Name(f"{members}({name} := {value}, {name})")

    def _encoded(self, args: list[ast.expr]) -> ast.expr:
        """Return a text as bytes, which a method calculates once."""
        encoding = args[1]
        value, form = self.plain(args[0]), ast.unparse(encoding)
        known = self._texts.get((value, form))
        if known is not None:
            return ast.Name(known)
        found, name = f"_encoded({value}, {form})", literal(encoding, str)
        if name is not None and exactly_decoded(name):
            each = self.name()
            plain = f"{each}.encode({name.lower()!r})"
            found = f"{plain} if _type({each} := {value}) is _str else _encoded({each}, {form})"
        kept = self._texts[value, form] = self.name()
        return ast.Name(f"({kept} := ({found}))")

    def _length(self, args: list[ast.expr]) -> ast.expr | None:
        """Return the size of a field of this record; None for any other argument."""
        node = args[1]
        kinds = self._kinds_of_attribute(node)
        if not kinds:
            return None
        self._measured.add(ast.unparse(node))
        ways, name, value = self.table(kinds), self.name(), self.plain(node)
        plain = f"_len({name}) if _type({name} := {value}) is _bytes"
        return ast.Name(f"({plain} else w.length({name}, {ways}))")

    def _kinds_of_attribute(self, node: ast.expr) -> tuple[type, ...]:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            return self.writes.kinds[self._cls].get(node.attr, ())
        return ()

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace a property of the record by what it calculates, if that is short."""
        return self.in_place(node) or self.generic_visit(node)

    # Names

    def name(self) -> str:
        """Return a new name for a local value."""
        self._count += 1
        return f"_{self._count}"

    def bound(self, name: str, value: object) -> str:
        """Return a global name for *value*: *name*, or one like it."""
        while self._names.setdefault(name, value) != value:
            name += "_"
        return name

    def table(self, kinds: tuple[type, ...], *, sizes: bool = True) -> str:
        """Return the name of a table of functions that write *kinds*, or of the sizes of these."""
        names = "_".join(self.writers[each].split("_")[2] for each in kinds)
        name = f"_{'ways' if sizes else 'writers'}_{names}"
        self._ways[name] = kinds
        return name

    def is_measured(self, node: ast.expr) -> bool:
        """Whether the size of *node* was calculated before, so that it may be written already."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "narrowed":
            node = node.args[0]
        return ast.unparse(node) in self._measured
