"""Make the fields of a Lance schema from an Arrow schema, and refuse types that a version lacks.

Fixed-size lists of structs stand where pylance can read them.  Their pages count their items as
rows, and it refuses a struct whose fields have different numbers of them: it reads such columns one
at a time.  It does not write them inside or around lists and maps, or its process ends.  It does
write a struct of numbers and a list, which byteloom does not.

Source: https://lance.org/format/table/schema/#data-types,
https://lance.org/format/file/encoding/#fixed-size-list
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.arguments import check_distinct
from byteloom.errors import Unsupported
from byteloom.lance.extensions import extension_metadata
from byteloom.lance.fields import BFLOAT16, BLOB, BLOB_V2, EXTENSION, is_true
from byteloom.lance.writing.levels import has_lists, is_blob, is_struct_list
from byteloom.lance.writing.options import options_of
from byteloom.lance.writing.packed import check_packed, is_packed
from byteloom_generated.lance.file import Field, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["WRITTEN", "check_version", "storage_schema", "stored_schema"]

WRITTEN: Final = ("2.0", "2.1", "2.2")

_NAMES: Final = {
    pa.float16(): "halffloat", pa.float32(): "float", pa.float64(): "double",
    pa.string(): "string", pa.large_string(): "large_string",
    pa.binary(): "binary", pa.large_binary(): "large_binary",
    pa.date32(): "date32:day", pa.date64(): "date64:ms",
}  # fmt: skip
_VIEWS: Final = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_MOST_BITS: Final = 4096
"""Most booleans of a fixed-size list, since chunks have at least eight lists."""

_TOP: Final = -1
_NO_ZONE: Final = "-"
_DEEPEST: Final = 62
"""Most fields inside each other that Arrow's libraries give to one another."""

_ARRAYS: Final = "2.0"
_MAPS: Final = "2.2"
"""The first version with maps, and with fixed-size lists of structs."""


def check_version(path: str, version: str) -> None:
    """Refuse a version that cannot be written.

    Args:
        path: Its name in errors.
    """
    if version not in WRITTEN:
        raise Unsupported(path, None, version, f"one of {', '.join(WRITTEN)}")


def storage_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema with the types that are stored.

    Views become plain types.  Extension types become their storage types, and their names metadata.

    Raises:
        Unsupported: For more fields inside each other than others would read.
    """
    for each in schema:
        _check_depth(each)
    return pa.schema([_storage_field(each) for each in schema], metadata=schema.metadata)


def _check_depth(field: pa.Field) -> None:
    """Refuse a field that has too many others around its innermost one."""
    inner: list[tuple[pa.DataType, int]] = [(field.type, 0)]
    while inner:
        type_, depth = inner.pop()
        if depth > _DEEPEST:
            wanted = f"at most {_DEEPEST} fields around one"
            raise Unsupported(f"schema.{field.name}", None, "more", wanted)
        if isinstance(type_, pa.BaseExtensionType):
            type_ = type_.storage_type
        inner += [(type_.field(number).type, depth + 1) for number in range(type_.num_fields)]


def _storage_field(field: pa.Field) -> pa.Field:
    type_ = field.type
    if isinstance(type_, pa.BaseExtensionType):
        field = field.with_metadata({**(field.metadata or {}), **extension_metadata(type_)})
        type_ = type_.storage_type
    return field.with_type(_storage_type(type_))


def _storage_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(type_):
        return pa.struct([_storage_field(each) for each in type_])
    if pa.types.is_map(type_):
        fields = [_storage_field(each) for each in (type_.key_field, type_.item_field)]
        return pa.map_(*fields, keys_sorted=type_.keys_sorted)
    if pa.types.is_fixed_size_list(type_):
        return pa.list_(_storage_field(type_.value_field), type_.list_size)
    if pa.types.is_large_list(type_):
        return pa.large_list(_storage_field(type_.value_field))
    if pa.types.is_list(type_):
        return pa.list_(_storage_field(type_.value_field))
    return _VIEWS.get(type_, type_)


def stored_schema(schema: pa.Schema, version: str, ids: Sequence[int] | None = None) -> Schema:
    """Return the schema as a file of *version* has it.

    Args:
        ids: The ids of the fields, in pre-order; None for 0, 1, ...

    Raises:
        Unsupported: For a type that cannot be written.
        ArgumentError: For two fields of one name, which Lance's own reader refuses.
    """
    fields: list[Field] = []
    check_distinct("schema", schema.names, "fields")
    for each in schema:
        _add(fields, each, _TOP, each.name, version)
    metadata = _metadata(schema, "schema")
    if ids is not None:
        numbers = {_TOP: _TOP, **dict(zip((each.id for each in fields), ids, strict=True))}
        for each in fields:
            each.id, each.parent_id = numbers[each.id], numbers[each.parent_id]
    return Schema(fields=fields, metadata=metadata)


def _add(  # noqa: PLR0913  where it is
    fields: list[Field],
    field: pa.Field,
    parent: int,
    path: str,
    version: str,
    *,
    in_list: bool = False,
) -> None:
    """Add a field and all inside it, in pre-order."""
    _check_name(field.name)
    metadata = _metadata(field, f"schema.{path}")
    type_ = field.type
    if is_packed(field):
        check_packed(type_, f"schema.{path}", version)
        for each in type_:
            options_of(each, f"{path}.{each.name}", version)
    if type_ == pa.binary() and is_true(metadata, BLOB):
        raise Unsupported(f"schema.{path}", None, f"blobs of {type_}", "blobs of large_binary")
    if in_list and version != _ARRAYS:
        _check_in_list(field, f"schema.{path}")
    if version == _ARRAYS and type_.num_fields and is_true(metadata, BLOB):
        raise Unsupported(f"schema.{path}", None, f"blobs of {type_}", "blobs of large_binary")
    if metadata.get(EXTENSION) == BLOB_V2:
        wanted = f"large_binary, with the metadata {BLOB}"
        raise Unsupported(f"schema.{path}", None, f"blobs of {BLOB_V2.decode()}", wanted)
    _check_nesting(type_, f"schema.{path}")
    made = Field(
        name=field.name,
        id=len(fields),
        parent_id=parent,
        logical_type=_logical(type_, path, version),
        nullable=field.nullable,
        metadata=metadata,
    )
    if EXTENSION in metadata:
        made.extension_name = metadata[EXTENSION].decode()
    fields.append(made)
    number = made.id
    if pa.types.is_struct(type_):
        check_distinct(f"schema.{path}", [each.name for each in type_], "fields")
    for child in _children(type_):
        inside = in_list or not pa.types.is_struct(type_)
        _add(fields, child, number, f"{path}.{child.name}", version, in_list=inside)


def _metadata(owner: pa.Schema | pa.Field, path: str) -> dict[str, bytes]:
    """The metadata of a schema or a field, whose names are text."""
    try:
        return {key.decode(): value for key, value in (owner.metadata or {}).items()}
    except UnicodeDecodeError as error:
        found = f"metadata named {error.object!r}"
        raise Unsupported(path, None, found, "names in UTF-8") from error


def _check_name(name: str) -> None:
    """Refuse a field that readers could not give to others: Arrow's C interface ends names at 0."""
    if "\0" in name:
        raise Unsupported("schema", None, f"the name {name!r}", "a name without the byte 0")


def _check_in_list(field: pa.Field, path: str) -> None:
    """Refuse types inside lists that need levels which pages of lists lack."""
    if is_blob(field):
        wanted = "one for each row: only version 2.0 has them in lists"
        raise Unsupported(path, None, "blobs in a list", wanted)
    if pa.types.is_struct(field.type) and not field.type.num_fields:
        wanted = "fields, in a list: only version 2.0 has structs without fields there"
        raise Unsupported(path, None, str(field.type), wanted)


def _check_nesting(type_: pa.DataType, path: str) -> None:
    """Refuse fixed-size lists of structs inside or around lists and maps.

    Args:
        path: The field's name in errors.

    Raises:
        Unsupported: The type has one inside the other.
    """
    wanted = "neither of them inside the other"
    if has_lists(type_) and _holds(type_, is_struct_list):
        raise Unsupported(path, None, "a list of fixed-size lists of structs", wanted)
    if is_struct_list(type_) and _holds(type_, has_lists):
        raise Unsupported(path, None, "a fixed-size list of structs with lists", wanted)


def _holds(type_: pa.DataType, is_wanted: Callable[[pa.DataType], bool]) -> bool:
    """Whether a type has another inside it."""
    inner = [type_.field(number).type for number in range(type_.num_fields)]
    return any(is_wanted(each) or _holds(each, is_wanted) for each in inner)


def _children(type_: pa.DataType) -> Iterator[pa.Field]:
    if pa.types.is_struct(type_):
        yield from type_
    elif pa.types.is_list(type_) or pa.types.is_large_list(type_) or is_struct_list(type_):
        yield type_.value_field
    elif pa.types.is_map(type_):
        entries = pa.struct([type_.key_field, type_.item_field])
        yield pa.field("entries", entries, nullable=False)


def _logical(type_: pa.DataType, path: str, version: str) -> str:  # noqa: C901, PLR0911, PLR0912  a line a kind
    """The logical type of a field."""
    if type_ in _NAMES:
        return _NAMES[type_]
    if pa.types.is_null(type_) or pa.types.is_boolean(type_) or pa.types.is_integer(type_):
        return str(type_)
    if pa.types.is_timestamp(type_):
        if type_.tz == _NO_ZONE or "\0" in (type_.tz or ""):
            wanted = "a name without the byte 0, and not '-', which means none"
            raise Unsupported(f"schema.{path}", None, f"the time zone {type_.tz!r}", wanted)
        return f"timestamp:{type_.unit}:{type_.tz or _NO_ZONE}"
    if pa.types.is_duration(type_):
        return f"duration:{type_.unit}"
    if pa.types.is_time(type_):
        return f"time{type_.bit_width}:{type_.unit}"
    if type_.id in {pa.lib.Type_DECIMAL128, pa.lib.Type_DECIMAL256}:
        return f"decimal:{type_.bit_width}:{type_.precision}:{type_.scale}"
    if pa.types.is_fixed_size_binary(type_) and type_.byte_width:
        return f"fixed_size_binary:{type_.byte_width}"
    if pa.types.is_struct(type_):
        return "struct"
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        name = "list" if pa.types.is_list(type_) else "large_list"
        return f"{name}.struct" if pa.types.is_struct(type_.value_type) else name
    if pa.types.is_map(type_) and version >= _MAPS:
        return "map"
    if pa.types.is_dictionary(type_) and _is_item(type_.value_type):
        return f"dict:{_logical(type_.value_type, path, version)}:{type_.index_type}:false"
    if pa.types.is_fixed_size_list(type_) and _is_fixed(type_):
        return (
            f"fixed_size_list:{_logical_item(type_.value_field, path, version)}:{type_.list_size}"
        )
    if is_struct_list(type_) and type_.list_size and version >= _MAPS:
        return f"fixed_size_list:struct:{type_.list_size}"
    wanted = f"a type that is written in version {version}"
    raise Unsupported(f"schema.{path}", None, str(type_), wanted)


def _logical_item(field: pa.Field, path: str, version: str) -> str:
    """The logical type of the items of a fixed-size list, which have no field of their own."""
    name = (field.metadata or {}).get(EXTENSION.encode(), b"").decode(errors="replace")
    if not name:
        return _logical(field.type, path, version)
    if name != BFLOAT16 or field.type != pa.binary(2):
        wanted = f"their storage type: fixed-size lists keep no name of a type but {BFLOAT16}"
        raise Unsupported(f"schema.{path}.{field.name}", None, f"items of type {name}", wanted)
    return BFLOAT16


def _is_item(type_: pa.DataType) -> bool:
    """Whether dictionaries may have items of a type."""
    is_text = type_ in {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}
    return is_text or bool(pa.types.is_integer(type_) or pa.types.is_floating(type_))


def _is_fixed(type_: pa.DataType) -> bool:
    """Whether a fixed-size list has values of fixed width, and not too many booleans."""
    count = 1
    while pa.types.is_fixed_size_list(type_):
        type_, count = type_.value_type, count * type_.list_size
    if pa.types.is_boolean(type_):
        return 0 < count <= _MOST_BITS
    if pa.types.is_fixed_size_binary(type_):
        return count > 0 and type_.byte_width > 0
    return count > 0 and bool(pa.types.is_primitive(type_) or pa.types.is_decimal(type_))
