"""The statements of a put while it is being built: loads, sizes, rules, stores, and its columns."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.python.templates import LOOP, PUT
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.walk_frame import Ascent
from byteloom_codegen.scanners.walk_numbers import bits_of_byte, element, store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import BitsType, Endian, Field
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.variables import Environment
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import WalkColumn

__all__ = ["Length", "Part", "PutFrame", "PutSpot"]


@dataclass(slots=True)
class PutSpot:
    """Where fields are: the record, whether they are columns, their condition, and a window."""

    here: Environment
    shown: bool = True
    condition: str = ""
    window: bool = False

    @property
    def calculator(self) -> Calculator:
        """The calculator of expressions there."""
        return Calculator(self.here, frozenset((self.condition,) if self.condition else ()))


@dataclass(slots=True)
class Length:
    """The number of bytes of a part: a fixed number, and sources for what varies.

    bits  bits after these bytes, in a byte that is not full
    """

    terms: list[str] = field(default_factory=list)
    fixed: int = 0
    bits: int = 0

    def add(self, other: Length) -> None:
        """Add the length of the next part, which begins a new byte unless it is bits alone."""
        if other.terms or other.fixed:
            self.align()
        self.terms += other.terms
        self.fixed += other.fixed
        self.bits += other.bits

    def align(self) -> None:
        """Count a byte that is not full."""
        self.fixed += -(-self.bits // 8)
        self.bits = 0

    @property
    def source(self) -> str:
        """The sum of the bytes."""
        number = [str(self.fixed)] if self.fixed or not self.terms else []
        return " + ".join([*number, *self.terms])


@dataclass(slots=True)
class Part:
    """The statements of a part that may be absent, and the columns it takes; see `PutFrame`."""

    sizes: list[Statement] = field(default_factory=list)
    rules: list[Statement] = field(default_factory=list)
    stores: list[Statement] = field(default_factory=list)
    taken: list[WalkColumn] = field(default_factory=list)


@dataclass(slots=True)
class PutFrame:
    """The statements and variables of a put.

    names   variables, and how it ends at a record that it refuses
    loads   statements that take the values of a record from the columns
    sizes   statements that add up the bytes of its parts
    rules   statements that refuse a record
    stores  statements that put it; `_passed` of its bytes are still to be passed
    spare   bytes that need room in addition to those counted
    places  variables for where bytes were put that are part of the order
    taken   the columns that the case, or the list, that is being put takes
    shared  columns of other cases, which this one may take as well
    item    of the list that is being put, the number of its item and the least bytes of one
    """

    names: WalkFrame
    columns: list[WalkColumn] = field(default_factory=list)
    ascent: Ascent = field(default_factory=Ascent)
    loads: list[Statement] = field(default_factory=list)
    sizes: list[Statement] = field(default_factory=list)
    rules: list[Statement] = field(default_factory=list)
    stores: list[Statement] = field(default_factory=list)
    spare: int = 0
    places: list[str] = field(default_factory=list)
    taken: list[WalkColumn] = field(default_factory=list)
    shared: list[WalkColumn] = field(default_factory=list)
    item: tuple[str, int] = "", 0
    _given: dict[str, str] = field(default_factory=dict)
    _passed: int = 0
    _bits: list[tuple[str, int, BitsType]] = field(default_factory=list)
    _sizes: dict[int, str] = field(default_factory=dict)

    def refuse(self, test: str) -> None:
        """Refuse a record if *test* is true for it."""
        self.rules += self.names.refusing(test)

    @contextmanager
    def apart(self) -> Iterator[Part]:
        """Collect the statements that are added inside the ``with`` block separately."""
        self.flush()
        outer = self.sizes, self.rules, self.stores, self.taken
        part = Part()
        self.sizes, self.rules, self.stores, self.taken = (
            part.sizes, part.rules, part.stores, part.taken
        )  # fmt: skip
        yield part
        self.flush()
        self.sizes, self.rules, self.stores, self.taken = outer
        self.taken += part.taken

    # Columns

    def size(self, each: Field) -> str:
        """Return the variable for the size of a field or, for a list, its number of items."""
        if id(each) not in self._sizes:
            word = "size" if each.repeat is None else "count"
            self._sizes[id(each)] = self.names.name(f"{each.name}_{word}")
        return self._sizes[id(each)]

    def column(self, each: Field, column: WalkColumn, size: str = "") -> WalkColumn:
        """Return a column, new or of another case.

        size    the variable for the size of its bytes
        raises  `NotScannableError` if its name is taken
        """
        column = replace(column, items=self.item[1])
        known = [one for one in self.columns if one.name == column.name]
        for one in known:
            alike = (one.form, one.default, one.items) == (
                column.form,
                column.default,
                column.items,
            )
            if one not in self.shared or one in self.taken or not alike:
                raise NotScannableError(each.location, f"another column is called `{column.name}`")
            column = one
        self.taken.append(column)
        if not known:
            self.columns.append(column)
            self._given[column.name] = size or column.variable
        if not known or column.items:
            self._load(column)
        return column

    def _load(self, column: WalkColumn) -> None:
        name, (number, _) = column.name, self.item
        index = f"(items_{name} + {number})" if number else "row"
        if column.form == "view":
            at, size = column.variable, self._given[name]
            self.loads += PUT.lines("bytes_loaded", place=at, size=size, column=name, index=index)
        else:
            value = element(f"from_{name}", column.form, index)
            self.loads += LOOP.lines("assigned", name=column.variable, value=value)

    def given(self, column: WalkColumn) -> str:
        """Return the variable for a column: the size of its bytes, or its number."""
        return self._given[column.name]

    def is_set(self, column: WalkColumn) -> str:
        """Return the test for a value that a record without the column would lose."""
        if column.items and not self.item[0]:
            return PUT.value("has_items", column=column.name)
        return f"{self._given[column.name]} != {column.default}"

    def order(self, each: Field, variables: tuple[str, ...]) -> None:
        """Compare records by these variables, too, if the spec orders them so."""
        if "order" in each.loom:
            if self.item[0]:
                raise NotScannableError(
                    each.location, "elements of a list cannot be part of the order"
                )
            self.ascent.add(each.loom["order"], variables, each.location)

    # Bytes

    def store(self, width: int, source: str, endian: Endian | None = None) -> None:
        """Store a number after what was stored before."""
        self.align()
        self.stores.append(store(self._passed, width, endian, source))
        self._passed += width

    def store_bits(self, source: str, type_: BitsType) -> None:
        """Store bits after what was stored before, in the same byte if that has room."""
        last = self._bits[-1] if self._bits else None
        first = 0 if last is None else last[1] + last[2].width
        self._bits.append((source, first, type_))

    def align(self) -> None:
        """Store the bits collected so far; the rest of their last byte is 0."""
        if self._bits:
            fields, self._bits = self._bits, []
            _, first, type_ = fields[-1]
            for number in range(-(-(first + type_.width) // 8)):
                self.store(1, bits_of_byte(fields, number))

    def flush(self) -> None:
        """Move past what was stored."""
        self.align()
        if self._passed:
            self.stores += LOOP.lines("passed", size=self._passed)
            self._passed = 0
