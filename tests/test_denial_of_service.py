"""Hostile files, and specs that invite them: each read ends at once, in a typed error.

Every case runs in a process of its own, the fork of one that has imported everything.  It may take
50 MB more than it has then.  Its time is printed (``pytest -rP``) and not asserted: the target is
0.1 s.
"""

import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.forks import Forks, forks

from byteloom_codegen.kaitaistruct.modules import emit as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit

MEMORY = 50_000_000
PATIENCE = 300
"""Seconds that a case may take; a hang would take years."""

CHILD = """
import json, resource, signal, sys, time
from byteloom.errors import ByteloomError
memory, patience, asked, others = json.loads({asked!r})
signal.alarm(patience)
import t
data = open("t.bin", "rb").read()
if sys.platform == "linux":
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
start = time.perf_counter()
try:
    message = repr(eval(asked, {{"T": t.T, "data": data}}))[:100]
    kind = "value"
except (ByteloomError, *((Exception,) if others else ())) as error:
    kind, message = type(error).__name__, str(error)
print(json.dumps([kind, message, time.perf_counter() - start]))
"""


@pytest.fixture(scope="module")
def python() -> Iterator[Forks]:
    """Start the process whose forks try the cases."""
    with forks("kaitaistruct", "byteloom.errors") as found:
        yield found


class Case(NamedTuple):
    """What is read (a spec below its id, bytes, an expression), and how it has to end."""

    ends: str
    body: str
    data: Callable[[], bytes]
    asked: str = "T.from_bytes(data)"


def bomb(size: int) -> bytes:
    """Return zeros, whole millions, compressed about a thousand times: the same block again."""
    deflate = zlib.compressobj(9)
    first = deflate.compress(bytes(1_000_000)) + deflate.flush(zlib.Z_FULL_FLUSH)
    head, block, end = first[:2], first[2:], b"\3\0"
    checksum = size % 65521 << 16 | 1
    return head + block * (size // 1_000_000) + end + checksum.to_bytes(4)


def nested_bomb() -> bytes:
    """Return a bomb in a bomb in a bomb."""
    data = bomb(8_000_000)
    for _ in range(3):
        data = zlib.compress(data + bytes(8_000_000), 9)
    return data


def chain(text: str, first: str, levels: int = 60) -> str:
    """Return value instances that each ask the next; *text* has {a} and {b} for their names."""
    lines = [f"  v{n}: {{value: '{text.format(a=f'v{n + 1}')}'}}\n" for n in range(levels)]
    return f"instances:\n{''.join(lines)}  v{levels}: {{value: '{first}'}}\n"


ZLIB = "{size-eos: true, process: zlib, type: inner, id: x}"
SELF = f"types: {{inner: {{seq: [{ZLIB}]}}}}\n"
FOLD = (
    "seq: [{{id: items, type: 'item(_index == 0 ? 1 : items[_index - 1].acc)', repeat: eos}}]\n"
    "types:\n  item:\n    params: [{{id: prev, type: u8}}]\n    seq: [{{id: b, type: u1}}]\n"
    "    instances: {{acc: {{value: '{}'}}}}\n"
)

CASES = {
    "empty repeat of 2^32": Case(
        "LimitExceeded",
        "seq: [{id: n, type: u4}, {id: x, type: inner, repeat: expr, repeat-expr: n}]\n"
        "types: {inner: {}}\n",
        lambda: b"\xff\xff\xff\xff",
    ),
    "empty repeats in empty repeats": Case(
        "LimitExceeded",
        "seq: [{id: n, type: u4}, {id: x, type: a, repeat: expr, repeat-expr: 90000}]\n"
        "types:\n  a: {seq: [{id: y, type: b, repeat: expr, repeat-expr: 90000}]}\n"
        "  b: {seq: [{id: z, size: 0, repeat: expr, repeat-expr: 90000}]}\n",
        lambda: bytes(4),
    ),
    "repeat-until that never ends": Case(
        "LimitExceeded",
        "seq: [{id: x, type: inner, repeat: until, repeat-until: 'false'}]\ntypes: {inner: {}}\n",
        lambda: b"abc",
    ),
    "repeat to the end of nothing": Case(
        "FormatError",
        "seq: [{id: x, type: inner, repeat: eos}]\ntypes: {inner: {}}\n",
        lambda: b"abc",
    ),
    "an unmatched switch to the end": Case(
        "FormatError",
        "seq: [{id: x, repeat: eos, type: {switch-on: 1, cases: {2: u1}}}]\n",
        lambda: b"abc",
    ),
    "zlib bomb": Case(
        "LimitExceeded",
        "seq: [{id: x, size-eos: true, process: zlib}]\n",
        lambda: bomb(400_000_000),
    ),
    "zlib bombs in zlib bombs": Case("LimitExceeded", f"seq: [{ZLIB}]\n{SELF}", nested_bomb),
    "many zlib bombs": Case(
        "LimitExceeded",
        "seq: [{id: x, type: u4}, {id: y, type: part, repeat: eos}]\n"
        "types: {part: {seq: [{id: n, type: u2}, {id: z, size: n, process: zlib}]}}\n",
        lambda: bytes(4) + 40 * (len(bomb(4_000_000)).to_bytes(2, "little") + bomb(4_000_000)),
    ),
    "recursion": Case(
        "LimitExceeded",
        "seq: [{id: x, type: inner}]\n"
        "types: {inner: {seq: [{id: b, type: u1}, {id: y, type: inner}]}}\n",
        lambda: bytes(1_000_000),
    ),
    "recursion in windows": Case(
        "LimitExceeded",
        "seq: [{id: x, type: inner}]\ntypes: {inner: {seq: [{id: b, type: u1},"
        " {id: y, type: inner, size: _io.size - 1}]}}\n",
        lambda: bytes(1_000_000),
    ),
    "recursion in loops": Case(
        "LimitExceeded",
        "seq: [{id: x, type: inner}]\ntypes: {inner: {seq: [{id: b, type: u1},"
        " {id: y, type: inner, repeat: until, repeat-until: 'true'}]}}\n",
        lambda: bytes(1_000_000),
    ),
    "recursion in terminated streams": Case(
        "LimitExceeded",
        "seq: [{id: x, type: inner}]\ntypes: {inner: {seq: [{id: b, type: u1},"
        " {id: y, type: inner, terminator: 0, eos-error: false}]}}\n",
        lambda: b"a" * 100_000,
    ),
    "huge size": Case(
        "Truncated",
        "seq: [{id: n, type: u8}, {id: x, size: n}]\n",
        lambda: b"\xff" * 7 + b"\x7f",
    ),
    "huge size of a stream": Case(
        "Truncated",
        "seq: [{id: n, type: u8}, {id: x, size: n, type: u1s}]\n"
        "types: {u1s: {seq: [{id: y, type: u1, repeat: eos}]}}\n",
        lambda: b"\xff" * 7 + b"\x7f",
    ),
    "huge count of small elements": Case(
        "Truncated",
        "seq: [{id: n, type: u4}, {id: x, type: u1, repeat: expr, repeat-expr: n}]\n",
        lambda: b"\xff\xff\xff\x04",
    ),
    "huge count of small records": Case(
        "Truncated",
        "seq: [{id: n, type: u4}, {id: x, type: inner, repeat: expr, repeat-expr: n}]\n"
        "types: {inner: {seq: [{id: y, type: u1}]}}\n",
        lambda: b"\xff\xff\xff\x04",
    ),
    "negative size": Case(
        "FormatError",
        "seq: [{id: n, type: s4}, {id: x, size: n}]\n",
        lambda: b"\xff\xff\xff\xff",
    ),
    "negative count": Case(
        "FormatError",
        "seq: [{id: n, type: s4}, {id: x, type: u1, repeat: expr, repeat-expr: n}]\n",
        lambda: b"\xff\xff\xff\xff",
    ),
    "no terminator, again and again": Case(
        "FormatError",
        "seq: [{id: x, type: strz, encoding: UTF-16LE, eos-error: false, repeat: eos}]\n",
        lambda: b"\x00\x01" * 100_000 + b"\x01",
    ),
    "terminators that are not consumed": Case(
        "FormatError",
        "seq: [{id: x, terminator: 0, consume: false, repeat: eos}]\n",
        lambda: b"a\x00" + b"b" * 1_000_000,
    ),
    "as many repeats as bytes, of nothing": Case(
        "LimitExceeded",
        "seq: [{id: x, size: 0, repeat: expr, repeat-expr: _io.size * _io.size}]\n",
        lambda: bytes(100_000),
    ),
    "index far out": Case(
        "FormatError",
        "seq: [{id: n, type: u8}, {id: x, type: u1, repeat: eos}]\n"
        "instances: {v: {value: 'x[n]'}}\n",
        lambda: b"\xff" * 20,
        "T.from_bytes(data).v",
    ),
    "shift by a huge number": Case(
        "FormatError",
        "seq: [{id: n, type: u8}]\ninstances: {v: {value: '1 << n'}}\n",
        lambda: b"\xff" * 7 + b"\x00",
        "T.from_bytes(data).v",
    ),
    "shift by a huge literal": Case(
        "FormatError",
        "seq: [{id: n, type: u8}]\ninstances: {v: {value: 'n << 99999999999'}}\n",
        lambda: b"\xff" * 8,
        "T.from_bytes(data).v",
    ),
    "a million digits": Case(
        "LimitExceeded",
        "seq: [{id: s, type: str, encoding: ASCII, size-eos: true}]\n"
        "instances: {v: {value: s.to_i}}\n",
        lambda: b"1" * 1_000_000,
        "T.from_bytes(data).v",
    ),
    "a million hexadecimal digits": Case(
        "LimitExceeded",
        "seq: [{id: s, type: str, encoding: ASCII, size-eos: true}]\n"
        "instances: {v: {value: s.to_i(16).to_s.length}}\n",
        lambda: b"f" * 1_000_000,
        "T.from_bytes(data).v",
    ),
    "values that are asked for 2^60 times": Case(
        "value",
        "seq: [{id: x, type: u1}]\n" + chain("{a} + {a}", "x"),
        lambda: b"\x01",
        "T.from_bytes(data).v0",
    ),
    "values asked for by two ways, 60 levels": Case(
        "value",
        "seq: [{id: x, type: u1}]\ninstances:\n"
        + "".join(f"  {a}{n}: {{value: 'a{n + 1} + b{n + 1}'}}\n" for n in range(60) for a in "ab")
        + "  a60: {value: x}\n  b60: {value: x}\n",
        lambda: b"\x01",
        "T.from_bytes(data).a0",
    ),
    "numbers that square themselves": Case(
        "LimitExceeded",
        "seq: [{id: x, type: u1}]\n" + chain("{a} * {a}", "x"),
        lambda: b"\xff",
        "T.from_bytes(data).v0",
    ),
    "texts that double themselves": Case(
        "LimitExceeded",
        "seq: [{id: x, type: str, encoding: ASCII, size: 1}]\n" + chain("{a} + {a}", "x"),
        lambda: b"a",
        "T.from_bytes(data).v0",
    ),
    "texts that double themselves while reading": Case(
        "LimitExceeded",
        "seq: [{id: x, type: 'inner(\"ab\")'}]\n"
        "types:\n  inner:\n    params: [{id: s, type: str}]\n"
        "    seq: [{id: y, type: 'inner(s + s)'}]\n",
        lambda: b"",
    ),
    "numbers that square themselves while reading": Case(
        "LimitExceeded",
        "seq: [{id: x, type: 'inner(3)'}]\n"
        "types:\n  inner:\n    params: [{id: s, type: u8}]\n"
        "    seq: [{id: y, type: 'inner(s * s)'}]\n",
        lambda: b"",
    ),
    "a number of a million groups": Case(
        "LimitExceeded", FOLD.format("(prev << 7) + b"), lambda: b"\x7f" * 1_000_000
    ),
    "a sum that doubles a million times": Case(
        "LimitExceeded", FOLD.format("prev + prev"), lambda: b"\x7f" * 1_000_000
    ),
    "an instance whose place is its value": Case(
        "FormatError",
        "seq: [{id: x, type: u1}]\ninstances: {a: {pos: b, type: u1}, b: {value: a}}\n",
        lambda: bytes(2),
        "T.from_bytes(data).a",
    ),
    "an instance within itself": Case(
        "LimitExceeded",
        "instances: {x: {pos: 0, type: inner}}\ntypes:\n  inner:\n"
        "    seq: [{id: n, size: y.n.length}]\n"
        "    instances: {y: {pos: 0, type: inner}}\n",
        lambda: bytes(2),
        "T.from_bytes(data).x",
    ),
}

RECORDS = """\
meta: {id: t, endian: le}
seq:
  - {id: a, type: node, repeat: expr, repeat-expr: 10}
  - {id: b, type: node, repeat: until, repeat-until: _.x == 9}
  - {id: c, type: node, repeat: eos}
types:
  node:
    seq:
      - {id: x, type: u1}
      - {id: y, type: leaf, size: 1}
      - {id: z, type: leaf, repeat: expr, repeat-expr: 2}
  leaf: {seq: [{id: v, type: u1}]}
"""
"""A record, in it 10, 2 and 3 records as its data has them, and in each of these 3 more: 61."""


OFFICIAL = (
    "repeat to the end of nothing",
    "an unmatched switch to the end",
    "huge size",
    "negative size",
    "huge count of small elements",
    "huge count of small records",
    "recursion",
    "values that are asked for 2^60 times",
)
"""Cases that end in the drop-in form as well: its runtime has no limits of its own."""


def outcome(
    python: Forks, folder: Path, module: str, case: Case, *, others: bool = False
) -> tuple[str, str]:
    """Return how a case ended, and its message; the time it took is printed.

    others  whether it may end in any error
    """
    (folder / "t.py").write_text(module)
    (folder / "t.bin").write_bytes(case.data())
    asked = json.dumps([MEMORY, PATIENCE, case.asked, others])
    kind, document, seconds = json.loads(python.run(CHILD.format(asked=asked), folder))
    print(f"{seconds:.3f} s: {kind}: {document}")
    return kind, document


@pytest.mark.parametrize("name", CASES)
def test_hostile_input_ends_in_a_typed_error(name: str, python: Forks, tmp_path: Path) -> None:
    """A hostile file ends in a typed error, with little time and memory."""
    case = CASES[name]
    spec = load_text(f"meta: {{id: t, endian: le}}\n{case.body}")
    kind, stated = outcome(python, tmp_path, emit(spec, "t.ksy"), case)
    assert kind == case.ends, stated
    assert len(stated) < 1_000


@pytest.mark.parametrize("name", OFFICIAL)
def test_drop_ins_end_too(name: str, python: Forks, tmp_path: Path) -> None:
    """A drop-in class ends hostile input with an error of its runtime or of Python."""
    case = CASES[name]
    spec = load_text(f"meta: {{id: t, endian: le}}\n{case.body}")
    kind, stated = outcome(python, tmp_path, emit_drop_in(spec)["t.py"], case, others=True)
    assert (kind == "value") == (case.ends == "value"), stated
    assert kind != "MemoryError"


def test_every_record_counts_once(tmp_path: Path) -> None:
    """`limits.objects` counts each record once, in loops, in windows and nested."""
    (tmp_path / "records_that_count.py").write_text(emit(load_text(RECORDS), "t.ksy"))
    code = (
        "from records_that_count import T; from byteloom.limits import Limits\n"
        "data = bytes(40) + bytes([1, 0, 0, 0, 9, 0, 0, 0]) + bytes(12)\n"
        "T.from_bytes(data, limits=Limits(objects=61))\n"
        "T.from_bytes(data, limits=Limits(objects=60))\n"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, text=True)
    assert run.stderr.splitlines()[-1].startswith("byteloom.errors.LimitExceeded: t.c")
    assert "line 4" in run.stderr
