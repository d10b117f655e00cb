"""The error for a damaged file names a file."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.fuzz import hfiles, hudi, iceberg, puffin
from tests.fuzz.containers import damaged_text

from byteloom import hfile
from byteloom import puffin as puffin_files
from byteloom.errors import FormatError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_DRAWN: Final = 30


def _errors(call: Callable[[], Any]) -> Iterable[FormatError]:
    """Yield the error that a call ends in, if it does."""
    try:
        call()
    except FormatError as error:
        yield error
    except StorageError:
        pass  # another file, which the damage named


@pytest.mark.parametrize("of", ["hudi", "manifest", "list", "metadata", "parquet", "avro"])
def test_errors_of_damaged_tables_name_a_file_of_the_table(of: str, tmp_path: Path) -> None:
    """The error for a damaged table names the damaged file, or another that contradicts it."""
    made = hudi.tables(tmp_path) if of == "hudi" else iceberg.tables(tmp_path, of)
    seeds, chance, met = list(made), Random(7), 0
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()} | {".hoodie/metadata"}
    for number in range(_DRAWN):
        seed = seeds[number % len(seeds)]
        damaged = seed.damaged(chance)
        for error in _errors(lambda seed=seed, damaged=damaged: seed.read(damaged)):  # type: ignore[misc]
            assert any(name in str(error) for name in names), (seed.name, error)
            met += 1
    assert met > _DRAWN // 3


def test_errors_of_invalid_text_name_the_manifest(tmp_path: Path) -> None:
    """The error for invalid text in a manifest names a manifest of the table."""
    seeds, chance, met = list(iceberg.tables(tmp_path, "manifest")), Random(7), 0
    names = {path.name for path in tmp_path.rglob("*-m.avro")}
    for number in range(2 * _DRAWN):
        seed = seeds[number % len(seeds)]
        damaged = damaged_text(chance, seed.data)
        for error in _errors(lambda seed=seed, damaged=damaged: seed.read(damaged)):  # type: ignore[misc]
            assert any(name in str(error) for name in names), (seed.name, error)
            met += "UTF-8" in str(error)
    assert met > _DRAWN // 2


def test_errors_of_damaged_hfiles_name_the_file(tmp_path: Path) -> None:
    """Every call on a damaged HFile, and opening it, raises errors that name the file."""
    place, chance, met = tmp_path / "damaged.hfile", Random(7), set()
    seeds = list(hfiles.seeds(tmp_path))
    for number in range(8 * _DRAWN):
        place.write_bytes(seeds[number % len(seeds)].damaged(chance))
        for name, call in _hfile_calls(place):
            for error in _errors(call):
                assert str(error).startswith(f"{place}: "), (name, error)
                met.add(name)
    assert met >= {"open", "read", "verify", "range", "lookup", "prefix", "bloom"}


def _hfile_calls(place: Path) -> Iterable[tuple[str, Callable[[], Any]]]:
    """Yield what can be asked of the file at *place*, by name."""
    yield "open", lambda: hfile.open(place).close()
    try:
        file = hfile.open(place)
    except FormatError:
        return
    with file:
        yield "read", file.read
        yield "verify", file.verify
        yield "range", lambda: list(file.range(b"row-003", b"row-015"))
        yield "reverse", lambda: list(file.range(reverse=True))
        yield "lookup", lambda: file.lookup([b"row-001", b"row-017"])
        yield "get", lambda: file.get(b"row-010")
        yield "prefix", lambda: file.prefix(b"row-01")
        yield "seek", lambda: file.cursor().seek(b"row-012")
        yield "last", lambda: file.cursor().last()
        yield "floor", lambda: file.floor(b"row-013")
        yield "ceiling", lambda: file.ceiling(b"row-004")
        yield "midkey", file.midkey
        yield "splits", lambda: file.splits(3)
        yield "order", lambda: file.is_in_order
        yield "bloom", lambda: [each.may_contain(b"row-001") for each in file.bloom_filters]
        yield "filter", lambda: file.row_filter
        yield "meta", lambda: [file.read_meta(name) for name in file.meta_names]
        yield "blocks", lambda: list(file.stored_blocks())


def test_errors_of_damaged_puffin_files_name_the_file(tmp_path: Path) -> None:
    """Opening a damaged Puffin file, and reading its blobs, raises errors that name the file."""
    place, chance, met = tmp_path / "damaged.puffin", Random(7), set()
    seeds = list(puffin.files(tmp_path))
    for number in range(8 * _DRAWN):
        place.write_bytes(seeds[number % len(seeds)].damaged(chance))
        for name, call in _puffin_calls(place):
            for error in _errors(call):
                assert str(error).startswith(f"{place}: "), (name, error)
                met.add(name)
    assert met == {"open", "verify", "read", "vector", "sketch"}


def _puffin_calls(place: Path) -> Iterable[tuple[str, Callable[[], Any]]]:
    """Yield what can be asked of the file at *place*, by name."""
    yield "open", lambda: puffin_files.open(place).close()
    try:
        file = puffin_files.open(place)
    except FormatError:
        return
    with file:
        yield "verify", file.verify
        for blob in file.blobs:
            yield "read", lambda blob=blob: file.read(blob)  # type: ignore[misc]
            yield "vector", lambda blob=blob: file.deletion_vector(blob)  # type: ignore[misc]
            yield "sketch", lambda blob=blob: file.theta_sketch(blob)  # type: ignore[misc]


def test_bytes_have_no_name() -> None:
    """An error in bytes begins with the place in them and names no file."""
    with pytest.raises(FormatError, match=r"^block\.magic at byte") as caught:
        hfile.open(_broken()).read()
    assert caught.value.file is None


def test_an_error_keeps_the_first_file_that_it_names() -> None:
    """An error that names a file keeps it when a caller names another."""
    error = FormatError("a", 1, "b", "c").in_file("inner").in_file("outer")
    assert str(error) == "inner: a at byte 1 (0x1): found b, wanted c"
    assert error.path == "a"
    assert FormatError("inner: a").in_file("inner").file is None


def _broken() -> bytes:
    data = hfiles.written()
    return b"X" + data[1:]
