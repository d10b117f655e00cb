"""The forms of generated code that assertions run against, seen through one small interface."""

from __future__ import annotations

import importlib
import keyword
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import kaitaistruct
from tests.conformance.kaitai.evaluate import Record
from tests.conformance.kaitai.modules import PACKAGE, include_dirs
from tests.conformance.kaitai.records import Records

from byteloom_codegen.kaitaistruct.names import ClassPaths, label_names
from byteloom_codegen.load import load_spec
from byteloom_codegen.model import EnumSpec, Spec, TypeSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["FORMS", "DropIn", "Form", "all_specs"]


class Form(Record, Protocol):
    """One form of generated code, for one spec."""

    spec: Spec

    official: bool
    """Whether it speaks as the official runtime does: its messages, and failed records kept."""

    def read(self, data: Path, imports: list[Spec]) -> Any:
        """Return the record that *data* holds."""

    def error(self, name: str) -> type[Exception]:
        """Return the exception that the suite calls *name*."""

    def enum_member(self, enum: EnumSpec, label: str) -> Any:
        """Return the value of an enum's label."""


def all_specs(spec: Spec) -> Iterator[Spec]:
    """Yield *spec* and all that it imports, each once."""
    seen: dict[str, Spec] = {}
    waiting = [spec]
    while waiting:
        each = waiting.pop()
        if each.file not in seen:
            seen[each.file] = each
            waiting += each.imports
    yield from seen.values()


class DropIn:
    """The modules of ``--api kaitaistruct``."""

    official = True

    def __init__(self, suite: Path, name: str) -> None:
        """Take the spec *name* of *suite*."""
        self.spec = load_spec(suite / "formats" / f"{name}.ksy", include_dirs=include_dirs(suite))

    def read(self, data: Path, imports: list[Spec]) -> Any:
        """Return the record; reading one that is debugged is a call of its own.

        What that call read before it failed stays there, as a debugger needs it: the assertions
        decide then.
        """
        self._known = {
            field.name
            for spec in self._specs(imports)
            for each in spec.top.walk()
            for field in each.seq
        }
        record = self._class(self.spec.top).from_file(str(data))
        if self.spec.top.debug:
            record._failure = None
            try:
                record._read()
            except kaitaistruct.KaitaiStructError as error:
                record._failure = error
        return record

    def error(self, name: str) -> type[Exception]:
        """Return a class of the runtime; Python's ValueError where it has none of that name."""
        if name == "ConversionError":
            return ValueError
        return cast("type[Exception]", getattr(kaitaistruct, name))

    def enum_member(self, enum: EnumSpec, label: str) -> Any:
        """Return the member of the Python enum."""
        return getattr(self._class(enum), label_names(enum)[label])

    def is_record(self, value: object) -> bool:
        """Whether *value* is of a generated class."""
        return isinstance(value, kaitaistruct.KaitaiStruct)

    def is_stream(self, value: object) -> bool:
        """Whether *value* is a stream."""
        return isinstance(value, kaitaistruct.KaitaiStream)

    def member(self, record: Any, name: str) -> Any:
        """Return an attribute; None for a field that was not read and so is not there."""
        attribute = f"{name}_" if keyword.iskeyword(name) else name
        absent = attribute not in vars(record) and not hasattr(type(record), attribute)
        return None if absent and name in self._known else getattr(record, attribute)

    def stream(self, stream: Any, name: str) -> Any:
        """Return the result of a stream's method."""
        return getattr(stream, {"eof": "is_eof"}.get(name, name))()

    def _specs(self, imports: list[Spec]) -> Iterator[Spec]:
        for each in (self.spec, *imports):
            yield from all_specs(each)

    def _class(self, item: TypeSpec | EnumSpec) -> Any:
        owner = item if isinstance(item, TypeSpec) else item.owner
        assert owner is not None
        found = importlib.import_module(f"{PACKAGE}.{owner.spec.name}")
        for part in ClassPaths(owner.spec).of(item).split("."):
            found = getattr(found, part)
        return found


FORMS: Final[dict[str, Callable[[Path, str], Form]]] = {"kaitaistruct": DropIn, "records": Records}
"""The forms there are, by the name that ``--form`` takes."""
