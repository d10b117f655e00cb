"""Specs by strangers, without another compiler: all forms are generated, checked and used."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.cli import byteloom
from tests.support.everyday import FILES, files
from tests.support.strangers import emit_all, imported_from, specs
from tests.support.tools import complaints

from byteloom.wire import Record

_EXPECTED: Final[dict[tuple[str, int], dict[str, object]]] = {
    ("bmp", 0): {"num_rows": 2, "len_row": 12, "rows[1].pixels[2].luminance": 211},
    ("bmp", 1): {"is_top_down": True, "num_colors": 256, "rows[0].pixels": [0, 11, 22]},
    ("bmp", 2): {"palette[15].b": 240, "info.dots_per_meter": [2835, 2835], "info.masks": None},
    ("bmp", 3): {"is_core": True, "width": 9, "palette[1].gap": None, "rows[1].pixels[8]": False},
    ("elf", 0): {"header.machine": 62, "header.sections[3].name": ".note", "is_64": True},
    ("elf", 1): {"header.segments[0].interpreter": "/lib/ld.so", "header.sections[4].body": None},
    ("elf", 2): {"header.sections[2].body.symbols[1].type": 2, "header.segments[0].flags_64": None},
    ("elf", 3): {"header.sections[3].body.notes[0].body": b"abcde", "header.machine": 8},
    ("gif", 0): {"global_colors.colors[1].as_int": 0x030405, "blocks[1].body.body.disposal": 2},
    ("gz", 0): {"is_plain": True, "name": None, "len_data": 54, "os": 255},
    ("gz", 1): {"comment": "café", "extra.fields.fields[0].data": b"xyz", "os": 11},
    ("internet", 0): {"body.body.body.body": b"ping", "body.source.is_private": True, "tag": None},
    ("internet", 1): {"tag.vlan": 7, "body.body.body.flags.syn": True, "target.is_group": True},
    ("internet", 2): {"body.flow": 0x12345, "body.traffic_class": 0},
    ("midi", 0): {
        "tracks[0].events.events[1].meta.body.beats_per_minute": 120.0,
        "tracks[1].events.events[2].own_status": None,
        "tracks[1].events.events[2].status": 0x90,
        "tracks[1].events.events[3].delta.value": 480,
    },
    ("midi", 1): {"header.frames_per_second": 25, "header.ticks_per_quarter": None},
    ("pcap", 0): {"capture.packets[2].nanos": 2000, "capture.packets[0].is_cut": False},
    ("pcap", 1): {"capture.version.major": 2, "capture.packets[1].is_cut": True},
    ("pcap", 2): {"is_nanos": True, "capture.packets[2].nanos": 2},
    ("png", 0): {
        "header.len_row": 12,
        "chunks[3].body.text": b"packed " * 9,
        "chunks[5].body.packed": "Ölfarbe".encode(),
        "chunks[8].is_private": True,
    },
    ("png", 1): {"chunks[0].body.colors[3].b": 11, "chunks[1].body.alphas": [0, 128]},
    ("sqlite", 0): {
        "header.len_page": 512,
        "pages[0].tree.cells[0].cell.payload.values[1].text": "things",
        "pages[3].tree.cells[4].cell.payload.values[2].value": 300,
        "pages[3].tree.cells[4].cell.payload.values[3].blob": bytes([4] * 4),
    },
    ("tar", 0): {"members[1].data": b"hello", "members[1].header.mtime.value": 1_000_000_000},
    ("tar", 1): {"members[3].header.link": "folder/hello.txt", "members[4].is_end": True},
    ("ttf", 0): {
        "tables[9].table.units_per_em": 2048,
        "tables[14].table.records[1].unicode": "Open Sans",
        "tables[3].table.weight": 400,
        "tables[15].table.glyphs.names[0].text": "null",
    },
    ("wav", 0): {"body.chunks[1].body.frames[0].channels": [0x2500, 0x6F4A]},
    ("wav", 1): {
        "body.chunks[1].body.frames[4].channels[0].value": 12 * 37 % 256 | 225 << 8 | 6 << 16
    },
    ("wav", 2): {"body.chunks[1].pad": b"\0", "body.chunks[2].body.entries[1].text": "byt"},
    ("zip", 0): {
        "sections[1].body.body": bytes(range(16)),
        "first_entry.local.body.header.name": "hello.txt",
        "first_entry.unix_mode": 0o644,
        "sections[0].body.header.time.date.padded_month": "09",
        "end.comment": "made by zipfile",
    },
}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the record modules, which are found from there."""
    folder = tmp_path_factory.mktemp("strangers")
    (folder / "drop_in").mkdir()
    emit_all(folder, folder / "drop_in")
    with imported_from(folder):
        yield folder


def _read(name: str, data: bytes) -> Record:
    record: Record = getattr(importlib.import_module(name), name.capitalize()).from_bytes(data)
    return record


def _at(value: Any, path: str) -> Any:
    """Return what *path* leads to: attributes and elements."""
    for attribute, index in re.findall(r"(\w+)(?:\[(\d+)\])?", path):
        value = getattr(value, attribute)
        value = value[int(index)] if index else value
    return value


@pytest.mark.parametrize(("name", "number"), files())
def test_a_file_reads_to_what_was_put_into_it(records: Path, name: str, number: int) -> None:
    """A file reads to the values that it was made of, chosen by hand."""
    assert records.is_dir()
    record = _read(name, FILES[name][number]())
    expected = _EXPECTED[name, number]
    assert {path: _at(record, path) for path in expected} == expected


@pytest.mark.parametrize(("name", "number"), files())
def test_a_file_is_written_back_byte_for_byte(records: Path, name: str, number: int) -> None:
    """A record writes the very bytes that it was read from."""
    assert records.is_dir()
    data = FILES[name][number]()
    assert _read(name, data).to_bytes() == data


def test_all_records_have_their_types(records: Path) -> None:
    """A strict type checker finds nothing in any module."""
    arguments = ["--strict", "--no-error-summary", "--config-file="]
    checked = [str(path) for path in sorted(records.glob("*.py"))]
    runtime = Path(__file__).parents[2] / "runtime"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments, *checked],
        cwd=records,
        env={**os.environ, "MYPYPATH": f"{runtime}:{records}"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_a_formatter_changes_nothing(records: Path) -> None:
    """Generated modules of both forms are as ruff formats them by default."""
    assert not complaints("format", records)


def test_every_spec_has_its_pages(tmp_path: Path) -> None:
    """Every spec gets its reference pages, in Markdown and HTML."""
    outcome = byteloom("generate", *specs(), "--reference", tmp_path)
    assert outcome.status == 0, outcome.err
    made = {path.name for path in tmp_path.iterdir()}
    assert {f"{path.stem}{suffix}" for path in specs() for suffix in (".md", ".html")} <= made
