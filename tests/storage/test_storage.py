"""Files are read and written alike in memory, on this machine and in object stores."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from contextlib import closing, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import fs

from byteloom.errors import FormatError, StorageError, Truncated
from byteloom.storage import Source, Target, merged, open_source, open_target
from byteloom.storage.naming import about_file
from byteloom.storage.native import HeldRanges, native_file
from byteloom.storage.open import resolve, within_a_minute
from byteloom.storage.sources import ArrowSource, BytesSource, FsspecSource, LocalSource
from byteloom.storage.targets import LocalTarget, SpoolTarget, put, upload, write_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = bytes(range(256)) * 40


Where = tuple[Any, dict[str, Any]]


def _path(folder: Path) -> Where:
    return folder / "file", {}


def _string(folder: Path) -> Where:
    return str(folder / "file"), {}


def _url(folder: Path) -> Where:
    return (folder / "file").as_uri(), {}


def _localhost(folder: Path) -> Where:
    return (folder / "file").as_uri().replace("file://", "file://localhost"), {}


def _arrow_local(folder: Path) -> Where:
    return str(folder / "file"), {"filesystem": fs.LocalFileSystem()}


def _arrow_subtree(folder: Path) -> Where:
    return "file", {"filesystem": fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())}


def _fsspec_local(folder: Path) -> Where:
    return str(folder / "file"), {"filesystem": fsspec.filesystem("file")}


def _fsspec_memory(_: Path) -> Where:
    return "/folder/file", {"filesystem": fsspec.filesystem("memory")}


def _fsspec_url(_: Path) -> Where:
    return "memory://folder/file", {}


def _adapted(_: Path) -> Where:
    handler = fs.FSSpecHandler(fsspec.filesystem("memory"))
    return "/folder/file", {"filesystem": fs.PyFileSystem(handler)}


PLACES = [
    _path, _string, _url, _localhost, _arrow_local, _arrow_subtree,
    _fsspec_local, _fsspec_memory, _fsspec_url, _adapted,
]  # fmt: skip
everywhere = pytest.mark.parametrize("where", PLACES, ids=lambda where: where.__name__.strip("_"))


def put_data(place: Any, options: dict[str, Any], data: bytes = DATA) -> None:
    """Write *data* at once."""
    target = open_target(place, **options)
    target.write(data)
    target.commit()


def get_data(place: Any, options: dict[str, Any]) -> bytes:
    """Return all bytes of a file."""
    source = open_source(place, **options)
    try:
        return source.read(0, source.size)
    finally:
        source.close()


class TestSources:
    @everywhere
    def test_ranges_come_as_asked(self, where: Callable[[Path], Where], tmp_path: Path) -> None:
        """Ranges are returned in the order asked for, even if they overlap, repeat or are empty."""
        place, options = where(tmp_path)
        put_data(place, options)
        source = open_source(place, **options)
        ranges = [(9000, 500), (0, 10), (5, 20), (0, 10), (10240, 0), (300, 0), (10239, 1)]
        assert source.size == len(DATA)
        assert source.read_ranges(ranges) == [DATA[at : at + size] for at, size in ranges]
        assert source.read_tail(12) == DATA[-12:]
        assert source.read_tail(10**9) == DATA
        source.close()

    @everywhere
    def test_ranges_outside_are_truncated(
        self, where: Callable[[Path], Where], tmp_path: Path
    ) -> None:
        """A range that leaves the file is Truncated, with the file's size in the message."""
        place, options = where(tmp_path)
        put_data(place, options)
        source = open_source(place, **options)
        for offset, length in [(-1, 5), (0, -1), (len(DATA), 1), (0, len(DATA) + 1), (1 << 60, 1)]:
            with pytest.raises(Truncated, match="10240 bytes in all"):
                source.read(offset, length)
            with pytest.raises(Truncated, match="10240 bytes in all"):
                source.read_ranges([(0, 1), (offset, length)])
        source.close()

    @everywhere
    def test_a_missing_file_is_named(self, where: Callable[[Path], Where], tmp_path: Path) -> None:
        """Opening a missing file is an error that names it and keeps the cause."""
        place, options = where(tmp_path)
        with pytest.raises(StorageError, match="file") as missing:
            open_source(place, **options)
        assert missing.value.__cause__ is not None

    @everywhere
    def test_an_empty_file_can_be_read(
        self, where: Callable[[Path], Where], tmp_path: Path
    ) -> None:
        """An empty file, which cannot be memory-mapped, is read as no bytes."""
        place, options = where(tmp_path)
        put_data(place, options, b"")
        source = open_source(place, **options)
        assert (source.size, source.read_tail(10), source.read_ranges([(0, 0)])) == (0, b"", [b""])
        source.close()

    @pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, io.BytesIO])
    def test_memory_is_a_source(self, kind: Callable[[bytes], Any]) -> None:
        """Bytes of any kind can be read as a source, as can a file object over them."""
        source = open_source(kind(DATA))
        assert source.read_ranges([(3, 4), (1, 2)]) == [DATA[3:7], DATA[1:3]]

    def test_a_raw_file_object_hands_out_all_it_was_asked_for(self) -> None:
        """An unbuffered file that reads short is read again until the range is complete."""

        class Dribbling(io.BytesIO):
            def read(self, size: int | None = -1, /) -> bytes:
                return super().read(min(size or 0, 7))

        assert open_source(Dribbling(DATA)).read(100, 1000) == DATA[100:1100]

    def test_a_file_object_stays_open(self) -> None:
        """Closing a source leaves a file object of the caller open."""
        file = io.BytesIO(DATA)
        open_source(file).close()
        assert not file.closed

    def test_a_source_is_taken_as_it_is(self) -> None:
        """Opening a source returns the same object, so that a caller can bring its own."""
        source = open_source(DATA)
        assert isinstance(source, Source)
        assert open_source(source) is source

    @pytest.mark.parametrize("nonsense", [None, 5, 2.5, object()])
    def test_what_names_no_file_is_refused(self, nonsense: Any) -> None:
        """Opening something that names no file is an error that lists what does."""
        with pytest.raises(StorageError, match="wanted a path, a URL"):
            open_source(nonsense)
        with pytest.raises(StorageError, match="wanted a path, a URL"):
            open_target(nonsense)

    def test_an_unknown_scheme_is_refused(self) -> None:
        """A URL whose scheme neither pyarrow nor fsspec knows is refused."""
        with pytest.raises(StorageError, match="nosuch://host/file"):
            open_source("nosuch://host/file")

    def test_google_is_given_up_within_a_minute(self) -> None:
        """A URL of Google's storage gets a limit of 30 s for retries, unless it has options."""
        url = within_a_minute("gs://bucket/a b.bin")
        assert url == "gs://bucket/a b.bin?retry_limit_seconds=30"
        for kept in ("gs://b/o?anonymous=true", "s3://b/o", "file:///o"):
            assert within_a_minute(kept) == kept
        _, path = resolve("gs://bucket/folder/file.bin", None)
        assert path == "bucket/folder/file.bin"

    def test_azure_without_credentials_is_an_error(self) -> None:
        """Opening a file on Azure without credentials is an error and does not end the process."""
        code = (
            "from byteloom.errors import StorageError\n"
            "from byteloom.storage import open_source\n"
            "try:\n    open_source('abfs://box@account.dfs.core.windows.net/file')\n"
            "except StorageError as error:\n    print('refused')\n"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert (run.returncode, run.stdout.strip()) == (0, b"refused")

    def test_kinds_of_sources(self, tmp_path: Path) -> None:
        """Local files are memory-mapped, however named; others use the given filesystem."""
        for where in (_path, _url, _arrow_local, _fsspec_local):
            place, options = where(tmp_path)
            put_data(place, options)
            with closing(open_source(place, **options)) as source:
                assert isinstance(source, LocalSource)
        place, options = _arrow_subtree(tmp_path)
        assert isinstance(open_source(place, **options), ArrowSource)
        place, options = _adapted(tmp_path)
        put_data(place, options)
        assert isinstance(open_source(place, **options), FsspecSource)

    @pytest.mark.parametrize("mapped", [True, False])
    def test_a_file_that_shrank_is_truncated(self, mapped: bool, tmp_path: Path) -> None:
        """Reading bytes that were cut off after a file was opened raises `Truncated`."""
        path = tmp_path / "file"
        path.write_bytes(DATA)
        with path.open("rb") as file, closing(open_source(path if mapped else file)) as source:
            os.truncate(path, 100)
            with pytest.raises(Truncated, match=r"at byte 9000 .*: found 0 bytes, wanted 100"):
                source.read(9000, 100)

    @pytest.mark.parametrize("where", [_fsspec_memory, _arrow_subtree])
    def test_ranges_that_are_far_apart_are_requests_of_their_own(
        self, where: Callable[[Path], Where], tmp_path: Path
    ) -> None:
        """Distant ranges are fetched in parallel and returned in the order asked for."""
        place, options = where(tmp_path)
        put_data(place, options)
        ranges = [(9_000, 70), (300, 5), (5_000, 1), (305, 9)]
        with closing(open_source(place, **options)) as source:
            assert isinstance(source, FsspecSource | ArrowSource)
            source.gap = 10
            assert source.parallel > 1
            assert source.read_ranges(ranges) == [DATA[at : at + size] for at, size in ranges]


class TestMerging:
    @given(
        ranges=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 50))),
        gap=st.integers(0, 100),
    )
    def test_requests_hold_their_ranges_and_stay_apart(
        self, ranges: list[tuple[int, int]], gap: int
    ) -> None:
        """Every range is in exactly one request, and requests are farther apart than the gap."""
        requests = merged(ranges, gap)
        members = [(index, request) for request in requests for index in request.members]
        assert sorted(index for index, _ in members) == list(range(len(ranges)))
        for index, request in members:
            offset, length = ranges[index]
            assert request.offset <= offset
            assert offset + length <= request.offset + request.length
        for before, after in pairwise(requests):
            assert after.offset - (before.offset + before.length) > gap

    def test_large_requests_stay_apart(self) -> None:
        """Ranges of many megabytes are fetched in parallel, not as one."""
        size = 10 << 20
        assert [request.length for request in merged([(0, size), (size, size)])] == [size, size]


class TestTargets:
    @everywhere
    def test_nothing_is_seen_before_the_commit(
        self, where: Callable[[Path], Where], tmp_path: Path
    ) -> None:
        """A new file does not exist before it is committed, and is complete afterwards."""
        place, options = where(tmp_path)
        target = open_target(place, **options)
        target.write(DATA[:5000])
        with pytest.raises(StorageError, match="file"):
            open_source(place, **options)
        target.write(memoryview(DATA)[5000:])
        target.commit()
        assert get_data(place, options) == DATA

    @everywhere
    def test_an_abort_keeps_what_was_there(
        self, where: Callable[[Path], Where], tmp_path: Path
    ) -> None:
        """An abort keeps the old file and removes the temporary one."""
        place, options = where(tmp_path)
        put_data(place, options, b"old")
        target = open_target(place, **options)
        target.write(DATA)
        assert get_data(place, options) == b"old"
        target.abort()
        target.abort()
        assert get_data(place, options) == b"old"
        assert [path.name for path in tmp_path.iterdir()] in (["file"], [])
        assert list(MemoryFileSystem.store) in (["/folder/file"], [])

    @everywhere
    def test_a_commit_replaces(self, where: Callable[[Path], Where], tmp_path: Path) -> None:
        """A commit replaces the old file and leaves no other file."""
        place, options = where(tmp_path)
        put_data(place, options, b"old")
        put_data(place, options, b"new")
        assert get_data(place, options) == b"new"
        assert [path.name for path in tmp_path.iterdir()] in (["file"], [])
        assert list(MemoryFileSystem.store) in (["/folder/file"], [])

    @everywhere
    def test_writers_at_the_same_time_never_mix(
        self, where: Callable[[Path], Where], tmp_path: Path
    ) -> None:
        """Of several writers at the same time, one has its whole file there in the end."""
        place, options = where(tmp_path)
        targets = [open_target(place, **options) for _ in range(4)]
        for _ in range(3):
            for number, target in enumerate(targets):
                target.write(bytes([number]) * 1000)
        threads = [threading.Thread(target=target.commit) for target in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = get_data(place, options)
        assert found in [bytes([number]) * 3000 for number in range(4)]

    def test_a_failed_commit_leaves_the_old_file(self, tmp_path: Path) -> None:
        """A commit that cannot rename its file is an error and leaves no temporary file."""
        (tmp_path / "file").mkdir()
        target = open_target(tmp_path / "file")
        target.write(DATA)
        with pytest.raises(StorageError, match="file: Is a directory"):
            target.commit()
        assert [path.name for path in tmp_path.iterdir()] == ["file"]

    def test_a_missing_folder_is_an_error(self, tmp_path: Path) -> None:
        """Writing to a folder that does not exist is an error, and does not create the folder."""
        with pytest.raises(StorageError, match="No such file"):
            open_target(tmp_path / "no" / "file")

    def test_a_link_is_followed(self, tmp_path: Path) -> None:
        """Writing to a symbolic link replaces the file it points to, and not the link."""
        (tmp_path / "real").write_bytes(b"old")
        (tmp_path / "link").symlink_to("real")
        put_data(tmp_path / "link", {})
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_bytes() == DATA

    def test_a_new_file_has_the_usual_permissions(self, tmp_path: Path) -> None:
        """A new file has the permissions that the umask leaves, not those of a temporary file."""
        put_data(tmp_path / "file", {})
        (tmp_path / "plain").write_bytes(b"")
        assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode

    def test_a_name_that_looks_compressed_is_not_compressed(self, tmp_path: Path) -> None:
        """A file whose extension is that of a codec is written without compression."""
        place, options = _arrow_subtree(tmp_path)
        put_data(place + ".gz", options)
        assert (tmp_path / "file.gz").read_bytes() == DATA

    def test_a_file_object_gets_all_at_once(self) -> None:
        """A file object gets no bytes before the commit, and none after an abort."""
        file = io.BytesIO()
        target = open_target(file)
        target.write(DATA)
        assert file.getvalue() == b""
        target.commit()
        assert file.getvalue() == DATA
        target = open_target(file)
        target.write(DATA)
        target.abort()
        assert file.getvalue() == DATA

    @pytest.mark.parametrize("how", ["arrow", "fsspec"])
    def test_an_object_store_sees_nothing_but_whole_files(self, how: str, tmp_path: Path) -> None:
        """Bytes for an object store are kept in a local file and uploaded by the commit."""
        place, options = (_arrow_subtree if how == "arrow" else _fsspec_memory)(tmp_path)
        move = upload if how == "arrow" else put
        target: Target = SpoolTarget(place, move(options["filesystem"], place))
        target.write(DATA)
        assert not list(tmp_path.iterdir())
        assert not MemoryFileSystem.store
        target.commit()
        assert get_data(place, options) == DATA

    @pytest.mark.parametrize("count", [0, 1, 1024, 1025, 5000])
    def test_many_pieces_are_written_in_turn(self, tmp_path: Path, count: int) -> None:
        """Any number of pieces is written in order, between earlier and later writes."""
        pieces = [bytes([number % 256]) * (number % 7) for number in range(count)]
        with LocalTarget(tmp_path / "file") as target:
            target.write(b"before")
            target.write_all(pieces)
            target.write(b"after")
            target.commit()
        assert (tmp_path / "file").read_bytes() == b"".join([b"before", *pieces, b"after"])

    def test_pieces_that_the_system_takes_in_part_are_written_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Pieces of which the system writes only a part at a time are written completely."""
        whole = os.writev
        monkeypatch.setattr(os, "writev", lambda file, pieces: whole(file, [b"".join(pieces)[:7]]))
        with LocalTarget(tmp_path / "file") as target:
            target.write_all([b"abc", b"", b"defgh", b"ij"])
            target.commit()
        assert (tmp_path / "file").read_bytes() == b"abcdefghij"

    def test_object_stores_are_known(self) -> None:
        """Files on S3, and in a folder of a bucket there, are written to a local spool first."""
        s3 = fs.S3FileSystem(anonymous=True, region="us-east-1")
        for filesystem in (s3, fs.SubTreeFileSystem("bucket", s3)):
            target = open_target("bucket/key", filesystem=filesystem)
            assert isinstance(target, SpoolTarget)
            target.abort()


def test_importing_storage_loads_neither_pyarrow_nor_fsspec() -> None:
    """Reading a local file imports neither pyarrow nor fsspec nor numpy."""
    script = (
        "import sys, byteloom.storage as s; s.open_source(sys.executable).read_tail(4);"
        "sys.exit(bool({'pyarrow', 'fsspec', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("place", [_path, _string, _arrow_local])
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_a_target_that_is_dropped_leaves_no_file(
    place: Callable[[Path], Where], tmp_path: Path
) -> None:
    """A target that is garbage-collected before its commit removes its temporary file."""
    where, options = place(tmp_path)
    target = open_target(where, **options)
    target.write(DATA)
    assert len(os.listdir(tmp_path)) == 1  # noqa: PTH208  hidden files too
    del target
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_fork_that_ends_leaves_the_file_of_its_parent(tmp_path: Path) -> None:
    """A forked process that ends does not remove the temporary file of its parent's target."""
    script = (
        "import os, sys; from byteloom.storage.targets import LocalTarget\n"
        "target = LocalTarget(sys.argv[1]); child = os.fork()\n"
        "child or sys.exit(); os.waitpid(child, 0)\n"
        "target.write(b'whole'); target.commit()"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path / "file"], check=True)
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_a_block_that_is_left_early_leaves_no_file(tmp_path: Path) -> None:
    """Leaving a target's block without a commit, by an error or not, leaves no file."""
    with LocalTarget(tmp_path / "file") as target:
        target.write(b"half")
    with suppress(KeyError), LocalTarget(tmp_path / "file") as target:
        target.write(b"half")
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_whole_before_it_is_synchronized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All bytes are flushed before the file is synchronized, so no power failure loses them."""
    seen: list[int] = []
    sync = os.fsync

    def noted(file: int) -> None:
        seen.append(os.fstat(file).st_size)
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)
    with LocalTarget(tmp_path / "file") as target:
        target.write(b"twelve bytes")
        target.commit()
    assert seen[0] == 12


def test_ranges_are_one_request_up_to_a_mebibyte_apart() -> None:
    """Ranges up to 1 MiB apart are one request by default."""
    near, far = 1 + (1 << 20), 2 + (1 << 20)
    assert [each.members for each in merged([(0, 1), (near, 1)])] == [[0, 1]]
    assert [each.members for each in merged([(0, 1), (far, 1)])] == [[0], [1]]


def test_ranges_inside_of_a_large_request_are_part_of_it() -> None:
    """A range that ends inside a large request is part of it; one ending later is not."""
    size = 20 << 20
    assert [each.members for each in merged([(0, size), (9, size - 9)])] == [[0, 1]]
    assert [each.members for each in merged([(0, size), (9, size - 8)])] == [[0], [1]]


@pytest.mark.parametrize(("name", "said"), [("a.file", "a.file: here"), (None, "here")])
def test_errors_name_the_file_that_they_are_about(name: str | None, said: str) -> None:
    """An error gets the name of the file it is about, if there is one."""
    with pytest.raises(FormatError) as caught, about_file(name):
        raise FormatError("here", 3, 1, "2")
    assert str(caught.value).startswith(f"{said} at byte 3 ")


@pytest.mark.parametrize(
    ("ranges", "gap", "requests"),
    [
        ([(0, 10), (15, 5)], 5, [(0, 20, [0, 1])]),
        ([(0, 10), (16, 5)], 5, [(0, 10, [0]), (16, 5, [1])]),
        ([(16, 5), (0, 10)], 6, [(0, 21, [1, 0])]),
        ([(0, 10), (2, 3), (9, 2)], 0, [(0, 11, [0, 1, 2])]),
        ([(0, 1), ((16 << 20) - 1, 1)], 1 << 30, [(0, 16 << 20, [0, 1])]),
        ([(1 << 30, 1), ((1 << 30) + 4, 1)], 3, [(1 << 30, 5, [0, 1])]),
        ([(0, 1), (16 << 20, 1)], 1 << 30, [(0, 1, [0]), (16 << 20, 1, [1])]),
    ],
)
def test_ranges_are_one_request_up_to_a_gap_and_a_size(
    ranges: list[tuple[int, int]], gap: int, requests: list[tuple[int, int, list[int]]]
) -> None:
    """Ranges are merged up to the gap and to a request of 16 MiB, and not a byte further."""
    assert [tuple(each) for each in merged(ranges, gap)] == requests


def test_a_file_that_is_replaced_while_it_is_opened_is_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe that replaces a file while it is opened is refused, and its handle closed."""
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    was = os.stat(tmp_path / "file")  # noqa: PTH116
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", lambda _: was)
        with pytest.raises(StorageError) as refused:
            LocalSource(tmp_path / "pipe")
    assert str(refused.value).endswith("pipe: found a named pipe, wanted a regular file")
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


def test_a_source_is_a_file_object_of_pyarrow() -> None:
    """A source works as a file object of pyarrow that reads, seeks and stops at the end."""
    file = native_file(BytesSource(b"abcdefgh"))
    assert (file.size(), file.readable(), file.seekable()) == (8, True, True)
    assert (file.read(3), file.tell(), file.read(0), file.read(2)) == (b"abc", 3, b"", b"de")
    assert (file.seek(-2, os.SEEK_END), file.read(9), file.tell(), file.read(1)) == (
        6, b"gh", 8, b"",
    )  # fmt: skip
    file.seek(2)
    file.seek(1, os.SEEK_CUR)
    assert file.read() == b"defgh"


def test_pieces_go_to_any_target_in_turn(tmp_path: Path) -> None:
    """Pieces are written in order to any target, one by one to one of the caller."""

    class Own:
        name = "own"

        def __init__(self) -> None:
            self.taken: list[bytes] = []

        def write(self, data: bytes | bytearray | memoryview) -> None:
            self.taken.append(bytes(data))

        def commit(self) -> None:
            pass

        def abort(self) -> None:
            pass

    own = Own()
    write_all(own, [b"a", b"", b"bc"])
    assert own.taken == [b"a", b"", b"bc"]
    with LocalTarget(tmp_path / "file") as target:
        write_all(target, [b"a", b"", b"bc"])
        target.commit()
    assert (tmp_path / "file").read_bytes() == b"abc"


@pytest.mark.parametrize(
    ("offset", "length"), [(0, 4), (1, 2), (2, 4), (3, 1), (3, 2), (4, 2), (8, 4), (11, 1)]
)
def test_ranges_that_are_held_in_part_are_read_whole(offset: int, length: int) -> None:
    """A range that is only partly in memory is read completely."""
    data = bytes(range(12))
    held = HeldRanges(open_source(data), [(0, 4), (8, 9), (12, 1)])
    assert held.read(offset, length) == data[offset : offset + length]


@pytest.mark.parametrize("name", ["x" * 255, "\xe9" * 127, "\U0001f600" * 63], ids=len)
def test_a_name_may_be_as_long_as_the_system_takes(tmp_path: Path, name: str) -> None:
    """A file name may have as many bytes as the system allows, however many characters."""
    with LocalTarget(tmp_path / name) as target:
        target.write(b"whole")
        target.commit()
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_local_file_is_read_however_little_the_system_gives_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A local file is read completely even if the system returns a few bytes at a time."""
    (tmp_path / "file").write_bytes(DATA)
    get, get_into = os.pread, os.preadv
    monkeypatch.setattr(os, "pread", lambda file, size, at: get(file, min(size, 3), at))
    monkeypatch.setattr(os, "preadv", lambda file, into, at: get_into(file, [into[0][:1]], at))
    with closing(LocalSource(tmp_path / "file")) as source:
        assert source.read(5, 10) == DATA[5:15]
        out = bytearray(9)
        source.read_into(7, memoryview(out))
        assert out == DATA[7:16]


def test_a_local_file_that_has_lost_its_end_is_truncated(tmp_path: Path) -> None:
    """Reading the lost end of a local file is an error that says how much of the range is left."""
    place = tmp_path / "file"
    place.write_bytes(DATA)
    with closing(LocalSource(place)) as source:
        os.truncate(place, 100)
        with pytest.raises(Truncated, match=r"at byte 90 .*: found 10 bytes, wanted 30 bytes"):
            source.read_into(90, memoryview(bytearray(30)))
        with pytest.raises(Truncated, match="found 10 bytes"):
            source.read(90, 30)
