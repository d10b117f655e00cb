"""Logical types that pyarrow does not write: they are added to the schema in a file's footer.

The rules:

- A node gets its logical type as the last field of its element, which pyarrow left without one;
  nothing else of the footer changes, since no place in it is after its own beginning.
- Nodes are known by the names that lead to them.

Source: Apache Parquet, ``parquet.thrift``: SchemaElement and LogicalType.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.kernels.parquet_structs import KINDS, numbers
from byteloom.parquet.structs import StructWalk
from byteloom.wire.varints import uleb128_bytes, zigzag_bytes
from byteloom_generated.parquet import footers as tables
from byteloom_generated.parquet.parquet import Tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["annotated", "geography", "geometry", "variant"]

_LOGICAL: Final = {each.name: each for each in tables.LOGICAL_TYPE}
_ELEMENT: Final = {each.name: each.number for each in tables.SCHEMA_ELEMENT}
_ALGORITHMS: Final = {each.name.lower(): each.number for each in tables.EDGE_ALGORITHMS}
_KINDS: Final = {**KINDS, "i8": 3}
_STOP: Final = b"\x00"
_LONGEST_STEP: Final = 15


def variant() -> bytes:
    """Return the logical type of the group that is a variant."""
    (version,) = numbers(tables.VARIANT_TYPE, "specification_version")
    return _logical("VARIANT", _head(version, "i8", 0) + b"\x01")


def geometry(crs: str) -> bytes:
    """Return the logical type of a column of shapes on a plane, by its reference system."""
    return _logical("GEOMETRY", _system(tables.GEOMETRY_TYPE, crs)[0])


def geography(crs: str | None, algorithm: str) -> bytes:
    """Return the logical type of a column of shapes on a globe.

    crs        the coordinate reference system; None for the default
    algorithm  how an edge runs between two points: ``spherical``, ``vincenty`` or another
    """
    (number,) = numbers(tables.GEOGRAPHY_TYPE, "algorithm")
    system, before = _system(tables.GEOGRAPHY_TYPE, crs)
    edges = _head(number, "i32", before) + zigzag_bytes(_ALGORITHMS[algorithm])
    return _logical("GEOGRAPHY", system + edges)


def _system(of: tuple[tables.ThriftField, ...], crs: str | None) -> tuple[bytes, int]:
    """Return the field of a reference system, and its number; nothing and 0 for the default."""
    if crs is None:
        return b"", 0
    (number,), text = numbers(of, "crs"), crs.encode()
    return _head(number, "binary", 0) + uleb128_bytes(len(text)) + text, number


def annotated(ending: bytes, types: Mapping[tuple[str, ...], bytes]) -> bytes:
    """Return the end of a file with further logical types.

    ending       the last bytes of a file, with the whole footer
    types        what `variant`, `geometry` or `geography` returned, by the names that lead to a
                 node
    FormatError  a damaged footer, or one without such a node
    """
    start = len(ending) - Tail.SIZE - Tail.from_bytes(ending[-Tail.SIZE :]).len_footer
    footer = ending[start : -Tail.SIZE]
    made, done, left = bytearray(ending[:start]), 0, dict(types)
    for names, element in _named(_elements(footer)):
        if names in left:
            last = _ELEMENT[next(reversed(element.held))]
            head = _head(_ELEMENT["logicalType"], "struct", last)
            made += footer[done : element.end - 1] + head + left.pop(names)
            done = element.end - 1
    if left:
        raise FormatError("footer.schema", None, "no such column", ".".join(next(iter(left))))
    made += footer[done:]
    return bytes(made) + Tail(len_footer=len(made) - start).to_bytes()


class _Element(NamedTuple):
    """A node of the schema: where it ends in the footer, and its own fields."""

    end: int
    held: dict[str, Any]


def _elements(footer: bytes) -> list[_Element]:
    """Return the nodes of the schema, in their order."""
    made = list[_Element]()
    for each in StructWalk(footer).fields("FileMetaData"):
        if each.name == "num_rows":
            break
        if each.path == each.name and each.path.startswith("schema["):
            made.append(_Element(each.end, {}))
        elif made and each.depth == 1:
            made[-1].held[each.name] = each.value
    return made


def _named(elements: list[_Element]) -> Iterator[tuple[tuple[str, ...], _Element]]:
    """Yield each node with the names that lead to it."""
    names, waiting = list[str](), [1]
    for each in elements:
        names[len(waiting) - 1 :] = [each.held["name"]]
        yield tuple(names[1:]), each
        waiting[-1] -= 1
        waiting.append(each.held.get("num_children") or 0)
        while waiting and not waiting[-1]:
            waiting.pop()


def _logical(name: str, held: bytes) -> bytes:
    """Return a logical type by its name, with the fields of its own struct."""
    return _head(_LOGICAL[name].number, "struct", 0) + held + 2 * _STOP


def _head(number: int, kind: str, before: int) -> bytes:
    """Return the head of a field that follows the one with the number *before*."""
    step = number - before
    if step <= _LONGEST_STEP:
        return bytes([step << 4 | _KINDS[kind]])
    return bytes([_KINDS[kind]]) + zigzag_bytes(number)
