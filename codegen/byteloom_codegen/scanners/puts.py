"""The way back of a walk: columns to the bytes of records, by the same spec.

- Sizes come first, then the rules, then room, then bytes: a record is put whole or not at all.
- What a field follows from decides it; a column that the record lacks must hold its default.
- Records in windows that are columns of bytes are checked where they were put.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from byteloom_codegen.expressions import BinaryOp, Name
from byteloom_codegen.model import (
    BytesType,
    ContentsType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    UserType,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.python.derive import derived_fields, is_checksum
from byteloom_codegen.python.sizes import field_size, fixed_bytes, literal
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import BIT_OR
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
from byteloom_codegen.scanners.loads import element, store
from byteloom_codegen.scanners.rules import broken
from byteloom_codegen.scanners.walk_frame import WalkFrame
from byteloom_codegen.scanners.walk_values import WORD, WalkColumn, all_but, default_of
from byteloom_codegen.scanners.walks import checks, parameter

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import Endian, TypeSpec

__all__ = ["PutView", "only", "put_view"]

_REFUSE: Final = "return 1, row, count"
_NAMES: Final = {"data", "first", "place", "shared", "starts", "code", "before", "need"}
_LONG: Final = 8
_STATE: Final = 2
"""Words of what a put goes on from, before those that it remembers of the last record."""
_LONGEST_VARINT: Final = 9


@dataclass(frozen=True, slots=True)
class PutView:
    """A put: what it takes and does, what it remembers of a record, and the parts of its order."""

    parameters: list[str]
    body: list[Statement]
    columns: list[WalkColumn]
    remembered: int
    ranks: int


def put_view(spec: TypeSpec, used: set[int]) -> PutView:
    """Return what puts records of *spec*; expressions name the fields *used*."""
    frame = WalkFrame(refuse=_REFUSE)
    frame.reserve(_NAMES)
    return _Builder(frame, used).put(spec)


@dataclass(slots=True)
class _Spot:
    """Where fields are: the record, whether they are columns, their condition, and a window."""

    here: Environment
    shown: bool = True
    condition: str = ""
    window: bool = False

    @property
    def calculator(self) -> Calculator:
        return Calculator(self.here, frozenset((self.condition,) if self.condition else ()))


@dataclass(slots=True)
class _Length:
    """Bytes that something takes: the sources of what varies, and what is always there."""

    terms: list[str] = field(default_factory=list)
    fixed: int = 0

    def add(self, other: _Length) -> None:
        self.terms += other.terms
        self.fixed += other.fixed

    @property
    def source(self) -> str:
        number = [str(self.fixed)] if self.fixed or not self.terms else []
        return " + ".join([*number, *self.terms])


@dataclass(slots=True)
class _Builder:
    """Builds one put.

    loads   what takes the values of a record from the columns
    sizes   what adds up how many bytes its parts take
    rules   what refuses it
    stores  what puts it; `_passed` bytes of it are still to be passed
    spare   bytes that there must be room for, beside those that are counted
    places  variables for where bytes were put that are part of the order
    """

    frame: WalkFrame
    used: set[int]
    columns: list[WalkColumn] = field(default_factory=list)
    ascent: Ascent = field(default_factory=Ascent)
    loads: list[Statement] = field(default_factory=list)
    sizes: list[Statement] = field(default_factory=list)
    rules: list[Statement] = field(default_factory=list)
    stores: list[Statement] = field(default_factory=list)
    spare: int = 0
    places: list[str] = field(default_factory=list)
    _given: dict[str, str] = field(default_factory=dict)
    _passed: int = 0
    _sizes: dict[int, str] = field(default_factory=dict)

    def put(self, spec: TypeSpec) -> PutView:
        """Return the whole function."""
        here = Environment(spec, None, "", "")
        for param in spec.params:
            here.members[param.name] = parameter(param, self.frame.name(param.name))
        length = self.record(spec, _Spot(here))
        self._pass()
        if not self.columns:
            raise NotScannableError(spec.location, "its records have no columns")
        return PutView(
            parameters=[param.name for param in spec.params],
            body=self._around(length),
            columns=self.columns,
            remembered=len(self.ascent.last),
            ranks=len(self.ascent.parts),
        )

    def _around(self, length: _Length) -> list[Statement]:
        words = list(enumerate(zip(self.ascent.last, self.ascent.are_places, strict=True), _STATE))
        start: list[Statement] = [
            "base, room = data.ctypes.data, len(data) - SLACK",
            *(line for each in self.columns for line in _addresses(each)),
            "row, count, disorder = first, int(state[0]), int(state[1])",
            "at = int(starts[count])",
            "before = int(starts[count - 1]) if count else 0",
            *(
                f"{name} = {'before + ' if is_place else ''}int(state[{word}])"
                for word, (name, is_place) in words
            ),
            "code = 0",
        ]
        full = "if need > room - at or count + 2 > len(starts):"
        step: list[Statement] = [
            *self.loads,
            *self.sizes,
            *self.rules,
            f"need = {_Length(length.terms, length.fixed + self.spare).source}",
            Block(full, ["code = 2", "break"]),
            "place = at",
            *self.stores,
            *self.ascent.counted(),
            "shared[count] = rank",
            "before = place",
            "count += 1",
            "starts[count] = at",
            "row += 1",
        ]
        kept: list[Statement] = ["state[0], state[1] = count, disorder"]
        kept += [
            f"state[{word}] = {name}{' - before' if is_place else ''}"
            for word, (name, is_place) in words
        ]
        return [*start, Block("while row < end:", step), *kept, "return code, row, count"]

    # Records

    def record(self, spec: TypeSpec, spot: _Spot) -> _Length:
        """Put the fields of a record; return how many bytes they take."""
        length = _Length()
        for condition, group in groupby(spec.seq, lambda each: _condition(each, spot.here)):
            fields = list(group)
            if condition is None:
                for each in fields:
                    length.add(self.field(each, spot))
            else:
                inner = _Spot(spot.here, spot.shown, condition, spot.window)
                length.add(self._optional(fields, inner))
        for instance in spec.instances:
            if isinstance(instance, ValueInstance) and "order" in instance.loom:
                source = spot.calculator(instance.value).source
                self.ascent.add(instance.loom["order"], (source,), instance.location)
        return length

    def _optional(self, fields: list[Field], spot: _Spot) -> _Length:
        """Put fields that are there under one condition; else their columns are blank."""
        self._pass()
        columns, places = len(self.columns), len(self.places)
        outer, length = (self.sizes, self.rules, self.stores), _Length()
        self.sizes, self.rules, self.stores = [], [], []
        for each in fields:
            length.add(self.field(each, spot))
        self._pass()
        sizes, rules, stores = self.sizes, self.rules, self.stores
        self.sizes, self.rules, self.stores = outer
        part, test = self.frame.name(f"{fields[0].name}_part"), spot.condition
        if sizes:
            self.sizes.append(Block(f"if {test}:", [*sizes, f"{part} = {length.source}"]))
            self.sizes.append(Block("else:", [f"{part} = 0"]))
        elif length.terms or length.fixed:
            self.sizes.append(f"{part} = {length.source} if {spot.condition} else 0")
        lost = [self._is_set(each) for each in self.columns[columns:]]
        _either(self.rules, test, rules, [self.frame.refusing(" or ".join(lost))] if lost else [])
        _either(self.stores, test, stores, [f"{name} = at" for name in self.places[places:]])
        return _Length([part] if length.terms or length.fixed else [])

    def field(self, each: Field, spot: _Spot) -> _Length:
        """Put one field; return how many bytes it takes."""
        if is_checksum(each) or "derive" in each.loom or each.repeat is not None:
            raise NotScannableError(each.location, "puts calculate nothing, and have no lists")
        column = column_name(each, spot.here.spec) if spot.shown else None
        if "varint" in each.loom:
            return self._varint(each, column, spot)
        match each.type:
            case IntType() | FloatType() | EnumType(base=IntType()):
                return self._number(each, column, spot)
            case ContentsType(contents=contents):
                for byte in contents:
                    self._store(1, str(byte))
                return _Length([], len(contents))
            case BytesType(delimiting=Delimiting() as delimiting, process=None) if not each.valid:
                return self._bytes(each, delimiting, column, spot)
            case UserType(process=None):
                return self._user(each, each.type, column, spot)
        raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")

    # Numbers

    def _number(self, each: Field, column: str | None, spot: _Spot) -> _Length:
        type_ = each.type.base if isinstance(each.type, EnumType) else each.type
        if not isinstance(type_, IntType | FloatType) or type_.width is None:
            raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")
        if isinstance(type_, FloatType) or (type_.width > 1 and type_.endian is None):
            raise NotScannableError(each.location, "a fraction, or a byte order of the file")
        member = variable_of(each, self.frame.name(each.name), spot.condition)
        if member is None:
            raise NotScannableError(each.location, f"puts do not take a {called(each.type)}")
        derived = derived_fields(spot.here.spec).get(each.name)
        if derived is not None and derived.by:
            member = self._derived(each, member, derived.by, spot)
        elif column is not None:
            form = f"{'i' if type_.signed else 'u'}{type_.width}"
            self._column(each, column, WalkColumn(column, form, default_of(each), member.source))
            if type_.width == _LONG and not type_.signed:
                self.rules.append(self.frame.refusing(f"{member.source} < 0"))
        else:
            member = Variable(str(only(each)), only(each), only(each), spot.condition)
        spot.here.members[each.name] = spot.here.item = member
        if each.valid is not None and not member.source.lstrip("-").isdigit():
            likely = each.loom.get("default")
            self.rules += map(
                self.frame.refusing,
                broken(
                    each.valid, each.type, member.source, spot.calculator, each.location,
                    likely=likely,
                ),
            )  # fmt: skip
        self._order(each, (member.source,))
        self._store(type_.width, member.source, type_.endian)
        return _Length([], type_.width)

    def _derived(self, each: Field, member: Variable, by: str, spot: _Spot) -> Variable:
        """Return the length of the field *by*, which fits the number that says it."""
        measured = next(one for one in spot.here.spec.seq if one.name == by)
        delimiting = getattr(measured.type, "delimiting", None)
        change = None if delimiting is None else _change(delimiting.size, each)
        if change is None:
            raise NotScannableError(each.location, f"it follows from `{by}` in no plain way")
        size = self._size(measured)
        source = size
        if change:
            source = member.source
            self.rules.append(f"{source} = {size} {'+' if change > 0 else '-'} {abs(change)}")
        most = literal(each.valid.maximum) if each.valid else None
        if most is None or most > member.high:
            self.rules.append(self.frame.refusing(f"{source} > {member.high}"))
        if change < 0 <= member.low:
            self.rules.append(self.frame.refusing(f"{source} < {member.low}"))
        return Variable(source, 0, member.high, spot.condition)

    def _varint(self, each: Field, column: str | None, spot: _Spot) -> _Length:
        if each.loom["varint"] != "hadoop" or each.valid or spot.window or column is None:
            reason = "puts take Hadoop's varints in no window, without rules"
            raise NotScannableError(each.location, reason)
        name = self.frame.name(each.name)
        self._column(each, column, WalkColumn(column, "i8", default_of(each), name))
        self._order(each, (name,))
        self._pass()
        self.stores.append(f"at = put_hadoop(base, at, {name})")
        self.spare += _LONGEST_VARINT
        spot.here.members[each.name] = Environment(
            spot.here.spec, None, "", "", {"value": Variable(name, *WORD, spot.condition)}
        )
        return _Length()

    # Bytes and records

    def _bytes(
        self, each: Field, delimiting: Delimiting, column: str | None, spot: _Spot
    ) -> _Length:
        size = self._size(each)
        if column is None:
            raise NotScannableError(each.location, "bytes that no column has")
        self._measured(each, delimiting, size, spot)
        self._copy(each, column, size)
        spot.here.members[each.name] = BytesVariable(size, spot.condition)
        return _Length([size])

    def _copy(self, each: Field, column: str, size: str) -> None:
        """Store the bytes of a column, whose values have their size in the variable *size*."""
        at = self.frame.name(f"{column}_from")
        self._column(each, column, WalkColumn(column, "view", 0, at), size)
        self._pass()
        if "order" in each.loom:
            place = self.frame.name(f"{each.name}_at")
            self.stores.append(f"{place} = at")
            self.places.append(place)
            self._order(each, (place, size))
        source, room = f"from_{column} + {at}", f"room_{column} - {at}"
        self.stores += [f"copy({source}, base + at, {size}, {room})", f"at += {size}"]

    def _measured(self, each: Field, delimiting: Delimiting, size: str, spot: _Spot) -> None:
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
        self.rules.append(self.frame.refusing(f"{size} != {wanted.within(BIT_OR)}"))

    def _user(self, each: Field, type_: UserType, column: str | None, spot: _Spot) -> _Length:
        """Put a record, in a window of its own where it has a size."""
        shown = column is not None
        inner = Environment(type_.type, spot.here if type_.parent is None else None, "", "")
        spot.here.members[each.name] = inner
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            value = spot.calculator(arg)
            if not value.source.isidentifier():
                raise NotScannableError(each.location, "an argument that is calculated")
            inner.members[param.name] = Variable(value.source, value.low, value.high)
        if type_.delimiting is None:
            return self.record(type_.type, _Spot(inner, shown, spot.condition, spot.window))
        size = self._size(each)
        self._measured(each, type_.delimiting, size, spot)
        inner.end = size
        if "arrow" in each.loom and column is not None:
            self._copy(each, column, size)
            self._checked(each, type_.type, inner, size)
        else:
            length = self.record(type_.type, _Spot(inner, shown, "", window=True))
            self.sizes.append(f"{size} = {length.source}")
        return _Length([size])

    def _checked(self, each: Field, spec: TypeSpec, inner: Environment, size: str) -> None:
        """Check a record that was put as bytes."""
        end = self.frame.name(f"{each.name}_end")
        inner.start, inner.end = f"{end} - {size}", end
        self.stores += [f"{end} = at", f"at -= {size}", *checks(spec, inner, self.frame, self.used)]
        self.stores.append(f"at = {end}")

    # Pieces

    def _size(self, each: Field) -> str:
        """Return the variable for the size of a field."""
        if id(each) not in self._sizes:
            self._sizes[id(each)] = self.frame.name(f"{each.name}_size")
        return self._sizes[id(each)]

    def _column(self, each: Field, name: str, column: WalkColumn, size: str = "") -> None:
        if any(one.name == name for one in self.columns):
            raise NotScannableError(each.location, f"another column is called `{name}`")
        self.columns.append(column)
        self._given[name] = size or column.variable
        if size:
            self.loads += [
                f"{column.variable} = le64(ends_{name}, 8 * row)",
                f"{size} = le64(ends_{name}, 8 * row + 8) - {column.variable}",
            ]
        else:
            self.loads.append(f"{column.variable} = {element(f'from_{name}', column.form)}")

    def _is_set(self, column: WalkColumn) -> str:
        """Return what is true of a value that a record without the column would lose."""
        return f"{self._given[column.name]} != {column.default}"

    def _order(self, each: Field, variables: tuple[str, ...]) -> None:
        if "order" in each.loom:
            self.ascent.add(each.loom["order"], variables, each.location)

    def _store(self, width: int, source: str, endian: Endian | None = None) -> None:
        self.stores.append(store(self._passed, width, endian, source))
        self._passed += width

    def _pass(self) -> None:
        """Pass what was stored."""
        if self._passed:
            self.stores.append(f"at += {self._passed}")
            self._passed = 0


def _either(to: list[Statement], test: str, yes: list[Statement], no: list[Statement]) -> None:
    """Add two branches, of which either may be empty."""
    if yes:
        to.append(Block(f"if {test}:", yes))
    if not no:
        return
    first, alone = no[0], len(no) == 1
    if not (alone and isinstance(first, Block) and first.header.startswith("if ")):
        to.append(Block("else:" if yes else f"if not ({test}):", no))
    elif yes:
        to.append(Block(f"el{first.header}", first.body))
    else:
        rest = first.header.removeprefix("if ").removesuffix(":")
        rest = f"({rest})" if " or " in rest else rest
        to.append(Block(f"if not ({test}) and {rest}:", first.body))


def _addresses(column: WalkColumn) -> list[Statement]:
    """Return where a column is: of bytes with its size, and where the ends are."""
    name = column.name
    if column.form != "view":
        return [f"from_{name} = of_{name}.ctypes.data"]
    return [
        f"from_{name}, room_{name} = of_{name}.ctypes.data, len(of_{name})",
        f"ends_{name} = ends_of_{name}.ctypes.data",
    ]


def _condition(each: Field, here: Environment) -> str | None:
    return None if each.condition is None else Calculator(here)(each.condition).source


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
