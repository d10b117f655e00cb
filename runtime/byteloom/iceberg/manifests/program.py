"""From an Avro schema to the steps that bring the wanted fields of its records into columns.

The rules:

- Fields are known by their ids, whatever they are called and wherever they stand; names only serve
  files that carry no ids.
- What is not wanted is passed over, of whatever type it is.
- A wanted field must be stored as what it is wanted as (``long`` for a number, an array of key and
  value for a map), nullable or not.

Source: Apache Avro specification, "Schema Declaration"; Iceberg table spec, "Appendix A", Avro.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.manifests.steps import Program, Target
from byteloom.kernels.avro_records import Op

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Program", "Target", "compile_program"]

_INTEGERS: Final = frozenset({"int", "long", "enum"})
_SIZES: Final = {"float": 4, "double": 8}
_PRIMITIVES: Final = frozenset(
    {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
)
_STEPS: Final = 100_000
_TYPES: Final = 2 * _STEPS
_LEVELS: Final = 8


def compile_program(
    schema: Any,
    targets: Mapping[int, Target],
    names: Mapping[str, int] | None = None,
    *,
    is_prefixed: bool = False,
) -> Program:
    """Return the program that fills *targets* from records of an Avro *schema*.

    targets      by field id
    names        ids by dotted name, for schemas whose fields carry none
    is_prefixed  whether fixed values have their length before them, against Avro's specification
    raises       `FormatError` for what is no Avro schema of a record, or a wanted field of another
                 type
    """
    compiler = _Compiler(targets, names or {})
    compiler.program.is_prefixed = is_prefixed
    try:
        compiler.value(schema, (), None)
    except RecursionError as error:
        raise LimitExceeded("avro.schema", None, "types without end", "fewer levels") from error
    compiler.emit(Op.END)
    return compiler.program


class _Compiler:
    """Walks a schema once."""

    def __init__(self, targets: Mapping[int, Target], names: Mapping[str, int]) -> None:
        self.targets = targets
        self.names = names
        self.program = Program()
        self.named: dict[str, Any] = {}
        self.inside: list[str] = []
        self.visits = 0

    def emit(self, operation: int, argument: int = 0, target: int = -1, valid: int = -1) -> int:
        """Append a step; return its number."""
        if len(self.program.rows) >= _STEPS:
            raise LimitExceeded("avro.schema", None, f"over {_STEPS} parts", "fewer")
        self.program.rows.append([operation, argument, target, valid])
        return len(self.program.rows) - 1

    def visit(self) -> None:
        """Count a type, also one that takes no step: names could ask for any number of them."""
        self.visits += 1
        if self.visits > _TYPES:
            raise LimitExceeded("avro.schema", None, f"over {_TYPES} types", "fewer")

    @property
    def here(self) -> int:
        """The number of the next step."""
        return len(self.program.rows)

    def value(self, schema: Any, path: tuple[str, ...], target: Target | None) -> None:
        """The steps of one value."""
        self.visit()
        if isinstance(schema, list):
            self.union(schema, path, target)
            return
        kind, schema = self.resolve(schema, path)
        if target is not None:
            self.wanted(kind, schema, path, target)
        elif kind == "record":
            self.record(schema, path)
        elif kind in {"array", "map"}:
            self.repeated(schema, path, is_map=kind == "map")
        else:
            self.scalar(kind, schema, path)

    def resolve(self, schema: Any, path: tuple[str, ...]) -> tuple[str, Any]:
        """The kind of a type and the type itself, looked up where it is a name."""
        if isinstance(schema, str):
            if schema in _PRIMITIVES:
                return schema, schema
            if schema not in self.named:
                raise _wrong(path, repr(schema), "a type that was declared before")
            if schema in self.inside:
                raise _wrong(path, f"{schema!r} inside itself", "types that end")
            schema = self.named[schema]
        if not isinstance(schema, dict) or "type" not in schema:
            raise _wrong(path, repr(schema)[:60], "an Avro type")
        if not isinstance(schema["type"], str):
            return self.resolve(schema["type"], path)
        if isinstance(schema.get("name"), str):
            self.declare(schema)
        return schema["type"], schema

    def declare(self, schema: dict[str, Any]) -> None:
        """Remember a named type, by its full name and its short one."""
        self.named[schema["name"]] = schema
        if isinstance(schema.get("namespace"), str):
            self.named[f"{schema['namespace']}.{schema['name']}"] = schema

    def union(self, branches: list[Any], path: tuple[str, ...], target: Target | None) -> None:
        """The steps of a union: mostly null or something."""
        if len(branches) == 2 and "null" in branches:  # noqa: PLR2004  null and the other
            null = branches.index("null")
            valid = target.valid if target else -1
            step = self.emit(Op.NULLABLE, null, valid=valid)
            inner = replace(target, valid=-1) if target else None
            self.value(branches[1 - null], path, inner)
            self.program.rows[step][2] = self.here
            return
        if target is not None:
            raise _wrong(path, f"a union of {len(branches)}", "null and one other type")
        self.emit(Op.UNION, len(branches))
        jumps = [self.emit(Op.JUMP) for _ in branches]
        ends = []
        for jump, branch in zip(jumps, branches, strict=True):
            self.program.rows[jump][2] = self.here
            self.value(branch, path, None)
            ends.append(self.emit(Op.JUMP))
        for end in ends:
            self.program.rows[end][2] = self.here

    def record(self, schema: dict[str, Any], path: tuple[str, ...]) -> None:
        """The steps of a record's fields."""
        self.inside.append(str(schema.get("name")))
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise _wrong(path, repr(fields)[:60], "a list of fields")
        for each in fields:
            if not isinstance(each, dict) or "type" not in each:
                raise _wrong(path, repr(each)[:60], "a field with a type")
            inner = (*path, str(each.get("name")))
            field_id = each.get("field-id", self.names.get(".".join(inner)))
            target = None
            if isinstance(field_id, int) and (target := self.targets.get(field_id)):
                self.found(field_id, each["type"], target)
            self.value(each["type"], inner, target)
        self.inside.pop()

    def found(self, field_id: int, of: Any, target: Target) -> None:
        """Note a wanted field."""
        if field_id in self.program.present:
            raise FormatError("avro.schema", None, f"field {field_id} twice", "ids of their own")
        self.program.present.add(field_id)
        is_nullable = isinstance(of, list) and "null" in of
        if target.valid >= 0 and not is_nullable:
            self.program.always.add(target.valid)
        if isinstance(of, list):
            of = next((each for each in of if each != "null"), "null")
        self.program.types[field_id] = self.named.get(of, of) if isinstance(of, str) else of

    def repeated(self, schema: dict[str, Any], path: tuple[str, ...], *, is_map: bool) -> None:
        """The steps that pass over an array or a map."""
        plain = None if is_map else self.plain_items(schema.get("items"))
        if plain is not None:
            self.emit(Op.PASS, *plain)
            return
        step = self.emit(Op.ARRAY, int(is_map))
        wanted, self.targets = self.targets, {}
        self.value(schema.get("values" if is_map else "items"), path, None)
        self.targets = wanted
        if self.here == step + 1 and not is_map:
            self.program.rows[step][0] = Op.EMPTY
            return
        self.emit(Op.NEXT)
        self.program.rows[step][2] = self.here

    def plain_items(self, items: Any) -> tuple[int, int] | None:
        """How many numbers and then runs of bytes each item is, if it is nothing else."""
        kinds = self.item_kinds(items)
        numbers = next((i for i, kind in enumerate(kinds) if kind not in _LONGS), len(kinds))
        is_plain = kinds and all(kind in _RUNS for kind in kinds[numbers:])
        return (numbers, len(kinds) - numbers) if is_plain else None

    def item_kinds(self, items: Any, depth: int = 0) -> list[str]:
        """The types of an array's items: one, or those of the fields of a record."""
        self.visit()
        items = self.named.get(items, items) if isinstance(items, str) else items
        if not isinstance(items, dict) or depth > _LEVELS:
            return [items if isinstance(items, str) else "union"]
        if isinstance(items.get("name"), str):
            self.declare(items)
        if items.get("type") == "record":
            fields = items.get("fields")
            inner = fields if isinstance(fields, list) else []
            kinds = [each.get("type") for each in inner if isinstance(each, dict)]
            return [each for kind in kinds for each in self.item_kinds(kind, depth + 1)]
        return self.item_kinds(items.get("type"), depth + 1)

    def rows(self, schema: dict[str, Any], path: tuple[str, ...], target: Target) -> None:
        """The steps of an array of records whose fields are wanted."""
        step = self.emit(Op.ARRAY, valid=target.column)
        self.value(schema.get("items"), path, None)
        if self.here == step + 1:
            raise _wrong(path, "items without fields", "records")
        self.emit(Op.NEXT)
        self.program.rows[step][2] = self.here

    def scalar(
        self, kind: str, schema: Any, path: tuple[str, ...], target: Target | None = None
    ) -> None:
        """The step of one number or run of bytes."""
        column = target.column if target else -1
        if kind in _INTEGERS:
            self.emit(Op.LONG if kind == "long" else Op.INT, target=column)
        elif kind == "boolean":
            self.emit(Op.BOOLEAN, target=column)
        elif kind in {"bytes", "string"}:
            self.emit(Op.BYTES, target=column)
        elif kind in _SIZES:
            self.emit(Op.FIXED, _SIZES[kind], column)
        elif kind == "fixed":
            self.fixed(schema, path, column)
        elif kind != "null":
            raise _wrong(path, f"type {kind!r}", "a type of Avro")

    def fixed(self, schema: dict[str, Any], path: tuple[str, ...], column: int) -> None:
        """The step of bytes of one size; Java writes only those without a logical type wrongly."""
        is_plain = "logicalType" not in schema
        self.program.has_fixed |= is_plain
        is_prefixed = is_plain and self.program.is_prefixed
        self.emit(Op.BYTES if is_prefixed else Op.FIXED, _fixed_size(schema, path), column)

    def wanted(self, kind: str, schema: Any, path: tuple[str, ...], target: Target) -> None:
        """The step of a field that is wanted."""
        if kind in _SCALARS.get(target.kind, ()):
            if kind not in _SCALARS["long"] and target.kind == "any":
                target = replace(target, column=target.view)
            self.scalar(kind, schema, path, target)
        elif target.kind == "rows" and kind == "array":
            self.rows(schema, path, target)
        elif target.kind in _REPEATED and kind == "array":
            operation, items = _REPEATED[target.kind]
            stored = self.item_kinds(schema.get("items"))
            if len(stored) != len(items) or any(
                each not in allowed for each, allowed in zip(stored, items, strict=True)
            ):
                raise _wrong(path, f"items of {', '.join(stored)}", f"items for a {target.kind}")
            self.emit(operation, target=target.column)
        else:
            raise _wrong(path, f"type {kind!r}", f"a type for a {target.kind}")


_SCALARS: Final[dict[str, frozenset[str]]] = {
    "long": _INTEGERS | {"boolean"},
    "view": frozenset({"bytes", "string", "fixed", *_SIZES}),
    "any": frozenset({*_INTEGERS, "boolean", "bytes", "string", "fixed", *_SIZES}),
}
_LONGS: Final = frozenset({"int", "long"})
_RUNS: Final = frozenset({"bytes", "string"})
_REPEATED: Final[dict[str, tuple[int, tuple[frozenset[str], ...]]]] = {
    "list": (Op.LIST_LONG, (_LONGS,)),
    "map_long": (Op.MAP_LONG, (_LONGS, _LONGS)),
    "map_bytes": (Op.MAP_BYTES, (_LONGS, _RUNS)),
    "slot_long": (Op.SLOT_LONG, (_LONGS, _LONGS)),
    "slot_bytes": (Op.SLOT_BYTES, (_LONGS, _RUNS)),
}


def _fixed_size(schema: Any, path: tuple[str, ...]) -> int:
    """The size of a fixed."""
    size = schema.get("size")
    if type(size) is not int or not 0 <= size < 1 << 31:
        raise _wrong(path, repr(size), "a size in bytes")
    return size


def _wrong(path: tuple[str, ...], found: str, wanted: str) -> FormatError:
    """What is wrong with a schema, and where."""
    return FormatError(".".join(("avro.schema", *path)), None, found, wanted)
