"""Adjacent fields of fixed sizes, which one call takes: numbers, bytes and texts, or bits.

A run ends with a field that has rules: a value that breaks one is refused before anything after
it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    DataType,
    EnumType,
    Field,
    FloatType,
    IntType,
    StrType,
    base_of,
    is_bits,
)
from byteloom_codegen.python.checks import rules
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.names import attribute_name, local_name
from byteloom_codegen.python.read_calls import letter
from byteloom_codegen.python.sizes import literal, value_size
from byteloom_codegen.python.statements import Statement
from byteloom_codegen.python.templates import READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.model import TypeSpec
    from byteloom_codegen.python.scope import MethodScope, Module


__all__ = ["Runs"]

_BITS: Final = {"le": "bits_le", "be": "bits_be"}
_LONGEST: Final = 1 << 20
"""Most bytes of a field in a run: `struct` refuses layouts that no memory could hold."""

_APART: Final = frozenset({"crc", "default", "derive", "varint"})
"""Keys of fields that are in no run: they are calculated, or have no fixed size."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Finds the runs of one record, and makes the statements that take and put them.

    scope  of the method
    marks  the fields that have to begin a run, since their place is remembered
    """

    scope: MethodScope
    marks: frozenset[str]

    @property
    def spec(self) -> TypeSpec:
        """The record."""
        return self.scope.here

    @property
    def module(self) -> Module:
        """The module that it is in."""
        return self.scope.module

    def steps(self, *, reading: bool) -> list[list[Field]]:
        """Return the fields, grouped into runs; a run that is written has numbers only."""
        steps, order = list[list[Field]](), ""
        for field in self.spec.seq:
            here = self._order(field, reading=reading)
            joined = _joined(order, here) if field.name not in self.marks else ""
            if joined and _match([*steps[-1], field]):
                steps[-1].append(field)
                order = joined
            else:
                steps.append([field])
                order = here
            if field.valid is not None and reading and not is_bits(field.type):
                order = ""
        return [part for step in steps for part in self._whole(step)]

    def is_number(self, field: Field) -> bool:
        """Whether *field* alone is written as a run is: a number that is always there."""
        is_float = isinstance(field.type, FloatType)
        return not is_float and not is_bits(field.type) and bool(self._order(field, reading=False))

    def read(self, fields: list[Field], targets: list[str]) -> list[Statement]:
        """Return the statements that take *fields* into *targets*."""
        if is_bits(fields[0].type):
            return self._read_bits(fields, targets)
        held = [
            local_name(each.name) if isinstance(each.type, StrType) else target
            for each, target in zip(fields, targets, strict=True)
        ]
        statements = READ.lines("run", targets=held, **self._arguments(fields))
        left = sum(value_size(each.type).least for each in fields)
        for field, target, value in zip(fields, targets, held, strict=True):
            taken = (left + 7) // 8
            left -= value_size(field.type).least
            statements += self._converted(field, target, value, taken, left // 8)
        return statements

    def _read_bits(self, fields: list[Field], targets: list[str]) -> list[Statement]:
        statements = READ.lines("bit_run", **self._arguments(fields))
        left = total = sum(value_size(each.type).least for each in fields)
        if _endian(fields[0]) == "le":
            left = 0
        for field, target in zip(fields, targets, strict=True):
            width = value_size(field.type).least
            begins = left // 8 if _endian(fields[0]) == "le" else (total - left) // 8
            left -= width if _endian(fields[0]) == "be" else 0
            flag = isinstance(field.type, BitsType) and field.type.is_bool
            above = left + width < total
            value = READ.value("bits_of", shift=left, width=width, flag=flag, above=above)
            if isinstance(field.type, EnumType):
                value = self._label(field.type, value)
            statements += READ.lines("assigned", target=target, value=value)
            left += width if _endian(fields[0]) == "le" else 0
            statements += self._checked(field, target, total // 8 - begins)
        return statements

    def write(self, fields: list[Field], values: list[str]) -> list[Statement]:
        """Return the statements that put *values*, each checked before."""
        statements = list[Statement]()
        for field, value in zip(fields, values, strict=True):
            if field.valid is not None:
                scope = self.scope.of_item(field)
                enum = field.type.enum if isinstance(field.type, EnumType) else None
                wrong = rules(scope, field.valid, value, enum=enum)
                name = str_literal(field.name)
                statements += WRITE.lines("refused", name=name, value=value, rules=wrong)
        if not is_bits(fields[0].type):
            floats = [
                value
                for each, value in zip(fields, values, strict=True)
                if isinstance(each.type, FloatType) and each.type.width == 4  # noqa: PLR2004
            ]
            self.module.keeps_nans |= bool(floats)
            layout = self._arguments(fields)["layout"]
            return statements + WRITE.lines("run", layout=layout, values=values, floats=floats)
        total = sum(value_size(each.type).least for each in fields)
        tests, parts, before = list[str](), list[str](), 0
        for field, value in zip(fields, values, strict=True):
            width = value_size(field.type).least
            shift = before if _endian(field) == "le" else total - before - width
            tests.append(f"{value} >> {width}")
            parts.append(f"{value} << {shift}" if shift else value)
            before += width
        return statements + WRITE.lines(
            "bit_run",
            tests=tests,
            word=" | ".join(parts),
            values=values,
            size=total // 8,
            **self._arguments(fields),
        )

    # Which fields make a run

    def _order(self, field: Field, *, reading: bool) -> str:
        """Return the byte order of *field* in a run: "=" for any, "" if it cannot be in one."""
        if field.condition is not None or field.repeat is not None or field.loom.keys() & _APART:
            return ""
        type_ = base_of(field.type)
        match type_:
            case IntType(width=1):
                return "="
            case IntType(endian=endian) | FloatType(endian=endian):
                return {"le": "<", "be": ">", None: "?"}[endian]
            case BitsType(endian=endian):
                return _BITS[endian]
            case BytesType() | StrType() if reading and _size(type_):
                return "="
        return ""

    def _whole(self, fields: list[Field]) -> Iterable[list[Field]]:
        """Yield *fields*, split where they are bits that do not fill whole bytes."""
        if len(fields) == 1 or not is_bits(fields[0].type):
            yield fields
            return
        at = self.module.bits.begins(self.spec, self.spec.seq.index(fields[0]))
        run: list[Field] = []
        for field in fields:
            begins, at = at, None if at is None else (at + value_size(field.type).least) % 8
            if not run and begins != 0:
                yield [field]
                continue
            run.append(field)
            if at == 0:
                yield run
                run = []
        yield from ([each] for each in run)

    # The statements for a run

    def _arguments(self, fields: list[Field]) -> dict[str, object]:
        if is_bits(fields[0].type):
            names = list(map(str_literal, _names(fields)))
            return {"names": names, "layout": self._bits(fields)}
        orders = {self._order(each, reading=True) for each in fields} - {"="}
        order = orders.pop() if orders else "<"
        return {"method": _method(fields), "layout": self._struct(fields, order)}

    def _struct(self, fields: list[Field], order: str) -> str:
        form = "".join(_form(each.type) for each in fields)
        if order != "?":
            return self._constant(fields, self._run(order + form, fields))
        little = self._constant(fields, self._run(f"<{form}", fields), "_LE")
        big = self._constant(fields, self._run(f">{form}", fields), "_BE")
        return READ.value("layout_of_either_order", little=little, big=big)

    def _run(self, form: str, fields: list[Field]) -> str:
        self.module.wire.add("FieldRun")
        return f"FieldRun({', '.join(str_literal(each) for each in (form, *_names(fields)))})"

    def _bits(self, fields: list[Field]) -> str:
        order = "little" if _endian(fields[0]) == "le" else "big"
        widths = ", ".join(str(value_size(each.type).least) for each in fields)
        self.module.wire.add("Bits")
        return self._constant(fields, f'Bits("{order}", {widths})')

    def _constant(self, fields: list[Field], source: str, suffix: str = "") -> str:
        owner, first = self.module.class_of(self.spec), attribute_name(fields[0].name)
        return self.module.struct(owner, first + suffix, source)

    def _converted(
        self, field: Field, target: str, value: str, taken: int, left: int
    ) -> list[Statement]:
        """Return what is done to *value*: with it *taken* bytes end the run, after it *left*."""
        name, statements = str_literal(field.name), list[Statement]()
        if isinstance(field.type, EnumType):
            named = self._label(field.type, value)
            statements = READ.lines("assigned", target=target, value=named)
        elif isinstance(field.type, StrType):
            encoding = str_literal(field.type.encoding or "ascii")
            text = READ.value("text_before", name=name, bytes=value, encoding=encoding, left=left)
            statements = READ.lines("assigned", target=target, value=text)
        return statements + self._checked(field, target, taken)

    def _label(self, type_: EnumType, number: str) -> str:
        self.module.calc.add("named")
        return READ.value("label", enum=self.module.class_of(type_.enum), number=number)

    def _checked(self, field: Field, target: str, taken: int) -> list[Statement]:
        """Return the tests of the rules of *field*, which begins *taken* bytes before the end."""
        if field.valid is None:
            return []
        wrong = rules(self.scope.of_item(field), field.valid, target)
        name, place = str_literal(field.name), READ.value("place_before", size=taken)
        return READ.lines("refused", name=name, target=target, rules=wrong, at=place)


def _names(fields: list[Field]) -> list[str]:
    return [each.name for each in fields]


def _joined(order: str, other: str) -> str:
    """Return the byte order of a run with one more field; "" if the field does not fit in."""
    if not order or not other or (order != other and "=" not in {order, other}):
        return ""
    if (order in _BITS.values()) != (other in _BITS.values()):
        return ""
    return other if order == "=" else order


def _match(fields: list[Field]) -> bool:
    """Whether one call takes all fields: a run with floats has only numbers beside them."""
    kinds = {type(each.type) for each in fields}
    return not (kinds & {BytesType, StrType} and FloatType in kinds)


def _method(fields: list[Field]) -> str:
    single = {FloatType(4, endian) for endian in ("le", "be", None)}
    if not single.isdisjoint(each.type for each in fields):
        return "run_floats"
    raw = any(isinstance(each.type, BytesType | StrType) for each in fields)
    return "run_mixed" if raw else "run"


def _form(type_: DataType) -> str:
    """Return how `struct` writes *type_*, without its order."""
    type_ = base_of(type_)
    if isinstance(type_, BytesType | StrType):
        return f"{_size(type_)}s"
    if not isinstance(type_, IntType | FloatType):
        raise TypeError(type_)
    return letter(type_)[1:]


def _size(type_: BytesType | StrType) -> int:
    """Return the size of bytes that are taken as they are; 0 for other types, and for too many."""
    delimiting = type_.delimiting
    if delimiting is None or type_.process is not None or delimiting.is_filled_up:
        return 0
    size = literal(delimiting.size) or 0
    return size if size <= _LONGEST else 0


def _endian(field: Field) -> str:
    type_ = base_of(field.type)
    return type_.endian if isinstance(type_, BitsType) else ""
