"""Scanners from bytes to a RecordBatch, beside official Kaitai parsers and a loop over `struct`.

The peers read a tenth of the bytes: they take seconds where the scanner takes milliseconds.
"""

from pathlib import Path
from statistics import median
from struct import Struct, iter_unpack
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.support.official import compiled, peer_of
from tests.support.scanners import generated

if TYPE_CHECKING:
    from collections.abc import Callable

SPECS = Path(__file__).parent / "scanners"
SHARE = 10

pytestmark = [pytest.mark.bench, pytest.mark.peer("node")]


def rate(data: bytes, read: "Callable[[bytes], Any]", *, runs: int = 7) -> float:
    """Bytes per second, the median of several runs after one that warms up."""
    read(data)
    times = []
    for _ in range(runs):
        start = perf_counter()
        read(data)
        times.append(perf_counter() - start)
    return len(data) / median(times)


def print_rates(what: str, ours: float, peers: dict[str, float]) -> None:
    """Print the rates and the ratios."""
    print(f"\n{what}: byteloom {ours / 1e9:.2f} GB/s")
    for name, peer in peers.items():
        print(f"    {name}: {peer / 1e6:.0f} MB/s, ratio {ours / peer:.0f}")


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of official parsers."""
    return compiled(SPECS, tmp_path_factory.mktemp("official"))


@pytest.fixture(scope="module")
def samples() -> bytes:
    """Four million records of 16 bytes."""
    return np.random.default_rng(1).integers(0, 256, 64_000_000, np.uint8).tobytes()


@pytest.fixture(scope="module")
def entries() -> tuple[bytes, bytes]:
    """100 MB of keys of 20 to 40 bytes with values of 50 to 200; and a tenth of them."""
    rng = np.random.default_rng(1)
    count = 610_000
    keys, values = rng.integers(20, 41, count), rng.integers(50, 201, count)
    letters = rng.integers(97, 123, int((keys + values).sum()), np.uint8).tobytes()
    head, parts, at = Struct("<II"), [], 0
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        parts.append(head.pack(key, value) + letters[at : at + key + value] + b"\1")
        at += key + value
    return b"".join(parts), b"".join(parts[: count // SHARE])


def test_records_of_sixteen_bytes(samples: bytes, official: Path, tmp_path: Path) -> None:
    """Prints how fast records of sixteen bytes are scanned as strided views."""
    _, scans = generated(SPECS / "samples.ksy", tmp_path / "bench_samples")
    kaitai, part = peer_of(official, "samples"), samples[: len(samples) // SHARE]
    want = [(each.at, each.source, each.value) for each in kaitai.from_bytes(part[:16_000]).samples]
    found = scans.scan_samples(part[:16_000]).to_pylist()
    assert [tuple(row.values()) for row in found] == want
    peers = {
        "official Kaitai": rate(part, kaitai.from_bytes, runs=3),
        "struct.iter_unpack": rate(part, lambda data: list(iter_unpack("<QII", data)), runs=3),
    }
    print_rates("16-byte records", rate(samples, scans.scan_samples), peers)


@pytest.mark.parametrize("binary", ["view", "binary"])
def test_keys_and_values(
    entries: tuple[bytes, bytes], official: Path, tmp_path: Path, binary: str
) -> None:
    """Prints how fast records of two sizes, two payloads and a byte are scanned."""
    data, part = entries
    _, scans = generated(SPECS / "entries.ksy", tmp_path / f"bench_entries_{binary}")
    kaitai = peer_of(official, "entries")
    want = [(each.key, each.value, each.flag) for each in kaitai.from_bytes(part).entries]
    found = scans.scan_entries(part, binary=binary).to_pylist()
    assert [tuple(row.values()) for row in found] == want
    peers = {
        "official Kaitai": rate(part, kaitai.from_bytes, runs=3),
        "struct and slices": rate(part, by_struct, runs=3),
    }
    ours = rate(data, lambda data: scans.scan_entries(data, binary=binary))
    print_rates(f"keys and values, {len(data) / 1e6:.0f} MB to {binary}", ours, peers)


def by_struct(data: bytes) -> list[tuple[bytes, bytes, int]]:
    """The records by `struct` and slices, one tuple for each."""
    unpack, at, rows = Struct("<II").unpack_from, 0, []
    while at < len(data):
        key, value = unpack(data, at)
        middle, end = at + 8 + key, at + 8 + key + value
        rows.append((data[at + 8 : middle], data[middle:end], data[end]))
        at = end + 1
    return rows
