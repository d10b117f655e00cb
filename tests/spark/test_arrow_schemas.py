"""Arrow's columns converted to Spark's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import assume, given
from pyspark.sql.types import CharType, StringType, StructField, StructType
from tests.support.drawn_tables import tables
from tests.support.spark_sources import registered

from byteloom.errors import FormatError, Unsupported
from byteloom.spark.arrow_schemas import VARIANT, conformed, spark_schema, wanted_schema

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pyspark")

_MICROS = {"s": 10**6, "ms": 10**3, "us": 1, "ns": 1}
_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def _plain(value: Any) -> Any:
    """A value as a number, text, bytes, or lists of these, whatever type holds it."""
    types, of = pa.types, value.type
    if not value.is_valid:
        return None
    if isinstance(of, pa.BaseExtensionType) or types.is_dictionary(of):
        return _plain(value.value)
    if types.is_timestamp(of) or types.is_duration(of) or types.is_time(of):
        units = _NANOS if types.is_time(of) else _MICROS
        return value.value * units[of.unit]
    if types.is_struct(of):
        return [_plain(value[each.name]) for each in of]
    if of.num_fields:
        return [_plain(each) for each in value.values]
    found = value.as_py()
    return "NaN" if isinstance(found, float) and math.isnan(found) else found


def _has(of: Any, is_it: Any) -> bool:
    """Whether a type is one of those, or has one inside."""
    if pa.types.is_dictionary(of):
        return _has(of.value_type, is_it)
    return is_it(of) or any(_has(of.field(each).type, is_it) for each in range(of.num_fields))


@given(tables(version="2.2"))
def test_values_stay_what_they_are(table: pa.Table) -> None:
    """Batches are converted to the types that Spark expects, with equal values."""
    from pyspark.sql.pandas.types import to_arrow_schema

    assume(not any(_has(each.type, pa.types.is_decimal256) for each in table.schema))
    wanted = wanted_schema(table.schema)
    assert to_arrow_schema(spark_schema(table.schema), timezone="UTC").equals(wanted)
    try:
        found = list(conformed(table.to_batches(), wanted))
    except FormatError as error:
        refused = table.schema.field(error.path).type
    else:
        refused = None
    if refused is not None:
        assert _has(refused, lambda each: str(each).startswith(("timestamp[s", "duration[s")))
        return
    for before, after in zip(table.to_batches(), found, strict=True):
        after.validate(full=True)
        assert after.schema.equals(wanted)
        for one, other in zip(before.columns, after.columns, strict=True):
            assert list(map(_plain, one)) == list(map(_plain, other))


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (pa.uint8(), "smallint"),
        (pa.uint32(), "bigint"),
        (pa.uint64(), "decimal(20,0)"),
        (pa.float16(), "float"),
        (pa.string_view(), "string"),
        (pa.dictionary(pa.int8(), pa.large_string()), "string"),
        (pa.binary(7), "binary"),
        (pa.uuid(), "string"),
        (pa.time32("ms"), "time(6)"),
        (pa.timestamp("ms"), "timestamp_ntz"),
        (pa.timestamp("s", "Europe/Berlin"), "timestamp"),
        (pa.timestamp("ns", "UTC"), "bigint"),
        (pa.duration("ms"), "interval day to second"),
        (pa.duration("ns"), "bigint"),
        (pa.decimal256(38, 38), "decimal(38,38)"),
        (pa.decimal128(3, 5), "decimal(5,5)"),
        (pa.decimal128(3, -5), "decimal(8,0)"),
        (pa.large_list(pa.uint8()), "array<smallint>"),
        (pa.map_(pa.string_view(), pa.date64()), "map<string,date>"),
        (pa.run_end_encoded(pa.int32(), pa.string()), "string"),
        (pa.null(), "void"),
    ],
)
def test_each_type_has_one_of_spark(of: pa.DataType, text: str) -> None:
    """Each Arrow type maps to the Spark type of the given name."""
    (field,) = spark_schema(pa.schema([pa.field("x", of, nullable=pa.types.is_null(of))])).fields
    assert field.dataType.simpleString() == text
    assert field.nullable


@pytest.mark.parametrize(
    "of",
    [pa.decimal256(39, 0), pa.decimal128(30, -9), pa.month_day_nano_interval()],
)
def test_types_that_spark_lacks_are_refused(of: pa.DataType) -> None:
    """The error for a type that Spark lacks gives its path in the schema."""
    inner = pa.struct([pa.field("a", pa.list_(of))])
    with pytest.raises(Unsupported, match=r"^column x\.a\.element: found .*, wanted a type that"):
        wanted_schema(pa.schema([pa.field("x", inner)]))


def test_a_union_is_refused() -> None:
    """A union is refused, though it has fields like a struct."""
    union = pa.sparse_union([pa.field("a", pa.int8())])
    with pytest.raises(Unsupported, match=r"^column x: found .*union"):
        wanted_schema(pa.schema([pa.field("x", union)]))


def test_uuids_are_text() -> None:
    """UUIDs become lower-case text with dashes, in slices and with nulls too."""
    given = [UUID(int=1 << 127 | 0xABC), None, UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")]
    column = pa.array([b"x" * 16, *(each and each.bytes for each in given)], pa.binary(16)).slice(1)
    batch = pa.record_batch([pa.ExtensionArray.from_storage(pa.uuid(), column)], ["u"])
    (found,) = conformed([batch], wanted_schema(batch.schema))
    assert found["u"].to_pylist() == [each and str(each) for each in given]
    found.validate(full=True)


def test_a_variant_has_its_value_first() -> None:
    """A variant gets Spark's order of fields, `value` first, without nulls inside."""
    metadata = pa.field("metadata", pa.large_binary(), metadata=VARIANT)
    of = pa.struct([metadata, pa.field("value", pa.large_binary())])
    array = pa.array([{"metadata": b"m", "value": b"v"}, None], of)
    schema = pa.schema([pa.field("v", of)])
    assert spark_schema(schema).fields[0].dataType.simpleString() == "variant"
    wanted = wanted_schema(schema)
    (found,) = conformed([pa.record_batch([array], schema=schema)], wanted)
    assert found["v"].to_pylist() == [{"value": b"v", "metadata": b"m"}, None]
    assert found["v"].field(0).null_count == found["v"].field(1).null_count == 0


def test_what_a_column_is_documented_as_is_its_comment() -> None:
    """The `doc` of a field becomes a column's comment; other metadata is dropped."""
    field = pa.field("x", pa.int8(), metadata={"doc": "of \xfc", "PARQUET:field_id": "1"})
    assert spark_schema(pa.schema([field])).fields[0].metadata == {"comment": "of \xfc"}


def test_a_batch_that_is_too_large_is_divided() -> None:
    """A batch above the size limit is divided in order, and each part has its own values only."""
    batch = pa.record_batch([pa.array(["a" * 100, "b" * 100, "c" * 100, "d"])], ["x"])
    parts = list(conformed([batch], batch.schema, most=batch.nbytes - 1))
    assert [each.num_rows for each in parts] == [2, 2]
    assert [text for each in parts for text in each["x"].to_pylist()] == batch["x"].to_pylist()
    assert max(each["x"].buffers()[2].size for each in parts) <= 200
    (whole,) = conformed([batch], batch.schema, most=batch.nbytes)
    assert whole["x"].buffers()[2].address == batch["x"].buffers()[2].address


def test_a_value_out_of_range_is_refused() -> None:
    """A time that 64-bit microseconds cannot hold is refused with the column's name."""
    batch = pa.record_batch([pa.array([1 << 62], pa.timestamp("s"))], ["t"])
    with pytest.raises(FormatError, match=r"^t: found a value of timestamp\[s\] outside"):
        list(conformed([batch], wanted_schema(batch.schema)))


@pytest.mark.parametrize("name", ["byteloom.hfile", "byteloom.lance"])
def test_a_sink_names_the_column_that_spark_cannot_hand_over(name: str, tmp_path: Path) -> None:
    """A sink names a column that Spark cannot pass as Arrow, before a task begins."""
    schema = StructType([StructField("row", StringType()), StructField("m", CharType(3))])
    message = r"^column m: found char\(3\), wanted a type that Spark has as Arrow"
    made = registered(name)({"path": str(tmp_path / "a")})
    with pytest.raises(Unsupported, match=message):
        made.writer(schema, False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["byteloom.hfile", "byteloom.lance"])
def test_a_sink_refuses_two_columns_of_one_name(name: str, tmp_path: Path) -> None:
    """A frame with two columns of one name is refused before a task begins."""
    fields = [StructField(each, StringType()) for each in ("row", "value", "row")]
    made = registered(name)({"path": str(tmp_path / "a")})
    with pytest.raises(FormatError, match=r"^column row: found 2 of that name, wanted one$"):
        made.writer(StructType(fields), False)
    assert list(tmp_path.iterdir()) == []
