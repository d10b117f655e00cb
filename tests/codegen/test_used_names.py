"""Names that generated code uses, given to each part of a spec: what it reads stays the same."""

import dataclasses
import inspect
import io
import re
import sys
import tokenize
from enum import IntEnum
from functools import cache
from types import ModuleType
from typing import Any, Final

import kaitaistruct
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.wire import Reader, Record
from byteloom_codegen.kaitaistruct import emit as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit
from byteloom_codegen.scanners.module import emit_scanners

_SPEC: Final = """
meta: {id: sample, endian: le, encoding: UTF-8}
params: [{id: qparam, type: u1}]
seq:
  - {id: qnum, type: u1}
  - {id: qpart, type: 'qhanded(qnum, qparam)', size: 4}
  - {id: qraw, size: qparam, process: xor(qnum)}
  - {id: quntil, type: u1, repeat: until, repeat-until: _ == 0}
  - {id: qrows, type: qrow(qparam), repeat: eos}
instances:
  qplace: {pos: qnum, type: u1}
  qvalue: {value: 'qnum > 2 ? qrows[0].qsum : qnum'}
  qlist: {pos: 1, type: u1, repeat: expr, repeat-expr: 2, if: qnum > 0}
types:
  qrow:
    params: [{id: qgiven, type: u1}]
    seq:
      - {id: qlen, type: u1, valid: {max: 9}}
      - {id: qbody, size: qlen}
      - {id: qtext, type: strz}
      - {id: qcounts, type: u2, repeat: expr, repeat-expr: qgiven}
      - {id: qkind, type: u1, enum: qenum}
      - {id: qbits, type: b3}
      - {id: qflag, type: b5}
      - {id: qpair, type: qtwo}
      - {id: qmaybe, type: u1, if: qflag == 1}
      - {id: qcase, type: {switch-on: qkind, cases: {'qenum::qone': qtwo, _: qmany}}}
    instances: {qsum: {value: qlen + qpair.qleft + _root.qnum}}
  qtwo: {seq: [{id: qleft, type: u1}, {id: qright, type: u1}]}
  qmany: {seq: [{id: qmost, type: u1}, {id: qpairs, type: qtwo, repeat: expr, repeat-expr: qmost}]}
  qhanded:
    params: [{id: qcount, type: u1}, {id: qmore, type: u1}]
    seq: [{id: qfirst, size: qmore}, {id: qsecond, type: u1, if: qcount != 9}]
enums: {qenum: {1: qone, 2: qother}}
"""
_NAMED: Final = sorted(set(re.findall(r"\bq[a-z]+\b", _SPEC)))


def _row(kind: int, body: bytes, maybe: bytes, case: bytes) -> bytes:
    head = bytes((len(body),)) + body + b"text\0" + b"\1\2\3\4"
    return head + bytes((kind, 0x60 | len(maybe), 7, 8)) + maybe + case


_PARAMETER: Final = 2
_DATA: Final = b"".join(
    (
        b"\3abcdef\7\0",
        _row(1, b"xy", b"\x09", b"\5\6"),
        _row(2, b"", b"", b"\2\1\2\3\4"),
        _row(2, b"z", b"", b"\0"),
    )
)


@cache
def _used() -> list[str]:
    """Return the names in the code that is generated of the spec, as a spec may have them."""
    spec = load_text(_SPEC)
    modules = [
        emit(spec, "sample.ksy"),
        emit_scanners(spec, "sample.ksy", everything=True).text,
        *emit_drop_in(spec).values(),
        *emit_drop_in(spec, read_write=True).values(),
    ]
    tokens = (
        token.string
        for text in modules
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NAME
    )
    words = {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", each).lower() for each in tokens}
    names = {each for each in words if re.fullmatch(r"[a-z][a-z0-9_]*", each)}
    return sorted(names - {"true", "false", "not", "and", "or", "str", "sample"})


def _run(name: str, text: str) -> ModuleType:
    module = ModuleType(name)
    module.__package__ = ""
    sys.modules[name] = module  # where dataclasses and scanners look for it
    exec(compile(text, f"{name}.py", "exec"), vars(module))  # noqa: S102  (the test)
    return module


def _top(module: ModuleType, of: type) -> Any:
    """Return the class of the spec itself, which is the first of a module's own."""
    own = (each for each in vars(module).values() if isinstance(each, type))
    return next(each for each in own if issubclass(each, of) and each.__module__ == module.__name__)


def _plain(value: Any) -> Any:
    """Return values without their names."""
    if isinstance(value, IntEnum):
        return int(value)
    if isinstance(value, Record):
        fields = dataclasses.fields(value)  # type: ignore[arg-type]
        stored = [each.name for each in fields if each.name[0] != "_"]
        asked = [
            name
            for name, each in vars(type(value)).items()
            if isinstance(each, property) and name[0] != "_"
        ]
        return [_plain(getattr(value, name)) for name in (*stored, *asked)]
    if isinstance(value, kaitaistruct.KaitaiStruct):
        stored = [name for name in vars(value) if name[0] != "_"]
        asked = [name for name, each in vars(type(value)).items() if isinstance(each, property)]
        return [_plain(getattr(value, name)) for name in (*stored, *sorted(asked))]
    if isinstance(value, dict):
        return [_plain(each) for each in value.values()]
    return list(map(_plain, value)) if isinstance(value, list) else value


def _outcomes(text: str) -> dict[str, Any]:
    """Return what all generated modules of a spec read."""
    spec = load_text(text)
    top = _top(_run("sample", emit(spec, "sample.ksy")), Record)
    parameter = next(iter(inspect.signature(top).parameters))
    handed = {parameter: _PARAMETER}
    record = top.from_bytes(_DATA, **handed)
    arguments = {each.name: each for each in dataclasses.fields(record) if each.init}
    again = top(**{name: getattr(record, name) for name in arguments})
    scans = _run("sample_scan", emit_scanners(spec, "", everything=True, flat=True).text)
    labels = [each.name for each in next(iter(spec.top.enums.values())).members]
    columns = [
        scan(_DATA, **handed).to_pylist()
        for name, scan in vars(scans).items()
        if name.startswith("scan_") and "params" in inspect.signature(scan).parameters
    ]
    drop_in = _top(_run("drop_in", emit_drop_in(spec)["sample.py"]), kaitaistruct.KaitaiStruct)
    both_ways = emit_drop_in(spec, read_write=True)["sample.py"]
    read_write = _top(_run("both_ways", both_ways), kaitaistruct.KaitaiStruct)
    found = read_write(_PARAMETER, kaitaistruct.KaitaiStream(io.BytesIO(_DATA)))
    found._read()
    return {
        "record": _plain(record),
        "read": _plain(top.read(Reader(_DATA), **handed)),
        "written": (record.to_bytes(), again.to_bytes()),
        "scanned": [_unlabelled(_plain(rows), labels) for rows in columns],
        "drop-in": sorted(map(repr, _plain(drop_in(_PARAMETER, _stream())))),
        "read-write": sorted(map(repr, _plain(found))),
    }


def _stream() -> kaitaistruct.KaitaiStream:
    return kaitaistruct.KaitaiStream(io.BytesIO(_DATA))


def _unlabelled(value: Any, labels: list[str]) -> Any:
    """Return rows with the places of the labels of the enum."""
    if isinstance(value, list):
        return [_unlabelled(each, labels) for each in value]
    return labels.index(value) if value in labels else value


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Any]:
    """What is read with the names of the spec as it is."""
    found = _outcomes(_SPEC)
    assert found["written"] == (_DATA, _DATA)
    assert [len(rows) for rows in found["scanned"]] == [3]
    return found


@given(st.sampled_from(_NAMED), st.data())
def test_any_name_in_generated_code_may_be_one_of_the_spec(
    outcomes: dict[str, Any], old: str, data: Any
) -> None:
    """A name of the generated code may be that of a field, a parameter, a type, an enum ...

    The official interface has an attribute `x__enabled` for each instance `x` with a place.
    """
    free = [each for each in _used() if each not in _NAMED and not each.endswith("__enabled")]
    new = data.draw(st.sampled_from(free))
    new += data.draw(st.sampled_from(["", "", "_"]))
    assert _outcomes(re.sub(rf"\b{old}\b", new, _SPEC)) == outcomes


@pytest.mark.parametrize(
    "name",
    ["kind", "type", "value", "index", "at", "field", "r", "w", "it", "limits", "whole", "binary"],
)
@pytest.mark.parametrize("old", ["qparam", "qgiven", "qmore", "qnum", "qrow", "qenum", "qvalue"])
def test_common_names_may_be_those_of_a_spec(outcomes: dict[str, Any], old: str, name: str) -> None:
    """Words that many specs have are names of parameters, fields, types, enums and instances."""
    assert _outcomes(re.sub(rf"\b{old}\b", name, _SPEC)) == outcomes
