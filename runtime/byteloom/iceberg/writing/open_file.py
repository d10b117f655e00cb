"""A data file that is being written, and what its manifest entry will say of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from byteloom.iceberg.observed import Seen, parts_of
from byteloom.iceberg.shape_boxes import ShapeBox
from byteloom.iceberg.writing.metrics import metrics_of
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type
    from byteloom.iceberg.writing.metrics import Mode
    from byteloom.iceberg.writing.output import Output

__all__ = ["OpenFile"]


@dataclass(slots=True)
class OpenFile:
    """A file that is being written.

    Attributes:
        output: The file.
        spec: The partition spec of its rows.
        partition: The storage values of the partition's fields.
        shapes: The types of columns of shapes, by id.
    """

    output: Output
    spec: PartitionSpec
    partition: tuple[Any, ...]
    shapes: Mapping[int, Type] = field(default_factory=dict)
    _seen: dict[int, Seen] = field(default_factory=dict)
    _boxes: dict[int, ShapeBox] = field(default_factory=dict)

    def add(self, rows: pa.Table) -> None:
        """Add rows."""
        self.output.add(rows)
        for batch in rows.to_batches():
            for of, array in zip(batch.schema, batch.columns, strict=True):
                for number, part, missing in parts_of(of, array, in_lists=False):
                    if number >= 0:  # the parts of a variant have none
                        self._seen.setdefault(number, Seen()).add(part, missing)
                    if number in self.shapes:
                        self._boxes.setdefault(number, ShapeBox()).add(part)

    def end(self, schema: Schema, modes: Mapping[int, Mode], **more: Any) -> dict[str, Any]:
        """End the file, and return its entry as `write_manifest` takes it, with its spec's id.

        Args:
            schema: The schema of the rows.
            modes: The metrics of each field by id, as of `modes_of`.
            **more: Other fields of the entry.

        Raises:
            StorageError: The file cannot be written.
        """
        sizes, offsets = self.output.close()
        for number, box in self._boxes.items():
            of = self.shapes[number]
            self._seen[number].know_range(of, box.bounds(of))
        names = (each.name for each in self.spec.fields)
        return {
            "status": EntryStatus.ADDED,
            "file_path": self.output.path,
            "file_format": self.output.form,
            "spec_id": self.spec.spec_id,
            "partition": dict(zip(names, self.partition, strict=True)),
            "record_count": self.output.rows,
            "file_size_in_bytes": self.output.size,
            "split_offsets": offsets or None,
            **metrics_of(self._seen, sizes, schema, modes),
            **more,
        }
