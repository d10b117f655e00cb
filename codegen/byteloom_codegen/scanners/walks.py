"""Walks: loops over records in many ranges of one buffer, straight to Arrow's views and numbers.

- Records in windows of their own are flattened: a walk's columns are its leaves.
- Parameters of the record are those of the walk, the same for all of its records.
- A column that is not asked for costs one test; bytes become views where they are found.
- What is wrong with a record is not said: its class reads it again, and finds the words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.expressions import Attribute, BinaryOp
from byteloom_codegen.model import (
    BoolType,
    BytesType,
    ContentsType,
    EnumType,
    Field,
    FloatType,
    IntType,
    IoType,
    UserType,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.python.derive import is_checksum
from byteloom_codegen.python.sizes import field_size, least_bytes, literal, value_size
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.scanners.ascent import Ascent
from byteloom_codegen.scanners.calculation import (
    BytesVariable,
    Calculator,
    Environment,
    NotScannableError,
    Variable,
    variable_of,
)
from byteloom_codegen.scanners.columns import called, column_name
from byteloom_codegen.scanners.loads import load, put, varint
from byteloom_codegen.scanners.rules import asks_place, broken
from byteloom_codegen.scanners.walk_frame import REFUSE, WalkFrame

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import Delimiting, Param, TypeSpec

__all__ = ["WalkColumn", "WalkView", "walk_view"]

_LONG: Final = 8
"""Bytes of the longest number."""
_WORD: Final = (-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class WalkColumn:
    """A column: *form* is ``view``, or NumPy's of a number; *default* is for records without it."""

    name: str
    form: str
    default: int = 0

    def put(self, *sources: str) -> Block:
        """Return what puts a value there: a number, or the place and the size of bytes."""
        return Block(f"if out_{self.name}:", [put(self.name, self.form, *sources)])


@dataclass(frozen=True, slots=True)
class WalkView:
    """A walk: what it takes, its statements, its columns, and how much it remembers of a record."""

    parameters: list[str]
    body: list[Statement]
    columns: list[WalkColumn]
    remembered: int


def walk_view(spec: TypeSpec, used: set[int]) -> WalkView:
    """Return the walk over records of *spec*; expressions name the fields *used*."""
    return _Builder(used).walk(spec)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a field stands: its record, its column or None, and the condition it is there under."""

    here: Environment
    column: str | None
    condition: str

    @property
    def calculator(self) -> Calculator:
        """What prints expressions there."""
        return Calculator(self.here, frozenset((self.condition,) if self.condition else ()))


@dataclass(slots=True)
class _Builder:
    """Builds one walk.

    used   the fields that expressions name
    unset  variables of the fields under a condition, with their values where it does not hold
    """

    used: set[int]
    frame: WalkFrame = field(default_factory=WalkFrame)
    columns: list[WalkColumn] = field(default_factory=list)
    ascent: Ascent = field(default_factory=Ascent)
    unset: list[tuple[str, int]] = field(default_factory=list)

    def walk(self, spec: TypeSpec) -> WalkView:
        """Return the whole function."""
        here = Environment(spec, None, "start", "end")
        for param in spec.params:
            here.members[param.name] = _parameter(param, self.frame.name(param.name))
        parameters = [param.name for param in spec.params]
        if least_bytes(value_size(UserType(spec))) == 0:
            raise NotScannableError(spec.location, "its records may have no bytes")
        self.record(spec, here, 0)
        self.frame.flush()
        if not self.columns:
            raise NotScannableError(spec.location, "its records have no columns")
        place = WalkColumn("place", "i8")
        return WalkView(
            parameters=parameters,
            body=self._around([place.put("place"), *self.frame.statements]),
            columns=[*self.columns, place],
            remembered=len(self.ascent.last),
        )

    def _around(self, record: list[Statement]) -> list[Statement]:
        last = self.ascent.last
        words = range(4, 4 + len(last))
        kept: list[Statement] = ["state[3] = disorder"]
        kept += [f"state[{word}] = {name}" for word, name in zip(words, last, strict=True)]
        start: list[Statement] = ["base, total = data.ctypes.data, len(data)"]
        start += [
            f"out_{each.name} = to_{each.name}.ctypes.data if len(to_{each.name}) else 0"
            for each in [*self.columns, WalkColumn("place", "i8")]
        ]
        carried = ["first", "row", "begin", "disorder", *last]
        start += [f"{name} = int(state[{word}])" for word, name in enumerate(carried)]
        step: list[Statement] = ["place = at"]
        step.append(Block("if row == room:", [*kept, "return 2, part, row, place"]))
        step += [*record, *self.ascent.statements(), "row += 1"]
        each_part: list[Statement] = [
            "start, end = int(ranges[part, 0]), int(ranges[part, 1])",
            "at = place = begin if part == first else start",
            Block("while at < end:", step),
            "counts[part, 0], counts[part, 1] = row, place",
        ]
        return [
            *start,
            Block("for part in range(first, len(ranges)):", each_part),
            *kept,
            "return 0, len(ranges), row, 0",
        ]

    # Records

    def record(self, spec: TypeSpec, here: Environment, ahead: int, *, shown: bool = True) -> None:
        """Take the fields of a record; *ahead* is what follows it takes at least."""
        leasts = [least_bytes(field_size(each)) for each in spec.seq]
        numbered = list(enumerate(spec.seq))
        for condition, group in groupby(numbered, lambda each: self._condition(each[1], here)):
            for_all = list(group)
            if condition is None:
                for index, each in for_all:
                    self.field(each, here, sum(leasts[index + 1 :]) + ahead, shown=shown)
            else:
                self._optional(condition, [each for _, each in for_all], here, shown=shown)
        for instance in spec.instances:
            if isinstance(instance, ValueInstance):
                self.calculated(instance, here, shown=shown)
        self.frame.align()

    def _condition(self, each: Field, here: Environment) -> str | None:
        if each.condition is None:
            return None
        return Calculator(here)(each.condition).source

    def _optional(
        self, condition: str, fields: list[Field], here: Environment, *, shown: bool
    ) -> None:
        """Take fields that are there under one condition."""
        frame, before = self.frame, len(self.columns)
        frame.flush()
        outer, self.unset = self.unset, []
        known, ahead, frame.ahead = frame.known, frame.ahead, 0
        with frame.block(f"if {condition}:"):
            for each in fields:
                self.field(each, here, 0, shown=shown, condition=condition)
        frame.known, frame.ahead = known, ahead
        blanks = [
            each.put("0", "0") if each.form == "view" else each.put(str(each.default))
            for each in self.columns[before:]
        ]
        if not self.unset and len(blanks) == 1:
            frame.statements.append(Block(f"el{blanks[0].header}", blanks[0].body))
        else:
            with frame.block("else:"):
                frame.add(*(f"{name} = {value}" for name, value in self.unset), *blanks)
        frame.known = 0
        self.unset = outer + self.unset

    def calculated(self, instance: ValueInstance, here: Environment, *, shown: bool) -> None:
        """Take a value instance that is part of the order, or a column."""
        if "order" not in instance.loom and "column" not in instance.loom:
            return
        if instance.condition is not None or instance.valid is not None:
            raise NotScannableError(instance.location, "a calculated value with conditions")
        source = Calculator(here)(instance.value).source
        if "order" in instance.loom:
            self.ascent.add(instance.loom["order"], (source,), instance.location)
        column = column_name(instance, here.spec) if shown else None
        if column is not None:
            form = "u1" if isinstance(instance.type, BoolType) else "i8"
            self.frame.add(self._column(instance, column, form).put(source))

    def field(
        self, each: Field, here: Environment, ahead: int, *, shown: bool, condition: str = ""
    ) -> None:
        """Take one field."""
        if is_checksum(each) or "derive" in each.loom:
            raise NotScannableError(each.location, "walks do not calculate what a field has to be")
        self.frame.ahead = ahead
        column = column_name(each, here.spec) if shown else None
        if each.repeat is not None:
            if column is not None:
                reason = "walks have no lists (-loom-column: false, or an -loom-arrow around it)"
                raise NotScannableError(each.location, reason)
            self._items(each, here)
            return
        spot = _Spot(here, column, condition)
        if "varint" in each.loom:
            self._varint(each, spot)
            return
        match each.type:
            case IntType() | FloatType() | EnumType(base=IntType()):
                self._number(each, spot)
            case ContentsType(contents=contents):
                at = self.frame.take_bytes(len(contents))
                for index, byte in enumerate(contents):
                    test = f"if {load(at + index, 1, None, signed=False)} != {byte}:"
                    self.frame.within(Block(test, [REFUSE]))
            case BytesType(delimiting=delimiting, process=None) if delimiting and not each.valid:
                self._bytes(each, delimiting, spot)
            case UserType(process=None):
                self._user(each, each.type, spot)
            case _:
                raise NotScannableError(each.location, f"walks do not take a {called(each.type)}")

    # Values

    def _number(self, each: Field, spot: _Spot) -> None:
        type_ = each.type.base if isinstance(each.type, EnumType) else each.type
        if not isinstance(type_, IntType | FloatType) or type_.width is None:
            raise NotScannableError(each.location, f"walks do not take a {called(each.type)}")
        if type_.width > 1 and type_.endian is None:
            raise NotScannableError(each.location, "its byte order is decided while reading")
        frame, signed = self.frame, isinstance(type_, IntType) and type_.signed
        at = frame.take_bytes(type_.width)
        if each.valid is None and not spot.column and not self._is_used(each):
            return
        name = frame.name(each.name)
        frame.within(f"{name} = {load(at, type_.width, type_.endian, signed=signed)}")
        member = variable_of(each, name, spot.condition)
        if member is not None and type_.width == _LONG and not signed:
            frame.within(Block(f"if {name} < 0:", [REFUSE]))
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
            frame.within(*(Block(f"if {test}:", [REFUSE]) for test in tests))
            member = _tightened(each, member)
        if member is not None:
            spot.here.members[each.name] = member
            self._leaf(each, (name,), _default(each))
        if spot.column is not None:
            kind = "f" if isinstance(type_, FloatType) else "i" if signed else "u"
            frame.within(self._column(each, spot.column, f"{kind}{type_.width}").put(name))

    def _is_used(self, each: Field) -> bool:
        return id(each) in self.used or "order" in each.loom

    def _varint(self, each: Field, spot: _Spot) -> None:
        if each.loom["varint"] != "hadoop" or each.valid is not None:
            raise NotScannableError(each.location, "walks take Hadoop's varints, without rules")
        frame = self.frame
        frame.flush()
        name, size = frame.name(each.name), frame.name(f"{each.name}_size")
        frame.need(1)
        frame.known = 0
        frame.add(*varint(name, size, frame.end))
        spot.here.members[each.name] = Environment(
            spot.here.spec, None, "", "", {"value": Variable(name, *_WORD, spot.condition)}
        )
        self._leaf(each, (name,), _default(each))
        if spot.column is not None:
            frame.add(self._column(each, spot.column, "i8").put(name))

    def _bytes(self, each: Field, delimiting: Delimiting, spot: _Spot) -> None:
        size, _ = self._size(each, delimiting, spot.calculator)
        spot.here.members[each.name] = BytesVariable(size, spot.condition)
        if spot.column is not None or "order" in each.loom:
            at = self._place(each)
            self._leaf(each, (at, size), 0)
            if spot.column is not None:
                self.frame.add(self._column(each, spot.column, "view").put(at, size))
        self.frame.statements.append(f"at += {size}")

    def _place(self, each: Field) -> str:
        """Return the variable for where *each* begins, which is here."""
        at = self.frame.name(f"{each.name}_at")
        self.frame.statements.append(f"{at} = at")
        return at

    def _size(self, each: Field, delimiting: Delimiting, calculator: Calculator) -> tuple[str, int]:
        """Find the end of bytes; return their size, and how many there are at least.

        Afterwards it is known what is there after them.
        """
        if delimiting.terminator is not None or delimiting.pad_right is not None:
            raise NotScannableError(each.location, "bytes that are cut")
        frame = self.frame
        frame.flush()
        size = frame.name(f"{each.name}_size")
        rest = 0 if delimiting.size is None else _all_but(delimiting.size)
        if rest is not None:
            frame.statements.append(f"{size} = {frame.end} - at - {rest}")
            if frame.known < rest:
                frame.statements.append(Block(f"if {size} < 0:", [REFUSE]))
            frame.known = rest
            return size, 0
        value = calculator(delimiting.size) if delimiting.size else None
        if value is None:
            raise NotScannableError(each.location, "bytes without an end")
        frame.statements.append(f"{size} = {value.source}")
        ahead = frame.ahead if value.low >= 0 else 0
        below = f"{size} < 0 or " if value.low < 0 else ""
        room = f"{frame.end} - at - {ahead}" if ahead else f"{frame.end} - at"
        if value.high > frame.known:
            frame.statements.append(Block(f"if {below}{size} > {room}:", [REFUSE]))
            frame.known = ahead
        else:
            frame.known -= value.high
        return size, max(value.low, 0)

    def _user(self, each: Field, type_: UserType, spot: _Spot) -> None:
        """Take a record, in a window of its own where it has a size."""
        here, calculator, shown = spot.here, spot.calculator, spot.column is not None
        parent = here if type_.parent is None else None
        inner = Environment(type_.type, parent, here.start, here.end)
        here.members[each.name] = inner
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value = calculator(arg)
            name = value.source
            if not name.isidentifier():
                name = self.frame.name(f"{each.name}_{param.name}")
                self.frame.add(f"{name} = {value.source}")
            inner.members[param.name] = Variable(name, value.low, value.high)
        if type_.delimiting is None:
            self.record(type_.type, inner, self.frame.ahead, shown=shown)
            return
        size, least = self._size(each, type_.delimiting, calculator)
        at = self._place(each)
        if "arrow" in each.loom:
            if each.loom["arrow"] != "binary_view":
                raise NotScannableError(each.location, "a record is a column as a binary_view")
            if spot.column is not None:
                column = self._column(each, spot.column, "view")
                self.frame.statements.append(column.put(at, size))
            shown = False
        frame, known = self.frame, self.frame.known
        inner.start, inner.end = at, frame.name(f"{each.name}_end")
        frame.statements.append(f"{inner.end} = at + {size}")
        with frame.inside(inner.end, least):
            self.record(type_.type, inner, 0, shown=shown)
        frame.statements.append(f"at = {inner.end}")
        frame.known = known

    def _items(self, each: Field, here: Environment) -> None:
        """Take repeated records that have no column: they are checked, and that is all."""
        if (
            each.repeat is None
            or each.repeat.kind != "eos"
            or not isinstance(each.type, UserType)
            or least_bytes(value_size(each.type)) == 0
        ):
            raise NotScannableError(each.location, "walks repeat records to the end alone")
        one = Field(name=each.name, type=each.type, location=each.location, owner=each.owner)
        with self.frame.block(f"while at < {self.frame.end}:"):
            self.frame.ahead = 0
            self._user(one, each.type, _Spot(here, None, ""))

    # What columns and the order know of a value

    def _leaf(self, each: Field | ValueInstance, variables: tuple[str, ...], default: int) -> None:
        if "order" in each.loom:
            self.ascent.add(each.loom["order"], variables, each.location)
            self.unset += [(name, default) for name in variables]

    def _column(self, each: Field | ValueInstance, name: str, form: str) -> WalkColumn:
        if name == "place" or any(one.name == name for one in self.columns):
            raise NotScannableError(each.location, f"another column is called `{name}`")
        default = _default(each) if isinstance(each, Field) else 0
        self.columns.append(WalkColumn(name, form, default))
        return self.columns[-1]


def _default(each: Field) -> int:
    found = each.loom.get("default")
    return found if isinstance(found, int) else 0


def _parameter(param: Param, name: str) -> Variable:
    match param.type:
        case BoolType():
            return Variable(name, 0, 1)
        case IntType(signed=signed, width=int(width)):
            high = min((1 << 8 * width - signed) - 1, _WORD[1])
            return Variable(name, -(1 << 8 * width - 1) if signed else 0, high)
    raise NotScannableError(param.location, f"walks take no parameter that is a {param.type}")


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


def _all_but(node: ast.Expression) -> int | None:
    """Return n of ``_io.size - _io.pos - n``, all that is left but n bytes; else None."""

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
