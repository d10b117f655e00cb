"""Tables in object stores: of writers that commit at the same time exactly one is first."""

from __future__ import annotations

import base64
import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import pyarrow as pa
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow import fs
from tests.support.object_server import ACCOUNT, object_server

from byteloom.errors import AlreadyExists, CommitConflict, Unsupported
from byteloom.iceberg import create_table, open_table
from byteloom.iceberg.metadata.relocation import Access
from byteloom.storage.creating import create_file
from byteloom.storage.folders import Folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer("stores")

IDS: Final = pa.schema({"id": pa.int64()})
KEY: Final = base64.b64encode(b"key").decode()
WRITERS: Final = 4


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The URL of a server of S3, with a bucket."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    _s3fs(url)["filesystem"].mkdir("bucket")
    yield url
    server.stop()


@pytest.fixture(scope="module")
def objects() -> Iterator[str]:
    """The URL of a server of GCS and Azure."""
    with object_server() as url:
        yield url


def _s3fs(url: str) -> dict[str, Any]:
    from s3fs import S3FileSystem

    given = {"endpoint_url": url, "region_name": "eu-west-1"}
    made = S3FileSystem(key="k", secret=KEY, client_kwargs=given, skip_instance_cache=True)
    return {"filesystem": made}


def _options(url: str) -> dict[str, Any]:
    return {
        "storage_options": {
            "s3.endpoint": url,
            "s3.access-key-id": "k",
            "s3.secret-access-key": KEY,
            "s3.region": "eu-west-1",
        }
    }


def _obstore(kind: str, **config: Any) -> dict[str, Any]:
    from obstore.fsspec import FsspecStore

    made: Any = FsspecStore  # whose arguments are other ones for each store
    options = {"allow_http": True}
    return {"filesystem": made(kind, client_options=options, skip_instance_cache=True, **config)}


WAYS: Final[dict[str, tuple[str, Callable[[str], dict[str, Any]]]]] = {
    "S3, by its URL": ("s3://", _options),
    "S3, by s3fs": ("", _s3fs),
    "S3, by obstore": (
        "",
        lambda url: _obstore(
            "s3", endpoint=url, access_key_id="k", secret_access_key=KEY, region="eu-west-1"
        ),
    ),
    "GCS, by obstore": ("", lambda url: _obstore("gs", base_url=url, bearer_token=KEY)),
    "Azure, by obstore": (
        "",
        lambda url: _obstore(
            "abfs", endpoint=f"{url}/{ACCOUNT}", account_name=ACCOUNT, account_key=KEY
        ),
    ),
}


@pytest.fixture(params=WAYS)
def store(request: pytest.FixtureRequest) -> tuple[str, Callable[[], dict[str, Any]]]:
    """A place in a store, and what gives arguments that lead to it, anew each time."""
    prefix, way = WAYS[request.param]
    url = request.getfixturevalue("s3" if request.param.startswith("S3") else "objects")
    return f"{prefix}bucket/{uuid4()}/t", lambda: way(url)


def ids(place: str, access: dict[str, Any]) -> list[int]:
    """Return the ids of a table's rows in their order."""
    return sorted(open_table(place, **access).scan().to_table()["id"].to_pylist())


def test_a_table_in_a_store_is_created_and_changed(
    store: tuple[str, Callable[[], dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version is an object; another client, opened anew, sees it. No file is on this disk."""
    monkeypatch.chdir(tmp_path)
    place, access = store
    table = create_table(place, IDS, format_version=3, **access())
    with pytest.raises(AlreadyExists):
        create_table(place, IDS, **access())
    stale = open_table(place, **access())
    table = table.append(pa.table({"id": [1, 2, 3]}))
    table = table.set_properties({"write.delete.mode": "merge-on-read"}).delete("id = 2")
    stale = stale.set_properties({"commit.retry.min-wait-ms": "1"}).append(pa.table({"id": [4]}))
    assert stale.metadata_location.endswith("/metadata/v6.metadata.json")
    given = access()
    reached = Access(given.get("filesystem"), given.get("storage_options", {}))
    assert reached.folder(f"{place}/metadata").read("version-hint.text") == b"6"
    assert ids(place, access()) == [1, 3, 4]
    assert open_table(place, **access()).verify() == []
    assert list(tmp_path.iterdir()) == []


def test_writers_of_one_version_race(store: tuple[str, Callable[[], dict[str, Any]]]) -> None:
    """One of them has made the commit; each other one hears that, and the version is that one's."""
    place, access = store
    properties = {"commit.retry.num-retries": "0"}
    create_table(place, IDS, properties=properties, **access())
    tables = [open_table(place, **access()) for _ in range(WRITERS)]
    start = Barrier(WRITERS)

    def write(number: int) -> int | None:
        start.wait()
        try:
            tables[number].append(pa.table({"id": [number]}))
        except CommitConflict:
            return None
        return number

    with ThreadPoolExecutor(WRITERS) as pool:
        made = [each for each in pool.map(write, range(WRITERS)) if each is not None]
    assert len(made) == 1
    assert ids(place, access()) == made


def test_writers_that_try_again_all_succeed(
    store: tuple[str, Callable[[], dict[str, Any]]],
) -> None:
    """Each row is there once, and each commit is a snapshot."""
    place, access = store
    properties = {"commit.retry.num-retries": "100", "commit.retry.min-wait-ms": "5"}
    create_table(place, IDS, properties=properties, **access())

    def write(number: int) -> None:
        table = open_table(place, **access())
        for each in range(2):
            table = table.append(pa.table({"id": [10 * number + each]}))

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    assert ids(place, access()) == [10 * n + each for n in range(WRITERS) for each in range(2)]
    assert len(open_table(place, **access()).snapshots) == 2 * WRITERS


def filesystems(s3: str, objects: str) -> list[Any]:
    """Return filesystems of pyarrow in the three stores."""
    host = objects.removeprefix("http://")
    return [
        fs.S3FileSystem(access_key="k", secret_key=KEY, endpoint_override=s3, region="eu-west-1"),
        fs.GcsFileSystem(
            access_token=KEY,
            credential_token_expiration=dt.datetime.now(dt.UTC) + dt.timedelta(hours=1),
            scheme="http",
            endpoint_override=host,
        ),
        fs.AzureFileSystem(
            ACCOUNT, account_key=KEY, blob_storage_authority=host, blob_storage_scheme="http"
        ),
    ]


@pytest.mark.parametrize("number", [0, 1, 2], ids=["S3", "GCS", "Azure"])
def test_a_store_that_pyarrow_reaches_creates_an_object_once(
    s3: str, objects: str, number: int
) -> None:
    """It is asked by obstore, with the same credentials, since pyarrow itself only replaces."""
    filesystem = filesystems(s3, objects)[number]
    folder = Folder("bucket/by-pyarrow", filesystem=filesystem)
    create_file(folder, "a b=ü", b"first")
    with pytest.raises(CommitConflict, match="by-pyarrow/a b=ü: another writer created it first"):
        create_file(folder, "a b=ü", b"second")


def test_a_store_that_ignores_conditions_is_refused() -> None:
    """It would lose one of two commits; this is seen when a table is created, and none is left."""
    with object_server(is_careless=True) as url:
        access = _obstore("gs", base_url=url, bearer_token=KEY)
        with pytest.raises(Unsupported, match="a store that replaces a file it is to create"):
            create_table("bucket/t", IDS, **access)
        assert Folder("bucket/t/metadata", **access).files() == {}


@pytest.mark.parametrize(
    "filesystem",
    [DirFileSystem("/", MemoryFileSystem()), fs.SubTreeFileSystem("/", fs.LocalFileSystem())],
)
def test_filesystems_that_may_replace_files_are_refused(filesystem: Any) -> None:
    """Only those that are known to create a file in one step are taken, whatever they accept."""
    wanted = "a local folder, S3, GCS or Azure, or a filesystem of s3fs, gcsfs, adlfs or obstore"
    with pytest.raises(Unsupported, match=wanted):
        create_table("t", IDS, filesystem=filesystem)
