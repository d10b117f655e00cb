"""The statements that write one field or parse instance: the counterparts of those that read it.

A record in a stream of its own is written there; what the record's ``_put_NAME`` does with these
bytes follows when all is written, as instances anywhere may still write into that stream.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.consistency import (
    Consistency,
    element_of,
    for_elements,
    is_stream,
    needs_stream,
    slot_of,
)
from byteloom_codegen.kaitaistruct.delimiting import Delimited
from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.kaitaistruct.putback import PutBack, kept_bytes, process_key, put, unprocessed
from byteloom_codegen.kaitaistruct.reading import steps_of, where_stored
from byteloom_codegen.kaitaistruct.values import has_inner_size
from byteloom_codegen.model import (
    BytesType,
    OpaqueType,
    StrType,
    SwitchType,
    UserType,
)
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.literals import str_literal

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import DataType, Delimiting, Field, Process, Repeat
    from byteloom_codegen.python.statements import Statement

__all__ = ["Writing"]


@dataclass(frozen=True, slots=True)
class Writing:
    """Writes *field* from its attribute."""

    field: Field
    values: Values

    @property
    def slot(self) -> str:
        """The attribute that has the value."""
        return slot_of(self.field)

    def statements(self) -> list[Statement]:
        """Return all that writing the field takes, its condition included."""
        return where_stored(
            self.field, self.values, lambda there: replace(self, values=there).whole()
        )

    def whole(self) -> list[Statement]:
        """Return the statements that write the value, or each of several, where the stream is."""
        checks = Consistency(self.field, self.values, writing=True).given(self.field.condition)
        if self.field.repeat is not None:
            return self._repeated(self.field.repeat, checks)
        return self._one(self.field.type, f"self.{self.slot}", checks)

    def _repeated(self, repeat: Repeat, checks: Consistency) -> list[Statement]:
        slot = f"self.{self.slot}"
        body = self._one(self.field.type, element_of(self.field), checks)
        if repeat.kind == "until":
            body += checks.last(repeat, slot)
        if repeat.kind == "eos":
            stream = self.values.stream
            left = f"{stream}.size() - {stream}.pos()"
            full = checks.unless(f"{stream}.is_eof()", "0", left)
            loop = for_elements(self.field, slot, [*full, *body])
            loop += checks.unless(f"not {stream}.is_eof()", "0", left)
        else:
            loop = for_elements(self.field, slot, body)
        raws = [f"{'_raw_' * step}{self.slot}" for step in steps_of(self.field.type)]
        kept = raws[-1] if any("_kept" in str(line) for line in body) else ""
        number = checks.number(repeat, slot)
        return DROP_IN.lines("elements_put", number=number, kept=kept, lists=raws, loop=loop)

    # One value

    def _one(self, type_: DataType, value: str, checks: Consistency) -> list[Statement]:
        """Return the statements that check a value where that needs the stream, and write it."""
        if isinstance(type_, SwitchType):
            return self._switch(type_, value, checks)
        match type_:
            case UserType() | OpaqueType():
                body = [*checks.record(type_, value), *self._record(type_, value)]
            case BytesType(process=process, delimiting=how) if process is not None and how:
                body = self._processed(how, process, value)
            case BytesType(delimiting=how) | StrType(delimiting=how) if how is not None:
                body = [*checks.bytes(type_, value), *self._bytes(type_, how, value)]
            case _:
                body = DROP_IN.lines("put", call=put(type_, value, self.values))
        return [*body, *checks.valid(value)]

    def _switch(self, type_: SwitchType, value: str, checks: Consistency) -> list[Statement]:
        inner, translate = checks.given(type_.on), self.values.translate
        cases: list[tuple[str, list[Statement]]] = []
        otherwise: list[Statement] = []
        for case in type_.cases:
            body = self._one(case.type, value, inner)
            if case.on is None:
                otherwise = body
            else:
                cases.append((translate(case.on, BIT_OR), body))
        on = translate(type_.on)
        return DROP_IN.lines("switch", on=on, cases=cases, otherwise=otherwise)

    def _bytes(self, type_: BytesType | StrType, how: Delimiting, value: str) -> list[Statement]:
        data = value
        if isinstance(type_, StrType):
            data = f"{value}.encode({str_literal(str(type_.encoding))})"
        return [*self._delimited(how, data).puts(), *self._at_end(how, self.field.name)]

    def _delimited(self, how: Delimiting, data: str) -> Delimited:
        size = self.values.size_of(how)
        return Delimited(how, data, self.field.name, size, self.values, self.values.stream)

    def _at_end(self, how: Delimiting, name: str) -> list[Statement]:
        """Return the check that bytes up to the end of the stream reach it."""
        stream = self.values.stream
        if not how.size_eos:
            return []
        return DROP_IN.lines(
            "inconsistent",
            fault=f"not {stream}.is_eof()",
            name=name,
            wanted="0",
            found=f"{stream}.size() - {stream}.pos()",
        )

    def _processed(self, how: Delimiting, process: Process, value: str) -> list[Statement]:
        name, size = f"_raw_{self.slot}", self.values.size_of(how)
        key = process_key(process, self.values)
        asked: list[Statement] = []
        if needs_stream(process.args):
            # Reading looks at these arguments when it is past the bytes.
            after = size or self._room(how, f"len({value})")
            asked = DROP_IN.lines("key_after", key=key, stream=self.values.stream, room=after)
            key = "_key"
        kept = kept_bytes(self.field, name)
        data = unprocessed(process, value, key, self.values, size=size or "None", kept=kept)
        raw = self._delimited(how, "_data")
        return [
            *asked,
            *DROP_IN.lines("raw_kept", slot=name, value=data, many=self.field.repeat),
            *(raw.checks() if how.is_filled_up or not how.size_eos else []),
            *raw.puts(),
            *self._at_end(how, self.field.name),
        ]

    # Records

    def _record(self, type_: UserType | OpaqueType, value: str) -> list[Statement]:
        params = type_.type.params if isinstance(type_, UserType) else ()
        streams = [
            (attribute_of(param), self.values.translate(arg))
            for param, arg in zip(params, type_.args, strict=isinstance(type_, UserType))
            if is_stream(param.type)
        ]
        stream = self.values.stream
        opened: list[Statement] = []
        if type_.delimiting is not None:
            opened, stream = self._opened(type_, type_.delimiting), f"_io__raw_{self.slot}"
        return DROP_IN.lines(
            "record_put", value=value, streams=streams, opened=opened, stream=stream
        )

    def _opened(self, type_: UserType | OpaqueType, how: Delimiting) -> list[Statement]:
        """Return the statements that open a record's stream, and leave room for it in this one."""
        module, index = self.values.module, "" if self.field.repeat is None else "[i]"
        module.helpers.add("substream")
        inner, outer = (f"self.{self.slot}__{each}_size{index}" for each in ("inner", "outer"))
        measured = self.values.size_of(how, 0)
        size = measured if measured.isdecimal() else "_size"
        room = size if measured else outer
        given = PutBack(self.field, type_).arguments(self.values, size)
        module.standard |= {"functools"} if given else set()
        return DROP_IN.lines(
            "substream",
            name=f"_io__raw_{self.slot}",
            stream=self.values.stream,
            measured="" if measured.isdecimal() else measured,
            size=inner if has_inner_size(type_) else room,
            room=room if measured else self._room(how, room),
            method=f"self._put_{attribute_of(self.field)}",
            given=given,
        )

    def _room(self, how: Delimiting, room: str) -> str:
        """Return the source of how many bytes a record takes with the terminator."""
        if how.include or not how.consume:
            return room
        ended = f"{room} + {len(how.terminator or b'')}"
        stream = self.values.stream
        return ended if how.eos_error else f"min({ended}, {stream}.size() - {stream}.pos())"
