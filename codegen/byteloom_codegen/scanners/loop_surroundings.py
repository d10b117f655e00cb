"""What a loop gets from the records around its own: numbers that were read before its first record.

They become parameters of the loop.  They are taken from what its class passes to each record:
``_parent``, ``_root``, the byte order, and parameters of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import BitsType, IntType, UserType, base_of
from byteloom_codegen.python.derived_fields import derived_fields
from byteloom_codegen.python.names import attribute_name, parameter_name
from byteloom_codegen.scanners.variables import Environment, Member, variable_of

if TYPE_CHECKING:
    from byteloom_codegen.model import Field, Param, TypeSpec
    from byteloom_codegen.scanners.loop_frame import Frame

__all__ = ["Around"]


@dataclass(slots=True)
class Around:
    """The numbers that a loop gets from the records around its own.

    scanned  the field that repeats the records
    owner    the record that has it
    numbers  the names of the loop's parameters, by the source of the number
    """

    frame: Frame
    scanned: Field
    owner: TypeSpec
    numbers: dict[str, str] = field(default_factory=dict)

    def environment(self) -> Environment:
        """Return the environment of the record around, which is the ``_parent`` of the records."""
        here = self._record(self.owner, 'handed["_parent"]')
        here.order = self.order
        here.root = self._record(self.owner.spec.top, 'handed["_root"]')
        if self.owner.owner is not None and isinstance(self.owner.parent, UserType):
            here.parent = self._record(self.owner.parent.type, 'handed["_parent"]._parent')
        return here

    def parameter(self, param: Param) -> Member | None:
        """Return the value that all records get for one of their parameters."""
        return self._number(param, f'handed["{parameter_name(param.name)}"]', param.name)

    def order(self) -> str:
        """Return the parameter that says whether numbers have their lowest byte first."""
        return self.given('handed["_is_le"]', "is_le")

    def given(self, source: str, wanted: str) -> str:
        """Return the parameter for the number *source*."""
        if source not in self.numbers:
            self.numbers[source] = self.frame.name(wanted)
        return self.numbers[source]

    def _record(self, spec: TypeSpec, source: str) -> Environment:
        return Environment(spec, None, "start", "end", _Members(self, spec, source))

    def member(self, spec: TypeSpec, name: str, source: str) -> Member | None:
        """Return the field or parameter *name* of a record; None if a loop cannot get it."""
        for param in spec.params:
            if param.name == name:
                return self._number(param, f"{source}.{parameter_name(name)}", name)
        known = {each.name: each for each in spec.seq}
        if spec is self.owner:  # what comes later is not read yet
            names = [*known]
            known = {each: known[each] for each in names[: names.index(self.scanned.name)]}
        each = known.get(name)
        if each is None or each.repeat is not None or each.condition is not None:
            return None
        if name in derived_fields(spec):
            return None
        place = f"{source}.{attribute_name(name)}"
        if isinstance(each.type, UserType):
            return self._record(each.type.type, place)
        return self._number(each, place, name)

    def _number(self, each: Field | Param, source: str, name: str) -> Member | None:
        base = base_of(each.type)
        if not isinstance(base, IntType | BitsType):
            return None
        found = variable_of(each, "", "")
        if found is None:
            return None
        return replace(found, source=self.given(source, f"around_{name}"))


class _Members(dict[str, Member]):
    """The fields of a record around, which become parameters when they are asked for."""

    def __init__(self, around: Around, spec: TypeSpec, source: str) -> None:
        super().__init__()
        self._around, self._spec, self._source = around, spec, source

    def get(self, name: str, default: Member | None = None) -> Member | None:  # type: ignore[override]
        """Return what *name* means."""
        if name not in self:
            found = self._around.member(self._spec, name, self._source)
            if found is None:
                return default
            self[name] = found
        return self[name]
