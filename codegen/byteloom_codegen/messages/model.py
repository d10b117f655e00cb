"""The resolved model of a file of messages: all that templates and pages see.

- protoc compiles `.proto` files and checks them; its errors become ours, with their places.
- protoc runs as a child process: it prints its errors where no caller could catch them.
- A descriptor is kept without comments and derived names, so that its bytes depend on the file
  alone, and not on the version of protoc.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import GenerateError, SpecError, SpecErrors
from byteloom_codegen.model import Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from google.protobuf.descriptor_pb2 import (
        DescriptorProto,
        EnumDescriptorProto,
        FieldDescriptorProto,
        FileDescriptorProto,
    )

__all__ = ["EnumSpec", "FieldSpec", "MessageSpec", "MessagesSpec", "compiled", "messages_of"]


_SCALARS: Final = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32",
    8: "bool", 9: "string", 12: "bytes", 13: "uint32", 15: "sfixed32", 16: "sfixed64",
    17: "sint32", 18: "sint64",
}  # fmt: skip
_ENUM: Final = 14
_REPEATED: Final = 3
_MESSAGES, _NESTED, _FIELDS, _ENUMS, _INNER_ENUMS, _VALUES = 4, 3, 2, 5, 4, 2
"""Numbers of fields in descriptors, from which the paths of comments are made."""

_Path = tuple[int, ...]

_EDITION: Final = (12,)
"""The line that names it, the first of a file."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of a message.

    type     as in the file; of a message or an enum its name, from the package on
    key      the type of the keys of a map; None for other fields
    choice   the oneof that it is of
    default  as in the file
    """

    name: str
    number: int
    type: str
    doc: str
    is_enum: bool = False
    is_scalar: bool = False
    is_repeated: bool = False
    key: str | None = None
    choice: str | None = None
    default: str = ""


@dataclass(frozen=True, slots=True)
class EnumSpec:
    """Names of numbers; *values* each with its number and its doc."""

    name: str
    doc: str
    values: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class MessageSpec:
    """A message; *name* is its own, *full* begins with the package."""

    name: str
    full: str
    doc: str
    fields: tuple[FieldSpec, ...]
    messages: tuple[MessageSpec, ...]
    enums: tuple[EnumSpec, ...]

    def walk(self) -> Iterator[MessageSpec]:
        """Yield this one and all inside."""
        yield self
        for each in self.messages:
            yield from each.walk()


@dataclass(frozen=True, slots=True)
class MessagesSpec:
    """A file of messages.

    path        from the root of the specs, as imports name it
    imports     paths of files that it imports
    descriptor  what the protobuf package makes classes of
    """

    path: str
    package: str
    doc: str
    imports: tuple[str, ...]
    messages: tuple[MessageSpec, ...]
    enums: tuple[EnumSpec, ...]
    descriptor: bytes

    def walk(self) -> Iterator[MessageSpec]:
        """Yield all messages, each before those inside it."""
        for each in self.messages:
            yield from each.walk()


def messages_of(file: FileDescriptorProto) -> MessagesSpec:
    """Return the model of a compiled file."""
    if file.syntax != "editions":
        wanted = 'wanted edition = "2023", in which text is checked to be UTF-8'
        raise GenerateError(f"{file.name}: found {file.syntax or 'proto2'}, {wanted}")
    docs = {
        tuple(each.path): each.leading_comments or each.trailing_comments
        for each in file.source_code_info.location
    }
    if not docs.get(_EDITION):
        raise GenerateError(f"{file.name}: wanted a comment above its first line, what it is")
    return MessagesSpec(
        path=file.name,
        package=file.package,
        doc=_comment(docs, _EDITION),
        imports=tuple(file.dependency),
        messages=tuple(
            _message(each, docs, (_MESSAGES, at), file.package)
            for at, each in enumerate(file.message_type)
        ),
        enums=tuple(_enum(each, docs, (_ENUMS, at)) for at, each in enumerate(file.enum_type)),
        descriptor=_bare(file),
    )


def _comment(docs: Mapping[_Path, str], path: _Path) -> str:
    """The comment at a place, without the blank that follows each slash."""
    lines = docs.get(path, "").splitlines()
    return "\n".join(line.removeprefix(" ").rstrip() for line in lines).strip()


def _message(
    message: DescriptorProto, docs: Mapping[_Path, str], path: _Path, scope: str
) -> MessageSpec:
    """One message; the entries of maps, which protoc makes, are not messages of the file."""
    full = f"{scope}.{message.name}".lstrip(".")
    return MessageSpec(
        name=message.name,
        full=full,
        doc=_comment(docs, path),
        fields=tuple(
            _field(each, message, _comment(docs, (*path, _FIELDS, at)))
            for at, each in enumerate(message.field)
        ),
        messages=tuple(
            _message(each, docs, (*path, _NESTED, at), full)
            for at, each in enumerate(message.nested_type)
            if not each.options.map_entry
        ),
        enums=tuple(
            _enum(each, docs, (*path, _INNER_ENUMS, at))
            for at, each in enumerate(message.enum_type)
        ),
    )


def _enum(enum: EnumDescriptorProto, docs: Mapping[_Path, str], path: _Path) -> EnumSpec:
    """One enum."""
    values = tuple(
        (each.name, each.number, _comment(docs, (*path, _VALUES, at)))
        for at, each in enumerate(enum.value)
    )
    return EnumSpec(enum.name, _comment(docs, path), values)


def _field(field: FieldDescriptorProto, of: DescriptorProto, doc: str) -> FieldSpec:
    """One field of *of*."""
    entries = [each for each in of.nested_type if each.options.map_entry]
    entry = next((each for each in entries if _is_of(field, each)), None)
    value = field if entry is None else entry.field[1]
    in_choice = field.HasField("oneof_index") and not field.proto3_optional
    return FieldSpec(
        name=field.name,
        number=field.number,
        type=_type(value),
        doc=doc,
        is_enum=value.type == _ENUM,
        is_scalar=value.type in _SCALARS,
        is_repeated=field.label == _REPEATED,
        key=None if entry is None else _type(entry.field[0]),
        choice=of.oneof_decl[field.oneof_index].name if in_choice else None,
        default=field.default_value,
    )


def _is_of(field: FieldDescriptorProto, entry: DescriptorProto) -> bool:
    """Whether *entry* is the message type of a map's entries."""
    return field.type_name.endswith(f".{entry.name}")


def _type(field: FieldDescriptorProto) -> str:
    """The type as the file writes it."""
    return _SCALARS.get(field.type) or field.type_name.lstrip(".")


_COMPLAINT: Final = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<said>.+)")


def compiled(path: Path, root: Path) -> FileDescriptorProto:
    """Return the descriptor that protoc makes of *path*, with comments.

    root        the folder that imports are looked up in, and that names begin at
    SpecErrors  the mistakes of the file
    """
    try:
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
    except ModuleNotFoundError as error:
        raise GenerateError(f"{path}: found no module {error.name}, wanted protobuf") from error
    if not path.is_file():
        raise GenerateError(f"{path}: found no file, wanted messages (.proto)")
    with TemporaryDirectory() as folder:
        made = Path(folder) / "set"
        _run(path, root, made)
        found = FileDescriptorSet.FromString(made.read_bytes())
    return found.file[0]


def _run(path: Path, root: Path, made: Path) -> None:
    """Let protoc write a set of descriptors."""
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={root}"]
    command += [f"--descriptor_set_out={made}", "--include_source_info", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if not done.returncode and made.exists():
        return
    mistakes = [
        SpecError(
            Location(str(root / found["file"]), int(found["line"]), int(found["column"])),
            found["said"],
        )
        for found in map(_COMPLAINT.fullmatch, done.stderr.splitlines())
        if found
    ]
    if mistakes:
        raise SpecErrors(tuple(mistakes))
    raise GenerateError(f"{path}: {done.stderr.strip() or 'protoc failed'}")


def _bare(file: FileDescriptorProto) -> bytes:
    """Return the descriptor that a module contains: without the places of comments."""
    kept = type(file).FromString(file.SerializeToString())
    kept.ClearField("source_code_info")
    for message in kept.message_type:
        _strip(message)
    return kept.SerializeToString(deterministic=True)


def _strip(message: DescriptorProto) -> None:
    """Remove the JSON names, which follow from the names of fields."""
    for field in message.field:
        field.ClearField("json_name")
    for inner in message.nested_type:
        _strip(inner)
