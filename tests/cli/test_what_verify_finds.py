"""What `verify` notices of a changed byte, and what it cannot, as docs/commands/files.md says."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING

import fastavro
import pytest
from tests.support.cli import byteloom

from byteloom import puffin

if TYPE_CHECKING:
    from pathlib import Path

SAMPLED = 40
"""Places at which a byte is changed."""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the samples."""
    folder = tmp_path_factory.mktemp("samples") / "s"
    assert byteloom("samples", folder).status == 0
    return folder


def _noticed(file: Path, places: range, tmp_path: Path) -> list[bool]:
    """Whether the change of a bit is noticed, at some of the places."""
    data, found = file.read_bytes(), []
    changed = tmp_path / file.name
    for place in random.Random(1).sample(places, min(SAMPLED, len(places))):
        changed.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        found.append(byteloom("verify", changed).out.startswith("damaged "))
    return found


def test_any_change_of_an_hfile_is_noticed(samples: Path, tmp_path: Path) -> None:
    """An HFile with checksums shows every changed bit."""
    file = samples / "orders.hfile"
    assert all(_noticed(file, range(file.stat().st_size), tmp_path))


@pytest.mark.parametrize("lost", [8, 5000])
def test_an_hfile_without_its_first_bytes_has_one_finding(
    lost: int, samples: Path, tmp_path: Path
) -> None:
    """Where the first bytes of an HFile are missing, all else that does not fit is counted."""
    data = (samples / "orders.hfile").read_bytes()
    file = tmp_path / "cut.hfile"
    file.write_bytes(data[lost:])
    (line,) = byteloom("verify", file).out.splitlines()
    because = f"wanted a block; {lost:,} bytes missing, so no offset is right ("
    assert line.startswith(f"damaged     {file}  block.magic at byte 0 (0x0): found b'")
    assert because in line
    assert re.search(r"\([0-9]{2} other findings\): the file ends as an HFile, but", line)


@pytest.mark.parametrize("place", [0, 40])
def test_an_hfile_with_all_its_bytes_has_every_finding(
    place: int, samples: Path, tmp_path: Path
) -> None:
    """A damaged beginning, and bytes that are missing after it, are not the loss of a beginning."""
    data = (samples / "orders.hfile").read_bytes()
    file = tmp_path / "bad.hfile"
    file.write_bytes(data[:place] + (b"x" + data[1:] if not place else data[place + 8 :]))
    found = json.loads(byteloom("verify", file, "--json").out)
    assert (found["status"], len(found["findings"]) > 2) == ("damaged", place > 0)
    assert "other finding" not in byteloom("verify", file).out


def test_any_change_of_a_deletion_vector_is_noticed(samples: Path, tmp_path: Path) -> None:
    """A deletion vector has a checksum."""
    file = samples / "orders.puffin"
    with puffin.open(file) as opened:
        vector = next(each for each in opened.blobs if each.type == "deletion-vector-v1")
    places = range(vector.offset, vector.offset + vector.length)
    assert all(_noticed(file, places, tmp_path))


def test_some_changes_of_a_sketch_are_not_noticed(samples: Path, tmp_path: Path) -> None:
    """Hashes of a sketch are compared with their neighbours, and have no checksum."""
    file = samples / "orders.puffin"
    with puffin.open(file) as opened:
        sketch = opened.blobs[0]
    end = sketch.offset + sketch.length
    low, high = range(end - 800, end, 8), range(end - 793, end, 8)
    assert not any(_noticed(file, low, tmp_path))
    data = bytearray(file.read_bytes())
    data[high[-2]] ^= 0x40
    (tmp_path / "high.puffin").write_bytes(data)
    assert byteloom("verify", tmp_path / "high.puffin").out.startswith("damaged ")


def test_bytes_of_an_unknown_blob_are_not_compared(tmp_path: Path) -> None:
    """Nothing is known of the content of other blobs; magics and footer are checked."""
    file = tmp_path / "a" / "a.puffin"
    file.parent.mkdir()
    with puffin.PuffinWriter(file) as writer:
        writer.add(data=b"0123456789", type="mine", fields=[1], snapshot_id=1, sequence_number=1)
    assert not any(_noticed(file, range(4, 14), tmp_path))
    assert all(_noticed(file, range(4), tmp_path))


def test_values_of_lance_have_no_checksum(samples: Path, tmp_path: Path) -> None:
    """Another value of a column is not noticed; the magic is."""
    file = samples / "orders.lance"
    assert sum(_noticed(file, range(4160, 10000), tmp_path)) <= SAMPLED // 4
    size = file.stat().st_size
    assert all(_noticed(file, range(size - 4, size), tmp_path))


def test_blocks_of_avro_end_with_a_marker(tmp_path: Path) -> None:
    """The marker after a block is compared with that of the header; text of a record is not."""
    file = tmp_path / "a" / "a.avro"
    file.parent.mkdir()
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": "string"}]}
    with file.open("wb") as out:
        fastavro.writer(out, schema, [{"x": "some text"}], codec="null")
    size = file.stat().st_size
    assert all(_noticed(file, range(size - 16, size), tmp_path))
    at = file.read_bytes().rindex(b"some text")
    assert not any(_noticed(file, range(at, at + 9), tmp_path))
