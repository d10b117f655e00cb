"""Puffin files by other producers have the blobs of their index, and are written alike."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.corpus import corpus_cases

from byteloom.errors import ByteloomError, Truncated
from byteloom.puffin import PuffinFile, PuffinWriter
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "iceberg/files"


def puffin_files(folder: Path) -> Iterator[Any]:
    """Yield each Puffin file of the index with what the index says of it, and each copy."""
    index = json.loads((folder.parent / "vectors" / "fixtures_expected.json").read_text())
    for entry in index:
        if entry["kind"] == "puffin":
            for path in (entry["path"], *entry.get("identical_copies", ())):
                yield pytest.param((folder / path, entry), id=path)


def is_refused(entry: dict[str, Any]) -> bool:
    """Return whether the index expects an error."""
    return "refused" in json.dumps(entry.get("expect", ""))


@corpus_cases(FOLDER, puffin_files)
def test_a_file_holds_what_its_index_says(case: tuple[Path, dict[str, Any]]) -> None:
    """A file has the sizes, flags, properties, blob metadata and content of its index."""
    path, wanted = case
    if is_refused(wanted):
        place = re.escape(str(path)) + r": [\w.\[\]]+.*: found "
        with pytest.raises(ByteloomError, match=place), open_puffin(path) as file:
            file.verify()
        return
    with open_puffin(path) as file:
        file.verify()
        assert file.footer_size == wanted["footer_size"]
        assert (file.size, dict(file.properties)) == (wanted["size"], wanted["properties"])
        assert len(file.footer.payload) == wanted["footer_payload_size"]
        assert file.footer.to_bytes()[-8:-4].hex() == wanted["flags_hex"]
        assert [described(file, blob) for blob in file.blobs] == wanted["blobs"]


@corpus_cases(FOLDER, puffin_files)
def test_a_file_written_from_its_parts_is_the_same(case: tuple[Path, dict[str, Any]]) -> None:
    """Writing the parts of a file gives the same bytes, compressed blobs included."""
    path, wanted = case
    if is_refused(wanted):
        return
    built = io.BytesIO()
    with PuffinWriter(built, created_by=None, properties=wanted["properties"]) as writer:
        for blob in wanted["blobs"]:
            writer.add(
                type=blob["type"],
                data=bytes.fromhex(blob["decoded_hex"]),
                fields=blob["fields"],
                snapshot_id=blob["snapshot-id"],
                sequence_number=blob["sequence-number"],
                compression=blob.get("compression-codec"),
                properties=blob.get("properties"),
            )
    assert built.getvalue() == path.read_bytes()


@corpus_cases(FOLDER, puffin_files)
def test_every_prefix_is_truncated(case: tuple[Path, dict[str, Any]]) -> None:
    """A file cut off anywhere is refused as unfinished."""
    path, wanted = case
    data = path.read_bytes()
    for size in [] if is_refused(wanted) else range(len(data)):
        with pytest.raises(
            Truncated, match=r"^(magic|footer(_\w+)?[\w.]*)( at byte \d+ .*)?: found "
        ):
            open_puffin(data[:size])


def described(file: PuffinFile, blob: Any) -> dict[str, Any]:
    """Return a blob in the form that the index uses."""
    stated = {
        "type": blob.type,
        "fields": blob.fields,
        "snapshot-id": blob.snapshot_id,
        "sequence-number": blob.sequence_number,
        "offset": blob.offset,
        "length": blob.length,
        "compression-codec": blob.compression_codec,
        "properties": dict(blob.properties) or None,
        "decoded_hex": file.read(blob).hex(),
    }
    return {name: value for name, value in stated.items() if value is not None}
