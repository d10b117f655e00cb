"""Records of one size: where each column is in them, and the spec's rules over whole columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    Field,
    FloatType,
    IntType,
    StrType,
    UserType,
    ValueInstance,
    base_of,
    is_bits,
)
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.derived_fields import is_checksum
from byteloom_codegen.python.literals import bytes_literal
from byteloom_codegen.python.sizes import fixed_bytes, type_size
from byteloom_codegen.python.statements import is_named
from byteloom_codegen.scanners.calculated_columns import (
    Calculations,
    calculated_column,
    refused_column,
)
from byteloom_codegen.scanners.calculation import all_true
from byteloom_codegen.scanners.column_calculation import InstanceCalculator, RuleCalculator
from byteloom_codegen.scanners.column_views import (
    ColumnView,
    column_name,
    leaf,
    plain_size,
    set_member,
)
from byteloom_codegen.scanners.refusals import NotScannableError, check_shared_bytes
from byteloom_codegen.scanners.row_numbers import Numbers
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.variables import Environment, StoredVariable, Variable, variable_of

if TYPE_CHECKING:
    from byteloom_codegen.model import TypeSpec
    from byteloom_codegen.scanners.targets import NamedFields

__all__ = ["StridedView", "strided_view"]


@dataclass(frozen=True, slots=True)
class StridedView:
    """Columns with their places.

    size     bytes of a record
    numbers  the numbers that the rules use
    wrong    the rules, each true of a wrong record
    """

    size: int
    columns: list[ColumnView]
    numbers: list[Number]
    wrong: list[str]


@dataclass(frozen=True, slots=True)
class Number:
    """A number of every record that rules calculate with.

    name     its variable
    word     the word that has it: its form, place, and of bits the shift and how many they are
    is_flag  whether it is a truth value
    """

    name: str
    word: tuple[str, ...]
    is_flag: bool


def strided_view(
    scanned: Field, named: NamedFields, calculations: Calculations
) -> StridedView | None:
    """Return how the elements of *scanned* are viewed; None where they need a loop.

    named         the fields that expressions name
    calculations  gets the functions of instances
    """
    type_ = scanned.type
    if not isinstance(type_, UserType) or scanned.repeat is None:
        return None
    if type_.delimiting is not None or type_.process is not None or type_.args:
        return None
    size = fixed_bytes(type_size(type_.type))
    if not size or scanned.repeat.kind == "until":
        return None
    builder = _Builder(size, named, calculations)
    try:
        columns = builder.record(type_.type, Environment(type_.type, None, "", ""), "")
    except NotScannableError:  # if a loop cannot read it either, its error gives the reason
        return None
    wrong = builder.wrong
    numbers = [each for each in builder.numbers if is_named(each.name, [*wrong])]
    if len(wrong) > 1:
        wrong = [f"({each})" if " " in each.split(", ")[0] else each for each in wrong]
    return StridedView(size, columns, numbers, wrong) if columns else None


@dataclass(slots=True)
class _Builder:
    size: int
    named: NamedFields
    calculations: Calculations
    known: dict[str, ColumnView] = field(default_factory=dict)
    numbers: list[Number] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    bits: int = 0

    def record(self, spec: TypeSpec, here: Environment, prefix: str) -> list[ColumnView]:
        """Place the fields of a record."""
        check_shared_bytes(spec)
        columns = []
        for each in spec.seq:
            if each.condition is not None or each.repeat is not None or is_checksum(each):
                raise NotScannableError(each.location, "not of one size and form")
            column = self.field(each, here, prefix)
            name = column_name(each, spec)
            if column is not None and name is not None:
                set_member(column, each, name)
                columns.append(column)
        self._align()
        for instance in spec.instances:
            if not isinstance(instance, ValueInstance):
                continue
            name, path = column_name(instance, spec), f"{prefix}{instance.name}"
            if name is not None and path not in self.calculations.left_out:
                columns.append(self.calculated(instance, name, here, path))
        return columns

    def calculated(
        self, instance: ValueInstance, name: str, here: Environment, path: str
    ) -> ColumnView:
        """Return the column of a calculated instance."""
        if instance.condition is not None:
            lacking = NotScannableError(instance.location, "a value that a record may lack")
            return refused_column(instance, name, path, lacking)
        numbers = Numbers(here, RuleCalculator, self.known)
        calculator = InstanceCalculator(here, numbers=numbers)
        try:
            column = calculated_column(instance, name, path, calculator, self.calculations)
        except NotScannableError as error:
            return refused_column(instance, name, path, error)
        self.wrong += [all_true(tests, "&") for tests in numbers.checks]
        return column

    def field(self, each: Field, here: Environment, prefix: str) -> ColumnView | None:
        """Place one field."""
        type_, bits = each.type, is_bits(each.type)
        if not bits:
            self._align()
        at = self.bits // 8
        match base_of(type_):
            case IntType() | FloatType() | BitsType() as base:
                return self.number(each, base, here, prefix)
            case ContentsType(contents=contents):
                self.bits += 8 * len(contents)
                self.wrong.append(f"rows.differs({at}, {bytes_literal(contents)})")
                return None
            case BytesType(process=None) | StrType(process=None) as base if (
                base.delimiting and not each.valid
            ):
                size = plain_size(base.delimiting)
                if size:
                    column = leaf(type_, each.name, each.location)
                    sized = [] if column.kind == "FixedBytes" else [f"size={size}"]
                    column.options = [f"at={at}", *sized, *column.options]
                    self.bits += 8 * size
                    return column
            case UserType(delimiting=None, args=(), parent=None) as base:
                inner = Environment(base.type, here, "", "")
                here.members[each.name] = inner
                children = self.record(base.type, inner, f"{prefix}{each.name}_")
                return ColumnView("Struct", each.name, children=children) if children else None
        raise NotScannableError(each.location, "not of one size and form")

    def number(
        self, each: Field, base: IntType | FloatType | BitsType, here: Environment, prefix: str
    ) -> ColumnView:
        """Place a number, and note its rule."""
        column = leaf(each.type, each.name, each.location)
        stored, at, part = (
            self._bit_field(base, each) if isinstance(base, BitsType) else self._word(base, each)
        )
        column.options = [
            f"at={at}",
            f'stored="{stored}"',
            *(f"{k}={v}" for k, v in zip(("shift", "bits"), part, strict=False)),
        ]
        name = f"{prefix}{each.name}"
        is_read = id(each) in self.named.reading or each.valid is not None or "derive" in each.loom
        if not is_read and id(each) not in self.named.anywhere:
            return column
        self.known[f"{name}_"] = replace(column, options=list(column.options))
        member = variable_of(each, f"{name}_", "")
        if not part and stored[-2:] in {"f4", "f8", "u8"} and not is_read:
            here.members[each.name] = StoredVariable(f"{name}_", stored[-2:])
            return column
        if member is None or stored[-2:] == "u8":
            raise NotScannableError(each.location, "calculates with what has no sign and 64 bits")
        is_flag = isinstance(base, BitsType) and base.is_bool
        self.numbers.append(Number(f"{name}_", (f'"{stored}"', *map(str, (at, *part))), is_flag))
        here.members[each.name] = member
        self._rule(each, member, here)
        return column

    def _rule(self, each: Field, member: Variable, here: Environment) -> None:
        here.item = member
        calculator = RuleCalculator(here)
        if each.valid is not None:
            self.wrong += broken(each.valid, each.type, member.source, calculator, each.location)
        if "derive" in each.loom:
            self.wrong.append(
                f"{member.source} != {calculator(each.loom['derive']).within(BIT_OR)}"
            )

    def _word(self, base: IntType | FloatType, each: Field) -> tuple[str, int, tuple[int, ...]]:
        if base.width is None or (base.width > 1 and base.endian is None):
            raise NotScannableError(each.location, "its byte order is decided while reading")
        at = self.bits // 8
        self.bits += 8 * base.width
        kind = "f" if isinstance(base, FloatType) else "i" if base.signed else "u"
        return f"{'>' if base.endian == 'be' else '<'}{kind}{base.width}", at, ()

    def _bit_field(self, base: BitsType, each: Field) -> tuple[str, int, tuple[int, ...]]:
        """Return the word that holds a bit field: its form and place, the shift and the bits."""
        first, end = self.bits, self.bits + base.width
        self.bits = end
        at, stop = first // 8, (end + 7) // 8
        width = next((each for each in (1, 2, 4, 8) if each >= stop - at), 16)
        at = min(at, self.size - width)
        if at < 0 or 8 * width - base.width == 0 == width - 8:
            raise NotScannableError(each.location, "bits that no word holds")
        shift = first - 8 * at if base.endian == "le" else 8 * (at + width) - end
        return f"{'>' if base.endian == 'be' else '<'}u{width}", at, (shift, base.width)

    def _align(self) -> None:
        self.bits = (self.bits + 7) // 8 * 8
