"""One type of a spec becomes one record class.

A record holds what no other value determines.  Magics and checksums are no part of it, derived
fields and value instances are properties, and parse instances are read when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from byteloom_codegen.model import (
    BitsType,
    EndianSwitch,
    EnumType,
    Field,
    FloatType,
    Instance,
    IntType,
    TypeSpec,
)
from byteloom_codegen.python.derive import Derived, derived_fields, is_checksum
from byteloom_codegen.python.docs import prose, record_doc
from byteloom_codegen.python.names import attribute_name, local_name
from byteloom_codegen.python.properties import properties_of
from byteloom_codegen.python.reading import Reading, is_magic, target_of
from byteloom_codegen.python.scope import MethodScope, Module
from byteloom_codegen.python.sizes import fixed_bytes, least_bytes, type_size
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.taking import Taking, letter
from byteloom_codegen.python.translate import is_optional, str_literal
from byteloom_codegen.python.view import Attribute, RecordView
from byteloom_codegen.python.writing import Writing

__all__ = ["record_view"]


def record_view(spec: TypeSpec, module: Module) -> RecordView:
    """Return the class that *spec* becomes in *module*."""
    return _Builder(spec, module).view()


@dataclass(slots=True)
class _Builder:
    """What the parts of one record class share."""

    spec: TypeSpec
    module: Module

    @property
    def derived(self) -> dict[str, Derived]:
        return derived_fields(self.spec)

    def view(self) -> RecordView:
        size = type_size(self.spec)
        return RecordView(
            name=self.module.class_of(self.spec),
            id=self.spec.name,
            doc=record_doc(self.spec),
            least_size=least_bytes(size),
            fixed_size=fixed_bytes(size),
            attributes=[*self._params(), *self._stored(), *self._hidden()],
            arguments=self._arguments(),
            read=self._read(),
            write=self._write(),
            properties=properties_of(self.spec, self.module),
        )

    # Attributes

    def _params(self) -> list[Attribute]:
        return [
            Attribute(
                name=attribute_name(param.name),
                annotation=self.module.annotation(param.type),
                doc=tuple(prose(param.doc)) if param.doc else (),
            )
            for param in self.spec.params
        ]

    def _is_stored(self, field: Field) -> bool:
        return not is_magic(field) and not is_checksum(field) and field.name not in self.derived

    def _stored(self) -> list[Attribute]:
        return [self._attribute(field) for field in self.spec.seq if self._is_stored(field)]

    def _attribute(self, field: Field) -> Attribute:
        annotation = self.module.annotation(field.value_type)
        default = repr(field.loom["default"]) if "default" in field.loom else ""
        if isinstance(field.type, BitsType) and field.type.is_bool and default:
            default = str(bool(field.loom["default"]))
        if is_optional(field):
            annotation, default = f"{annotation} | None", default or "None"
        doc = tuple(prose(field.doc)) if field.doc else ()
        return Attribute(
            name=attribute_name(field.name), annotation=annotation, default=default, doc=doc
        )

    def _hidden(self) -> list[Attribute]:
        uses, me = self.module.uses, id(self.spec)
        hidden: list[Attribute] = []
        if me in uses.parent:
            hidden.append(Attribute(name="_parent", annotation="Any", default="None", hidden=True))
            self.module.typing.add("Any")
        if me in uses.root and self.spec.owner is not None:
            root = self.module.class_of(self.spec.spec.top)
            hidden.append(
                Attribute(name="_root", annotation=f"{root} | None", default="None", hidden=True)
            )
        if isinstance(self.spec.endian, EndianSwitch):
            hidden.append(Attribute(name="_is_le", annotation="bool", default="True", hidden=True))
        if me in uses.io:
            hidden.append(
                Attribute(name="_io", annotation="Reader | None", default="None", hidden=True)
            )
        for instance in self.spec.instances:
            if isinstance(instance, Instance):
                annotation = self.module.annotation(instance.value_type)
                hidden.append(
                    Attribute(
                        name=f"_{instance.name}",
                        annotation=f"{annotation} | None",
                        default="None",
                        hidden=True,
                    )
                )
        return hidden

    def _arguments(self) -> list[str]:
        arguments = []
        if id(self.spec) in self.module.uses.parent:
            self.module.typing.add("Any")
            arguments.append("parent: Any = None")
        if id(self.spec) in self.module.uses.root and self.spec.owner is not None:
            arguments.append(f"root: {self.module.class_of(self.spec.spec.top)} | None = None")
        if self.module.uses.inherits_endian(self.spec):
            arguments.append("is_le: bool = True")
        keywords = [
            f"{local_name(param.name)}: {self.module.annotation(param.type)}"
            for param in self.spec.params
        ]
        return [*arguments, "*", *keywords] if keywords else arguments

    # Reading and writing

    def _read(self) -> list[Statement]:
        locals_ = frozenset(field.name for field in self.spec.seq if not self._is_stored(field))
        reading = Reading(MethodScope(self.module, self.spec, locals=locals_))
        statements = self._settled()
        for fields in self._steps():
            statements += self._between(fields[0], "r")
            if len(fields) > 1:
                targets = ", ".join(target_of(field, locals_) for field in fields)
                statements.append(f"{targets} = r.run({self._run(fields)})")
            elif is_checksum(fields[0]):
                statements += self._read_checksum(fields[0], reading)
            else:
                agreement = self._agreement(fields[0], reading)
                statements += ["at = r.offset"] if agreement else []
                statements += reading.field(fields[0], target_of(fields[0], locals_))
                statements += agreement
        return [*statements, *self._between(None, "r")]

    def _write(self) -> list[Statement]:
        writing = Writing(MethodScope(self.module, self.spec, stream="self._io"), self.derived)
        statements: list[Statement] = []
        for fields in self._steps():
            statements += self._between(fields[0], "w")
            if len(fields) > 1:
                values = ", ".join(f"self.{attribute_name(field.name)}" for field in fields)
                statements.append(f"w.run({self._run(fields)}, {values})")
            elif is_checksum(fields[0]):
                name, crc = str_literal(fields[0].name), fields[0].loom["crc"]
                value = f"w.{crc['algorithm']}({crc['over'][0]}_at, w.pos)"
                statements += writing.put(fields[0].type, name, value)
            else:
                statements += writing.field(fields[0])
        return [*statements, *self._between(None, "w")]

    def _steps(self) -> list[list[Field]]:
        """Return the fields, numbers that can be taken in one step together."""
        marks, steps, order = self._marks(), list[list[Field]](), ""
        for field in self.spec.seq:
            here = _byte_order(field)
            joins = (
                steps and order and here and "" not in {order, here} and {order, here} != {"<", ">"}
            )
            if joins and field.name not in marks:
                steps[-1].append(field)
                order = here if order == "=" else order
            else:
                steps.append([field])
                order = here
        return steps

    def _run(self, fields: list[Field]) -> str:
        """Return the arguments that a run of numbers is read and written with."""
        names = ", ".join(str_literal(field.name) for field in fields)
        forms = [
            letter(field.type) for field in fields if isinstance(field.type, IntType | FloatType)
        ]
        order = next((_byte_order(field) for field in fields if _byte_order(field) != "="), "<")
        owner, first = self.module.class_of(self.spec), attribute_name(fields[0].name)
        layout = self.module.struct(owner, first, order + "".join(form[1] for form in forms))
        return f"({names}), {layout}"

    def _between(self, field: Field | None, stream: str) -> list[Statement]:
        """Return what comes before *field* (None: at the end): bits dropped, a place remembered."""
        before = self.spec.seq[: self.spec.seq.index(field)] if field else self.spec.seq
        bits = bool(before) and _is_bits(before[-1]) and not (field and _is_bits(field))
        statements: list[Statement] = [f"{stream}.align()"] if bits else []
        mark = self._marks().get(field.name) if field else None
        return [*statements, f"{mark} = {stream}.pos"] if mark else statements

    def _settled(self) -> list[Statement]:
        """What a record knows before its first byte."""
        uses, me = self.module.uses, id(self.spec)
        statements: list[Statement] = []
        if me in uses.parent:
            statements.append("self._parent = parent")
        if me in uses.root and self.spec.owner is not None:
            statements.append("self._root = root")
        if me in uses.io:
            statements.append("self._io = r")
        if uses.inherits_endian(self.spec):
            statements.append("self._is_le = is_le")
        statements += [
            f"self.{attribute_name(param.name)} = {local_name(param.name)}"
            for param in self.spec.params
        ]
        return statements + [
            f"self._{each.name} = None"
            for each in self.spec.instances
            if isinstance(each, Instance)
        ]

    def _marks(self) -> dict[str, str]:
        """Return the fields where bytes under a checksum begin, and the variables that say where."""
        covered = [field.loom["crc"]["over"] for field in self.spec.seq if is_checksum(field)]
        return {over[0]: f"{over[0]}_at" for over in covered}

    def _read_checksum(self, field: Field, reading: Reading) -> list[Statement]:
        name, variable = str_literal(field.name), local_name(field.name)
        crc = field.loom["crc"]
        return [
            "at = r.offset",
            f"computed = r.{crc['algorithm']}({crc['over'][0]}_at, r.pos)",
            f"{variable} = {Taking(reading.scope).value(field.type, name)}",
            Block(
                f"if {variable} != computed:",
                [f"raise r.damaged({name}, at, {variable}, computed)"],
            ),
        ]

    def _agreement(self, field: Field, reading: Reading) -> list[Statement]:
        """Check a field that the spec derives against the expression that derives it."""
        if "derive" not in field.loom or field.valid is not None:
            return []
        wanted = reading.source(field.loom["derive"])
        name, variable = str_literal(field.name), local_name(field.name)
        error = f'raise r.invalid({name}, at, {variable}, f"{{{wanted}}}")'
        return [Block(f"if {variable} != {wanted}:", [error])]


def _is_bits(field: Field) -> bool:
    base = field.type.base if isinstance(field.type, EnumType) else field.type
    return isinstance(base, BitsType)


def _byte_order(field: Field) -> str:
    """Return how a number that fits a run is ordered ("=" for one byte); "" for all else."""
    plain = (
        field.condition is None and field.repeat is None and field.valid is None and not field.loom
    )
    if not plain or not isinstance(field.type, IntType | FloatType):
        return ""
    return "=" if field.type.width == 1 else {"le": "<", "be": ">", None: ""}[field.type.endian]
