"""Comparison of two versions of a spec: each difference is found, and its promises hold."""

from __future__ import annotations

import json
import random
import re
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.gallery import rows

from byteloom.errors import ByteloomError
from byteloom_codegen.compat import Aspect, Effect, Report, Verdict, compare
from byteloom_codegen.load import load_spec, load_text
from byteloom_codegen.python.module import emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.wire import Record

SPECS = Path(__file__).parents[2] / "specs"
HEAD = "meta:\n  id: t\n  endian: le\n"


def compared(old: str, new: str) -> Report:
    """Return what is found between two bodies of a spec."""
    return compare(load_text(HEAD + old, "old.ksy"), load_text(HEAD + new, "new.ksy"))


def seq(*fields: str) -> str:
    """Return the body of a spec with these fields, each the inside of a flow map."""
    return "seq:\n" + "".join(f"  - {{{each}}}\n" for each in fields)


SUB = "types:\n  sub:\n    " + seq("id: p, type: u2").replace("\n", "\n    ")
DEEP = "types:\n  sub:\n    " + seq("id: p, type: u2", "id: q, type: u2").replace("\n", "\n    ")
N = "id: n, type: u1"
ENUM = "enums:\n  pet: {1: cat, 2: dog}\n"

CASES = {name: case for name, *case in rows("compat", "cases")}

ENDS = ("added", "removed")

ODD = ("-loom-crc", "-loom-limit", "-loom-since")
"""Keys in whose specs bytes prove nothing: no file below has a fitting checksum, generated code
knows no limit yet, and what an author promises, files made at random break."""

named = pytest.mark.parametrize("name", sorted(CASES))


@named
def test_a_difference_is_found_once_and_weighed(name: str) -> None:
    """Each kind of change gives one finding of weight, with its effects on files and programs."""
    old, new, kind, harm = CASES[name]
    report = compared(old, new)
    signs = {Effect.SOME: "*", Effect.NO: "!"}
    found = {
        each.kind: " ".join(
            aspect.value + signs[each.effects.of(aspect)]
            for aspect in Aspect
            if each.effects.of(aspect) is not Effect.OK
        )
        for each in report.findings
        if each.verdict is not Verdict.HARMLESS or each.kind == kind
    }
    assert found == {kind: harm}


def test_a_field_under_a_condition_says_what_would_prove_it_harmless() -> None:
    """The finding for a conditional new field suggests `-loom-since`, unless it is given."""
    found = {
        key: compared(seq(N), seq(N, f"id: m, type: u1, if: n > 1{key}")).findings[0].text
        for key in ("", ", -loom-since: 2")
    }
    says = "is new, under a condition that old files may meet; give it -loom-since if none does"
    assert found == {"": says, ", -loom-since: 2": "is new"}


@named
def test_every_finding_has_its_places(name: str) -> None:
    """A finding has a place in both specs, or in the one that has the element."""
    new_parts, old_parts = (
        {f"{part}{end}" for part in ("", "field-", "instance-")} for end in ENDS
    )
    for each in compared(*CASES[name][:2]).findings:
        assert (each.old is None) == (each.kind in new_parts)
        assert (each.new is None) == (each.kind in old_parts)
        assert each.old is None or each.old.file == "old.ksy"
        assert each.new is None or each.new.file == "new.ksy"


@pytest.mark.parametrize(
    ("old", "new", "text", "harm"),
    [
        ("", ", type: str, encoding: ASCII", "is text in ASCII now; it was any bytes", "old-files"),
        (", type: str, encoding: ASCII", "", "is any bytes now; it was text in ASCII", "new-files"),
    ],
)
def test_bytes_that_become_text_are_found_twice(old: str, new: str, text: str, harm: str) -> None:
    """What files may hold is a finding of its own, beside the kind of value that programs get."""
    encoding, kind = compared(*(seq(f"id: a, size: 2{each}") for each in (old, new))).findings
    assert (encoding.kind, encoding.text, kind.kind) == ("encoding", text, "value-kind")
    assert [each.value for each in Aspect if encoding.effects.of(each) is Effect.SOME] == [harm]


def test_divided_bits_are_found_where_they_begin() -> None:
    """The finding about bits that other fields have now is at the first of these fields."""
    (found,) = compared(*CASES["number split"][:2]).findings
    assert (found.path, found.text) == (
        "t.major", "begins bits that are major | minor now; they were v",
    )  # fmt: skip
    assert found.new is not None
    assert found.new.path == ("seq", 0)


@named
def test_a_spec_is_compatible_with_itself(name: str) -> None:
    """A spec compared with itself has no findings."""
    for body in CASES[name][:2]:
        assert compared(body, body).findings == ()


@pytest.mark.parametrize("path", sorted(SPECS.rglob("*.ksy")), ids=lambda path: path.stem)
def test_our_specs_are_compatible_with_themselves(path: Path) -> None:
    """Every spec of this repository has no findings when compared with itself."""
    text = path.read_text(encoding="utf-8")
    assert compare(load_spec(path), load_spec(path)).findings == ()
    assert "doc: |" in text


# The promises, on bytes


@contextmanager
def reader(body: str, name: str) -> Iterator[type[Record]]:
    """Yield the class that a spec becomes, while its module is imported."""
    module = ModuleType(f"_compat_{name}")
    sys.modules[module.__name__] = module
    try:
        exec(emit(load_text(HEAD + body, "t.ksy"), "t.ksy"), module.__dict__)  # noqa: S102  (ours)
        yield module.__dict__["T"]
    finally:
        del sys.modules[module.__name__]


def files(*, seed: int) -> Iterator[bytes]:
    """Yield small files, with small numbers mostly, so that many of them fit a spec."""
    chance = random.Random(seed)
    for _ in range(400):
        size = chance.randrange(12)
        yield bytes(chance.choice([0, 1, 2, 3, 4, 65, 66, 67, 255]) for _ in range(size))


def taken(record: type[Record], raw: bytes) -> Any:
    """Return what *record* makes of a file, or None where it refuses it."""
    try:
        return record.from_bytes(raw)
    except ByteloomError:
        return None


def plain(record: Any) -> dict[str, Any]:
    """Return the attributes of a record that are not records themselves."""
    names = [each.name for each in fields(record) if not each.name.startswith("_")]
    kinds = int | float | str | bytes
    return {name: value for name in names if isinstance(value := getattr(record, name), kinds)}


def agree(one: type[Record], other: type[Record], raw: bytes) -> bool:
    """Return whether both read a file, and the same values of the same kind from it."""
    first, second = taken(one, raw), taken(other, raw)
    if first is None or second is None:
        return False
    left, right = plain(first), plain(second)
    both = [name for name in left.keys() & right.keys() if type(left[name]) is type(right[name])]
    return all(left[name] == right[name] or left[name] != left[name] for name in both)


def test_types_that_became_one_are_paired_once() -> None:
    """If two types became one, the second counts as removed, and its field's type as changed."""
    one = "types:\n  sub: {seq: [{id: p, type: u2}]}\n"
    two = one + "  other: {seq: [{id: p, type: u2}]}\n"
    old = seq("id: a, type: sub", "id: b, type: other") + two
    new = seq("id: a, type: sub", "id: b, type: sub") + one
    found = [(each.kind, each.path) for each in compared(old, new).findings]
    assert found == [("type", "t.b"), ("removed", "t.other")]
    back = [(each.kind, each.path) for each in compared(new, old).findings]
    assert back == [("type", "t.b"), ("added", "t.other")]


def promises() -> list[tuple[str, str]]:
    """Return the cases in which all files of one version should be readable by the other."""
    return [
        (name, files)
        for name, (old, new, _, harm) in sorted(CASES.items())
        for files in ("old-files", "new-files")
        if files not in harm and not any(key in old + new for key in ODD)
    ]


@pytest.mark.parametrize(("name", "promised"), promises())
def test_what_is_promised_readable_is_read(name: str, promised: str) -> None:
    """Files that no finding doubts are read with equal values by the other version."""
    old, new, _, _ = CASES[name]
    writer, other = (old, new) if promised == "old-files" else (new, old)
    with reader(writer, "mine") as mine, reader(other, "theirs") as theirs:
        fitting = [raw for raw in files(seed=len(name)) if taken(mine, raw) is not None]
        assert fitting
        assert [raw for raw in fitting if not agree(mine, theirs, raw)] == []


@pytest.mark.slow
def test_what_is_promised_between_any_two_specs_is_read() -> None:
    """The promise of readable files holds for every pair of the specs in this module."""
    bodies = sorted(
        {
            body
            for case in CASES.values()
            for body in case[:2]
            if not any(key in body for key in ODD)
        }
    )
    raws, promised = [*files(seed=1)], 0
    with ExitStack() as stack:
        records = {body: stack.enter_context(reader(body, str(id(body)))) for body in bodies}
        for old, new in permutations(bodies, 2):
            report = compared(old, new)
            for aspect, mine, theirs in (
                (Aspect.OLD_FILES, records[old], records[new]),
                (Aspect.NEW_FILES, records[new], records[old]),
            ):
                if not report.broken([aspect]):
                    promised += 1
                    fitting = [raw for raw in raws if taken(mine, raw) is not None]
                    wrong = [raw for raw in fitting if not agree(mine, theirs, raw)]
                    assert wrong == [], (old, new, aspect)
    assert promised > len(bodies)


VERBS = "admits|begins|calls|does not|ends|gives|has|is|may be|takes|was"


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_difference_is_a_sentence(name: str) -> None:
    """The text of a difference goes on after its place, which is the subject, with a verb."""
    for each in compared(*CASES[name][:2]).findings:
        assert re.match(rf"({VERBS}) ?", each.text), each.text
        assert str(each).endswith(".")


# The command


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    """Write two files of a spec, the second with a tighter rule and a new label."""
    old, new = tmp_path / "old.ksy", tmp_path / "new.ksy"
    old.write_text(HEAD + seq(f"{N}, valid: {{max: 9}}", "id: k, type: u1, enum: pet") + ENUM)
    new.write_text(
        HEAD
        + seq(f"{N}, valid: {{max: 7}}", "id: k, type: u1, enum: pet")
        + ENUM.replace("}", ", 3: cow}")
    )
    return old, new


def test_the_command_prints_each_difference_in_a_line(versions: tuple[Path, Path]) -> None:
    """`compat` prints one line for each difference and a verdict, and returns 1 if one harms."""
    old, new = versions
    outcome = byteloom("compat", old, new)
    assert outcome.status == 1
    assert outcome.out.splitlines() == [
        (
            f"{new}:5:5: writable: t.n admits values of at most 7 now; it admitted values of at "
            "most 9. This harms old-files, writers."
        ),
        f"{new}:8:3: harmless: t.pet gives 3 the name cow now; older readers see the number.",
        "The change harms old-files and writers.",
    ]


def test_the_last_line_names_what_is_harmed_and_needed(tmp_path: Path) -> None:
    """The last line names what is harmed and what `--need` asked for; `--json` agrees."""
    old, new = tmp_path / "old.ksy", tmp_path / "new.ksy"
    old.write_text(HEAD + seq(N, "id: k, type: u1"))
    new.write_text(HEAD + seq("id: n, type: u2", "id: k, type: u2"))
    last = byteloom("compat", old, new).out.splitlines()[-1]
    more = "It also harms new-files, which count only with --need new-files."
    assert last == f"The change harms old-files. {more}"
    found = json.loads(byteloom("compat", old, new, "--json").out)
    (effects,) = {tuple(each["effects"].items()) for each in found["findings"]}
    assert [name for name, effect in effects if effect != "ok"] == ["old-files", "new-files"]
    new.write_text(HEAD + seq("id: n, type: u2", "id: k, type: u1"))
    last = byteloom("compat", old, new, "--need", "new-files").out.splitlines()[-1]
    assert last.startswith("The change harms new-files.")
    last = byteloom("compat", old, new, "--need", "programs").out.splitlines()[-1]
    rest = "It harms old-files and new-files, which count only with --need old-files --need"
    assert last == f"The change harms no programs. {rest} new-files."
    last = byteloom("compat", old, new, "--need", "programs", "--need", "writers").out
    assert last.splitlines()[-1].startswith("The change harms no programs or writers. It ")


def test_the_command_asks_for_what_is_needed(versions: tuple[Path, Path]) -> None:
    """A tighter rule passes if all that is needed is that old readers read new files."""
    outcome = byteloom("compat", *versions, "--need", "new-files", "--json")
    found = json.loads(outcome.out)
    assert outcome.status == 0
    assert found["compatible"] is True
    assert found["needs"] == ["new-files"]
    assert found["verdict"] == "writable"
    assert found["findings"][0] == {
        "kind": "valid-tightened",
        "verdict": "writable",
        "path": "t.n",
        "message": "admits values of at most 7 now; it admitted values of at most 9",
        "effects": {"old-files": "some", "new-files": "ok", "writers": "some", "programs": "ok"},
        "old": {"file": str(versions[0]), "line": 5, "column": 5, "path": "/seq/0"},
        "new": {"file": str(versions[1]), "line": 5, "column": 5, "path": "/seq/0"},
    }


def test_equal_specs_are_compatible(versions: tuple[Path, Path]) -> None:
    """`compat` says in one line that equal specs have no difference."""
    assert byteloom("compat", versions[0], versions[0]) == (0, "The specs do not differ.\n", "")


def test_a_wrong_spec_is_no_verdict(versions: tuple[Path, Path], tmp_path: Path) -> None:
    """`compat` returns 2 and names the mistakes if a spec is invalid or missing."""
    wrong = tmp_path / "wrong.ksy"
    wrong.write_text(HEAD + "seq: [{id: n, type: u5}]\n")
    for path in (wrong, tmp_path / "missing.ksy"):
        outcome = byteloom("compat", versions[0], path)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith(f"{path}:")
    assert byteloom("compat", *versions, "--need", "luck").status == 2


def test_a_field_that_shows_an_instance_is_no_argument() -> None:
    """A new field that only gives an instance's position breaks no program that builds records."""
    old = seq("id: a, type: u1", "id: ofs, type: u4")
    instance = "instances: {tail: {pos: ofs, size: 2}}\n"
    texts = [str(each.text) for each in compared(old + instance, old).findings]
    assert any("an argument" in text for text in texts)
    report = compared(seq(N) + instance.replace("ofs", "0"), seq(N, "id: ofs, type: u4") + instance)
    effects = {each.path: each.effects.writers for each in report.findings}
    assert effects["t.ofs"] is not Effect.NO
