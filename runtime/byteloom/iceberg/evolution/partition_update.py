"""A set of changes of a partition spec, which gives a new spec or an error.

The rules:

- Version 1 identifies partition fields by their place: a removed one stays and becomes void.  In
  later versions it is dropped.
- A field equal to one of any spec of the table reuses its id; other fields get ids after the
  highest that was ever used.
- If the table has an equal spec, that one is used: a table has no two equal specs.

Source: Iceberg table spec, "Partition Evolution"; Java's ``BaseUpdatePartitionSpec``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from byteloom.errors import FormatError
from byteloom.iceberg.partition_spec import (
    FIRST_PARTITION_FIELD_ID,
    PartitionField,
    PartitionSpec,
)
from byteloom.iceberg.transforms import (
    Bucket,
    Identity,
    TimeTransform,
    Transform,
    Truncate,
    UnknownTransform,
    Void,
    parse_transform,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.schema import Schema

__all__ = ["PartitionUpdate"]


@dataclass
class PartitionUpdate:
    """Changes of the default spec of a table.

    Attributes:
        schema: The current one.
        specs: All specs by id.
        default_spec_id: The one that changes.
        version: Of the table's format.
        last_partition_id: The highest partition field id that was ever used; the update raises it.
    """

    schema: Schema
    specs: Mapping[int, PartitionSpec]
    default_spec_id: int = 0
    version: int = 2
    last_partition_id: int | None = None
    _added: list[PartitionField] = field(default_factory=list, repr=False)
    _removed: set[int] = field(default_factory=set, repr=False)
    _renamed: dict[int, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, metadata: TableMetadata, *, schema: Schema | None = None, version: int | None = None
    ) -> PartitionUpdate:
        """Return an update of a table's default spec.

        Args:
            metadata: The table's metadata.
            schema: The schema that it will have; the current one if None.
            version: The version that it will have; its own if None.
        """
        return cls(
            metadata.schema() if schema is None else schema,
            metadata.partition_specs,
            metadata.default_spec_id,
            metadata.format_version if version is None else version,
            metadata.last_partition_id,
        )

    def __post_init__(self) -> None:
        """Continue after the highest known id."""
        ids = [each.field_id for spec in self.specs.values() for each in spec.fields]
        highest = max(ids, default=FIRST_PARTITION_FIELD_ID - 1)
        self.last_partition_id = max(self.last_partition_id or 0, highest)

    @property
    def _base(self) -> PartitionSpec:
        """The spec that is being changed."""
        return self.specs[self.default_spec_id]

    def add(self, column: str, transform: str | Transform = "identity", name: str = "") -> Self:
        """Partition by a column, through a transform.

        Args:
            column: The name of the column.
            transform: The transform, or its text: ``bucket[16]``.
            name: Name of the field; by default ``id_bucket_16``, ``ts_day``, as Java names them.

        Returns:
            The update itself.

        Raises:
            FormatError: The spec has that field, or another one of that name, or the column does
                not exist or has no such transform.
        """
        source_id, made = self._source(column, transform)
        self._refuse_repeated(source_id, made)
        for each in self._base.fields:
            if each.source_ids != (source_id,) or each.transform != made:
                continue
            if each.field_id not in self._removed:
                raise FormatError(each.name, None, f"{made} of {column} again", "each field once")
            if name in {"", each.name}:
                self._removed.discard(each.field_id)  # removed, and added again: nothing changed
                return self
        earlier = self._earlier(source_id, made, name)
        field_id = earlier.field_id if earlier else self._next_id()
        called = name or (earlier.name if earlier else _default_name(column, made))
        self._make_room(called)
        self._added.append(PartitionField((source_id,), field_id, called, made))
        return self

    def remove(self, name: str) -> Self:
        """Stop partitioning by the field *name*."""
        if any(each.name == name for each in self._added):
            raise FormatError(name, None, "a field that was added just now", "a field of the spec")
        found = self._known(name)
        if found.field_id in self._renamed:
            raise FormatError(
                name, None, "a field that is also renamed", "either to rename or to remove it"
            )
        self._removed.add(found.field_id)
        return self

    def rename(self, name: str, new: str) -> Self:
        """Rename the field *name* to *new*."""
        if any(each.name == name for each in self._added):
            raise FormatError(name, None, "a field that was added just now", "a field of the spec")
        found = self._known(name)
        if found.field_id in self._removed:
            raise FormatError(
                name, None, "a field that is also removed", "either to rename or to remove it"
            )
        self._make_room(new)
        self._renamed[found.field_id] = new
        return self

    def apply(self) -> PartitionSpec:
        """Return the new spec, or an equal one of the table.

        Raises:
            FormatError: Two fields with the same name, or one with the name of a column that is not
                its source.
        """
        fields = [each for old in self._base.fields if (each := self._kept(old)) is not None]
        made = PartitionSpec((*fields, *self._added), max(self.specs, default=-1) + 1)
        self._check_names(made)
        for spec in self.specs.values():
            if _signature(spec) == _signature(made):
                return spec
        return made

    def _kept(self, old: PartitionField) -> PartitionField | None:
        """Return a field of the old spec as it is in the new one; None if it is removed."""
        named = replace(old, name=self._renamed.get(old.field_id, old.name))
        if old.field_id not in self._removed:
            return named
        return replace(named, transform=Void()) if self.version == 1 else None

    def _source(self, column: str, transform: str | Transform) -> tuple[int, Transform]:
        """Return the id of a column, and a transform that can be applied to it."""
        found = self.schema.find(column)
        if found is None:
            raise FormatError(column, None, "no such column", "a column of the schema")
        made = parse_transform(transform) if isinstance(transform, str) else transform
        if isinstance(made, UnknownTransform):
            raise FormatError(column, None, f"transform {str(made)!r}", "a transform of the spec")
        if not made.can_transform(found.type) or not found.type.is_primitive:
            raise FormatError(column, None, f"{made} of {found.type}", "a type it is defined for")
        if self.schema.is_in_repeated(found.id):
            raise FormatError(
                column, None, "a field in a list or map", "a field with one value per row"
            )
        return found.id, made

    def _refuse_repeated(self, source_id: int, made: Transform) -> None:
        """Refuse a field that was already added, and two time transforms of one column."""
        for each in self._added:
            if each.source_ids != (source_id,):
                continue
            both_times = isinstance(made, TimeTransform) and isinstance(
                each.transform, TimeTransform
            )
            if each.transform == made or both_times:
                found = f"{made} beside {each.transform} of one column"
                raise FormatError(each.name, None, found, "only one of them")

    def _earlier(self, source_id: int, made: Transform, name: str) -> PartitionField | None:
        """Return an equal field of any spec, whose id is reused; None if there is none."""
        if self.version == 1:
            return None
        for spec in self.specs.values():
            for each in spec.fields:
                equal = each.source_ids == (source_id,) and each.transform == made
                if equal and name in {"", each.name}:
                    return each
        return None

    def _make_room(self, name: str) -> None:
        """Rename a void field of that name; refuse the name if another field keeps it."""
        if any(each.name == name for each in self._added):
            raise FormatError(name, None, "two fields of that name", "distinct names")
        for each in self._base.fields:
            if self._renamed.get(each.field_id, each.name) != name:
                continue
            if isinstance(each.transform, Void) or (
                each.field_id in self._removed and self.version == 1
            ):
                self._renamed[each.field_id] = f"{name}_{each.field_id}"
            elif each.field_id not in self._removed:
                raise FormatError(name, None, "a name that is taken", "a new name")

    def _known(self, name: str) -> PartitionField:
        """Return a field of the old spec."""
        for each in self._base.fields:
            if each.name == name:
                return each
        raise FormatError(name, None, "no such partition field", "a field of the default spec")

    def _check_names(self, made: PartitionSpec) -> None:
        """Refuse names that occur twice, or that belong to a column other than the source."""
        names = [each.name for each in made.fields]
        for each in made.fields:
            if names.count(each.name) > 1:
                raise FormatError(each.name, None, "two fields of that name", "distinct names")
            column = self.schema.find(each.name)
            own = isinstance(each.transform, Identity | Void) and column is not None
            if column is not None and not (own and column.id == each.source_id):
                wanted = "a name that no other column has"
                raise FormatError(each.name, None, "the name of a column", wanted)

    def _next_id(self) -> int:
        """Return an id that was never used."""
        self.last_partition_id = (self.last_partition_id or 0) + 1
        return self.last_partition_id


def _signature(spec: PartitionSpec) -> list[tuple[object, ...]]:
    """Return what makes specs equal; the ids of their fields do not count."""
    return [(each.source_ids, each.transform, each.name) for each in spec.fields]


def _default_name(column: str, transform: Transform) -> str:
    """Return the name that a field gets by default."""
    match transform:
        case Identity():
            return column
        case Bucket(buckets):
            return f"{column}_bucket_{buckets}"
        case Truncate(width):
            return f"{column}_trunc_{width}"
        case Void():
            return f"{column}_null"
    return f"{column}_{transform}"
