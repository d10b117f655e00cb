"""How spec names become the names that the official compiler gives.

- A type or an enum becomes a CamelCase class inside the class of its owner.
- A field, a parameter, an instance and the label of an enum keep their names.
- A name that Python cannot take, or that would hide what a class needs to work, gets a trailing
  underscore, or as many as keep it apart from its neighbours: the official module would not import
  there, so no program relies on the bare name.
- Of two things in one class that would share a name, a type goes before an enum and the first
  before the next, which gets a number.
"""

from __future__ import annotations

import builtins
import keyword
from functools import cached_property
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import Instance, ValueInstance
from byteloom_codegen.python.names import camel, module_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from byteloom_codegen.model import EnumSpec, Member, Param, Spec, TypeSpec

__all__ = ["ClassPaths", "argument_names", "attribute_of", "label_names", "module_alias"]

_CONSTRUCTORS: Final = frozenset({"from_bytes", "from_file", "from_io"})
"""Methods called on the class: a property of that name would replace them."""

_ARGUMENTS: Final = frozenset({"self", "super"})
_STANDARD: Final = frozenset({"collections", "enum", "functools", "kaitaistruct", "struct", "zlib"})
"""Modules that a generated one imports for itself."""

_VARIABLES: Final = frozenset(
    {*dir(builtins), "data", "each", "end", "i", "io", "read", "self", "tell"}
)
"""The variables of generated methods, and the built-in functions that they call."""


def attribute_of(member: Member) -> str:
    """Return the attribute or property that holds *member*."""
    hides = isinstance(member, Instance | ValueInstance) and member.name in _CONSTRUCTORS
    if not hides and not keyword.iskeyword(member.name):
        return member.name
    owner = member.owner
    others = (*owner.params, *owner.seq, *owner.instances) if owner else ()
    return _apart(member.name, {each.name for each in others})


def argument_names(params: Iterable[Param]) -> list[str]:
    """Return the arguments of ``__init__`` for *params*."""
    names = [each.name for each in params]
    kept = _ARGUMENTS | set(keyword.kwlist)
    return [_apart(name, set(names)) if name in kept else name for name in names]


def module_alias(name: str) -> str:
    """Return what the module of the spec *name* is called inside a generated one."""
    module = module_name(name)
    return f"{module}_" if module in _STANDARD | _VARIABLES else module


def label_names(enum: EnumSpec) -> dict[str, str]:
    """Return the member of the Python enum for each label; `enum` itself refuses ``mro``."""
    names = {each.name for each in enum.members}
    kept = {*keyword.kwlist, "mro"}
    return {name: _apart(name, names) if name in kept else name for name in names}


def _apart(name: str, others: Collection[str]) -> str:
    """Return *name* with as many underscores as it takes to differ from *others*."""
    found = f"{name}_"
    while found in others:
        found += "_"
    return found


class ClassPaths:
    """The dotted class path of every type and enum of one spec."""

    def __init__(self, spec: Spec) -> None:
        """Name every type and enum of *spec*."""
        self._paths: dict[int, str] = {}
        self._name(spec.top, _free(camel(spec.top.name), set()))

    def of(self, item: TypeSpec | EnumSpec) -> str:
        """Return the path from the module: ``Top.Inner``."""
        return self._paths[id(item)]

    def uses(self, name: str) -> bool:
        """Whether any class of the module has this name, so that it may hide another."""
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(path.rpartition(".")[2] for path in self._paths.values())

    def _name(self, item: TypeSpec, path: str) -> None:
        self._paths[id(item)] = path
        taken: set[str] = set()
        for nested in item.types.values():
            self._name(nested, f"{path}.{_free(camel(nested.name), taken)}")
        for enum in item.enums.values():
            self._paths[id(enum)] = f"{path}.{_free(camel(enum.name), taken, kind='Enum')}"


def _free(name: str, taken: set[str], kind: str = "") -> str:
    found, number = name, 1
    if keyword.iskeyword(found):  # a type called `none`
        found = name = f"{name}_"
    if found in taken and kind:
        found = name = f"{name}{kind}"
    while found in taken:
        number += 1
        found = f"{name}{number}"
    taken.add(found)
    return found
