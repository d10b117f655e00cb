"""The bodies of ``read`` and ``write``: the fields one after another, facing each other."""

from __future__ import annotations

from dataclasses import dataclass

from byteloom_codegen.model import (
    EndianSwitch,
    Field,
    FloatType,
    Instance,
    IntType,
    TypeSpec,
)
from byteloom_codegen.python.adopt import adoptions
from byteloom_codegen.python.checks import shown
from byteloom_codegen.python.derive import Derived, derived_fields, is_checksum
from byteloom_codegen.python.lazies import told_fields
from byteloom_codegen.python.names import attribute_name, hidden_name, local_name, spare_name
from byteloom_codegen.python.placing import in_sequence, placements
from byteloom_codegen.python.reading import Reading, switched
from byteloom_codegen.python.scope import MethodScope, Module
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.taking import Taking, letter
from byteloom_codegen.python.translate import Translator, str_literal
from byteloom_codegen.python.uses import asks_place
from byteloom_codegen.python.writing import Writing, asks_stream

__all__ = ["Bodies"]


@dataclass(frozen=True, slots=True)
class Bodies:
    """Makes both bodies of one record."""

    spec: TypeSpec
    module: Module

    @property
    def derived(self) -> dict[str, Derived]:
        """The fields that follow from others."""
        return derived_fields(self.spec)

    def read(self) -> list[Statement]:
        """Return what stands between making the record and returning it."""
        scope = MethodScope(self.module, self.spec, locals=self._locals())
        reading = Reading(scope)
        statements = [
            *self._settled(),
            *self._byte_order(scope, "r.invalid({0}, r.offset, {1}, {2})"),
        ]
        for fields in self._steps():
            statements += self._between(fields[0], "r")
            if len(fields) > 1:
                targets = ", ".join(map(self._target, fields))
                statements.append(f"{targets} = r.{_run_of(fields)}({self._run(fields)})")
            elif is_checksum(fields[0]):
                statements += self._read_checksum(fields[0], reading)
            else:
                agreement = self._agreement(fields[0], reading)
                statements += ["at = r.offset"] if agreement else []
                statements += reading.field(fields[0], self._target(fields[0]))
                statements += agreement
            if self.keeps_form(fields[0]):
                name = fields[0].name
                statements.append(f"self.{hidden_name(name)} = {local_name(name)}")
            told = [field.name for field in fields if field.name in self._told_by_fields()]
            statements += [f"self.{hidden_name(name)} = {local_name(name)}" for name in told]
        return [*statements, *self._between(None, "r"), *self._released()]

    def keeps_form(self, field: Field) -> bool:
        """Whether *field* follows from others, and may be stored in more ways than one."""
        plain = field.valid is None and not self.module.is_held(field, self.derived)
        return plain and "varint" in field.loom and field.name in self.derived

    def _locals(self) -> frozenset[str]:
        """Return the fields that ``read`` keeps in variables."""
        told = self._told_by_fields()
        kept = (
            field.name
            for field in self.spec.seq
            if is_checksum(field)
            or (field.name in self.derived and not self.module.is_held(field, self.derived))
            or field.name in told
        )
        return frozenset(kept)

    def _told_by_fields(self) -> dict[str, str]:
        """Return the fields that tell of others that may not be there, with these."""
        told = told_fields(self.spec).items()
        return {name: each.instance for name, each in told if each.is_field}

    def _target(self, field: Field) -> str:
        """Return what holds *field* while its record is read."""
        if field.name in self._locals():
            return local_name(field.name)
        if self.module.is_held(field, self.derived) or field.name in told_fields(self.spec):
            return f"self.{hidden_name(field.name)}"
        return f"self.{attribute_name(field.name)}"

    def _released(self) -> list[Statement]:
        """From here on, fields that were held follow from what determines them."""
        held = [field for field in self.spec.seq if self.module.is_held(field, self.derived)]
        return [f"self.{hidden_name(field.name)} = None" for field in held]

    def write(self) -> list[Statement]:
        """Return what faces the statements of ``read``."""
        scope = MethodScope(self.module, self.spec, stream="w")
        told = {name: Derived(by, by) for name, by in self._told_by_fields().items()}
        writing = Writing(scope, self.derived | told)
        statements = [
            *self._here(),
            *self._byte_order(scope, "w.invalid({0}, {1}, {2})"),
            *adoptions(self.spec, self.module),
        ]
        for fields in self._steps():
            statements += self._between(fields[0], "w")
            statements += in_sequence(fields[0], self.spec, self.module)
            if len(fields) > 1:
                values = ", ".join(map(self._put, fields))
                statements.append(f"w.{_run_of(fields)}({self._run(fields)}, {values})")
            elif is_checksum(fields[0]):
                name, crc = str_literal(fields[0].name), fields[0].loom["crc"]
                value = f"w.{crc['algorithm']}({crc['over'][0]}_at, w.pos)"
                statements += writing.put(fields[0].type, name, value)
            elif self.keeps_form(fields[0]):
                hidden, name = f"self.{hidden_name(fields[0].name)}", attribute_name(fields[0].name)
                value = f"{hidden} if {hidden} == self.{name} else self.{name}"
                statements += writing.field(fields[0], value)
            else:
                statements += writing.field(fields[0])
        return [*statements, *self._between(None, "w"), *placements(self.spec, self.module)]

    def _put(self, field: Field) -> str:
        """Return the source of what is written of *field*: a length in sight needs no property."""
        derived = self.derived.get(field.name)
        plain = derived is not None and derived.source == f"len(self.{attribute_name(derived.by)})"
        if derived is None or not plain or self.module.is_held(field, self.derived):
            return f"self.{attribute_name(field.name)}"
        return derived.source

    def _byte_order(self, scope: MethodScope, error: str) -> list[Statement]:
        """Return the statements that decide the byte order, where the file does."""
        endian = self.spec.endian
        if not isinstance(endian, EndianSwitch) or self.module.uses.inherits_endian(self.spec):
            return []
        source = Translator(scope)
        before, on = switched(source(endian.on))
        otherwise: list[Statement] = [
            "raise " + error.format('"endian"', on, '"a byte order that the spec names"')
        ]
        blocks: list[Statement] = []
        for case, order in endian.cases:
            body: list[Statement] = [f"self._is_le = {order == 'le'}"]
            if case is None:
                otherwise = body
            else:
                word = "elif" if blocks else "if"
                blocks.append(Block(f"{word} {on} == {source(case)}:", body))
        return [*before, *blocks, Block("else:", otherwise)] if blocks else otherwise

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
        number = self.spec.seq.index(field) if field else len(self.spec.seq)
        breaks = self.module.bits.breaks(self.spec)
        statements: list[Statement] = []
        if number in breaks:
            statements = [_aligned(breaks[number], stream)]
            if field and field.condition is not None:
                statements = [Block(f"if {self._is_there(field, stream)}:", statements)]
        mark = self._marks().get(field.name) if field else None
        return [*statements, f"{mark} = {stream}.pos"] if mark else statements

    def _is_there(self, field: Field, stream: str) -> str:
        """Return the source that tells whether a *field* with a condition is there."""
        if field.condition is None:
            return "True"
        if stream == "w" and asks_stream(field.condition):
            return f"self.{attribute_name(field.name)} is not None"
        names = self._locals() if stream == "r" else frozenset[str]()
        scope = MethodScope(self.module, self.spec, stream=stream, locals=names)
        return Translator(scope)(field.condition)

    def _here(self) -> list[Statement]:
        """What a record tells a writer before it is written."""
        if id(self.spec) not in self.module.uses.io:
            return []
        lazy = [each for each in self.spec.instances if isinstance(each, Instance)]
        names = "".join(f", {str_literal(attribute_name(each.name))}" for each in lazy)
        places = [each for each in self.spec.instances if asks_place(each)]
        return [
            f"w.here(self{names})",
            *(f"self.{hidden_name(each.name)} = None" for each in places),
            *self._moved(),
        ]

    def _moved(self) -> list[Statement]:
        """Let the layout tell the positions of what there is."""
        return [
            Block(
                f"if self.{hidden_name(told.instance)} is not None:",
                [f'w.moves(self, "{told.instance}", "{hidden_name(name)}")'],
            )
            for name, told in told_fields(self.spec).items()
            if not told.length and not told.is_field
        ]

    def _settled(self) -> list[Statement]:
        """What a record knows before its first byte."""
        uses, me = self.module.uses, id(self.spec)
        statements: list[Statement] = []
        if me in uses.parent:
            statements.append("self._parent = _parent")
        if me in uses.root and self.spec.owner is not None:
            statements.append("self._root = _root")
        if me in uses.io:
            statements.append("self._io = r")
        if uses.inherits_endian(self.spec):
            statements.append("self._is_le = _is_le")
        statements += [
            f"self.{attribute_name(param.name)} = {local_name(param.name)}"
            for param in self.spec.params
        ]
        optional = set(self._told_by_fields().values())
        statements += [
            f"self.{attribute_name(each.name)} = {'[]' if each.condition is None else None}"
            for each in self.spec.seq
            if each.name in optional
        ]
        statements += [
            f"self.{spare_name(spare)} = 0"
            for number, spare in self.module.bits.breaks(self.spec).items()
            if spare is not None
            and number < len(self.spec.seq)
            and self.spec.seq[number].condition is not None
        ]
        return statements + [
            f"self.{hidden_name(each.name)} = None"
            for each in self.spec.instances
            if isinstance(each, Instance) or asks_place(each)
        ]

    def _marks(self) -> dict[str, str]:
        """Return the fields where bytes under a checksum begin, each with its variable."""
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
        error = f"raise r.invalid({name}, at, {variable}, {shown(wanted)})"
        return [Block(f"if {variable} != {wanted}:", [error])]


def _aligned(spare: str | None, stream: str) -> Statement:
    """Return what ends a run of bits: those that no field holds are kept with the field *spare*."""
    if spare is None:
        return f"{stream}.align()"
    hidden = f"self.{spare_name(spare)}"
    return f"{hidden} = r.align()" if stream == "r" else f"w.align({hidden})"


def _run_of(fields: list[Field]) -> str:
    """Return the method for a run of *fields*: floats of four bytes are looked at."""
    single = {FloatType(4, "le"), FloatType(4, "be")}
    return "run" if single.isdisjoint(each.type for each in fields) else "run_floats"


def _byte_order(field: Field) -> str:
    """Return how a number that fits a run is ordered ("=" for one byte); "" for all else."""
    plain = (
        field.condition is None and field.repeat is None and field.valid is None and not field.loom
    )
    if not plain or not isinstance(field.type, IntType | FloatType):
        return ""
    return "=" if field.type.width == 1 else {"le": "<", "be": ">", None: ""}[field.type.endian]
