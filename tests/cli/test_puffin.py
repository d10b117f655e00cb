"""`byteloom puffin`, and the reports of `inspect` and `verify` on Puffin files."""

import json
import os
import subprocess
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cli import PROGRAM, byteloom
from tests.support.deep_folders import too_deep
from tests.support.gallery import rows
from tests.support.terminal import on_terminal

from byteloom import puffin
from byteloom.puffin import DeletionVector, ThetaSketch

MAX_POSITION = 0x7FFFFFFE_80000000
VECTOR = DeletionVector.from_positions([1, 3, 5])
SKETCH = ThetaSketch.from_arrow(pa.array(range(20_000)))


def written(path: Path, **vector_properties: str) -> Path:
    """Write a Puffin file with a vector, a compressed sketch and an unknown compressed blob."""
    with puffin.PuffinWriter(path, properties={"made-for": "tests"}) as writer:
        for blob, codec in ((VECTOR.blob("data.parquet"), None), (SKETCH.blob(), "zstd")):
            properties = blob.properties | (vector_properties if blob.type[0] == "d" else {})
            writer.add(
                type=blob.type,
                data=blob.data,
                fields=[1],
                snapshot_id=-1,
                sequence_number=-1,
                compression=codec,
                properties=properties,
            )
        writer.add(
            type="own",
            data=b"own content",
            fields=[],
            snapshot_id=7,
            sequence_number=8,
            compression="lz4",
        )
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write a Puffin file of three blobs."""
    return written(tmp_path / "file.puffin")


def test_inspect_decodes_blobs_of_known_types(file: Path) -> None:
    """`inspect` shows the cardinality or estimate of a blob beside its footer entry."""
    report = json.loads(byteloom("inspect", "--json", file).out)
    vector, sketch, own = report["blobs"]
    assert report["properties"]["made-for"] == "tests"
    assert vector["content"]["cardinality"] == 3
    assert sketch["content"]["estimate"] == SKETCH.estimate
    assert (own["type"], own["snapshot_id"], own["codec"], own["decompressed"]) == (
        "own",
        7,
        "lz4",
        11,
    )
    assert [node["name"] for node in report["structure"]] == [
        "magic", "blobs[0]", "blobs[1]", "blobs[2]", "footer",
    ]  # fmt: skip
    assert [node["value"] for node in report["structure"][1:4]] == [
        f"{each['type']}, fields {each['fields']}" for each in (vector, sketch, own)
    ]
    assert set(report["decoded"]) == {"blobs[1]", "blobs[2]"}


def test_inspect_shows_the_same_as_text(file: Path) -> None:
    """`inspect` prints types, properties and the fields of vectors as text."""
    out = byteloom("inspect", file).out
    for text in (
        "Puffin file",
        "made-for",
        "deletion-vector-v1",
        "num_bitmaps",
        "blobs[2] decoded, 11 bytes",
    ):
        assert text in out


def test_depth_bounds_the_structure(file: Path) -> None:
    """With `--depth 1`, `inspect` shows blobs and footer, and nothing inside them."""
    structure = byteloom("inspect", "--depth", 1, file).out.split("structure")[1].split()
    assert {"blobs[0]", "blobs[2]", "footer"} <= set(structure)
    assert not {"deletion_vector", "payload", "theta_sketch"} & set(structure)


def test_many_elements_are_counted_unless_all_are_asked_for(tmp_path: Path) -> None:
    """Of forty blobs the first are shown and the rest counted; `--full` shows all."""
    file = tmp_path / "many.puffin"
    with puffin.PuffinWriter(file) as writer:
        for number in range(40):
            writer.add(type="own", data=b"x", fields=[], snapshot_id=number, sequence_number=1)
    abridged, full = byteloom("inspect", file).out, byteloom("inspect", "--full", file).out
    assert "blobs[7]…" in abridged
    assert "… 33 more" in abridged
    assert "─ blobs[39] " in full
    assert "#39" in abridged


def test_hex_holds_the_whole_file_and_the_decoded_blobs(file: Path) -> None:
    """The dump names every byte, and has compressed blobs again, decompressed."""
    first, *decoded = byteloom("inspect", "--hex", "--full", file).out.split("\n\n")
    assert "(gap)" not in first
    assert bytes.fromhex("".join(row[10:58] for row in first.splitlines()[1:])) == file.read_bytes()
    shown = [
        bytes.fromhex("".join(row[10:58] for row in part.splitlines()[1:])) for part in decoded
    ]
    assert shown == [SKETCH.to_bytes(), b"own content"]


def test_bytes_of_no_blob_are_gaps(tmp_path: Path) -> None:
    """Bytes between blobs, which the format allows, are named gaps."""
    data = bytearray(written(tmp_path / "f").read_bytes())
    with puffin.open(bytes(data)) as opened:
        footer = opened.footer
        end = opened.blobs[-1].offset + opened.blobs[-1].length
    padded = tmp_path / "padded.puffin"
    padded.write_bytes(data[:end] + b"pad" + footer.to_bytes())
    outcome = byteloom("inspect", "--hex", padded)
    (gap,) = [row for row in outcome.out.splitlines() if "(gap)" in row]
    assert gap.split()[1:4] == ["70", "61", "64"]


def test_verify_looks_inside_blobs(tmp_path: Path) -> None:
    """`verify` finds a flipped bit inside a vector, though the file around it is valid."""
    file = written(tmp_path / "file.puffin")
    data = bytearray(file.read_bytes())
    data[4 + 20] ^= 1
    file.write_bytes(data)
    said = byteloom("verify", file).out
    assert said.startswith(f"damaged     {file}  blobs[0].deletion_vector.crc at byte 46 (0x2e)")


def test_verify_compares_cardinality_with_the_property(tmp_path: Path) -> None:
    """`verify` reports a vector whose cardinality is not that of its property."""
    said = byteloom("verify", written(tmp_path / "file.puffin", cardinality="4")).out
    found = "blobs[0].properties.cardinality: found 4, wanted 3, as many as the vector holds"
    assert said.endswith(f"  {found}\n")


@given(data=st.data())
def test_damaged_files_never_fail_to_be_explained(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """`inspect` dumps each byte of a damaged file once, and agrees with `verify`."""
    good = written(tmp_path_factory.getbasetemp() / "good.puffin").read_bytes()
    damaged = bytearray(good[: data.draw(st.integers(len(good) - 700, len(good)))])
    damaged[data.draw(st.integers(4, len(damaged) - 1))] ^= data.draw(
        st.sampled_from([1, 128, 255])
    )
    path = tmp_path_factory.getbasetemp() / "damaged.puffin"
    path.write_bytes(damaged)
    shown = byteloom("inspect", "--hex", "--full", path)
    _, *rows = shown.out.partition("\n\n")[0].splitlines()
    assert b"".join(bytes.fromhex(row[10:58]) for row in rows) == damaged
    assert shown.status == byteloom("verify", path).status


def test_damaged_footer_still_shows_the_end(file: Path) -> None:
    """A file with a wrong leading magic still shows its footer."""
    file.write_bytes(b"XXXX" + file.read_bytes()[4:])
    outcome = byteloom("inspect", file)
    assert outcome.status == 1
    assert "len_payload" in outcome.out
    note = "the file ends as a Puffin file, but does not begin as one"
    wanted = f"magic at byte 0 (0x0): found b'XXXX', wanted b'PFA1': {note}"
    assert outcome.err == f"byteloom: {file}: {wanted}\n"


@pytest.mark.parametrize("blob", ["2", "own"])
def test_cat_writes_a_blobs_content(file: Path, blob: str) -> None:
    """`cat` writes the decompressed content of a blob, named by number or type."""
    assert byteloom("puffin", "cat", file, blob).out == "own content"


def test_cat_prints_nothing_to_a_terminal(file: Path) -> None:
    """`puffin cat` refuses to write the bytes of a blob to a terminal, which would obey them."""
    shown = on_terminal("puffin", "cat", file, 0)
    assert shown.status == 2
    assert "a terminal shows no bytes: wanted a pipe, or > FILE;" in shown.text


def test_cat_raw_writes_what_is_stored(file: Path) -> None:
    """`cat --raw` writes a blob's bytes as they are stored."""
    command = [*PROGRAM, "puffin", "cat", "--raw", str(file), "1"]
    stored = subprocess.run(command, check=True, capture_output=True).stdout
    with puffin.open(file) as opened:
        assert stored == opened.read_stored(opened.blobs[1])


@pytest.mark.parametrize(("blob", "found"), [("3", "3"), ("other", "0 blobs of type other")])
def test_cat_of_no_such_blob_says_what_there_is(file: Path, blob: str, found: str) -> None:
    """The error for an unknown blob lists those that exist."""
    outcome = byteloom("puffin", "cat", file, blob)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(f"byteloom: {file}: blob: found {found}, wanted ")


def test_create_makes_a_file_that_add_extends(tmp_path: Path) -> None:
    """`create` and `add` store blobs, properties and codecs as given."""
    file = tmp_path / "new.puffin"
    assert byteloom("puffin", "create", file, "-p", "a=b=c").status == 0
    added = byteloom(
        "puffin", "add", file, "--type", "own", "--data", "-", "--field", "3", "--field", "1",
        "--property", "k=v", "--compression", "zstd", "--snapshot-id", "5", stdin=b"abc" * 99,
    )  # fmt: skip
    assert added == (0, "", "")
    with puffin.open(file) as opened:
        (blob,) = opened.blobs
        assert opened.read(blob) == b"abc" * 99
        assert opened.properties["a"] == "b=c"
    assert (blob.type, blob.fields, blob.snapshot_id, blob.properties) == (
        "own",
        [3, 1],
        5,
        {"k": "v"},
    )
    assert blob.compression_codec == "zstd"


def test_add_keeps_everything_that_was_there(file: Path) -> None:
    """`add` keeps the stored bytes of old blobs, and the properties of the file."""
    with puffin.open(file) as old:
        before = [old.read_stored(blob) for blob in old.blobs]
        properties = dict(old.properties)
    assert byteloom("puffin", "add", file, "-t", "more", "-d", file).status == 0
    with puffin.open(file) as new:
        assert [new.read_stored(blob) for blob in new.blobs[:3]] == before
        assert dict(new.properties) == properties


@pytest.mark.parametrize("options", [["-d", "/no/such/data"], ["-d", "-", "--compression", "gzip"]])
def test_a_failed_add_leaves_the_file_alone(file: Path, options: list[str]) -> None:
    """A failed `add` leaves the file as it was, and no other file."""
    before = file.read_bytes()
    outcome = byteloom("puffin", "add", file, "-t", "more", *options, stdin=b"x")
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_create_does_not_replace_a_file_unasked(file: Path) -> None:
    """`create` needs --force to replace an existing file."""
    before = file.read_bytes()
    assert byteloom("puffin", "create", file).err == (
        f"byteloom: {file}: the file exists; --force replaces it\n"
    )
    assert file.read_bytes() == before
    assert byteloom("puffin", "create", "--force", file).status == 0
    assert file.stat().st_size < len(before)


def test_a_property_without_a_value_is_wrong_usage(tmp_path: Path) -> None:
    """A property without a value is refused before anything is written."""
    assert byteloom("puffin", "create", tmp_path / "x", "-p", "key").status == 2
    assert list(tmp_path.iterdir()) == []


def test_ndv_sketches_every_column(tmp_path: Path) -> None:
    """`ndv` sketches each primitive column by field id, and names nested ones it leaves out."""
    fields = [
        pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "11"}),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("name", pa.string()),
    ]
    columns = [
        pa.array([1, 2, 2, None]),
        pa.array([[], [], [], []], pa.list_(pa.string())),
        pa.array(list("abca")),
    ]
    pq.write_table(pa.table(columns, schema=pa.schema(fields)), tmp_path / "t.parquet")
    outcome = byteloom("puffin", "ndv", tmp_path / "t.parquet", "-o", tmp_path / "t.puffin")
    assert [line.split() for line in outcome.out.splitlines()] == [
        ["column", "field_id", "ndv", "lower_bound", "upper_bound"],
        ["id", "11", "2", "2", "2"],
        ["name", "3", "3", "3", "3"],
    ]
    assert outcome.err.startswith("byteloom: tags: ")
    with puffin.open(tmp_path / "t.puffin") as opened:
        assert [(blob.fields, blob.properties["ndv"]) for blob in opened.blobs] == [
            ([11], "2"),
            ([3], "3"),
        ]
    chosen = ["-o", tmp_path / "id.puffin", "--columns", "id"]
    assert byteloom("puffin", "ndv", tmp_path / "t.parquet", *chosen).err == ""


def test_ndv_of_nested_columns_alone_makes_no_file(tmp_path: Path) -> None:
    """`ndv` of nested columns alone is an error, and writes no file."""
    column = pa.array([[1], []], pa.list_(pa.int64()))
    pq.write_table(pa.table({"tags": column}), tmp_path / "t.parquet")
    outcome = byteloom("puffin", "ndv", tmp_path / "t.parquet", "-o", tmp_path / "t.puffin")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.splitlines()[1] == (
        f"byteloom: {tmp_path / 't.parquet'}: found no column that can be sketched,"
        " wanted a column of a primitive type"
    )
    assert not (tmp_path / "t.puffin").exists()


@pytest.mark.parametrize("name", ["s", "s.a", "s.none"])
def test_ndv_says_that_nested_columns_have_no_sketch(name: str, tmp_path: Path) -> None:
    """A nested column, or a field in one, is refused as such, with the columns that there are."""
    pq.write_table(pa.table({"s": [{"a": 1}], "id": [1]}), tmp_path / "t.parquet")
    out = tmp_path / "t.puffin"
    outcome = byteloom("puffin", "ndv", tmp_path / "t.parquet", "-o", out, "-c", name)
    assert (outcome.status, outcome.out) == (1, "")
    wanted = "a column of the schema: id; nested columns have no sketch"
    assert outcome.err.endswith(f"t.parquet: columns: found {name!r}, wanted {wanted}\n")


def test_ndv_makes_its_file_though_nobody_reads_what_it_prints(tmp_path: Path) -> None:
    """`ndv` writes its file even if its output pipe is closed."""
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "t.parquet")
    reading, writing = os.pipe()
    os.close(reading)
    places = [str(tmp_path / "t.parquet"), "-o", str(tmp_path / "t.puffin")]
    command = [*PROGRAM, "puffin", "ndv", *places]
    subprocess.run(command, stdout=writing, stderr=subprocess.DEVNULL, check=False)
    os.close(writing)
    with puffin.open(tmp_path / "t.puffin") as opened:
        assert len(opened.blobs) == 1


def test_ndv_of_no_parquet_file_is_one_line(tmp_path: Path) -> None:
    """`ndv` of a file that is not Parquet is an error of one line."""
    (tmp_path / "t.parquet").write_bytes(b"no parquet")
    outcome = byteloom("puffin", "ndv", tmp_path / "t.parquet", "-o", tmp_path / "t.puffin")
    assert (outcome.status, outcome.err.count("\n")) == (1, 1)
    assert not (tmp_path / "t.puffin").exists()


def test_files_are_read_from_urls(file: Path) -> None:
    """Files are read by URL as by path."""
    assert byteloom("puffin", "cat", file.as_uri(), "own").out == "own content"
    assert byteloom("verify", file.as_uri()).status == 0


class TestVectors:
    def test_what_is_shown_can_be_made(self, tmp_path: Path) -> None:
        """Lines of positions in any order become a vector, which is shown as sorted lines."""
        lines = b"12\n 3 - 5 \n\n4\n4294967296-4294967298\n1"
        first = tmp_path / "first"
        made = byteloom("puffin", "dv", "make", "-", "-o", first, "--data-file", "d", stdin=lines)
        assert (made.status, made.out) == (0, "8 positions\n")
        shown = byteloom("puffin", "dv", "show", first).out
        assert shown == "1\n3-5\n12\n4294967296-4294967298\n"
        (tmp_path / "lines").write_text(shown)
        byteloom(
            "puffin", "dv", "make", tmp_path / "lines", "-o", tmp_path / "again", "--data-file", "d"
        )
        assert (tmp_path / "again").read_bytes() == first.read_bytes()
        assert byteloom("verify", first).status == 0

    def test_every_position_on_request(self, file: Path) -> None:
        """`dv show --each` prints every position of the blob on its own line."""
        assert byteloom("puffin", "dv", "show", "--each", file, "0").out == "1\n3\n5\n"

    def test_no_position_is_no_line(self, tmp_path: Path) -> None:
        """A vector of no positions is written, and shown without a line."""
        byteloom("puffin", "dv", "make", "-", "-o", tmp_path / "f", "--data-file", "d", stdin=b"\n")
        assert byteloom("puffin", "dv", "show", tmp_path / "f") == (0, "", "")

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            ("1\nx\n", "line 2: found x, wanted a position, or two as 5-12"),
            ("-1", "line 1: found -1"),
            ("7\n5-1", "line 2: found 5-1, wanted the lower first, as 5-12"),
            (
                str(MAX_POSITION + 1),
                f"{MAX_POSITION + 1}, wanted positions from 0 to {MAX_POSITION}",
            ),
            ("1\n99999999999999999999999", "line 2: found 99999999999999999999999, wanted"),
            ("0-9223372036854775807", "line 1: found 0-9223372036854775807, wanted positions from"),
            ("9" * 5000, f"line 1: found {'9' * 40}, wanted positions from"),
            (f"0-{MAX_POSITION}", "positions: found range"),
        ],
    )
    def test_wrong_lines_are_refused(self, tmp_path: Path, lines: str, message: str) -> None:
        """An invalid line is refused by its number, or by its impossible position."""
        made = ["puffin", "dv", "make", "-", "-o", tmp_path / "f", "--data-file", "d"]
        outcome = byteloom(*made, stdin=lines.encode())
        assert (outcome.status, outcome.out, message in outcome.err) == (1, "", True)
        assert not (tmp_path / "f").exists()

    def test_a_range_of_one_and_the_last_position_are_taken(self, tmp_path: Path) -> None:
        """A range of one position, and the largest position, are accepted."""
        made = ["puffin", "dv", "make", "-", "-o", tmp_path / "f", "--data-file", "d"]
        assert byteloom(*made, stdin=b"5-5").status == 0
        assert byteloom("puffin", "dv", "show", tmp_path / "f").out == "5\n"
        last = byteloom(*made, "-f", stdin=f"{MAX_POSITION}".encode())
        assert "2147483646 upper halves without positions" in last.err  # too many to be written

    def test_what_is_no_text_is_refused(self, tmp_path: Path) -> None:
        """Positions that are not text are refused, and nothing is written."""
        target = tmp_path / "f"
        made = byteloom(
            "puffin", "dv", "make", "-", "-o", target, "--data-file", "d", stdin=b"\xff"
        )
        assert made.status == 1
        assert "found bytes that are no text" in made.err
        assert not target.exists()

    @pytest.mark.parametrize(
        ("blob", "message"),
        [
            ("7", "{file}: BLOB: found 7, wanted a number below 3"),
            ("1", "wanted deletion-vector-v1"),
            ("-1", "No such option"),
        ],
    )
    def test_another_blob_is_refused(self, blob: str, message: str, file: Path) -> None:
        """`dv show` refuses a blob by its number or its type, with the file."""
        shown = byteloom("puffin", "dv", "show", file, blob)
        assert shown.status in {1, 2}
        assert message.format(file=file) in shown.err

    def test_a_missing_file_of_lines_is_named(self, tmp_path: Path) -> None:
        """A missing file of positions is named in the error."""
        made = byteloom("puffin", "dv", "make", tmp_path / "no", "-o", "f", "--data-file", "d")
        assert made.err == f"byteloom: {tmp_path}/no: No such file or directory\n"


@pytest.mark.parametrize("command", ["ndv", "dv"])
def test_an_output_that_exists_needs_force(file: Path, tmp_path: Path, command: str) -> None:
    """`ndv` and `dv make` replace a file only with --force."""
    pq.write_table(pa.table({"a": range(3)}), tmp_path / "t.parquet")
    (tmp_path / "rows").write_text("1-3")
    arguments = ["puffin", "ndv", tmp_path / "t.parquet", "-o", file]
    if command == "dv":
        arguments = ["puffin", "dv", "make", tmp_path / "rows", "-o", file, "--data-file", "x"]
    before = file.read_bytes()
    refused = byteloom(*arguments)
    assert (refused.status, file.read_bytes()) == (1, before)
    assert refused.err == f"byteloom: {file}: the file exists; --force replaces it\n"
    assert byteloom(*arguments, "--force").status == 0
    assert file.read_bytes() != before


def test_a_footer_that_promises_too_much_still_shows_its_blobs(file: Path) -> None:
    """A blob outside the file is shown with its entry in the footer."""
    with puffin.open(file) as opened:
        length = opened.blobs[0].length
    old, new = (f'"length":{number}'.encode() for number in (length, 10 ** len(str(length)) - 1))
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    outcome = byteloom("inspect", "--json", file)
    report = json.loads(outcome.out)
    assert outcome.status == 1
    assert report["error"]["path"].endswith(".offset")
    assert [blob["type"] for blob in report["blobs"]][2:] == ["own"]
    assert report["properties"]["made-for"] == "tests"


def test_no_line_ends_in_blanks(file: Path) -> None:
    """No line of a report ends in blanks."""
    lines = byteloom("inspect", file).out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []


def _parquet(place: Path, values: list[int], name: str = "id") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({name: values, "other": [str(each) for each in values]}), place)
    return place


def test_ndv_takes_folders_globs_and_several_files(tmp_path: Path) -> None:
    """`ndv` takes folders, globs and several files as one table, without hidden files."""
    root = tmp_path / "table"
    files = [_parquet(root / "a=1" / "1.parquet", [1, 2]), _parquet(root / "2.parquet", [2, 3])]
    _parquet(root / "_temporary" / "3.parquet", [9, 10])
    _parquet(root / ".4.parquet", [11])
    for named in ([root], files, [root / "**" / "[12].parquet"]):
        out = tmp_path / "out.puffin"
        outcome = byteloom(
            "puffin", "ndv", *named, "-o", out, "--force", "--columns", "id", "--json"
        )
        assert json.loads(outcome.out) == {
            "column": "id", "field_id": 1, "ndv": 3, "lower_bound": 3.0, "upper_bound": 3.0,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("named", "message"),
    rows("cli/puffin", "ndv_says_which_file_does_not_fit"),
)
def test_ndv_says_which_file_does_not_fit(named: list[str], message: str, tmp_path: Path) -> None:
    """`ndv` names the file that does not fit the others, and writes nothing."""
    _parquet(tmp_path / "1.parquet", [1])
    _parquet(tmp_path / "2.parquet", [1], "key")
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.parquet").write_text("id,other")
    (tmp_path / "blank.parquet").touch()
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    byteloom("puffin", "create", tmp_path / "p.puffin")
    whole = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(40) + whole[-8:])
    outcome = byteloom("puffin", "ndv", *named, "-o", "out.puffin", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1].startswith(f"byteloom: {message}")
    assert not (tmp_path / "out.puffin").exists()


def test_ndv_says_that_a_folder_is_an_iceberg_table(tmp_path: Path) -> None:
    """`ndv` reads all files of a table's folder, and names the command that writes current rows."""
    byteloom("samples", tmp_path)
    root, rows, out = tmp_path / "orders", tmp_path / "rows.parquet", tmp_path / "out.puffin"
    sketch = ("-o", out, "--force", "--columns", "id", "--json")
    files = byteloom("puffin", "ndv", root, *sketch)
    assert json.loads(files.out)["ndv"] == 1000
    counted = "all Parquet files in it are read, with rows that the table has deleted"
    advice = f"`byteloom table scan {root} -o FILE.parquet` writes its current rows"
    assert files.err == f"byteloom: {root} is an Iceberg table: {counted}; {advice}\n"
    assert byteloom("puffin", "ndv", f"file://{root}", *sketch).err.endswith(files.err[-90:])
    byteloom("table", "scan", root, "-o", rows)
    current = byteloom("puffin", "ndv", rows, *sketch)
    assert (json.loads(current.out)["ndv"], json.loads(current.out)["field_id"]) == (990, 1)
    assert current.err == ""


def test_ndv_counts_the_iceberg_tables_of_a_folder(tmp_path: Path) -> None:
    """Of several Iceberg tables `ndv` names the first; a folder `metadata` alone makes no table."""
    for name in ("a table", "b"):
        _parquet(tmp_path / name / "data" / "1.parquet", [1])
        for version in (1, 2):
            file = tmp_path / name / "metadata" / f"v{version}.metadata.json"
            file.parent.mkdir(exist_ok=True)
            file.touch()
    _parquet(tmp_path / "c" / "metadata" / "1.parquet", [1])
    for place in (tmp_path, tmp_path / "*"):
        err = byteloom("puffin", "ndv", place, "-o", tmp_path / "o.puffin", "-f").err
        assert err.startswith(f"byteloom: {place}".rstrip("*")), err
        assert "/a table is an Iceberg table and 1 more: " in err
        assert "a table' -o FILE.parquet`" in err
    assert not byteloom("puffin", "ndv", tmp_path / "c", "-o", tmp_path / "c.puffin").err


def test_ndv_finds_iceberg_tables_in_a_store(tmp_path: Path) -> None:
    """In a store `ndv` names an Iceberg table as it does among local files."""
    store = fsspec.filesystem("memory")
    data = _parquet(tmp_path / "1.parquet", [1]).read_bytes()
    store.pipe({"/ndv/t/data/1.parquet": data, "/ndv/t/metadata/v1.metadata.json": b"{}"})
    for place in ("memory://ndv", "memory://ndv/t"):
        done = byteloom("puffin", "ndv", place, "-o", tmp_path / "o", "-f", "-c", "id", "--json")
        assert json.loads(done.out)["ndv"] == 1
        assert done.err.startswith("byteloom: memory://ndv/t is an Iceberg table: ")


def test_ndv_follows_no_links_to_folders(tmp_path: Path) -> None:
    """`ndv` follows no links to folders, and names them on stderr."""
    root = tmp_path / "table"
    _parquet(root / "a" / "1.parquet", [1, 2])
    (root / "a" / "up").symlink_to(root)
    (root / "out").symlink_to(tmp_path)
    outcome = byteloom("puffin", "ndv", root, "-o", tmp_path / "out.puffin", "-c", "id", "--json")
    assert json.loads(outcome.out)["ndv"] == 2
    stated = f"byteloom: links to folders are not followed: {root}/out and 1 more\n"
    assert (outcome.status, outcome.err) == (0, stated)


def test_ndv_of_folders_that_cannot_be_read_writes_nothing(tmp_path: Path) -> None:
    """`ndv` names all folders that it cannot read, and writes nothing."""
    _parquet(tmp_path / "1.parquet", [1])
    deep = too_deep(tmp_path)
    outcome = byteloom("puffin", "ndv", tmp_path, "-o", "out.puffin", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == f"byteloom: {deep}: File name too long\n"
    assert not (tmp_path / "out.puffin").exists()


@pytest.mark.parametrize("command", [["ls"], ["cat", 0]])
def test_standard_input_is_a_file_too(command: list[object], tmp_path: Path) -> None:
    """``-`` reads standard input to its end."""
    file = tmp_path / "one.puffin"
    with puffin.PuffinWriter(file) as writer:
        writer.add(type="kind", data=b"content", fields=[1], snapshot_id=7, sequence_number=1)
    name, *rest = command
    piped = byteloom("puffin", name, "-", *rest, stdin=file.read_bytes())
    assert piped == byteloom("puffin", name, file, *rest)
    assert piped.status == 0


def test_deletion_vectors_are_shown_as_json(tmp_path: Path) -> None:
    """`dv show` prints ranges as JSON, or a line for each position."""
    (tmp_path / "rows").write_text("1\n5-6\n")
    file = tmp_path / "dv.puffin"
    made = byteloom(
        "puffin", "dv", "make", tmp_path / "rows", "-o", file, "--data-file", "x", "--json"
    )
    assert json.loads(made.out) == {"cardinality": 3}
    output = byteloom("puffin", "dv", "show", file, "--format", "json").out
    assert output == '{"first": 1, "last": 1}\n{"first": 5, "last": 6}\n'
    output = byteloom("puffin", "dv", "show", file, "--json", "--each").out
    assert output == '{"position": 1}\n{"position": 5}\n{"position": 6}\n'


def test_blobs_are_listed(tmp_path: Path) -> None:
    """Blobs are listed one a line in the footer's order, with the number that `cat` takes."""
    file = tmp_path / "two.puffin"
    with puffin.PuffinWriter(file) as writer:
        for kind in ("one", "two"):
            writer.add(
                type=kind, data=kind.encode(), fields=[1, 2], snapshot_id=7, sequence_number=1,
                properties={"about": kind},
            )  # fmt: skip
    listed = [
        json.loads(line) for line in byteloom("puffin", "ls", file, "--json").out.splitlines()
    ]
    assert listed == [
        {
            "number": number, "type": kind, "fields": [1, 2], "snapshot_id": 7,
            "sequence_number": 1, "offset": 4 + 3 * number, "size": 3, "codec": None,
            "properties": {"about": kind},
        }
        for number, kind in enumerate(["one", "two"])
    ]  # fmt: skip
    out = tmp_path / "blobs.parquet"
    assert byteloom("puffin", "ls", file, "-n", 1, "-o", out).status == 0
    assert pq.read_table(out)["type"].to_pylist() == ["one"]
