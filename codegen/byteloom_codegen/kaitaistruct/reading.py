"""The statements that read one field or parse instance.

Bytes that become a record, or go through a process, stay at hand as ``_raw_NAME`` as in the
official output, once for each step; a field with ``repeat`` has lists of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.loops import is_numbered, is_stalling, reads_nothing_at_times
from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.kaitaistruct.validating import validation
from byteloom_codegen.kaitaistruct.values import has_inner_size, has_outer_size
from byteloom_codegen.model import (
    BytesType,
    EnumType,
    FloatType,
    Instance,
    IntType,
    OpaqueType,
    SwitchType,
    UserType,
)
from byteloom_codegen.nodes import user_types
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.read_calls import letter

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import DataType, Field, Repeat, ValueInstance
    from byteloom_codegen.python.statements import Statement

__all__ = ["Reading", "calculated", "source_path", "steps_of", "where_stored"]


def source_path(field: Field) -> str:
    """Return the path in the spec that errors name: ``/types/a/seq/0``."""
    return "".join(f"/{part}" for part in field.location.path)


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads *field* into an attribute."""

    field: Field
    values: Values

    @property
    def slot(self) -> str:
        """The attribute that takes the value; for an instance, that is its cache."""
        name = attribute_of(self.field)
        return f"_m_{name}" if isinstance(self.field, Instance) else name

    def statements(self) -> list[Statement]:
        """Return all statements that read the field, its condition included."""
        return where_stored(
            self.field, self.values, lambda there: replace(self, values=there).whole()
        )

    def whole(self) -> list[Statement]:
        """Return the statements that read the value, or each of several, where the stream is."""
        if self.field.repeat is not None:
            return self._noted(self._repeated(self.field.repeat))
        check = validation(self.field, self.values, f"self.{self.slot}")
        return [*self.value(), *check]

    def value(self) -> list[Statement]:
        """Return the statements that read the only value of the field, without its checks."""
        return self._noted(self._one(self.field.type, ""))

    # Repetition

    def _repeated(self, repeat: Repeat) -> list[Statement]:
        lists = [f"{'_raw_' * step}{self.slot}" for step in steps_of(self.field.type)]
        lists += [f"{self.slot}__{size}_size" for size in self._sizes(self.field.type)]
        debugged = self.values.here.debug
        notes = DROP_IN.lines("elements_noted", slot=self.slot) if debugged else []
        check = validation(self.field, self.values, f"self.{self.slot}[-1]")
        body = [*self._element_noted(self._one(self.field.type, repeat.kind)), *check]
        loop = self._many_numbers(repeat) or self._loop(repeat, body)
        return [*notes, *DROP_IN.lines("elements", lists=[*lists, self.slot], loop=loop)]

    def _many_numbers(self, repeat: Repeat) -> list[Statement]:
        """Return the call that reads a count of numbers; nothing for other elements."""
        type_, values, debugged = self.field.type, self.values, self.values.here.debug
        if repeat.kind != "expr" or repeat.expression is None or self.field.valid or debugged:
            return []
        if not isinstance(type_, IntType | FloatType):
            return []
        values.module.helpers |= {"back", "numbers"}
        values.module.standard.add("struct")
        count = values.translate(repeat.expression)
        form = letter(replace(type_, endian=type_.endian or values.endian))
        return DROP_IN.lines(
            "numbers",
            slot=self.slot,
            stream=values.stream,
            count=count,
            form=form,
            method=values.method(type_),
        )

    def _loop(self, repeat: Repeat, body: list[Statement]) -> list[Statement]:
        stream, stalls = self.values.stream, ""
        if is_stalling(self.field):  # the official loop never ends
            stalls = self._raise("an element of no bytes repeats for ever")
        if repeat.expression is None:
            ends = not self.values.here.debug
            self.values.module.helpers |= {"end"} if ends else set()
            return DROP_IN.lines(
                "to_end",
                stream=stream,
                body=body,
                stalls=stalls,
                ends=ends,
                counts=is_numbered(body),
            )
        test = self.values.translate(repeat.expression)
        if repeat.kind == "expr":
            return DROP_IN.lines("as_many", count=test, body=body)
        ends = _END.format("self._io") in test and not self.values.here.debug
        if ends:  # asking how far the stream goes takes long
            self.values.module.helpers.add("end")
            asked, found = _END.format("self._io"), f"tell() >= end and {_END.format(stream)}"
            test = found if test == asked else test.replace(asked, f"({found})")
        return DROP_IN.lines(
            "until",
            stream=stream,
            body=body,
            test=test,
            stalls=stalls,
            ends=ends,
            counts=is_numbered([*body, test]),
        )

    # One value

    def _one(self, type_: DataType, repeat: str) -> list[Statement]:
        match type_:
            case SwitchType():
                return self._switch(type_, repeat)
            case UserType() | OpaqueType():
                return self._record(type_, repeat)
            case BytesType(process=process, delimiting=delimiting) if (
                process is not None and delimiting is not None
            ):
                raw, kept = self._kept(self.values.delimited(delimiting), 1, repeat)
                return [*raw, *self._store(self.values.processed(process, kept), repeat)]
        return self._store(self.values.read(type_), repeat)

    def _switch(self, type_: SwitchType, repeat: str) -> list[Statement]:
        named = [(case.on, case.type) for case in type_.cases if case.on is not None]
        rest = [case.type for case in type_.cases if case.on is None]
        return DROP_IN.lines(
            "switch",
            on=self.values.translate(type_.on),
            cases=[(self.values.translate(on, BIT_OR), self._one(of, repeat)) for on, of in named],
            otherwise=self._one(rest[0], repeat) if rest else self._unmatched(repeat),
        )

    def _unmatched(self, repeat: str) -> list[Statement]:
        """Return what happens without a matching case: nothing, unless ``_`` is needed next."""
        if repeat != "until" or not reads_nothing_at_times(self.field):
            return []
        return [self._raise("no case of the switch matches")]

    def _raise(self, message: str) -> str:
        return DROP_IN.value("failed", message=message, path=source_path(self.field))

    def _record(self, type_: UserType | OpaqueType, repeat: str) -> list[Statement]:
        if type_.delimiting is None:
            return self._made(type_, self.values.stream, repeat)
        source, steps = self.values.delimited(type_.delimiting), 1 + (type_.process is not None)
        lines, kept = self._kept(source, steps, repeat)
        if type_.process is not None:
            more, kept = self._kept(self.values.processed(type_.process, kept), 1, repeat)
            lines += more
        lines += self._measured(type_, f"self.{'_raw_' * steps}{self.slot}", kept, repeat)
        stream = f"_io__raw_{self.slot}"
        module = self.values.module
        opened = DROP_IN.lines(
            "stream_of",
            name=stream,
            KaitaiStream=module.runtime("KaitaiStream"),
            BytesIO=module.runtime("BytesIO"),
            bytes=kept,
        )
        return [*lines, *opened, *self._made(type_, stream, repeat)]

    def _made(self, type_: UserType | OpaqueType, stream: str, repeat: str) -> list[Statement]:
        made = self.values.made(type_, stream)
        if self.values.module.read_write and not repeat:
            return DROP_IN.lines("made_and_read", slot=self.slot, record=made)
        debugged = isinstance(type_, UserType) and type_.type.debug
        if not debugged and not self.values.module.read_write:
            return self._store(made, repeat)
        store = self._store(f"_t_{self.slot}", repeat)
        return DROP_IN.lines("debugged", slot=self.slot, record=made, store=store)

    def _measured(
        self, type_: UserType | OpaqueType, packed: str, data: str, repeat: str
    ) -> list[Statement]:
        """Note the sizes that only writing needs: of a record, and around it."""
        found = {"inner": data, "outer": f"{packed}[-1]" if repeat else packed}
        lines: list[Statement] = []
        for size in self._sizes(type_):
            name = f"{self.slot}__{size}_size"
            quietly = isinstance(self.field, Instance)
            lines += DROP_IN.lines(
                "measured", name=name, bytes=found[size], repeat=repeat, quietly=quietly
            )
        return lines

    def _sizes(self, type_: DataType) -> list[str]:
        if not self.values.module.read_write:
            return []
        asked = {"inner": has_inner_size, "outer": has_outer_size}
        return [name for name, ask in asked.items() if any(map(ask, user_types(type_)))]

    def _store(self, source: str, repeat: str) -> list[Statement]:
        return DROP_IN.lines("stored", slot=self.slot, value=source, repeat=repeat)

    def _kept(self, source: str, step: int, repeat: str) -> tuple[list[Statement], str]:
        """Keep bytes *step* steps before the value; return the statements and what names them."""
        name = f"self.{'_raw_' * step}{self.slot}"
        lines = DROP_IN.lines("kept", name=name, value=source, repeat=repeat)
        return lines, f"{name}[-1]" if repeat else name

    # Positions, for specs that are debugged

    def _noted(self, body: list[Statement]) -> list[Statement]:
        if not self.values.here.debug:
            return body
        return DROP_IN.lines("noted", slot=self.slot, stream=self.values.stream, body=body)

    def _element_noted(self, body: list[Statement]) -> list[Statement]:
        if not self.values.here.debug:
            return body
        stream = self.values.stream
        return DROP_IN.lines("element_noted", slot=self.slot, stream=stream, body=body)


_END: Final = "{}.is_eof()"


def where_stored(
    field: Field, values: Values, statements: Callable[[Values], list[Statement]]
) -> list[Statement]:
    """Return *statements* about a field with the test of its condition around them.

    For a parse instance they are about its stream, at its position; then the stream goes back.
    """
    io, pos = (field.io, field.pos) if isinstance(field, Instance) else (None, None)
    there = values if io is None else replace(values, stream="io")
    body = statements(there)
    if pos is not None:
        place = there.translate(pos)
        body = DROP_IN.lines("sought", stream=there.stream, place=place, body=body)
    if io is not None:
        body = DROP_IN.lines("in_stream", stream=values.translate(io), body=body)
    if field.condition is None:
        return body
    return DROP_IN.lines("if_there", test=values.translate(field.condition), body=body)


def calculated(instance: ValueInstance, values: Values) -> list[Statement]:
    """Return the statements that calculate *instance* and store its value."""
    source = values.translate(instance.value)
    if isinstance(instance.type, EnumType) and not isinstance(instance.value.type, EnumType):
        source = values.resolved(instance.type.enum, source)
    name = f"self._m_{attribute_of(instance)}"
    return DROP_IN.lines("kept", name=name, value=source, repeat="")


def steps_of(type_: DataType) -> list[int]:
    """Return the steps whose bytes are kept, in reverse order of reading."""
    match type_:
        case SwitchType(cases=cases):
            return sorted({step for case in cases for step in steps_of(case.type)})
        case (
            UserType(delimiting=how, process=process) | OpaqueType(delimiting=how, process=process)
        ):
            return [] if how is None else [1, 2] if process is not None else [1]
        case BytesType(process=process):
            return [1] if process is not None else []
    return []
