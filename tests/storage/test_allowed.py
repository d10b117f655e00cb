"""Metadata leads a reader only to allowed places, and options say how files are reached."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow import fs
from tests.support.iceberg_rows import TableMaker, arrow, parquet

from byteloom.errors import StorageError
from byteloom.iceberg import open_table
from byteloom.iceberg.metadata.relocation import Access
from byteloom.late import pa_fs
from byteloom.storage.allowed import Allowed
from byteloom.storage.options import filesystem_of, path_in

if TYPE_CHECKING:
    from collections.abc import Iterator

BUCKET = "s3://warehouse/db"

INSIDE = (
    "s3://warehouse/db", "s3://warehouse/db/", "S3://WAREHOUSE/db/t/a.parquet", "s3a://warehouse/db/x",
    "s3n://warehouse//db/./x", "s3://warehouse/other/../db/x", "s3://warehouse/%64b/../db/x",
    "s3://warehouse/db/a=b%2Fc/x",
)  # fmt: skip
OUTSIDE = (
    "s3://warehouse/db2/x", "s3://warehouse/dbx", "s3://warehouse/x", "s3://warehouse", "s3://other/db/x",
    "s3://warehouse/db/../x", "s3://warehouse/db/%2e%2e/x", "s3://warehouse/db/%252e%252e/x",
    "s3://warehouse/../warehouse/db/x", "s3://K:S@warehouse/db/x", "s3://warehouse@evil/db/x",
    "s3://warehouse/db/x?endpoint_override=evil", "s3://warehouse/db/x#y", "s3://warehouse:80/db/x",
    "s3://warehouse/db/x::file:///etc/passwd", "gs://warehouse/db/x", "/warehouse/db/x", "db/x",
    "file:///warehouse/db/x", "s3://warehouse/db\\..\\x", "s3://warehouse/db/x\0", "", "s3://",
    "//warehouse/db",
    "s3:/warehouse/db/x", "s3://warehouse/DB/x", f"s3://warehouse/db/%{'25' * 9}2e./x",
)  # fmt: skip


@pytest.mark.parametrize("place", INSIDE)
def test_what_is_below_a_prefix_is_allowed(place: str) -> None:
    """A place below an allowed prefix is allowed, however it is spelled."""
    Allowed([BUCKET]).check(place)
    Allowed(["/nowhere", BUCKET + "/"]).check(place)


@pytest.mark.parametrize("place", OUTSIDE)
def test_what_is_elsewhere_is_refused(place: str) -> None:
    """A place outside the prefix is refused, as is one that could be taken for it.

    So is a place with options that change where it is.
    """
    with pytest.raises(
        StorageError, match="not allowed, wanted a file below allow= s3://warehouse/db"
    ):
        Allowed(BUCKET).check(place)


def test_containers_of_azure_are_part_of_the_host() -> None:
    """A container of Azure looks like user info but is part of the host; a password is refused."""
    allowed = Allowed(["abfs://box@account.dfs.core.windows.net/a"])
    allowed.check("abfss://box@account.dfs.core.windows.net/a/b")
    for other in ("box2@account", "account", "box:pw@account"):
        with pytest.raises(StorageError, match="not allowed"):
            allowed.check(f"abfs://{other}.dfs.core.windows.net/a/b")


@pytest.mark.parametrize(("times", "is_allowed"), [(1, True), (7, True), (8, False), (20, False)])
def test_a_path_is_percent_encoded_a_few_times_at_most(times: int, is_allowed: bool) -> None:
    """A path that is percent-encoded more than seven times is refused."""
    name = f"%{'25' * (times - 1)}41"
    for allow, place in [(BUCKET, f"{BUCKET}/{name}"), ("/nowhere", f"file:///nowhere/{name}")]:
        if is_allowed:
            Allowed(allow).check(place)
        else:
            with pytest.raises(StorageError, match=r": not allowed, wanted a file below allow= "):
                Allowed(allow).check(place)


def test_nothing_is_allowed_where_no_prefix_is_given() -> None:
    """Without a prefix every place is refused, and the error says that nothing is allowed."""
    with pytest.raises(StorageError, match=r"^a: not allowed, wanted .* allow= nothing at all$"):
        Allowed([]).check("a")


def test_the_host_of_a_local_url_is_no_folder() -> None:
    """`file://localhost/a` is read as ``/a``, and allowed where that is."""
    allowed = Allowed(["/localhost", "/a"])
    allowed.check("file://localhost/a/x")
    allowed.check("file:/localhost/x")
    allowed.check("file:///localhost/x")
    for place in ("file://localhost/etc/passwd", "FILE://LocalHost//etc/passwd"):
        with pytest.raises(StorageError, match="not allowed"):
            allowed.check(place)


def test_links_are_followed(tmp_path: Path) -> None:
    """Symbolic links are resolved in the path and in the prefix before they are compared."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in/link").symlink_to(tmp_path / "out")
    (tmp_path / "home").symlink_to(tmp_path / "in")
    allowed = Allowed([tmp_path / "home"])
    for inside in ("in/x", "home/x", "in/../in/x", "in/link/../in/x"):
        allowed.check(f"{tmp_path}/{inside}")
        allowed.check(f"file:{tmp_path}/{inside}")
    for outside in ("in/link/x", "in/../x", "home/../out", "in/%2e%2e/x", "x"):
        with pytest.raises(StorageError, match="not allowed"):
            allowed.check(f"file://{tmp_path}/{outside}")


def test_folders_are_opened_below_a_prefix_alone(tmp_path: Path) -> None:
    """Listing a folder obeys the prefixes, as opening a file does."""
    (tmp_path / "in").mkdir()
    access = Access(allowed=Allowed([tmp_path / "in"]))
    access.folder(str(tmp_path / "in"))
    with pytest.raises(StorageError, match="not allowed"):
        access.folder(str(tmp_path))


def test_nothing_is_allowed_by_nothing() -> None:
    """An empty list allows no place, and a prefix without a host or bucket is an error."""
    with pytest.raises(StorageError, match="wanted a file below allow= nothing at all"):
        Allowed([]).check("/x")
    for mistake in ("s3://", "s3://b?x=1", "s3://K:S@b"):
        with pytest.raises(StorageError, match="wanted paths or URLs of a host or bucket"):
            Allowed([mistake])


@pytest.mark.parametrize("allow", [[""], "", [None], [b"/x"], ["/x", 5], 5])
def test_what_is_no_place_is_refused(allow: Any) -> None:
    """A prefix that is the empty text, or no text at all, is an error."""
    with pytest.raises(StorageError, match=r"allow: found .*, wanted paths or URLs"):
        Allowed(allow)


def test_the_working_directory_is_a_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory is allowed by a point, given as a text or as a path."""
    monkeypatch.chdir(tmp_path)
    for here in (".", Path()):
        Allowed([here]).check(f"{tmp_path}/x")
        with pytest.raises(StorageError, match="not allowed"):
            Allowed([here]).check("/x")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return the metadata file of a table of two rows, in a folder ``t``."""
    root = tmp_path / "t"
    maker = TableMaker(root, [(1, "id", "long")])
    maker.commit(parquet(root / "data/a.parquet", arrow({(1, "id"): pa.array([1, 2])})))
    maker.open()
    (found,) = (root / "metadata").glob("*.metadata.json")
    return found


def test_metadata_leads_nowhere_else(table: Path) -> None:
    """The lists, manifests and data files that table metadata names must be allowed places."""
    root = table.parent.parent
    assert open_table(table, allow=[root]).scan().to_table().num_rows == 2
    confined = open_table(table, allow=[root / "metadata"])
    with pytest.raises(StorageError, match=r"data/a\.parquet: not allowed"):
        confined.scan().to_table()
    with pytest.raises(StorageError, match=r"\.avro: not allowed"):
        open_table(table, allow=[root / "data"]).scan().to_table()
    assert any("not allowed" in str(each) for each in confined.verify())


def test_relocated_files_count_where_they_are(table: Path, tmp_path: Path) -> None:
    """A relocated file is checked by the place it is read from, not by the one in metadata."""
    moved = shutil.move(table.parent.parent, tmp_path / "moved")
    relocate = {str(table.parent.parent): moved}
    options: dict[str, Any] = {"relocate": relocate}
    metadata = Path(moved, "metadata", table.name)
    assert open_table(metadata, allow=[moved], **options).scan().to_table().num_rows == 2
    with pytest.raises(StorageError, match="not allowed"):
        open_table(metadata, allow=[table.parent.parent], **options).scan().to_table()


@pytest.mark.parametrize("kind", ["fsspec", "arrow"])
def test_a_filesystem_serves_all_files(kind: str, table: Path) -> None:
    """A filesystem that is given serves all files, whatever the scheme of paths in metadata."""
    root = table.parent.parent
    if kind == "fsspec":
        memory = MemoryFileSystem()
        memory.put(f"{root}/", str(root), recursive=True)
        shutil.rmtree(root)
        given: Any = memory
    else:
        given = fs.SubTreeFileSystem("/", fs.LocalFileSystem())
    opened = open_table(str(root), filesystem=given, allow=[root])
    assert opened.scan().to_table().num_rows == 2
    assert opened.verify() == []


@pytest.mark.parametrize(
    ("filesystem", "place", "path"),
    [
        (fs.LocalFileSystem(), "/a/b", "/a/b"),
        (fs.LocalFileSystem(), "s3://bucket/a/b", "bucket/a/b"),
        (fs.LocalFileSystem(), "s3://K:S@bucket/a", "bucket/a"),
        (fs.LocalFileSystem(), "hdfs://host:8020/a/b", "/a/b"),
        (fs.LocalFileSystem(), "abfss://box@account.dfs.core.windows.net/a", "box/a"),
        (MemoryFileSystem(), "memory://a/b", "/a/b"),
    ],
)
def test_paths_in_a_filesystem(filesystem: Any, place: str, path: str) -> None:
    """A URL is reduced to the path that its filesystem expects."""
    assert path_in(filesystem, place) == path


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"s3.anonymous": "true"}, {"anonymous": True, "region": "of bucket"}),
        ({"s3.anonymous": "TRUE", "s3.region": "r"}, {"anonymous": True, "region": "r"}),
        ({"s3.anonymous": "1", "s3.region": "r"}, {"anonymous": False, "region": "r"}),
        (
            {"s3.force-virtual-addressing": "true", "s3.endpoint": "h"},
            {"force_virtual_addressing": True, "endpoint_override": "h"},
        ),
        (
            {"s3.connect-timeout": "2", "s3.request-timeout": "0.5", "client.region": "c"},
            {"connect_timeout": 2.0, "request_timeout": 0.5, "region": "c"},
        ),
        ({"client.region": "c", "s3.region": "r"}, {"region": "r"}),
    ],
)
def test_s3_has_flags_seconds_and_a_region(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], wanted: dict[str, Any]
) -> None:
    """S3 asks the bucket for its region if options give neither a region nor an endpoint."""
    monkeypatch.setattr(pa_fs, "resolve_s3_region", lambda bucket: f"of {bucket}")
    monkeypatch.setattr(pa_fs, "S3FileSystem", lambda **given: given)
    assert filesystem_of("s3://bucket/a", options) == wanted


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("http://h:1", {"scheme": "http", "endpoint_override": "h:1"}),
        ("h:1", {"endpoint_override": "h:1"}),
    ],
)
def test_google_has_a_host_and_a_scheme(
    monkeypatch: pytest.MonkeyPatch, host: str, wanted: dict[str, Any]
) -> None:
    """The host of Google's storage is split into scheme and host, and retries end after 30 s."""
    monkeypatch.setattr(pa_fs, "GcsFileSystem", lambda **given: given)
    found = filesystem_of("gs://b/a", {"gcs.service.host": host})
    assert found == wanted | {"retry_time_limit": timedelta(seconds=30)}


def test_a_token_of_google_is_valid_until_its_time_or_for_an_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A token of Google expires at its time, in milliseconds since 1970, or after an hour."""
    monkeypatch.setattr(pa_fs, "GcsFileSystem", lambda **given: given)
    options = {"gcs.oauth2.token": "t", "gcs.oauth2.token-expires-at": "1500"}
    found = filesystem_of("gs://b/a", options)
    assert found["access_token"] == options["gcs.oauth2.token"]
    assert found["credential_token_expiration"] == datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)
    before = datetime.now(UTC)
    found = filesystem_of("gcs://b/a", {"gcs.oauth2.token": "t"})
    left = found["credential_token_expiration"] - before
    assert timedelta(hours=1) <= left < timedelta(hours=1, minutes=5)
    assert "credential_token_expiration" not in filesystem_of("gs://b/a", {"gcs.project-id": "p"})


@pytest.mark.parametrize(
    ("url", "options", "wanted"),
    [
        ("hdfs://h:9/a", {"hdfs.user": "u"}, {"host": "h", "port": 9, "user": "u"}),
        ("hdfs://h/a", {"hdfs.user": "u"}, {"host": "h", "user": "u"}),
        ("viewfs:///a", {"hdfs.user": "u"}, {"host": "default", "user": "u"}),
        ("hdfs://h:9/a", {"hdfs.host": "g", "hdfs.port": "7"}, {"host": "g", "port": 7}),
    ],
)
def test_hadoop_has_the_host_and_port_of_the_url(
    monkeypatch: pytest.MonkeyPatch, url: str, options: dict[str, str], wanted: dict[str, Any]
) -> None:
    """Hadoop uses the host and port of the URL, unless options give others."""
    monkeypatch.setattr(pa_fs, "HadoopFileSystem", lambda **given: given)
    assert filesystem_of(url, options) == wanted


HOST = "account.dfs.core.windows.net"


@pytest.mark.parametrize(
    ("options", "account", "token"),
    [
        ({f"adls.sas-token.{HOST}": "of the host"}, "account", "of the host"),
        ({"adls.sas-token.account": "of the account"}, "account", "of the account"),
        (
            {f"adls.sas-token.{HOST}": "of the host", "adls.sas-token.account": "of the account"},
            "account",
            "of the host",
        ),
        ({"adls.account-name": "mine", "adls.sas-token.mine": "of mine"}, "mine", "of mine"),
        ({"adls.account-name": "mine", "adls.sas-token.account": "of another"}, "mine", None),
        ({"adls.sas-token": "of all"}, "account", "of all"),
    ],
)
def test_azure_has_the_account_of_the_host_and_the_token_for_it(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], account: str, token: str | None
) -> None:
    """Azure gets the account in the host and its token, unless options name another account.

    A recorder replaces pyarrow's class, which would ask the network.
    """
    given: dict[str, Any] = {}

    class Recorded:
        def __init__(self, **arguments: Any) -> None:
            given.update(arguments)

        def get_file_info(self, path: str) -> None:
            given["path"] = path

    monkeypatch.setattr(pa_fs, "AzureFileSystem", Recorded)
    assert isinstance(filesystem_of(f"abfss://box@{HOST}/a/b", options), Recorded)
    wanted = {"account_name": account, "sas_token": token, "path": "box/a/b"}
    assert given == {key: value for key, value in wanted.items() if value is not None}


def test_a_filesystem_is_made_once_of_the_options_for_each_bucket() -> None:
    """One filesystem is created from the options for each bucket.

    None is created for a path, without options, or if the caller gives one.
    """
    s3 = {"s3.access-key-id": "K", "s3.secret-access-key": "S", "client.region": "eu-west-1"}
    access = Access(options=s3)
    made, path = access._reached("s3://b/x")
    assert isinstance(made, fs.S3FileSystem)
    assert path == "b/x"
    assert access._reached("s3://b/y")[0] is made
    assert access._reached("s3://other/x")[0] is not made
    assert access._reached("/b/x") == (None, "/b/x")
    assert Access()._reached("s3://b/x") == (None, "s3://b/x")
    given = fs.LocalFileSystem()
    assert Access(given, s3)._reached("file:///b/x") == (given, "/b/x")


def test_options_make_filesystems_of_their_scheme() -> None:
    """Options create a filesystem only for the URLs of their own scheme."""
    s3 = {"s3.access-key-id": "K", "s3.secret-access-key": "S", "client.region": "eu-west-1"}
    made = filesystem_of("s3a://b/x", s3)
    assert isinstance(made, fs.S3FileSystem)
    assert made.region == "eu-west-1"
    assert isinstance(filesystem_of("gs://b/x", {"gcs.oauth2.token": "T"}), fs.GcsFileSystem)
    for scheme in ("gs", "abfss", "hdfs", "memory", "file"):
        assert filesystem_of(f"{scheme}://b/x", s3) is None
    with pytest.raises(StorageError, match="s3://b/x: could not convert"):
        filesystem_of("s3://b/x", {"s3.endpoint": "http://h", "s3.connect-timeout": "soon"})


class _Store(BaseHTTPRequestHandler):
    """A server that answers as much of S3 as reading a file takes."""

    root: ClassVar[Path]
    keys: ClassVar[set[str]]

    def do_HEAD(self) -> None:
        self._answer(is_head=True)

    def do_GET(self) -> None:
        self._answer(is_head=False)

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self, *, is_head: bool) -> None:
        credential = self.headers.get("Authorization", "").partition("Credential=")[2]
        self.keys.add(credential.partition("/")[0])
        path = self.root / self.path.partition("?")[0].removeprefix("/warehouse/")
        if not path.is_file():
            self.send_error(404)
            return
        data, status = path.read_bytes(), 200
        first, _, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
        if first:
            data, status = data[int(first) : int(last) + 1], 206
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if not is_head:
            self.wfile.write(data)


@pytest.fixture
def store(table: Path) -> Iterator[Any]:
    """Serve the bucket ``warehouse``, with the folder of a table in it."""
    keys: set[str] = set()
    handler = type("Handler", (_Store,), {"root": table.parent.parent.parent, "keys": keys})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=partial(server.serve_forever, poll_interval=0.01))
        thread.start()
        yield SimpleNamespace(url=f"http://127.0.0.1:{server.server_port}", keys=keys)
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("how", ["options", "catalog", "both"])
def test_credentials_are_used(how: str, table: Path, store: Any) -> None:
    """The credentials of the caller are used, or else those of the catalog."""
    root = table.parent.parent
    url = f"s3://warehouse/{root.name}"
    given = {"s3.endpoint": store.url, "s3.access-key-id": "OURS", "s3.secret-access-key": "S"}
    given["s3.region"] = "r"
    place: Any = f"{url}/metadata/{table.name}"
    options: dict[str, Any] = {"relocate": {str(root): url}, "storage_options": given}
    if how != "options":
        theirs = given | {"s3.access-key-id": "THEIRS", "uri": "http://catalog", "s3.signer": None}
        place = SimpleNamespace(metadata_location=place, io=SimpleNamespace(properties=theirs))
        if how == "catalog":
            del options["storage_options"]
    found = open_table(place, allow=["s3://warehouse/"], **options)
    assert found.scan().to_table().num_rows == 2
    assert store.keys == {"THEIRS" if how == "catalog" else "OURS"}
    assert "THEIRS" not in repr(found.relocation)
    assert json.loads(table.read_text())["location"] == str(root)
