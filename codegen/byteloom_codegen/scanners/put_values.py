"""The values of a put: numbers, varints and bytes, from columns, constants and sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.expressions import BinaryOp, Name
from byteloom_codegen.model import (
    BitsType,
    BytesType,
    Field,
    FloatType,
    IntType,
    StrType,
    SwitchType,
    ValidKind,
    base_of,
)
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.derived_fields import derived_fields
from byteloom_codegen.python.sizes import field_size, fixed_bytes, literal
from byteloom_codegen.python.templates import LOOP, PUT
from byteloom_codegen.scanners.column_views import called, holding
from byteloom_codegen.scanners.numbers import HIGHEST, LOWEST, range_of_integers
from byteloom_codegen.scanners.put_frame import Length, PutFrame, PutSpot
from byteloom_codegen.scanners.put_solved_fields import solution_of
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.variables import BytesVariable, Environment, Variable, variable_of
from byteloom_codegen.scanners.walk_values import WalkColumn, all_but, default_of

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, Delimiting
    from byteloom_codegen.scanners.put_solved_fields import Solution

__all__ = ["PutValues", "only"]

_LONG: Final = 8
_MOST_BITS: Final = 63
_LONGEST_VARINT: Final = 9


@dataclass(slots=True)
class PutValues:
    """Adds values to the statements of a put."""

    frame: PutFrame

    def number(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put a number: of a column, the length of another field, or the only one allowed."""
        type_ = base_of(each.type)
        form = _form(each, type_)
        member = self.valued(each, type_, form, column, spot)
        self.frame.order(each, (member.source,))
        if isinstance(type_, BitsType):
            self.frame.store_bits(member.source, type_)
            return Length([], 0, type_.width)
        width = int(form[1:])
        self.frame.store(width, member.source, getattr(type_, "endian", None))
        return Length([], width)

    def valued(
        self, each: Field, type_: DataType, form: str, column: str | None, spot: PutSpot
    ) -> Variable:
        """Return the variable for the value of a field, once its rules are checked."""
        member = variable_of(each, self.frame.names.name(each.name), spot.condition)
        if member is None:
            raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")
        derived = derived_fields(spot.here.spec).get(each.name)
        if derived is not None and derived.by:
            member = self.derived(each, member, derived.by, spot)
        elif column is not None:
            taken = self.frame.column(
                each, WalkColumn(column, form, default_of(each), member.source)
            )
            member = replace(member, source=taken.variable)
            self.fits(type_, form, member.source)
        elif (solution := solution_of(each, spot.here.spec)) is not None:
            self.solved(each, type_, member, solution)
        else:
            member = Variable(str(only(each)), only(each), only(each), spot.condition)
        spot.here.members[each.name] = spot.here.item = member
        if each.valid is not None and not member.source.lstrip("-").isdigit():
            likely = each.loom.get("default")
            tests = broken(
                each.valid, each.type, member.source, spot.calculator, each.location, likely=likely
            )
            for test in tests:
                self.frame.refuse(test)
        return member

    def solved(self, each: Field, type_: DataType, member: Variable, solution: Solution) -> None:
        """Take the calculated column that a number follows from."""
        name = self.frame.names.name(solution.column)
        taken = self.frame.column(each, WalkColumn(solution.column, "i8", 0, name))
        value = solution.source(taken.variable)
        self.frame.sizes += LOOP.lines("assigned", name=member.source, value=value)
        for test in solution.tests(taken.variable):
            self.frame.refuse(test)
        if isinstance(type_, BitsType):
            self.frame.refuse(f"{member.source} < 0")
        self.fits(type_, "i8", member.source)

    def fits(self, type_: DataType, form: str, source: str) -> None:
        """Refuse a number, of a column of *form*, that its field has no room for."""
        wide = int(form[1:])
        if isinstance(type_, BitsType):
            if form == "u8":
                self.frame.refuse(f"{source} < 0")
            if type_.width < min(8 * wide, _MOST_BITS):
                self.frame.refuse(f"{source} > {(1 << type_.width) - 1}")
        elif isinstance(type_, IntType) and type_.width is not None:
            low, high = range_of_integers(8 * type_.width, signed=type_.signed)
            least, _ = range_of_integers(8 * wide, signed=form[0] == "i")
            if low > least or (low == 0 and wide == _LONG):
                self.frame.refuse(f"{source} < {low}")
            if type_.width < wide:
                self.frame.refuse(f"{source} > {high}")

    def derived(self, each: Field, member: Variable, by: str, spot: PutSpot) -> Variable:
        """Return the length of the field *by*, once checked to fit the number that stores it."""
        measured = next(one for one in spot.here.spec.seq if one.name == by)
        change = _change(_measure(measured), each)
        if change is None:
            raise NotScannableError(each.location, f"it follows from `{by}` in no plain way")
        size = self.frame.size(measured)
        source = size
        if change:
            source = member.source
            value = f"{size} {'+' if change > 0 else '-'} {abs(change)}"
            known = measured.repeat or isinstance(measured.type, BytesType | StrType)
            early = self.frame.sizes if known else self.frame.rules
            early += LOOP.lines("assigned", name=source, value=value)
        most = literal(each.valid.maximum) if each.valid else None
        if most is None or most > member.high:
            self.frame.refuse(f"{source} > {member.high}")
        if change < 0 <= member.low:
            self.frame.refuse(f"{source} < {member.low}")
        return Variable(source, 0, member.high, spot.condition)

    def varint(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put an integer of variable length."""
        is_plain = each.loom["varint"] == "hadoop" and not each.valid and column is not None
        if not is_plain or spot.window or self.frame.item[0]:
            reason = "puts take Hadoop's varints in no window or list, without rules"
            raise NotScannableError(each.location, reason)
        name = self.frame.names.name(each.name)
        name = self.frame.column(
            each, WalkColumn(column or "", "i8", default_of(each), name)
        ).variable
        self.frame.order(each, (name,))
        self.frame.flush()
        self.frame.stores += PUT.lines("varint", name=name)
        self.frame.spare += _LONGEST_VARINT
        spot.here.members[each.name] = Environment(
            spot.here.spec, None, "", "", {"value": Variable(name, LOWEST, HIGHEST, spot.condition)}
        )
        return Length()

    def bytes(
        self, each: Field, delimiting: Delimiting, column: str | None, spot: PutSpot
    ) -> Length:
        """Put bytes of a column."""
        if column is None:
            raise NotScannableError(each.location, "bytes that no column has")
        size = self.copy(each, column)
        self.measured(each, delimiting, size, spot)
        spot.here.members[each.name] = BytesVariable(size, spot.condition)
        return Length([size])

    def copy(self, each: Field, column: str) -> str:
        """Store the bytes of a column; return the variable for their size."""
        names, size = self.frame.names, self.frame.size(each)
        is_case = isinstance(
            each.type, SwitchType
        )  # the column of another case has another size, or none
        own = names.name(f"{column}_size") if is_case else size
        at = names.name(f"{column}_from")
        taken = self.frame.column(each, WalkColumn(column, "view", 0, at), own)
        at, own = taken.variable, self.frame.given(taken)
        if own != size:
            before = self.frame.sizes if is_case else self.frame.loads
            before += LOOP.lines("assigned", name=size, value=own)
        self.frame.flush()
        if "order" in each.loom:
            place = names.name(f"{each.name}_at")
            self.frame.stores += LOOP.lines("assigned", name=place, value="at")
            self.frame.places.append(place)
            self.frame.order(each, (place, own))
        self.frame.stores += PUT.lines("copied", column=column, place=at, size=own)
        return own

    def measured(self, each: Field, delimiting: Delimiting, size: str, spot: PutSpot) -> None:
        """Refuse a *size* other than the spec's, unless the spec's follows from it."""
        if delimiting.is_filled_up:
            raise NotScannableError(each.location, "bytes that are cut")
        rest = 0 if delimiting.size is None else all_but(delimiting.size)
        if rest is not None or delimiting.size is None:
            fields = spot.here.spec.seq
            after = fields[[one.name for one in fields].index(each.name) + 1 :]
            widths = [fixed_bytes(field_size(one)) for one in after]
            if (
                not spot.window
                or self.frame.item[0]
                or None in widths
                or sum(map(int, filter(None, widths))) != rest
            ):
                raise NotScannableError(each.location, "bytes up to where nothing says it")
            return
        derived = derived_fields(spot.here.spec)
        if any(one.by == each.name for one in derived.values()):
            return
        wanted = spot.calculator(delimiting.size)
        self.frame.refuse(f"{size} != {wanted.within(BIT_OR)}")


def only(each: Field) -> int:
    """Return the one value that a field may have."""
    value = None
    if each.valid is not None and each.valid.kind is ValidKind.EQ:
        value = literal(each.valid.values[0])
    if value is None:
        raise NotScannableError(
            each.location, "a number that is not a column, and does not follow from one"
        )
    return value


def _form(each: Field, type_: DataType) -> str:
    """Return NumPy's form of the column of a number."""
    match type_:
        case IntType(signed=signed, width=int(width), endian=endian) if width == 1 or endian:
            return f"{'i' if signed else 'u'}{width}"
        case IntType() | FloatType():
            raise NotScannableError(each.location, "a fraction, or a byte order of the file")
        case BitsType(width=width) if width <= _MOST_BITS:
            return holding(width)
    raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")


def _measure(measured: Field) -> ast.Expression | None:
    """Return the source of the size of a field in bytes or, for a list, of its number of items."""
    if measured.repeat is not None:
        return measured.repeat.expression
    type_ = measured.type
    types = [one.type for one in type_.cases] if isinstance(type_, SwitchType) else [type_]
    ends = (getattr(one, "delimiting", None) for one in types)
    return next((one.size for one in ends if one is not None), None)


def _change(node: ast.Expression | None, each: Field) -> int | None:
    """Return n where a field of *node* bytes has the length *each* = its bytes + n; else None."""
    match node:
        case Name(target=target) if target is each:
            return 0
        case BinaryOp(op="+", left=Name(target=target), right=right) if target is each:
            number = literal(right)
            return None if number is None else -number
        case BinaryOp(op="-", left=Name(target=target), right=right) if target is each:
            return literal(right)
    return None
