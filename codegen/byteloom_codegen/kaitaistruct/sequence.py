"""The statements that read all of ``seq``; one call reads adjacent fields of fixed sizes.

The bytes of a run are taken from the file under the stream, and unpacked by one `struct`.  Where
there are too few, where the stream is inside a byte, or where it is of a class of its own, the
runtime reads the fields one by one: all ends as it does in the official output.  A run ends with a
field whose value may be refused, as the stream is then just after that field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.kaitaistruct.reading import Reading, calculated
from byteloom_codegen.kaitaistruct.settled import asked_first, marks, marks_of_field
from byteloom_codegen.kaitaistruct.validating import validation
from byteloom_codegen.kaitaistruct.values import MOST
from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    EnumType,
    Field,
    FloatType,
    IntType,
    StrType,
    SwitchType,
    base_of,
)
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.read_calls import letter
from byteloom_codegen.python.sizes import literal, value_size
from byteloom_codegen.python.statements import indented

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.settled import Known
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import DataType, Endian
    from byteloom_codegen.python.statements import Statement

__all__ = ["sequence"]

_STREAM: Final = re.compile(r"(?<![\w.])_io\b")
_READER: Final = re.compile(r"(?<![\w.])read[(,]")


def sequence(fields: list[Field], values: Values) -> list[Statement]:
    """Return the statements that read *fields*, one after the other."""
    if values.here.debug:  # the place of every field is noted
        return [line for each in fields for line in Reading(each, values).statements()]
    lines = _Sequence(replace(values, stream="_io", quick=True)).statements(fields)
    text = "\n".join(line for _, line in indented(lines))
    if len(_STREAM.findall(text)) <= 1:
        return _Sequence(values).statements(fields)
    reader = bool(_READER.search(text))
    if reader:
        values.module.helpers.add("reader")
    return [*DROP_IN.lines("begun", reader=reader), *lines]


@dataclass(frozen=True, slots=True)
class _Sequence:
    values: Values

    def statements(self, fields: list[Field]) -> list[Statement]:
        lines: list[Statement] = []
        alignment = self.values.module.alignment
        at: int | None = 0 if alignment.is_known else None
        waiting, known = list(fields), frozenset[str]()
        while waiting:
            run = self._run(waiting, at)
            if len(run) > 1 or (run and _bits(run[0])):
                lines += self._read(run)
            else:
                calculated, known = self._settled(waiting[0], known)
                marked, known = marks_of_field(waiting[0], known)
                lines += [*calculated, *self._one(waiting[0], at, marked)]
            for field in run or waiting[:1]:
                at = alignment.after(field, at) if alignment.is_known else None
            del waiting[: max(len(run), 1)]
        return lines

    def _one(self, field: Field, at: int | None, marked: set[int]) -> list[Statement]:
        quick = self.values.quick and self.values.module.alignment.each(field, at) == 0
        values = replace(self.values, quick=quick, marked=frozenset(marked))
        return Reading(field, values).statements()

    def _settled(self, field: Field, known: Known) -> tuple[list[Statement], Known]:
        """Return the statements that calculate the instances that *field* always uses first."""
        if self.values.module.read_write:  # a record is there before all of it is read
            return [], known
        first = field.condition
        if first is None and field.repeat is None and isinstance(field.type, SwitchType):
            first = field.type.on
        lines: list[Statement] = []
        for each in asked_first(first, known):
            marked, _ = marks(each.value, known)
            lines += calculated(each, replace(self.values, marked=frozenset(marked)))
            known |= {each.name}
        return lines, known

    # Which fields are side by side

    def _run(self, fields: list[Field], at: int | None) -> list[Field]:
        """Return the first of *fields* that one call reads; at most one where there is no run."""
        if at != 0 or not self.values.quick:
            return []
        if _bits(fields[0]) is not None:
            return _bit_run(fields)
        run, order, size = list[Field](), "", 0
        for field in fields:
            form = self._form(field)
            size += value_size(field.type).least // 8
            other = form[:1] if form[:1] in "<>" else ""
            if not form or size > MOST or (order and other and order != other):
                break
            order = order or other
            run.append(field)
            if _may_be_refused(field):
                break
        return run

    def _form(self, field: Field) -> str:
        """Return how `struct` writes *field*, after its byte order if it has one; "" if not."""
        if field.condition is not None or field.repeat is not None:
            return ""
        type_ = base_of(field.type)
        match type_:
            case IntType(width=1):
                return letter(type_)[1:]
            case IntType() | FloatType():
                return letter(replace(type_, endian=type_.endian or self.values.endian))
            case ContentsType(contents=contents):
                return f"{len(contents)}s"
            case BytesType(process=None) | StrType(process=None):
                size = literal(type_.delimiting.size) if type_.delimiting else None
                return f"{size}s" if size else ""
        return ""

    # What reads them

    def _read(self, run: list[Field]) -> list[Statement]:
        values = self.values
        values.module.helpers.add("back")
        slots = [f"self.{attribute_of(each)}" for each in run]
        size = sum(value_size(each.type).least for each in run) // 8
        quick = self._split(run, slots, size) if _bits(run[0]) else self._unpacked(run, slots)
        slowly = replace(values, quick=False)
        plain = [line for each in run for line in Reading(each, slowly).value()]
        lines = DROP_IN.lines("run", size=size, quick=quick, plain=plain)
        return [*lines, *validation(run[-1], values, slots[-1])]

    def _unpacked(self, run: list[Field], slots: list[str]) -> list[Statement]:
        """Return the statements that take the values of a run from its bytes."""
        forms = [self._form(each) for each in run]
        order = next((form[0] for form in forms if form[0] in "<>"), "<")
        layout = "".join(
            _times(form, len(list(alike)))
            for form, alike in groupby(form.lstrip("<>") for form in forms)
        )
        unpack = self.values.module.struct(order + layout)
        held = [
            "data" if isinstance(each.type, StrType) else slot  # it may not be text
            for each, slot in zip(run, slots, strict=True)
        ]
        lines = DROP_IN.lines("unpacked", targets=held, unpack=unpack)
        for each, slot, value in zip(run, slots, held, strict=True):
            lines += self._converted(each.type, slot, value)
        return lines

    def _converted(self, type_: DataType, slot: str, value: str) -> list[Statement]:
        """Return what is done to a value that was unpacked."""
        values, source = self.values, value
        match type_:
            case EnumType(enum=enum):
                source = values.resolved(enum, value)
            case BytesType(delimiting=how) if how is not None:
                source = values.cut(how, value)
            case StrType(delimiting=how, encoding=encoding) if how is not None:
                source = f"{values.cut(how, value)}.decode({str_literal(str(encoding))})"
        return DROP_IN.lines("set", name=slot, value=source) if source != slot else []

    def _split(self, run: list[Field], slots: list[str], size: int) -> list[Statement]:
        """Return the statements that split the bytes of a run into bits."""
        widths, taken = [value_size(each.type).least for each in run], 0
        order = _bits(run[0]) or "be"
        number = "data[0]" if size == 1 else f'int.from_bytes(data, "{_ENDS[order]}")'
        lines = DROP_IN.lines("set", name="_bits", value=number)
        for each, slot, width in zip(run, slots, widths, strict=True):
            before, taken = taken, taken + width
            below, above = (8 * size - taken, before)[:: 1 if order == "be" else -1]
            source = f"_bits >> {below}" if below else "_bits"
            source = f"{source} & {(1 << width) - 1}" if above else source
            if isinstance(each.type, EnumType):
                source = self.values.resolved(each.type.enum, source)
            elif isinstance(each.type, BitsType) and each.type.is_bool:
                source = f"{source} != 0"
            lines += DROP_IN.lines("set", name=slot, value=source)
        return lines


_ENDS: Final = {"be": "big", "le": "little"}


def _bits(field: Field) -> Endian | None:
    """Return the order of the bits that *field* is; None where it is something else."""
    type_ = base_of(field.type)
    return type_.endian if isinstance(type_, BitsType) else None


def _times(form: str, number: int) -> str:
    return form * number if number == 1 or form.endswith("s") else f"{number}{form}"


def _may_be_refused(field: Field) -> bool:
    return field.valid is not None or isinstance(field.type, ContentsType | StrType)


def _bit_run(fields: list[Field]) -> list[Field]:
    """Return the first of *fields*, bits, as far as they are whole bytes."""
    run, taken, whole = list[Field](), 0, 0
    for field in fields:
        if _bits(field) != _bits(fields[0]):
            break
        if field.condition is not None or field.repeat is not None:
            break
        run.append(field)
        taken += value_size(field.type).least
        if taken % 8 == 0:
            whole = len(run)
        if field.valid is not None:
            break
    return run[:whole]
