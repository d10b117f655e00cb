"""The methods that a class has beside those that read its fields: to fetch, check and write.

The interface is the official one: ``_fetch_instances``, and in read-write mode ``_write__seq``,
``_check``, a setter and ``NAME__enabled`` for each parse instance, ``_invalidate_NAME`` for each
value instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.consistency import Consistency, needs_stream
from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.kaitaistruct.putback import PutBack
from byteloom_codegen.kaitaistruct.values import Values
from byteloom_codegen.kaitaistruct.writing import Writing
from byteloom_codegen.model import (
    DataType,
    EndianSwitch,
    Instance,
    OpaqueType,
    SwitchType,
    UserType,
    ValueInstance,
)

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.scope import Module
    from byteloom_codegen.model import Field, TypeSpec
    from byteloom_codegen.python.statements import Statement

__all__ = ["Serializing", "fetching"]


class Serializing:
    """What the class of *spec* needs in order to write: names of methods to their bodies."""

    def __init__(self, spec: TypeSpec, module: Module) -> None:
        """Take a type and the module that its class is in."""
        self._spec = spec
        self._module = module
        # In the official compiler's order, by name: where two share bytes, the last one stays.
        self._parsed = sorted(
            (each for each in spec.instances if isinstance(each, Instance)),
            key=lambda each: each.name,
        )
        self._calculated = [each for each in spec.instances if isinstance(each, ValueInstance)]

    def flags(self) -> list[Statement]:
        """Return what ``__init__`` says about the instances: all are written, none yet."""
        names = [attribute_of(each) for each in self._parsed]
        return DROP_IN.lines("flags", names=names) if names else []

    def check(self) -> list[Statement]:
        """Return the body of ``_check``.

        Computed values are computed again, as their fields may have changed; those
        that need the stream are when the record is written.
        """
        stale = [each for each in self._calculated if not needs_stream(each.value, each.condition)]
        values = Values(self._module, self._spec)
        lines = self._forgotten(stale)
        for each in (*self._spec.seq, *self._parsed):
            lines += Consistency(each, values).statements()
        return [*lines, *DROP_IN.lines("clean")]

    def write(self, decide: list[Statement], path: str) -> dict[str, list[Statement]]:
        """Return ``_write__seq`` and what it calls, where the byte order is decided by values."""
        begun = DROP_IN.lines("writing", names=[attribute_of(each) for each in self._parsed])
        begun += self._forgotten(self._calculated)
        if not isinstance(self._spec.endian, EndianSwitch):
            return {"_write__seq": [*begun, *self._seq(Values(self._module, self._spec))]}
        either = DROP_IN.lines("either_order", decision=decide, path=path, verb="write__seq")
        methods = {"_write__seq": [*begun, *either]}
        for order in ("le", "be"):
            values = Values(self._module, self._spec, endian=order)
            methods[f"_write__seq_{order}"] = self._seq(values)
        return methods

    def put_back(self) -> dict[str, tuple[tuple[str, ...], list[Statement]]]:
        """Return the methods that write the bytes of substreams back, with their parameters."""
        values = Values(self._module, self._spec)
        methods = {}
        for each in (*self._spec.seq, *self._parsed):
            if back := PutBack.of(each):
                parameters = ("self", "io", "data", *back.parameters())
                methods[f"_put_{attribute_of(each)}"] = (parameters, back.statements(values))
        return methods

    def put_instance(self, instance: Instance) -> list[Statement]:
        """Return the body of ``_write_NAME``."""
        name = attribute_of(instance)
        if not isinstance(self._spec.endian, EndianSwitch):
            body = Writing(instance, Values(self._module, self._spec)).statements()
            return DROP_IN.lines("instance_put", name=name, body=body)
        little, big = (
            Writing(instance, Values(self._module, self._spec, endian=order)).statements()
            for order in ("le", "be")
        )
        body = little if little == big else DROP_IN.lines("in_order", little=little, big=big)
        return DROP_IN.lines("instance_put", name=name, body=body)

    def _seq(self, values: Values) -> list[Statement]:
        return [line for each in self._spec.seq for line in Writing(each, values).statements()]

    def _forgotten(self, instances: list[ValueInstance]) -> list[Statement]:
        return DROP_IN.lines("forgotten", names=[attribute_of(each) for each in instances])


def fetching(spec: TypeSpec, module: Module) -> list[Statement]:
    """Return the statements for a record: its fields first, then its instances."""
    lines: list[Statement] = []
    for field in spec.seq:
        inner = _inside(field, f"self.{attribute_of(field)}", module)
        if inner and _may_be_missing(field):
            # A program that writes may set None for a field that is absent.
            there = "if_set" if module.read_write else "if_read"
            lines += DROP_IN.lines(there, name=attribute_of(field), body=inner)
        else:
            lines += inner
    instances = [each for each in spec.instances if isinstance(each, Instance)]
    if module.read_write:  # fetching is what writes them: `Serializing` says in which order
        instances.sort(key=lambda each: each.name)
    return [*lines, *(line for each in instances for line in _instance(each, module))]


def _instance(instance: Instance, module: Module) -> list[Statement]:
    name = attribute_of(instance)
    body = _inside(instance, f"self._m_{name}", module)
    there = "if_set" if module.read_write else "if_read"
    inside = DROP_IN.lines(there, name=f"_m_{name}", body=body) if body else []
    return DROP_IN.lines("instance_fetched", name=name, body=inside)


def _may_be_missing(field: Field) -> bool:
    unmatched = isinstance(field.type, SwitchType) and all(
        case.on is not None for case in field.type.cases
    )
    return field.condition is not None or (field.repeat is None and unmatched)


def _inside(field: Field, value: str, module: Module) -> list[Statement]:
    """Return what passes the call on to the records in *value*."""
    records = _records(field.type)
    if not any(records):
        return []
    one = value if field.repeat is None else "each"
    inner = DROP_IN.lines("fetched", record=one)
    if not all(records):
        struct = module.runtime("KaitaiStruct")
        inner = DROP_IN.lines("if_record", value=one, KaitaiStruct=struct, body=inner)
    if field.repeat is None:
        return inner
    return DROP_IN.lines("for_each", value=value, body=inner)


def _records(type_: DataType) -> list[bool]:
    """Return, for every form a value may take, whether it is a record."""
    if isinstance(type_, SwitchType):
        return [found for case in type_.cases for found in _records(case.type)]
    return [isinstance(type_, UserType | OpaqueType)]
