"""Catalog properties become arguments of pyarrow's filesystems, which are recorded here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from byteloom.late import pa_fs
from byteloom.storage.options import filesystem_of


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
