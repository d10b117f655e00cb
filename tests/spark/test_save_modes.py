"""Writes of a DataFrame without a mode, or in a mode for new data only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

from tests.support.spark_sources import registered, sources

from byteloom.errors import Unsupported

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["byteloom.hfile", "byteloom.lance"])
def test_other_modes_than_append_and_overwrite_are_refused(
    spark: Any, tmp_path: Path, name: str
) -> None:
    """Spark refuses other modes than append and overwrite; nothing is written or removed."""
    place = tmp_path / "written"
    rows = spark.range(10, 20).selectExpr("cast(cast(id as string) as binary) as row").coalesce(1)
    rows.write.format(name).mode("append").save(str(place))
    before = contents(tmp_path)
    assert before
    words = "(?i)UNSUPPORTED_DATA_SOURCE_SAVE_MODE.*{}.* mode"
    for target in (place, tmp_path / "new"):
        with pytest.raises(Exception, match=words.format("errorifexists")):
            rows.write.format(name).save(str(target))
        for mode in ("errorifexists", "ignore"):
            with pytest.raises(Exception, match=words.format(mode)):
                rows.write.format(name).mode(mode).save(str(target))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", sources().keys() - {"byteloom.hfile", "byteloom.lance"})
def test_sources_that_cannot_be_written_say_which_can(name: str) -> None:
    """A write to any other source is refused, with the names of those that can be written."""
    with pytest.raises(Unsupported, match=r"a DataFrame to write, wanted byteloom\.hfile or byte"):
        registered(name)({}).writer(None, False)


def contents(folder: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
