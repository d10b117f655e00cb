"""Processor seconds of `byteloom generate` for one spec, beside the official compiler.

    make bench ONLY=generate

- Each form is made in a process of its own, by turns; the least of some runs is printed.
- "Cold" has compiled neither modules nor templates yet: it is the first use after an installation.
- Seconds are user and system time of the process, Node's threads included.
- The spec of messages is as those of exchanges are: 190 KB, with records within records.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.peers import KAITAI

SPEC = Path(__file__).parents[1] / "conformance/formats/zip.ksy"
FORMS = {
    "records": [],
    "records, scanners": ["--scanners"],
    "drop-in": ["--api", "kaitaistruct"],
}
ROUNDS = 5


@pytest.mark.bench
@pytest.mark.peer("node")
def test_generate(tmp_path: Path) -> None:
    """Prints the processor time of one spec, cold and warm, and the official compiler's."""
    (tmp_path / "specs").mkdir()
    shutil.copy(SPEC, tmp_path / "specs")
    cold, kept = tmp_path / "cold", tmp_path / "kept"
    commands = {
        form: ["-m", "byteloom", "generate", str(SPEC), "-o", str(tmp_path / "ours"), *options]
        for form, options in FORMS.items()
    }
    official = ["node", str(KAITAI / "compile.js"), str(tmp_path / "specs"), str(tmp_path / "off")]
    first = {form: used([sys.executable, *each], cold / form) for form, each in commands.items()}
    warm: dict[str, list[float]] = {form: [] for form in FORMS}
    peer = []
    for _ in range(ROUNDS + 1):
        for form, each in commands.items():
            warm[form].append(used([sys.executable, *each], kept))
        peer.append(used(official, kept))
    print(f"\n{'official compiler':20} {min(peer):5.2f} s")
    for form, seconds in warm.items():
        print(f"{form:20} cold {first[form]:5.2f} s, warm {min(seconds[1:]):5.2f} s")
    assert (tmp_path / "ours" / "zip.py").read_text()


@pytest.mark.bench
def test_scanners_of_messages(tmp_path: Path) -> None:
    """Prints how many times as long a large spec takes with scanners as without."""
    spec = tmp_path / "messages.ksy"
    spec.write_text(messages(300), encoding="utf-8")
    command = [sys.executable, "-m", "byteloom", "generate", str(spec), "-o", str(tmp_path)]
    plain = min(used(command, tmp_path / "kept") for _ in range(3))
    scanners = min(used([*command, "--scanners"], tmp_path / "kept") for _ in range(3))
    print(f"\n{'300 messages':20} records {plain:5.2f} s, and scanners {scanners:5.2f} s")
    print(f"{'':20} {scanners / plain:.1f} times")
    assert (tmp_path / "messages_scan.py").exists()


def messages(count: int) -> str:
    """Return a spec of packets of messages, of *count* types with 12 fields and a list each."""
    scaled = [
        f"  scaled{number}: {{seq: [{{id: mantissa, type: s{1 << number % 4}}}"
        f"{', {id: exponent, type: s1}' if number % 3 == 0 else ''}]}}"
        for number in range(60)
    ]
    types = [
        line
        for number in range(count)
        for line in (
            (
                f"  body{number}: {{seq: [{_fields(number, 12)}, {{id: num_legs, type: u1}}, "
                f"{{id: legs, type: leg{number}, repeat: expr, repeat-expr: num_legs}}]}}"
            ),
            f"  leg{number}: {{seq: [{_fields(number, 4)}]}}",
        )
    ]
    cases = ", ".join(f"{number}: body{number}" for number in range(count))
    return "\n".join(
        [
            "meta: {id: messages, endian: le}",
            "seq: [{id: packets, type: packet, repeat: eos}]",
            "types:",
            (
                "  packet: {seq: [{id: num_items, type: u1}, "
                "{id: items, type: item, repeat: expr, repeat-expr: num_items}]}"
            ),
            (
                "  item: {seq: [{id: kind, type: u2}, {id: len_body, type: u2}, "
                f"{{id: body, size: len_body, type: {{switch-on: kind, cases: {{{cases}}}}}}}]}}"
            ),
            *types,
            *scaled,
        ]
    )


def _fields(first: int, count: int) -> str:
    return ", ".join(
        f"{{id: field{number}, type: scaled{(first * 7 + number) % 60}}}" for number in range(count)
    )


def used(command: list[str], bytecode: Path) -> float:
    """Return the processor seconds of *command*; Python keeps what it compiles in *bytecode*."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, resources = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return resources.ru_utime + resources.ru_stime
