"""The body of ``write``: what faces each statement of ``read``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    DataType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    Instance,
    IntType,
    OpaqueType,
    Process,
    StrType,
    SwitchType,
    UserType,
    Valid,
    ValidKind,
)
from byteloom_codegen.python.bit_runs import begins_in_bits
from byteloom_codegen.python.checks import validation
from byteloom_codegen.python.derive import is_magic
from byteloom_codegen.python.ending import (
    asks_stream,
    names_in,
    some_checks,
    stream_decides,
    until_checks,
)
from byteloom_codegen.python.names import attribute_name, local_name
from byteloom_codegen.python.reading import mentions_index, switched
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.taking import (
    cut_options,
    decides_when_reading,
    decoder,
    is_cut,
    letter,
    until_arguments,
    wire_name,
)
from byteloom_codegen.python.translate import (
    COMPARE,
    Translator,
    bytes_literal,
    is_optional,
    str_literal,
)
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.python.derive import Derived
    from byteloom_codegen.python.scope import MethodScope

__all__ = ["Writing", "asks_stream"]


@dataclass(frozen=True, slots=True)
class Writing:
    """Makes the statements that write fields of one record.

    derived  the fields that others determine: what determines one has nothing left to agree with
    """

    scope: MethodScope
    derived: dict[str, Derived] = field(default_factory=dict)

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    def field(self, field: Field, value: str = "") -> list[Statement]:
        """Return the statements that write *field*, or the *value* that stands for it."""
        name, value = str_literal(field.name), value or f"self.{attribute_name(field.name)}"
        body = self._body(field, name, value)
        guarded = Block(f"if {value} is not None:", body)
        if field.condition is None:
            return body if self._tells(field) or not is_optional(field) else [guarded]
        if is_magic(field):
            return [Block(f"if {self.source(field.condition)}:", body)]
        if asks_stream(field.condition):  # what is left of the stream is not known yet
            return [guarded]
        if field.name in self.derived and self.derived[field.name].by:
            there = (
                f"{self.scope.calc('given')}({value}, {str_literal(self.derived[field.name].by)})"
            )
            return [Block(f"if {self.source(field.condition)}:", self._once(field, name, there))]
        refused: list[Statement] = [f"raise w.unexpected({name}, {value})"]
        if isinstance(field.type, SwitchType) and is_optional(replace(field, condition=None)):
            body = body if self._tells(replace(field, condition=None)) else [guarded]
        else:
            held = local_name(field.name)
            body = [f"{held} = {self.scope.calc('given')}({value}, {name})"]
            body += self._body(field, name, held)
        return [
            Block(f"if {self.source(field.condition)}:", body),
            Block(f"elif {value} is not None:", refused),
        ]

    def _body(self, field: Field, name: str, value: str) -> list[Statement]:
        """Return the statements that write a *value* that is there, or each of several."""
        return (self._repeated if field.repeat else self._once)(field, name, value)

    @staticmethod
    def _tells(field: Field) -> bool:
        """Whether the switch of *field* itself tells whether there has to be a value."""
        if not isinstance(field.type, SwitchType) or field.repeat or field.valid is not None:
            return False
        return is_optional(field) and not asks_stream(field.type.on)

    def placed(self, instance: Instance, value: str) -> list[Statement]:
        """Return the statements that write the *value* of a parse instance, which is there."""
        return self.field(replace(instance, condition=None), value)

    # One value

    def _once(self, field: Field, name: str, value: str) -> list[Statement]:
        if "varint" in field.loom:
            put: list[Statement] = [f"w.{field.loom['varint']}({name}, {value})"]
        else:
            put = self.put(field.type, name, value, field.name)
        if field.valid is None or self._is_derived_as(field, field.valid):
            return put
        scope, enum = self.scope.of_item(field), None
        if isinstance(field.type, EnumType):
            enum = field.type.enum
        return [
            *validation(scope, field.valid, name, value, reading=False, enum=enum),
            *put,
        ]

    def _is_derived_as(self, field: Field, valid: Valid) -> bool:
        """Whether *field* is derived as the very value that it has to be."""
        derive = field.loom.get("derive")
        if derive is None or valid.kind is not ValidKind.EQ:
            return False
        return self.source(derive) == self.source(valid.values[0])

    def put(self, type_: DataType, name: str, value: str, of: str = "") -> list[Statement]:
        """Return the statements that write one *value* of *type_*, which the field *of* holds."""
        match type_:
            case IntType() | FloatType():
                return self._number(type_, name, value)
            case BitsType(width=width, endian=endian):
                return [f"w.bits_{endian}({name}, {value}, {width})"]
            case EnumType(base=base):
                return self.put(base, name, value, of)
            case ContentsType(contents=contents):
                return [f"w.magic({name}, {bytes_literal(contents)})"]
            case BytesType(delimiting=Delimiting() as delimiting, process=process):
                raw = self._processed(process, name, value, delimiting)
                return self._bytes(delimiting, name, raw, of)
            case StrType(delimiting=Delimiting() as delimiting, encoding=encoding, process=process):
                text = f"w.encoded({name}, {value}, {str_literal(encoding or 'ascii')})"
                raw = self._processed(process, name, text, delimiting)
                return self._bytes(delimiting, name, raw, of)
            case UserType() | OpaqueType():
                return self._record(type_, name, value, of)
            case SwitchType():
                return self._switch(type_, name, value, of)
        raise TypeError(type_)

    def _number(self, type_: IntType | FloatType, name: str, value: str) -> list[Statement]:
        if not decides_when_reading(type_):
            return [f"w.{wire_name(type_)}({name}, {value})"]
        little, big = wire_name(type_, "le"), wire_name(type_, "be")
        return [
            Block("if self._is_le:", [f"w.{little}({name}, {value})"]),
            Block("else:", [f"w.{big}({name}, {value})"]),
        ]

    def _bytes(self, delimiting: Delimiting, name: str, value: str, of: str) -> list[Statement]:
        if delimiting.size is None and not delimiting.size_eos:
            return [f"w.until({name}, {value}, {until_arguments(delimiting)})"]
        size, by = self._size(delimiting, of)
        if is_cut(delimiting):
            put = f"w.sized({name}, {value}, {size}{cut_options(delimiting)}{by})"
            return [put, *([f"w.ends({name})"] if delimiting.size_eos else [])]
        if delimiting.size is None:
            return [f"w.rest({name}, {value})"]
        return [f"w.bytes({name}, {value}{f', {size}{by}' if size != 'None' else ''})"]

    def _size(self, delimiting: Delimiting, of: str) -> tuple[str, str]:
        """Return the source of a size that has to be kept, and an argument: what gives it."""
        if delimiting.size is None or self._follows(delimiting.size, of):
            return "None", ""
        size = self.source(delimiting.size)
        by_stream = stream_decides(delimiting.size, self.source)
        if by_stream is None:
            return "None", ""
        if by_stream:
            size = f"None if {by_stream} else {size}"
        said = "" if size.isdecimal() else f", by={str_literal(unparse(delimiting.size))}"
        return size, said

    def _processed(
        self, process: Process | None, name: str, value: str, delimiting: Delimiting
    ) -> str:
        if process is None:
            return value
        scope = self.scope
        if any(map(asks_stream, process.args)) and delimiting.size is not None:
            scope = replace(scope, stream=f"w.after({self.source(delimiting.size)})")
        args = ", ".join(map(Translator(scope), process.args))
        match process.name:
            case "zlib":
                return f"w.deflated({name}, {value})"
            case "xor":
                return f"{self.scope.calc('xored')}({value}, {args})"
            case "rol":
                return f"{self.scope.calc('rotated')}({value}, -({args}))"
            case "ror":
                return f"{self.scope.calc('rotated')}({value}, {args})"
        return f"w.processed({name}, {value}, {decoder(process, self.scope)})"

    def _record(
        self, type_: UserType | OpaqueType, name: str, value: str, of: str
    ) -> list[Statement]:
        delimiting, process = type_.delimiting, type_.process
        if delimiting is None:
            return [f"w.record({name}, {value})"]
        if process is None and not is_cut(delimiting) and (delimiting.size or delimiting.size_eos):
            size, by = self._size(delimiting, of)
            put = f"w.window({name}, {value}{f', {size}{by}' if size != 'None' else ''})"
            return [put, *([f"w.ends({name})"] if delimiting.size_eos else [])]
        raw = self._processed(process, name, f"w.inner({name}, {value})", delimiting)
        return self._bytes(delimiting, name, raw, of)

    def _follows(self, size: ast.Expression, of: str) -> bool:
        """Whether *size* follows from the field *of* that it measures, or from the stream alone."""
        targets = {name.target.name for name in names_in(size) if name.target is not None}
        determined = any(name in self.derived and self.derived[name].by == of for name in targets)
        return determined or stream_decides(size, self.source) is None

    def _switch(self, type_: SwitchType, name: str, value: str, of: str) -> list[Statement]:
        before, on = switched(self.source(type_.on))
        blocks: list[Statement] = []
        mixed, leaves_out = (
            id(type_) in self.scope.module.bits.mixed,
            all(case.on is not None for case in type_.cases),
        )
        for case in sorted(type_.cases, key=lambda case: case.on is None):
            there = self._narrowed(case.type, value, name)
            if leaves_out and there == value:
                there = f"{self.scope.calc('given')}({value}, {name})"
            body = self.put(case.type, name, there, of)
            if mixed and not begins_in_bits(case.type):
                body = ["w.align()", *body]
            if case.on is None:
                blocks += [Block("else:", body)] if blocks else body
            else:
                word = "elif" if blocks else "if"
                blocks.append(Block(f"{word} {on} == {self.source(case.on)}:", body))
        if leaves_out:
            word = "elif" if blocks else "if"
            refused: list[Statement] = [f"raise w.unexpected({name}, {value})"]
            blocks.append(Block(f"{word} {value} is not None:", refused))
        return [*before, *blocks]

    def _narrowed(self, type_: DataType, value: str, name: str) -> str:
        python = self.source.runtime_type(type_)
        return f"{self.scope.calc('narrowed')}({value}, {python}, {name})" if python else value

    # Many values

    def _repeated(self, field: Field, name: str, value: str) -> list[Statement]:
        ends = [f"w.ends({name})"] if field.repeat and field.repeat.kind == "eos" else []
        whole = self._whole(field, name, value)
        if whole:
            return [*self._count_check(field, name, value), whole, *ends]
        if _leaves_out(field):
            return self._some_left_out(field, name, value)
        item = self.scope.item_of(field)
        body = self._once(field, name, item)
        until = until_checks(field, name, value, self.scope)
        head = f"for {item} in {value}:"
        if mentions_index([*body, *until]):
            head = f"for index, {item} in enumerate({value}):"
        loop = Block(head, [*body, *until])
        return [
            *self._count_check(field, name, value),
            *some_checks(field, name, value),
            loop,
            *ends,
        ]

    def _some_left_out(self, field: Field, name: str, value: str) -> list[Statement]:
        """Write elements of which a switch without a match leaves out some, as reading does."""
        item, repeat, type_ = self.scope.item_of(field), field.repeat, field.type
        if repeat is None or repeat.expression is None or not isinstance(type_, SwitchType):
            raise TypeError(field)
        take: list[Statement] = [f"{item} = w.element({name}, {value}, taken)", "taken += 1"]
        element = replace(field, repeat=None, condition=None)
        before, on = switched(self.source(type_.on))
        tests = " or ".join(
            f"{on} == {self.source(case.on, COMPARE + 1)}" for case in type_.cases if case.on
        )
        found = [*take, *self._once(element, name, item)]
        body: list[Statement] = [*before, Block(f"if {tests}:", found)]
        numbers = f"range({self.source(repeat.expression)})"
        if repeat.kind == "until":
            numbers = f"w.repeatedly({name})"
            ends = Translator(self.scope.of_item(field, item))(repeat.expression)
            end: Statement = Block(f"if {ends}:", ["break"])
            looks = any(each.id == "_" for each in names_in(repeat.expression))
            body = [*before, Block(f"if {tests}:", [*found, end])] if looks else [*body, end]
        return [
            "taken = 0",
            Block(f"for {'index' if mentions_index(body) else '_'} in {numbers}:", body),
            f'w.check_count({name}, {value}, taken, "the elements that it has types for")',
        ]

    def _whole(self, field: Field, name: str, value: str) -> str | None:
        """Return the statement that writes all elements in one call, where there is one."""
        type_ = field.type
        if field.valid is not None or (field.repeat and field.repeat.kind == "until"):
            return None
        if "varint" in field.loom:
            return f"w.varints({name}, {value}, {str_literal(field.loom['varint'])})"
        if isinstance(type_, UserType) and type_.delimiting is None:
            return f"w.records({name}, {value})"
        if isinstance(type_, IntType | FloatType) and not decides_when_reading(type_):
            return f"w.array({name}, {value}, {str_literal(letter(type_))})"
        return None

    def _count_check(self, field: Field, name: str, value: str) -> list[Statement]:
        repeat = field.repeat
        if repeat is None or repeat.kind != "expr" or repeat.expression is None:
            return []
        if self._follows(repeat.expression, field.name):
            return []
        count, by = self.source(repeat.expression), str_literal(unparse(repeat.expression))
        check = f"w.check_count({name}, {value}, {count}, {by})"
        by_stream = stream_decides(repeat.expression, self.source)
        return [Block(f"if not ({by_stream}):", [check])] if by_stream else [check]


def _leaves_out(field: Field) -> bool:
    """Whether a switch may leave out elements of *field*, whose number its value does not tell."""
    repeat = field.repeat
    if repeat is None or repeat.expression is None or repeat.kind == "eos":
        return False
    optional = is_optional(replace(field, repeat=None, condition=None))
    return optional and not asks_stream(repeat.expression)
