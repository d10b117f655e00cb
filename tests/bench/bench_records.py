"""Records read and written beside official Kaitai parsers, generated in the same run.

The official compiler's npm build offers no writers.  What is measured in their place are the calls
that one has to make: those of the official runtime's stream, one for every field, in a loop that
does nothing else.  A whole official writer checks besides, and is slower.
"""

import gc
import random
import sys
from io import BytesIO
from pathlib import Path
from statistics import median
from struct import pack
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from kaitaistruct import KaitaiStream
from tests.support.official import compiled, peer_of

from byteloom.wire.varints import uleb128_bytes
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.module import emit

if TYPE_CHECKING:
    from collections.abc import Callable

SPECS = Path(__file__).parent / "records"

pytestmark = [pytest.mark.bench, pytest.mark.peer("node")]


def rate(count: int, run: "Callable[[], Any]", *, runs: int = 5) -> float:
    """Records per second, the median of several runs after one that warms up."""
    run()
    times = []
    for _ in range(runs):
        gc.collect()
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return count / median(times)


def print_rates(what: str, ours: float, peer: float) -> None:
    """Print both rates and the ratio."""
    ratio = f"ratio {ours / peer:.1f}"
    print(f"\n{what}: byteloom {ours / 1e3:.0f} k/s, official {peer / 1e3:.0f} k/s, {ratio}")


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of official parsers."""
    return compiled(SPECS, tmp_path_factory.mktemp("official"))


def ours_of(name: str) -> Any:
    """Our class of a spec."""
    module = ModuleType(f"bench_{name}")
    sys.modules[module.__name__] = module
    source = emit(load_spec(SPECS / f"{name}.ksy"), f"{name}.ksy")
    exec(compile(source, module.__name__, "exec"), vars(module))  # noqa: S102  (what is measured)
    return getattr(module, name.capitalize())


def key_values(count: int) -> bytes:
    """Records of two counted byte strings and a byte."""
    chance = random.Random(7)
    parts = []
    for _ in range(count):
        key, value = chance.randbytes(chance.randrange(8, 40)), chance.randbytes(100)
        value = value[: chance.randrange(20, 100)]
        parts.append(pack(">II", len(key), len(value)) + key + value + b"\1")
    return b"".join(parts)


def rows(count: int) -> bytes:
    """Records of three numbers."""
    return b"".join(pack("<QII", at, at & 0xFF, at >> 8) for at in range(count))


def numbers(count: int) -> bytes:
    """Integers of one to three bytes."""
    chance = random.Random(7)
    values = (uleb128_bytes(chance.randrange(1 << chance.randrange(22))) for _ in range(count))
    return pack("<I", count) + b"".join(values)


NAMES = ("kv", "fx")
"""The names of cases: pytest would make them of the data, too long for the environment."""


@pytest.mark.parametrize(
    ("name", "data"), [("kv", key_values(100_000)), ("fx", rows(200_000))], ids=NAMES
)
def test_reading(name: str, data: bytes, official: Path) -> None:
    """Prints how fast all records of a file are read as objects, with every check."""
    count = 100_000 if name == "kv" else 200_000
    peer, cls = peer_of(official, name), ours_of(name)
    assert cls.from_bytes(data).to_bytes() == data
    ours = rate(count, lambda: cls.from_bytes(data))
    print_rates(f"read {name}", ours, rate(count, lambda: peer.from_bytes(data)))


def write_kv(records: list[Any], size: int) -> None:
    """Make the calls of an official writer of key/value records."""
    io = KaitaiStream(BytesIO(bytes(size)))
    for each in records:
        io.write_u4be(each.len_key)
        io.write_u4be(each.len_value)
        io.write_bytes(each.key)
        io.write_bytes(each.value)
        io.write_u1(each.kind)


def write_fx(records: list[Any], size: int) -> None:
    """Make the calls of an official writer of fixed records."""
    io = KaitaiStream(BytesIO(bytes(size)))
    for each in records:
        io.write_u8le(each.at)
        io.write_u4le(each.a)
        io.write_u4le(each.b)


@pytest.mark.parametrize(
    ("name", "data", "write"),
    [("kv", key_values(100_000), write_kv), ("fx", rows(200_000), write_fx)],
    ids=NAMES,
)
def test_writing(
    name: str, data: bytes, write: "Callable[[list[Any], int], None]", official: Path
) -> None:
    """Prints how fast all records are written, compared with the official calls alone."""
    record = ours_of(name).from_bytes(data)
    read = peer_of(official, name).from_bytes(data)
    theirs = read.records if name == "kv" else read.rows
    ours = rate(len(theirs), record.to_bytes)
    print_rates(f"write {name}", ours, rate(len(theirs), lambda: write(theirs, len(data))))


def test_varints(official: Path) -> None:
    """Prints how fast integers of variable length are read: ints here, objects in the peer."""
    data, count = numbers(50_000), 50_000
    peer, cls = peer_of(official, "counts"), ours_of("counts")
    assert cls.from_bytes(data).to_bytes() == data
    ours = rate(count, lambda: cls.from_bytes(data).counts)
    print_rates(
        "varints", ours, rate(count, lambda: [each.value for each in peer.from_bytes(data).counts])
    )
