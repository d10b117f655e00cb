"""What the record templates print: a module, its classes, their attributes and method bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from byteloom_codegen.python.statements import Statement

__all__ = ["Attribute", "EnumView", "Label", "ModuleView", "Property", "RecordView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A value that a record holds.

    hidden  internal: neither an argument of the record nor part of comparisons
    """

    name: str
    annotation: str
    default: str = ""
    doc: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A value that a record calculates.

    hidden  the source of what an assignment sets; "" for a value that follows from others
    lazy    whether it is read when it is asked for
    once    whether it is cached, and watched, during one request
    """

    name: str
    annotation: str
    doc: tuple[str, ...]
    body: list[Statement]
    hidden: str = ""
    lazy: bool = False
    once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A number that a spec gives a name, an attribute of the class; *value* is its source."""

    name: str
    value: int
    doc: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView:
    """One record class.

    most       the greatest value of each field that a rule bounds by a number, as items of a dict
    places     the place of each field in a record of one size, as items of a dict
    magics     fields that always hold the same bytes, with these as source
    constants  value instances that are one number
    arguments  parameters of ``read`` after the reader, as source
    begun      what ``read`` does by itself where its arguments hide names that the rest uses
    text       the source of what ``str`` makes of it; "" where the spec does not say
    is_reread  whether what is written has to be read again, to know that it agrees
    follows    whether numbers may follow an edit through formulas
    lazy       what is read when asked for, and the attribute that holds it, as items of a dict
    """

    name: str
    id: str
    doc: tuple[str, ...]
    least_size: int
    fixed_size: int | None
    most: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    magics: dict[str, str] = field(default_factory=dict)
    constants: list[Constant] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    begun: list[Statement] = field(default_factory=list)
    read: list[Statement] = field(default_factory=list)
    write: list[Statement] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)
    text: str = ""
    is_reread: bool = False
    follows: bool = False
    lazy: list[str] = field(default_factory=list)
    structs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One member of an enum."""

    name: str
    value: str
    doc: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumView:
    """One enum class."""

    name: str
    doc: tuple[str, ...]
    labels: list[Label]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleView:
    """One generated file.

    header   the lines that say where it comes from
    imports  groups of import statements
    """

    header: tuple[str, ...]
    doc: tuple[str, ...]
    imports: list[list[Statement]]
    exports: list[str]
    enums: list[EnumView]
    records: list[RecordView]
