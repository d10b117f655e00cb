"""Lance datasets: manifests, tags, files of deleted rows and of data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyroaring import BitMap
from tests.fuzz.mutations import damaged_json
from tests.fuzz.seeds import Seed
from tests.support.lance_datasets import arrow_file, fragment, put_deletions, put_manifest
from tests.support.written_lance import written

from byteloom import lance
from byteloom.cli.formats.lance import explain_manifest
from byteloom.iceberg import col
from byteloom.lance.writing.schema import stored_schema
from byteloom.storage.sources import BytesSource
from byteloom.verification.lance import manifest_of, verify_dataset, verify_manifest
from byteloom.wire import Folding
from byteloom_generated.lance.table import FeatureFlag, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["datasets", "write"]

ROWS = 60
ARROW, BITMAP = 0, 1


def datasets(folder: Path) -> Iterator[Seed]:
    """Yield every file of a dataset whose rows are deleted in both ways."""
    write(folder)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield Seed(
                f"Lance dataset's {path.relative_to(folder)}",
                path.read_bytes(),
                partial(_rows, folder, path),
                partial(_findings, folder, path),
                (damaged_json,) if path.suffix == ".json" else (),
                # Nothing but a manifest says how many fragments there are.
                counts=path.suffix != ".manifest",
            )


def write(folder: Path) -> None:
    """Write two fragments, the second with two files; its rows came with version 2."""
    first, second = _table(), pa.table({"added": np.arange(ROWS) * 3})
    fields = list(stored_schema(pa.schema([*first.schema, *second.schema]), "2.1").fields)
    ids, added = [0, 1, 3], [4]
    data, more = written(first, "2.1"), written(second, "2.1", ids=added)
    few = put_deletions(folder, 0, arrow_file([3, 41]), ARROW, num_deleted_rows=2)
    many = put_deletions(
        folder, 1, BitMap(range(0, ROWS, 2)).serialize(), BITMAP, num_deleted_rows=ROWS // 2
    )
    one = fragment(folder, 0, ROWS, (ids, data), deletion_file=few)
    both = fragment(folder, 1, ROWS, (ids, data), (added, more), deletion_file=many)
    for version, kept, fragments in ((1, fields[:4], [one]), (2, fields, [one, both])):
        flags = FeatureFlag.DELETION_FILES
        manifest = Manifest(
            version=version,
            fields=kept,
            fragments=fragments,
            reader_feature_flags=flags,
            writer_feature_flags=flags,
        )
        put_manifest(folder, manifest)
    tag = folder / "_refs" / "tags" / "first.json"
    tag.parent.mkdir(parents=True)
    tag.write_text('{"version": 1, "manifestSize": 1, "branch": null}')


def _table() -> pa.Table:
    numbers = np.arange(ROWS)
    return pa.table(
        {
            "n": pa.array(numbers, mask=numbers % 7 == 0),
            "text": pa.array([f"text {n % 9}" if n % 5 else None for n in range(ROWS)]),
            "list": pa.array([[n] * (n % 3) for n in range(ROWS)], pa.list_(pa.int32())),
        }
    )


def _rows(folder: Path, path: Path, data: bytes) -> int:
    """Read a dataset with one file replaced in all ways, and count its rows."""
    sound = path.read_bytes()
    path.write_bytes(data)
    try:
        rows = 0
        for dataset in (lance.open_dataset(folder, tag="first"), lance.open_dataset(folder)):
            dataset.take(list(range(min(dataset.num_rows, 10))))
            dataset.count(col("n") > 20)
            table = dataset.to_table()
            table.validate(full=True)
            rows += table.num_rows
        return rows
    finally:
        path.write_bytes(sound)


def _findings(folder: Path, path: Path, data: bytes) -> int:
    manifest = manifest_of(BytesSource(data)) if path.suffix == ".manifest" else None
    if manifest is not None:
        explain_manifest(BytesSource(data), manifest, folding=Folding.none())
        verify_manifest(manifest)
    sound = path.read_bytes()
    path.write_bytes(data)
    try:
        verify_dataset(str(folder))
    finally:
        path.write_bytes(sound)
    return 0
