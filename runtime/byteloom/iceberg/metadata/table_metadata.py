"""Table metadata: the content of one JSON file, checked.

The rules:

- The document is read by the generated `byteloom_generated.iceberg.table_metadata`; keys that it
  does not know are kept.  Schemas, specs and orders are made from it here, on first use.
- Ids of objects that do not exist are errors as soon as the metadata is read.
- ``current-snapshot-id`` of -1 means none; otherwise it is the snapshot of the branch ``main``.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from byteloom.arguments import whole_number
from byteloom.errors import ArgumentError, FormatError
from byteloom.iceberg.metadata.document import (
    MAIN,
    check_log,
    check_orders,
    check_refs,
    check_specs,
    check_version,
    json_text,
    parsed,
    placed,
)
from byteloom.iceberg.partition_spec import FIRST_PARTITION_FIELD_ID, PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.sort_order import SortOrder
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.moments import millis_of, text_of
from byteloom_generated.iceberg import table_metadata as documents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from byteloom.moments import Moment
    from byteloom_generated.iceberg.table_metadata import Snapshot, SnapshotReference

__all__ = ["MAIN", "TableMetadata"]

_SHOWN: Final = 10


class TableMetadata:
    """The metadata of a table at one time.

    Attributes:
        document: The generated record, with every key.
        as_written: The JSON object that was read, with null where it has null.
        is_gzipped: Whether the file was gzipped.
    """

    def __init__(self, document: Any, *, is_gzipped: bool = False) -> None:
        """Check a JSON object, and the ids in it that refer to other parts of it.

        Raises:
            FormatError: A JSON object that is not table metadata, or an id of nothing.
            Unsupported: A format version beyond 3.
        """
        self.document = documents.TableMetadata.from_json(document, version=check_version(document))
        self.as_written: dict[str, Any] = document
        self.is_gzipped = is_gzipped
        check_specs(self.partition_specs.values(), self.spec(), self.schema())
        check_log(self.document)
        check_orders(self.default_sort_order_id, self.sort_orders)
        self.snapshot()
        check_refs(self.refs, self.snapshots, self.current_snapshot_id)

    @classmethod
    def from_bytes(cls, data: bytes, *, limits: Limits = DEFAULT_LIMITS) -> TableMetadata:
        """Return the metadata in a file, as JSON or gzipped JSON.

        Raises:
            FormatError: Invalid JSON, or JSON that is not table metadata.
            LimitExceeded: More than ``limits.metadata_size`` bytes.
            Unsupported: A format version beyond 3.
        """
        text = json_text(data, limits)
        with placed(text, data):
            return cls(parsed(text), is_gzipped=text is not data)

    @classmethod
    def from_json(cls, document: Any) -> TableMetadata:
        """Return the metadata that a JSON object describes; errors as for `from_bytes`."""
        return cls(document)

    @property
    def format_version(self) -> int:
        """1, 2 or 3."""
        return self.document.format_version

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object; `from_json` reads it back."""
        return self.document.to_json(version=self.format_version)

    @property
    def location(self) -> str:
        """The folder below which writers put data and metadata, as written."""
        return self.document.location

    @property
    def properties(self) -> Mapping[str, str]:
        """Settings for readers and writers."""
        return self.document.properties

    @cached_property
    def schemas(self) -> dict[int, Schema]:
        """All schemas by id.

        In version 1 the list or the current id may be missing; the single schema beside it is then
        used.
        """
        given = self.document.schemas
        held = _by_id("schemas", given, Schema.from_json, lambda each: each.schema_id)
        if held and self.document.current_schema_id is not None:
            return held
        if self.document.schema is None:
            raise FormatError("current-schema-id", None, "nothing", "the id of a schema")
        alone = _by_id("schema", [self.document.schema], Schema.from_json, lambda x: x.schema_id)
        return held | alone

    @property
    def current_schema_id(self) -> int:
        """The id of the current schema."""
        given = self.document.current_schema_id
        if given is None and self.schemas:  # version 1 may lack the id
            return int(self.document.schema.get("schema-id", 0))
        return cast("int", given)

    @cached_property
    def partition_specs(self) -> dict[int, PartitionSpec]:
        """All partition specs by id."""
        if self.document.partition_specs:
            given = self.document.partition_specs
            return _by_id("partition-specs", given, PartitionSpec.from_json, lambda x: x.spec_id)
        return {0: PartitionSpec.from_fields(self.document.partition_spec)}

    @property
    def default_spec_id(self) -> int:
        """The id of the spec that writers use."""
        given = self.document.default_spec_id
        return next(iter(self.partition_specs)) if given is None else given

    @property
    def last_partition_id(self) -> int:
        """The highest partition field id that was ever used; 999 if none was."""
        ids = [each.field_id for spec in self.partition_specs.values() for each in spec.fields]
        given = self.document.last_partition_id or FIRST_PARTITION_FIELD_ID - 1
        return max([given, *ids])

    @cached_property
    def sort_orders(self) -> dict[int, SortOrder]:
        """All sort orders by id; the unsorted one if the metadata has none."""
        given = self.document.sort_orders
        found = _by_id("sort-orders", given, SortOrder.from_json, lambda each: each.order_id)
        return found or {0: SortOrder()}

    @property
    def default_sort_order_id(self) -> int:
        """The id of the order that writers use."""
        return self.document.default_sort_order_id or 0

    @cached_property
    def snapshots(self) -> dict[int, Snapshot]:
        """All snapshots by id."""
        return {each.snapshot_id: each for each in self.document.snapshots}

    @cached_property
    def refs(self) -> dict[str, SnapshotReference]:
        """Branches and tags by name; the branch main is the current snapshot."""
        refs = dict(self.document.refs)
        if MAIN not in refs and self.current_snapshot_id is not None:
            main = documents.SnapshotReference(snapshot_id=self.current_snapshot_id, type="branch")
            refs[MAIN] = main
        return refs

    @property
    def current_snapshot_id(self) -> int | None:
        """The id of the current snapshot; None for a table without one."""
        return self.document.current_snapshot_id

    def schema(self, schema_id: int | None = None) -> Schema:
        """Return a schema, the current one for None; `FormatError` for an unknown id."""
        wanted = self.current_schema_id if schema_id is None else schema_id
        return cast("Schema", _found(self.schemas, wanted, "schema"))

    @cached_property
    def source_schema(self) -> Schema:
        """The current schema, and after its columns the dropped ones that partition specs take.

        It has the types of the partition values of all files, old ones too.
        """
        schema, specs = self.schema(), self.partition_specs.values()
        sources = {each for spec in specs for field in spec.fields for each in field.source_ids}
        dropped = [
            next((each.find(number) for each in self._newest_first if each.find(number)), None)
            for number in sorted(sources)
            if schema.find(number) is None
        ]
        known = [each for each in dropped if each is not None]
        return Schema((*schema.fields, *known), schema.schema_id) if known else schema

    @property
    def _newest_first(self) -> list[Schema]:
        """All schemas, the newest first."""
        return [each for _, each in sorted(self.schemas.items(), reverse=True)]

    def spec(self, spec_id: int | None = None) -> PartitionSpec:
        """Return a partition spec, the default one for None; `FormatError` for an unknown id."""
        wanted = self.default_spec_id if spec_id is None else spec_id
        return cast(
            "PartitionSpec",
            _found(self.partition_specs, wanted, "partition spec"),
        )

    def snapshot(self, snapshot_id: int | None = None) -> Snapshot | None:
        """Return the snapshot with an id, or the current one for None; None if the table has none.

        Raises:
            FormatError: No snapshot of that id.
        """
        wanted = self.current_snapshot_id
        if snapshot_id is not None:
            wanted = whole_number("snapshot", snapshot_id, "the id of a snapshot, a whole number")
        is_asked = snapshot_id is not None
        if wanted is None:
            return None
        return cast("Snapshot", _found(self.snapshots, wanted, "snapshot", is_asked=is_asked))

    def snapshot_for(
        self,
        *,
        snapshot: int | None = None,
        timestamp: Moment | None = None,
        ref: str | None = None,
    ) -> Snapshot | None:
        """Return the snapshot with an id, at a moment, or of a branch or tag; else the current one.

        Args:
            snapshot: The id of a snapshot.
            timestamp: ISO 8601 (UTC by default) or milliseconds since 1970: the snapshot current
                then.
            ref: The name of a branch or a tag.

        Returns:
            The snapshot; None for a table without one.

        Raises:
            FormatError: No such snapshot, branch or tag, or more than one of the three arguments.
        """
        if sum(each is not None for each in (snapshot, timestamp, ref)) > 1:
            raise ArgumentError(
                "snapshot", None, "several", "only one of an id, a moment and a name"
            )
        if ref is not None:
            return self.snapshot(_found(self.refs, ref, "branch or tag", is_asked=True).snapshot_id)
        if timestamp is not None:
            return self._current_at(millis_of(timestamp))
        return self.snapshot(snapshot)

    def _current_at(self, timestamp: int) -> Snapshot | None:
        """Return the snapshot that was current at a moment: by the log, else by ancestry."""
        log = [(each.timestamp_ms, each.snapshot_id) for each in self.document.snapshot_log]
        if not log:
            chain = reversed(self.ancestors(self.current_snapshot_id))
            log = [(each.timestamp_ms, each.snapshot_id) for each in chain]
        before = [snapshot_id for moment, snapshot_id in log if moment <= timestamp]
        if not before:
            wanted = f"{text_of(min(log)[0])} or later" if log else "a table with snapshots"
            raise ArgumentError("snapshot", None, f"none as of {text_of(timestamp)}", wanted)
        return self.snapshot(before[-1])

    def schema_of(self, snapshot: Snapshot | None) -> Schema:
        """Return the schema that was current when *snapshot* was made."""
        known = snapshot is not None and snapshot.schema_id in self.schemas
        return self.schema(snapshot.schema_id if known and snapshot else None)

    def ancestors(self, snapshot_id: int | None) -> list[Snapshot]:
        """Return a snapshot and its ancestors, newest first, as far as they have not expired."""
        chain: list[Snapshot] = []
        seen: set[int] = set()
        while snapshot_id is not None and snapshot_id in self.snapshots:
            if snapshot_id in seen:
                raise FormatError(
                    "snapshots", None, f"{snapshot_id} before itself", "ancestors without a cycle"
                )
            seen.add(snapshot_id)
            chain.append(self.snapshots[snapshot_id])
            snapshot_id = chain[-1].parent_snapshot_id
        return chain


def _by_id(
    key: str, given: list[Any], read: Callable[[Any], Any], id_of: Callable[[Any], int]
) -> dict[int, Any]:
    """Return objects by their ids."""
    found: dict[int, Any] = {}
    for number, each in enumerate(given):
        try:
            made = read(each)
        except FormatError as error:
            raise error.inside(f"{key}[{number}]") from None
        if id_of(made) in found:
            raise FormatError(f"{key}[{number}]", None, f"id {id_of(made)} again", "distinct ids")
        found[id_of(made)] = made
    return found


def _found(known: Mapping[Any, Any], wanted: Any, what: str, *, is_asked: bool = False) -> Any:
    """Return the object with an id or name, which the caller (*is_asked*) or the metadata named."""
    if wanted not in known:
        some = ", ".join(map(str, list(known)[:_SHOWN])) or "none at all"
        some += ", …" if len(known) > _SHOWN else ""
        kind = ArgumentError if is_asked else FormatError
        raise kind(what, None, repr(wanted), f"one of the table's: {some}")
    return known[wanted]
