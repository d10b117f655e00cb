"""Every field of every message of Lance files has its published number and type."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from byteloom_generated.lance import encodings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor_pb2 import DescriptorProto

PUBLISHED: Final = yaml.safe_load(Path(__file__).with_name("messages.yaml").read_text("utf-8"))


@pytest.mark.parametrize("name", PUBLISHED)
def test_messages_have_their_fields_and_no_others(name: str) -> None:
    """The descriptors of the generated messages declare exactly the published fields."""
    assert dict(declared(file_of(name))) == PUBLISHED[name]


def test_every_module_of_messages_is_compared() -> None:
    """Every `.proto` of `specs/lance` is compared with its published form."""
    specs = Path(__file__).parents[2] / "specs/lance"
    assert {each.stem for each in specs.glob("*.proto")} == PUBLISHED.keys()


@pytest.mark.parametrize(
    ("table", "name", "message", "last"),
    [
        (encodings.ARRAY_ENCODINGS, "encodings20", "ArrayEncoding", 13),
        (encodings.PAGE_LAYOUTS, "encodings21", "PageLayout", 4),
        (encodings.COMPRESSIVE_ENCODINGS, "encodings21", "CompressiveEncoding", 15),
    ],
)
def test_encodings_are_named_and_numbered_as_in_their_messages(
    table: Any, name: str, message: str, last: int
) -> None:
    """Every encoding of a message is in its table, with the same name and number, and no other.

    Those of 2.0 after 13 were only ever written by drafts of 2.1.
    """
    (found,) = (each for each in file_of(name).message_type if each.name == message)
    fields = {each.number: each.name for each in found.field if each.number <= last}
    assert [(each.number, each.name) for each in table] == sorted(fields.items())


def file_of(name: str) -> FileDescriptorProto:
    """The descriptor of the file from which a module of messages was generated."""
    module = import_module(f"byteloom_generated.lance.{name}")
    classes: Any = map(vars(module).get, module.__all__)
    first = next(each for each in classes if hasattr(each, "made"))
    found = FileDescriptorProto()
    first.made().DESCRIPTOR.file.CopyToProto(found)
    return found


def declared(file: FileDescriptorProto) -> Iterator[tuple[str, list[str]]]:
    """The enums and messages of a file, those inside of others by whole names, as lines."""
    for enum in file.enum_type:
        yield enum.name, [f"{each.number} {each.name}" for each in enum.value]
    for message in file.message_type:
        yield from fields_of(file, message, message.name)


def fields_of(
    file: FileDescriptorProto, message: DescriptorProto, name: str
) -> Iterator[tuple[str, list[str]]]:
    """The fields of a message, and of the enums and messages inside of it."""
    yield name, [line(file, message, each) for each in message.field]
    for enum in message.enum_type:
        yield f"{name}.{enum.name}", [f"{each.number} {each.name}" for each in enum.value]
    for inner in message.nested_type:
        yield from fields_of(file, inner, f"{name}.{inner.name}")


def line(file: FileDescriptorProto, message: DescriptorProto, field: FieldDescriptorProto) -> str:
    """A field: number, whether it is repeated, type, name, group, options."""
    plain = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    words = [
        str(field.number),
        field.type_name.removeprefix(f".{file.package}.") or plain,
        field.name,
    ]
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        words.insert(1, "repeated")
    if field.HasField("oneof_index"):
        words.append(f"({message.oneof_decl[field.oneof_index].name})")
    if field.HasField("options"):
        words.append(f"[{str(field.options).strip()}]".replace("\n", " "))
    return " ".join(words)
