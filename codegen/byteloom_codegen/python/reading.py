"""The body of ``read``: one statement or block for every field, in the order of the bytes."""

from __future__ import annotations

from dataclasses import dataclass

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    DataType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    OpaqueType,
    StrType,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.checks import validation
from byteloom_codegen.python.names import attribute_name, local_name
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.sizes import least_bytes, value_size
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import Translator, bytes_literal, str_literal

__all__ = ["Reading", "letter", "target_of", "wire_name"]


def wire_name(type_: IntType | FloatType) -> str:
    """Return the reader's method for a number: ``u4le``."""
    kind = "f" if isinstance(type_, FloatType) else "s" if type_.signed else "u"
    return f"{kind}{type_.width}{type_.endian or ''}"


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
        if isinstance(field.type, ContentsType) and field.repeat is None and field.condition is None:
            return [f"r.magic({str_literal(field.name)}, {bytes_literal(field.type.contents)})"]
        body = self._repeated(field, target) if field.repeat else self._once(field, target)
        if field.condition is None:
            return body
        test = self.source(field.condition)
        if len(body) == 1 and isinstance(body[0], str) and body[0].startswith(f"{target} = "):
            taken = body[0].removeprefix(f"{target} = ")
            return [f"{target} = {taken} if {test} else None"]
        return [f"{target} = None", Block(f"if {test}:", body)]

    # One value

    def _once(self, field: Field, target: str) -> list[Statement]:
        name = str_literal(field.name)
        marks: list[Statement] = ["at = r.offset"] if field.valid else []
        checks = validation(self.scope, field.valid, name, target, reading=True) if field.valid else []
        return [*marks, *self._assign(field.type, name, target), *checks]

    def _assign(self, type_: DataType, name: str, target: str) -> list[Statement]:
        if isinstance(type_, SwitchType):
            return self._switch(type_, name, target)
        return [f"{target} = {self.take(type_, name)}"]

    def _switch(self, type_: SwitchType, name: str, target: str) -> list[Statement]:
        on = self.source(type_.on)
        statements: list[Statement] = []
        if not on.replace(".", "").isidentifier():
            statements.append(f"kind = {on}")
            on = "kind"
        word, otherwise = "if", [case for case in type_.cases if case.on is None]
        for case in type_.cases:
            if case.on is not None:
                statements.append(Block(f"{word} {on} == {self.source(case.on)}:", self._assign(case.type, name, target)))
                word = "elif"
        body = self._assign(otherwise[0].type, name, target) if otherwise else [f"{target} = None"]
        return [*statements, Block("else:", body)] if word == "elif" else [*statements, *body]

    def take(self, type_: DataType, name: str) -> str:
        """Return the expression that takes one value of *type_*."""
        match type_:
            case IntType() | FloatType():
                return f"r.{wire_name(type_)}({name})"
            case BitsType(width=width, endian=endian, is_bool=is_bool):
                taken = f"r.bits_{endian}({name}, {width})"
                return f"{taken} != 0" if is_bool else taken
            case EnumType(enum=enum, base=base):
                return f"{self.scope.calc('named')}({self.scope.class_of(enum)}, {self.take(base, name)})"
            case ContentsType(contents=contents):
                return f"r.magic({name}, {bytes_literal(contents)})"
            case BytesType(delimiting=Delimiting() as delimiting):
                return self._bytes(delimiting, name)
            case StrType(delimiting=Delimiting() as delimiting, encoding=encoding):
                return f"r.text({name}, {self._bytes(delimiting, name)}, {str_literal(encoding or 'ascii')})"
            case UserType() | OpaqueType():
                return self._record(type_, name)
        raise NotImplementedError(f"{type(type_).__name__} in {self.scope.here.path}")

    def _bytes(self, delimiting: Delimiting, name: str) -> str:
        if delimiting.size is not None:
            taken = f"r.bytes({name}, {self.source(delimiting.size)})"
        elif delimiting.size_eos:
            taken = f"r.rest({name})"
        else:
            return f"r.until({name}, {bytes_literal(delimiting.terminator or b'')}{self._options(delimiting)})"
        if delimiting.pad_right is not None:
            taken = f"{self.scope.calc('unpadded')}({taken}, {delimiting.pad_right})"
        if delimiting.terminator is not None:
            include = ", include=True" if delimiting.include else ""
            taken = f"{self.scope.calc('terminated')}({taken}, {bytes_literal(delimiting.terminator)}{include})"
        return taken

    @staticmethod
    def _options(delimiting: Delimiting) -> str:
        given = {"include": delimiting.include, "consume": delimiting.consume, "eos_error": delimiting.eos_error}
        usual = {"include": False, "consume": True, "eos_error": True}
        return "".join(f", {key}={value}" for key, value in given.items() if value != usual[key])

    def _record(self, type_: UserType | OpaqueType, name: str) -> str:
        reader, uses = "r", self.scope.module.uses
        if type_.delimiting is not None:
            reader = self._window(type_.delimiting, name)
        given = [f"{self.scope.class_of(type_)}.read"]
        if isinstance(type_, UserType):
            spec = type_.type
            if id(spec) in uses.parent:
                given.append(f"parent={'self' if type_.parent is None else self.source(type_.parent) if type_.parent else None}")
            if id(spec) in uses.root and spec.owner is not None:
                given.append(f"root={self.scope.special('_root')}")
            given += [f"{local_name(param.name)}={self.source(arg)}" for param, arg in zip(spec.params, type_.args, strict=True)]
        return f"{reader}.record({name}, {', '.join(given)})"

    def _window(self, delimiting: Delimiting, name: str) -> str:
        if delimiting.size is not None and delimiting.pad_right is None and delimiting.terminator is None:
            return f"r.window({name}, {self.source(delimiting.size)})"
        if delimiting.size_eos and delimiting.pad_right is None and delimiting.terminator is None:
            return f"r.window({name}, r.left)"
        return f"r.stream({self._bytes(delimiting, name)})"

    # Many values

    def _repeated(self, field: Field, target: str) -> list[Statement]:
        repeat = field.repeat
        name = str_literal(field.name)
        size = least_bytes(value_size(field.type))
        if repeat is None:
            raise TypeError(field)
        count = self.source(repeat.expression) if repeat.kind == "expr" and repeat.expression else ""
        if count and field.valid is None:
            whole = self._whole(field.type, name, count)
            if whole:
                return [f"{target} = {whole}"]
        head = {
            "expr": f"for index in r.times({name}, {count}, each={size}):",
            "eos": f"for index in r.to_end({name}):",
            "until": f"for index in r.repeatedly({name}):",
        }[repeat.kind]
        element = Field(name=field.name, type=field.type, location=field.location, valid=field.valid)
        body = self._once(element, "it")
        body.append(f"{target}.append(it)")
        if repeat.kind == "until" and repeat.expression:
            body.append(Block(f"if {self.source(repeat.expression)}:", ["break"]))
        if not _mentions_index(body):
            head = head.replace("for index in", "for _ in", 1)
        return [f"{target} = []", Block(head, body)]

    def _whole(self, type_: DataType, name: str, count: str) -> str | None:
        """Return the expression that takes all elements in one call, where there is one."""
        if isinstance(type_, IntType | FloatType):
            return f"r.array({name}, {count}, {str_literal(letter(type_))})"
        plain = isinstance(type_, UserType) and type_.delimiting is None and not type_.type.params
        if plain and isinstance(type_, UserType) and not {id(type_.type)} & (self.scope.module.uses.parent | self.scope.module.uses.root):
            cls = self.scope.class_of(type_)
            return f"r.records({name}, {count}, {cls}.read, each={cls}.MIN_SIZE)"
        return None


def letter(type_: IntType | FloatType) -> str:
    letters = {4: "f", 8: "d"} if isinstance(type_, FloatType) else {1: "b", 2: "h", 4: "i", 8: "q"}
    code = letters[type_.width or 1]
    if isinstance(type_, IntType) and not type_.signed:
        code = code.upper()
    return (">" if type_.endian == "be" else "<") + code


def _mentions_index(body: list[Statement]) -> bool:
    return any(
        "index" in each if isinstance(each, str) else "index" in each.header or _mentions_index(each.body) for each in body
    )


def target_of(field: Field, locals_: frozenset[str]) -> str:
    """Return what holds *field* while its record is read."""
    return local_name(field.name) if field.name in locals_ else f"self.{attribute_name(field.name)}"

