"""Blobs of version 2 (`lance.blob.v2`, releases from 2.0.1 on): descriptors, and their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from tests.support.lance_blobs import (
    ONE,
    PACKED,
    SIX,
    TYPE,
    V2,
    blob_dataset,
    blob_fields,
    place,
    put,
)
from tests.support.lance_datasets import fragment, put_dataset
from tests.support.lance_files import lance_field, lance_file
from tests.support.lance_findings import changed_page
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import FormatError, LimitExceeded, MissingFile, StorageError, Unsupported
from byteloom.limits import Limits
from byteloom_generated.lance.encodings import BLOB_DESCRIPTOR

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20
X = lance_field("x", "int64")
HEAD = lance_field("b", "struct", 1, metadata=PACKED)
PARTS = [lance_field(each.name, each.logical_type, -1) for each in BLOB_DESCRIPTOR]
ROWS = [place(0, 64, 3), None, place(3, 5, 9, 0, "s3://a/b")]


def blobs(found: lance.Dataset) -> list[bytes | None]:
    """The bytes of all blobs."""
    values: list[bytes | None] = found.to_table(["b"], with_blob_bytes=True)["b"].to_pylist()
    return values


# Descriptors


def test_fields_without_ids_belong_to_the_descriptor_before_them() -> None:
    """Files store the fields of a descriptor without ids and parents; those follow it."""
    after = lance_field("y", "int64", 6)
    with lance.open(lance_file([X, HEAD, *PARTS, after], [], rows=0)) as file:
        assert [each.name for each in file.fields] == ["x", "b", "y"]
        names = ["b.kind", "b.position", "b.size", "b.blob_id", "b.blob_uri"]
        assert [each.path for each in file.fields[1].children] == names


@pytest.mark.parametrize(
    "fields",
    [
        [X, *PARTS],
        [lance_field("b", "struct", 1), *PARTS],
        [HEAD, X, PARTS[0]],
        [HEAD, lance_field("kind", "uint8", -1, parent_id=1)],
    ],
)
def test_other_fields_without_ids_are_refused(fields: list[Any]) -> None:
    """A field without an id that follows no descriptor of blobs is refused."""
    with pytest.raises(FormatError, match=r"\.id: found -1, wanted an id that no field before it"):
        lance.open(lance_file(fields, [], rows=0))


def test_a_scan_has_the_descriptors(tmp_path: Path) -> None:
    """As in pylance, rows have descriptors of blobs: which file has each, and where."""
    dataset = blob_dataset(tmp_path, ROWS)
    assert dataset.schema.field("b").type == TYPE
    assert dataset.to_table().to_pydict() == {"x": [0, 1, 2], "b": ROWS}
    assert dataset.take([2, 0], ["b"]).to_pydict() == {"b": [ROWS[2], ROWS[0]]}
    assert dataset.to_table(["x"], filter="b.kind = 3").to_pydict() == {"x": [2]}


def test_rows_and_columns_beside_blobs_change(tmp_path: Path) -> None:
    """Rows are deleted, columns added and dropped, the blobs' among them."""
    dataset = blob_dataset(tmp_path, ROWS)
    found = dataset.delete([0]).add_columns(pa.table({"y": [8, 9]}))
    assert found.to_table().to_pydict() == {"x": [1, 2], "b": ROWS[1:], "y": [8, 9]}
    left = found.drop_columns(["b"])
    assert [each.name for each in left.manifest.fields] == ["x", "y"]
    assert left.to_table().to_pydict() == {"x": [1, 2], "y": [8, 9]}


def test_blobs_are_not_written(tmp_path: Path) -> None:
    """Rows are not appended to blobs of version 2, nor is a column of them made."""
    dataset = blob_dataset(tmp_path, ROWS)
    table = dataset.to_table()
    with pytest.raises(Unsupported, match=r"manifest\.b: found blobs of lance\.blob\.v2, wanted"):
        lance.write_dataset(tmp_path, table, mode="append")
    given = pa.struct([("data", pa.large_binary()), ("uri", pa.string())])
    schema = pa.schema([pa.field("b", given, metadata=V2)])
    with pytest.raises(Unsupported, match=r"schema\.b: found blobs of lance\.blob\.v2, wanted la"):
        lance.LanceWriter(tmp_path / "x.lance", schema)


@pytest.mark.parametrize(
    ("kinds", "is_read"), [([3], True), ([1, 3], True), ([3, 3], False), ([1, 1, 3], False)]
)
def test_a_layer_for_the_fields_of_a_descriptor_changes_nothing(
    kinds: list[int], *, is_read: bool
) -> None:
    """Releases 2.0.1 to 6.1 note a layer for the fields of a descriptor, which are never null.

    A layer more that could be null is refused, and so are two of them.
    """

    def change(_: Any, layout: Any) -> None:
        del layout.full_zip_layout.layers[:]
        layout.full_zip_layout.layers.extend(kinds)

    schema = pa.schema([pa.field("b", TYPE, metadata=PACKED)])
    data = changed_page(written(pa.table([pa.array(ROWS, TYPE)], schema=schema), "2.2"), change)
    if is_read:
        assert lance.open(data).to_table()["b"].to_pylist() == ROWS
        return
    with pytest.raises(FormatError, match=r"\.layers: found [23], wanted at most 1"):
        lance.open(data).to_table()


# Bytes


def test_blobs_are_read_from_files_beside_their_data_file(tmp_path: Path) -> None:
    """Files of blobs are named by the bits of their number, in a folder named as the data file."""
    put(tmp_path, f"data/0-0/{SIX}", b"onetwothree")
    put(tmp_path, f"data/0-0/{ONE}", b"alone")
    put(tmp_path, f"data/1-0/{ONE}", b"other")
    rows = [place(1, 3, 3, 6), None, place(2, 0, 5, 1), place(1, 0, 3, 6), place(0, 64, 0)]
    found = blob_dataset(tmp_path, rows, [place(2, 0, 5, 1)])
    assert blobs(found) == [b"two", None, b"alone", b"one", b"", b"other"]
    assert found.schema.field("b").type == TYPE
    scan = found.scan(with_blob_bytes=True)
    assert scan.schema == pa.schema([("x", pa.int64()), ("b", pa.large_binary())])
    assert scan.to_table().schema == scan.schema
    assert pa.table(scan).column("b").to_pylist() == blobs(found)


def test_a_blob_is_read_from_the_data_file(tmp_path: Path) -> None:
    """An inline blob is a part of the file that has its descriptor."""
    found = blob_dataset(tmp_path, [place(0, 0, 4)])
    stored = (tmp_path / "data" / "0-0.lance").read_bytes()
    assert blobs(found) == [stored[:4]]


def test_rows_are_taken_with_their_bytes(tmp_path: Path) -> None:
    """Rows of several fragments, and by ids, come in the order asked for, repeated ones too."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    put(tmp_path, f"data/1-0/{ONE}", b"def")
    rows = [place(1, at, 1, 1) for at in range(3)]
    found = blob_dataset(tmp_path, rows, rows)
    taken = found.take([5, 0, 5, 1], ["b"], with_blob_bytes=True)
    assert taken.to_pydict() == {"b": [b"f", b"a", b"f", b"b"]}
    by_id = found.take_row_ids([(1 << 32) + 1, 2], with_blob_bytes=True)
    assert by_id.to_pydict() == {"x": [1, 2], "b": [b"e", b"c"]}
    left = found.delete([0, 3])
    assert left.to_table(["b"], with_blob_bytes=True).to_pydict() == {"b": [b"b", b"c", b"e", b"f"]}


def test_filters_and_ranges_choose_rows_with_bytes(tmp_path: Path) -> None:
    """A filter is about descriptors; only blobs of rows that match are read."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    found = blob_dataset(tmp_path, [place(1, 0, 1, 1), place(2, 0, 9, 7), place(1, 2, 1, 1)])
    kept = found.to_table(["b"], filter="b.kind = 1", with_blob_bytes=True)
    assert kept.to_pydict() == {"b": [b"a", b"c"]}
    assert found.scan(["b"], rows=range(2, 3), with_blob_bytes=True).to_table()["b"][0].as_py()
    nothing = found.scan(filter="x > 9", with_blob_bytes=True)
    assert nothing.to_table().schema == nothing.schema
    with pytest.raises(MissingFile, match=r"data/0-0/11100000000000000000000000000000\.blob"):
        blobs(found)


@pytest.mark.parametrize("address", [False, True])
def test_addresses_are_shown_only_if_asked_for(tmp_path: Path, *, address: bool) -> None:
    """Bytes are found by the addresses of rows, which are a column only for those who want it."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    found = blob_dataset(tmp_path, [place(1, 0, 3, 1)])
    scan = found.scan(with_row_id=True, with_row_address=address, with_blob_bytes=True)
    names = ["x", "b", "_rowid", "_rowaddr"][: 4 if address else 3]
    assert scan.schema.names == scan.to_table().schema.names == names


def test_a_batch_ends_before_it_has_too_many_bytes(tmp_path: Path) -> None:
    """A batch has 64 MiB of blobs at most, and one row at least."""
    put(tmp_path, f"data/0-0/{ONE}", bytes(65 * MIB))
    sizes = [32 * MIB, 32 * MIB, 1, 0, 65 * MIB, 1]
    found = blob_dataset(tmp_path, [place(1, 0, each, 1) for each in sizes])
    batches = found.scan(["b"], with_blob_bytes=True).batches()
    lengths = [[len(one.as_buffer()) for one in each["b"]] for each in batches]
    assert lengths == [sizes[:2], sizes[2:4], sizes[4:5], sizes[5:]]
    first = next(found.scan(batch_size=3, with_blob_bytes=True).batches())
    assert first.num_rows == 2


def test_external_blobs_are_files_or_parts_of_them(tmp_path: Path) -> None:
    """A blob elsewhere is a whole file without a size, or a range of it."""
    put(tmp_path, "else where/a%.bin", b"0123456789")
    url = (tmp_path / "else where" / "a%.bin").as_uri()
    path = str(tmp_path / "else where" / "a%.bin")
    rows = [place(3, 0, 0, 0, url), place(3, 2, 3, 0, url), place(3, 9, 1, 0, path)]
    assert blobs(blob_dataset(tmp_path / "d", rows)) == [b"0123456789", b"234", b"9"]


def test_whole_external_files_count_for_the_size_of_a_batch(tmp_path: Path) -> None:
    """The size of a whole file elsewhere is not in its descriptor, and is asked for once."""
    put(tmp_path, "a.bin", bytes(40 * MIB))
    rows = [place(3, 0, 0, 0, str(tmp_path / "a.bin"))] * 3
    found = blob_dataset(tmp_path / "d", rows).scan(["b"], with_blob_bytes=True)
    assert [each.num_rows for each in found.batches()] == [1, 1, 1]


def test_external_blobs_are_opened_only_where_allowed(tmp_path: Path) -> None:
    """Files that the dataset names elsewhere have to be below a prefix of `allow`."""
    put(tmp_path, "secret/a.bin", b"abc")
    rows = [place(3, 0, 0, 0, (tmp_path / "secret" / "a.bin").as_uri())]
    found = blob_dataset(tmp_path / "d", rows, allow=[tmp_path / "d"])
    with pytest.raises(StorageError, match=r"a\.bin: not allowed"):
        blobs(found)
    assert blobs(blob_dataset(tmp_path / "d", rows, allow=[tmp_path / "secret"])) == [b"abc"]


def test_external_blobs_may_be_below_a_base_path(tmp_path: Path) -> None:
    """`blob_id` is then the id of the base path, and `blob_uri` the name below it."""
    put(tmp_path, "base/in ner/a.bin", b"abc")
    bases = [{"id": 4, "path": str(tmp_path / "base")}]
    found = blob_dataset(tmp_path / "d", [place(3, 1, 2, 4, "in ner/a.bin")], base_paths=bases)
    assert blobs(found) == [b"bc"]
    outside = blob_dataset(tmp_path / "e", [place(3, 0, 0, 4, "../a.bin")], base_paths=bases)
    with pytest.raises(FormatError, match=r"b\.blob_uri: found \.\./a\.bin, wanted a name below"):
        blobs(outside)
    unknown = blob_dataset(tmp_path / "f", [place(3, 0, 0, 5, "a.bin")], base_paths=bases)
    with pytest.raises(FormatError, match=r"manifest\.base_paths: found no id 5, wanted 4"):
        blobs(unknown)


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (place(1, 1, 3, 1), r"b\.size at byte 1 .*: found 3 bytes, wanted a part of 3 bytes"),
        (place(1, 4, 0, 1), None),
        (place(1, (1 << 64) - 1, 3, 1), r"b\.size .*found 3 bytes, wanted a part of 3 bytes"),
        (place(2, 0, (1 << 64) - 1, 1), r"b\.size .*found 18446744073709551615 bytes, wanted a"),
        (place(4, 0, 3, 1), r"0-0\.lance: b\.kind: found 4, wanted 0 \(inline\), 1 \(packed\), 2"),
        (place(0, 1 << 20, 3, 1), r"0-0\.lance: b\.size .*found 3 bytes, wanted a part of"),
        (place(3, 7, 0, 1, "a"), r"b\.blob_uri|manifest\.base_paths"),
    ],
)
def test_damaged_descriptors_are_refused(
    tmp_path: Path, row: dict[str, Any], error: str | None
) -> None:
    """Blobs outside of their file, and of unknown kinds, are errors that name the file."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    found = blob_dataset(tmp_path, [row])
    if error is None:
        assert blobs(found) == [b""]
        return
    with pytest.raises(FormatError, match=error):
        blobs(found)


def test_sizes_that_are_too_large_together_are_refused(tmp_path: Path) -> None:
    """Sizes whose sum has more than 64 bits are compared with their file before there is memory."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    row = place(1, 0, 1 << 62, 1)
    with pytest.raises(FormatError, match=rf"b\.size .*found {1 << 62} bytes, wanted a part of 3"):
        blobs(blob_dataset(tmp_path, [row] * 5))


def test_blobs_beside_each_other_are_read_in_any_order(tmp_path: Path) -> None:
    """Blobs come in the order of their rows, whatever order they have in their file."""
    put(tmp_path, f"data/0-0/{ONE}", b"onetwothreefour")
    parts = [(3, 3), (6, 5), (11, 4), (0, 3), (3, 3), (6, 0), (6, 5)]
    found = blobs(blob_dataset(tmp_path, [place(1, *each, 1) for each in parts]))
    assert found == [b"two", b"three", b"four", b"one", b"two", b"", b"three"]


def test_an_external_blob_with_a_position_needs_a_size(tmp_path: Path) -> None:
    """A part of a file elsewhere that has no bytes is empty, not the whole file."""
    put(tmp_path, "a.bin", b"abc")
    assert blobs(blob_dataset(tmp_path / "d", [place(3, 2, 0, 0, str(tmp_path / "a.bin"))])) == [
        b""
    ]


def test_bytes_that_many_blobs_share_are_limited(tmp_path: Path) -> None:
    """Blobs that share bytes may not take far more memory than their file."""
    put(tmp_path, f"data/0-0/{ONE}", bytes(1 << 20))
    rows = [place(1, 0, 1 << 20, 1)]
    limits = Limits(expansion=2)
    assert len(blobs(blob_dataset(tmp_path, rows * 10, limits=limits))) == 10
    with pytest.raises(LimitExceeded, match=r"b\.size: found 11534336 bytes in all, wanted at mo"):
        blobs(blob_dataset(tmp_path, rows * 11, limits=limits))


def test_blobs_inside_structs_are_read(tmp_path: Path) -> None:
    """A blob may be a field of a struct; a null struct has none."""
    inner = pa.struct([pa.field("b", TYPE, metadata=PACKED), ("n", pa.int64())])
    rows = [{"b": place(1, 0, 1, 1), "n": 1}, None, {"b": None, "n": 3}]
    table = pa.table([pa.array(rows, inner)], schema=pa.schema([("s", inner)]))
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    made = fragment(tmp_path, 0, 3, ([1, 7], written(table, "2.2")))
    fields = [
        lance_field("s", "struct"),
        *blob_fields(1, 0),
        lance_field("n", "int64", 7, parent_id=0),
    ]
    found = put_dataset(tmp_path, fields, made, data_version="2.2")
    want = [{"b": b"a", "n": 1}, None, {"b": None, "n": 3}]
    shown = found.to_table(with_blob_bytes=True)
    assert shown.to_pydict() == {"s": want}
    assert shown.schema.field("s").type == pa.struct([("b", pa.large_binary()), ("n", pa.int64())])
    assert found.to_table(["s.n"], with_blob_bytes=True)["s"].to_pylist()[0] == {"n": 1}


def test_blobs_inside_lists_are_refused(tmp_path: Path) -> None:
    """No release writes lists of blobs, so there are no rules for them."""
    fields = [lance_field("l", "list.struct", 0), *blob_fields(1, 0)]
    with pytest.raises(Unsupported, match=r"schema\.l: found blobs in a list"):
        put_dataset(tmp_path, fields).scan(with_blob_bytes=True)


def test_files_of_blobs_may_be_in_a_store(tmp_path: Path) -> None:
    """A dataset in another filesystem has its files of blobs there."""
    put(tmp_path, f"data/0-0/{ONE}", b"abc")
    put(tmp_path, f"data/0-0/{SIX}", b"def")
    blob_dataset(tmp_path, [place(2, 0, 3, 1), place(1, 0, 3, 6)])
    memory = MemoryFileSystem()
    memory.put(f"{tmp_path}/", "/blobs-v2", recursive=True)
    found = lance.open_dataset("/blobs-v2", filesystem=memory)
    assert blobs(found) == [b"abc", b"def"]


def test_other_columns_are_read_as_before(tmp_path: Path) -> None:
    """Without blobs among the columns, asking for their bytes changes nothing."""
    found = blob_dataset(tmp_path, [None, place(2, 0, 3, 1)])
    assert found.to_table(["x"], with_blob_bytes=True).to_pydict() == {"x": [0, 1]}
    assert found.scan([], with_blob_bytes=True).count() == 2
