"""The bodies of ``read`` and ``write``: matching statements for the fields, one after another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from byteloom_codegen.model import (
    EndianSwitch,
    Field,
    Instance,
    SwitchType,
    TypeSpec,
    UserType,
)
from byteloom_codegen.nodes import asks_place, asks_stream
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.checks import shown
from byteloom_codegen.python.checksums import breaks, checksum_of, completed_by, marks
from byteloom_codegen.python.child_numbers import adoptions, settled_numbers
from byteloom_codegen.python.derived_fields import Derived, derived_fields, is_checksum
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.names import (
    attribute_name,
    hidden_name,
    hides_locals,
    local_name,
    parameter_name,
    spare_name,
)
from byteloom_codegen.python.placed_instances import in_sequence, placements
from byteloom_codegen.python.read_statements import ReadStatements, switched
from byteloom_codegen.python.record_streams import is_put_here
from byteloom_codegen.python.runs import Runs
from byteloom_codegen.python.scope import MethodScope, Module
from byteloom_codegen.python.sizes import padding_size
from byteloom_codegen.python.statements import Statement, with_local_bytes
from byteloom_codegen.python.templates import READ, WRITE, Macros
from byteloom_codegen.python.translation import Translator
from byteloom_codegen.python.write_statements import WriteStatements

__all__ = ["Bodies"]


@dataclass(frozen=True)
class Bodies:
    """Makes both bodies of one record."""

    spec: TypeSpec
    module: Module

    @cached_property
    def derived(self) -> dict[str, Derived]:
        """The fields that follow from others."""
        return derived_fields(self.spec)

    def read(self) -> list[Statement]:
        """Return the statements between making the record and returning it."""
        scope = MethodScope(self.module, self.spec, locals=self._locals, in_place=True)
        reading = ReadStatements(scope)
        settled = [] if hides_locals(self.spec.params) else self._settled()
        statements = [*settled, *self._byte_order(scope, READ)]
        runs = Runs(scope, breaks(self.spec))
        for fields in runs.steps(reading=True):
            statements += self._between(fields[0], "r")
            if len(fields) > 1:
                statements += runs.read(fields, list(map(self._target, fields)))
            elif is_checksum(fields[0]):
                statements += checksum_of(self.spec, fields[0]).read(reading)
            else:
                taken = reading.field(fields[0], self._target(fields[0]))
                statements += self._agreed(fields[0], taken, reading)
            described = self._described_by_fields
            for each in fields:
                if self.keeps_form(each) or each.name in described:
                    hidden, value = f"self.{hidden_name(each.name)}", local_name(each.name)
                    statements += READ.lines("assigned", target=hidden, value=value)
            for checksum in completed_by(self.spec, fields[-1]):
                statements += checksum.compared()
        for child in settled_numbers(self.spec).values():
            statements += READ.lines("assigned", target=f"self.{child.hidden}", value=child.number)
        return [*statements, *self._between(None, "r"), *self._released()]

    def keeps_form(self, field: Field) -> bool:
        """Whether *field* follows from others, and may be stored in more ways than one."""
        plain = field.valid is None and not self.module.is_held(field, self.derived)
        return plain and "varint" in field.loom and field.name in self.derived

    @cached_property
    def _locals(self) -> frozenset[str]:
        """The fields that ``read`` keeps in variables."""
        described = self._described_by_fields
        kept = (
            field.name
            for field in self.spec.seq
            if is_checksum(field)
            or (field.name in self.derived and not self.module.is_held(field, self.derived))
            or field.name in described
        )
        return frozenset(kept)

    @cached_property
    def _described_by_fields(self) -> dict[str, str]:
        """The fields that describe optional fields, each with the described field."""
        described = describing_fields(self.spec).items()
        return {name: each.instance for name, each in described if each.is_field}

    def _target(self, field: Field) -> str:
        """Return what holds *field* while its record is read."""
        if field.name in self._locals:
            return local_name(field.name)
        describes = field.name in describing_fields(self.spec) or padding_size(field) is not None
        if describes or self.module.is_held(field, self.derived):
            return f"self.{hidden_name(field.name)}"
        return f"self.{attribute_name(field.name)}"

    def _released(self) -> list[Statement]:
        """Return the lines after which fields that were kept are derived again."""
        held = [field for field in self.spec.seq if self.module.is_held(field, self.derived)]
        targets = [f"self.{hidden_name(field.name)}" for field in held]
        return [
            line for each in targets for line in READ.lines("assigned", target=each, value="None")
        ]

    def write(self) -> list[Statement]:
        """Return the statements that write what those of ``read`` read."""
        scope = MethodScope(self.module, self.spec, stream="w", in_place=True)
        described = {name: Derived(by, by) for name, by in self._described_by_fields.items()}
        described |= {
            name: Derived(each.by, "") for name, each in settled_numbers(self.spec).items()
        }
        writing = WriteStatements(scope, self.derived | described)
        statements = [
            *self._here(),
            *self._byte_order(scope, WRITE),
            *adoptions(self.spec, self.module),
            *self._numbers_settled(scope),
        ]
        runs = Runs(scope, breaks(self.spec))
        for fields in runs.steps(reading=False):
            statements += self._between(fields[0], "w")
            statements += in_sequence(fields[0], self.spec, self.module)
            if len(fields) > 1 or runs.is_number(fields[0]):
                statements += runs.write(fields, list(map(self._put, fields)))
            elif is_checksum(fields[0]):
                statements += checksum_of(self.spec, fields[0]).written(writing)
            elif self.keeps_form(fields[0]):
                hidden, name = f"self.{hidden_name(fields[0].name)}", attribute_name(fields[0].name)
                value = WRITE.value("form_kept", hidden=hidden, attribute=f"self.{name}")
                statements += writing.field(fields[0], value)
            else:
                statements += writing.field(fields[0], self._put(fields[0]))
            for checksum in completed_by(self.spec, fields[-1]):
                statements += checksum.put_back(writing)
        statements += self._between(None, "w")
        return [*with_local_bytes(statements), *placements(self.spec, self.module)]

    def _numbers_settled(self, scope: MethodScope) -> list[Statement]:
        """Give children the numbers that follow from the fields beside them."""
        statements: list[Statement] = []
        for name, each in settled_numbers(self.spec).items():
            scope.import_for(each.source)
            scope.calc("pass_to")
            statements += WRITE.lines(
                "number_settled",
                name=str_literal(name),
                number=each.number,
                hidden=each.hidden,
                value=each.source,
                there=each.there,
                by=str_literal(each.by),
            )
        return statements

    def _is_put_here(self, name: str) -> bool:
        """Whether the field *name* is a record, or one of several, that its own writer puts."""
        field = next((each for each in self.spec.seq if each.name == name), None)
        if field is None or field.repeat is not None or field.condition is not None:
            return False
        cases = field.type.cases if isinstance(field.type, SwitchType) else ()
        types = [each.type for each in cases] or [field.type]
        records = [each for each in types if isinstance(each, UserType)]
        return bool(records) and all(is_put_here(each, self.module) for each in records)

    def _put(self, field: Field) -> str:
        """Return the source of what is written for *field*: a length at hand, or its property."""
        derived = self.derived.get(field.name)
        if derived is not None and self._is_put_here(derived.by):
            if "whole_quotient(" in derived.source:
                self.module.calc.add("whole_quotient")
            return re.sub(r"\b(size_of|length_of)\(", "w.size_of(", derived.source, count=1)
        plain = derived is not None and derived.source == f"len(self.{attribute_name(derived.by)})"
        if derived is None or not plain or self.module.is_held(field, self.derived):
            return f"self.{attribute_name(field.name)}"
        return derived.source

    def _byte_order(self, scope: MethodScope, macros: Macros) -> list[Statement]:
        """Return the statements that decide the byte order, where the file does."""
        endian = self.spec.endian
        if not isinstance(endian, EndianSwitch) or self.module.uses.inherits_endian(self.spec):
            return []
        source = Translator(scope)
        on, cases = source(endian.on), list[tuple[str, list[Statement]]]()
        otherwise = macros.lines("unknown_order", on=switched(on, endian.on))
        for case, order in endian.cases:
            decided = READ.lines("assigned", target="self._is_le", value=order == "le")
            if case is None:
                otherwise = decided
            else:
                cases.append((source(case, COMPARE + 1), decided))
        if not cases:
            return otherwise
        return READ.lines(
            "switch", on=on, kind=switched(on, endian.on), cases=cases, otherwise=otherwise
        )

    def _between(self, field: Field | None, stream: str) -> list[Statement]:
        """Return what comes before *field* (None: at the end): bits dropped, a place remembered."""
        macros = READ if stream == "r" else WRITE
        number = self.spec.seq.index(field) if field else len(self.spec.seq)
        breaks = self.module.bits.breaks(self.spec)
        statements: list[Statement] = []
        if number in breaks:
            spare = breaks[number]
            hidden = "" if spare is None else f"self.{spare_name(spare)}"
            statements = macros.lines("aligned", spare=hidden)
            if field and field.condition is not None:
                test = self._is_there(field, stream)
                statements = READ.lines("if_there", test=test, taken=statements)
        mark = marks(self.spec).get(field.name) if field else None
        return [*statements, *macros.lines("place", target=mark)] if mark else statements

    def _is_there(self, field: Field, stream: str) -> str:
        """Return the source of the test whether a *field* with a condition is present."""
        if field.condition is None:
            return "True"
        if stream == "w" and asks_stream(field.condition):
            return f"self.{attribute_name(field.name)} is not None"
        names = self._locals if stream == "r" else frozenset[str]()
        scope = MethodScope(self.module, self.spec, stream=stream, locals=names, in_place=True)
        return Translator(scope)(field.condition)

    def _here(self) -> list[Statement]:
        """What a record passes to a writer before it is written."""
        if id(self.spec) not in self.module.uses.io:
            return []
        instances = self.spec.instances
        lazy = [each for each in instances if isinstance(each, Instance)]
        return WRITE.lines(
            "settled",
            lazy=[attribute_name(each.name) for each in lazy],
            unread=[hidden_name(each.name) for each in instances if asks_place(each)],
            moved=[
                (each.instance, hidden_name(each.instance), hidden_name(name))
                for name, each in describing_fields(self.spec).items()
                if not each.length and not each.is_field
            ],
        )

    def begun(self) -> list[Statement]:
        """Return what `read` does by itself where its arguments hide names that the rest uses."""
        return self._settled("_self", "_r") if hides_locals(self.spec.params) else []

    def _settled(self, record: str = "self", reader: str = "r") -> list[Statement]:
        """What a record has before its first byte is read."""
        uses, me, seq = self.module.uses, id(self.spec), self.spec.seq
        optional = set(self._described_by_fields.values())
        return READ.lines(
            "settled",
            record=record,
            reader=reader,
            parent=me in uses.parent,
            root=uses.has_root(self.spec),
            stream=me in uses.io,
            order=uses.inherits_endian(self.spec),
            parameters=[parameter_name(param.name) for param in self.spec.params],
            missing=[
                (attribute_name(each.name), "[]" if each.condition is None else "None")
                for each in seq
                if each.name in optional
            ],
            spare=[
                spare_name(spare)
                for number, spare in self.module.bits.breaks(self.spec).items()
                if spare is not None and number < len(seq) and seq[number].condition is not None
            ],
            unread=[
                hidden_name(each.name)
                for each in self.spec.instances
                if isinstance(each, Instance) or asks_place(each)
            ],
        )

    def _agreed(
        self, field: Field, taken: list[Statement], reading: ReadStatements
    ) -> list[Statement]:
        """Compare a field that the spec derives with the expression that derives it."""
        if "derive" not in field.loom or field.valid is not None:
            return taken
        wanted, variable = reading.source(field.loom["derive"]), local_name(field.name)
        wrong = [(f"{variable} != {wanted}", shown(wanted))]
        name = str_literal(field.name)
        return READ.lines(
            "checked", name=name, target=variable, taken=taken, rules=wrong, size=None
        )
