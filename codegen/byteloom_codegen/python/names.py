"""How spec names become Python names.

- A field keeps its name, unless Python or the records need that name for themselves: then it gets
  an extra underscore (``class`` becomes ``class_``), and so does one that already ends in
  underscores (``class_`` becomes ``class__``), so that no two fields ever share an attribute.
- A type or enum becomes CamelCase.  All classes of a module are at its top level; where two would
  get one name, each is written with its owners' names before it.
- A parameter has one name in the constructor, ``read`` and ``from_bytes``: that of its attribute.
  ``from_bytes`` and scanners have arguments of their own: a parameter of such a name gets an
  underscore too.
- What a record has for itself begins with an underscore, which no name of a spec does.  A method
  of which a variable or function would have a parameter's name does likewise.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import Param

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from byteloom_codegen.model import EnumSpec, Member, Spec, TypeSpec

__all__ = [
    "ClassNames",
    "attribute_name",
    "camel",
    "class_names",
    "escaped",
    "hidden_name",
    "hides_locals",
    "item_name",
    "local_name",
    "member_attribute",
    "member_name",
    "module_name",
    "parameter_name",
    "position_formula",
    "spare_name",
    "upper_name",
    "variables_of",
]

_RECORD_NAMES: Final = frozenset(
    {"read", "write", "from_bytes", "from_file", "to_bytes", "to_file", "self", "cls", "replace"}
)
"""Attributes that every record has, which a field of that name would hide."""

_CLASS_BODY: Final = frozenset(
    {"int", "float", "bool", "bytes", "str", "list", "object", "property", "classmethod", "field"}
    | {"once"}
)
"""Names that the rest of a class body uses, and that a field of that name would hide."""

_READING: Final = frozenset({"limits", "origin", "whole", "binary"})
"""Arguments of ``from_bytes`` and of scanners, which take the parameters of a spec as well."""

_ARGUMENTS: Final = frozenset({"r", "w", "self", "cls", "limits", "origin", "whole"})
"""Other arguments of the methods that take the parameters of a spec."""

_VARIABLES: Final = frozenset(
    {"at", "bits", "it", "index", "kind", "computed", "value", "io", "out"}
)
"""Variables of generated methods."""

_CALLED: Final = frozenset(
    {
        "bool",
        "bytes",
        "cast",
        "float",
        "int",
        "isnan",
        "len",
        "list",
        "max",
        "min",
        "partial",
        "range",
        "str",
        "tuple",
    }
    | {"type"}
)
"""Built-in functions that generated methods call."""

CALCULATIONS: Final = frozenset(
    {"alike", "bounded", "decoded", "deflated", "element", "encoded", "first", "given", "index_of"}
    | {
        "inner_of",
        "joined",
        "labels",
        "largest",
        "last",
        "length_of",
        "member_of",
        "moving",
        "named",
        "narrowed",
        "once",
    }
    | {"pass_to", "processed"}
    | {"quotient", "remainder", "replaced", "rotated", "shifted_left", "shifted_right", "size_of"}
    | {"smallest", "stream_of", "to_int", "touch", "whole_quotient", "xored"}
)
"""Functions of ``byteloom.wire.calc``, which generated methods call."""

_LOCALS: Final = _ARGUMENTS | _VARIABLES | _CALLED | CALCULATIONS

_HIDDEN: Final = re.compile(
    r"io|parent|root|is_le|read|stream|source|unnamed[0-9]+|.*_spare|(size|number)_of_.*"
)
"""Names that records use themselves, with an underscore before them."""

_MODULE_NAMES: Final = frozenset(
    {"Any", "ClassVar", "IntEnum", "Self", "Struct"}
    | {
        "Binary",
        "Bits",
        "FieldRun",
        "Limits",
        "Loop",
        "Reader",
        "Record",
        "RecordBatch",
        "Rows",
        "Scan",
        "Source",
    }
    | {"Stream", "Writer", "None", "True", "False"}
)
"""Names that modules of records or scanners import, and the names of Python's constants."""

_BUILTINS: Final = frozenset(
    each for each in dir(builtins) if each[0].isupper() and each != "PythonFinalizationError"
)
"""Errors and the like: mypy takes such a name for Python's until the module defines it.

Not the one that only some versions of Python have, so that the same is printed in all.
"""


def escaped(name: str, taken: Collection[str]) -> str:
    """Return *name*, with an extra underscore if it would be a keyword, or *taken*."""
    bare = name.rstrip("_")
    return f"{name}_" if keyword.iskeyword(bare) or bare in taken else name


def attribute_name(name: str) -> str:
    """Return the attribute for the field *name*."""
    kept = _READING if name.endswith("_") else frozenset[str]()  # a parameter may have one less
    return escaped(name, _RECORD_NAMES | _CLASS_BODY | kept)


def parameter_name(name: str) -> str:
    """Return the attribute for the parameter *name*, which is its argument everywhere."""
    return escaped(name, _RECORD_NAMES | _CLASS_BODY | _READING)


def member_attribute(member: Member) -> str:
    """Return the attribute for a field, a parameter or an instance."""
    return (parameter_name if isinstance(member, Param) else attribute_name)(member.name)


def hides_locals(params: Iterable[Param]) -> bool:
    """Whether ``read`` needs the name of one of its arguments *params* for itself."""
    return any(local_name(each.name) != parameter_name(each.name) for each in params)


def hidden_name(name: str) -> str:
    """Return the attribute that stores the property *name*."""
    return f"_{name}_" if _HIDDEN.fullmatch(name.rstrip("_")) else f"_{name}"


def spare_name(name: str) -> str:
    """Return the attribute for the unused bits after the field *name*."""
    return f"_{name}_spare"


def size_formula(name: str) -> str:
    """Return the property that says how many bytes the field *name* takes."""
    return f"_size_of_{name}"


def number_formula(name: str) -> str:
    """Return the property that says how many elements the field *name* has."""
    return f"_number_of_{name}"


def position_formula(name: str) -> str:
    """Return the property for the position of the part *name* in its stream."""
    return f"_position_of_{name}"


def local_name(name: str) -> str:
    """Return the variable that holds the field *name* inside ``read``."""
    if name.startswith("it_"):
        return f"_{name}"
    return f"{name}_" if name.rstrip("_").endswith("_at") else escaped(name, _LOCALS)


def item_name(name: str) -> str:
    """Return the variable for an element of the field *name*, in loops over it."""
    return f"it_{name}"


def member_name(name: str) -> str:
    """Return the enum member for the label *name*: upper case, as PEP 8 writes constants."""
    return name.upper()


def module_name(name: str) -> str:
    """Return the module for the spec *name*."""
    return escaped(name, ())


def upper_name(name: str) -> str:
    """Return the name of a constant for a class: ``ROOT_ENTRY`` for ``RootEntry``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def camel(name: str) -> str:
    """Return *name* in CamelCase, each part's first letter raised."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def variables_of(spec: Spec) -> set[str]:
    """Return all names in lower case that the module of *spec* may use."""
    members = [
        each.name
        for type_ in spec.top.walk()
        for each in (*type_.params, *type_.seq, *type_.instances)
    ]
    named = {
        form(each)
        for each in members
        for form in (attribute_name, parameter_name, hidden_name, local_name)
    }
    return {*named, *map(item_name, members), *_RECORD_NAMES, *_CLASS_BODY, *_LOCALS, "dataclass"}


@lru_cache(maxsize=64)
def class_names(spec: Spec) -> ClassNames:
    """Return the class name of every type and enum of *spec*."""
    return ClassNames(spec)


class ClassNames:
    """The class name of every type and enum of one spec."""

    def __init__(self, spec: Spec) -> None:
        """Give every type and enum of *spec* a name of its own."""
        types = spec.top.walk()
        enums = [enum for owner in types for enum in owner.enums.values()]
        self._names: dict[int, str] = {}
        self._taken: set[str] = set(_MODULE_NAMES | _BUILTINS)
        items: list[TypeSpec | EnumSpec] = [*types, *enums]
        simple = Counter(camel(each.name) for each in items)
        for each in items:
            self._names[id(each)] = self._free(self._candidates(each, simple))

    def of(self, item: TypeSpec | EnumSpec) -> str:
        """Return the class name of a type or enum of this spec."""
        return self._names[id(item)]

    @property
    def taken(self) -> frozenset[str]:
        """All names that no other class of the module may have."""
        return frozenset(self._taken)

    def _candidates(self, item: TypeSpec | EnumSpec, simple: Counter[str]) -> Iterable[str]:
        name = camel(item.name)
        path = (*(item.owner.path if item.owner else ()), item.name)
        if item.owner is None:
            yield from (name, f"{name}_")
        elif simple[name] == 1:
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
