"""The body of ``read``: one statement or block for every field, in the order of the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    ContentsType,
    DataType,
    Field,
    FloatType,
    IntType,
    Repeat,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.bit_runs import begins_in_bits
from byteloom_codegen.python.checks import validation
from byteloom_codegen.python.derive import is_magic
from byteloom_codegen.python.layout import WIDTH
from byteloom_codegen.python.sizes import value_size
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.taking import Taking, decides_when_reading, letter
from byteloom_codegen.python.translate import Translator, bytes_literal, is_optional, str_literal

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import MethodScope

__all__ = ["Reading", "mentions_index", "switched"]


_ROOM: Final = WIDTH - 8
"""Columns of a line in the body of a method."""


def switched(on: str) -> tuple[list[Statement], str]:
    """Return what has to come before a switch on the source *on*, and what its tests compare."""
    if on.replace(".", "").isidentifier():
        return [], on
    return [f"kind = {on}"], "kind"


@dataclass(frozen=True, slots=True)
class Reading:
    """Makes the statements that read fields of one record."""

    scope: MethodScope

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    def field(self, field: Field, target: str) -> list[Statement]:
        """Return the statements that read *field* into *target*."""
        body = self._repeated(field, target) if field.repeat else self._once(field, target)
        if field.condition is None:
            return body
        test = self.source(field.condition)
        if is_magic(field):
            return [Block(f"if {test}:", body)]
        if len(body) == 1 and isinstance(body[0], str) and not _chooses(field.type):
            short = f"{body[0]} if {test} else None"
            if len(short) <= _ROOM:
                return [short]
        return [f"{target} = None", Block(f"if {test}:", body)]

    # One value

    def _once(self, field: Field, target: str) -> list[Statement]:
        name = str_literal(field.name)
        if isinstance(field.type, ContentsType) and field.repeat is None:
            return [f"r.magic({name}, {bytes_literal(field.type.contents)})"]
        if "varint" in field.loom:
            taken: list[Statement] = [f"{target} = r.{field.loom['varint']}({name})"]
        else:
            taken = self._assigned(field.type, name, target)
        if field.valid is None:
            return taken
        checks = validation(self.scope.of_item(field), field.valid, name, target, reading=True)
        return ["at = r.offset", *taken, *checks]

    def _assigned(self, type_: DataType, name: str, target: str) -> list[Statement]:
        if isinstance(type_, SwitchType):
            return self._switch(type_, name, target)
        if isinstance(type_, ContentsType):
            contents = bytes_literal(type_.contents)
            return [f"r.magic({name}, {contents})", f"{target} = {contents}"]
        return [f"{target} = {Taking(self.scope).value(type_, name)}"]

    def _switch(self, type_: SwitchType, name: str, target: str) -> list[Statement]:
        before, on = switched(self.source(type_.on))
        otherwise: list[Statement] = [f"{target} = None"]
        blocks: list[Statement] = []
        mixed = id(type_) in self.scope.module.bits.mixed
        for case in type_.cases:
            body = self._assigned(case.type, name, target)
            if mixed and not begins_in_bits(case.type):
                body = ["r.align()", *body]
            if case.on is None:
                otherwise = body
            else:
                word = "elif" if blocks else "if"
                blocks.append(Block(f"{word} {on} == {self.source(case.on)}:", body))
        return [*before, *blocks, Block("else:", otherwise)] if blocks else [*before, *otherwise]

    # Many values

    def _repeated(self, field: Field, target: str) -> list[Statement]:
        repeat = field.repeat
        if repeat is None:
            raise TypeError(field)
        whole = self._whole(field, repeat)
        if whole:
            return [f"{target} = {whole}"]
        element = Field(
            name=field.name,
            type=field.type,
            location=field.location,
            valid=field.valid,
            loom=field.loom,
        )
        item = self.scope.item_of(field)
        body = self._once(element, item)
        keep = f"{target}.append({item})"
        body.append(Block(f"if {item} is not None:", [keep]) if is_optional(element) else keep)
        if repeat.kind == "until" and repeat.expression:
            until = Translator(self.scope.of_item(field, item))(repeat.expression)
            body.append(Block(f"if {until}:", ["break"]))
        index = "index" if mentions_index(body) else "_"
        kinds = f"{item}: {self.scope.module.annotation(field.type)}"
        declared: list[Statement] = []
        if isinstance(field.type, SwitchType):
            declared = [f"{kinds} | None" if is_optional(element) else kinds]
        return [
            f"{target} = []",
            *declared,
            Block(f"for {index} in {self._numbers(field, repeat)}:", body),
        ]

    def _numbers(self, field: Field, repeat: Repeat) -> str:
        """Return what a loop over the elements runs through."""
        name = str_literal(field.name)
        if repeat.kind == "expr" and repeat.expression is not None:
            size = value_size(field.type).least // 8  # elements may share a byte
            return f"r.times({name}, {self.source(repeat.expression)}, each={size})"
        return f"r.to_end({name})" if repeat.kind == "eos" else f"r.repeatedly({name})"

    def _whole(self, field: Field, repeat: Repeat) -> str | None:
        """Return the expression that takes all elements in one call, where there is one."""
        if field.valid is not None:
            return None
        if repeat.kind == "eos" and isinstance(field.type, UserType) and "varint" not in field.loom:
            cls = self.scope.class_of(field.type)
            name = str_literal(field.name)
            alone = self._stands_alone(field.type)
            return f"r.records_to_end({name}, {cls}.read)" if alone else None
        if repeat.kind != "expr" or repeat.expression is None:
            return None
        name, count, type_ = str_literal(field.name), self.source(repeat.expression), field.type
        if "varint" in field.loom:
            return f"r.varints({name}, {count}, {str_literal(field.loom['varint'])})"
        if isinstance(type_, IntType | FloatType) and not decides_when_reading(type_):
            return f"r.array({name}, {count}, {str_literal(letter(type_))})"
        if isinstance(type_, UserType) and self._stands_alone(type_):
            cls = self.scope.class_of(type_)
            least = value_size(type_).least
            each = least // 8 if least % 8 else f"{cls}.MIN_SIZE"  # elements may share a byte
            return f"r.records({name}, {count}, {cls}.read, each={each})"
        return None

    def _stands_alone(self, type_: UserType) -> bool:
        """Whether a record is read with nothing but the reader."""
        uses = self.scope.module.uses_of(type_.type)
        handed = type_.type.params or uses.inherits_endian(type_.type)
        needs = id(type_.type) in uses.parent or id(type_.type) in uses.root
        return type_.delimiting is None and not handed and not needs


def _chooses(type_: DataType) -> bool:
    """Whether taking a value of *type_* is a choice itself, of the byte orders of a number."""
    return isinstance(type_, IntType | FloatType) and decides_when_reading(type_)


def mentions_index(body: list[Statement]) -> bool:
    """Whether statements use the number of the element that they are about."""
    return any(
        "index" in (each if isinstance(each, str) else each.header)
        or (isinstance(each, Block) and mentions_index(each.body))
        for each in body
    )
