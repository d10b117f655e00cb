"""The checksums of a record: where the bytes under each begin and end, and who calculates it when.

One after its bytes is calculated where it is read or written. One before them is compared when the
last of them is read; zeros stand in its place until they are written. The variable for where the
field x begins is x_at: variables of fields never have such a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from byteloom_codegen.python.derived_fields import is_checksum
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.names import local_name
from byteloom_codegen.python.read_calls import ReadCalls
from byteloom_codegen.python.sizes import value_size
from byteloom_codegen.python.templates import READ, WRITE

if TYPE_CHECKING:
    from byteloom_codegen.model import Field, TypeSpec
    from byteloom_codegen.python.read_statements import ReadStatements
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.python.write_statements import WriteStatements

__all__ = ["Checksum", "breaks", "checksum_of", "checksums", "completed_by", "marks"]


@dataclass(frozen=True, slots=True)
class Checksum:
    """A checksum.

    field  that stores it
    last   the last field that it covers, if they come after it; None if they come before it
    ends   the variable for where the bytes under it end; "" if they end where it is calculated
    """

    field: Field
    last: Field | None
    ends: str

    @property
    def begins(self) -> str:
        """The variable for where the bytes under it begin."""
        return _place_of(self.field.loom["crc"]["over"][0])

    @property
    def place(self) -> str:
        """The variable for where it is stored, if that is before its bytes."""
        return _place_of(self.field.name)

    def read(self, reading: ReadStatements) -> list[Statement]:
        """Return the lines that read it, and compare it if the bytes under it are known."""
        name = str_literal(self.field.name)
        value = ReadCalls(reading.scope).value(self.field.type, name)
        target = local_name(self.field.name)
        if self.last is not None:
            return READ.lines("assigned", target=target, value=value)
        computed = self._computed("r")
        return READ.lines("checksum", name=name, target=target, value=value, computed=computed)

    def compared(self) -> list[Statement]:
        """Return the lines that compare it with the bytes after it."""
        return READ.lines(
            "checksum_compared",
            name=str_literal(self.field.name),
            target=local_name(self.field.name),
            place=self.place,
            computed=self._computed("r"),
        )

    def written(self, writing: WriteStatements) -> list[Statement]:
        """Return the lines that write it, or zeros in its place."""
        return self._put(writing, "0" if self.last else self._computed("w"))

    def put_back(self, writing: WriteStatements) -> list[Statement]:
        """Return the lines that write it over the zeros."""
        put = self._put(writing, self._computed("w"))
        size = value_size(self.field.type).least // 8
        return WRITE.lines("put_back", put=put, place=self.place, size=size)

    def _put(self, writing: WriteStatements, value: str) -> list[Statement]:
        return writing.calls.value(self.field.type, str_literal(self.field.name), value)

    def _computed(self, stream: str) -> str:
        """Return the source that calculates it."""
        macros = READ if stream == "r" else WRITE
        algorithm, ends = self.field.loom["crc"]["algorithm"], self.ends or f"{stream}.pos"
        return macros.value("computed", algorithm=algorithm, begins=self.begins, ends=ends)


@lru_cache(maxsize=64)
def checksums(spec: TypeSpec) -> tuple[Checksum, ...]:
    """Return the checksums among the fields of *spec*, in their order."""
    found = list[Checksum]()
    for number, field in enumerate(spec.seq):
        if is_checksum(field):
            last = _number(spec, field.loom["crc"]["over"][1])
            ends = _place_of(spec.seq[last + 1].name) if last + 1 < number else ""
            found.append(Checksum(field, spec.seq[last] if last > number else None, ends))
    return tuple(found)


def checksum_of(spec: TypeSpec, field: Field) -> Checksum:
    """Return the checksum that *field* stores."""
    return next(each for each in checksums(spec) if each.field is field)


def completed_by(spec: TypeSpec, field: Field) -> list[Checksum]:
    """Return the checksums before their bytes, of which *field* has the last.

    One that covers another comes after it.
    """
    return [each for each in reversed(checksums(spec)) if each.last is field]


@lru_cache(maxsize=64)
def marks(spec: TypeSpec) -> dict[str, str]:
    """Return the fields whose place is remembered, each with the variable for it."""
    found = list[str]()
    for each in checksums(spec):
        first, last = each.field.loom["crc"]["over"]
        found += [first] if each.last is None else [first, each.field.name]
        if each.ends:
            found.append(spec.seq[_number(spec, last) + 1].name)
    return {name: _place_of(name) for name in found}


def breaks(spec: TypeSpec) -> frozenset[str]:
    """Return the fields whose place is remembered, or before which a checksum is calculated."""
    completed = {each.last.name for each in checksums(spec) if each.last is not None}
    following = zip(spec.seq, spec.seq[1:], strict=False)
    return frozenset(marks(spec)) | {
        after.name for each, after in following if each.name in completed
    }


def _place_of(name: str) -> str:
    """Return the variable for where the field *name* begins."""
    return f"{name}_at"


def _number(spec: TypeSpec, name: str) -> int:
    return next(number for number, each in enumerate(spec.seq) if each.name == name)
