"""A file of any format, by its spec, compiled on the spot: the generated parser reads it.

Then everything that records read on demand is evaluated: instances, calculated values, labels.
The rules:

- Every record is evaluated once.  Records may refer back to others, each time as new objects: a
  record of the same type, read from the same bytes with the same parameters, is not evaluated
  again, but shown as a repetition of the first.
- A value that cannot be read is shown as an error, and evaluation continues with the next.
- Evaluation ends when the tree is full, and its depth is limited.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.printing.report import Decoded, Report
from byteloom.errors import ByteloomError, FormatError, LimitExceeded
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Node, Record, TracingReader
from byteloom_codegen.model import (
    BitsType,
    EnumType,
    Instance,
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.names import attribute_name, parameter_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.cli.inputs.compiled_specs import Format
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding
    from byteloom.wire.trail import Place
    from byteloom_codegen.model import DataType, Field

__all__ = ["Instances", "Reference", "report"]

_DEEPEST: Final = 200
"""The deepest nesting of records that are evaluated: the limit of reading."""

_SHORT: Final = 64
"""Bytes, characters or elements of a value that its node keeps."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that is a record shown elsewhere, or equal to one."""

    path: str

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"→ {self.path}"


@dataclass(slots=True)
class Instances:
    """Evaluates the records of one traced read.

    types   the description of every class
    errors  the values that could not be read, in order
    """

    reader: TracingReader
    types: Mapping[type, TypeSpec]
    errors: list[ByteloomError] = field(default_factory=list)
    _known: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def evaluate(self) -> None:
        """Evaluate the instances of all records, and of records that these instances read."""
        traced = self.reader.trail.traced
        for number in count():
            if number >= len(traced.places) or traced.left <= 0:
                return
            place = traced.places[number]
            spec = self.types.get(type(place.record))
            if spec is not None and place.path.count(".") < _DEEPEST:
                self._evaluate(place, spec)

    def _evaluate(self, place: Place, spec: TypeSpec) -> None:
        for each in spec.seq:
            if _wants_value(each.type):
                self._name(place, each)
        if any(isinstance(each, Instance) for each in spec.instances):
            known = self._known.setdefault(self._key(place, spec), place.path)
            if known != place.path:
                place.node.value = Reference(known)
                return
        for instance in spec.instances:
            self._instance(place, instance)

    def _key(self, place: Place, spec: TypeSpec) -> tuple[Any, ...]:
        """Return a key that is equal for records with equal content."""
        handed = [getattr(place.record, parameter_name(each.name)) for each in spec.params]
        params = [
            repr(each)[:_SHORT] if not isinstance(each, Record) else id(each) for each in handed
        ]
        node = place.node
        return type(place.record), id(place.root), node.start, node.end, *params

    def _name(self, place: Place, field: Field) -> None:
        """Show the value of a field as the record has it: as a label, decoded, or as a bool."""
        try:
            value = getattr(place.record, attribute_name(field.name))
        except ByteloomError:  # derived from a value that cannot be written
            return
        values = value if isinstance(value, list) else [value]
        nodes = (each for each in place.node.children if _is_of(each, field.name))
        for node, one in zip(nodes, values, strict=False):
            if not node.children and not node.more and not isinstance(one, Record):
                node.value = _short(one)

    def _instance(self, place: Place, instance: Instance | ValueInstance) -> None:
        node, name = place.node, instance.name
        try:
            with self._nodes_below(place):
                value = getattr(place.record, attribute_name(name))
        except RecursionError:
            deep = LimitExceeded(name, None, "values that lead to each other", "fewer steps")
            self._fail(place, name, deep)
        except ByteloomError as error:
            self._fail(place, name, error)
        else:
            if value is not None and not any(_is_of(each, name) for each in node.children):
                self._add(node, name, self._plain(value))
            elif not isinstance(instance, ValueInstance) and _wants_value(instance.type):
                self._name(place, instance)

    def _nodes_below(self, place: Place) -> Any:
        """Add nodes below *place* for calculated fields, which have no bytes."""
        stream = getattr(place.record, "_io", None)
        if isinstance(stream, TracingReader) and stream.root is place.root:
            return stream.trail.under(place.node)
        return self.reader.trail.under(self.reader.root)

    def _fail(self, place: Place, name: str, error: ByteloomError) -> None:
        if isinstance(error, FormatError):
            error.inside(place.path if error.path.startswith(name) else f"{place.path}.{name}")
        self.errors.append(error)
        self._add(place.node, name, None, error)

    def _add(
        self, node: Node, name: str, value: object, error: ByteloomError | None = None
    ) -> None:
        at = node.end
        node.children.append(
            Node(name=name, start=at, end=at, value=value, error=error, placed=False)
        )
        self.reader.trail.traced.left -= 1

    def _plain(self, value: Any) -> object:
        if isinstance(value, Record):
            place = self.reader.trail.traced.place_of(value)
            return Reference(place.path if place else type(value).NAME)
        if isinstance(value, list):
            return [self._plain(each) for each in value[:_SHORT]]
        return _short(value)


def _is_of(node: Node, name: str) -> bool:
    return node.name == name or node.name.startswith(f"{name}[")


def _wants_value(type_: DataType) -> bool:
    """Whether to show a value as the record has it, and not as the reader took it."""
    match type_:
        case EnumType() | SwitchType() | BitsType(is_bool=True):
            return True
        case UserType():
            return False
    return getattr(type_, "process", None) is not None


def _short(value: Any) -> object:
    if isinstance(value, bytes | str | list):
        return value[:_SHORT]
    return value


_OBJECTS: Final = 1_000_000
"""The most records of a tree that is folded anyway: some seconds of reading."""


def report(format_: Format, source: Source, params: dict[str, Any], *, folding: Folding) -> Report:
    """Return the report of *source*; *folding* says which nodes of its trees are folded."""
    reader = _reader(source.read(0, source.size), folding)
    instances = Instances(reader, format_.types)
    error = _damage(reader, format_.top, params)
    reader.trail.traced.settle()
    instances.evaluate()
    return Report(
        source=source,
        format=format_.spec.name,
        title=format_.spec.title or format_.spec.name,
        root=reader.root,
        facts=_left(reader.root, source.size) if error is None else {},
        decoded=[
            Decoded(name=each.path, root=each.root, load=lambda data=each.data: data)  # type: ignore[misc]
            for each in reader.trail.traced.made
            if each.root.children
        ],
        error=error or next(iter(instances.errors), None),
    )


def _left(root: Node, size: int) -> dict[str, int]:
    """Return how many bytes follow the last field, if there are any."""
    end, nodes = 0, list(root.children)
    while nodes:
        node = nodes.pop()
        if node.placed:
            end = max(end, node.end)
        nodes += node.children
    return {"bytes_after_last_field": size - end} if end < size else {}


def _reader(data: bytes, folding: Folding) -> TracingReader:
    limits = DEFAULT_LIMITS if folding.full else replace(DEFAULT_LIMITS, objects=_OBJECTS)
    return TracingReader(data, limits=limits, folding=folding)


def _damage(
    reader: TracingReader, top: type[Record], params: dict[str, Any]
) -> ByteloomError | None:
    """Read the file; return its error, or None."""
    try:
        reader.whole(top.NAME, partial(top.read, **params))
    except RecursionError:
        return LimitExceeded(top.NAME, None, "records inside records", "fewer levels")
    except ByteloomError as error:
        return error
    return None
