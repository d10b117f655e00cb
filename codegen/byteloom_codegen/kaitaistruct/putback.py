"""Write the bytes of records with streams of their own back to where they belong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.consistency import slot_of
from byteloom_codegen.kaitaistruct.delimiting import Delimited
from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.putting import process_key, unprocessed
from byteloom_codegen.kaitaistruct.substreams import has_outer_size
from byteloom_codegen.model import Delimiting
from byteloom_codegen.nodes import user_types

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import Field, OpaqueType, UserType
    from byteloom_codegen.python.statements import Statement

__all__ = ["PutBack", "kept_bytes"]


def kept_bytes(field: Field, name: str) -> str:
    """Return the source of packed bytes as they were read, empty where there were none."""
    if field.repeat is None:
        return f'getattr(self, "{name}", b"")'
    return 'b"".join(_kept[i : i + 1])'


@dataclass(frozen=True, slots=True)
class PutBack:
    """The method ``_put_NAME`` of *field*, which puts the bytes of a *record* where they belong."""

    field: Field
    record: UserType | OpaqueType

    @classmethod
    def of(cls, field: Field) -> PutBack | None:
        """Return how *field* puts its records back; None if none has a stream of its own."""
        records = user_types(field.type)
        return next((cls(field, each) for each in records if each.delimiting is not None), None)

    def parameters(self) -> list[str]:
        """Return the parameters besides the stream and the bytes."""
        process = self.record.process
        asked = {
            "size": not has_outer_size(self.record) and (self._how.is_filled_up or bool(process)),
            "key": process is not None and process.name != "zlib",
            "kept": process is not None and process.name == "zlib",
        }
        return [name for name, is_asked in asked.items() if is_asked]

    def arguments(self, values: Values, size: str) -> list[str]:
        """Return the values of `parameters` for a record that is written in *size* bytes."""
        process = self.record.process
        given = {
            "size": size,
            "key": process_key(process, values) if process else "",
            "kept": kept_bytes(self.field, f"_raw__raw_{slot_of(self.field)}"),
        }
        return [f"{name}={given[name]}" for name in self.parameters()]

    def statements(self, values: Values) -> list[Statement]:
        """Return the body: what the bytes go through, what is checked, and what is written."""
        slot, process = f"_raw_{slot_of(self.field)}", self.record.process
        many = self.field.repeat is not None
        lines = DROP_IN.lines("bytes_kept", slot=slot, value="data", many=many)
        if process is not None:
            size = "size" if "size" in self.parameters() else "None"
            packed = unprocessed(process, "data", "key", values, size=size, kept="kept")
            lines += DROP_IN.lines("set", name="data", value=packed)
            lines += DROP_IN.lines("bytes_kept", slot=f"_raw_{slot}", value="data", many=many)
        name = f"raw({self.field.name})"
        size = "size" if "size" in self.parameters() else ""
        raw = Delimited(self._how, "data", name, size, values, "io")
        return [*lines, *raw.checks(), *raw.puts()]

    @property
    def _how(self) -> Delimiting:
        return self.record.delimiting or Delimiting()
