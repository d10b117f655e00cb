"""Modules of one folder may import each other, in cycles and under any name."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from tests.support.cli import byteloom
from tests.support.forks import Forks, forks
from tests.support.tools import complaints


class Family(NamedTuple):
    """Specs by name, the first of which reads *data*; *holds* is true of the record."""

    specs: dict[str, str]
    data: bytes
    holds: str


def _one(name: str, rest: str = "seq: [{id: v, type: u1}]") -> str:
    return f"meta: {{id: {name}}}\n{rest}\n"


_RESERVED: Final = ("if", "reader", "self", "any", "record", "int_enum", "len", "i", "given")

FAMILIES: Final = {
    "circle": Family(
        {
            "a": "meta: {id: a, imports: [b]}\n"
            "seq: [{id: n, type: u1}, {id: x, type: b, if: n > 0}]\n"
            "enums: {e: {1: one}}\ntypes: {inner: {seq: [{id: q, type: u1, enum: e}]}}\n",
            "b": "meta: {id: b, imports: [a]}\n"
            "seq: [{id: n, type: u1}, {id: y, type: a, if: n > 0}, {id: z, type: 'a::inner'},"
            " {id: e, type: u1, enum: 'a::e'}]\n",
        },
        bytes([1, 1, 0, 1, 1]),
        "r.x.y.n == 0 and r.x.z.q == 1",
    ),
    "stream of an imported record": Family(
        {
            "a": "meta: {id: a, imports: [b]}\n"
            "seq: [{id: x, type: b, size: 3}, {id: y, type: 'b::inner', size: 2}]\n"
            "instances: {second: {io: x._io, pos: 1, type: u1}, left: {value: y._io.size}}\n",
            "b": "meta: {id: b}\nseq: [{id: data, size-eos: true}]\n"
            "types: {inner: {seq: [{id: v, type: u1}]}, other: {seq: [{id: v, type: u1}]}}\n",
        },
        bytes([1, 2, 3, 4, 5]),
        "r.second == 2 and r.left == 2",
    ),
    "itself": Family(
        {
            "a": "meta: {id: a, imports: [a]}\n"
            "seq: [{id: n, type: u1}, {id: x, type: a, if: n > 0}]\n"
        },
        b"\1\1\0",
        "r.x.x.n == 0",
    ),
    "diamond, absolute and relative": Family(
        {
            "a": "meta: {id: a, imports: [b, c]}\n"
            "seq: [{id: x, type: b}, {id: y, type: c}, {id: s, type: x}]\n"
            "types: {x: {seq: [{id: v, type: u1}]}, d: {seq: [{id: own, type: u1}]}}\n"
            "instances: {w: {value: x.d}, o: {value: s}}\n",
            "b": "meta: {id: b, imports: [/sub/d]}\n"
            "seq: [{id: d, type: d}, {id: e, type: u1, enum: 'd::k'}]\n",
            "c": "meta: {id: c, imports: [sub/d]}\nseq: [{id: d, type: d}, {id: x, type: x}]\n"
            "types: {x: {seq: [{id: vv, type: u1}]}}\ninstances: {k: {value: x}}\n",
            "sub/d": "meta: {id: d, imports: [../a]}\nseq: [{id: v, type: u1}]\n"
            "enums: {k: {3: three}}\n",
        },
        bytes([9, 3, 5, 6, 7]),
        "r.x.d.v == r.w.v == 9 and r.o.v == 7 and r.y.x.vv == 6",
    ),
    "fields called like modules": Family(
        {
            "a": "meta: {id: a, imports: [b]}\n"
            "seq: [{id: c, type: u1}, {id: b, type: b, if: c > 0}, {id: d, size: c}]\n",
            "b": "meta: {id: b, imports: [a]}\n"
            "seq: [{id: b, type: u1}, {id: a, size: b}, {id: x, type: a}]\n"
            "instances: {y: {value: x.as<a>}}\n",
        },
        bytes([1, 1, 8, 0, 9]),
        "r.b.b == 1 and r.d == b'\\t'",
    ),
    "reserved names": Family(
        {
            "a": f"meta: {{id: a, imports: [b, {', '.join(_RESERVED)}]}}\n"
            "seq: [{id: b, type: b}, {id: own, type: c},"
            + ", ".join(f"{{id: x{name}, type: {name}}}" for name in _RESERVED)
            + "]\n"
            "types: {c: {seq: [{id: b, type: u1, if: false}, {id: z, type: 'b::t'}]},"
            " t: {seq: [{id: a, type: u1}]}}\n"
            "instances: {m: {value: own.z}, k: {value: b.e}}\n",
            "b": "meta: {id: b}\nseq: [{id: b, type: u1}, {id: e, type: u1, enum: t2}]\n"
            "types: {t: {seq: [{id: bt, type: u1}]}}\nenums: {t2: {0: none}}\n",
            **{name: _one(name) for name in _RESERVED},
        },
        bytes(range(1, 13)),
        "r.own.z.bt == r.m.bt == 3 and r.xif.v == 4 and r.xgiven.v == 12",
    ),
}
FORMS: Final = {
    "flat": ["--flat", "--scanners"],
    "package": ["--package", "--scanners"],
    "drop_in": ["--api", "kaitaistruct"],
}


def generated(specs: dict[str, str], folder: Path, form: str) -> Path:
    """Generate *specs* into a folder of *folder*."""
    source, out = folder / "specs", folder / "made"
    for name, text in specs.items():
        path = source / f"{name}.ksy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    top = source / f"{next(iter(specs))}.ksy"
    outcome = byteloom("generate", top, "-I", source, "-o", out, *FORMS[form])
    assert outcome.status == 0, outcome.err
    if form == "package":
        (out / "__init__.py").touch()
    return out


@pytest.fixture(scope="module")
def python() -> Iterator[Forks]:
    """Start a process whose forks import modules, each as the first that was generated."""
    with forks("byteloom.wire.record", "kaitaistruct") as found:
        yield found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("family", FAMILIES)
def test_modules_find_each_other(family: str, form: str, tmp_path: Path, python: Forks) -> None:
    """Each module of a cycle can be imported first, and reads the records of the others."""
    specs, data, holds = FAMILIES[family]
    out = generated(specs, tmp_path, form)
    prefix, path = ("made.", tmp_path) if form == "package" else ("", out)
    for first in sorted(each.stem for each in out.glob("*.py") if each.stem in {"a", "b", "d"}):
        code = (
            f"import importlib as l; l.import_module({prefix + first!r})\n"
            f"r = l.import_module({prefix + 'a'!r}).A.from_bytes({data!r})\n"
            f"assert {holds}\n"
            + ("" if form == "drop_in" else f"assert r.to_bytes() == {data!r}\n")
        )
        python.run(code, path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate all families, in flat folders ``0/flat`` and packages ``made0``, and so on."""
    folder = tmp_path_factory.mktemp("siblings")
    for number, family in enumerate(FAMILIES.values()):
        generated(family.specs, folder / f"{number}", "flat").rename(folder / f"{number}/flat")
        generated(family.specs, folder / f"{number}", "package").rename(folder / f"made{number}")
    return folder


def test_the_formatter_has_nothing_to_say(made: Path) -> None:
    """Modules that import each other pass ruff's formatter."""
    assert not complaints("format", made)


def test_packages_pass_the_type_checker(made: Path) -> None:
    """Packages whose modules import each other pass mypy's strict mode."""
    packages = [part for number in range(len(FAMILIES)) for part in ("-p", f"made{number}")]
    assert not complaints("mypy", *packages, cwd=made)


@pytest.mark.parametrize("number", range(len(FAMILIES)), ids=FAMILIES)
def test_flat_modules_pass_the_type_checker(number: int, made: Path) -> None:
    """Modules of one folder that import each other pass mypy's strict mode."""
    assert not complaints("mypy", "flat", cwd=made / f"{number}")


@pytest.mark.parametrize("name", ["typing", "struct", "enum", "byteloom", "kaitaistruct"])
def test_a_module_that_hides_another_is_reported(name: str, tmp_path: Path, python: Forks) -> None:
    """A module that hides one of Python's is a warning, except inside a package."""
    spec = tmp_path / f"{name}.ksy"
    spec.write_text(_one(name))
    flat = byteloom("generate", spec, "-o", tmp_path / "flat")
    assert flat.status == 0
    assert f"{name}.ksy:1:12: /meta/id: warning: {name}.py hides the module {name} of" in flat.err
    package = byteloom("generate", spec, "-o", tmp_path / "made", "--package")
    assert package == (0, f"{tmp_path / 'made' / name}.py\n", "")
    (tmp_path / "made/__init__.py").touch()
    code = f"from made.{name} import *; assert {name.title()}_.from_bytes(b'a').v == 97"
    code = code if name == "struct" else code.replace("_.", ".")
    python.run(code, tmp_path)


def test_a_keyword_becomes_a_module_with_an_underscore(tmp_path: Path) -> None:
    """A spec called like a keyword becomes a module with an underscore."""
    out = generated({"if": _one("if")}, tmp_path, "package")
    assert sorted(each.name for each in out.glob("if*.py")) == ["if_.py", "if_scan.py"]


@pytest.mark.parametrize("form", FORMS)
def test_two_files_of_one_id_are_refused(form: str, tmp_path: Path) -> None:
    """Two files with one id are refused, since both would become one module."""
    for folder in ("p", "q"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.ksy").write_text(_one("x"))
    (tmp_path / "a.ksy").write_text("meta: {id: a, imports: [p/x, q/x]}\n")
    outcome = byteloom("generate", tmp_path / "a.ksy", "-o", tmp_path / "out", *FORMS[form])
    assert outcome.status == 1
    assert "q/x.ksy:1:12: /meta/id: 'x' is the id of" in outcome.err
    assert not (tmp_path / "out").exists()
