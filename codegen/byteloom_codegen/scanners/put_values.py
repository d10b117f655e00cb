"""The values of a put: numbers, varints and bytes, from columns, constants and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.expressions import BinaryOp, Name
from byteloom_codegen.model import EnumType, Field, FloatType, IntType, ValidKind
from byteloom_codegen.python.derive import derived_fields
from byteloom_codegen.python.sizes import field_size, fixed_bytes, literal
from byteloom_codegen.python.templates import LOOP, PUT
from byteloom_codegen.python.translate import BIT_OR
from byteloom_codegen.scanners.calculation import (
    BytesVariable,
    Environment,
    NotScannableError,
    Variable,
    variable_of,
)
from byteloom_codegen.scanners.columns import called
from byteloom_codegen.scanners.put_frame import Length, PutFrame, PutSpot
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.walk_values import WORD, WalkColumn, all_but, default_of

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import Delimiting

__all__ = ["PutValues", "only"]

_LONG: Final = 8
_LONGEST_VARINT: Final = 9


@dataclass(slots=True)
class PutValues:
    """Adds values to the statements of a put."""

    frame: PutFrame

    def number(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put a number: of a column, the length of another field, or the only one allowed."""
        type_ = each.type.base if isinstance(each.type, EnumType) else each.type
        if not isinstance(type_, IntType | FloatType) or type_.width is None:
            raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")
        if isinstance(type_, FloatType) or (type_.width > 1 and type_.endian is None):
            raise NotScannableError(each.location, "a fraction, or a byte order of the file")
        member = variable_of(each, self.frame.names.name(each.name), spot.condition)
        if member is None:
            raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")
        derived = derived_fields(spot.here.spec).get(each.name)
        if derived is not None and derived.by:
            member = self.derived(each, member, derived.by, spot)
        elif column is not None:
            form = f"{'i' if type_.signed else 'u'}{type_.width}"
            self.frame.column(
                each, column, WalkColumn(column, form, default_of(each), member.source)
            )
            if type_.width == _LONG and not type_.signed:
                self.frame.refuse(f"{member.source} < 0")
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
        self.frame.order(each, (member.source,))
        self.frame.store(type_.width, member.source, type_.endian)
        return Length([], type_.width)

    def derived(self, each: Field, member: Variable, by: str, spot: PutSpot) -> Variable:
        """Return the length of the field *by*, which fits the number that says it."""
        measured = next(one for one in spot.here.spec.seq if one.name == by)
        delimiting = getattr(measured.type, "delimiting", None)
        change = None if delimiting is None else _change(delimiting.size, each)
        if change is None:
            raise NotScannableError(each.location, f"it follows from `{by}` in no plain way")
        size = self.frame.size(measured)
        source = size
        if change:
            source = member.source
            value = f"{size} {'+' if change > 0 else '-'} {abs(change)}"
            self.frame.rules += LOOP.lines("assigned", name=source, value=value)
        most = literal(each.valid.maximum) if each.valid else None
        if most is None or most > member.high:
            self.frame.refuse(f"{source} > {member.high}")
        if change < 0 <= member.low:
            self.frame.refuse(f"{source} < {member.low}")
        return Variable(source, 0, member.high, spot.condition)

    def varint(self, each: Field, column: str | None, spot: PutSpot) -> Length:
        """Put an integer of variable length."""
        if each.loom["varint"] != "hadoop" or each.valid or spot.window or column is None:
            reason = "puts take Hadoop's varints in no window, without rules"
            raise NotScannableError(each.location, reason)
        name = self.frame.names.name(each.name)
        self.frame.column(each, column, WalkColumn(column, "i8", default_of(each), name))
        self.frame.order(each, (name,))
        self.frame.flush()
        self.frame.stores += PUT.lines("varint", name=name)
        self.frame.spare += _LONGEST_VARINT
        spot.here.members[each.name] = Environment(
            spot.here.spec, None, "", "", {"value": Variable(name, *WORD, spot.condition)}
        )
        return Length()

    def bytes(
        self, each: Field, delimiting: Delimiting, column: str | None, spot: PutSpot
    ) -> Length:
        """Put bytes of a column."""
        size = self.frame.size(each)
        if column is None:
            raise NotScannableError(each.location, "bytes that no column has")
        self.measured(each, delimiting, size, spot)
        self.copy(each, column, size)
        spot.here.members[each.name] = BytesVariable(size, spot.condition)
        return Length([size])

    def copy(self, each: Field, column: str, size: str) -> None:
        """Store the bytes of a column, whose values have their size in the variable *size*."""
        at = self.frame.names.name(f"{column}_from")
        self.frame.column(each, column, WalkColumn(column, "view", 0, at), size)
        self.frame.flush()
        if "order" in each.loom:
            place = self.frame.names.name(f"{each.name}_at")
            self.frame.stores += LOOP.lines("assigned", name=place, value="at")
            self.frame.places.append(place)
            self.frame.order(each, (place, size))
        self.frame.stores += PUT.lines("copied", column=column, place=at, size=size)

    def measured(self, each: Field, delimiting: Delimiting, size: str, spot: PutSpot) -> None:
        """Refuse a *size* that is not what the spec says, unless that follows from it."""
        if delimiting.terminator is not None or delimiting.pad_right is not None:
            raise NotScannableError(each.location, "bytes that are cut")
        rest = 0 if delimiting.size is None else all_but(delimiting.size)
        if rest is not None or delimiting.size is None:
            after = spot.here.spec.seq[spot.here.spec.seq.index(each) + 1 :]
            widths = [fixed_bytes(field_size(one)) for one in after]
            if not spot.window or None in widths or sum(map(int, filter(None, widths))) != rest:
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
        raise NotScannableError(each.location, "a number that is no column, and follows from none")
    return value


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
