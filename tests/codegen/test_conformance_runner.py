"""The conformance runner reports passes and failures correctly, on a small suite."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.kaitai.compare import Differs, expect_equal
from tests.conformance.kaitai.isolate import Outcome
from tests.conformance.kaitai.refused import Expected, expectations
from tests.conformance.kaitai.skips import verdict

_ROOT = Path(__file__).parents[2]

_SPEC = """
meta: {id: %s, endian: le, encoding: ASCII}
seq:
  - {id: a, type: u1}
  - {id: e, type: u1, enum: kind}
  - {id: absent, type: u1, if: a == 0}
instances:
  broken: {value: 1 / (a - a)}
  slow: {pos: 0, size: 1, process: sleeper}
  dead: {pos: 0, size: 1, process: dier}
  range: {pos: 0, type: u1, valid: {max: 1}}
enums: {kind: {2: two}}
"""
_EXTRA = {
    "sleeper": "from time import sleep\nclass Sleeper:\n    def decode(self, data): sleep(600)\n",
    "dier": "import os\nclass Dier:\n    def decode(self, data):\n        os._exit(0)\n",
}
_CASES = {
    "good": """
  - {actual: a, expected: 7}
  - {actual: e, expected: 'good::kind::two'}
  - {actual: absent, expected: 'null'}
  - {actual: range, exception: ValidationGreaterThanError<u1>}
""",
    "wrong_value": "\n  - {actual: a, expected: 8}\n",
    "wrong_kind": "\n  - {actual: e, expected: 2}\n",
    "unknown_name": "\n  - {actual: nothing, expected: 'null'}\n",
    "no_exception": "\n  - {actual: a, exception: EndOfStreamError}\n",
    "other_exception": "\n  - {actual: broken, exception: EndOfStreamError}\n",
    "other_type": "\n  - {actual: range, exception: ValidationGreaterThanError<bytes>}\n",
    "hangs": "\n  - {actual: slow, expected: '[7].as<bytes>'}\n",
    "dies": "\n  - {actual: dead, expected: '[7].as<bytes>'}\n",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what the runner prints for the cases above."""
    suite = tmp_path_factory.mktemp("suite")
    for folder in ("formats", "src", "spec/ks", "spec/python/spec", "spec/python/extra"):
        (suite / folder).mkdir(parents=True)
    (suite / "src/data.bin").write_bytes(b"\7\2")
    (suite / "spec/python/spec/__init__.py").touch()
    for name, text in _EXTRA.items():
        (suite / f"spec/python/extra/{name}.py").write_text(text)
    for name, asserts in _CASES.items():
        (suite / f"formats/{name}.ksy").write_text(_SPEC % name)
        head = f"id: {name}\ndata: data.bin\nasserts:"
        (suite / f"spec/ks/{name}.kst").write_text(head + asserts)
    for name, number in (("good", 7), ("wrong_value", 8)):
        top = "".join(part.title() for part in name.split("_"))
        (suite / f"spec/python/spec/test_{name}.py").write_text(
            f"import unittest\nfrom testformats.{name} import {top}\n\n"
            f"class TestIt(unittest.TestCase):\n    def test_it(self):\n"
            f"        with {top}.from_file('src/data.bin') as r:\n"
            f"            self.assertEqual(r.a, {number})\n"
        )
    command = [sys.executable, "-m", "tests.conformance.kaitai", str(suite), "--seconds", "2"]
    command += ["--form", "kaitaistruct", "--area", "kst", "--area", "python"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_only_what_holds_passes(report: str) -> None:
    """The runner passes the correct cases only, and prints the totals in its last lines."""
    assert report.splitlines()[-2:] == ["kst: 1 passed, 8 failed", "python: 1 passed, 1 failed"]


@pytest.mark.parametrize("case", sorted(_CASES.keys() - {"good"}))
def test_each_failure_is_named(report: str, case: str) -> None:
    """The runner prints a line for each failed case, with the reason."""
    assert any(line.startswith(f"kst {case}: ") for line in report.splitlines())


def test_features_are_counted(report: str) -> None:
    """Each feature of the language has counts of its passed and failed cases."""
    (line,) = (line for line in report.splitlines() if line.startswith("process "))
    assert line.split() == ["process", "1/8", "1/1"]


@pytest.mark.parametrize(
    ("actual", "wanted"),
    [(1, True), (True, 1), (b"a", "a"), (1.0, 1.00001), ([1], [True]), (0, None), ([], None)],
)  # fmt: skip
def test_values_of_another_kind_are_not_equal(actual: object, wanted: object) -> None:
    """Values that Python calls equal, such as 1 and True, differ if their types differ."""
    with pytest.raises(Differs, match=r"^found .*, wanted "):
        expect_equal(actual, wanted, {})


@pytest.mark.parametrize(
    ("actual", "wanted"),
    [(1, 1.0), (0.3, 0.1 + 0.2), (b"a", [97]), ([1, 2.0], [1, 2]), (float("inf"), float("inf"))],
)
def test_numbers_are_equal_to_six_decimals(actual: object, wanted: object) -> None:
    """Floats are equal to six decimals, and a list of numbers equals the same bytes."""
    expect_equal(actual, wanted, {})


def test_a_listed_case_that_passes_is_wrong() -> None:
    """A case in the skip list that passes is an error."""
    listed = {("kst", "a"): "why"}
    assert not verdict("kst", Outcome("a", "failed"), listed)
    assert verdict("kst", Outcome("a"), listed)
    assert verdict("kst", Outcome("b", "failed"), listed)


def test_expectations_stand_at_the_head_of_a_file(tmp_path: Path) -> None:
    """Without the JSON file, expected errors are read from the comments that begin a spec."""
    folder = tmp_path / "formats_err"
    folder.mkdir()
    (folder / "a.ksy").write_text(
        "# a.ksy: /seq/0:\n# \terror: no\n#\n# a.ksy: /meta/id:\n# \twarning: hm\n"
    )
    (folder / "b.ksy").write_text("# b.ksy:6:8:\n# \terror: not YAML\n")
    (folder / "helper.ksy").write_text("meta: {id: helper}\n")
    assert expectations(tmp_path) == {
        folder / "a.ksy": [
            Expected("a.ksy", "/seq/0", "error"),
            Expected("a.ksy", "/meta/id", "warning"),
        ],
        folder / "b.ksy": [Expected("b.ksy", "6:8", "error")],
    }
