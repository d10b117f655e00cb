"""Tables of AWS Glue are written as far as pyiceberg writes them; version 3 is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from byteloom.errors import AlreadyExists, Unsupported
from byteloom.iceberg import catalog_of, create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer("stores")

IDS: Final = pa.schema({"id": pa.int64()})
PROMPT: Final = {"commit.retry.min-wait-ms": "1"}


@pytest.fixture
def glue(tmp_path: Path) -> Iterator[Any]:
    """A catalog of Glue with a namespace; its tables are on this disk."""
    from moto.server import ThreadedMotoServer
    from pyiceberg.catalog.glue import GlueCatalog

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    made = GlueCatalog(
        "glue",
        **{
            "glue.endpoint": "http://{}:{}".format(*server.get_host_and_port()),
            "glue.region": "eu-west-1",
            "glue.access-key-id": "k",
            "glue.secret-access-key": "s",
            "warehouse": f"file://{tmp_path}/wh",
        },
    )
    made.create_namespace("shop")
    yield made
    for each in made.list_tables("shop"):  # the next server of this process has them too
        made.drop_table(each)
    made.drop_namespace("shop")
    server.stop()


@pytest.mark.parametrize("version", [1, 2])
def test_glue_keeps_tables_of_the_first_versions(glue: Any, version: int) -> None:
    """Commits follow one another; one on an older state is made again on the newest."""
    stale = create_table("shop.t", IDS, catalog=glue, format_version=version, properties=PROMPT)
    table = stale.append(pa.table({"id": [1, 2]})).delete("id = 1")
    table = stale.append(pa.table({"id": [3]}))
    table = table.evolve().add_column("x", "int").commit().set_properties({"owner": "ops"})
    found = open_table("shop.t", catalog=glue)
    assert found.metadata_location == table.metadata_location
    assert sorted(found.scan().to_table()["id"].to_pylist()) == [2, 3]
    assert sorted(glue.load_table("shop.t").scan().to_arrow()["id"].to_pylist()) == [2, 3]
    assert found.verify() == []
    with pytest.raises(AlreadyExists):
        create_table("shop.t", IDS, catalog=glue)
    kept = catalog_of(glue)
    assert kept.list("shop") == ["shop.t"]
    kept.drop("shop.t")
    assert kept.list("shop") == []


def test_glue_takes_no_table_of_version_3(glue: Any, tmp_path: Path) -> None:
    """It is refused with the reason before anything is written, a new one and an upgrade."""
    said = r"3, and a GlueCatalog, wanted 1 or 2, since pyiceberg writes no metadata of version 3"
    with pytest.raises(Unsupported, match=said):
        create_table("shop.t", IDS, catalog=glue, format_version=3)
    assert not (tmp_path / "wh").exists()
    change = create_table("shop.t", IDS, catalog=glue).evolve().upgrade(3)
    with pytest.raises(Unsupported, match=said):
        change.commit()
    assert open_table("shop.t", catalog=glue).metadata.format_version == 2
