"""New manifests: their bytes, and what the list of a snapshot says of each.

The rules:

- New files come as dicts. Files of earlier manifests come as columns; no object is made for any.
- The summary of a partition field covers all entries, deleted ones too.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom.iceberg.manifests.encoding import storage_tuples
from byteloom.iceberg.manifests.writing import ManifestOutput
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.iceberg.values import to_binary
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

__all__ = ["NewManifest"]


class NewManifest:
    """A manifest of a snapshot that is being made."""

    def __init__(  # noqa: PLR0913  what a manifest consists of
        self,
        *,
        version: int,
        snapshot_id: int,
        schema: Schema,
        sources: Schema,
        spec: PartitionSpec,
        content: ManifestContent,
    ) -> None:
        """Begin a manifest without files.

        Args:
            version: The table's format version.
            snapshot_id: The snapshot that adds the manifest.
            schema: The schema of the files.
            sources: The columns whose values partition them, dropped ones too.
            spec: The partition spec of the files.
            content: Whether they are data files or delete files.
        """
        self._output = ManifestOutput(
            version=version,
            schema=schema,
            spec=spec,
            content=content.name.lower(),
            sources=sources,
        )
        self._snapshot_id, self._spec, self._content = snapshot_id, spec, content
        self._of = spec.partition_type(sources)
        self._counts: Counter[str] = Counter()
        self._least: list[int] = []
        self._fields = [_FieldSummary(each.type) for each in self._of.fields]

    @property
    def size(self) -> int:
        """Bytes of the header, and of the blocks that have ended."""
        return self._output.size

    def add(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Add new files, by the names of manifests and perhaps their ``spec_id``."""
        for each in entries:
            row = {"snapshot_id": self._snapshot_id, **each}
            row.pop("spec_id", None)
            self._output.append(row)
            self._count(EntryStatus(each["status"]), 1, each["record_count"])
            number = each.get("sequence_number")
            self._least += [] if number is None else [number]
            for summary, of in zip(self._fields, self._of.fields, strict=True):
                summary.add([each["partition"][of.name]])

    def extend(self, entries: Entries) -> None:
        """Add files as columns, with the status and the numbers that they are to have."""
        self._output.extend(entries)
        for status in EntryStatus:
            chosen = entries.status == status
            self._count(status, int(chosen.sum()), int(entries.record_count[chosen].sum()))
        numbers = entries.sequence_number
        live = numbers[(entries.status != EntryStatus.DELETED) & (numbers >= 0)]
        self._least += [int(live.min())] if len(live) else []
        columns = storage_tuples(entries, self._spec, self._of)
        for summary, held in zip(self._fields, columns, strict=True):
            summary.extend(held)

    def finish(self, path: str) -> tuple[dict[str, Any], bytes]:
        """Return the manifest's row for the snapshot's list, and its bytes.

        The row has no sequence number yet, and as the least one that of files which state theirs.
        """
        data = self._output.finish()
        names = [status.name.lower() for status in EntryStatus]
        row = {
            "manifest_path": path,
            "manifest_length": len(data),
            "partition_spec_id": self._spec.spec_id,
            "content": self._content,
            "min_sequence_number": min(self._least, default=None),
            "added_snapshot_id": self._snapshot_id,
            **{f"{name}_files_count": self._counts[f"{name}_files"] for name in names},
            **{f"{name}_rows_count": self._counts[f"{name}_rows"] for name in names},
            "partitions": [each.row() for each in self._fields],
        }
        return row, data

    def _count(self, status: EntryStatus, files: int, rows: int) -> None:
        name = status.name.lower()
        self._counts.update({f"{name}_files": files, f"{name}_rows": rows})


class _FieldSummary:
    """What a list says of one partition field."""

    def __init__(self, of: Type) -> None:
        self._of = of
        self._has_null = self._has_nan = False
        self._ends: list[Any] = []

    def add(self, values: list[Any]) -> None:
        """Add storage values."""
        known = [each for each in values if each is not None]
        is_float = self._of.kind in {"float", "double"}
        plain = [each for each in known if not (is_float and math.isnan(each))]
        self._has_null |= len(known) < len(values)
        self._has_nan |= len(plain) < len(known)
        ends = [*self._ends, *plain]
        self._ends = [min(ends), max(ends)] if ends else []

    def extend(self, values: pa.Array) -> None:
        """Add the values of a column."""
        self._has_null |= values.null_count > 0
        if pa.types.is_floating(values.type):
            plain = values.filter(pc.invert(pc.is_nan(values)))
            self._has_nan |= len(plain) < len(values) - values.null_count
            values = plain
        if values.null_count < len(values):
            found = pc.min_max(values)
            self.add(storage_values(self._of, pa.array([found["min"], found["max"]], values.type)))

    def row(self) -> dict[str, Any]:
        """Return the summary."""
        lower, upper = self._ends or (None, None)
        return {
            "contains_null": self._has_null,
            "contains_nan": self._has_nan,
            "lower_bound": None if lower is None else to_binary(self._of, lower),
            "upper_bound": None if upper is None else to_binary(self._of, upper),
        }
