"""Every version of datasets that pylance makes is read."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.pylance_files import column

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

NAMES = ("int32", "text", "struct", "list", "vector", "dictionary")


def peer_module() -> Any:
    """The peer, whose types are stricter than what it takes."""
    return import_module("lance")


def rows_of(start: int, count: int) -> pa.Table:
    """Numbered rows without nulls, which version 0.1 lacks."""
    columns = {name: column(name, count, 0, seed=start) for name in NAMES}
    return pa.table({"id": np.arange(start, start + count), **columns})


def check(peer: Any) -> None:
    """Compare every version, whole and in parts."""
    for each in peer.versions():
        theirs = peer.checkout_version(each["version"])
        ours = lance.open_dataset(peer.uri, version=each["version"])
        table = theirs.to_table()
        assert difference(ours.to_table(), table) is None
        assert ours.count() == theirs.count_rows()
        count = table.num_rows
        part = ours.scan(["id"], rows=range(count // 4, count // 2)).to_table()
        assert difference(part, table.select(["id"])[count // 4 : count // 2]) is None
        numbers = np.random.default_rng(count).integers(0, count, 30)
        assert difference(ours.take(numbers), theirs.take(numbers.tolist())) is None


@pytest.mark.parametrize("size", [7, 1000])
def test_rows_without_columns_are_counted(size: int, tmp_path: Path) -> None:
    """A table of no columns has as many rows as pylance's, with deletions and filters."""
    place = str(tmp_path / "counted.lance")
    peer = peer_module().write_dataset(rows_of(0, 100), place, max_rows_per_file=size)
    peer.delete("id % 9 = 1")
    ours, theirs = lance.open_dataset(place), peer_module().dataset(place)
    assert ours.to_table([]).num_rows == theirs.to_table(columns=[]).num_rows == 89
    found = ours.scan([], filter="id < 50").to_table().num_rows
    assert found == theirs.to_table(columns=[], filter="id < 50").num_rows == 44


@pytest.mark.parametrize("version", ["0.1", "2.0", "2.1", "2.2"])
def test_a_dataset_is_read_after_every_change(version: str, tmp_path: Path) -> None:
    """Every version is read after pylance changed rows or columns of a dataset."""
    pylance = peer_module()
    place = str(tmp_path / "changed.lance")
    settings: dict[str, Any] = {"data_storage_version": version, "max_rows_per_file": 700}
    peer = pylance.write_dataset(rows_of(0, 2000), place, **settings)
    pylance.write_dataset(rows_of(2000, 500), place, mode="append", **settings)
    peer = pylance.dataset(place)
    peer.delete("id % 7 = 3")
    peer.delete("id < 600 and id % 2 = 0")
    peer.update({"int32": "id + 1"}, where="id % 100 = 1")
    peer.add_columns({"twice": "id * 2"})
    peer.alter_columns({"path": "text", "name": "words"})
    peer.alter_columns({"path": "int32", "data_type": pa.int64()})
    peer.drop_columns(["vector"])
    peer.tags.create("before", 2)
    check(pylance.dataset(place))
    assert lance.open_dataset(place, tag="before").version == 2
    peer = pylance.dataset(place)
    peer.optimize.compact_files(target_rows_per_fragment=1500)
    pylance.write_dataset(rows_of(0, 10), place, mode="overwrite", **settings)
    check(pylance.dataset(place))


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_rows_with_stable_ids_are_read(version: str, tmp_path: Path) -> None:
    """Rows with stable ids are read, those that an update moved included."""
    pylance = peer_module()
    place = str(tmp_path / "stable.lance")
    peer = pylance.write_dataset(
        rows_of(0, 300), place, data_storage_version=version, enable_stable_row_ids=True
    )
    peer.update({"int32": "0"}, where="id < 20")
    peer.delete("id > 250")
    check(pylance.dataset(place))


def test_row_ids_are_those_of_pylance(tmp_path: Path) -> None:
    """Ids in every form, by updates, merges in any order and compaction, are those pylance has."""
    pylance = peer_module()
    place = str(tmp_path / "ids.lance")
    pylance.write_dataset(
        pa.table({"id": range(3000), "v": range(3000)}), place, enable_stable_row_ids=True
    )
    for where in ("id % 997 = 5", "id % 3 = 0", "id > 100 and id != 500"):
        pylance.dataset(place).update({"v": "v + 1"}, where=where)
    numbers = np.random.default_rng(3).permutation(4000)[:400]
    merge = pylance.dataset(place).merge_insert("id").when_matched_update_all()
    rows = pa.table({"id": numbers, "v": numbers})
    merge.when_not_matched_insert_all().execute(rows)
    pylance.dataset(place).delete("id % 50 = 3")
    pylance.dataset(place).optimize.compact_files()
    for each in pylance.dataset(place).versions():
        theirs = pylance.dataset(place, version=each["version"])
        ours = lance.open_dataset(place, version=each["version"])
        table = theirs.scanner(["id"], with_row_id=True, with_row_address=True).to_table()
        assert ours.to_table(["id"], with_row_id=True, with_row_address=True).equals(table)
        some = table["_rowid"].to_pylist()[::7]
        assert ours.take_row_ids(some).equals(theirs._take_rows(some))


def test_branches_and_clones_are_read(tmp_path: Path) -> None:
    """A branch and its tags, and a dataset whose files are another's, have the rows of pylance."""
    pylance = peer_module()
    place = str(tmp_path / "root.lance")
    peer = pylance.write_dataset(rows_of(0, 50), place)
    branch = peer.create_branch("dev/x")
    branch.insert(rows_of(50, 7), mode="append")
    branch.delete("id % 5 = 2")
    peer.tags.create("there", ("dev/x", branch.version))
    theirs = pylance.dataset(place).checkout_version(("dev/x", None))
    opened = lance.open_dataset(place, branch="dev/x"), lance.open_dataset(place, tag="there")
    for ours in opened:
        assert difference(ours.to_table(), theirs.to_table()) is None
    assert lance.open_dataset(place).branches == ["dev/x"]
    assert lance.open_dataset(place, branch="dev/x").tags == {"there": branch.version}
    peer.shallow_clone(str(tmp_path / "clone.lance"), peer.version)
    check(pylance.dataset(str(tmp_path / "clone.lance")))


def test_descriptors_of_blobs_are_read(tmp_path: Path) -> None:
    """Blobs of `lance.blob.v2` have the descriptors that pylance's own scan gives, of each kind."""
    pylance = peer_module()
    place, elsewhere = tmp_path / "blobs.lance", tmp_path / "elsewhere"
    elsewhere.write_bytes(b"abc")
    schema = pa.schema([("id", pa.int64()), pylance.blob_field("b", nullable=True)])
    blobs = [b"inside", None, b"", bytes(100_000), bytes(5_000_000), elsewhere.as_uri()]
    for first in (0, 6):
        values = [range(first, first + 6), pylance.blob_array(blobs)]
        table = pa.table(values, schema=schema)
        settings: dict[str, Any] = {"allow_external_blob_outside_bases": True}
        mode = "append" if first else "create"
        pylance.write_dataset(table, str(place), mode=mode, **settings)
    pylance.dataset(str(place)).delete("id = 3")
    peer = pylance.dataset(str(place))
    check(peer)
    kinds = [
        each and each["kind"] for each in lance.open_dataset(place).to_table()["b"].to_pylist()
    ]
    assert kinds == [0, None, 0, 2, 3, 0, None, 0, 1, 2, 3]
    (file, *_) = (place / "data").glob("*.lance")
    with lance.open(file) as alone:
        assert alone.schema.field("b").type == peer.to_table().schema.field("b").type


THRESHOLDS = {"inline_size_threshold": 10, "dedicated_size_threshold": 100}


def test_bytes_of_blobs_are_read(tmp_path: Path) -> None:
    """Blobs of `lance.blob.v2` of each kind have the bytes that pylance reads."""
    pylance = peer_module()
    place, elsewhere = str(tmp_path / "blobs.lance"), tmp_path / "else where%"
    elsewhere.write_bytes(bytes(range(256)))
    uri = elsewhere.as_uri()
    field = pylance.blob_field("b", pack_file_size_threshold=150, **THRESHOLDS)
    schema = pa.schema([pa.field("id", pa.int64()), field])
    parts = [pylance.Blob.from_uri(uri, 5, 7), pylance.Blob.from_uri(uri)]
    blobs = [b"inside", None, b"", b"p" * 50, b"q" * 90, b"r" * 60, b"d" * 200, *parts, b"i"]
    for number, mode in enumerate(["create", "append", "append"]):
        values = [range(number * 10, number * 10 + 10), pylance.blob_array(blobs)]
        settings: dict[str, Any] = {"allow_external_blob_outside_bases": True}
        pylance.write_dataset(pa.table(values, schema=schema), place, mode=mode, **settings)
    pylance.dataset(place).delete("id in (4, 13, 17)")
    pylance.dataset(place).optimize.compact_files()
    peer = pylance.dataset(place)
    for each in peer.versions():
        theirs = peer.checkout_version(each["version"])
        table = theirs.to_table(blob_handling="all_binary")
        ours = lance.open_dataset(place, version=each["version"])
        assert difference(ours.to_table(with_blob_bytes=True), table) is None
        rows = [table.num_rows - 1, 0, 5, 6, 6]
        taken = ours.take(rows, ["b"], with_blob_bytes=True)["b"].to_pylist()
        found = dict(theirs.read_blobs("b", indices=sorted({*rows})))
        assert sorted({*taken}) == sorted({*found.values()})


def test_bytes_of_blobs_are_read_inside_structs_and_below_bases(tmp_path: Path) -> None:
    """A blob may be a field of a struct, or a file below a base path of the dataset."""
    pylance = peer_module()
    blobs = pylance.blob_array([b"a", None, b"p" * 50, b"q" * 200])
    field = pylance.blob_field("b", **THRESHOLDS)
    fields = [field, pa.field("n", pa.int64())]
    structs = pa.StructArray.from_arrays([blobs, pa.array(range(4))], fields=fields)
    peer = pylance.write_dataset(pa.table({"s": structs}), str(tmp_path / "structs.lance"))
    ours = lance.open_dataset(tmp_path / "structs.lance").to_table(with_blob_bytes=True)
    assert difference(ours, peer.to_table(blob_handling="all_binary")) is None
    base = tmp_path / "base"
    (base / "in ner").mkdir(parents=True)
    (base / "in ner" / "x%.bin").write_bytes(b"abcdef")
    uri = (base / "in ner" / "x%.bin").as_uri()
    values = [pylance.Blob.from_uri(uri), b"b", pylance.Blob.from_uri(uri, 2, 3)]
    table = pa.table([pylance.blob_array(values)], schema=pa.schema([field]))
    bases = [pylance.DatasetBasePath(str(base), name="base", is_dataset_root=False)]
    peer = pylance.write_dataset(table, str(tmp_path / "bases.lance"), initial_bases=bases)
    found = lance.open_dataset(tmp_path / "bases.lance").to_table(with_blob_bytes=True)
    assert difference(found, peer.to_table(blob_handling="all_binary")) is None
    assert found["b"].to_pylist() == [b"abcdef", b"b", b"cde"]


def test_json_is_read_as_text(tmp_path: Path) -> None:
    """JSON, even inside structs and lists, has the text and the type that pylance gives."""
    pylance = peer_module()
    rng = np.random.default_rng(5)
    doubles = (rng.uniform(-1, 1, 500) * 10.0 ** rng.integers(-12, 24, 500)).tolist()
    whole = [-(1 << 63), (1 << 64) - 1, 1 << 64, -1, 128, 65536, 10**30]
    texts = [repr(each) for each in [*doubles, *whole, 1e-5, 1e15, 1e16, 5e-324, -0.0]]
    texts += ['{"b":[1,null,true,{}],"a":{"x":"\\u0001\\n\\"\\u00e9"},"":[]}', "null", '"\\/\\b"']
    values = pa.ExtensionArray.from_storage(pa.json_(), pa.array([*texts, None]))
    fields = [pa.field("j", pa.json_()), pa.field("n", pa.int64())]
    numbers = pa.array(range(len(values)))
    structs = pa.StructArray.from_arrays([values, numbers], fields=fields)
    lists = pa.ListArray.from_arrays(
        pa.array([*range(len(values)), len(values)], pa.int32()), values
    )
    table = pa.table({"j": values, "s": structs, "l": lists})
    place = str(tmp_path / "json.lance")
    for mode in ("create", "append"):
        peer = pylance.write_dataset(table, place, mode=mode)
    ours = lance.open_dataset(place)
    assert difference(ours.to_table(), peer.to_table()) is None
    assert ours.to_table().schema.field("j").type == pa.json_()
    some = [3, 0, 600, 505]
    assert difference(ours.take(some), peer.take(some)) is None


def test_vectors_of_16_bit_floats_are_the_same_for_both(tmp_path: Path) -> None:
    """Each reads vectors of bfloat16 of the other, with their extension type, at any depth."""
    type_ = import_module("lance._arrow.bf16").BFloat16Type()
    storage = pa.array([bytes([0x80 + each, 0x3F]) for each in range(8)], pa.binary(2))
    vectors = pa.FixedSizeListArray.from_arrays(pa.ExtensionArray.from_storage(type_, storage), 2)
    structs = pa.StructArray.from_arrays([vectors], ["v"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 1, 3, 4]), vectors)
    table = pa.table({"v": vectors, "s": structs, "l": lists})
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    peer_module().write_dataset(table, theirs)
    lance.write_dataset(ours, table)
    lance.write_dataset(ours, table, mode="append")
    for place, rows in ((ours, pa.concat_tables([table, table])), (theirs, table)):
        for dataset in (peer_module().dataset(place), lance.open_dataset(place)):
            assert dataset.schema == rows.schema
            assert difference(dataset.to_table(), rows) is None


def test_a_detached_version_is_read(tmp_path: Path) -> None:
    """A version that pylance committed as detached is opened by its number, and by its tag."""
    pylance = peer_module()
    place = str(tmp_path / "apart.lance")
    dataset = pylance.write_dataset(rows_of(0, 10), place)
    fragments = pylance.fragment.write_fragments(rows_of(10, 5), place)
    append = pylance.LanceOperation.Append(fragments)
    apart = pylance.LanceDataset.commit(dataset, append, read_version=1, detached=True)
    apart.tags.create("apart", apart.version)
    for given in ({"version": apart.version}, {"tag": "apart"}):
        assert difference(lance.open_dataset(place, **given).to_table(), apart.to_table()) is None
    assert lance.open_dataset(place).count() == 10


def test_indices_have_and_lack_the_rows_that_pylance_counts(tmp_path: Path) -> None:
    """The fragments of an index are pylance's, after rows were added and the index was updated."""
    place = str(tmp_path / "indexed.lance")
    peer = peer_module().write_dataset(rows_of(0, 300), place, max_rows_per_file=100)
    peer.create_scalar_index("id", "BTREE", name="by_id")
    peer = peer_module().write_dataset(rows_of(300, 50), place, mode="append")
    stats = peer.stats.index_stats("by_id")
    (found,) = lance.open_dataset(place).indices
    assert (found.name, found.columns) == ("by_id", ("id",))
    assert len(found.fragments or ()) == stats["num_indexed_fragments"] == 3
    peer.optimize.optimize_indices(num_indices_to_merge=0)
    both = [each.fragments for each in lance.open_dataset(place).indices]
    assert both == [frozenset({0, 1, 2}), frozenset({3})]
