"""One type of a spec becomes one record class.

A record has the values that no other value determines.  Magics and checksums are not part of it,
derived fields and value instances are properties, and parse instances are read when they are asked
for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    ArrayType,
    BitsType,
    ContentsType,
    DataType,
    EndianSwitch,
    Field,
    Instance,
    IoType,
    StructType,
    TypeSpec,
    UserType,
    ValidKind,
)
from byteloom_codegen.nodes import asks_place, is_optional
from byteloom_codegen.python.bodies import Bodies
from byteloom_codegen.python.child_numbers import settled_numbers
from byteloom_codegen.python.derived_fields import is_magic
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.docs import prose, record_doc
from byteloom_codegen.python.formulas import is_compared
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.names import attribute_name, hidden_name, parameter_name, spare_name
from byteloom_codegen.python.properties import constants_of, properties_of, text_of
from byteloom_codegen.python.record_streams import needs_reading
from byteloom_codegen.python.sizes import (
    field_size,
    fixed_bytes,
    least_bytes,
    literal,
    padding_size,
    type_size,
)
from byteloom_codegen.python.view import Attribute, RecordView

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import Module

__all__ = ["record_view"]


def record_view(spec: TypeSpec, module: Module) -> RecordView:
    """Return the class that *spec* becomes in *module*."""
    return _Builder(spec, module, Bodies(spec, module)).view()


@dataclass(slots=True)
class _Builder:
    """What the methods that build one record class share."""

    spec: TypeSpec
    module: Module
    bodies: Bodies

    def view(self) -> RecordView:
        size = type_size(self.spec)
        known = set(self.module.structs)
        read, write = self.bodies.read(), self.bodies.write()
        return RecordView(
            name=self.module.class_of(self.spec),
            id=self.spec.name,
            doc=record_doc(self.spec),
            least_size=least_bytes(size),
            fixed_size=None if id(self.spec) in self.module.bits.carried else fixed_bytes(size),
            most=self._most(),
            places=self._places(fixed_bytes(size)),
            magics=self._magics(),
            constants=constants_of(self.spec),
            attributes=[*self._params(), *self._stored(), *self._hidden()],
            arguments=self._arguments(),
            begun=self.bodies.begun(),
            read=read,
            write=write,
            structs={name: form for name, form in self.module.structs.items() if name not in known},
            properties=properties_of(self.spec, self.module),
            text=text_of(self.spec, self.module),
            is_reread=needs_reading(self.spec),
            follows=is_compared(self.spec),
            lazy=self._lazy(),
        )

    # Attributes

    def _params(self) -> list[Attribute]:
        return [
            Attribute(
                name=parameter_name(param.name),
                annotation=self.module.annotation(param.type),
                default="field(repr=False, compare=False)" if _may_hold_it(param.type) else "",
                doc=tuple(prose(param.doc)) if param.doc.strip() else (),
            )
            for param in self.spec.params
        ]

    def _most(self) -> list[str]:
        """Return the greatest values that rules of the spec give by numbers."""
        bounds = [
            (each.name, literal(each.valid.maximum))
            for each in self.spec.seq
            if each.valid is not None and each.valid.kind is ValidKind.RANGE
        ]
        return [f"{str_literal(name)}: {most}" for name, most in bounds if most is not None]

    def _places(self, fixed_size: int | None) -> list[str]:
        """Return where each field begins in a record of several fields, all of fixed sizes."""
        bits = [field_size(each).least for each in self.spec.seq]
        if fixed_size is None or any(each % 8 for each in bits) or len(bits) < 2:  # noqa: PLR2004
            return []
        starts = accumulate(bits, initial=0)
        named = zip(self.spec.seq, starts, strict=False)
        return [f"{str_literal(each.name)}: {at // 8}" for each, at in named]

    def _magics(self) -> dict[str, str]:
        """Return the fields that always have the same bytes, with those bytes."""
        magics = [field for field in self.spec.seq if is_magic(field) and field.condition is None]
        return {
            attribute_name(field.name): bytes_literal(field.type.contents)
            for field in magics
            if isinstance(field.type, ContentsType)
        }

    def _lazy(self) -> list[str]:
        """Return what is read when asked for, with the attribute that holds it."""
        names = [each.name for each in self.spec.instances if isinstance(each, Instance)]
        return [
            f"{str_literal(attribute_name(name))}: {str_literal(hidden_name(name))}"
            for name in names
        ]

    def _stored(self) -> list[Attribute]:
        return [
            self._attribute(field)
            for field in self.spec.seq
            if self.module.is_stored(field, self.bodies.derived)
            and field.name not in describing_fields(self.spec)
        ]

    def _attribute(self, field: Field) -> Attribute:
        annotation = self.module.annotation_of(field)
        default = repr(field.loom["default"]) if "default" in field.loom else ""
        if isinstance(field.type, BitsType) and field.type.is_bool and default:
            default = str(bool(field.loom["default"]))
        if is_optional(field):
            annotation, default = f"{annotation} | None", default or "None"
        doc = tuple(prose(field.doc)) if field.doc.strip() else ()
        return Attribute(
            name=attribute_name(field.name), annotation=annotation, default=default, doc=doc
        )

    def _hidden(self) -> list[Attribute]:
        uses, me = self.module.uses, id(self.spec)
        hidden: list[Attribute] = []
        if me in uses.parent:
            hidden.append(Attribute(name="_parent", annotation="Any", default="None", hidden=True))
            self.module.typing.add("Any")
        if uses.has_root(self.spec):
            root = self.module.class_of(self.spec.spec.top)
            hidden.append(
                Attribute(name="_root", annotation=f"{root} | None", default="None", hidden=True)
            )
        if isinstance(self.spec.endian, EndianSwitch):
            hidden.append(Attribute(name="_is_le", annotation="bool", default="True", hidden=True))
        if me in uses.io:
            stream = f"{self.module.annotation(IoType())} | None"
            hidden.append(Attribute(name="_io", annotation=stream, default="None", hidden=True))
        hidden += [
            Attribute(
                name=hidden_name(field.name), annotation="int | None", default="None", hidden=True
            )
            for field in self.spec.seq
            if self.module.is_held(field, self.bodies.derived)
            or field.name in describing_fields(self.spec)
            or self.bodies.keeps_form(field)
        ]
        hidden += [
            Attribute(name=spare_name(name), annotation="int", default="0", hidden=True)
            for name in self.module.bits.breaks(self.spec).values()
            if name is not None
        ]
        hidden += [
            Attribute(name=hidden_name(each.name), annotation="bytes", default='b""', hidden=True)
            for each in self.spec.seq
            if padding_size(each) is not None
        ]
        hidden += [
            Attribute(name=each.hidden, annotation="int | None", default="None", hidden=True)
            for each in settled_numbers(self.spec).values()
        ]
        for instance in self.spec.instances:
            if isinstance(instance, Instance) or asks_place(instance):
                annotation = (
                    self.module.annotation_of(instance)
                    if isinstance(instance, Instance)
                    else self.module.annotation(instance.type)
                )
                hidden.append(
                    Attribute(
                        name=hidden_name(instance.name),
                        annotation=f"{annotation} | None",
                        default="None",
                        hidden=True,
                    )
                )
        return hidden

    def _arguments(self) -> list[str]:
        """Return the parameters of ``read`` after the reader: those of the spec, then our own."""
        arguments = [
            f"{parameter_name(param.name)}: {self.module.annotation(param.type)}"
            for param in self.spec.params
        ]
        if self.module.uses.inherits_endian(self.spec):
            arguments.append("_is_le: bool = True")
        if id(self.spec) in self.module.uses.parent:
            self.module.typing.add("Any")
            arguments.append("_parent: Any = None")
        if self.module.uses.has_root(self.spec):
            arguments.append(f"_root: {self.module.class_of(self.spec.spec.top)} | None = None")
        return arguments


def _may_hold_it(type_: DataType) -> bool:
    """Whether a parameter of *type_* may refer back to the record that it is passed to."""
    if isinstance(type_, ArrayType):
        return _may_hold_it(type_.element)
    return isinstance(type_, UserType | StructType | IoType)
