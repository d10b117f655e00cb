"""Messages as a module: a class for each, annotated with the types of its fields."""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import GenerateError
from byteloom_codegen.python.docs import prose
from byteloom_codegen.python.names import module_name
from byteloom_codegen.python.templates import templates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.messages.model import EnumSpec, FieldSpec, MessageSpec, MessagesSpec

__all__ = ["emit_messages", "stored_as"]

_PYTHON: Final = {"double": "float", "float": "float", "bool": "bool", "string": "str"}
_WELL_KNOWN: Final = "google/protobuf/"
_WIDTH: Final = 80


@dataclass(frozen=True, slots=True)
class _Field:
    """A field as the template prints it."""

    declared: str
    argument: str
    doc: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Enum:
    """An enum as the template prints it."""

    name: str
    doc: tuple[str, ...]
    values: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Message:
    """A class as the template prints it; *depth* is the number of classes around it."""

    name: str
    full: str
    depth: int
    doc: tuple[str, ...]
    fields: tuple[_Field, ...]
    enums: tuple[_Enum, ...]
    messages: tuple[_Message, ...]


def emit_messages(spec: MessagesSpec, source: str, *, flat: bool = False) -> str:
    """Return the module of *spec*; *source* is the path that its header names.

    flat  whether the folder that it will be in is not a package
    """
    names = _Names(spec)
    messages = [_message(each, names, 0) for each in spec.messages]
    declared = [line for each in _all(messages) for line in each.fields]
    text = (
        templates()
        .get_template("messages.py.jinja")
        .render(
            source=source,
            flat=flat,
            doc=prose(spec.doc),
            path=spec.path,
            descriptor=_pieces(spec.descriptor),
            imports=sorted(map(_module, _ours(spec))),
            siblings=[f"{_module(each)}.FILE" for each in _ours(spec)],
            containers=[
                name
                for name in ("Iterable", "Mapping", "MutableMapping", "MutableSequence")
                if any(f" {name}[" in f"{each.declared} {each.argument}" for each in declared)
            ],
            needs_any=any("Any" in each.declared for each in declared),
            needs_builtins=any("builtins." in each.declared for each in declared),
            has_enums=bool(spec.enums) or any(each.enums for each in spec.walk()),
            enums=[_enum(each) for each in spec.enums],
            messages=messages,
            exports=sorted(
                [
                    "FILE",
                    *(each.name for each in spec.enums),
                    *(each.name for each in spec.messages),
                ],
                key=lambda name: (not name.isupper(), name),
            ),
        )
    )
    return text.rstrip() + "\n"


def stored_as(field: FieldSpec, package: str) -> str:
    """Return in a few words how *field* is stored."""
    type_ = field.type.removeprefix(f"{package}.")
    if field.key is not None:
        return f"map of {field.key} to {type_}"
    repeated = "repeated " if field.is_repeated else ""
    choice = f", one of {field.choice}" if field.choice else ""
    default = f", else {field.default}" if field.default else ""
    return f"{repeated}{type_}{choice}{default}"


class _Names:
    """What the types of a file are called in its module."""

    def __init__(self, spec: MessagesSpec) -> None:
        self.package = spec.package
        self._ours = {each.full for each in spec.walk()}
        self._modules = [_module(each) for each in _ours(spec)]

    def annotation(self, field: FieldSpec, hidden: set[str]) -> str:
        """The annotation of a field of that type; *hidden* are the names of fields of its class."""
        inner = self._value(field, hidden)
        if field.key is not None:
            key = _PYTHON.get(field.key, "int")
            return f"MutableMapping[{_visible(key, hidden)}, {inner}]"
        return f"MutableSequence[{inner}]" if field.is_repeated else inner

    def _value(self, field: FieldSpec, hidden: set[str]) -> str:
        """One value."""
        if field.is_scalar or field.is_enum:
            held = "bytes" if field.type == "bytes" else _PYTHON.get(field.type, "int")
            return _visible(held, hidden)
        return field.type.removeprefix(f"{self.package}.") if field.type in self._ours else "Any"


def _visible(name: str, hidden: set[str]) -> str:
    """The source for a builtin, which a field of the same name may hide."""
    return f"builtins.{name}" if name in hidden else name


def _message(spec: MessageSpec, names: _Names, depth: int) -> _Message:
    """One message."""
    hidden = {each.name for each in spec.fields} & set(dir(builtins))
    return _Message(
        name=spec.name,
        full=spec.full,
        depth=depth,
        doc=tuple(_doc(spec, names.package)),
        fields=tuple(_field(each, names, hidden) for each in spec.fields),
        enums=tuple(map(_enum, spec.enums)),
        messages=tuple(_message(each, names, depth + 1) for each in spec.messages),
    )


def _doc(spec: MessageSpec, package: str) -> Iterator[str]:
    """The docstring of a message, with its fields by their numbers."""
    yield from prose(spec.doc, f"The message `{spec.name}`.")
    if not spec.fields:
        return
    rows = [("no", "field", "stored as")]
    rows += [(str(each.number), each.name, stored_as(each, package)) for each in spec.fields]
    widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
    yield ""
    for number, name, form in rows:
        yield f"    {number:>{widths[0]}}  {name:<{widths[1]}}  {form}"


def _field(spec: FieldSpec, names: _Names, hidden: set[str]) -> _Field:
    """One field."""
    if keyword.iskeyword(spec.name):
        raise GenerateError(f"field {spec.name}: found a keyword of Python, wanted another name")
    annotation = names.annotation(spec, hidden)
    given = annotation.replace("MutableSequence[", "Iterable[").replace("Mutable", "")
    return _Field(
        declared=f"{spec.name}: {annotation}",
        argument=f"{spec.name}: {given} | None = None",
        doc=tuple(prose(spec.doc)) if spec.doc else (),
    )


def _enum(spec: EnumSpec) -> _Enum:
    """One enum."""
    values = tuple(
        (f"{name} = {number}", tuple(prose(doc)) if doc else ())
        for name, number, doc in spec.values
    )
    return _Enum(spec.name, tuple(prose(spec.doc, f"The values of `{spec.name}`.")), values)


def _all(messages: list[_Message]) -> Iterator[_Message]:
    """All messages, including those inside others."""
    for each in messages:
        yield each
        yield from _all(list(each.messages))


def _ours(spec: MessagesSpec) -> list[str]:
    """The files it imports that are specs of ours."""
    return [each for each in spec.imports if not each.startswith(_WELL_KNOWN)]


def _module(path: str) -> str:
    """The module of a file in the same folder."""
    return module_name(path.rpartition("/")[2].removesuffix(".proto"))


def _pieces(data: bytes) -> list[str]:
    """Bytes as literals, a line each."""
    pieces, piece = list[str](), ""
    for byte in data:
        shown = _shown(byte)
        if len(piece) + len(shown) > _WIDTH:
            pieces.append(f'b"{piece}"')
            piece = ""
        piece += shown
    return [*pieces, f'b"{piece}"']


def _shown(byte: int) -> str:
    """A byte inside double quotes."""
    character = chr(byte)
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': "\\x22"}.get(character)
    return named or (character if 32 <= byte < 127 else f"\\x{byte:02x}")  # noqa: PLR2004  printable
