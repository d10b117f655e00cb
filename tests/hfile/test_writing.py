"""HFiles written by byteloom: what is read back, what is refused, what a failure leaves."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from decimal import Decimal
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hbase import SCHEMA
from tests.support.hfile_cells import drawn, regular, table_of

from byteloom import hfile
from byteloom.errors import FormatError, LimitExceeded, StorageError, Unsupported
from byteloom.hfile import BloomBuilder, HFileWriter

CODECS = ("NONE", "GZ", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "BROTLI", "LZO")
ENCODINGS = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")

LONG_TAG = b"\x7f\xff" + bytes(32767)

CELL: dict[str, Any] = {
    "row": b"r", "family": b"f", "qualifier": b"q", "timestamp": 5, "type": 4,
    "value": b"v", "mvcc": 0, "tags": b"",
}  # fmt: skip


def cells(*changes: dict[str, Any]) -> pa.Table:
    """Return cells as they are given, in that order."""
    return pa.Table.from_pylist([CELL | change for change in changes], schema=SCHEMA)


def written(data: Any, **options: Any) -> bytes:
    """Return the bytes of a file with these cells."""
    out = io.BytesIO()
    with HFileWriter(out, **options) as writer:
        writer.write(data)
    return out.getvalue()


class SlowTarget:
    """A user's own target, which takes longer to write than cells take to lay out."""

    name = "slow"

    def __init__(self) -> None:
        """Begin with no bytes."""
        self.data = bytearray()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take bytes, after a while."""
        time.sleep(0.002)
        self.data += data

    def commit(self) -> None:
        """Do nothing: the bytes are there."""

    def abort(self) -> None:
        """Drop the bytes."""
        self.data.clear()


def write_and_fail(writer: HFileWriter) -> None:
    """Write many cells, and fail after them."""
    writer.write(regular(100_000))
    raise RuntimeError("a failure of the user")


def written_singly(table: pa.Table, **options: Any) -> bytes:
    """Return the bytes of a file that was given its cells one by one."""
    out = io.BytesIO()
    with HFileWriter(out, **options) as writer:
        for cell in table.to_pylist():
            writer.add(**cell)
    return out.getvalue()


def read(data: bytes) -> pa.Table:
    """Return all cells of a file that verifies."""
    with hfile.open(data) as file:
        file.verify()
        return file.read()


class TestRoundTrip:
    @given(
        table=drawn(),
        options=st.fixed_dictionaries(
            {
                "encoding": st.sampled_from(ENCODINGS),
                "compression": st.sampled_from(CODECS),
                "block_size": st.sampled_from((1, 100, 1 << 16)),
                "compress_tags": st.booleans(),
                "index_block_max_size": st.sampled_from((64, 1 << 17)),
            }
        ),
    )
    def test_cells_come_back_as_they_went(self, table: pa.Table, options: dict[str, Any]) -> None:
        """Cells are read back as written, for any encoding, codec, block size and tags."""
        data = written(table, tags=True, index_block_min_entries=2, **options)
        assert read(data).equals(table)

    @given(table=drawn(), cuts=st.lists(st.integers(0, 40), max_size=4))
    def test_batches_do_not_show(self, table: pa.Table, cuts: list[int]) -> None:
        """A file has the same bytes whether its cells come in batches or one by one."""
        ends = sorted({0, len(table), *(min(cut, len(table)) for cut in cuts)})
        out = io.BytesIO()
        options: dict[str, Any] = {"tags": True, "encoding": "DIFF", "block_size": 200}
        with HFileWriter(out, created_ms=0, **options) as writer:
            for start, end in pairwise(ends):
                writer.write(table.slice(start, end - start))
        singly = written_singly(table, created_ms=0, **options)
        assert out.getvalue() == singly == written(table, created_ms=0, **options)

    @pytest.mark.parametrize(("codec", "encoding"), list(product(("NONE", "GZ"), ENCODINGS)))
    def test_many_blocks(self, codec: str, encoding: str) -> None:
        """A hundred thousand cells come back from between leaves and Bloom chunks."""
        table = regular(100_000)
        data = written(
            table, compression=codec, encoding=encoding, index_block_max_size=1024,
            blooms=("ROW", "DELETE_FAMILY"),
        )  # fmt: skip
        with hfile.open(data) as file:
            assert file.verify() == 100_000
            assert file.trailer.num_data_index_levels > 1
            assert file.read(table.column_names).equals(table)
            assert len(file.get(b"row-0000077777")) == 1

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_a_cell_larger_than_all_buffers(self, encoding: str) -> None:
        """A cell of some megabytes is written, and the small ones around it."""
        table = cells({}, {"row": b"s", "value": bytes(5_000_000)}, {"row": b"t"})
        assert read(written(table, encoding=encoding, tags=True)).equals(table)

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_equal_keys_stay_in_one_block(self, encoding: str) -> None:
        """Two megabytes of one key are one block, however small blocks should be."""
        table = cells(*({"value": bytes([i % 251]) * 1000} for i in range(2_000)), {"row": b"s"})
        data = written(table, encoding=encoding, tags=True, block_size=100)
        assert read(data).equals(table)
        with hfile.open(data) as file:
            assert len(file.root.entries) == 2

    def test_columns_may_be_left_out(self) -> None:
        """Cells of a key and a value alone are written, and the rest is as in Hudi's cells."""
        (cell,) = read(written(pa.table({"key": ["k"], "value": ["v"]}))).to_pylist()
        assert cell == {
            "row": b"k", "family": b"", "qualifier": b"", "timestamp": (1 << 63) - 1, "type": 4,
            "value": b"v", "mvcc": 0, "tags": b"",
        }  # fmt: skip

    @pytest.mark.parametrize(
        "kind",
        [pa.string(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int8(), pa.binary())],
    )
    def test_any_column_of_bytes(self, kind: pa.DataType) -> None:
        """Strings, views, dictionaries, slices and chunks are written as bytes."""
        rows = pa.chunked_array([pa.array(["x", "a", "b"]).slice(1), pa.array(["c"])])
        rows = rows.cast(pa.binary()).cast(kind) if not pa.types.is_dictionary(kind) else (
            rows.cast(pa.binary()).dictionary_encode()
        )  # fmt: skip
        assert read(written(pa.table({"row": rows})))["row"].to_pylist() == [b"a", b"b", b"c"]

    def test_times_of_arrow(self) -> None:
        """Arrow timestamps of any unit are written as milliseconds since 1970."""
        times = pa.array([1_700_000_000_000_000], pa.timestamp("us"))
        table = read(written(pa.table({"row": [b"r"], "timestamp": times})))
        assert table["timestamp"].to_pylist() == [1_700_000_000_000]

    def test_meta_blocks_and_file_info(self) -> None:
        """Meta blocks are written sorted, and the user's file info beside the writer's own."""
        out = io.BytesIO()
        with HFileWriter(out, file_info={b"who": b"me"}, created_ms=7) as writer:
            writer.put_meta(b"b", b"second")
            writer.put_meta(b"a", b"")
            writer.add(b"row", b"value")
            writer.file_info[b"late"] = b"too"
        with hfile.open(out.getvalue()) as file:
            assert file.meta_names == [b"a", b"b"]
            assert (file.read_meta(b"a"), file.read_meta(b"b")) == (b"", b"second")
            assert file.file_info[b"who"] == b"me"
            assert file.file_info[b"late"] == b"too"
            assert file.file_info[b"hfile.CREATE_TIME_TS"] == (7).to_bytes(8, "big")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            (b"DATA_BLOCK_ENCODING", b"PREFIX"),
            (b"INDEX_BLOCK_ENCODING", b"PREFIX_TREE"),
            (b"KEY_VALUE_VERSION", b"\0\0\0\1"),
            (b"hfile.MAX_TAGS_LEN", b"\0\0\0\0"),
        ],
    )
    def test_nothing_is_said_that_cells_are_not(self, name: bytes, value: bytes) -> None:
        """File info that contradicts the settings of the cells is refused."""
        with pytest.raises(FormatError, match=name.decode()):
            HFileWriter(io.BytesIO(), file_info={name: value}, mvcc=False)
        writer = HFileWriter(io.BytesIO(), mvcc=False)
        writer.file_info[name] = value
        with pytest.raises(FormatError, match=name.decode()):
            writer.finish()
        same = {b"INDEX_BLOCK_ENCODING": b"NONE", b"DATA_BLOCK_ENCODING": b"?"}
        assert len(read(written(cells(), encoding="PREFIX", file_info=same))) == 0

    @pytest.mark.parametrize("codec", CODECS)
    def test_a_file_without_cells(self, codec: str) -> None:
        """A file without cells is written with every codec, and verifies."""
        assert len(read(written(cells(), compression=codec, blooms=["ROW"]))) == 0

    def test_every_key_passes_its_filter(self) -> None:
        """Every key passes the Bloom filter that it was added to, of each kind."""
        table = regular(4_000).append_column("type", pa.array([4, 14] * 2_000, pa.uint8()))
        prefix = BloomBuilder("ROWPREFIX_FIXED_LENGTH", prefix_length=5, chunk_size=256)
        for general in ("ROW", BloomBuilder("ROWCOL", chunk_size=1024), prefix):
            data = written(table, blooms=["DELETE_FAMILY", general], block_size=1000)
            with hfile.open(data) as file:
                file.verify()
                assert file.file_info[b"DELETE_FAMILY_COUNT"] == (2_000).to_bytes(8, "big")
                assert len(file.bloom_filters) == 2

    def test_threads_do_not_show(self) -> None:
        """A file has the same bytes with compression threads and without."""
        table = regular(50_000)
        one, many = (
            written(table, compression="GZ", threads=count, created_ms=0) for count in (0, 3)
        )
        assert one == many

    @pytest.mark.parametrize("encoding", ["NONE", "ROW_INDEX_V1", "FAST_DIFF"])
    @pytest.mark.parametrize("codec", ["NONE", "GZ"])
    def test_a_slow_target_gets_the_same_bytes(self, codec: str, encoding: str) -> None:
        """A slow target gets the same bytes as a fast one: no buffer is reused too early."""
        table = regular(150_000)
        options: dict[str, Any] = {"compression": codec, "encoding": encoding, "created_ms": 0}
        target = SlowTarget()
        with HFileWriter(target, threads=2, **options) as writer:
            writer.write(table)
        assert bytes(target.data) == written(table, threads=0, **options)


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "options", "path"),
        [
            ({"row": bytes(32768)}, {}, "key.len_row"),
            ({"family": bytes(128)}, {}, "key.columns.len_family"),
            ({"type": 5}, {}, "key.columns.type"),
            ({"tags": b"\0\2\1x"}, {}, "tags"),
            ({"tags": b"\0\2\1"}, {"tags": True}, "tags.tags[0].value"),
            ({"tags": b"\0\0"}, {"tags": True}, "tags.tags[0].len_tag"),
            ({"tags": LONG_TAG}, {"tags": True}, "tags"),
            ({"tags": LONG_TAG}, {"tags": True, "encoding": "ROW_INDEX_V1"}, "tags"),
            ({"tags": LONG_TAG * 2}, {"tags": True, "encoding": "DIFF"}, "len_tags"),
            ({"timestamp": -1}, {}, "timestamp"),
            ({"timestamp": -1}, {"encoding": "ROW_INDEX_V1"}, "timestamp"),
            ({"mvcc": -1}, {}, "mvcc"),
            ({"mvcc": 1}, {"mvcc": False}, "mvcc"),
            ({"family": b"g"}, {"encoding": "PREFIX"}, "family"),
            ({"family": b"g"}, {"encoding": "DIFF"}, "family"),
            ({"family": b"g"}, {"encoding": "FAST_DIFF"}, "family"),
        ],
    )  # fmt: skip
    def test_cells_that_hbase_does_not_read_back(
        self, change: dict[str, Any], options: dict[str, Any], path: str
    ) -> None:
        """A cell that HBase would not take, or write and not read, is refused by its number."""
        with pytest.raises(FormatError) as caught:
            written(cells({}, {"row": b"s"} | change), **options)
        assert caught.value.path == f"cells[1].{path}"

    @pytest.mark.parametrize(
        "change",
        [{"timestamp": -1}, {"tags": LONG_TAG}],
        ids=["negative time", "long tags"],
    )
    @pytest.mark.parametrize("encoding", ["PREFIX", "DIFF", "FAST_DIFF"])
    def test_what_delta_encodings_may_hold(self, change: dict[str, Any], encoding: str) -> None:
        """Negative times and long tags are refused only where HBase cannot read them."""
        table = cells({}, {"row": b"s"} | change)
        assert read(written(table, encoding=encoding, tags=True)).equals(table)

    @pytest.mark.parametrize(
        "change",
        [
            {"row": b"q"},
            {"row": b""},
            {"family": b"e"},
            {"qualifier": b"p"},
            {"qualifier": b""},
            {"timestamp": 6},
            {"type": 5 + 3},
        ],
    )
    @pytest.mark.parametrize("single", [False, True])
    def test_keys_that_do_not_ascend(self, change: dict[str, Any], single: bool) -> None:
        """Cells are ordered by their whole keys, and the error for a wrong order names both."""
        table = cells({}, change)
        with pytest.raises(FormatError, match="after row b'r', column b'f':b'q', time 5, Put"):
            (written_singly if single else written)(table)

    def test_order_over_the_end_of_a_batch(self) -> None:
        """The first cell of a batch or block is compared with the last one before it."""
        writer = HFileWriter(io.BytesIO(), block_size=100)
        writer.write(regular(3_000))
        with pytest.raises(FormatError, match=r"cells\[3000\]: found row b'row-0000000000'"):
            writer.write(regular(1))

    def test_the_cure_for_cells_out_of_order_exists(self) -> None:
        """The function that the error for cells out of order names sorts them."""
        table = cells({"row": b"b"}, {"row": b"a"})
        with pytest.raises(FormatError, match=r"in Python `hfile\.sorted_cells\(table\)`"):
            written(table)
        assert read(written(hfile.sorted_cells(table))).num_rows == 2

    @pytest.mark.parametrize("encoding", ["NONE", "FAST_DIFF", "ROW_INDEX_V1"])
    @pytest.mark.parametrize("single", [False, True])
    def test_cells_of_one_key_have_the_newest_first(self, encoding: str, single: bool) -> None:
        """A cell that is newer than the previous one of its key is refused, with both numbers."""
        table = cells({"mvcc": 9}, {"mvcc": 3}, {"mvcc": 5}, {"row": b"s", "mvcc": 7})
        message = r"^cells\[2\]\.mvcc: found 5 after 3 in row b'r', .*, wanted .* descending"
        with pytest.raises(FormatError, match=message):
            (written_singly if single else written)(table, encoding=encoding)
        in_order = hfile.sorted_cells(table)
        assert in_order["mvcc"].to_pylist() == [9, 5, 3, 7]
        assert read(written(in_order, encoding=encoding)).equals(in_order)

    def test_the_newest_first_in_the_catalog(self) -> None:
        """The same is true of HBase's catalog, whose rows have an order of their own."""
        row = {"row": b"t,,1", "timestamp": 5}
        with pytest.raises(FormatError, match=r"^cells\[1\]\.mvcc: found 9 after 3"):
            written(cells(row | {"mvcc": 3}, row | {"mvcc": 9}), is_meta=True)

    def test_sorting_keeps_cells_that_are_equally_new(self) -> None:
        """Cells of one key and one sequence number, or without numbers, keep their order."""
        table = cells({"value": b"2"}, {"value": b"1"}, {"row": b"a", "value": b"3"})
        for names in (table.column_names, ["row", "value"]):
            found = hfile.sorted_cells(table.select(names))
            assert found["value"].to_pylist() == [b"3", b"2", b"1"]

    @pytest.mark.parametrize("name", ["timestamp", "type", "mvcc"])
    def test_numbers_are_sorted_as_they_are_written(self, name: str) -> None:
        """Columns of other types than integers are refused by sorting, as by the writer."""
        table = cells({name: 9}, {name: 10})
        number = table.schema.get_field_index(name)
        encoded = table.set_column(number, name, table[name].dictionary_encode())
        assert hfile.sorted_cells(encoded)[name].to_pylist() == [10, 9]
        for other in (pa.array(["9", "10"]), pa.array([[9], [10]]), pa.array([9, None])):
            with pytest.raises(FormatError, match=f"^{name}: found .*, wanted "):
                hfile.sorted_cells(table.set_column(number, name, other))

    def test_the_key_that_stands_behind_its_row(self) -> None:
        """A key without columns and of type 0 is the last of its row; no cell follows it."""
        last = {"family": b"", "qualifier": b"", "type": 0}
        assert read(written(cells({}, last, {"row": b"s"}), block_size=1)).num_rows == 3
        with pytest.raises(FormatError, match="after row"):
            written(cells(last, {}))

    def test_the_order_of_the_catalog(self) -> None:
        """Rows of HBase's catalog are compared by the parts between their commas."""
        rows = [b"t,a,9", b"t,a,b,1", b"t!,a,1"]
        options: dict[str, Any] = {"is_meta": True}
        ordered = sorted(rows, key=lambda row: (row.split(b",")[0], row))
        assert ordered == [b"t,a,9", b"t,a,b,1", b"t!,a,1"] != sorted(rows)
        data = written(pa.table({"row": ordered}), block_size=1, **options)
        assert hfile.open(data).trailer.is_meta_order
        with pytest.raises(FormatError, match="the order of HBase's catalog"):
            written(pa.table({"row": sorted(rows)}), **options)

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"compression": "LZMA"}, Unsupported),
            ({"compression": "gz"}, FormatError),
            ({"encoding": "COPY_KEY"}, FormatError),
            ({"checksum": "MD5"}, FormatError),
            ({"block_size": 0}, FormatError),
            ({"bytes_per_checksum": 0}, FormatError),
            ({"index_block_min_entries": 1}, FormatError),
            ({"blooms": ["ROW", "ROWCOL"]}, FormatError),
            ({"blooms": ["COLUMN"]}, FormatError),
            ({"profile": "hive"}, FormatError),
            ({"compression": "GZ", "level": 11}, FormatError),
            ({"created_ms": -1}, FormatError),
            ({"file_info": {"schema": "{}"}}, FormatError),
            ({"threads": -1}, FormatError),
        ],
    )
    def test_settings(self, options: dict[str, Any], error: type[FormatError]) -> None:
        """Invalid settings of a writer are refused by their name."""
        with pytest.raises(error, match=rf"{[*options][-1]}|bloom\.kind"):
            written(cells({}), **options)

    @pytest.mark.parametrize(
        ("data", "because"),
        [
            (pa.table({"value": [b"v"]}), "columns: found value, wanted a column row, or key"),
            (
                pa.table({"row": [b"r"], "colour": ["red"]}),
                "columns: found 'colour', wanted one of row",
            ),
            (pa.table({"row": [b"r"], "key": [b"r"]}), "columns: found 'row' twice"),
            (pa.table({"row": pa.array([b"r", None])}), "row: found 1 nulls, wanted bytes"),
            (
                pa.table({"row": [1.5]}),
                r"row: found double, wanted bytes or text; .* `column.cast\('string'\)` makes it",
            ),
            (pa.table({"row": [[b"r"]]}), "row: found list<item: binary>, wanted bytes or text$"),
            (pa.table({"row": [b"r"], "type": [256]}), "type: found int64, .* fit uint8"),
            *(
                (
                    pa.table({"row": [b"r"], "timestamp": value}),
                    f"timestamp: found {re.escape(str(value.type))}, wanted integers or timesta",
                )
                for value in (
                    pa.array([True]),
                    pa.array(["7"]),
                    pa.array([Decimal(7)]),
                    pa.array([7.0]),
                    pa.array([7], pa.duration("s")),
                    pa.array([7], pa.date64()),
                )
            ),
            (pa.table({"row": [b"r"], "type": [4.0]}), "type: found double, wanted integers$"),
            (
                pa.table({"row": [b"r"], "mvcc": pa.array([4], pa.timestamp("ms"))}),
                r"mvcc: found timestamp\[ms\], wanted integers$",
            ),
            (
                pa.table({"row": [b"r"], "mvcc": pa.array([None], pa.int64())}),
                "mvcc: found 1 nulls, wanted a number in every row",
            ),
            ("rows", "data: found str, wanted Arrow data: a batch, a table, a stream, or some of"),
        ],
    )
    def test_tables_that_are_no_cells(self, data: Any, because: str) -> None:
        """Columns that no cell has, nulls, and values of other types are refused."""
        with pytest.raises(FormatError, match=f"^{because}"):
            written(data)

    def test_meta_blocks_are_bytes(self) -> None:
        """Names and contents of meta blocks are bytes."""
        with pytest.raises(FormatError, match="meta"), HFileWriter(io.BytesIO()) as writer:
            writer.put_meta("name", b"")  # type: ignore[arg-type]

    def test_single_cells_of_wrong_types(self) -> None:
        """A cell given by itself is checked against the types of its parts."""
        with pytest.raises(FormatError, match="cells"), HFileWriter(io.BytesIO()) as writer:
            writer.add(b"row", 5)  # type: ignore[arg-type]


class TestPlace:
    def test_nothing_is_seen_before_the_end(self, tmp_path: Path) -> None:
        """A file appears when it is finished, and replaces the one before."""
        place = tmp_path / "x.hfile"
        place.write_bytes(b"before")
        with HFileWriter(place) as writer:
            writer.write(regular(100_000))
            assert place.read_bytes() == b"before"
        assert read(place.read_bytes()).num_rows == 100_000
        assert list(tmp_path.iterdir()) == [place]
        assert writer.file_size == place.stat().st_size

    @pytest.mark.parametrize("codec", ["NONE", "GZ"])
    def test_a_failure_leaves_what_was_there(self, tmp_path: Path, codec: str) -> None:
        """A writer that fails, or refuses a cell, leaves the old file and no other."""
        place = tmp_path / "x.hfile"
        place.write_bytes(b"before")
        with (
            pytest.raises(RuntimeError, match="of the user"),
            HFileWriter(place, compression=codec) as writer,
        ):
            write_and_fail(writer)
        writer = HFileWriter(place, compression=codec)
        with pytest.raises(FormatError, match=r"^cells\[1\]: found row b'a'"):
            writer.write(cells({}, {"row": b"a"}))
        with pytest.raises(StorageError, match="closed"):
            writer.finish()
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]

    def test_a_writer_that_is_dropped(self, tmp_path: Path) -> None:
        """A writer that has cells and is never finished leaves no file."""
        writer = HFileWriter(tmp_path / "x.hfile")
        writer.write(regular(10))
        with pytest.warns(ResourceWarning, match="not finished"):
            del writer
        assert not list(tmp_path.iterdir())

    def test_two_writers_of_one_name(self, tmp_path: Path) -> None:
        """Of two writers of one path, the file of the one that finishes last stays, whole."""
        place = tmp_path / "x.hfile"
        first, second = HFileWriter(place), HFileWriter(place)
        first.write(regular(50_000))
        second.write(regular(10))
        second.finish()
        assert read(place.read_bytes()).num_rows == 10
        first.finish()
        assert read(place.read_bytes()).num_rows == 50_000
        assert list(tmp_path.iterdir()) == [place]

    @pytest.mark.parametrize("codec", ["NONE", "GZ"])
    def test_a_disk_that_is_full(self, tmp_path: Path, codec: str) -> None:
        """A write to a full disk is a `StorageError`, and leaves the old file."""
        place = tmp_path / "x.hfile"
        place.write_bytes(b"before")
        program = (
            "import resource, sys\n"
            "from tests.support.hfile_cells import regular\n"
            "from byteloom.errors import StorageError\n"
            "from byteloom.hfile import HFileWriter\n"
            "def write(place, count):\n"
            "    with HFileWriter(place, compression=sys.argv[2]) as writer:\n"
            "        writer.write(regular(count))\n"
            "write(sys.argv[1] + '.warm', 10)\n"  # nothing but the file is to meet the limit
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
            "try:\n"
            "    write(sys.argv[1], 200_000)\n"
            "except StorageError:\n"
            "    sys.exit(17)\n"
        )
        root = Path(__file__).parents[2]
        path = ":".join(map(str, [root, *sys.path]))
        run = subprocess.run(
            [sys.executable, "-B", "-c", program, str(place), codec],
            cwd=root, check=False, env={"PYTHONPATH": path},
        )  # fmt: skip
        assert run.returncode == 17
        (tmp_path / "x.hfile.warm").unlink()
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]


class TestEncrypted:
    @pytest.mark.parametrize("codec", ["NONE", "GZ"])
    @pytest.mark.parametrize("size", [16, 24, 32])
    def test_only_the_key_opens_it(self, codec: str, size: int) -> None:
        """An encrypted file is read with its master key, and with no other."""
        table = regular(5_000)
        data = written(table, compression=codec, key=bytes(range(size)), blooms=["ROW"])
        assert b"row-00000" not in data
        with pytest.raises(
            Unsupported, match=r"^trailer\.encryption_key at byte \d+ .*: found an encrypted file"
        ):
            hfile.open(data)
        with pytest.raises(
            FormatError,
            match=r"^trailer\.encryption_key\.hash at byte \d+ .*: found a key of another hash",
        ):
            hfile.open(data, key=bytes(size))
        with hfile.open(data, key=bytes(range(size))) as file:
            assert file.verify() == 5_000
            assert file.read(table.column_names).equals(table)

    def test_no_stream_is_used_twice(self) -> None:
        """The same cells, encrypted twice with one key, give different bytes."""
        one, two = (written(cells({}), key=bytes(16), created_ms=0) for _ in range(2))
        assert one != two
        assert len(one) == len(two)

    def test_keys_of_other_sizes(self) -> None:
        """A key of a size that AES does not have is refused."""
        with pytest.raises(FormatError, match="key"):
            written(cells({}), key=b"secret")


class TestHudi:
    def test_what_the_profile_makes(self) -> None:
        """A file for Hudi has one level of index, one checksum a block, and its bounds."""
        count = 60_000
        table = pa.table(
            {"key": [f"key-{i:06d}" for i in range(count)], "value": [b"v" * 40] * count}
        )
        data = written(table, profile="hudi", compression="NONE", file_info={b"schema": b"{}"})
        with hfile.open(data) as file:
            assert file.verify() == count
            assert len(file.root.entries) > 1
            assert file.trailer.num_data_index_levels == 1
            assert file.file_info[b"minRecordKey"] == b"key-000000"
            assert file.file_info[b"maxRecordKey"] == b"key-059999"
            assert file.file_info[b"schema"] == b"{}"
            assert {entry.key[-1] for entry in file.root.entries} == {4}
            assert {block.header.num_checksums for block in file.stored_blocks()} == {1}

    @pytest.mark.parametrize(
        "options",
        [
            {"compression": "SNAPPY"},
            {"encoding": "DIFF"},
            {"tags": True},
            {"mvcc": False},
            {"bytes_per_checksum": 16384},
        ],
    )
    def test_settings_that_its_readers_do_not_take(self, options: dict[str, Any]) -> None:
        """Settings that a reader of Hudi cannot read, or loses rows by, are refused."""
        with pytest.raises(Unsupported, match=rf"^{next(iter(options))}: found .* for Hudi"):
            written(cells(), profile="hudi", **options)

    @pytest.mark.parametrize(
        "change",
        [
            {"row": bytes(32756)},
            {"family": b"f"},
            {"qualifier": b"q"},
            {"timestamp": 1},
            {"type": 8},
            {"mvcc": 1},
        ],
    )
    def test_cells_that_have_more_than_a_key(self, change: dict[str, Any]) -> None:
        """In Hudi's profile, a cell with more than a key and a value is refused."""
        plain = {"family": b"", "qualifier": b"", "timestamp": (1 << 63) - 1}
        table = cells(plain, plain | {"row": b"s"} | change)
        with pytest.raises(FormatError) as caught:
            written(table, profile="hudi")
        assert caught.value.path == f"cells[1].{next(iter(change))}"


def test_headers_are_those_of_the_spec() -> None:
    """Block headers packed in one step equal those that the spec's record writes."""
    data = written(regular(5_000), compression="GZ", block_size=1_000, checksum="CRC32")
    with hfile.open(data) as file:
        for block in file.stored_blocks():
            assert block.header.to_bytes() == data[block.offset : block.offset + 33]


def test_times_at_both_ends_are_written_as_hbase_does() -> None:
    """Differences of extreme times in DIFF wrap at 64 bits, as in HBase."""
    least, most = -(1 << 63), (1 << 63) - 1
    times = [0, least, most, 0, most, least, least, most, most, -5, most, 5, least]
    names = {"family": b"cf", "value": b""}
    rows = [{"row": b"r%02d" % n, "timestamp": time, **names} for n, time in enumerate(times)]
    data = written(cells(*rows), encoding="DIFF", mvcc=False)
    with hfile.open(data) as file:
        assert file.blocks.payload(next(file.stored_blocks())) == _BY_HBASE
        assert file.read(["timestamp"])["timestamp"].to_pylist() == times


_BY_HBASE: Final = bytes.fromhex(
    "0003 00000152 02 6366 00120000000372303071 0004 f70431710000000000000080 0f04327101"
    "0704337100 77043471ffffffffffffff7f 8f04357101 0f04367100 0f04377101 0f04387100"
    "8704397105 7703313071ffffffffffffff7f 0704317105 f70432710000000000000080"
)
"""A block of 13 cells of such times by HBase 2.6.4."""


def test_the_biggest_cell_may_have_lost_its_tags() -> None:
    """A given size of the biggest cell is kept if it exceeds that of the cells without tags."""
    names = b"hfile.KEY_OF_BIGGEST_CELL", b"hfile.LEN_OF_BIGGEST_CELL"
    table = cells({"row": b"r", "value": b"some"}, {"row": b"s", "value": b"value"})
    with hfile.open(written(table)) as file:
        own = {name: file.file_info[name] for name in names}
    key = own[names[0]].replace(b"\0\1s", b"\0\1r")
    size = int.from_bytes(own[names[1]], "big")
    for length, wins in ((size + 1, True), (size, False), (size - 1, False)):
        said = dict(zip(names, (key, length.to_bytes(8, "big")), strict=True))
        for options, kept in (({}, wins), ({"tags": True}, False)):
            with hfile.open(written(table, file_info=said, **options)) as file:
                found = {name: file.file_info[name] for name in names}
            assert found == (said if kept else own)
    with hfile.open(written(table, file_info={names[1]: b"\x7f" * 8})) as file:
        assert file.file_info[names[1]] == own[names[1]]


def test_too_much_file_info_is_not_the_trailers() -> None:
    """File info may have a schema of any length; an over-long comparator is refused."""
    data = written(cells({}), file_info={b"schema": bytes(1_000_000)})
    assert read(data).num_rows == 1
    with pytest.raises(LimitExceeded, match="trailer"):
        written(cells({}), comparator="x" * 5_000)


def test_the_sums_of_a_file() -> None:
    """The averages of a file are those of all cells; its biggest cell is the first of that size."""
    table = table_of(
        [CELL, CELL | {"row": b"s", "value": b"12345"}, CELL | {"row": b"t", "value": b"54321"}]
    )
    with hfile.open(written(table)) as file:
        info = file.file_info
    assert int.from_bytes(info[b"hfile.AVG_VALUE_LEN"], "big") == (1 + 5 + 5) // 3
    assert info[b"hfile.KEY_OF_BIGGEST_CELL"][:3] == b"\0\1s"
    assert int.from_bytes(info[b"hfile.LEN_OF_BIGGEST_CELL"], "big") == 8 + 15 - 0 + 5 + 4
    assert pc.max(table["timestamp"]).as_py() == 5


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ({"timestamp": -7}, r"timestamp: found -7 in row b'r', wanted 0 or more"),
        ({"type": 3}, r"columns\.type: found 3 in row b'r', wanted a value that the enum names"),
        ({"family": b"f" * 128}, r"len_family: found 128 in row b'r', wanted at most 127"),
        (
            {"timestamp": 1.5},
            r"found values of other types .*'float' object .* wanted bytes and numbers",
        ),
    ],
)
def test_what_is_wrong_with_a_cell_is_reported_with_its_value(
    cell: dict[str, Any], message: str
) -> None:
    """The error for an invalid cell has its exact value."""
    writer = HFileWriter(io.BytesIO())
    writer.add(b"a")
    with pytest.raises(FormatError, match=message), writer:
        writer.add(b"r", **cell)


def test_what_hudi_cannot_hold_is_reported_with_its_size() -> None:
    """A family in Hudi's profile is refused with its size."""
    writer = HFileWriter(io.BytesIO(), profile="hudi")
    message = r"cells\[0\]\.family: found 2 bytes, wanted a key"
    with pytest.raises(FormatError, match=message), writer:
        writer.add(b"r", family=b"cf")
