"""Which Arrow type comes back for each that is written, as the guide's table says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pyarrow as pa
import pytest

from byteloom import lance
from byteloom.errors import Unsupported

GUIDE: Final = Path(__file__).parents[2] / "docs" / "lance.md"
REFUSED: Final = "refused"
TEXT, WHOLE = pa.string(), pa.int32()

TYPES: Final = [
    pa.null(),
    pa.bool_(),
    pa.uint64(),
    pa.float16(),
    TEXT,
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.binary(3),
    pa.binary(0),
    pa.date64(),
    pa.time32("ms"),
    pa.timestamp("ns", "+01:00"),
    pa.duration("s"),
    pa.decimal32(5, 2),
    pa.decimal64(10, 2),
    pa.decimal128(5, 2),
    pa.decimal256(50, 2),
    pa.list_(WHOLE),
    pa.large_list(WHOLE),
    pa.list_view(WHOLE),
    pa.large_list_view(WHOLE),
    pa.list_(WHOLE, 3),
    pa.list_(pa.field("x", WHOLE, nullable=False)),
    pa.struct([("a", WHOLE)]),
    pa.map_(TEXT, WHOLE),
    pa.map_(TEXT, WHOLE, keys_sorted=True),
    pa.dictionary(pa.int8(), TEXT),
    pa.dictionary(WHOLE, TEXT, ordered=True),
    pa.dictionary(pa.uint32(), pa.int64()),
    pa.dictionary(WHOLE, pa.date32()),
    pa.month_day_nano_interval(),
    pa.run_end_encoded(WHOLE, TEXT),
    pa.sparse_union([pa.field("a", WHOLE)]),
    pa.uuid(),
    pa.bool8(),
    pa.fixed_shape_tensor(pa.float32(), [2, 2]),
]


def changed() -> dict[str, str]:
    """The types of the guide's table, with what comes back for each."""
    text = GUIDE.read_text()
    table = text[text.index("| Arrow type that is written |") :].partition("\n\n")[0]
    rows = [each.strip("|").split(" | ") for each in table.splitlines()[2:]]
    return {
        given: read.replace("`", "").strip()
        for types, read in rows
        for given in re.findall(r"`([^`]+)`", types)
    }


def text_of(type_: pa.DataType) -> str:
    """The text of a type; that of a map does not end in a blank."""
    return str(type_).replace(" >", ">").strip()


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_types_come_back_as_the_guide_says(type_: pa.DataType, tmp_path: Path) -> None:
    """A type that is not in the table comes back as it was."""
    read = changed().get(text_of(type_), text_of(type_))
    schema = pa.schema([pa.field("c", type_)])
    if read == REFUSED:
        with pytest.raises(Unsupported, match=r"^schema\.c: found "):
            lance.write_dataset(tmp_path, pa.RecordBatchReader.from_batches(schema, []))
        return
    found = lance.write_dataset(tmp_path, schema.empty_table()).to_table()
    assert text_of(found.schema.field("c").type) == read


def test_each_type_of_the_table_is_tried() -> None:
    """No row of the guide's table is about a type that no test writes."""
    assert changed().keys() <= {text_of(each) for each in TYPES}
