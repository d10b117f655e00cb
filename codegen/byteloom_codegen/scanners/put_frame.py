"""The statements of a put while it is being built: loads, sizes, rules, stores, and its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom_codegen.python.templates import LOOP, PUT
from byteloom_codegen.scanners.ascent import Ascent
from byteloom_codegen.scanners.calculation import Calculator, NotScannableError
from byteloom_codegen.scanners.loads import element, store

if TYPE_CHECKING:
    from byteloom_codegen.model import Endian, Field
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.calculation import Environment
    from byteloom_codegen.scanners.walk_frame import WalkFrame
    from byteloom_codegen.scanners.walk_values import WalkColumn

__all__ = ["Length", "PutFrame", "PutSpot"]


@dataclass(slots=True)
class PutSpot:
    """Where fields are: the record, whether they are columns, their condition, and a window."""

    here: Environment
    shown: bool = True
    condition: str = ""
    window: bool = False

    @property
    def calculator(self) -> Calculator:
        """What prints expressions there."""
        return Calculator(self.here, frozenset((self.condition,) if self.condition else ()))


@dataclass(slots=True)
class Length:
    """Bytes that something takes: the sources of what varies, and what is always there."""

    terms: list[str] = field(default_factory=list)
    fixed: int = 0

    def add(self, other: Length) -> None:
        """Count what another takes as well."""
        self.terms += other.terms
        self.fixed += other.fixed

    @property
    def source(self) -> str:
        """The sum."""
        number = [str(self.fixed)] if self.fixed or not self.terms else []
        return " + ".join([*number, *self.terms])


@dataclass(slots=True)
class PutFrame:
    """What a put is made of.

    names   variables, and how it ends at a record that it refuses
    loads   what takes the values of a record from the columns
    sizes   what adds up how many bytes its parts take
    rules   what refuses it
    stores  what puts it; `_passed` bytes of it are still to be passed
    spare   bytes that there must be room for, beside those that are counted
    places  variables for where bytes were put that are part of the order
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
    _given: dict[str, str] = field(default_factory=dict)
    _passed: int = 0
    _sizes: dict[int, str] = field(default_factory=dict)

    def refuse(self, test: str) -> None:
        """Refuse a record of which *test* is true."""
        self.rules += self.names.refusing(test)

    def size(self, each: Field) -> str:
        """Return the variable for the size of a field."""
        if id(each) not in self._sizes:
            self._sizes[id(each)] = self.names.name(f"{each.name}_size")
        return self._sizes[id(each)]

    def column(self, each: Field, name: str, column: WalkColumn, size: str = "") -> None:
        """Add a column; *size* is the variable for the size of its bytes."""
        if any(one.name == name for one in self.columns):
            raise NotScannableError(each.location, f"another column is called `{name}`")
        self.columns.append(column)
        self._given[name] = size or column.variable
        if size:
            self.loads += PUT.lines("bytes_loaded", place=column.variable, size=size, column=name)
        else:
            value = element(f"from_{name}", column.form)
            self.loads += LOOP.lines("assigned", name=column.variable, value=value)

    def is_set(self, column: WalkColumn) -> str:
        """Return what is true of a value that a record without the column would lose."""
        return f"{self._given[column.name]} != {column.default}"

    def order(self, each: Field, variables: tuple[str, ...]) -> None:
        """Compare records by these variables too, where the spec wants it."""
        if "order" in each.loom:
            self.ascent.add(each.loom["order"], variables, each.location)

    def store(self, width: int, source: str, endian: Endian | None = None) -> None:
        """Store a number after what was stored before."""
        self.stores.append(store(self._passed, width, endian, source))
        self._passed += width

    def flush(self) -> None:
        """Pass what was stored."""
        if self._passed:
            self.stores += LOOP.lines("passed", size=self._passed)
            self._passed = 0
