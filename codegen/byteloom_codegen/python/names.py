"""How spec names become Python names.

- A field keeps its name; a keyword, or a name that records need for themselves, gets a trailing
  underscore (``class_``).
- A type or enum becomes CamelCase.  All classes of a module stand side by side; where two would get
  one name, each is written with its owners' names before it.
"""

from __future__ import annotations

import keyword
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.model import EnumSpec, Spec, TypeSpec

__all__ = ["ClassNames", "attribute_name", "camel", "hidden_name", "local_name", "member_name"]

_RECORD_NAMES: Final = frozenset(
    {"read", "write", "from_bytes", "from_file", "to_bytes", "to_file", "self", "cls", "replace"}
)
"""Attributes that every record has, which a field of that name would hide."""

_ANNOTATIONS: Final = frozenset(
    {
        "int",
        "float",
        "bool",
        "bytes",
        "str",
        "list",
        "object",
        "property",
        "classmethod",
        "field",
    }
)
"""Names that a class body needs after a field of that name would have hidden them."""

_LOCALS: Final = frozenset(
    {
        "r",
        "w",
        "at",
        "self",
        "cls",
        "int",
        "len",
        "list",
        "bytes",
        "str",
        "min",
        "max",
        "range",
        "cast",
        "it",
        "index",
        "kind",
        "computed",
        "limits",
        "origin",
    }
)
"""Names that the body of ``read`` needs, and that ``from_bytes`` takes before parameters."""

_HIDDEN: Final = frozenset({"io", "parent", "root", "is_le", "stream"})
"""Names that, with an underscore before them, records have for themselves."""

_MODULE_NAMES: Final = frozenset(
    {
        "Reader",
        "Record",
        "Stream",
        "Writer",
        "Self",
        "ClassVar",
        "IntEnum",
        "Any",
        "Struct",
        "None",
        "True",
        "False",
    }
)


def attribute_name(name: str) -> str:
    """Return the attribute for the field *name*."""
    taken = keyword.iskeyword(name) or name in _RECORD_NAMES or name in _ANNOTATIONS
    return f"{name}_" if taken else name


def hidden_name(name: str) -> str:
    """Return the attribute behind the property *name*."""
    return f"_{name}_" if name in _HIDDEN else f"_{name}"


def local_name(name: str) -> str:
    """Return the variable that holds the field *name* inside ``read``."""
    return f"{name}_" if keyword.iskeyword(name) or name in _LOCALS else name


def member_name(name: str) -> str:
    """Return the enum member for the label *name*: upper case, as PEP 8 writes constants."""
    return name.upper() if name != "mro" else "MRO_"


def camel(name: str) -> str:
    """Return *name* in CamelCase, each part's first letter raised."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class ClassNames:
    """The class name of every type and enum of one spec."""

    def __init__(self, spec: Spec) -> None:
        """Give every type and enum of *spec* a name of its own."""
        types = spec.top.walk()
        enums = [enum for owner in types for enum in owner.enums.values()]
        self._names: dict[int, str] = {}
        self._taken: set[str] = set(_MODULE_NAMES)
        items: list[TypeSpec | EnumSpec] = [*types, *enums]
        simple = Counter(camel(each.name) for each in items)
        for each in items:
            self._names[id(each)] = self._free(self._candidates(each, simple))

    def of(self, item: TypeSpec | EnumSpec) -> str:
        """Return the class name of a type or enum of this spec."""
        return self._names[id(item)]

    def _candidates(self, item: TypeSpec | EnumSpec, simple: Counter[str]) -> Iterable[str]:
        name = camel(item.name)
        path = (*(item.owner.path if item.owner else ()), item.name)
        if item.owner is None or simple[name] == 1:
            yield name
        yield "".join(map(camel, path[1:]))
        yield "".join(map(camel, path))
        yield f"{name}Enum"
        for number in range(2, 10_000):
            yield f"{name}{number}"

    def _free(self, candidates: Iterable[str]) -> str:
        name = next(each for each in candidates if each not in self._taken)
        self._taken.add(name)
        return name
