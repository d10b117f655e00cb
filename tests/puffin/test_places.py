"""Puffin files on storage that misbehaves: nothing is lost silently or left half written."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from tests.support.puffin_files import puffin

from byteloom.errors import ByteloomError, FormatError, StorageError
from byteloom.puffin import PuffinWriter
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from pathlib import Path

ONE: dict[str, Any] = {
    "type": "a", "data": b"abc", "fields": [1], "snapshot_id": 2, "sequence_number": 1,
}  # fmt: skip


def write(place: Any, *blobs: dict[str, Any], **options: Any) -> None:
    """Write a file with these blobs."""
    with PuffinWriter(place, **options) as writer:
        for each in blobs:
            writer.add(**each)


class Raw(io.RawIOBase):
    """A file that reads and writes five bytes at a time."""

    def __init__(self, data: bytes = b"", takes: int | None = 5) -> None:
        """Begin with *data*."""
        self.file, self.takes = io.BytesIO(data), takes

    def write(self, data: Any) -> int | None:
        """Write some of *data*."""
        return self.takes and self.file.write(bytes(data)[: self.takes])

    def read(self, size: int = -1) -> bytes:
        """Return some bytes."""
        return self.file.read(min(size, 5) if size >= 0 else 5)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to a position."""
        return self.file.seek(offset, whence)


class TestFileObjects:
    def test_a_raw_file_gets_and_gives_every_byte(self) -> None:
        """A file object that accepts or returns fewer bytes than asked for loses none."""
        file = Raw()
        write(file, ONE, ONE | {"data": bytes(100)})
        again: Any = Raw(file.file.getvalue())
        read = open_puffin(again)
        assert read.read_many(read.blobs) == [b"abc", bytes(100)]

    @pytest.mark.parametrize("takes", [0, None])
    def test_a_file_that_takes_nothing_is_an_error(self, takes: int | None) -> None:
        """A file object whose `write` returns 0 or None is an error, not an endless loop."""
        with pytest.raises(StorageError, match=f"took {takes} of"):
            write(Raw(takes=takes), ONE)

    @pytest.mark.parametrize("file", [io.StringIO("PFA1"), 5, None], ids=["text", "number", "None"])
    def test_what_is_no_binary_file_is_refused(self, file: Any) -> None:
        """A text file, a number or None is refused as a file, for reading and for writing."""
        with pytest.raises(
            StorageError, match=r"^(file object: string argument|(int|NoneType) names no file)"
        ):
            open_puffin(file)
        with pytest.raises(
            StorageError, match=r"^(file object: string argument|(int|NoneType) names no file)"
        ):
            write(file, ONE)

    def test_a_file_that_cannot_seek_is_refused(self) -> None:
        """A file object that cannot seek is refused: a Puffin file is read from its end."""
        with subprocess.Popen(["true"], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            with pytest.raises(StorageError, match="seek"):
                open_puffin(process.stdout)


class TestFolders:
    def test_a_full_disk_keeps_the_old_file(self, tmp_path: Path) -> None:
        """A write that fails on a full disk leaves the old file, and no temporary one."""
        (tmp_path / "file").write_bytes(b"old")
        code = (
            "import resource, sys\n"
            "from byteloom.errors import StorageError\n"
            "from byteloom.puffin import PuffinWriter\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))\n"
            "try:\n"
            "    with PuffinWriter(sys.argv[1]) as writer:\n"
            "        writer.add(type='a', data=bytes(1 << 20), fields=[], snapshot_id=1,"
            " sequence_number=1)\n"
            "except StorageError as error:\n"
            "    print(error)\n"
        )
        command = [sys.executable, "-c", code, str(tmp_path / "file")]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "File too large" in run.stdout
        assert [each.name for each in tmp_path.iterdir()] == ["file"]
        assert (tmp_path / "file").read_bytes() == b"old"

    def test_a_folder_that_vanishes_is_an_error(self, tmp_path: Path) -> None:
        """A folder that is removed during a write is an error at its end, and is not recreated."""
        folder = tmp_path / "folder"
        folder.mkdir()
        writer = PuffinWriter(folder / "file")
        writer.add(**ONE)
        for each in folder.iterdir():
            each.unlink()
        folder.rmdir()
        with pytest.raises(StorageError, match="No such file"):
            writer.finish()
        assert not list(tmp_path.iterdir())

    def test_two_writers_at_once_do_not_mix(self, tmp_path: Path) -> None:
        """Two writers of one path leave a whole file each, and that of the last one stays."""
        first, second = PuffinWriter(tmp_path / "file"), PuffinWriter(tmp_path / "file")
        for writer in (first, second, second):
            writer.add(**ONE)
        for writer, count in ((first, 1), (second, 2)):
            writer.finish()
            with open_puffin(tmp_path / "file") as file:
                file.verify()
                assert len(file.blobs) == count

    @pytest.mark.parametrize(
        ("name", "because"),
        [
            ("file/below", "Not a directory"),
            ("a\0b", "embedded null byte"),
            ("", r"an empty name|Is a directory|No such file"),
            ("link", "No such file"),
        ],
    )
    def test_a_name_that_cannot_be_is_an_error(
        self, name: str, because: str, tmp_path: Path
    ) -> None:
        """An impossible path (below a file, empty, with a zero byte) is a StorageError."""
        (tmp_path / "file").write_bytes(b"")
        (tmp_path / "link").symlink_to(tmp_path / "no" / "where")
        place = f"{tmp_path}/{name}" if name else ""
        with pytest.raises(StorageError, match=because):
            open_puffin(place)
        with pytest.raises(StorageError, match=because):
            write(place, ONE)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "link"]


class TestFilesystems:
    def test_a_filesystem_in_memory(self) -> None:
        """A file in memory is written and read by its URL, or by its filesystem."""
        write("memory://folder/file.puffin", ONE)
        assert open_puffin("memory://folder/file.puffin").blobs[0].length == 3
        memory = fsspec.filesystem("memory")
        assert open_puffin("/folder/file.puffin", filesystem=memory).blobs[0].type == "a"

    def test_a_file_in_an_archive(self, tmp_path: Path) -> None:
        """A file inside a ZIP archive is read without unpacking the archive."""
        with zipfile.ZipFile(tmp_path / "files.zip", "w") as archive:
            archive.writestr("folder/file.puffin", puffin())
        with open_puffin(f"zip://folder/file.puffin::{tmp_path}/files.zip") as file:
            file.verify()
            assert file.blobs == []


class TestBlobs:
    def test_a_hundred_thousand_of_no_bytes(self) -> None:
        """A hundred thousand empty blobs are read and verified, and occupy the footer only."""
        file = io.BytesIO()
        with PuffinWriter(file) as writer:
            for number in range(100_000):
                writer.add(**ONE | {"data": b"", "fields": [number]})
        read = open_puffin(file)
        read.verify()
        assert (len(read.blobs), read.ofs_footer) == (100_000, 4)
        assert read.read_many(read.find(field=99_999)) == [b""]

    @pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
    @pytest.mark.parametrize(
        ("data", "wanted"),
        [
            (memoryview(b"abcdef")[::2], b"ace"),
            (np.array([[1, 2], [3, 4]], "<u2").T, bytes([1, 0, 3, 0, 2, 0, 4, 0])),
            (np.zeros((0, 3)), b""),
            (pa.py_buffer(b"abc"), b"abc"),
            (bytearray(b"abc"), b"abc"),
        ],
        ids=["strided", "transposed", "empty", "Arrow", "bytearray"],
    )
    def test_whatever_has_bytes_can_be_written(
        self, data: Any, wanted: bytes, compression: str | None
    ) -> None:
        """Any buffer is written in the order of its elements, whatever its strides."""
        file = io.BytesIO()
        write(file, ONE | {"data": data, "compression": compression})
        read = open_puffin(file)
        assert read.read(read.blobs[0]) == wanted

    @pytest.mark.parametrize(
        ("wrong", "path"),
        [
            ({"data": "abc"}, "blobs[0].data"),
            ({"data": None}, "blobs[0].data"),
            ({"data": 5}, "blobs[0].data"),
            ({"fields": None}, "blobs[0].fields"),
            ({"fields": 5}, "blobs[0].fields"),
            ({"fields": "12"}, "blobs[0].fields"),
            ({"properties": ["ab"]}, "blobs[0].properties"),
            ({"properties": "ab"}, "blobs[0].properties"),
        ],
    )
    def test_an_odd_type_is_refused_by_name(self, wrong: dict[str, Any], path: str) -> None:
        """The error for an invalid argument of a blob names it, and no byte is written."""
        with pytest.raises(FormatError) as refused:
            write(io.BytesIO(), ONE | wrong)
        assert refused.value.path == path

    @pytest.mark.parametrize("properties", [5, ["ab"], "ab", {"a": None}])
    def test_odd_properties_of_the_file_are_refused(self, properties: Any) -> None:
        """Invalid properties of a file are refused by the name of the argument."""
        with pytest.raises(FormatError, match="properties"):
            write(io.BytesIO(), properties=properties)

    def test_a_blob_of_another_file_stays_inside_this_one(self) -> None:
        """A blob of another file whose range exceeds this file is refused."""
        file = open_puffin(puffin())
        with PuffinWriter(io.BytesIO()) as writer:
            blob = writer.add(**ONE | {"data": bytes(1000)})
        with pytest.raises(
            ByteloomError, match=r"^bytes at byte 4 .*found 33 bytes in all, wanted bytes 4 to 1004"
        ):
            file.read(blob)
