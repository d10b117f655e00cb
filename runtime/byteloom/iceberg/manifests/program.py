"""Find the wanted fields in the records of manifests and manifest lists.

The rules:

- Fields are identified by their ids, whatever their names and places; names are used only for files
  without ids.
- Fields that are not wanted are skipped, whatever their type.
- A wanted field must be stored as the kind in which it is wanted (``long`` for a number, an array
  of key and value for a map), nullable or not; a field of type null is treated as absent.

Source: Apache Avro specification, "Schema Declaration"; Iceberg table spec, "Appendix A", Avro.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.avro.builder import Want
from byteloom.avro.nodes import Enum, Items, Lists, Plain, Record, Slots, Union
from byteloom.avro.nodes import Program as Steps
from byteloom.avro.program import compile_chosen
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.avro.nodes import Field, Node

__all__ = ["Found", "Program", "compile_program"]

_WANTS: Final = {
    "long": Want.KEEP,
    "view": Want.PLACE,
    "any": Want.PLACE,
    "rows": Want.ROWS,
    "list": Want.ITEMS,
    "map_long": Want.ITEMS,
    "map_bytes": Want.ITEMS,
    "slot_long": Want.SLOTS,
    "slot_bytes": Want.SLOTS,
}
_ITEMS: Final = {
    "list": "number",
    "map_long": "number number",
    "map_bytes": "number bytes",
    "slot_long": "number number",
    "slot_bytes": "number bytes",
}
_NUMBERS: Final = frozenset({"boolean", "int", "long"})


@dataclass(frozen=True, slots=True)
class Found:
    """A wanted field that the schema has.

    Attributes:
        node: The node of the program that its values fill.
        level: The level of the rows in which it has values.
        unions: The unions around the value: of each the column of its branches, and the value's
            branch.
    """

    node: Node
    level: int
    unions: tuple[tuple[int, int], ...]

    @property
    def stored(self) -> Any:
        """The Avro type of the values, as JSON."""
        node = self.node
        return (node.said or node.type) if isinstance(node, Plain) else type(node).__name__.lower()


@dataclass(slots=True)
class Program:
    """How to decode records, and where the wanted values will be.

    Attributes:
        steps: The steps of the decoder.
        found: The wanted fields that the schema has, by id.
        is_prefixed: Whether fixed values have their length before them.
    """

    steps: Steps = field(default_factory=Steps)
    found: dict[int, Found] = field(default_factory=dict)
    is_prefixed: bool = False


def compile_program(
    schema: Any,
    kinds: Mapping[int, str],
    names: Mapping[str, int] | None = None,
    slots: int = 0,
    *,
    is_prefixed: bool = False,
) -> Program:
    """Return the program that decodes fields of records of an Avro *schema*.

    Args:
        kinds: Of what is wanted, of the wanted fields, by field id; see
            `byteloom.iceberg.manifests.decoding.Wanted`.
        names: Ids by dotted name, for schemas whose fields carry none.
        slots: Columns of which statistics are wanted.
        is_prefixed: Whether fixed values have their length before them, against Avro's
            specification.

    Raises:
        FormatError: Not an Avro schema of a record, or a wanted field of another type.
    """
    by_name = names or {}

    def choose(said: dict[str, Any], path: tuple[str, ...]) -> Want:
        return _WANTS[kinds[number]] if (number := _id(said, path, by_name)) in kinds else Want.LOOK

    try:
        steps = compile_chosen(schema, choose, slots, is_prefixed=is_prefixed)
        program = Program(steps, is_prefixed=is_prefixed)
        finder = _Finder(program, kinds, by_name)
        finder.look(steps.root, (), (), 1)
    except FormatError as error:
        raise error.inside("avro") from error.__cause__
    return program


def _id(said: Mapping[str, Any], path: tuple[str, ...], names: Mapping[str, int]) -> int:
    """Return the id of a field; -1 if it has none."""
    number = said.get("field-id", names.get(".".join(path)))
    return number if type(number) is int else -1


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds the wanted fields in a compiled program."""

    program: Program
    kinds: Mapping[int, str]
    names: Mapping[str, int]

    def look(
        self, node: Node, path: tuple[str, ...], unions: tuple[tuple[int, int], ...], level: int
    ) -> None:
        """Find the wanted fields inside a record, or inside a union with a record."""
        if isinstance(node, Union):
            for number, (_, branch) in enumerate(node.branches):
                inside = (*unions, (node.column, number))
                self.look(branch, path, inside, level)
        if isinstance(node, Record):
            for each in node.fields:
                self._field(each, (*path, each.name), unions, level)

    def _field(
        self, each: Field, path: tuple[str, ...], unions: tuple[tuple[int, int], ...], level: int
    ) -> None:
        """Record a wanted field, or look inside another one."""
        number = _id(each.said, path, self.names)
        if number not in self.kinds:
            self.look(each.node, path, unions, level)
            return
        node = each.node
        if isinstance(node, Union):
            if len(node.branches) != 2 or node.null < 0:  # noqa: PLR2004  null and the other
                raise _wrong(path, f"a union of {len(node.branches)}", "null and one other type")
            unions = (*unions, (node.column, 1 - node.null))
            node = node.branches[1 - node.null][1]
        if isinstance(node, Plain) and node.type == "null":
            return  # no value is stored, as if the field were missing
        kind = self.kinds[number]
        if not _is_of(kind, node):
            raise _wrong(path, _shown(node), f"a type for a {kind}")
        if number in self.program.found:
            raise FormatError("schema", None, f"field {number} twice", "ids of their own")
        self.program.found[number] = Found(node, level, unions)
        if isinstance(node, Lists):
            self.look(node.items, path, (), node.number + 1)


def _is_of(kind: str, node: Node) -> bool:
    """Return whether a field wanted as *kind* may be stored as *node*."""
    if isinstance(node, Items | Slots):
        return _ITEMS.get(kind) == node.kind
    if isinstance(node, Lists):
        return kind == "rows" and node.keys is None and isinstance(node.items, Record)
    if isinstance(node, Enum):
        return kind in {"long", "any"}
    if not isinstance(node, Plain) or node.column < 0:
        return False
    return kind == "any" or (
        (kind == "long") == (node.type in _NUMBERS) and kind in {"long", "view"}
    )


def _shown(node: Node) -> str:
    """Return what an error calls the type of a node."""
    if isinstance(node, Items | Slots):
        return f"items of a {' and a '.join(node.kind.split())}"
    return f"type {node.type if isinstance(node, Plain) else type(node).__name__.lower()!r}"


def _wrong(path: tuple[str, ...], found: str, wanted: str) -> FormatError:
    """Return the error about a place of the schema."""
    return FormatError(".".join(("schema", *path)), None, found, wanted)
