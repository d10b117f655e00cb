"""What a record calculates or reads on demand: derived fields, value and parse instances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.expressions import Literal_, Name
from byteloom_codegen.model import (
    ContentsType,
    EnumType,
    Field,
    Instance,
    IntType,
    Process,
    TypeSpec,
    ValueInstance,
)
from byteloom_codegen.nodes import asks_place, asks_stream, is_optional, walk
from byteloom_codegen.python.cost import asks_itself, is_costly
from byteloom_codegen.python.derived_fields import PROCESSOR, Derived, derived_fields
from byteloom_codegen.python.descriptor_fields import Describes, describing_fields
from byteloom_codegen.python.docs import prose
from byteloom_codegen.python.formulas import Formula, formulas_of
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.names import attribute_name, hidden_name
from byteloom_codegen.python.read_calls import decoder
from byteloom_codegen.python.read_statements import ReadStatements
from byteloom_codegen.python.scope import MethodScope, Module
from byteloom_codegen.python.sizes import padding_size
from byteloom_codegen.python.templates import PROPERTY, READ
from byteloom_codegen.python.translation import Translator
from byteloom_codegen.python.view import Constant, Property
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.python.statements import Statement

__all__ = ["constants_of", "properties_of", "text_of"]

_HELD = 'given(self._io, "_io")'
"""The stream that a record keeps for what is read or calculated later."""


def properties_of(spec: TypeSpec, module: Module) -> list[Property]:
    """Return the properties of the class that *spec* becomes."""
    properties = _Properties(spec, module)
    follows = [*properties.derived(), *properties.padding(), *properties.describing()]
    return [*follows, *properties.instances(), *properties.formulas()]


def constants_of(spec: TypeSpec) -> list[Constant]:
    """Return the numbers that *spec* gives names, which its class has as attributes."""
    return [
        Constant(
            name=attribute_name(each.name),
            value=value,
            doc=tuple(prose(each.doc)) if each.doc.strip() else (),
        )
        for each in spec.instances
        if (value := _constant(each)) is not None
    ]


def _constant(instance: Instance | ValueInstance) -> int | None:
    """Return the number of a value instance that is the same in all records; None for others."""
    if not isinstance(instance, ValueInstance) or not isinstance(instance.type, IntType):
        return None
    if instance.condition is not None or instance.valid is not None:
        return None
    value = instance.value
    return value.value if isinstance(value, Literal_) and type(value.value) is int else None


def text_of(spec: TypeSpec, module: Module) -> str:
    """Return the source of what ``str`` makes of a record; "" where *spec* does not say."""
    if spec.to_string is None:
        return ""
    return Translator(_HeldScope(module, spec, stream=_HELD))(spec.to_string)


class _HeldScope(MethodScope):
    """Names inside a property, which imports what the stream needs only if it uses it."""

    def special(self, name: str) -> str:
        """Return the source for a name that the language defines."""
        if name == "_io":
            self.calc("given")
        return super().special(name)


@dataclass(frozen=True, slots=True)
class _Properties:
    """What the properties of one record share."""

    spec: TypeSpec
    module: Module

    def derived(self) -> list[Property]:
        scope = _HeldScope(self.module, self.spec, stream=_HELD)
        properties = []
        for field in self.spec.seq:
            if field.name not in derived_fields(self.spec):
                continue
            derived = derived_fields(self.spec)[field.name]
            source = derived.source or Translator(scope)(field.loom["derive"])
            source = self._with_processor(source, derived.by, scope)
            scope.import_for(source)
            properties.append(
                Property(
                    name=attribute_name(field.name),
                    annotation=self._optional(field, self.module.annotation_of(field)),
                    doc=tuple(prose(field.doc, self._origin(field, derived))),
                    body=PROPERTY.lines("follows", value=source, hidden=self._held(field)),
                )
            )
        return [*properties, *self._optional_magics(scope)]

    def _origin(self, field: Field, derived: Derived) -> str:
        """Return what a derived field follows from."""
        if not derived.by:
            return f"Derived as `{unparse(field.loom['derive'])}`."
        by = next(each for each in self.spec.seq if each.name == derived.by)
        value = f"self.{attribute_name(by.name)}"
        counts = {f"len({value})", f"size_of({str_literal(by.name)}, {value})"}
        if derived.source.partition(" if ")[0] not in counts:
            return f"It follows from `{by.name}`."
        return f"How many `{by.name}` there are." if by.repeat else f"Bytes of `{by.name}`."

    def _held(self, field: Field) -> str:
        """Return what stores a derived field until what it follows from is read, if needed."""
        held = self.module.is_held(field, derived_fields(self.spec))
        return f"self.{hidden_name(field.name)}" if held else ""

    @staticmethod
    def _optional(field: Field, annotation: str) -> str:
        return annotation if field.condition is None else f"{annotation} | None"

    def _optional_magics(self, scope: MethodScope) -> list[Property]:
        """Return the optional fields that always have the same bytes."""
        return [
            Property(
                name=attribute_name(field.name),
                annotation="bytes | None",
                doc=tuple(prose(field.doc, f"The bytes of `{field.name}`, where it is there.")),
                body=PROPERTY.lines(
                    "magic_if_there",
                    contents=bytes_literal(field.type.contents),
                    test=Translator(scope)(field.condition),
                ),
            )
            for field in self.spec.seq
            if isinstance(field.type, ContentsType)
            and field.condition is not None
            and field.repeat is None
        ]

    def padding(self) -> list[Property]:
        """Return the fields that are padding up to a multiple."""
        return [
            Property(
                name=attribute_name(field.name),
                annotation="bytes",
                doc=tuple(prose(field.doc, "Padding, as it was read; it follows what is written.")),
                body=PROPERTY.lines("read_before", hidden=f"self.{hidden_name(field.name)}"),
            )
            for field in self.spec.seq
            if padding_size(field) is not None
        ]

    def describing(self) -> list[Property]:
        """Return the fields that describe optional values."""
        describing = describing_fields(self.spec)
        fields = [field for field in self.spec.seq if field.name in describing]
        return [self._describing(field, describing[field.name]) for field in fields]

    def _describing(self, field: Field, describing: Describes) -> Property:
        hidden, scope = f"self.{hidden_name(field.name)}", MethodScope(self.module, self.spec)
        if describing.is_field:
            default = field.loom.get("default", 0)
            body = PROPERTY.lines("kept_or_default", hidden=hidden, default=default)
        else:
            scope.calc("given")
            body = PROPERTY.lines("kept", hidden=hidden, name=str_literal(field.name))
        what = "Bytes of" if describing.length else "The place of"
        if describing.length:
            length = self._with_processor(describing.length, describing.instance, scope)
            scope.import_for(length)
            body = PROPERTY.lines("length_of", value=length, there=describing.there, otherwise=body)
        return Property(
            name=attribute_name(field.name),
            annotation=self.module.annotation_of(field),
            doc=tuple(prose(field.doc, f"{what} `{describing.instance}`.")),
            body=body,
            hidden=hidden,
        )

    def _with_processor(self, source: str, by: str, scope: MethodScope) -> str:
        """Return *source* with its processor filled in: that of the field *by*."""
        if PROCESSOR not in source:
            return source
        members = (*self.spec.seq, *self.spec.instances)
        field = next(each for each in members if each.name == by)
        process: Process = getattr(field.type, "process")  # noqa: B009  (few types have one)
        return source.replace(PROCESSOR, decoder(process, scope))

    def instances(self) -> list[Property]:
        return [
            self._calculated(each)
            if isinstance(each, ValueInstance)
            else self._read_when_asked(each)
            for each in self.spec.instances
            if _constant(each) is None
        ]

    def formulas(self) -> list[Property]:
        """Return the formulas for the sizes of fields that do not follow from the field alone."""
        has_stream = id(self.spec) in self.module.uses.io
        return [
            self._formula(each)
            for each in formulas_of(self.spec)
            if has_stream or not asks_stream(each.value)
        ]

    def _formula(self, formula: Formula) -> Property:
        source = Translator(_HeldScope(self.module, self.spec, stream=_HELD))(formula.value)
        from_parent = "._parent" in source  # the value may be of any type
        field = formula.field
        each = "each of " if field.repeat and formula.what == "bytes" else ""
        said = f"The {formula.what} of {each}`{field.name}`: `{unparse(formula.value)}`."
        return Property(
            name=formula.name,
            annotation="int",
            doc=tuple(prose(said)),
            body=PROPERTY.lines(
                "calculated", value=source, annotation="int" if from_parent else "", hidden=""
            ),
        )

    def _calculated(self, instance: ValueInstance) -> Property:
        scope = _HeldScope(self.module, self.spec, stream=_HELD)
        annotation = self.module.annotation(instance.type)
        passed = is_optional(instance) and isinstance(instance.value.type, EnumType)
        source = Translator(scope).passing(instance.value)
        if "| int" in annotation and not passed:
            source = Translator(scope)(instance.value)
            scope.calc("named")
            source = READ.value("label", enum=annotation.removesuffix(" | int"), number=source)
        if instance.condition is not None:
            source = f"{source} if {Translator(scope)(instance.condition)} else None"
        if is_optional(instance):
            annotation = f"{annotation} | None"
        of_any_type = "._parent" in source or "member_of(" in source
        hidden = f"self.{hidden_name(instance.name)}" if asks_place(instance) else ""
        return Property(
            name=attribute_name(instance.name),
            annotation=annotation,
            doc=tuple(prose(instance.doc, f"Calculated: `{instance.name}`.")),
            body=PROPERTY.lines(
                "calculated",
                value=source,
                annotation=annotation if of_any_type else "",
                hidden=hidden,
            ),
            once=is_costly(instance) and bool(scope.calc("once")),
        )

    def _read_when_asked(self, instance: Instance) -> Property:
        scope = MethodScope(self.module, self.spec, stream="io")
        source = Translator(scope)
        scope.calc("stream_of")
        scope.calc("replaced")
        stream = "io" if instance.io is None else self._stream(source(instance.io))
        hidden, name = f"self.{hidden_name(instance.name)}", str_literal(instance.name)
        # `_io` is the record's own stream: it moves with what is read, unless `io` names another
        moving = scope if instance.io is not None else replace(scope, stream="r")
        taken = self._taken(instance, ReadStatements(moving), hidden)
        own = instance.io is None or any(
            isinstance(node, Name) and node.id == "_io" for node in walk(instance)
        )
        test = ""
        # Where the condition is false, what the value depends on may be missing.
        if instance.condition is not None:
            held = replace(scope, stream=self._stream("self._io"))
            test = Translator(held)(instance.condition)
        return Property(
            name=attribute_name(instance.name),
            annotation=self._annotation(instance),
            doc=tuple(prose(instance.doc, f"Read when asked for: `{instance.name}`.")),
            body=PROPERTY.lines(
                "asked_for",
                hidden=hidden,
                test=test,
                own=own,
                name=name,
                stream=stream,
                pos="" if instance.pos is None else source(instance.pos),
                taken=taken,
            ),
            hidden=hidden,
            lazy=True,
            once=asks_itself(instance) and bool(scope.calc("once")),
        )

    @staticmethod
    def _stream(value: str) -> str:
        return PROPERTY.value("stream_of", value=value)

    def _annotation(self, instance: Instance) -> str:
        annotation = self.module.annotation_of(instance)
        return f"{annotation} | None" if is_optional(instance) else annotation

    def _taken(self, instance: Instance, reading: ReadStatements, hidden: str) -> list[Statement]:
        """Return the statements that read *instance*; a failure half-way leaves no value."""
        present = replace(instance, condition=None)
        if isinstance(instance.type, ContentsType) and instance.repeat is None:
            contents = bytes_literal(instance.type.contents)
            kept = READ.lines("assigned", target=hidden, value=contents)
            return [*reading.field(present, hidden), *kept]
        if any(isinstance(node, Name) and node.target is instance for node in walk(instance)):
            taken = reading.field(present, hidden)  # it uses elements that it has read already
            return PROPERTY.lines("taken_back", hidden=hidden, taken=taken)
        taken = reading.field(present, hidden)
        if len(taken) == 1:
            return taken
        annotation, taken = self._annotation(instance), reading.field(present, "value")
        return PROPERTY.lines("taken_whole", hidden=hidden, annotation=annotation, taken=taken)
