"""Values of Arrow are printed whole, even those that Python's types cannot have."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom

from byteloom import lance
from byteloom.cli.printing.arrow_rows import parts_of

FAR = 300_000_000_000_000_000
"""Microseconds after 1970 of a moment in the year 11476."""


def moments(*values: int | None, of: str = "us") -> pa.Array:
    """A column of timestamps."""
    return pa.array(values, pa.int64()).view(pa.timestamp(of))


def structs(**columns: pa.Array) -> pa.Array:
    """A column of structs."""
    return pa.StructArray.from_arrays([*columns.values()], [*columns])


@pytest.mark.parametrize(
    ("column", "printed"),
    [
        (
            moments(FAR, 5, None),
            ["11476-08-15T05:20:00.000000", "1970-01-01T00:00:00.000005", None],
        ),
        (moments(-(10**17)), ["-1199-02-15T14:13:20.000000"]),
        (pa.array([4_000_000, 1], pa.int32()).view(pa.date32()), ["12921-08-18", "1970-01-02"]),
        (moments(1, None, of="ns"), ["1970-01-01 00:00:00.000000001", None]),
        (pa.array([5, None], pa.time64("ns")), ["00:00:00.000000005", None]),
        (pa.array([5, 90, None], pa.duration("s")), ["PT5S", "PT90S", None]),
        (pa.array([5, -1500], pa.duration("ms")), ["PT0.005S", "PT-1.5S"]),
        (pa.array([5, 0], pa.duration("us")), ["PT0.000005S", "PT0S"]),
        (pa.array([5], pa.duration("ns")), ["PT0.000000005S"]),
        (pa.array([[5], None, []], pa.list_(pa.duration("us"))), [["PT0.000005S"], None, []]),
        (pa.array([[5]], pa.large_list(pa.duration("ns"))), [["PT0.000000005S"]]),
        (
            pa.FixedSizeListArray.from_arrays(moments(5, FAR), 2),
            [["1970-01-01T00:00:00.000005", "11476-08-15T05:20:00.000000"]],
        ),
        (
            pa.MapArray.from_arrays([0, 1], pa.array(["a"]), moments(FAR)),
            [[["a", "11476-08-15T05:20:00.000000"]]],
        ),
        (
            structs(t=moments(FAR, None), b=pa.array([b"x", None])),
            [{"t": "11476-08-15T05:20:00.000000", "b": "78"}, {"t": None, "b": None}],
        ),
    ],
    ids=lambda of: str(getattr(of, "type", "")) or None,
)
def test_moments_that_python_lacks_are_printed(column: pa.Array, printed: list[Any]) -> None:
    """Years beyond 9999 or before 1, nanoseconds and durations, inside others too, are printed."""
    (part,) = parts_of([pa.record_batch([column], ["c"])])
    assert part == [printed]


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_commands_print_them_in_every_form(form: str, tmp_path: Any) -> None:
    """`lance cat` prints a far moment and a duration in every form."""
    rows = pa.table({"t": moments(FAR), "d": pa.array([5], pa.duration("ms"))})
    with lance.LanceWriter(tmp_path / "a.lance", rows.schema) as writer:
        writer.write(rows)
    done = byteloom("lance", "cat", tmp_path / "a.lance", "--format", form)
    assert done.status == 0
    assert "11476-08-15" in done.out
    assert "PT0.005S" in done.out or form == "csv"
