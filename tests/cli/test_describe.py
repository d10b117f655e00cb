"""`byteloom describe` shows any file of any spec, with its instances and its damage."""

import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.cli import Outcome, byteloom
from tests.support.gallery import rows

HEAD = "meta: {id: t, endian: le}\n"
PACKED = zlib.compress(b"\x03abcdefg")
DATA = b"\x02\x00\x01" + b"\x02hi" + b"\x01x" + PACKED + bytes(4) + b"\x4d\x00\x00\x00"

SPEC = f"""\
meta: {{id: t, endian: le}}
enums:
  color: {{1: red, 2: green}}
seq:
  - {{id: num, type: u2}}
  - {{id: c, type: u1, enum: color}}
  - {{id: items, type: item, repeat: expr, repeat-expr: num}}
  - {{id: packed, size: {len(PACKED)}, type: item, process: zlib}}
instances:
  tail: {{pos: _io.size - 4, type: u4}}
  twice: {{value: num * 2}}
  first: {{value: 'items[0]'}}
  missing: {{pos: 10000, type: u1}}
  absent: {{pos: 0, type: u1, if: num == 0}}
types:
  item:
    seq:
      - {{id: len_x, type: u1}}
      - {{id: x, size: len_x}}
"""


class Case(NamedTuple):
    """A spec and a file of it."""

    spec: Path
    file: Path

    def described(self, *options: object) -> Outcome:
        """Run the command on the file."""
        return byteloom("describe", self.file, "--spec", self.spec, *options)

    def nodes(self, *options: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the JSON document, and all nodes of its main tree by their path."""
        document = json.loads(self.described("--json", *options).out)
        return document, dict(_paths(document["structure"]))


def _paths(nodes: list[dict[str, Any]], prefix: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = []
    for node in nodes:
        path = f"{prefix}{node['name']}"
        found += [(path, node), *_paths(node.get("children", []), f"{path}.")]
    return found


def case(folder: Path, spec: str, data: bytes) -> Case:
    """Write the spec and the data as files."""
    made = Case(folder / "t.ksy", folder / "t.bin")
    made.spec.write_text(spec, encoding="utf-8")
    made.file.write_bytes(data)
    return made


@pytest.fixture
def sample(tmp_path: Path) -> Case:
    """Write a spec with one field of every kind, and a file of it."""
    return case(tmp_path, SPEC, DATA)


def test_fields_have_their_places_and_values(sample: Case) -> None:
    """`describe` shows each field with offset, size and value, and enums by name."""
    document, nodes = sample.nodes()
    assert (document["format"], document["size"]) == ("t", len(DATA))
    assert nodes["t.num"] == {"name": "num", "offset": 0, "size": 2, "value": 2}
    assert nodes["t.c"] == {"name": "c", "offset": 2, "size": 1, "label": "red", "value": 1}
    assert nodes["t.items[1].x"] == {"name": "x", "offset": 7, "size": 1, "hex": "78"}


def test_parse_instances_are_read_and_shown_where_they_lie(sample: Case) -> None:
    """An instance is shown below its record, with the offset it was read from."""
    _, nodes = sample.nodes()
    tail = {"name": "tail", "offset": len(DATA) - 4, "size": 4, "value": 77}
    assert nodes["t.tail"] == tail
    assert "t.absent" not in nodes


def test_value_instances_have_values_and_no_bytes(sample: Case) -> None:
    """A calculated value is shown without an offset; one that is a record names that record."""
    _, nodes = sample.nodes()
    assert nodes["t.twice"] == {"name": "twice", "value": 4}
    assert nodes["t.first"] == {"name": "first", "value": "→ t.items[0]"}


@pytest.mark.parametrize(("more", "facts"), [(b"", {}), (b"1234", {"bytes_after_last_field": 4})])
def test_bytes_after_the_last_field_are_a_fact(
    tmp_path: Path, more: bytes, facts: dict[str, int]
) -> None:
    """A file with bytes after its last field is shown with their number."""
    spec = "seq: [{id: a, type: u1}]\ninstances: {b: {pos: 4, type: u1}}\n"
    (tmp_path / "t.ksy").write_text(HEAD + spec)
    (tmp_path / "t.bin").write_bytes(b"12345" + more)
    case = Case(tmp_path / "t.ksy", tmp_path / "t.bin")
    assert case.nodes()[0]["facts"] == facts
    assert all(f"  {key}  {value}\n" in case.described().out for key, value in facts.items())


def test_an_instance_that_fails_is_an_error_in_its_place(sample: Case) -> None:
    """An instance that fails has an error in its place; the others are shown, and status is 1."""
    document, nodes = sample.nodes()
    error = nodes["t.missing"]["error"]
    assert error["path"] == document["error"]["path"] == "t.missing"
    assert nodes["t.tail"]["value"] == 77
    outcome = sample.described()
    assert outcome.status == 1
    assert outcome.err.startswith(f"byteloom: {sample.file}: t.missing: ")
    assert "error: t.missing" in outcome.out


def test_what_was_decompressed_is_a_tree_of_its_own(sample: Case) -> None:
    """Decompressed data is a tree of its own, with offsets from its first byte."""
    document, nodes = sample.nodes()
    assert nodes["t.packed"]["size"] == len(PACKED)
    packed = document["decoded"]["t.packed"]
    (top,) = packed["structure"]
    assert packed["size"] == 8
    assert top["children"][1] == {"name": "x", "offset": 1, "size": 3, "hex": "616263"}
    assert "t.packed decoded" in sample.described("--hex").out


def test_the_dump_has_every_byte_once(sample: Case) -> None:
    """The dump has every byte once, even if instances and fields share bytes."""
    _, *rows = sample.described("--hex", "--full").out.partition("\n\n")[0].splitlines()
    assert b"".join(bytes.fromhex(row[10:58]) for row in rows) == DATA
    assert [row for row in rows if row.endswith("t.tail = 77")]
    assert [row for row in rows if row.endswith("(gap)")]


@pytest.mark.parametrize("cut", range(24))
def test_damage_shows_what_was_understood_before_it(tmp_path: Path, cut: int) -> None:
    """A file that is cut anywhere shows its fields before the cut, then the error."""
    document, nodes = case(tmp_path, SPEC, DATA[:cut]).nodes()
    assert document["error"] is not None
    shown = [each for each in nodes.values() if "offset" in each and {"value", "hex"} & each.keys()]
    ends = {0: 0, 2: 2, 3: 3, 5: 4, 6: 6, 7: 7, 8: 8}  # the count of items wants two bytes
    assert sum(each["size"] for each in shown) == ends[max(each for each in ends if each <= cut)]


def test_records_that_lead_to_themselves_end(tmp_path: Path) -> None:
    """A record that refers back to itself is named, and not followed again."""
    spec = HEAD + (
        "seq: [{id: first, type: entry}]\n"
        "types:\n"
        "  entry:\n"
        "    seq: [{id: ofs, type: u1}]\n"
        "    instances: {next: {io: _root._io, pos: ofs, type: entry}}\n"
    )
    document, nodes = case(tmp_path, spec, b"\x01\x02\x00").nodes()
    assert document["error"] is None
    assert nodes["t.first.next.next"]["offset"] == 2
    assert nodes["t.first.next.next.next"]["value"] == "→ t.first"


def test_trees_without_end_are_bounded(tmp_path: Path) -> None:
    """An endless tree of new records ends at a limit of depth or of nodes."""
    spec = HEAD + (
        "seq: [{id: first, type: entry(0)}]\n"
        "types:\n"
        "  entry:\n"
        "    params: [{id: n, type: s4}]\n"
        "    seq: [{id: ofs, type: u1}]\n"
        "    instances: {next: {io: _root._io, pos: 0, type: entry(n + 1)}}\n"
    )
    _, nodes = case(tmp_path, spec, b"\x00").nodes()
    assert 100 < len(nodes) < 1_000


def test_terminated_records_lie_in_the_file(tmp_path: Path) -> None:
    """Records in a stream cut at a terminator or padding have offsets in the file."""
    spec = HEAD + (
        "seq: [{id: a, type: u1}, {id: b, type: inner, terminator: 0}, {id: c, type: u1}]\n"
        "types: {inner: {seq: [{id: x, type: u1}, {id: y, type: u1}]}}\n"
    )
    document, nodes = case(tmp_path, spec, b"\x01\x02\x03\x00\x04").nodes()
    assert document["decoded"] == {}
    assert (nodes["t.b"]["offset"], nodes["t.b"]["size"]) == (1, 3)
    assert (nodes["t.b.y"]["offset"], nodes["t.b.y"]["value"]) == (2, 3)
    assert nodes["t.c"]["offset"] == 4


def test_instances_in_decompressed_data_stand_in_its_tree(tmp_path: Path) -> None:
    """Instances that read decompressed data are in its tree, with offsets in that data."""
    spec = HEAD + (
        f"seq: [{{id: packed, size: {len(PACKED)}, type: inner, process: zlib}}]\n"
        "instances: {last: {io: packed._io, pos: 7, type: u1}}\n"
        "types: {inner: {instances: {second: {pos: 1, type: u1}}}}\n"
    )
    document, nodes = case(tmp_path, spec, PACKED).nodes()
    found = dict(_paths(document["decoded"]["t.packed"]["structure"]))
    assert found["packed.second"] == {"name": "second", "offset": 1, "size": 1, "value": 97}
    assert found["last"] == {"name": "last", "offset": 7, "size": 1, "value": 103}
    assert nodes["t.last"] == {"name": "last", "value": 103}


def test_processed_fields_show_what_they_mean(tmp_path: Path) -> None:
    """Bytes after an xor are shown decoded, and one bit as true or false."""
    spec = HEAD + (
        "seq: [{id: x, size: 2, process: xor(1)}, {id: on, type: b1}, {id: n, type: b7}]\n"
    )
    _, nodes = case(tmp_path, spec, b"``\x85").nodes()
    assert nodes["t.x"]["hex"] == b"aa".hex()
    assert nodes["t.on"]["value"] is True
    assert nodes["t.n"] == {
        "name": "n", "offset": 2, "size": 1, "first_bit": 1, "bits": 7, "value": 5
    }  # fmt: skip


PARAMS = HEAD + (
    "enums: {forms: {3: small, 9: large}}\n"
    "params: [{id: flag, type: bool}, {id: count, type: u2}, {id: form, type: u1, enum: forms},"
    " {id: factor, type: f8}, {id: name, type: str}, {id: key, type: bytes}]\n"
    "seq: [{id: x, type: u1}]\n"
    "instances: {flag_is: {value: flag}, count_is: {value: count}, form_is: {value: form},"
    " factor_is: {value: factor}, name_is: {value: name}, key_is: {value: key}}\n"
)
GIVEN = {
    "flag": "true", "count": "7", "form": "small", "factor": "0.5", "name": "a=b", "key": "00ff",
}  # fmt: skip


def parameters(**changes: str | None) -> list[str]:
    """Return the options of all parameters, with some of them changed or left out."""
    given = {**GIVEN, **changes}
    return [f"--param={name}={value}" for name, value in given.items() if value is not None]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    rows("cli/describe", "parameters_are_given_by_name"),
)
def test_parameters_are_given_by_name(tmp_path: Path, name: str, text: str, value: object) -> None:
    """Numbers are written as in Python, enum values also by name, bytes in hex, text as it is."""
    _, nodes = case(tmp_path, PARAMS, b"\x05").nodes(*parameters(**{name: text}))
    node = nodes[f"t.{name}_is"]
    assert node.get("value", node.get("hex")) == value


@pytest.mark.parametrize(
    ("changes", "message"),
    rows("cli/describe", "parameters_have_to_fit"),
)  # fmt: skip
def test_parameters_have_to_fit(
    tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    """A missing, unknown or invalid parameter is wrong usage."""
    outcome = case(tmp_path, PARAMS, b"\x05").described(*parameters(**changes))
    assert (outcome.status, outcome.out) == (2, "")
    assert f" for --param: {message}\n" in outcome.err


def test_mistakes_of_the_spec_are_reported(tmp_path: Path) -> None:
    """A spec with mistakes is reported with one line for each, and status 1."""
    sample = case(tmp_path, HEAD + "seq: [{id: x, type: u3}, {id: Y, type: u1}]\n", b"")
    outcome = sample.described()
    assert (outcome.status, outcome.out) == (1, "")
    assert [line.partition(": ")[0] for line in outcome.err.splitlines()] == [
        f"{sample.spec}:2:21",
        f"{sample.spec}:2:31",
    ]


def test_a_processor_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A missing processor module is an error of one line."""
    sample = case(tmp_path, HEAD + "seq: [{id: x, size: 1, process: not_there.fx}]\n", b"a")
    outcome = sample.described()
    assert outcome.status == 1
    assert "found no module not_there" in outcome.err
    assert outcome.err.count("\n") == 1


def test_classes_written_by_hand_are_imported_from_the_folders_given(tmp_path: Path) -> None:
    """`--classes` names folders of processors and of opaque types."""
    (tmp_path / "by_hand").mkdir()
    (tmp_path / "by_hand/fx.py").write_text(
        "class Fx:\n    def decode(self, data):\n        return data[::-1]\n"
    )
    (tmp_path / "by_hand/odd.py").write_text(
        "from byteloom.wire import Record\n\n\n"
        "class Odd(Record):\n    NAME, MIN_SIZE = 'odd', 1\n    __slots__ = ('v',)\n\n"
        "    @classmethod\n    def read(cls, r):\n        self = cls()\n"
        "        self.v = r.u1('v')\n        return self\n"
    )
    text = "seq: [{id: x, size: 2, process: fx}, {id: y, type: odd}]\n"
    sample = case(tmp_path, HEAD + text, b"abc")
    outcome = sample.described("--classes", tmp_path / "by_hand")
    assert outcome.status == 0, outcome.err
    assert "6261" in outcome.out.replace(" ", "") or "ba" in outcome.out
    assert "99" in outcome.out


def test_imports_are_looked_up_in_the_folders_given(tmp_path: Path) -> None:
    """`-I` names folders of absolute imports; imported types are traced like others."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "part.ksy").write_text("meta: {id: part}\nseq: [{id: v, type: u1}]\n")
    spec = "meta: {id: t, imports: [/part]}\nseq: [{id: p, type: part}]\n"
    _, nodes = case(tmp_path, spec, b"A").nodes("-I", tmp_path / "lib")
    assert nodes["t.p.v"]["value"] == 65


def test_enums_and_odd_floats_are_printed_as_yaml(tmp_path: Path) -> None:
    """Enums and NaN are printed as numbers that any YAML reader knows."""
    import yaml

    spec = tmp_path / "t.ksy"
    spec.write_text(
        "meta: {id: t, endian: le}\n"
        "seq: [{id: pet, type: u1, enum: pet}, {id: real, type: f4}, {id: other, type: f4}]\n"
        "enums: {pet: {1: cat}}\n"
    )
    (tmp_path / "t.bin").write_bytes(bytes.fromhex("01 0100a07f 0000803f"))
    outcome = byteloom("describe", tmp_path / "t.bin", "--spec", spec, "--format", "yaml")
    assert outcome.status == 0
    (top,) = yaml.safe_load(outcome.out)["structure"]
    assert [repr(each["value"]) for each in top["children"]] == ["1", "nan", "1.0"]
