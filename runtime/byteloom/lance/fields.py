"""Fields of a Lance schema: the flat list that files store, as a tree.

Source: specs/lance/file.proto
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom_generated.lance.encodings import BLOB_DESCRIPTOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.limits import Limits
    from byteloom_generated.lance import file

__all__ = [
    "BFLOAT16",
    "BLOB",
    "BLOB_V2",
    "EXTENSION",
    "JSON_TEXT",
    "PACKED",
    "Field",
    "as_stored",
    "is_true",
    "tree_of",
    "with_descriptors",
    "with_json_texts",
]

_TOP: Final = -1
_NO_ID: Final = -1
_BYTES: Final = frozenset({"binary", "large_binary"})
BLOB: Final = "lance-encoding:blob"
PACKED: Final = ("packed", "lance-encoding:packed")
EXTENSION: Final = "ARROW:extension:name"
"""The key of metadata that names an extension type."""

BLOB_V2: Final = b"lance.blob.v2"
BFLOAT16: Final = "lance.bfloat16"
"""The extension type of 16-bit floats, and their logical type in fixed-size lists."""

JSON: Final = "json"
JSON_TEXT: Final = b"arrow.json"
"""The logical type of JSON, and the extension type of its text."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field and its inner fields.

    Attributes:
        id: Its number in the dataset.
        name: Its name.
        path: Its names from the top: ``points.item.x``.
        type: Its logical type: ``int32``, ``list.struct``, ``timestamp:us:UTC``.
        nullable: Whether it may be null.
        metadata: That of the Arrow field.
        children: Fields of a struct, the item of a list, the entries of a map.
        stored: The field that files have, of one that has another type in a dataset; None for
            others.
    """

    id: int
    name: str
    path: str
    type: str
    nullable: bool
    metadata: Mapping[str, bytes]
    children: list[Field] = field(default_factory=list)
    stored: Field | None = None

    @property
    def is_struct(self) -> bool:
        """Whether it has named children."""
        return self.type == "struct"

    @property
    def is_list(self) -> bool:
        """Whether it is a list of any length, or a map."""
        return self.type.partition(".")[0] in {"list", "large_list", "map"}

    @property
    def is_packed(self) -> bool:
        """Whether it is a struct that is stored row by row."""
        return self.is_struct and any(is_true(self.metadata, key) for key in PACKED)

    @property
    def is_blob(self) -> bool:
        """Whether its values are stored outside pages."""
        return self.type in _BYTES and is_true(self.metadata, BLOB)

    @property
    def is_blob_v2(self) -> bool:
        """Whether its values are blobs of which data files have descriptors."""
        return self.is_struct and self.metadata.get(EXTENSION) == BLOB_V2

    @property
    def is_descriptor(self) -> bool:
        """Whether it says where blobs are."""
        return self.is_packed and is_true(self.metadata, BLOB)

    @property
    def is_v2_descriptor(self) -> bool:
        """Whether it says where blobs of version 2 are."""
        return self.is_descriptor and any(each.id == _NO_ID for each in self.children)

    @property
    def has_v2_blobs(self) -> bool:
        """Whether it, or a field in it, says where blobs of version 2 are."""
        return any(each.is_v2_descriptor for each in self.walk())

    @property
    def has_json(self) -> bool:
        """Whether it, or a field in it, is JSON that files store in a binary form."""
        return self.stored is not None or any(each.has_json for each in self.children)

    def walk(self) -> Iterator[Field]:
        """Yield this field and all inner ones, in pre-order."""
        yield self
        for each in self.children:
            yield from each.walk()


def is_true(metadata: Mapping[Any, bytes], key: str | bytes) -> bool:
    """Return whether metadata sets a flag."""
    return metadata.get(key, b"").strip().lower() in {b"true", b"1"}


def tree_of(
    stored: Sequence[file.Field], limits: Limits, *, path: str = "descriptor.schema"
) -> list[Field]:
    """Return the top-level fields, which contain all others.

    Fields after a descriptor of blobs that have neither an id nor a parent are its children.

    Args:
        path: Name of the message with the fields, in errors.

    Raises:
        FormatError: For a parent that does not precede its child.
    """
    found: dict[int, Field] = {}
    depths: dict[int, int] = {_TOP: 0}
    top: list[Field] = []
    made: Field | None = None
    for number, each in enumerate(stored):
        place = f"{path}.fields[{number}]"
        if made is not None and made.is_descriptor and each.id == each.parent_id == _NO_ID:
            made.children.append(_child_of(made, each))
            continue
        if each.parent_id not in depths:
            wanted = "the id of a field before it, or -1"
            raise FormatError(f"{place}.parent_id", None, each.parent_id, wanted)
        if each.id in depths:
            raise FormatError(f"{place}.id", None, each.id, "an id that no field before it has")
        depths[each.id] = depths[each.parent_id] + 1
        if depths[each.id] > limits.nesting:
            wanted = f"at most {limits.nesting} fields inside each other (limits.nesting)"
            raise FormatError(f"{place}.parent_id", None, "more", wanted)
        parent = found.get(each.parent_id)
        name = each.name if parent is None else f"{parent.path}.{each.name}"
        made = Field(
            each.id, each.name, name, each.logical_type, each.nullable, dict(each.metadata)
        )
        found[each.id] = made
        (top if parent is None else parent.children).append(made)
    return top


def _child_of(parent: Field, stored: file.Field) -> Field:
    path, type_ = f"{parent.path}.{stored.name}", stored.logical_type
    return Field(_NO_ID, stored.name, path, type_, stored.nullable, dict(stored.metadata))


def with_descriptors(field: Field) -> Field:
    """Return a field of a dataset as its data files have it: descriptors where it is blobs."""
    if field.is_blob_v2:
        parts = [
            Field(
                _NO_ID,
                each.name,
                f"{field.path}.{each.name}",
                each.logical_type,
                nullable=False,
                metadata={},
            )
            for each in BLOB_DESCRIPTOR
        ]
        metadata = {PACKED[-1]: b"true", BLOB: b"true"}
        return replace(field, metadata=metadata, children=parts)
    if not field.children:
        return field
    return replace(field, children=[with_descriptors(each) for each in field.children])


def with_json_texts(field: Field) -> Field:
    """Return a field of a dataset with text in place of JSON in a binary form."""
    if field.type == JSON:
        metadata = {**field.metadata, EXTENSION: JSON_TEXT}
        return replace(field, type="string", metadata=metadata, stored=field)
    if not field.children:
        return field
    return replace(field, children=[with_json_texts(each) for each in field.children])


def as_stored(field: Field) -> Field:
    """Return *field* as files store it: JSON is text only in what is read."""
    if field.stored is not None:
        return field.stored
    if not field.has_json:
        return field
    return replace(field, children=[as_stored(each) for each in field.children])
