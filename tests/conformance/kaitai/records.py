"""The record form, seen as the runner sees every form."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from tests.conformance.kaitai.modules import RECORDS, include_dirs

from byteloom.errors import ByteloomError, FormatError, Truncated
from byteloom.wire import Reader, Record
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.names import ClassNames, attribute_name, member_name

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom_codegen.model import EnumSpec, Spec, TypeSpec

__all__ = ["Records"]

_ERRORS: Final[dict[str, type[ByteloomError]]] = {
    "EndOfStreamError": Truncated,
    "NoTerminatorFoundError": Truncated,
}
"""What an exception of the suite is called here, where it has a class of its own."""


class Records:
    """The modules of ``byteloom generate``."""

    official = False

    def __init__(self, suite: Path, name: str, package: str = RECORDS) -> None:
        """Take the spec *name* of *suite*, its modules in *package*."""
        self.package = package
        self.spec = load_spec(suite / "formats" / f"{name}.ksy", include_dirs=include_dirs(suite))

    def read(self, data: Path, imports: list[Spec]) -> Any:
        """Return the record that *data* holds."""
        del imports
        return self.class_of(self.spec.top).from_bytes(data.read_bytes())

    def error(self, name: str) -> type[Exception]:
        """Return the class of ours that says the same."""
        return _ERRORS.get(name, FormatError)

    def enum_member(self, enum: EnumSpec, label: str) -> Any:
        """Return the member of the Python enum."""
        return getattr(self.class_of(enum), member_name(label))

    def is_record(self, value: object) -> bool:
        """Whether *value* is of a generated class."""
        return isinstance(value, Record)

    def is_stream(self, value: object) -> bool:
        """Whether *value* is a stream."""
        return isinstance(value, Reader)

    def member(self, record: Any, name: str) -> Any:
        """Return an attribute."""
        return getattr(record, attribute_name(name))

    def stream(self, stream: Any, name: str) -> Any:
        """Return ``pos``, ``size`` or ``eof``."""
        return getattr(stream, name)

    def class_of(self, item: TypeSpec | EnumSpec) -> Any:
        """Return the class of a type or an enum."""
        owner = getattr(item, "owner", None) if not hasattr(item, "spec") else item
        assert owner is not None
        module = importlib.import_module(f"{self.package}.{owner.spec.name}")
        return getattr(module, ClassNames(owner.spec).of(item))
