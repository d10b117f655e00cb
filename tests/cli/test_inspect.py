"""`byteloom inspect` shows the format of a file, and the meaning of its bytes."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cli import byteloom
from tests.support.iceberg_fixtures import entry_schema, list_schema
from tests.support.iceberg_manifests import container, entry, listed, manifest

from byteloom import puffin
from byteloom.hfile import HFileWriter
from byteloom.puffin import DeletionVector, ThetaSketch

VECTOR = DeletionVector.from_positions([1, 3, 70_000, 1 << 33]).to_bytes()
SKETCH = ThetaSketch.from_arrow(pa.array(range(9_000))).to_bytes()
FILES = {"deletion_vector": VECTOR, "theta": SKETCH}


@pytest.fixture(params=FILES)
def kind(request: pytest.FixtureRequest) -> str:
    """Return the name of each format in turn."""
    return str(request.param)


@pytest.mark.parametrize(
    ("data", "found"),
    [(b"", "a file of no format"), (SKETCH, "a Theta sketch"), (b"text", "a file of no format")],
)
def test_only_files_with_blocks_have_blocks(tmp_path: Path, data: bytes, found: str) -> None:
    """`--blocks` refuses a file of another format by that format."""
    path = tmp_path / "file"
    path.write_bytes(data)
    error = f"byteloom: {path} at byte 0 (0x0): found {found}, wanted an HFile, which has blocks\n"
    assert byteloom("inspect", path, "--blocks") == (1, "", error)


def inspected(path: Path, data: bytes, *options: str) -> tuple[int, Any, str]:
    """Return exit status, parsed JSON and stderr of inspecting *data*."""
    path.write_bytes(data)
    outcome = byteloom("inspect", "--json", *options, path)
    return outcome.status, json.loads(outcome.out), outcome.err


@pytest.mark.parametrize("data", [b"", b"\n", bytes(100), b"RIFF" * 30])
def test_other_files_are_not_taken_for_ours(tmp_path: Path, data: bytes) -> None:
    """No format is recognised in empty, zeroed and foreign files."""
    (tmp_path / "a").write_bytes(data)
    assert json.loads(byteloom("verify", "--json", tmp_path / "a").out)["format"] is None


def test_an_unknown_format_says_what_was_found_and_wanted(tmp_path: Path) -> None:
    """The error for an unknown format shows the first bytes and the known formats."""
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR2 and so on")
    outcome = byteloom("inspect", path)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(
        f"byteloom: {path} at byte 0 (0x0): found b'PAR2 and', wanted one of these: Puffin file"
    )
    assert outcome.err.count("\n") == 1


def test_a_directory_leads_to_what_takes_one(tmp_path: Path) -> None:
    """The error for a directory names the commands for directories and for tables."""
    outcome = byteloom("inspect", tmp_path)
    assert outcome.status == 1
    assert "found a directory" in outcome.err
    assert "byteloom table info" in outcome.err


def test_json_has_its_documented_shape(tmp_path: Path, kind: str) -> None:
    """Every JSON report has the documented keys, whatever the format."""
    path = tmp_path / "file"
    status, report, err = inspected(path, FILES[kind])
    assert (status, err) == (0, "")
    assert (report["file"], report["size"], report["format"]) == (str(path), len(FILES[kind]), kind)
    assert {"title", "facts", "properties", "structure", "decoded"} < set(report)
    assert report["error"] is None
    (top,) = report["structure"]
    assert (top["offset"], top["size"]) == (0, len(FILES[kind]))
    assert {"name", "offset", "size"} <= set(top["children"][0])


def test_a_vector_shows_its_cardinality_and_containers(tmp_path: Path) -> None:
    """`inspect` shows the cardinality and the containers of a deletion vector."""
    _, report, _ = inspected(tmp_path / "file", VECTOR)
    assert report["facts"] == {
        "cardinality": 4,
        "containers": {"array": 3, "bits": 0, "runs": 0},
        "first": 1,
        "last": 1 << 33,
    }


def test_a_sketch_shows_its_estimate_and_bounds(tmp_path: Path) -> None:
    """`inspect` shows the estimate and bounds of a sketch as `ThetaSketch` has them."""
    _, report, _ = inspected(tmp_path / "file", SKETCH)
    sketch = ThetaSketch.from_bytes(SKETCH)
    facts = report["facts"]
    assert (facts["estimate"], facts["retained"]) == (sketch.estimate, sketch.num_retained)
    assert facts["lower_bound"] < 9_000 < facts["upper_bound"]


def test_fields_of_an_enum_have_their_names(tmp_path: Path) -> None:
    """Fields of an enum, such as the type of checksums, have their names in text and JSON."""
    path = tmp_path / "a.hfile"
    with HFileWriter(path, checksum="CRC32C") as writer:
        writer.add(b"row", b"value", family=b"f", qualifier=b"", timestamp=9)
    assert re.search(r"checksum_type +24 +1 +crc32c \(2\)\n", byteloom("inspect", path).out)
    document = json.loads(byteloom("inspect", "--json", path).out)
    fields = {each["name"]: each for each in document["structure"][0]["children"]}
    wanted = {"name": "checksum_type", "offset": 24, "size": 1, "label": "crc32c", "value": 2}
    assert fields["checksum_type"] == wanted


def test_damage_shows_what_came_before_it(tmp_path: Path) -> None:
    """Fields before the damage are shown, then the error, and the status is 1."""
    path = tmp_path / "cut"
    path.write_bytes(SKETCH[:20])
    outcome = byteloom("inspect", path)
    assert outcome.status == 1
    assert "num_hashes" in outcome.out
    assert outcome.err == (
        f"byteloom: {path}: theta_sketch.theta at byte 16 (0x10): found 4 bytes left, "
        "wanted 8 bytes\n"
    )


def test_damage_is_in_the_json_too(tmp_path: Path) -> None:
    """JSON has the error of a damaged file in parts, beside the fields before it."""
    damaged = bytearray(VECTOR)
    damaged[20] ^= 1
    status, report, err = inspected(tmp_path / "damaged", bytes(damaged))
    assert status == 1
    assert err.startswith(f"byteloom: {tmp_path}/damaged: deletion_vector.crc at byte")
    assert err == f"byteloom: {report['error']['message']}\n"
    assert report["error"]["kind"] == "ChecksumMismatch"
    assert report["error"]["path"] == "deletion_vector.crc"
    assert report["structure"][0]["children"][0]["name"] == "len_content"


def test_hex_names_every_byte(tmp_path: Path, kind: str) -> None:
    """With `--full`, the dump has all bytes of the file, and no gap in a valid one."""
    path = tmp_path / "file"
    path.write_bytes(FILES[kind])
    _, *rows = byteloom("inspect", "--hex", "--full", path).out.splitlines()
    shown = b"".join(bytes.fromhex(row[10:58]) for row in rows)
    assert shown == FILES[kind]
    assert not [row for row in rows if "(gap)" in row]


@given(kind=st.sampled_from(sorted(FILES)), cut=st.integers(1, 200), data=st.data())
def test_every_byte_of_a_damaged_file_is_in_the_dump(
    kind: str, cut: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The dump of a damaged file has each byte once, and never fails."""
    damaged = bytearray(FILES[kind][:cut])
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(damaged)
    outcome = byteloom("inspect", "--hex", "--full", path)
    assert outcome.status in {0, 1}
    if "wanted one of these: " not in outcome.err:  # else it is not recognised any longer
        _, *rows = outcome.out.splitlines()
        assert b"".join(bytes.fromhex(row[10:58]) for row in rows) == damaged


def test_output_of_a_pipe_is_not_folded(tmp_path: Path) -> None:
    """Output on a pipe is not folded, however long its lines are."""
    path = tmp_path / ("long" * 50)
    path.write_bytes(VECTOR)
    assert byteloom("inspect", path).out.startswith(f"{path}  deletion vector, ")


@pytest.mark.parametrize(
    ("number", "is_valid"),
    [
        ("9999999999", False),
        ("-1", False),
        ("2147483648", False),
        ("2147483647", True),
        ("0", True),
    ],
)
def test_partition_spec_ids_of_manifests_have_31_bits(
    tmp_path: Path, number: str, is_valid: bool
) -> None:
    """A partition spec id of a manifest that is not 0 to 2^31 - 1 is an error at its key."""
    header = {"partition-spec": "[]", "partition-spec-id": number}
    data = container([[entry()]], entry_schema(), header=header)
    status, report, _ = inspected(tmp_path / "m.avro", data)
    assert (status, report["error"] is None) == (int(not is_valid), is_valid)
    assert is_valid or report["error"]["path"] == "partition-spec-id"


MANIFEST = container([[entry(file_path="s3://b/damaged")]], entry_schema())
LIST = container([[listed(MANIFEST, [], manifest_path="s3://b/damaged")]], list_schema())


def test_numbers_of_manifests_are_shown_with_their_names(tmp_path: Path) -> None:
    """The text names content and status; documents have the numbers, and unknown ones stay."""
    path = tmp_path / "m.avro"
    names = ["data (0)", "position_deletes (1)", "equality_deletes (2)"]
    for content, named in enumerate(names):
        of_file = entry(content=content, equality_ids=[1] if content else None)
        path.write_bytes(manifest([of_file], content="deletes" if content else "data"))
        assert "status added (1), " in byteloom("inspect", path).out
        assert f", content {named}, " in byteloom("inspect", path).out
        for form in ("json", "yaml"):
            document = byteloom("inspect", path, "--format", form).out
            assert yaml.safe_load(document)["entries"][0]["content"] == content
    for content, named in [(0, "data (0)"), (1, "deletes (1)"), (7, "7")]:
        path.write_bytes(container([[listed(MANIFEST, [], content=content)]], list_schema()))
        assert f", content {named}, " in byteloom("inspect", path).out


@pytest.mark.parametrize("command", ["inspect", "verify"])
@pytest.mark.parametrize(
    ("data", "field"), [(MANIFEST, "data_file.file_path"), (LIST, "manifest_path")]
)
def test_damage_in_manifests_and_lists_has_their_file(
    tmp_path: Path, command: str, data: bytes, field: str
) -> None:
    """Damage in a record of a manifest or of a list names the file that was given."""
    path = tmp_path / "m.avro"
    at = data.index(b"s3://b/damaged") - 1  # its length
    path.write_bytes(data[:at] + b"\1" + data[at + 1 :])
    outcome = byteloom(command, "--json", path)
    assert outcome.status == 1
    message = json.loads(outcome.out)["error"]["message"]
    assert message.startswith(f"{path}: records[0].{field} at byte {at} ")


@pytest.mark.parametrize("command", ["inspect", "verify"])
@pytest.mark.parametrize("key", ["avro.schema", "schema", "partition-spec"])
def test_damaged_json_in_the_header_of_a_manifest_has_a_place(
    tmp_path: Path, command: str, key: str
) -> None:
    """JSON in a manifest's header that is invalid has the offset of its first wrong byte."""
    text = '{"type": "struct", "fields": [?], "schema-id": 0}'
    path = tmp_path / "m.avro"
    path.write_bytes(container([[entry()]], entry_schema(), header={key: text}))
    outcome = byteloom(command, "--json", path)
    document = json.loads(outcome.out)
    error = document["error"]
    assert (outcome.status, document["file"]) == (1, str(path))
    assert (error["path"], error["offset"]) == (key, path.read_bytes().index(b"?"))
    assert error["found"].startswith("invalid JSON (")


def test_an_avro_file_whose_fields_have_no_names_is_shown(tmp_path: Path) -> None:
    """An Avro file with a field name that is a list is shown as plain Avro."""
    schema = '{"type": "record", "name": "r", "fields": [{"name": ["x"], "type": "int"}]}'
    data = container([[entry()]], entry_schema(), header={"avro.schema": schema})
    assert inspected(tmp_path / "a.avro", data)[1]["title"] == "Avro file"


@pytest.mark.parametrize("command", ["inspect", "describe"])
def test_a_file_that_cannot_be_read_has_a_document_too(tmp_path: Path, command: str) -> None:
    """`--json` prints a document even for a file that cannot be read."""
    (tmp_path / "t.ksy").write_text("meta: {id: t}")
    more = ["--spec", tmp_path / "t.ksy"] if command == "describe" else []
    outcome = byteloom(command, tmp_path / "none", "--json", *more)
    found = json.loads(outcome.out)
    assert outcome.status == 1
    assert outcome.err == f"byteloom: {found['error']['message']}\n"
    assert found["error"]["kind"] == "MissingFile"
    assert (found["file"], found["size"], found["structure"]) == (f"{tmp_path}/none", None, [])


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_dumps_are_text(tmp_path: Path, form: str) -> None:
    """`--hex` with another output form is refused."""
    (tmp_path / "a").write_bytes(SKETCH)
    outcome = byteloom("inspect", tmp_path / "a", "--hex", "--format", form)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"--hex: it cannot be combined with --format {form}" in outcome.err


def test_bytes_that_are_wanted_are_hex_in_documents(tmp_path: Path) -> None:
    """Bytes found and wanted are hex in the error of a JSON document."""
    (tmp_path / "a").write_bytes(b"PFA1PFA1{}" + b"\2\0\0\0\0\0\0\0" + b"PF'1")
    error = json.loads(byteloom("inspect", tmp_path / "a", "--json").out)["error"]
    assert (error["found"], error["wanted"]) == (b"PF'1".hex(), b"PFA1".hex())


def test_data_that_is_not_read_is_named(tmp_path: Path) -> None:
    """`inspect` of damage in a data block ends with what it did not check and what does."""
    byteloom("samples", tmp_path)
    path = tmp_path / "orders.hfile"
    data = bytearray(path.read_bytes())
    data[9_000] ^= 0x5A
    status, report, err = inspected(path, bytes(data))
    assert (status, report["error"], err) == (0, None, "")
    assert "data" in report["unchecked"]
    last = byteloom("inspect", path).out.splitlines()[-1]
    assert last == f"not checked: {report['unchecked']}"
    for command in (["inspect", "--blocks"], ["verify"]):
        assert f"`byteloom {' '.join(command)}`" in last
        assert byteloom(*command, path).status == 1


def test_what_is_not_read_is_said_of_each_format(tmp_path: Path) -> None:
    """Formats whose data `inspect` does not read say so; those that it reads whole do not."""
    byteloom("samples", tmp_path)
    metadata = max((tmp_path / "orders/metadata").glob("*.metadata.json"))
    texts = {
        name: inspected(path, path.read_bytes())[1]["unchecked"]
        for name, path in {
            "lance": tmp_path / "orders.lance",
            "puffin": tmp_path / "orders.puffin",
            "metadata": metadata,
        }.items()
    }
    assert texts == {
        "lance": "the rows in the pages; `byteloom verify` reads all of them",
        "puffin": None,
        "metadata": "the files that this one names; `byteloom verify` reads all of them",
    }
    path = tmp_path / "orders.lance"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert "not checked" not in byteloom("inspect", path).out


def test_a_remark_after_wanted_bytes_is_a_key_of_its_own(tmp_path: Path) -> None:
    """In JSON, `wanted` is the hex alone, and what the line says after the bytes is `note`."""
    (tmp_path / "a.puffin").write_bytes(b"PFA1" + bytes(40))
    error = json.loads(byteloom("verify", tmp_path / "a.puffin", "--json").out)["error"]
    note = "the file begins as a Puffin file, but its end is missing"
    assert (error["found"], error["wanted"]) == ("00000000", b"PFA1".hex())
    assert error["note"] == note
    assert error["message"].endswith(f"wanted b'PFA1': {note}")


def test_a_page_is_written_to_a_file(tmp_path: Path) -> None:
    """`-o` writes the page of `--html`, replaces a file only by force, and refuses other forms."""
    file, page = tmp_path / "a.puffin", tmp_path / "a.html"
    file.write_bytes(VECTOR)
    done = byteloom("inspect", file, "--html", "-o", page)
    assert (done.status, done.out) == (0, f"{page.stat().st_size:,} bytes\n")
    assert page.read_text() == byteloom("inspect", file, "--html", "-o", "-").out
    again = byteloom("inspect", file, "--html", "-o", page)
    assert (again.status, "--force replaces it" in again.err) == (1, True)
    assert byteloom("inspect", file, "--html", "-o", page, "-f").status == 0
    own = byteloom("inspect", file, "--html", "-o", file, "-f")
    assert (own.status, "the command reads it" in own.err) == (1, True)
    text = byteloom("inspect", file, "-o", page)
    assert (text.status, "it needs --html" in text.err) == (2, True)


def test_control_characters_of_a_file_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """What a file says about itself is escaped: a terminal would obey it."""
    with puffin.PuffinWriter(tmp_path / "a.puffin", properties={"a\x07": "b\x1b[31m\nc"}):
        pass
    done = byteloom("inspect", tmp_path / "a.puffin")
    assert "property a\\x07" in done.out
    assert "b\\x1b[31m\\nc" in done.out
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
