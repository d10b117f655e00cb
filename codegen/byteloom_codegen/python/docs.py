"""Docstrings: a spec's prose, the table of a record's bytes, and the clause they come from."""

from __future__ import annotations

from textwrap import dedent, wrap
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    DataType,
    EnumType,
    Field,
    FloatType,
    IntType,
    OpaqueType,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
)
from byteloom_codegen.python.literals import bytes_literal
from byteloom_codegen.python.sizes import Size, field_size, fixed_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["byte_table", "docstring", "prose", "record_doc", "sources", "stored_as"]

_WIDTH: Final = 80


def prose(doc: str, otherwise: str = "") -> list[str]:
    """Return *doc* as lines ready for a docstring; indented parts keep their shape."""
    lines: list[str] = []
    text = (doc.strip() or otherwise.strip()).expandtabs(4)
    for block in "\n".join(text.splitlines()).split("\n\n"):
        drawn = any(line.startswith((" ", "|", "-", "*")) for line in block.splitlines())
        lines += [
            "",
            *(
                block.splitlines()
                if drawn
                else wrap(" ".join(block.split()), _WIDTH, break_on_hyphens=False)
            ),
        ]
    first, *others = (_safe(line).rstrip() for line in lines[1:] or [""])
    return [first.lstrip(), *others]


def sources(references: Iterable[str]) -> list[str]:
    """Return a line for each of *references* that is not empty."""
    return [f"Source: {_safe(' '.join(each.split()))}" for each in references if each.strip()]


def docstring(lines: Sequence[str], depth: int) -> str:
    """Return a docstring as a formatter lays it out; no text in it can end its quotes."""
    indent = "    " * depth
    first, *others = lines
    first = f" {first}" if first.startswith('"') else first
    others = dedent("\n".join(others)).rstrip().split("\n") if any(others) else []
    if not others:
        return f'{indent}"""{first}{" " if first.endswith(chr(34)) else ""}"""'
    body = [f"{indent}{line}" if line else "" for line in others]
    return "\n".join([f'{indent}"""{first}', *body, f'{indent}"""'])


def _safe(line: str) -> str:
    """Return *line* escaped for a docstring: it does not end it, and has no control characters."""
    shown = "".join(
        each if each.isprintable() or each == " " else "\N{REPLACEMENT CHARACTER}" for each in line
    )
    return shown.replace("\\", "\\\\").replace('"""', "'''")


def record_doc(spec: TypeSpec) -> tuple[str, ...]:
    """Return the docstring of a record: what it is, its bytes, its source."""
    lines = prose(spec.doc, f"The record `{spec.name}`.")
    table = byte_table(spec)
    if table:
        lines += ["", *(f"    {line}" for line in table)]
    if references := sources(spec.doc_ref):
        lines += ["", *references]
    return tuple(lines)


def byte_table(spec: TypeSpec) -> list[str]:
    """Return the fields with their places; a place that the file decides is left empty."""
    rows, at = [], Size(0, 0)
    for field in spec.seq:
        size = field_size(field)
        place = fixed_bytes(at) if at.least % 8 == 0 or isinstance(field.type, BitsType) else None
        width = fixed_bytes(size)
        bits = isinstance(field.type, BitsType)
        rows.append(
            (
                "" if place is None else str(at.least // 8),
                "" if width is None or bits else str(width),
                field.name,
                stored_as(field, at.least % 8 if bits and place is not None else None),
            )
        )
        at += size
    if not rows:
        return []
    head = ("at", "size", "field", "stored as")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(3)]
    return [
        f"{at:>{widths[0]}}  {size:>{widths[1]}}  {name:<{widths[2]}}  {form}".rstrip()
        for at, size, name, form in (head, *rows)
    ]


def stored_as(field: Field, first_bit: int | None = None) -> str:
    """Return in a word or two how *field* is stored in the file."""
    form = _form(field.type, first_bit)
    if field.repeat:
        form += {"expr": ", repeated", "eos": ", repeated to the end", "until": ", repeated"}[
            field.repeat.kind
        ]
    return form + (", optional" if field.condition is not None else "")


def _form(type_: DataType, first_bit: int | None = None) -> str:
    match type_:
        case IntType(signed=signed, width=width, endian=endian):
            return f"{'s' if signed else 'u'}{width}{endian or ''}"
        case FloatType(width=width, endian=endian):
            return f"f{width}{endian or ''}"
        case BitsType(width=width, endian=endian):
            place = "" if first_bit is None else f" from bit {first_bit}"
            return f"{width} bit{'s' if width > 1 else ''} {endian}{place}"
        case EnumType(enum=enum, base=base):
            return f"{_form(base, first_bit)}, enum {enum.name}"
        case ContentsType(contents=contents):
            return _safe(bytes_literal(contents))
        case BytesType():
            return "bytes"
        case StrType(encoding=encoding):
            return f"text in {encoding}"
        case UserType(type=spec):
            return spec.name
        case OpaqueType(name=name):
            return "::".join(name)
        case SwitchType(cases=cases):
            return "one of " + ", ".join(dict.fromkeys(_form(case.type) for case in cases))
    return type(type_).__name__
