# Written by byteloom-codegen from specs/iceberg/schemas.yaml; do not edit.
# To change it, edit that file and generate again.
"""A schema is a struct type with an id. Types with others inside are objects, all
others text. Keys that a reader does not know are kept.

Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from byteloom.documents.json_kinds import list_of, scalar
from byteloom.documents.json_record import JsonField, JsonRecord

__all__ = ["ListType", "MapType", "MappedField", "Schema", "StructField", "StructType"]


@dataclass(slots=True, kw_only=True, repr=False)
class Schema(JsonRecord):
    """The columns of a table at one time.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Schemas"
    """

    NAME: ClassVar[str] = "schema"

    type: str
    """A schema is a struct. (v1 required, v2 required, v3 required)"""

    schema_id: int = 0
    """Unique in the table. (v1 optional, v2 required, v3 required)"""

    identifier_field_ids: list[int] = field(default_factory=list)
    """The columns that identify rows. (v1 optional, v2 optional, v3 optional)"""

    fields: list[Any] = field(default_factory=list)
    """The columns, each a struct field. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class StructType(JsonRecord):
    """A struct.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Schemas"
    """

    NAME: ClassVar[str] = "struct-type"

    type: str
    """Which type it is. (v1 required, v2 required, v3 required)"""

    fields: list[Any] = field(default_factory=list)
    """Each a struct field. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class StructField(JsonRecord):
    """A field of a struct, or a column.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Schemas"
    """

    NAME: ClassVar[str] = "struct-field"

    id: int
    """Unique in the table. (v1 required, v2 required, v3 required)"""

    name: str
    """Unique in its struct. (v1 required, v2 required, v3 required)"""

    required: bool
    """Whether it is never null. (v1 required, v2 required, v3 required)"""

    type: Any
    """Text, or a struct, list or map type. (v1 required, v2 required, v3 required)"""

    doc: str | None = None
    """A description of the field. (v1 optional, v2 optional, v3 optional)"""

    initial_default: Any = None
    """The value in rows written before the field was added; a single value. (v3
    optional)
    """

    write_default: Any = None
    """The value that writers store if they are given none; a single value. (v3
    optional)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class ListType(JsonRecord):
    """A list.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Schemas"
    """

    NAME: ClassVar[str] = "list-type"

    type: str
    """Which type it is. (v1 required, v2 required, v3 required)"""

    element_id: int
    """The id of its elements. (v1 required, v2 required, v3 required)"""

    element: Any
    """Their type. (v1 required, v2 required, v3 required)"""

    element_required: bool
    """Whether none of them is null. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class MapType(JsonRecord):
    """A map; its keys are never null.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Schemas"
    """

    NAME: ClassVar[str] = "map-type"

    type: str
    """Which type it is. (v1 required, v2 required, v3 required)"""

    key_id: int
    """The id of its keys. (v1 required, v2 required, v3 required)"""

    key: Any
    """Their type. (v1 required, v2 required, v3 required)"""

    value_id: int
    """The id of its values. (v1 required, v2 required, v3 required)"""

    value: Any
    """Their type. (v1 required, v2 required, v3 required)"""

    value_required: bool
    """Whether none of them is null. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class MappedField(JsonRecord):
    """What a field is called in data files that carry no ids. The table property
    schema.name-mapping.default holds a list of them.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Name Mapping Serialization"
    """

    NAME: ClassVar[str] = "mapped-field"

    field_id: int | None = None
    """The field's id; none for names that belong to no column. (v1 optional, v2
    optional, v3 optional)
    """

    names: list[str] = field(default_factory=list)
    """Every name that it has had; empty for a field that no file stores. (v1 required,
    v2 required, v3 required)
    """

    fields: list[Any] = field(default_factory=list)
    """The same for the fields inside it, each a mapped field. (v1 optional, v2
    optional, v3 optional)
    """


Schema.FIELDS = (
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("struct",),
    ),
    JsonField(
        key="schema-id",
        attribute="schema_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(2, 3),
        is_relaxed=True,
        absent=0,
    ),
    JsonField(
        key="identifier-field-ids",
        attribute="identifier_field_ids",
        kind=list_of(scalar("int")),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="fields",
        attribute="fields",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


StructType.FIELDS = (
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("struct",),
    ),
    JsonField(
        key="fields",
        attribute="fields",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


StructField.FIELDS = (
    JsonField(
        key="id",
        attribute="id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="name",
        attribute="name",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="required",
        attribute="required",
        kind=scalar("boolean"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(key="doc", attribute="doc", kind=scalar("string"), versions=(1, 2, 3)),
    JsonField(
        key="initial-default",
        attribute="initial_default",
        kind=scalar("json"),
        versions=(3,),
    ),
    JsonField(
        key="write-default",
        attribute="write_default",
        kind=scalar("json"),
        versions=(3,),
    ),
)


ListType.FIELDS = (
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("list",),
    ),
    JsonField(
        key="element-id",
        attribute="element_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="element",
        attribute="element",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="element-required",
        attribute="element_required",
        kind=scalar("boolean"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


MapType.FIELDS = (
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("map",),
    ),
    JsonField(
        key="key-id",
        attribute="key_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="key",
        attribute="key",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="value-id",
        attribute="value_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="value",
        attribute="value",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="value-required",
        attribute="value_required",
        kind=scalar("boolean"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


MappedField.FIELDS = (
    JsonField(
        key="field-id", attribute="field_id", kind=scalar("int"), versions=(1, 2, 3)
    ),
    JsonField(
        key="names",
        attribute="names",
        kind=list_of(scalar("string")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        is_relaxed=True,
    ),
    JsonField(
        key="fields",
        attribute="fields",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
    ),
)
