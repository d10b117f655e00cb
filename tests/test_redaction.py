"""Errors, reprs and the command line hide secrets."""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.iceberg_rows import TableMaker

from byteloom import lance, puffin
from byteloom.cli.printing.arrow_rows import without_secret_texts
from byteloom.errors import ByteloomError, FormatError, StorageError
from byteloom.iceberg import open_table
from byteloom.redaction import RedactedRepr, is_secret, redacted, without_secrets
from byteloom.storage.sources import storing

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2"  # noqa: S105  it is in no file but those of these tests

HIDDEN = {
    "s3://KEY:hunter2@bucket/k": "s3://***@bucket/k",
    "s3://AKIAIOSFODNN7EXAMPLE:hun/ter2@bucket/k": "s3://***@bucket/k",
    "see https://hunter2@host/x now": "see https://***@host/x now",
    "abfss://box:hunter2@a.dfs.core.windows.net/x": "abfss://box:***@a.dfs.core.windows.net/x",
    "https://b/k?X-Amz-Date=1&X-Amz-Signature=hunter2": "https://b/k?X-Amz-Date=1&X-Amz-Signature=***",
    "https://b/k?sv=1&sig=hunter2&se=2": "https://b/k?sv=1&sig=***&se=2",
    "s3://b/k?access_key=K&secret_key=hunter2": "s3://b/k?access_key=***&secret_key=***",
    '{"s3.secret-access-key": "hunter2", "a": "b"}': '{"s3.secret-access-key": "***", "a": "b"}',
    "{'token': 'hunt\\'er2', 'a': 1}": "{'token': '***', 'a': 1}",
    "{'token': b'hunter2'}": "{'token': b'***'}",
    '"token": "hunter2 that is cut': '"token": "***',
    r'"{\"password\":\"hunter2\"}"': r'"{\"password\":\"***"',
    "javax.jdo.option.ConnectionPassword=hunter2": "javax.jdo.option.ConnectionPassword=***",
    "adls.account-name = hunter2, next": "adls.account-name = ***, next",
    "https://b/x?sig=hunter2: no such host": "https://b/x?sig=***: no such host",
    "(https://b/x?a=1&token=hunter2), next": "(https://b/x?a=1&token=***), next",
    "sqlite:///c.db?password=hunter2#a.b: no": "sqlite:///c.db?password=***#a.b: no",
    "s3://b/k?q=token=hunter2": "s3://b/k?q=token=***",
    "https://b/k?a=1&q=a=token=hunter2=x&b=2: no": "https://b/k?a=1&q=a=token=***&b=2: no",
    "https://b/k?next=/c?token=hunter2": "https://b/k?next=/c?token=***",
    "https://b/k?q=token%3Dhunter2": "https://b/k?q=token%3D***",
    "token=hunter2=a==": "token=***",
    "x.password=hunter2: no such file": "x.password=***: no such file",
}

KEPT = (
    "abfss://box@a.dfs.core.windows.net/x",
    "hdfs://host:8020/a@b/c",
    "s3://bucket/a=1/b?versionId=3",
    "s3://b/k?q=page=3&next=a%3Db",
    "a == b and c=d=e",
    "footer.signature at byte 3 (0x3): found 7, wanted 9",
    "hoodie.table.recordkey.fields=id",
    "write.metadata.delete-after-commit.enabled=true",
    '{"key-id": "k", "monkey": "x", "adls": "x"}',
)

SECRET_NAMES = (
    "s3.access-key-id", "s3.secret-access-key", "s3.session-token", "gcs.oauth2.token",
    "adls.sas-token.account", "adls.connection-string", "credential", "rest.sigv4.signature",
    "accessKey", "AWSAccessKeyId", "X-Goog-Credential", "fs.azure.account.key", "API_KEY",
)  # fmt: skip
PLAIN_NAMES = (
    "key", "encryption.key-id", "tokenizer", "hfile.AVG_KEY_LEN", "write.format.default",
    "signed", "adls", "s3.region", "primary-key", "X-Amz-Date",
)  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), HIDDEN.items())
def test_secrets_are_hidden_and_the_rest_stays(text: str, shown: str) -> None:
    """Secrets in URLs and properties are hidden, in plain text, JSON and Python."""
    assert redacted(text) == shown
    assert redacted(shown) == shown


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text: str) -> None:
    """URLs of Azure and Hadoop, and words that resemble secrets, are not changed."""
    assert redacted(text) == text


def test_names_of_properties_say_what_is_secret() -> None:
    """A property is secret if a word of its name says so, however words are joined."""
    assert [each for each in SECRET_NAMES if not is_secret(each)] == []
    assert [each for each in PLAIN_NAMES if is_secret(each)] == []


def test_json_is_searched_through() -> None:
    """Secrets in lists, objects and texts of JSON are hidden; numbers stay numbers."""
    given = {"a": [{"token": SECRET, "n": 1}], "token": 5, "b": f"s3://k:{SECRET}@b", "c": None}
    wanted = {"a": [{"token": "***", "n": 1}], "token": 5, "b": "s3://***@b", "c": None}
    assert without_secrets(given) == wanted


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, '"a":' * 200_000, "\\" * 1_000_000 + '"', "a=" * 300_000]
)
def test_long_texts_take_no_square_of_their_length(text: str) -> None:
    """Hiding secrets takes linear time in the length of a text."""
    assert redacted(text) == text


@pytest.mark.parametrize(
    "error",
    [
        StorageError(f"s3://K:{SECRET}@b: no such file"),
        FormatError(f"s3://K:{SECRET}@b", 1, f"https://b?sig={SECRET}", f"token={SECRET}"),
        ByteloomError({"token": SECRET}),
    ],
)
def test_errors_show_no_secrets(error: ByteloomError) -> None:
    """Errors hide secrets, as text and as repr."""
    assert SECRET not in f"{error} {error!r}"
    assert "***" in str(error)


@pytest.mark.parametrize(
    ("reason", "cause"), [(f"GET https://b?sig={SECRET}", None), ("no", OSError)]
)
def test_tracebacks_show_no_secrets(reason: str, cause: type[Exception] | None) -> None:
    """A library's error that names a secret URL is not chained; any other one is."""

    def fail() -> None:
        try:
            raise ValueError(reason)  # noqa: TRY301  a library's errors have causes of their own
        except ValueError as error:
            raise OSError("failed") from error

    with pytest.raises(StorageError, match="s3://b: failed") as refused, storing("s3://b"):
        fail()
    assert SECRET not in "".join(traceback.format_exception(refused.value))
    assert cause is None or isinstance(refused.value.__cause__, cause)
    assert (refused.value.__cause__ is None) == (cause is None)


def test_reprs_show_no_secrets() -> None:
    """Reprs of dataclasses hide secrets, and their attributes keep them."""

    @dataclass(repr=False)
    class Thing(RedactedRepr):
        path: str
        properties: dict[str, str]

    thing = Thing(f"s3://K:{SECRET}@b/x", {"password": SECRET, "a": "b"})
    name = Thing.__qualname__
    assert repr(thing) == f"{name}(path='s3://***@b/x', properties={{'password': '***', 'a': 'b'}})"
    assert thing.properties["password"] == SECRET


def test_metadata_of_lance_shows_no_secrets(tmp_path: Path) -> None:
    """The repr of a Lance schema's metadata hides secrets; its values keep them."""
    held = {"password": SECRET.encode(), "at": f"s3://K:{SECRET}@b/x".encode(), "raw": b"\xff"}
    table = pa.table({"a": [1]}).replace_schema_metadata(held)
    lance.write_dataset(tmp_path / "rows", table)
    dataset = lance.open_dataset(tmp_path / "rows")
    (place,) = (tmp_path / "rows/data").iterdir()
    with lance.open(place) as file:
        for each in (dataset.metadata, file.metadata):
            assert each == held
            shown = {"password": b"***", "at": b"s3://***@b/x", "raw": b"\xff"}
            assert repr(each) == repr({name: shown[name] for name in each})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table with secrets in its location, its properties and its snapshot."""
    maker = TableMaker(tmp_path, [(1, "id", "long")])
    maker.commit()
    maker.open()
    (place,) = (tmp_path / "metadata").glob("*.metadata.json")
    document: dict[str, Any] = json.loads(place.read_text())
    document["location"] = f"nosuch://K:{SECRET}@b/t"
    document["properties"] = {"s3.secret-access-key": SECRET, "owner": "me"}
    for each in document["snapshots"]:
        each["manifest-list"] = f"nosuch://b/list.avro?X-Amz-Signature={SECRET}"
        each["summary"]["token"] = SECRET
    place.write_text(json.dumps(document))
    return place


@pytest.mark.parametrize(
    "command",
    [
        ["inspect"], ["inspect", "--json"], ["verify"], ["verify", "--json"],
        ["table", "info"], ["table", "info", "--json"], ["table", "files"],
        ["table", "snapshots", "--format", "json"], ["table", "metadata"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_command_line_shows_no_secrets(command: list[str], table: Path) -> None:
    """Commands print no secret of a table's metadata, in results or errors."""
    kind = ["metadata_log_entries"] if command[-1] == "metadata" else []
    outcome = byteloom(*command, table, *kind)
    assert outcome.out + outcome.err
    assert SECRET not in outcome.out + outcome.err


def test_tables_and_their_records_show_no_secrets(table: Path) -> None:
    """Reprs of a table and its records, and errors of its scan, hide secrets."""
    opened = open_table(table)
    assert SECRET not in f"{opened!r} {opened.metadata.document!r} {opened.relocation!r}"
    (snapshot,) = opened.snapshots
    assert repr(opened.metadata.properties) == "{'s3.secret-access-key': '***', 'owner': 'me'}"
    assert SECRET not in f"{snapshot.summary} {opened.metadata.properties}"
    assert snapshot.summary["token"] == SECRET
    assert opened.metadata.properties["s3.secret-access-key"] == SECRET
    with pytest.raises(ByteloomError) as refused:
        opened.scan().to_table()
    assert SECRET not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize("options", [[], ["--json"], ["--full"]], ids=" ".join)
def test_footers_of_puffin_files_show_no_secrets(options: list[str], tmp_path: Path) -> None:
    """`inspect` shows no secret of a footer, in properties or in bytes."""
    place = tmp_path / "x.puffin"
    with puffin.PuffinWriter(place, properties={"token": SECRET}) as new:
        new.add(
            type="x",
            data=b"1",
            fields=[],
            snapshot_id=1,
            sequence_number=1,
            properties={"sig": SECRET},
        )
    outcome = byteloom("inspect", place, *options)
    assert outcome.status == 0
    assert "***" in outcome.out
    assert SECRET not in outcome.out
    assert SECRET.encode().hex() not in outcome.out
    with puffin.open(place) as opened:
        assert SECRET not in f"{opened.metadata!r} {opened.properties} {opened.blobs[0].properties}"


@pytest.mark.parametrize("text", HIDDEN)
def test_columns_of_texts_have_no_secrets_either(text: str) -> None:
    """Columns of texts and of lists hide secrets; a column without any is not copied."""
    texts = pa.array(["plain", None, text])
    batch = pa.record_batch({"texts": texts, "lists": pa.array([["plain"], None, [text]])})
    shown = without_secret_texts(batch)
    assert shown["texts"].to_pylist() == ["plain", None, HIDDEN[text]]
    assert shown["lists"].to_pylist() == [["plain"], None, [HIDDEN[text]]]
    kept = pa.record_batch({"texts": pa.array(["s3://b/a=1/x", None])})
    assert without_secret_texts(kept)["texts"].buffers()[2].address == (
        kept["texts"].buffers()[2].address
    )
