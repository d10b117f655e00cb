"""The loops of `byteloom scan` over everyday formats have the rows and the errors of records.

Generated loops are asked for by name, as the command line asks for them.
"""

from __future__ import annotations

import io
import random
import struct
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.chosen import ChosenRecords
from tests.support.scanners import KEPT

from byteloom.wire.varints import uleb128_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = Path(__file__).parents[1]
FORMATS = TESTS / "conformance/formats"
BENCH = TESTS / "bench/formats"


def pcap_bytes(seed: int) -> bytes:
    """A capture of few packets in either byte order, of one of several links."""
    rng = random.Random(seed)
    order, link = rng.choice("<>"), rng.choice((0, 1, 1, 101))
    magic = rng.choice((0xA1B2C3D4, 0xA1B23C4D))
    parts = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)]
    for _ in range(rng.randrange(6)):
        body = _frame(rng) if link == 1 else struct.pack(f"{order}I", 2) + rng.randbytes(3)
        parts.append(struct.pack(f"{order}IIII", rng.randrange(9), 7, len(body), 99) + body)
    return b"".join(parts)


def _frame(rng: random.Random) -> bytes:
    tag, kind = rng.choice((b"", b"\x81\0" + rng.randbytes(1)[:1] + b"\1")), rng.randrange(4)
    if tag:
        tag = b"\x81\0\x21\7"
    ports = rng.randbytes(4)
    udp = ports + struct.pack(">HH", 8 + 3, 0) + b"abc"
    tcp = ports + rng.randbytes(8) + rng.choice((b"\x50", b"\x60", b"\x40")) + rng.randbytes(7)
    tcp += rng.randbytes(rng.randrange(4, 9))
    protocol, inner = rng.choice(((17, udp), (6, tcp), (1, b"ping")))
    v4 = struct.pack(">BBHHHBBH", 0x45, 1, 20 + len(inner), 1, 0, 64, protocol, 0)
    v4 += rng.randbytes(8) + inner
    v6 = struct.pack(">IHBB", 6 << 28 | 5, len(inner), protocol, 9) + rng.randbytes(32) + inner
    types, bodies = (b"\x08\0", b"\x86\xdd", b"\x08\6", b"\x88\x88"), (v4, v6, b"arp", b"")
    return rng.randbytes(12) + tag + types[kind] + bodies[kind]


def zip_bytes(seed: int) -> bytes:
    """An archive of few members, with extra fields."""
    rng, made = random.Random(seed), io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for at in range(rng.randrange(4)):
            info = zipfile.ZipInfo(f"é{at}" * at, (2001, 9, 9, 1, 46, 40))
            times = rng.randrange(8)
            body = bytes((times,)) + rng.randbytes(4 * (times & 1))
            info.extra = struct.pack("<HH", 0x5455, len(body)) + body + b"\7\7\1\0x"
            archive.writestr(info, rng.randbytes(rng.randrange(9)))
    return made.getvalue()


def protobuf_bytes(seed: int) -> bytes:
    """A message with few fields, whose numbers may have any length."""
    rng, parts = random.Random(seed), list[bytes]()
    for _ in range(rng.randrange(8)):
        wire = rng.choice((0, 1, 2, 3, 5))
        number = rng.randrange(1 << rng.choice((3, 9, 20, 29)))
        text = rng.randbytes(rng.choice((0, 2, 130)))
        value = {
            0: uleb128_bytes(rng.getrandbits(rng.choice((7, 14, 40, 64)))),
            1: rng.randbytes(8), 2: uleb128_bytes(len(text)) + text, 5: rng.randbytes(4),
        }.get(wire, b"")  # fmt: skip
        parts += [uleb128_bytes(number << 3 | wire), value]
    return b"".join(parts)


def around_bytes(seed: int) -> bytes:
    """A file of ``around.ksy``."""
    rng = random.Random(seed)
    order, has_more = rng.randrange(3), rng.randrange(2)
    end = ">" if order == 1 else "<"
    limit, scale = 31, rng.randrange(5)
    out = bytes((order, has_more)) + struct.pack(f"{end}Hh", limit, scale)
    for _ in range(rng.randrange(6)):
        n = rng.randrange(limit + 1)
        while n % 3 == 2 or (n & 4 and n & 3 <= n & 1):
            n = rng.randrange(limit + 1)
        items = [rng.randrange(6) for _ in range(n & 3)]
        numbers = [*(-rng.randrange(1, 9) for _ in range(rng.randrange(3))), rng.randrange(5)]
        out += struct.pack(">H", n) + struct.pack(">I" if n % 3 == 0 else "<I", rng.randrange(99))
        out += bytes(items) + struct.pack(f">{len(numbers)}h", *numbers)
        out += rng.randbytes({0: 1, 1: 2, 2: 8, 3: 8, 4: 1}.get(order + n % 3, 0))
        out += rng.randbytes(has_more)
        out += rng.randbytes(items[n & 1] & 3) if n & 4 else b""
        least = len(items) > 1 and items[1] > numbers[0]
        out += rng.randbytes(items[0] & 3 if least else scale) if n & 8 else b""
        out += b"t" * (n & 3) if n & 16 else b""
    return out


SUBJECTS: dict[str, tuple[Path, str, Callable[[int], bytes]]] = {
    "pcap": (FORMATS / "pcap.ksy", "packets", pcap_bytes),
    "zip": (FORMATS / "zip.ksy", "sections", zip_bytes),
    "protobuf": (BENCH / "protobuf.ksy", "pairs", protobuf_bytes),
    "around": (TESTS / "scanners/around.ksy", "rows", around_bytes),
}
LEFT_OUT = {"pcap": "is_group", "zip": "padded_month"}
"""Instances that no loop calculates: a scan with their columns reads records one by one."""

COMPILED = ["protobuf", "around"]
"""Those that are compiled as well: numba takes a minute for the others."""


class Subject:
    """A format, its loop and its files."""

    def __init__(self, name: str, folder: Path, *, compiled: bool) -> None:
        """Make the modules."""
        spec, where, self.make = SUBJECTS[name]
        folder /= f"loop_of_{name}_{compiled}".lower()
        self.records = ChosenRecords(spec, where, folder, compiled=compiled)
        if name in LEFT_OUT:
            known = self.records.columns()
            wanted = [each for each in known if each.rpartition(".")[2] != LEFT_OUT[name]]
            self.records = ChosenRecords(spec, where, folder / f"{name}_stored", wanted=wanted)


@pytest.fixture(
    scope="module",
    params=[*((each, False) for each in SUBJECTS), *((each, True) for each in COMPILED)],
    ids=lambda each: f"{each[0]}-{'compiled' if each[1] else 'interpreted'}",
)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Return a format whose records a loop takes."""
    name, compiled = request.param
    folder = KEPT if compiled else tmp_path_factory.mktemp("loops")
    return Subject(name, folder, compiled=compiled)


def test_a_loop_takes_the_records(subject: Subject) -> None:
    """The records are not read one by one."""
    assert subject.records.made.loops, subject.records.made.why


@given(seed=st.integers(0, 2**32), window=st.integers(0, 300))
def test_a_loop_has_the_rows_of_records(subject: Subject, seed: int, window: int) -> None:
    """Sound files give the same rows, even where they are read a window at a time."""
    scanned, read = subject.records.both(subject.make(seed), window)
    assert isinstance(read, list), read
    assert scanned == read


@given(
    seed=st.integers(0, 2**32),
    where=st.floats(0, 1),
    value=st.integers(0, 255),
    window=st.integers(0, 300),
)
def test_damage_is_the_records_error(
    subject: Subject, seed: int, where: float, value: int, window: int
) -> None:
    """A changed byte and a cut give the rows of the records, or their error and its place."""
    data = subject.make(seed)
    at = int(where * (len(data) - 1))
    for damaged in (data[:at], data[:at] + bytes((value,)) + data[at + 1 :]):
        scanned, read = subject.records.both(damaged, window)
        assert scanned == read
