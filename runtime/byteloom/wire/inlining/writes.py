"""The `write` methods that writing one record can call, as syntax trees, and its field types."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass, field, fields
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.inlining.sources import asked_for, definition, names_of
from byteloom.wire.inlining.trees import literal
from byteloom.wire.members import parameter_names
from byteloom.wire.value_types import hints_of, records_in

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PUTS", "RECORDS", "VALUES", "Writes", "put_of", "writes_of"]

_NUMBERS: Final = frozenset(
    f"{kind}{size}{order}"
    for kind, sizes in (("u", "248"), ("s", "248"), ("f", "48"))
    for size in sizes
    for order in ("le", "be")
)

RECORDS: Final = frozenset({"record", "records", "window"})
"""The methods of a writer that put records."""

PUTS: Final = frozenset({
    "u1", "s1", *_NUMBERS, "run", "run_floats", "bit_run", "bits_be", "bits_le", "align", "uleb128",
    "protobuf", "zigzag", "hadoop", "varints", "bytes", "padding", "rest", "sized", "until", "ends",
    "array", "check_count", "magic", *RECORDS,
})  # fmt: skip
"""The methods of a writer that are called as statements."""

VALUES: Final = frozenset({"encoded", "deflated", "processed", "settled", "element", "repeatedly"})
"""The methods of a writer that return a value."""

_ERRORS: Final = frozenset({"invalid", "unended", "unexpected"})
_BITS: Final = frozenset({"bits_be", "bits_le"})
_SIMPLE: Final = (ast.Assign, ast.AugAssign, ast.Break, ast.Pass)
_SCOPES: Final = (ast.Lambda, ast.comprehension, ast.Yield, ast.NamedExpr)


def put_of(node: ast.AST) -> str | None:
    """Return the method of the writer that *node* calls; None if it calls none."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    on = node.func.value
    return node.func.attr if isinstance(on, ast.Name) and on.id == "w" else None


@dataclass(slots=True)
class Writes:
    """The methods found, by their classes.

    kinds     for each class, the types of the records that a field of it may hold
    has_bits  whether a byte may be left partly written
    """

    nodes: dict[type, ast.FunctionDef] = field(default_factory=dict)
    kinds: dict[type, dict[str, tuple[type, ...]]] = field(default_factory=dict)
    has_bits: bool = False


def writes_of(top: type) -> Writes | None:
    """Return the methods that `top.write` calls, directly or not; None if one cannot be printed."""
    found, waiting = Writes(), deque([top])
    asking: list[tuple[dict[str, Any], frozenset[str]]] = []
    while waiting:
        cls = waiting.popleft()
        if cls in found.nodes:
            continue
        function = vars(cls).get("write")
        if not isinstance(function, FunctionType) or getattr(cls, "LAZY", None) != {}:
            return None
        node, names = definition(function)
        if node is None or not hints_of(cls):
            return None
        kinds = _kinds(cls)
        if not _is_usual(node, kinds):
            return None
        found.nodes[cls], found.kinds[cls] = node, kinds
        found.has_bits |= not _BITS.isdisjoint(names)
        asking.append((function.__globals__, names_of(function.__code__)))
        waiting += [each for held in kinds.values() for each in held]
    asked = asked_for([module for module, _ in asking])
    return found if all(map(asked.isdisjoint, (names for _, names in asking))) else None


def _kinds(cls: Any) -> dict[str, tuple[type, ...]]:
    """Return for each field the types of the records that it holds, itself or in a list."""
    given, hints = parameter_names(cls), hints_of(cls)
    held = [each.name for each in fields(cls) if each.compare and each.name not in given]
    return {name: tuple(records_in(hints[name])) for name in held if name in hints}


def _is_usual(node: ast.FunctionDef, kinds: dict[str, tuple[type, ...]]) -> bool:
    """Whether a method has only statements that can be printed."""
    inside = [*ast.walk(node)]
    named = sum(isinstance(each, ast.Name) and each.id == "w" for each in inside)
    calls = [each for each in inside if put_of(each) is not None]
    known = PUTS | VALUES | _ERRORS
    return (
        named == len(calls)
        and all(put_of(each) in known for each in calls)
        and not any(isinstance(each, _SCOPES) for each in inside)
        and all(_is_known(each, kinds) for each in node.body)
        and _named(calls) >= {name for name, held in kinds.items() if held}
    )


def _named(calls: list[ast.AST]) -> set[str | None]:
    """Return the fields that hold the records which *calls* put."""
    puts = [each for each in calls if isinstance(each, ast.Call) and put_of(each) in RECORDS]
    return {literal(each.args[0], str) for each in puts}


def _is_known(node: ast.stmt, kinds: dict[str, tuple[type, ...]]) -> bool:
    if isinstance(node, ast.If):
        parts: list[ast.expr] = [node.test]
        body = [*node.body, *node.orelse]
    elif isinstance(node, ast.For) and not node.orelse:
        parts, body = [node.iter], node.body
    elif isinstance(node, ast.Raise):
        return True
    elif isinstance(node, ast.Expr):
        return _is_known_call(node.value, kinds)
    elif isinstance(node, _SIMPLE):
        parts, body = [*_values(node)], []
    else:
        return False
    return not any(map(_puts, parts)) and all(_is_known(each, kinds) for each in body)


def _values(node: ast.stmt) -> Iterator[ast.expr]:
    value = getattr(node, "value", None)
    if isinstance(value, ast.expr):
        yield value


def _is_known_call(node: ast.expr, kinds: dict[str, tuple[type, ...]]) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if not isinstance(node, ast.Call) or any(map(_puts, (*node.args, *node.keywords))):
        return False
    method = put_of(node)
    if method is None:
        return isinstance(node.func, ast.Name) and node.func.id == "pass_to"
    name = literal(node.args[0], str) if node.args else None
    return method in PUTS and (method not in RECORDS or bool(kinds.get(name or "")))


def _puts(node: ast.AST) -> bool:
    return any(put_of(each) in PUTS for each in ast.walk(node))
