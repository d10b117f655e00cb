"""Filesystems of `pyarrow.fs` made from properties, as catalogs return and users set them.

The names are Iceberg's: ``s3.access-key-id``, ``gcs.oauth2.token``, ``adls.account-key``,
``hdfs.host`` and so on; ``client.*`` is the default for ``s3.*``.  Properties that are
not named below are ignored.

Source: https://py.iceberg.apache.org/configuration/#fileio
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from byteloom.late import pa_fs
from byteloom.storage.sources import storing

__all__ = ["filesystem_of", "path_in"]

_S3: Final = {
    "access_key": ("s3.access-key-id", "client.access-key-id"),
    "secret_key": ("s3.secret-access-key", "client.secret-access-key"),
    "session_token": ("s3.session-token", "client.session-token"),
    "region": ("s3.region", "client.region"),
    "role_arn": ("s3.role-arn", "client.role-arn"),
    "session_name": ("s3.role-session-name", "client.role-session-name"),
    "endpoint_override": ("s3.endpoint",),
    "proxy_options": ("s3.proxy-uri",),
    "connect_timeout": ("s3.connect-timeout",),
    "request_timeout": ("s3.request-timeout",),
    "anonymous": ("s3.anonymous",),
    "force_virtual_addressing": ("s3.force-virtual-addressing",),
}
_GCS: Final = {
    "access_token": ("gcs.oauth2.token",),
    "credential_token_expiration": ("gcs.oauth2.token-expires-at",),
    "project_id": ("gcs.project-id",),
    "default_bucket_location": ("gcs.default-bucket-location",),
    "endpoint_override": ("gcs.service.host",),
}
_AZURE: Final = {
    "account_name": ("adls.account-name", "adls.auth.shared-key.account.name"),
    "account_key": ("adls.account-key", "adls.auth.shared-key.account.key"),
    "sas_token": ("adls.sas-token",),
    "tenant_id": ("adls.tenant-id",),
    "client_id": ("adls.client-id",),
    "client_secret": ("adls.client-secret",),
    "blob_storage_authority": ("adls.blob-storage-authority",),
    "dfs_storage_authority": ("adls.dfs-storage-authority",),
    "blob_storage_scheme": ("adls.blob-storage-scheme",),
    "dfs_storage_scheme": ("adls.dfs-storage-scheme",),
}
_HDFS: Final = {
    "host": ("hdfs.host",),
    "port": ("hdfs.port",),
    "user": ("hdfs.user",),
    "kerb_ticket": ("hdfs.kerberos_ticket",),
}
_FLAGS: Final = {"anonymous", "force_virtual_addressing"}
_SECONDS: Final = {"connect_timeout", "request_timeout"}
_HOUR: Final = timedelta(hours=1)
_RETRY: Final = timedelta(seconds=30)

_CONTAINERS: Final = {"abfs", "abfss", "wasb", "wasbs"}
_BUCKETLESS: Final = {"hdfs", "viewfs"}


def filesystem_of(url: str, options: Mapping[str, str]) -> Any:
    """Return the filesystem for *url* that *options* describe; None if they do not mention it.

    StorageError  options from which no filesystem can be made
    """
    scheme = url.partition("://")[0].lower()
    if scheme not in _MAKERS:
        return None
    names, make = _MAKERS[scheme]
    given = {
        argument: options[keys[0] if keys[0] in options else keys[-1]]
        for argument, keys in names.items()
        if not options.keys().isdisjoint(keys)
    }
    tokens = {key for key in options if scheme in _CONTAINERS and key.startswith("adls.sas-token.")}
    if not given and not tokens:
        return None
    with storing(url):
        return make(url, given, options)


def path_in(filesystem: Any, place: str) -> str:
    """Return the path in a given *filesystem* of *place*, a path or URL as written."""
    if "://" not in place:
        return place
    if hasattr(filesystem, "cat_file"):
        return str(filesystem._strip_protocol(place))  # noqa: SLF001  as fsspec's own opener does
    scheme, _, rest = place.partition("://")
    if scheme.lower() in _BUCKETLESS:
        return f"/{rest.partition('/')[2]}"
    authority, _, path = rest.partition("/")
    if scheme.lower() in _CONTAINERS:
        authority = authority.partition("@")[0].partition(":")[0]
    return f"{authority.rpartition('@')[2]}/{path}"


def _s3(url: str, given: dict[str, Any], _: Mapping[str, str]) -> Any:
    given = {key: _typed(key, value) for key, value in given.items()}
    if "region" not in given and "endpoint_override" not in given:
        given["region"] = pa_fs.resolve_s3_region(urlsplit(url).netloc)
    return pa_fs.S3FileSystem(**given)


def _gcs(_: str, given: dict[str, Any], __: Mapping[str, str]) -> Any:
    if "access_token" in given:
        millis = given.get("credential_token_expiration")
        until = datetime.now(UTC) + _HOUR
        if millis is not None:
            until = datetime.fromtimestamp(int(millis) / 1000, UTC)
        given["credential_token_expiration"] = until
    if "endpoint_override" in given:
        scheme, separator, host = given["endpoint_override"].partition("://")
        if separator:
            given |= {"scheme": scheme, "endpoint_override": host}
    return pa_fs.GcsFileSystem(**given, retry_time_limit=_RETRY)


def _azure(url: str, given: dict[str, Any], options: Mapping[str, str]) -> Any:
    host = urlsplit(url).hostname or ""
    given.setdefault("account_name", host.partition(".")[0])
    token = options.get(f"adls.sas-token.{host}") or options.get(
        f"adls.sas-token.{given['account_name']}"
    )
    if token is not None:
        given["sas_token"] = token
    found = pa_fs.AzureFileSystem(**given)
    # Without credentials, to open a file ends the process; to ask for it does not.
    found.get_file_info(path_in(found, url))
    return found


def _hdfs(url: str, given: dict[str, Any], _: Mapping[str, str]) -> Any:
    parts = urlsplit(url)
    given.setdefault("host", parts.hostname or "default")
    port = given.pop("port", parts.port)
    return pa_fs.HadoopFileSystem(**given, **({} if port is None else {"port": int(port)}))


def _typed(argument: str, value: str) -> Any:
    if argument in _FLAGS:
        return value.lower() == "true"
    return float(value) if argument in _SECONDS else value


_MAKERS: Final = (
    dict.fromkeys(("s3", "s3a", "s3n"), (_S3, _s3))
    | dict.fromkeys(("gs", "gcs"), (_GCS, _gcs))
    | dict.fromkeys(_CONTAINERS, (_AZURE, _azure))
    | dict.fromkeys(_BUCKETLESS, (_HDFS, _hdfs))
)
