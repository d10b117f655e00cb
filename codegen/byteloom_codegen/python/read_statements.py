"""The body of ``read``: one statement or block for every field, in the order of the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    ContentsType,
    DataType,
    Field,
    FloatType,
    Instance,
    IntType,
    Repeat,
    SwitchType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.nodes import asks_index, is_optional, walk
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.bit_runs import begins_in_bits
from byteloom_codegen.python.checks import rules
from byteloom_codegen.python.derived_fields import is_magic
from byteloom_codegen.python.line_wrapping import WIDTH
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.read_calls import ReadCalls, decides_when_reading, letter
from byteloom_codegen.python.sizes import value_size
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.templates import READ
from byteloom_codegen.python.translation import Translator

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import MethodScope

__all__ = ["ReadStatements", "mentions_index", "switched"]


_ROOM: Final = WIDTH - 8
"""The columns of a line that the body of a method has."""


def switched(on: str, asked: ast.Expression) -> str:
    """Return what a switch's tests compare: the source *on* of its expression, or a variable."""
    calculated = isinstance(asked, ast.Name) and isinstance(asked.target, Instance | ValueInstance)
    return on if on.replace(".", "").isidentifier() and not calculated else "kind"


@dataclass(frozen=True, slots=True)
class ReadStatements:
    """Makes the statements that read fields of one record."""

    scope: MethodScope

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    def field(self, field: Field, target: str) -> list[Statement]:
        """Return the statements that read *field* into *target*."""
        target = "" if is_magic(field) else target
        body = self._repeated(field, target) if field.repeat else self._once(field, target)
        if field.condition is None:
            return body
        test = self.source(field.condition)
        if is_magic(field):
            return READ.lines("if_there", test=test, taken=body)
        if len(body) == 1 and not _chooses(field.type):
            short = READ.lines("if_there_on_a_line", test=test, taken=body[0])
            if len(str(short[0])) <= _ROOM:
                return short
        return READ.lines("if_there_or_none", target=target, test=test, taken=body)

    # One value

    def _once(self, field: Field, target: str) -> list[Statement]:
        """Read one value into *target*; it is dropped where *target* is ""."""
        name = str_literal(field.name)
        if isinstance(field.type, ContentsType) and not target:
            return READ.lines("magic", name=name, contents=bytes_literal(field.type.contents))
        if "varint" in field.loom:
            value = READ.value("number", name=name, method=field.loom["varint"])
            taken = READ.lines("assigned", target=target, value=value)
        else:
            taken = self._assigned(field.type, name, target)
        if field.valid is None:
            return taken
        wrong = rules(self.scope.of_item(field), field.valid, target)
        size = _bytes_of(field)
        return READ.lines("checked", name=name, target=target, taken=taken, rules=wrong, size=size)

    def _assigned(self, type_: DataType, name: str, target: str) -> list[Statement]:
        if isinstance(type_, SwitchType):
            return self._switch(type_, name, target)
        if isinstance(type_, ContentsType):
            contents = bytes_literal(type_.contents)
            return READ.lines("magic_kept", target=target, name=name, contents=contents)
        value = ReadCalls(self.scope).value(type_, name)
        return READ.lines("assigned", target=target, value=value)

    def _switch(self, type_: SwitchType, name: str, target: str) -> list[Statement]:
        on = self.source(type_.on)
        cases = list[tuple[str, list[Statement]]]()
        otherwise = READ.lines("assigned", target=target, value="None")
        mixed = id(type_) in self.scope.module.bits.mixed
        for case in type_.cases:
            taken = self._assigned(case.type, name, target)
            if mixed and not begins_in_bits(case.type):
                taken = [*READ.lines("aligned", spare=""), *taken]
            if case.on is None:
                otherwise = taken
            else:
                cases.append((self.source(case.on, COMPARE + 1), taken))
        return READ.lines(
            "switch", on=on, kind=switched(on, type_.on), cases=cases, otherwise=otherwise
        )

    # Many values

    def _repeated(self, field: Field, target: str) -> list[Statement]:
        repeat = field.repeat
        if repeat is None:
            raise TypeError(field)
        whole = self._whole(field, repeat)
        if whole:
            return READ.lines("assigned", target=target, value=whole)
        alike = self._alike(field, repeat, target)
        if alike:
            return alike
        element = Field(
            name=field.name,
            type=field.type,
            location=field.location,
            valid=field.valid,
            loom=field.loom,
        )
        item = self.scope.item_of(field)
        taken, until = self._once(element, item), ""
        if repeat.kind == "until" and repeat.expression:
            until = Translator(self.scope.of_item(field, item))(repeat.expression)
        kinds = self.scope.module.annotation(field.type)
        kinds += " | None" if is_optional(element) else ""
        return READ.lines(
            "elements",
            target=target,
            item=item,
            kinds=kinds if isinstance(field.type, SwitchType) else "",
            index="index" if mentions_index([*taken, target, until]) else "_",
            numbers=self._numbers(field, repeat),
            taken=taken,
            may_be_missing=is_optional(element),
            until=until,
        )

    def _numbers(self, field: Field, repeat: Repeat) -> str:
        """Return the source of what a loop over the elements iterates over."""
        name = str_literal(field.name)
        if repeat.kind == "expr" and repeat.expression is not None:
            least = value_size(field.type).least // 8  # elements may share a byte
            count = self.source(repeat.expression)
            return READ.value("as_many", name=name, count=count, least=least)
        return READ.value("to_end" if repeat.kind == "eos" else "repeatedly", name=name)

    def _whole(self, field: Field, repeat: Repeat) -> str | None:
        """Return the expression that takes all elements in one call, where there is one."""
        if field.valid is not None:
            return None
        if repeat.kind == "eos" and isinstance(field.type, UserType) and "varint" not in field.loom:
            cls = self.scope.class_of(field.type)
            name = str_literal(field.name)
            alone = self._stands_alone(field.type)
            return READ.value("records_to_end", name=name, read=f"{cls}.read") if alone else None
        if repeat.kind != "expr" or repeat.expression is None:
            return None
        name, count, type_ = str_literal(field.name), self.source(repeat.expression), field.type
        if "varint" in field.loom:
            kind = str_literal(field.loom["varint"])
            return READ.value("varints", name=name, count=count, kind=kind)
        if isinstance(type_, IntType | FloatType) and not decides_when_reading(type_):
            form = str_literal(letter(type_))
            return READ.value("array", name=name, count=count, form=form)
        if isinstance(type_, UserType) and self._stands_alone(type_):
            cls, least = self.scope.class_of(type_), self._least(type_)
            return READ.value("records", name=name, count=count, read=f"{cls}.read", least=least)
        return None

    def _least(self, type_: UserType) -> int | str:
        """Return the source of the least number of bytes that an element takes."""
        least = value_size(type_).least
        cls = self.scope.class_of(type_)
        return least // 8 if least % 8 else f"{cls}.MIN_SIZE"  # elements may share a byte

    def _alike(self, field: Field, repeat: Repeat, target: str) -> list[Statement]:
        """Return the statements that take records with the same arguments for all; or none."""
        type_ = field.type
        if (
            not isinstance(type_, UserType)
            or type_.delimiting is not None
            or "varint" in field.loom
        ):
            return []
        if field.valid is not None:
            return []
        cls, name = self.scope.class_of(type_), str_literal(field.name)
        handed = ReadCalls(self.scope).handed(type_)
        if repeat.kind == "until" and repeat.expression is not None:
            item = self.scope.item_of(field)
            until = Translator(self.scope.of_item(field, item))(repeat.expression)
            may_be_empty = value_size(type_).least < 8  # noqa: PLR2004  (a byte)
            read = ", ".join([f"{cls}.read", *ReadCalls(self.scope).given(type_)])
            if may_be_empty or asks_index((repeat.expression, type_.args, type_.parent)):
                return []
            return READ.lines(
                "records_until", target=target, item=item, name=name, read=read, until=until
            )
        if not handed or any(differs(arg, field.name) for arg in (*type_.args, type_.parent)):
            return []
        self.scope.module.partial = True
        given = {"target": target, "name": name, "cls": cls, "handed": ", ".join(handed)}
        if repeat.kind == "eos":
            return READ.lines("records_to_end_into", **given)
        count = self.source(repeat.expression) if repeat.expression is not None else ""
        return READ.lines("records_into", count=count, least=self._least(type_), **given)

    def _stands_alone(self, type_: UserType) -> bool:
        """Whether a record is read with no argument but the reader."""
        uses = self.scope.module.uses_of(type_.type)
        handed = type_.type.params or uses.inherits_endian(type_.type)
        needs = id(type_.type) in uses.parent or id(type_.type) in uses.root
        return type_.delimiting is None and not handed and not needs


def differs(arg: object, name: str) -> bool:
    """Whether *arg* may differ between elements of the field *name*."""
    return any(
        isinstance(node, ast.Attribute | ast.Call)
        or (isinstance(node, ast.Name) and (node.id in {"_index", "_", name, "_io"}))
        or (isinstance(node, ast.Name) and isinstance(node.target, Instance | ValueInstance))
        for node in walk(arg)
    )


def _bytes_of(field: Field) -> int | None:
    """Return the size of one value in bytes, where it is fixed and whole."""
    size = value_size(field.type)
    whole = size.most == size.least and size.least % 8 == 0 and "varint" not in field.loom
    return size.least // 8 if whole else None


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
