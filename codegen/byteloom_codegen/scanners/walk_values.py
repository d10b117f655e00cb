"""The values of a walk: numbers, varints and bytes, as columns and as parts of the order.

A value that no expression, rule, column or order uses is not loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.expressions import Attribute, BinaryOp
from byteloom_codegen.model import (
    BitsType,
    Field,
    FloatType,
    IntType,
    IoType,
    StrType,
    ValidKind,
    base_of,
)
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.python.templates import LOOP, WALK
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.column_views import called, holding
from byteloom_codegen.scanners.numbers import HIGHEST, LOWEST
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.rules import asks_place, broken
from byteloom_codegen.scanners.variables import BytesVariable, Environment, Variable, variable_of
from byteloom_codegen.scanners.walk_frame import Ascent
from byteloom_codegen.scanners.walk_numbers import load, load_bits, store_into

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import Delimiting, ValueInstance
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.walk_frame import WalkFrame

__all__ = [
    "Spot",
    "WalkColumn",
    "WalkValues",
    "all_but",
    "default_of",
    "form_of",
    "unset_to_defaults",
]

_PROOFS: Final = {"UTF-8": "is_utf8", "ASCII": "is_ascii"}

_LONG: Final = 8
"""The size of the longest number in bytes."""


@dataclass(frozen=True, slots=True)
class WalkColumn:
    """A column: *form* is ``view``, or NumPy's of a number; *default* is for records without it.

    variable  what a put has its value in, of bytes where they begin
    items     the least bytes of an item, where a record has a list of them; 0 where it has a value
    number    the source of the number of the item that is being taken; "" outside the list
    """

    name: str
    form: str
    default: int = 0
    variable: str = ""
    items: int = 0
    number: str = field(default="", compare=False)

    def put(self, *sources: str) -> list[Statement]:
        """Return the statement that puts a value there: a number, or place and size of bytes."""
        wanted = f"{'offsets' if self.items else 'out'}_{self.name}"
        index = f"(items_{self.name} + {self.number})" if self.items else "row"
        if self.form == "view":
            place, size = sources
            return WALK.lines(
                "filled_with_view",
                wanted=wanted,
                column=self.name,
                index=index.strip("()"),
                place=place,
                size=size,
            )
        store, at = store_into(self.form, index)
        return WALK.lines(
            "filled", wanted=wanted, column=self.name, store=store, at=at, value=sources[0]
        )

    def blank(self) -> list[Statement]:
        """Return the statement that stores that the record, or the item, has no value."""
        if self.items and not self.number:
            return WALK.lines("no_items", column=self.name)
        return self.put("0", "0") if self.form == "view" else self.put(str(self.default))


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a field is: its record, its column or None, and the condition under which it exists."""

    here: Environment
    column: str | None
    condition: str

    @property
    def calculator(self) -> Calculator:
        """The calculator of expressions there."""
        return Calculator(self.here, frozenset((self.condition,) if self.condition else ()))


@dataclass(slots=True)
class WalkValues:
    """Adds values to the statements of a walk.

    used    the fields that expressions name
    unset   variables of the fields under a condition, with their values where it does not hold
    filled  the columns that are filled in the case, or the record, that is being taken
    shared  columns of other cases, which this one may fill as well
    item    of the list that is being taken, the number of its item and the least bytes of one
    """

    used: set[int]
    frame: WalkFrame
    columns: list[WalkColumn] = field(default_factory=list)
    ascent: Ascent = field(default_factory=Ascent)
    unset: list[tuple[str, int]] = field(default_factory=list)
    filled: list[WalkColumn] = field(default_factory=list)
    shared: list[WalkColumn] = field(default_factory=list)
    item: tuple[str, int] = "", 0

    def number(self, each: Field, spot: Spot) -> None:
        """Take a number."""
        type_ = base_of(each.type)
        if not isinstance(type_, IntType | FloatType):
            raise NotScannableError(each.location, f"walks do not take a {called(each.type)}")
        asked = each.valid is not None or spot.column or self.is_used(each)
        name = self.frame.name(each.name) if asked else ""
        self.load(each, type_, name)
        if name:
            self._loaded(each, spot, name, form_of(type_))

    def load(self, each: Field, type_: IntType | FloatType, name: str) -> None:
        """Load a number into the variable *name*; only pass it where that is ""."""
        if type_.width is None:
            raise NotScannableError(each.location, f"walks do not take a {called(type_)}")
        if type_.width > 1 and type_.endian is None:
            raise NotScannableError(each.location, "its byte order is decided while reading")
        frame, signed = self.frame, isinstance(type_, IntType) and type_.signed
        at = frame.take_bytes(type_.width)
        if not name:
            return
        value = load(at, type_.width, type_.endian, signed=signed)
        frame.within(*LOOP.lines("assigned", name=name, value=value))
        if isinstance(type_, IntType) and type_.width == _LONG and not signed:
            frame.within(*frame.refusing(f"{name} < 0"))

    def bits(self, each: Field, spot: Spot) -> None:
        """Take a number of some bits."""
        type_ = base_of(each.type)
        if not isinstance(type_, BitsType) or type_.width == 8 * _LONG:
            raise NotScannableError(each.location, "walks take at most 63 bits as a number")
        if each.valid is not None and asks_place(each.valid):
            raise NotScannableError(each.location, "a rule about a place among bits")
        first = self.frame.take(type_.width)
        if each.valid is None and not spot.column and not self.is_used(each):
            return
        name = self.frame.name(each.name)
        self.frame.within(*LOOP.lines("assigned", name=name, value=load_bits(first, type_)))
        self._loaded(each, spot, name, holding(type_.width))

    def _loaded(self, each: Field, spot: Spot, name: str, form: str) -> None:
        """Check the number in the variable *name*, and put it into its column."""
        frame, member = self.frame, variable_of(each, name, spot.condition)
        if each.valid is not None:
            if member is None:
                raise NotScannableError(each.location, "a rule on a number with a fraction")
            spot.here.item = member
            likely = each.loom.get("default")
            tests = broken(
                each.valid, each.type, name, spot.calculator, each.location, likely=likely
            )
            if asks_place(each.valid):
                frame.flush()
            frame.within(*(line for test in tests for line in frame.refusing(test)))
            member = _tightened(each, member)
        if member is not None:
            spot.here.members[each.name] = member
            self.leaf(each, (name,), default_of(each))
        if spot.column is not None:
            frame.within(*self.column(each, spot.column, form).put(name))

    def is_used(self, each: Field) -> bool:
        """Whether an expression or the order uses *each*."""
        return id(each) in self.used or "order" in each.loom

    def varint(self, each: Field, spot: Spot) -> None:
        """Take an integer of variable length; of unsigned ones, those that a word holds."""
        frame, form = self.frame, each.loom["varint"]
        is_signed = form in {"hadoop", "zigzag"}
        frame.flush()
        name, frame.known = frame.name(each.name), 0
        wrong = "at < 0" if is_signed else f"at < 0 or {name} < 0"
        function = "uleb128_at" if form == "protobuf" else f"{form}_at"
        frame.add(
            *WALK.lines("varint", name=name, function=function, end=frame.end),
            *frame.refusing(wrong),
        )
        value = Variable(name, LOWEST if is_signed else 0, HIGHEST, spot.condition)
        member = Environment(spot.here.spec, None, "", "", {"value": value})
        spot.here.members[each.name] = spot.here.item = member
        if each.valid is not None:
            tests = broken(each.valid, each.type, name, spot.calculator, each.location)
            frame.add(*(line for test in tests for line in frame.refusing(test)))
        self.leaf(each, (name,), default_of(each))
        if spot.column is not None:
            frame.add(*self.column(each, spot.column, "i8").put(name))

    def bytes(self, each: Field, delimiting: Delimiting, spot: Spot) -> None:
        """Take bytes up to their end."""
        size, _ = self.size(each, delimiting, spot.calculator)
        spot.here.members[each.name] = BytesVariable(size, spot.condition)
        if spot.column is not None or "order" in each.loom:
            at = self.place(each)
            self.leaf(each, (at, size), 0)
            if spot.column is not None:
                self.frame.add(*self.column(each, spot.column, "view").put(at, size))
        if isinstance(each.type, StrType):
            test = f"not {_proof(each, each.type)}(base, at, {size})"
            self.frame.add(*self.frame.refusing(test))
        self.frame.statements += LOOP.lines("passed", size=size)

    def place(self, each: Field) -> str:
        """Return the variable for where *each* begins, which is here."""
        at = self.frame.name(f"{each.name}_at")
        self.frame.statements += LOOP.lines("assigned", name=at, value="at")
        return at

    def size(self, each: Field, delimiting: Delimiting, calculator: Calculator) -> tuple[str, int]:
        """Find the end of bytes; return the source of their size, and its least value.

        The frame then knows how many bytes exist after them.
        """
        if delimiting.is_filled_up:
            raise NotScannableError(each.location, "bytes that are cut")
        frame = self.frame
        frame.flush()
        size = frame.name(f"{each.name}_size")
        rest = 0 if delimiting.size is None else all_but(delimiting.size)
        if rest is not None:
            frame.statements += WALK.lines(
                "size_to_end",
                size=size,
                end=frame.end,
                rest=rest,
                may_be_negative=frame.known < rest,
                refuse=frame.refuse,
            )
            frame.known = rest
            return size, 0
        value = calculator(delimiting.size) if delimiting.size else None
        if value is None:
            raise NotScannableError(each.location, "bytes without an end")
        ahead, in_doubt = frame.ahead if value.low >= 0 else 0, value.high > frame.known
        frame.statements += WALK.lines(
            "size_given",
            size=size,
            value=value.source,
            may_be_negative=value.low < 0,
            in_doubt=in_doubt,
            end=frame.end,
            ahead=ahead,
            refuse=frame.refuse,
        )
        frame.known = ahead if in_doubt else frame.known - value.high
        return size, max(value.low, 0)

    def leaf(self, each: Field | ValueInstance, variables: tuple[str, ...], default: int) -> None:
        """Add a value to the sort order of the records, if the spec says that it is part of it."""
        if "order" in each.loom:
            if self.item[0]:
                raise NotScannableError(
                    each.location, "elements of a list cannot be part of the order"
                )
            self.ascent.add(each.loom["order"], variables, each.location)
            self.unset += [(name, default) for name in variables]

    def column(
        self, each: Field | ValueInstance, name: str, form: str, *, items: int = 0
    ) -> WalkColumn:
        """Return a column, new or of another case; `NotScannableError` if its name is taken.

        items  as a column has it, of a list that is taken at once
        """
        number, least = self.item
        if number and items:
            raise NotScannableError(each.location, "lists in lists")
        default = default_of(each) if isinstance(each, Field) and not items else 0
        column = WalkColumn(name, form, default, items=items or least, number=number)
        if column not in self.shared or column in self.filled:
            if name == "place" or any(one.name == name for one in self.columns):
                raise NotScannableError(each.location, f"another column is called `{name}`")
            self.columns.append(column)
        self.filled.append(column)
        return column


def unset_to_defaults(unset: list[tuple[str, int]]) -> list[Statement]:
    """Return the statements that set variables to their values where their fields are absent."""
    return [
        line for name, value in unset for line in LOOP.lines("assigned", name=name, value=value)
    ]


def default_of(each: Field) -> int:
    """Return the value of the column of *each* for records without it."""
    found = each.loom.get("default")
    return found if isinstance(found, int) else 0


def form_of(type_: IntType | FloatType) -> str:
    """Return NumPy's form of a number."""
    kind = "f" if isinstance(type_, FloatType) else "i" if type_.signed else "u"
    return f"{kind}{type_.width}"


def _proof(each: Field, type_: StrType) -> str:
    """Return the function that checks that bytes are text."""
    name = (type_.encoding or "ASCII").upper()
    if name not in _PROOFS or type_.process is not None:
        raise NotScannableError(each.location, f"text in {type_.encoding}: walks take UTF-8, ASCII")
    return _PROOFS[name]


def _tightened(each: Field, member: Variable) -> Variable:
    """Return the range that a rule leaves a number."""
    valid = each.valid
    if valid is None or valid.kind is not ValidKind.RANGE:
        return member
    low, high = literal(valid.minimum), literal(valid.maximum)
    return Variable(
        member.source,
        member.low if low is None else max(low, member.low),
        member.high if high is None else min(high, member.high),
        member.condition,
    )


def all_but(node: ast.Expression) -> int | None:
    """Return n if *node* is ``_io.size - _io.pos - n``: all bytes but the last n; else None."""

    def asks(part: Any, name: str) -> bool:
        return (
            isinstance(part, Attribute)
            and part.name == name
            and isinstance(part.value.type, IoType)
        )

    match node:
        case BinaryOp(op="-", left=BinaryOp(op="-", left=left, right=right), right=rest):
            return literal(rest) if asks(left, "size") and asks(right, "pos") else None
        case BinaryOp(op="-", left=left, right=right) if asks(left, "size") and asks(right, "pos"):
            return 0
    return None
