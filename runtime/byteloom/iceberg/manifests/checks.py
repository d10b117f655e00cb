"""Check manifests against their list, and entries against the spec.

The rules:

- A manifest must have the length, partition spec, content and counts that the list states.
- No live entry may have a sequence number below the least that the list states.
- A file may be live in a snapshot once; parts of a Puffin file count as different files.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Truncated, Unsupported
from byteloom.iceberg.manifests.arrow_columns import texts
from byteloom.kernels.manifests import hash_runs, remember
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from byteloom.avro.container import AvroFile
    from byteloom.iceberg.expressions.stats import Spans

__all__ = [
    "CONTENTS",
    "LiveFiles",
    "check_counts",
    "check_format",
    "check_header",
    "check_length",
    "check_number",
    "check_records",
    "check_sequence",
    "check_values",
    "spec_id_of",
]

_VERSION: Final = 3
CONTENTS: Final = {each.name.lower().encode(): each for each in ManifestContent}
"""What a manifest lists, by the value of ``content`` in its header."""

_FORMATS: Final = ("avro", "orc", "parquet", "puffin")
_KINDS: Final = {each.name.lower(): each for each in EntryStatus}


def check_length(data: bytes, length: int) -> None:
    """Refuse a file whose length differs from the one the list states; -1 if that is unknown."""
    if length >= 0 and len(data) != length:
        kind = Truncated if len(data) < length else FormatError
        raise kind("manifest_length", None, f"{len(data)} bytes", f"{length}, as the list says")


def check_header(file: AvroFile, listed: Mapping[str, int]) -> None:
    """Refuse a header with another spec or content than the list states, or of a later version."""
    version = _number(file, "format-version")
    if version is not None and version > _VERSION:
        raise Unsupported("format-version", None, str(version), f"at most {_VERSION}")
    spec_id = _number(file, "partition-spec-id")
    if spec_id is not None and spec_id != listed["partition_spec_id"] >= 0:
        wanted = f"{listed['partition_spec_id']}, as the list says"
        raise FormatError("partition-spec-id", None, str(spec_id), wanted)
    content = file.metadata.get("content")
    if content is not None and CONTENTS.get(content) != listed["content"]:
        wanted = f"{ManifestContent(listed['content']).name.lower()!r}, as the list says"
        raise FormatError("content", None, repr(content.decode(errors="replace")), wanted)


def spec_id_of(file: AvroFile) -> int:
    """Return the spec id of a manifest read without a list; 0 if its header has none."""
    return _number(file, "partition-spec-id") or 0


def _number(file: AvroFile, key: str) -> int | None:
    """Return a number of the header; None if it is missing."""
    text = file.metadata.get(key)
    if text is None:
        return None
    try:
        return int(text)
    except ValueError as error:
        raise FormatError(key, None, repr(text[:40]), "a number") from error


def check_counts(
    listed: Mapping[str, NDArray[np.int64]],
    place: NDArray[np.int64],
    status: NDArray[np.int64],
    record_count: NDArray[np.int64],
) -> None:
    """Refuse numbers of files and rows that differ from those that the list states.

    Args:
        listed: The stated numbers by name, one per manifest, below 0 if unknown.
        place: The manifest of each entry in *listed*.
        record_count: Rows of each entry; if one is -1, unknown, rows are not compared.
    """
    for kind, code in _KINDS.items():
        rows = np.flatnonzero(status == code)
        manifests = len(listed["content"])
        files = np.bincount(place[rows], minlength=manifests)
        sums = np.zeros(manifests, np.int64)
        np.add.at(sums, place[rows], record_count[rows])
        sums[place[rows[record_count[rows] < 0]]] = -1
        for name, found in ((f"{kind}_files_count", files), (f"{kind}_rows_count", sums)):
            wrong = (listed[name] >= 0) & (found >= 0) & (listed[name] != found)
            if wrong.any():
                at = int(np.argmax(wrong))
                wanted = f"{listed[name][at]}, as the list says"
                raise FormatError(name, None, int(found[at]), wanted)


def check_sequence(
    least: NDArray[np.int64],
    place: NDArray[np.int64],
    status: NDArray[np.int64],
    sequence_number: NDArray[np.int64],
) -> None:
    """Refuse live entries whose sequence number is below *least*, as stated for their manifest."""
    wrong = (status != EntryStatus.DELETED) & (sequence_number < least[place])
    if wrong.any():
        row = int(np.argmax(wrong))
        wanted = f"{least[place[row]]} or more, as the list says"
        raise FormatError(
            f"entries[{row}].sequence_number", None, int(sequence_number[row]), wanted
        )


def check_values(
    status: NDArray[np.int64],
    content: NDArray[np.int64],
    manifest_content: NDArray[np.int64],
) -> None:
    """Refuse status and content codes that the spec does not define."""
    _refuse("status", status, (status < 0) | (status > EntryStatus.DELETED), "0, 1 or 2")
    is_data = content == FileContent.DATA
    is_delete = np.isin(content, [FileContent.POSITION_DELETES, FileContent.EQUALITY_DELETES])
    wrong = ~np.where(manifest_content == ManifestContent.DATA, is_data, is_delete)
    _refuse("content", content, wrong, "0 in data manifests, 1 or 2 in delete manifests")


def check_number(name: str, values: NDArray[np.int64], valid: NDArray[np.bool_]) -> None:
    """Refuse negative numbers, except -1, as which null (not *valid*) is read.

    Old writers stored a ``record_count`` of -1, unknown, for imported files.
    """
    if len(values) and values.min() < 0:
        least = -1 if name == "record_count" else 0
        wanted = "0 or more, or -1 for unknown" if least else "0 or more"
        _refuse(name, values, valid & (values < least), wanted)


def check_records(listed: Mapping[str, NDArray[np.int64]], records: NDArray[np.int64]) -> None:
    """Refuse more or fewer entries than the list states, before any is decoded."""
    counts = np.stack([listed[f"{kind}_files_count"] for kind in _KINDS])
    total = counts.sum(axis=0)
    wrong = (counts >= 0).all(axis=0) & (total != records)
    if wrong.any():
        at = int(np.argmax(wrong))
        wanted = f"{total[at]}, as the list says"
        raise FormatError("entries", None, f"{records[at]} entries", wanted)


def check_format(spans: Spans) -> None:
    """Refuse file formats that the spec does not define."""
    for each in _distinct(spans):
        if each is None or each.lower() not in _FORMATS:
            raise FormatError("file_format", None, repr(each), ", ".join(_FORMATS))


def _distinct(spans: Spans) -> list[str | None]:
    """Return the distinct file formats; if there is only one, without making an array of text."""
    if len(spans) and (size := int(spans.sizes[0])) > 0 and (spans.sizes == size).all():
        runs = spans.data[spans.places[:, None] + np.arange(size)]
        if (runs == runs[0]).all() and (first := runs[0].tobytes()).isascii():
            return [first.decode()]
    found: list[str | None] = texts(spans, pa.large_string(), "file_format").unique().to_pylist()
    return found


def _refuse(name: str, values: NDArray[np.int64], wrong: NDArray[np.bool_], wanted: str) -> None:
    """Raise an error about the first entry that is wrong."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise FormatError(f"entries[{row}].{name}", None, int(values[row]), wanted)


class LiveFiles:
    """The live files found so far, as hashes of 128 bits."""

    def __init__(self) -> None:
        """Begin without files."""
        self._table = np.zeros((1 << 10, 2), np.uint64)
        self._count = 0

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """Return uint64[file, 2]: the hash of each file, in no particular order."""
        held: NDArray[np.uint64] = self._table[self._table[:, 0] != 0]
        return held

    def add(self, paths: Spans, offsets: NDArray[np.int64]) -> int | None:
        """Record files; return the row of one that had been recorded before, or None.

        Args:
            offsets: Where a part of a Puffin file starts; -1 for whole files.
        """
        hashes = np.empty((len(paths), 2), np.uint64)
        hash_runs(paths.data, paths.places, np.maximum(paths.sizes, 0), offsets, hashes)
        self._count += len(hashes)
        if 2 * self._count > len(self._table):
            held = self.hashes
            self._table = np.zeros((1 << (4 * self._count).bit_length(), 2), np.uint64)
            remember(held, self._table)
        row = int(remember(hashes, self._table))
        return row if row >= 0 else None
