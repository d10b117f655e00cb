"""What ``write`` does with parse instances: each goes to its position, in whatever stream it lies.

One that nobody asked for and nobody set is left alone: its bytes are kept with all others that no
field took.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.expressions import Attribute
from byteloom_codegen.model import Instance, TypeSpec
from byteloom_codegen.python.derive import Derived
from byteloom_codegen.python.lazies import told_fields
from byteloom_codegen.python.names import hidden_name
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import Translator, str_literal
from byteloom_codegen.python.writing import Writing

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.python.scope import Module

__all__ = ["placements"]


def placements(spec: TypeSpec, module: Module) -> list[Statement]:
    """Return the statements that write the parse instances of *spec*."""
    placed = [each for each in spec.instances if isinstance(each, Instance)]
    blocks = [_placed(each, MethodScope(module, spec, stream="io")) for each in placed]
    return ["io = w", *blocks] if blocks else []


def _placed(instance: Instance, scope: MethodScope) -> Block:
    told = told_fields(scope.here).items()
    derived = {name: Derived(each.instance, each.length) for name, each in told if each.length}
    source, hidden = Translator(scope), f"self.{hidden_name(instance.name)}"
    stream = "io" if instance.io is None else _stream(instance.io, source)
    pos = source(instance.pos) if instance.pos is not None else "io.pos"
    name = str_literal(instance.name)
    return Block(
        f"if {hidden} is not None:",
        [
            f"w = {stream}.at({name}, lambda: {pos}, self)",
            *Writing(scope, derived).placed(instance, hidden),
        ],
    )


def _stream(node: Expression, source: Translator) -> str:
    """Return the source of the stream that *node* is, which may not be begun yet."""
    if isinstance(node, Attribute) and node.name == "_io" and node.target is None:
        return f"io.of({source(node.value)})"
    return f"io.into({source(node)})"
