"""Evolution of a table as one commit: its schema, partition spec, sort order and version.

The rules:

- Steps are kept until the commit, and are taken again on the newest state after another writer's.
- Columns are named as they were before, or as they are added. Partition fields and sort keys name
  columns as they are after all steps.
- What the table has already is used again, not added a second time; without a change there is no
  commit.

Source: Iceberg table spec, "Schema Evolution", "Partition Evolution" and "Sorting"; Java's
``UpdateSchema``, ``UpdatePartitionSpec`` and ``ReplaceSortOrder``.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, Self

import pyarrow as pa

from byteloom.errors import ArgumentError, FormatError
from byteloom.iceberg.commits.attempts import commit_again, requirements_of
from byteloom.iceberg.evolution import PartitionUpdate, SchemaUpdate, SortKey, sort_order
from byteloom.iceberg.evolution.terms import sort_key_of, term_of, type_of_text
from byteloom.iceberg.evolution.updates import (
    order_updates,
    schema_after,
    schema_updates,
    spec_updates,
    upgrade_updates,
)
from byteloom.iceberg.expressions.literals import fit
from byteloom.iceberg.from_arrow import type_of
from byteloom.iceberg.stored_table import AnyTable
from byteloom.iceberg.types import Type
from byteloom_generated.iceberg.table_updates import (
    AddPartitionSpec,
    AddSchema,
    AssertCurrentSchemaId,
    AssertDefaultSortOrderId,
    AssertDefaultSpecId,
    AssertLastAssignedFieldId,
    AssertLastAssignedPartitionId,
    SetCurrentSchema,
    SetDefaultSortOrder,
    SetDefaultSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortOrder
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["Evolution"]


class _Unchanged(Enum):
    """An argument that was not given, where None means to remove something."""

    UNCHANGED = "unchanged"


_UNCHANGED: Final = _Unchanged.UNCHANGED


class Evolution(Generic[AnyTable]):
    """Changes of a table, which `commit` makes all at once; `Table.evolve` returns one.

    Every other method returns the evolution itself, to be chained.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom.iceberg import create_table
        >>> fares = create_table("fares", pa.schema({"id": pa.int32(), "fare": pa.float32()}))
        >>> evolution = fares.evolve().rename_column("fare", "price").update_column("id", "long")
        >>> evolution = evolution.add_column("city", "string").move_first("city")
        >>> fares = evolution.add_partition_field("bucket(4, id)").sort_by("price desc").commit()
        >>> [f"{each.name} {each.type}" for each in fares.schema.fields]
        ['city string', 'id long', 'price float']
        >>> [each.name for each in fares.metadata.spec().fields]
        ['id_bucket_4']
    """

    def __init__(self, table: AnyTable, *, allow_incompatible: bool, case_sensitive: bool) -> None:
        """Begin without changes of *table*; see `Table.evolve`."""
        self._table = table
        self._allow_incompatible = allow_incompatible
        self._case_sensitive = case_sensitive
        self._of_schema: list[Callable[[SchemaUpdate], object]] = []
        self._of_spec: list[Callable[[PartitionUpdate], object]] = []
        self._order: list[SortKey] | None = None
        self._version: int | None = None

    def add_column(
        self,
        name: str,
        type: str | pa.DataType | Type,  # noqa: A002  the field's own word
        *,
        required: bool = False,
        default: object = None,
        doc: str | None = None,
    ) -> Self:
        """Add a column, or a field of a struct.

        Args:
            name: Its name; ``point.z`` is a field of the struct, or of the list or map of structs,
                ``point``.
            type: Iceberg's type or its text (``double``, ``decimal(9, 2)``, ``list<string>``), or
                Arrow's type.
            required: Whether null is forbidden, which needs a *default*.
            default: The value of rows that exist, and of new rows that give none; version 3 alone
                has defaults. It is written as in a filter: a day as ``"2024-06-01"``.
            doc: What it is, in words.
        """
        around, _, last = _name("name", name).rpartition(".")
        if not all(name.split(".")):
            raise ArgumentError("name", None, repr(name), "a name, or names with a dot between")
        made = _type(type, name)
        value = _value(made, default, name)
        return self._schema_step(
            lambda update: update.add(
                last, made, parent=around or None, required=required, default=value, doc=doc
            )
        )

    def drop_column(self, name: str) -> Self:
        """Drop a column, or a field of a struct, with all fields inside it."""
        _name("name", name)
        return self._schema_step(lambda update: update.drop(name))

    def rename_column(self, name: str, to: str) -> Self:
        """Rename a column, or a field of a struct to *to*, which has no path; its rows stay."""
        _name("name", name)
        _name("to", to)
        return self._schema_step(lambda update: update.rename(name, to))

    def update_column(
        self,
        name: str,
        type: str | pa.DataType | Type | None = None,  # noqa: A002
        *,
        default: object = _UNCHANGED,
        doc: str | _Unchanged | None = _UNCHANGED,
    ) -> Self:
        """Change the type, the default or the doc of a column.

        Args:
            name: The column.
            type: A type to which Iceberg promotes the old one: int to long, float to double,
                decimals to more digits, and in version 3 dates to timestamps.
            default: The value of new rows that give none; rows that exist stay.
            doc: What it is, in words; None removes that.
        """
        _name("name", name)
        if type is not None:
            made = _type(type, name)
            self._schema_step(lambda update: update.promote(name, made))
        if default is not _UNCHANGED:
            self._schema_step(lambda update: _set_default(update, name, default))
        if not isinstance(doc, _Unchanged):
            self._schema_step(lambda update: update.doc(name, doc))
        return self

    def make_optional(self, name: str) -> Self:
        """Allow nulls in a column."""
        _name("name", name)
        return self._schema_step(lambda update: update.optional(name))

    def make_required(self, name: str) -> Self:
        """Forbid nulls in a column: rows may have some, so `Table.evolve` must allow it."""
        _name("name", name)
        return self._schema_step(lambda update: update.require(name))

    def move_first(self, name: str) -> Self:
        """Move a column before all others, or a field before all others of its struct."""
        _name("name", name)
        return self._schema_step(lambda update: update.move_first(name))

    def move_before(self, name: str, other: str) -> Self:
        """Move a column or a field right before another one of its struct."""
        _name("name", name)
        _name("other", other)
        return self._schema_step(lambda update: update.move_before(name, other))

    def move_after(self, name: str, other: str) -> Self:
        """Move a column or a field right after another one of its struct."""
        _name("name", name)
        _name("other", other)
        return self._schema_step(lambda update: update.move_after(name, other))

    def identify_by(self, *names: str) -> Self:
        """Say which columns identify a row, by their names after all steps; without names, none."""
        for each in names:
            _name("names", each)
        return self._schema_step(lambda update: update.identify_by(*names))

    def add_partition_field(self, term: str, name: str = "") -> Self:
        """Partition new files by a column, ``country``, or a transform of one, ``bucket(16, id)``.

        Args:
            term: The column or transform, as for `create_table`.
            name: The name of the field; by default that of Java: ``id_bucket_16``, ``ts_day``.
        """
        column, transform = term_of(term, "term")
        return self._spec_step(lambda update: update.add(column, transform, name))

    def drop_partition_field(self, name: str) -> Self:
        """Stop partitioning new files by the partition field *name*: ``ts_day``."""
        _name("name", name)
        return self._spec_step(lambda update: update.remove(name))

    def rename_partition_field(self, name: str, to: str) -> Self:
        """Rename a partition field."""
        _name("name", name)
        _name("to", to)
        return self._spec_step(lambda update: update.rename(name, to))

    def sort_by(self, *terms: str) -> Self:
        """Sort new files by these terms, ``ts desc nulls last``; without terms, do not."""
        self._order = [sort_key_of(each) for each in terms]
        return self

    def upgrade(self, version: int) -> Self:
        """Raise the version of the table's format, to 2 or 3; files that exist stay."""
        self._version = version
        return self

    def commit(self) -> AnyTable:
        """Make the changes in one commit, and return the table after it.

        Raises:
            FormatError: A name that the table lacks or has already, a type or a change that the
                spec or the version does not allow. The error names the column; nothing is changed.
            CommitConflict: Other writers were first in all attempts.
        """
        return commit_again(self._table, self.changes)

    def changes(self, base: StoredTable, _: int = 1) -> tuple[list[JsonRecord], list[JsonRecord]]:
        """Return what must hold of a state of the table, and what changes in it."""
        metadata = base.metadata
        version = metadata.format_version if self._version is None else self._version
        made = upgrade_updates(metadata, version)
        schema = schema_after(metadata, self._schema_update(metadata, version))
        made += schema_updates(metadata, schema)
        spec_update = PartitionUpdate.of(metadata, schema=schema, version=version)
        for step in self._of_spec:
            step(spec_update)
        if self._of_spec:
            made += spec_updates(metadata, spec_update.apply())
        order = metadata.sort_orders[metadata.default_sort_order_id]
        if self._order is not None:
            order = sort_order(self._order, schema, metadata.sort_orders)
            made += order_updates(metadata, order)
        _refuse_lost_keys(order, metadata.schema(), schema)
        return [*requirements_of(base), *_requirements(metadata, made)], made

    def _schema_update(self, metadata: TableMetadata, version: int) -> SchemaUpdate:
        """Return the update of a schema after all steps."""
        made = SchemaUpdate.of(
            metadata,
            allow_incompatible=self._allow_incompatible,
            case_sensitive=self._case_sensitive,
            version=version,
        )
        for step in self._of_schema:
            step(made)
        return made

    def _schema_step(self, step: Callable[[SchemaUpdate], object]) -> Self:
        self._of_schema.append(step)
        return self

    def _spec_step(self, step: Callable[[PartitionUpdate], object]) -> Self:
        self._of_spec.append(step)
        return self


def _requirements(metadata: TableMetadata, updates: Sequence[JsonRecord]) -> list[JsonRecord]:
    """Return what must hold for updates: that ids and what is current are still the same."""
    needed: dict[type[JsonRecord], JsonRecord] = {
        AddSchema: AssertLastAssignedFieldId(
            last_assigned_field_id=metadata.document.last_column_id
        ),
        SetCurrentSchema: AssertCurrentSchemaId(current_schema_id=metadata.current_schema_id),
        AddPartitionSpec: AssertLastAssignedPartitionId(
            last_assigned_partition_id=metadata.last_partition_id
        ),
        SetDefaultSpec: AssertDefaultSpecId(default_spec_id=metadata.default_spec_id),
        SetDefaultSortOrder: AssertDefaultSortOrderId(
            default_sort_order_id=metadata.default_sort_order_id
        ),
    }
    return [needed[type(each)] for each in updates if type(each) in needed]


def _refuse_lost_keys(order: SortOrder, before: Schema, after: Schema) -> None:
    """Refuse to drop a column that new files are sorted by."""
    for field in order.fields:
        for each in field.source_ids:
            if before.find(each) is not None and after.find(each) is None:
                wanted = "a column that the sort order does not have"
                raise FormatError(before.name(each), None, "dropped", wanted)


def _name(argument: str, name: Any) -> str:
    """Return a name; refuse what is none."""
    if not isinstance(name, str) or not name:
        raise ArgumentError(argument, None, repr(name), "a name")
    return name


def _type(of: Any, name: str) -> Type:
    """Return the type that a text or a type of Arrow or Iceberg means."""
    if isinstance(of, Type):
        return of
    if isinstance(of, pa.DataType):
        return type_of(of, name)
    if not isinstance(of, str):
        raise ArgumentError(name, None, repr(of), "a type of Iceberg, its text, or a type of Arrow")
    try:
        return type_of_text(of)
    except FormatError as error:
        raise error.inside(name) from None


def _value(of: Type, given: object, name: str) -> object:
    """Return the storage value of a default, which is given as in a filter."""
    if given is None or not of.is_primitive:
        return given
    try:
        found = fit(of, given)
    except FormatError:
        found = None
    if found is None or found.side or not found.is_exact:
        raise ArgumentError(name, None, repr(given), f"a default of type {of}")
    return found.value


def _set_default(update: SchemaUpdate, name: str, given: object) -> None:
    """Set the default of new rows in the type that the column then has."""
    update.write_default(name, _value(update.type_of(name), given, name))
