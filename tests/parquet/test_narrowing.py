"""A footer reduced to some columns gives pyarrow the same values as the whole footer."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.thrift import footer_of

from byteloom.parquet.forms import Forms
from byteloom.parquet.narrowing import IndexedFooter, Narrow

ROWS = 50
TABLE = pa.table(
    {
        "number": pa.array([each if each % 5 else None for each in range(ROWS)], pa.int32()),
        "duration": pa.array(range(ROWS), pa.duration("us")),
        "struct": pa.array([{"a": float(each), "b": str(each)} for each in range(ROWS)]),
        "list": pa.array([[each, None] if each % 4 else None for each in range(ROWS)]),
        "text": pa.array([f"text {each % 9}" for each in range(ROWS)], pa.large_string()),
        "coded": pa.array([f"text {each % 3}" for each in range(ROWS)]).dictionary_encode(),
        "map": pa.array([[(str(each), each)] for each in range(ROWS)], pa.map_("string", "int64")),
        "zoned": pa.array(range(ROWS), pa.timestamp("us", "Europe/Paris")),
    }
)
OPTIONS = st.fixed_dictionaries(
    {
        "compression": st.sampled_from(["none", "zstd"]),
        "row_group_size": st.integers(1, ROWS),
        "write_statistics": st.booleans(),
        "write_page_index": st.booleans(),
        "store_schema": st.booleans(),
        "sorting_columns": st.sampled_from([None, [pq.SortingColumn(7)]]),
    }
)


def written(**options: Any) -> bytes:
    """Return a file in memory."""
    out = io.BytesIO()
    pq.write_table(TABLE, out, **options)
    return out.getvalue()


def bytes_of_footer(file: bytes) -> Any:
    """Return the bytes of a file's footer."""
    size = int.from_bytes(file[-8:-4], "little")
    return np.frombuffer(file, np.uint8)[-8 - size : -8]


@given(
    options=OPTIONS,
    columns=st.sets(st.integers(0, len(TABLE.schema) - 1), min_size=1),
)
def test_some_columns(options: dict[str, Any], columns: set[int]) -> None:
    """Columns read by a reduced footer have the values, types and statistics of the whole file."""
    file = written(**options)
    footer = IndexedFooter.of(bytes_of_footer(file), Forms())
    assert footer is not None
    narrow = Narrow.of(footer.form, columns)
    assert narrow is not None
    metadata = footer.metadata(narrow)
    whole = pq.ParquetFile(io.BytesIO(file))
    assert footer.form.schema == whole.schema_arrow
    expected = whole.read().select(sorted(columns))
    found = pq.ParquetFile(io.BytesIO(file), metadata=metadata)
    assert found.schema_arrow.equals(expected.schema.remove_metadata(), check_metadata=True)
    assert found.read().equals(expected)
    assert metadata.created_by == whole.metadata.created_by
    assert metadata.num_rows == ROWS
    assert footer.rows.tolist() == [
        whole.metadata.row_group(each).num_rows for each in range(whole.metadata.num_row_groups)
    ]
    for number in range(metadata.num_row_groups):
        group, before = metadata.row_group(number), whole.metadata.row_group(number)
        assert (group.num_rows, group.total_byte_size) == (before.num_rows, before.total_byte_size)
        assert footer.places[number] == first_page(before)
        for at, leaf in enumerate(narrow.leaves.tolist()):
            assert group.column(at).to_dict() == before.column(leaf).to_dict()


def first_page(group: Any) -> int:
    """Return the offset where a row group begins."""
    first = group.column(0)
    return int(first.dictionary_page_offset or first.data_page_offset)


def test_order_of_columns() -> None:
    """A reduced footer keeps the column orders and row counts of the columns that remain."""
    file = written()
    made = metadata_bytes(file, [4])
    before = footer_of(file)
    assert made["column_orders"] == before["column_orders"][6:7]
    assert made["created_by"] == before["created_by"]
    assert [each["name"] for each in made["schema"]] == [b"schema", b"text"]
    assert made["schema"][0]["num_children"] == 1
    assert set(made["row_groups"][0]) == {"columns", "total_byte_size", "num_rows"}


def metadata_bytes(file: bytes, columns: list[int]) -> dict[str, Any]:
    """Return the footer of some columns, parsed by the spec's tables."""
    footer = IndexedFooter.of(bytes_of_footer(file), Forms())
    assert footer is not None
    narrow = Narrow.of(footer.form, columns)
    assert narrow is not None
    return footer_of(footer.image(narrow).to_pybytes())


def test_forms_are_found_again() -> None:
    """Files of one form share it, whichever was read last; other files have another form."""
    forms = Forms()
    one, other = written(), written(store_schema=False)
    found = [IndexedFooter.of(bytes_of_footer(each), forms) for each in (one, other, one, one)]
    held = [each.form for each in found if each is not None]
    assert len(held) == 4
    assert held[0] is held[2] is held[3] is not held[1]


def test_no_column() -> None:
    """A footer cannot be reduced to no columns at all."""
    footer = IndexedFooter.of(bytes_of_footer(written()), Forms())
    assert footer is not None
    assert Narrow.of(footer.form, []) is None


def test_flipped_bits() -> None:
    """A footer with a flipped bit is left to pyarrow, or gives the wanted columns and all rows."""
    sound = bytes_of_footer(written(row_group_size=20))
    forms = Forms()
    before = IndexedFooter.of(sound, forms)
    assert before is not None
    narrow = Narrow.of(before.form, [0, 4])
    left = 0
    for place in range(len(sound)):
        for bit in (place % 8, (place + 3) % 8):
            damaged = sound.copy()
            damaged[place] ^= 1 << bit
            footer = IndexedFooter.of(damaged, forms)
            if footer is None:
                left += 1
                continue
            chosen = narrow if footer.form is before.form else Narrow.of(footer.form, [0, 4])
            metadata = None if chosen is None else footer.metadata(chosen)
            if chosen is None or metadata is None:
                left += 1
                continue
            assert metadata.num_columns == len(chosen.leaves)
            assert metadata.num_rows == footer.rows.sum() == ROWS
    assert left > len(sound) // 4


@pytest.mark.parametrize("cut", range(1, 200, 7))
def test_truncated(cut: int) -> None:
    """A footer that is cut short is left to pyarrow."""
    assert IndexedFooter.of(bytes_of_footer(written())[:-cut], Forms()) is None


@pytest.mark.parametrize("number", [0, 5])
def test_a_column_without_metadata(number: int) -> None:
    """A footer in which a chunk has no metadata is left to pyarrow."""
    footer = bytes_of_footer(written()).copy()
    heads = [each.start() + 2 for each in re.finditer(b"\x26\x00\x1c", footer.tobytes())]
    footer[heads[number]] = 0x7C  # field 9, which is unknown, in place of field 3
    forms = Forms()
    assert IndexedFooter.of(footer, forms) is None
    assert IndexedFooter.of(bytes_of_footer(written()), forms) is not None
    assert IndexedFooter.of(footer, forms) is None


@pytest.mark.parametrize("ids", [[7, 3, 2_147_483_647], [None, 0, 5], [-1, 5, None], [None] * 3])
def test_ids_of_columns(ids: list[int | None]) -> None:
    """The ids of top-level columns are the field ids that pyarrow reads from the same footer."""
    inner = pa.field("inner", pa.int64(), metadata={"PARQUET:field_id": "99"})
    fields = [
        pa.field(
            f"c{number}",
            pa.struct([inner]) if number == 1 else pa.int64(),
            metadata=None if each is None else {"PARQUET:field_id": str(each)},
        )
        for number, each in enumerate(ids)
    ]
    out = io.BytesIO()
    pq.write_table(pa.schema(fields).empty_table(), out)
    form = Forms().of(bytes_of_footer(out.getvalue()), whole=False)
    assert form is not None
    assert form.columns is not None
    found = form.columns[0][:, 5].tolist()
    assert [each if each >= 0 else -1 for each in found] == [
        int((each.metadata or {}).get(b"PARQUET:field_id", -1)) for each in form.schema
    ]


def test_as_many_forms_are_kept_as_their_limit() -> None:
    """A cache of forms keeps the 64 newest, and one more replaces the oldest."""
    footers = []
    for number in range(65):
        out = io.BytesIO()
        pq.write_table(pa.schema([(f"c{number}", pa.int64())]).empty_table(), out)
        footers.append(bytes_of_footer(out.getvalue()))
    forms = Forms()
    kept = [forms.of(each, whole=False) for each in footers[:64]]
    assert all(
        forms.of(each, whole=False) is form for each, form in zip(footers, kept, strict=False)
    )
    forms.of(footers[64], whole=False)
    assert forms.of(footers[1], whole=False) is kept[1]
    assert forms.of(footers[0], whole=False) is not kept[0]
