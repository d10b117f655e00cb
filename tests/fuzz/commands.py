"""Commands over damaged files: each ends with a message and a status, never with a traceback."""

from __future__ import annotations

import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.fuzz import hfiles, hudi, iceberg, lance, lance_datasets, puffin
from tests.fuzz.seeds import Seed
from tests.support import hudi_indexed
from typer.testing import CliRunner

from byteloom.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    Commands = tuple[tuple[str, ...], ...]

__all__ = ["seeds"]

_SPECS: Final = Path(__file__).parents[2] / "specs"

_ANY: Final[Commands] = (
    ("inspect", "FILE"),
    ("inspect", "FILE", "--json"),
    ("inspect", "FILE", "--hex"),
    ("inspect", "FILE", "--full", "--format", "yaml"),
    ("inspect", "FILE", "--html", "-o", "-"),
    ("verify", "FILE"),
    ("verify", "FILE", "--json"),
)
"""Commands for files of all kinds; FILE stands for the file, and DIR for its folder."""

_HFILE: Final[Commands] = (
    ("inspect", "FILE", "--blocks"),
    ("hfile", "scan", "FILE"),
    ("hfile", "scan", "FILE", "--reverse", "--json"),
    ("hfile", "scan", "FILE", "--from", "row-003", "-o", "DIR/cells.parquet", "--force"),
    ("hfile", "get", "FILE", "row-003"),
    ("hfile", "stats", "FILE"),
    ("describe", "FILE", "--spec", str(_SPECS / "hfile/block.ksy")),
)
_PUFFIN: Final[Commands] = (
    ("puffin", "ls", "FILE"),
    ("puffin", "ls", "FILE", "--json"),
    ("puffin", "cat", "FILE", "0"),
    ("puffin", "cat", "FILE", "4", "--raw"),
    ("puffin", "dv", "show", "FILE", "5"),
    ("describe", "FILE", "--json", "--spec", str(_SPECS / "puffin/puffin.ksy")),
)
_LANCE: Final[Commands] = (
    ("inspect", "FILE", "--pages"),
    ("lance", "cat", "FILE"),
    ("lance", "cat", "FILE", "--json"),
    ("lance", "take", "FILE", "1", "0"),
    ("lance", "schema", "FILE"),
    ("lance", "stats", "FILE"),
    ("lance", "convert", "FILE", "DIR/rows.parquet", "--force"),
)
_LOG: Final[Commands] = (("describe", "FILE", "--spec", str(_SPECS / "hfile/hudi_log.ksy")),)
_DATASET: Final[Commands] = (
    ("verify", "DIR"),
    ("lance", "versions", "DIR"),
    ("lance", "cat", "DIR", "--limit", "7"),
    ("lance", "take", "DIR", "1", "0"),
    ("lance", "schema", "DIR"),
    ("lance", "stats", "DIR", "--json"),
)
_TABLE: Final[Commands] = (
    ("verify", "DIR"),
    ("table", "info", "DIR"),
    ("table", "info", "DIR", "--json"),
    ("table", "list", "DIR"),
    ("table", "schema", "DIR"),
    ("table", "snapshots", "DIR"),
    ("table", "files", "DIR"),
    ("table", "metadata", "DIR", "entries", "--json"),
    ("table", "plan", "DIR", "--where", "id > 5"),
    ("table", "scan", "DIR", "--where", "id > 5"),
    ("table", "scan", "DIR", "--format", "csv"),
    ("table", "count", "DIR"),
)
_KEY: Final = hudi_indexed.KEYS[0]
_HUDI: Final[Commands] = (
    ("verify", "DIR"),
    ("hudi", "files", "DIR"),
    ("hudi", "stats", "DIR", "--json"),
    ("hudi", "lookup", "DIR", _KEY),
    ("hudi", "verify", "DIR"),
)
_STATUSES: Final = (0, 1, 2)
"""What commands end with; 2 also where damage takes away what a command asks for."""


def seeds(folder: Path) -> Iterator[Seed]:
    """Yield small files of each kind, and the files of tables and datasets."""
    for name, each, commands in (
        ("hfile", hfiles.seeds, _HFILE),
        ("puffin", puffin.files, _PUFFIN),
        ("lance", lance.files, _LANCE),
        ("avro", iceberg.containers, ()),
        ("log", hudi.logs, _LOG),
    ):
        place = folder / name
        place.mkdir()
        for seed in each(place):
            run = partial(_status, place / f"damaged.{name}", place, (*_ANY, *commands))
            yield Seed(f"{name} {seed.name}", seed.data, run, damages=seed.damages)
    for name, write, commands in (
        ("dataset", lance_datasets.write, _DATASET),
        ("table", partial(iceberg.made, version=3), _TABLE),
        ("hudi", hudi_indexed.made().write, _HUDI),
    ):
        place = folder / name
        place.mkdir()
        write(place)
        for path in sorted(filter(Path.is_file, place.rglob("*"))):
            data, run = path.read_bytes(), partial(_status, path, place, commands)
            yield Seed(f"{name} {path.name}", data, run, damages=iceberg.damages_of(data))


def _status(path: Path, folder: Path, commands: Commands, data: bytes) -> int:
    """Run one of the commands while a file has other bytes; return the exit status."""
    sound = path.read_bytes() if path.exists() else b""
    path.write_bytes(data)
    try:
        command = commands[zlib.crc32(data) % len(commands)]
        asked = [each.replace("FILE", str(path)).replace("DIR", str(folder)) for each in command]
        done = CliRunner().invoke(app, asked, prog_name="byteloom", catch_exceptions=False)
        assert done.exit_code in _STATUSES, command
        return done.exit_code
    finally:
        path.write_bytes(sound)
