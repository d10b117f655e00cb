"""The statements of ``_fetch_instances``: read everything, so that the input may be closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.model import DataType, Instance, OpaqueType, SwitchType, UserType

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.scope import Module
    from byteloom_codegen.model import Field, TypeSpec
    from byteloom_codegen.python.statements import Statement

__all__ = ["fetching"]


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
