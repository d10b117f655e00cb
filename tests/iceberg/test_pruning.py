"""Files, manifests and partitions are pruned exactly where their statistics allow it.

What statistics allow is found by trying: a file may hold every value between its bounds, null where
it counts nulls, and NaN where it counts NaNs.  The functions that prune are internal: a plan shows
inclusive answers alone, one filter at a time.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.gallery import rows
from tests.support.iceberg_stated import Stated, spans, summaries

from byteloom.iceberg import (
    IntegerType,
    LongType,
    NestedField,
    PartitionField,
    PartitionSpec,
    Schema,
    StructType,
    TimestampType,
    apply_array,
    bind,
    col,
    evaluate,
    parse,
    parse_primitive,
    parse_transform,
)
from byteloom.iceberg.expressions import manifests, metrics, projection
from byteloom.iceberg.expressions.stats import Bounds, Spans, signed_words
from byteloom.iceberg.expressions.wrapping import unwrapped
from byteloom.iceberg.planning.pruning import residuals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.iceberg import Expression, Type

NUMBERS: Final = [2.0, 3.0, 5.0, 7.0, 8.0]
TEXTS: Final = ["", "a", "aa", "ab", "abc", "abz", "ac", "b"]
BOUNDS: Final[dict[str, list[Any]]] = {
    "double": [(3.0, 3.0), (3.0, 7.0)],
    "string": [("ab", "ab"), ("aa", "ab"), ("ab", "abz"), ("aa", "ac"), ("", ""), ("", "aa")],
}
NAN: Final = float("nan")
column: Final = col("c")


def is_value(value: Any) -> bool:
    """Return whether a value is neither null nor NaN."""
    return value is not None and value == value  # noqa: PLR0124  NaN is not


QUESTIONS: Final[dict[str, list[tuple[Expression, Callable[[Any], bool]]]]] = {
    "double": [
        (column.is_null(), lambda v: v is None),
        (column.not_null(), lambda v: v is not None),
        (column.is_nan(), lambda v: v is not None and math.isnan(v)),
        (~column.is_nan(), lambda v: v is None or not math.isnan(v)),
        *((column < x, lambda v, x=x: is_value(v) and v < x) for x in NUMBERS),
        *((column <= x, lambda v, x=x: is_value(v) and v <= x) for x in NUMBERS),
        *((column > x, lambda v, x=x: is_value(v) and v > x) for x in NUMBERS),
        *((column >= x, lambda v, x=x: is_value(v) and v >= x) for x in NUMBERS),
        *((column == x, lambda v, x=x: v == x) for x in NUMBERS),
        *((column != x, lambda v, x=x: v != x) for x in NUMBERS),
        *((column.isin([2.0, x]), lambda v, x=x: v in {2.0, x}) for x in NUMBERS[1:]),
        *((~column.isin([2.0, x]), lambda v, x=x: v not in {2.0, x}) for x in NUMBERS[1:]),
    ],
    "string": [
        (column.is_null(), lambda v: v is None),
        (column.not_null(), lambda v: v is not None),
        *((column < x, lambda v, x=x: v is not None and v < x) for x in TEXTS),
        *((column >= x, lambda v, x=x: v is not None and v >= x) for x in TEXTS),
        *((column == x, lambda v, x=x: v == x) for x in TEXTS),
        *((column != x, lambda v, x=x: v != x) for x in TEXTS),
        *(
            (column.startswith(x), lambda v, x=x: v is not None and v.startswith(x))
            for x in TEXTS
        ),
        *(
            (~column.startswith(x), lambda v, x=x: v is None or not v.startswith(x))
            for x in TEXTS
        ),
    ],
}  # fmt: skip
ASKED: Final = [
    pytest.param(kind, asked, holds, id=str(asked))
    for kind, questions in QUESTIONS.items()
    for asked, holds in questions
]


def between(kind: str, bounds: tuple[Any, Any]) -> list[Any]:
    """Return the values between two bounds, both included."""
    values: Sequence[Any] = NUMBERS if kind == "double" else TEXTS
    return [each for each in values if bounds[0] <= each <= bounds[1]]


def schema_of(kind: str) -> Schema:
    """Return a schema of one optional column."""
    return Schema((NestedField(1, "c", parse_primitive(kind)),))


class Files(Stated):
    """The statistics of files of two rows, with values, nulls, NaNs or two of these."""

    def __init__(self, kind: str) -> None:
        """Describe files of a column of type *kind*."""
        mixtures = [
            (nulls, nans)
            for nulls, nans in product(range(3), range(3 if kind == "double" else 1))
            if nulls + nans <= 2 and (nulls, nans) != (1, 1)
        ]
        self.cases = [
            (nulls, nans, bounds)
            for nulls, nans in mixtures
            for bounds in (BOUNDS[kind] if nulls + nans < 2 else [(None, None)])
        ]
        self.kind = kind
        counts = [(2, nulls, nans) for nulls, nans, _ in self.cases]
        bounds = [each for *_, each in self.cases]
        super().__init__(kind, [2] * len(self.cases), counts, bounds)

    def possible(self) -> list[list[Any]]:
        """Return the values that may be in each file."""
        return [
            (between(self.kind, bounds) if bounds[0] is not None else [])
            + [None] * nulls
            + [NAN] * nans
            for nulls, nans, bounds in self.cases
        ]


@pytest.mark.parametrize(("kind", "asked", "holds"), ASKED)
def test_a_file_is_left_out_where_no_possible_value_matches(
    kind: str, asked: Expression, holds: Callable[[Any], bool]
) -> None:
    """A file is pruned exactly if no value that its statistics allow matches."""
    files = Files(kind)
    found = metrics.inclusive(bind(asked, schema_of(kind)), files)
    wanted = [any(map(holds, values)) for values in files.possible()]
    assert dict(zip(map(str, files.cases), found.tolist(), strict=True)) == dict(
        zip(map(str, files.cases), wanted, strict=True)
    )


def nested_cases() -> list[tuple[int, int, int, int, tuple[Any, Any]]]:
    """Return rows, counts and bounds of a field of a struct, with -1 for unknown counts.

    The rows without a value are those without a struct.
    """
    return [
        (rows, values, nulls, nans, bounds)
        for rows, values, nulls, nans in product(
            (1, 2), (-1, 0, 1, 2), (-1, 0, 1, 2), (-1, 0, 1, 2)
        )
        if values <= rows and max(nulls, 0) + max(nans, 0) <= (rows if values < 0 else values)
        for bounds in [(None, None), (3.0, 3.0), (3.0, 7.0)]
        if bounds[0] is None or max(nulls, 0) + max(nans, 0) < (rows if values < 0 else values)
    ]


def possible_fields(case: tuple[int, int, int, int, tuple[Any, Any]]) -> list[Any]:
    """Return the values that a field may have in a file."""
    rows, values, nulls, nans, bounds = case
    others = (rows if values < 0 else values) - max(nulls, 0) - max(nans, 0)
    has_null = nulls > 0 or (nulls < 0 < others) or 0 <= values < rows or (values < 0 < others)
    has_nan = nans > 0 or (nans < 0 < others)
    plain = NUMBERS if bounds[0] is None else between("double", bounds)
    return [None] * has_null + [NAN] * has_nan + [*plain] * (others > 0)


@pytest.mark.parametrize(("kind", "asked", "holds"), ASKED[: len(QUESTIONS["double"])])
def test_a_file_is_left_out_by_the_counts_of_a_nested_field(
    kind: str, asked: Expression, holds: Callable[[Any], bool]
) -> None:
    """A nested field never prunes a file that may match, and always one that cannot.

    Null and NaN in one file are not counted together.
    """
    cases = nested_cases()
    fields = Stated(
        kind,
        [each[0] for each in cases],
        [each[1:4] for each in cases],
        [each[4] for each in cases],
    )
    outer = StructType((NestedField(1, "c", parse_primitive(kind)),))
    schema = Schema((NestedField(9, "s", outer),))
    question = parse(re.sub(r"\bc\b", "s.c", str(asked)))
    for case, found in zip(cases, metrics.inclusive(bind(question, schema), fields), strict=True):
        wanted = any(map(holds, possible_fields(case)))
        is_known = min(case[1:4]) >= 0 and (case[4][0] is not None or sum(case[2:4]) == case[1])
        assert found >= wanted, case
        assert found == wanted or not is_known or min(case[2:4]) > 0, case


@pytest.mark.parametrize(
    ("values", "nulls", "is_kept"), [(0, 0, False), (-1, 0, True), (-1, -1, True), (1, 0, True)]
)
def test_a_file_of_no_rows_is_left_out_where_its_counts_agree(
    values: int, nulls: int, is_kept: bool
) -> None:
    """A file of 0 rows is pruned only if its other counts agree, as one count may be wrong."""
    empty = Stated("double", [0], [(values, nulls, -1)], [(None, None)])
    bound = bind(column < 3, schema_of("double"))
    assert metrics.inclusive(bound, empty).tolist() == [is_kept]
    assert metrics.strict(bound, empty).tolist() == [True]


@pytest.mark.parametrize(("kind", "asked", "holds"), ASKED)
def test_a_file_matches_as_a_whole_where_every_possible_value_does(
    kind: str, asked: Expression, holds: Callable[[Any], bool]
) -> None:
    """A file matches as a whole exactly if every value that its statistics allow matches."""
    files = Files(kind)
    found = metrics.strict(bind(asked, schema_of(kind)), files)
    wanted = [all(map(holds, values)) for values in files.possible()]
    assert dict(zip(map(str, files.cases), found.tolist(), strict=True)) == dict(
        zip(map(str, files.cases), wanted, strict=True)
    )


@pytest.mark.parametrize(("kind", "asked", "holds"), ASKED)
def test_a_manifest_is_left_out_where_no_possible_partition_matches(
    kind: str, asked: Expression, holds: Callable[[Any], bool]
) -> None:
    """A manifest is pruned exactly if no partition value that its summary allows matches."""
    cases = [
        (has_null, has_nan, bounds)
        for has_null, has_nan in product([False, True], [0, 1, -1] if kind == "double" else [0])
        for bounds in [*BOUNDS[kind], (None, None)]
        if has_null or has_nan == 1 or bounds[0] is not None
    ]
    stated = summaries(kind, *zip(*cases, strict=True))
    found = manifests.inclusive(bind(asked, schema_of(kind)), {1: stated}, len(cases))
    wanted = [
        any(
            map(
                holds,
                (between(kind, bounds) if bounds[0] is not None else [])
                + [None] * has_null
                + [NAN] * (has_nan != 0),
            )
        )
        for has_null, has_nan, bounds in cases
    ]
    assert dict(zip(map(str, cases), found.tolist(), strict=True)) == dict(
        zip(map(str, cases), wanted, strict=True)
    )


@pytest.mark.parametrize(("lower", "upper"), [(3.0, None), (None, 8.0)])
@pytest.mark.parametrize(
    "asked", [column < 5.0, column <= 5.0, column > 5.0, column == 5.0, column.isin([5.0, 7.0])]
)
def test_a_manifest_with_one_bound_has_values(
    asked: Expression, lower: float | None, upper: float | None
) -> None:
    """A manifest with only one bound may have any value, and is not pruned."""
    stated = summaries("double", [False], [0], [(lower, upper)])
    assert manifests.inclusive(bind(asked, schema_of("double")), {1: stated}, 1).all()


@pytest.mark.parametrize(
    ("bounds", "asked", "inclusive", "strict"),
    [
        ((1 << 127, (1 << 127) - 1), column == UUID(int=5), True, False),
        ((1 << 127, (1 << 127) + 1), column > UUID(int=5), True, False),
        ((1 << 127, (1 << 127) + 1), column < UUID(int=5), True, False),
        ((10, 20), column > UUID(int=5), True, True),
        ((10, 20), column < UUID(int=5), False, False),
        ((1 << 63, (1 << 63) - 1), column == UUID(int=5), True, False),
        ((1 << 63, 1 << 63), column > UUID(int=5), True, False),
        ((10, 10), column == UUID(int=10), True, True),
    ],
    ids=str,
)
def test_uuids_are_ordered_by_their_bytes_or_as_two_signed_words(
    bounds: tuple[int, int], asked: Expression, inclusive: bool, strict: bool
) -> None:
    """UUIDs prune or fully match a file only if both orders, bytes and signed words, say so."""
    file = Stated.between("uuid", (UUID(int=bounds[0]), UUID(int=bounds[1])))
    bound = bind(asked, schema_of("uuid"))
    assert metrics.inclusive(bound, file).tolist() == [inclusive]
    assert metrics.strict(bound, file).tolist() == [strict]


@pytest.mark.parametrize("place", range(16))
@pytest.mark.parametrize("bit", [0x01, 0x80])
def test_the_words_of_uuids_are_signed_in_their_first_bit(place: int, bit: int) -> None:
    """Words of UUIDs compare as signed numbers."""
    plain, other = bytes(16), bytes(bit if each == place else 0 for each in range(16))
    turned = signed_words(Spans.of([plain, None, other, b"short"])).to_arrow().to_pylist()
    assert turned[1] is turned[3] is None
    is_above = struct.unpack(">2q", other) > struct.unpack(">2q", plain)
    assert (turned[2] > turned[0], turned[2] != turned[0]) == (is_above, True)


def test_a_decimal_of_no_bytes_is_no_bound() -> None:
    """A decimal bound of no bytes is ignored."""
    bounds = Bounds.read(parse_primitive("decimal(9, 2)"), Spans.of([b"", None, b"\0", b"\xff"]))
    assert bounds.is_known.tolist() == [False, False, True, True]


@pytest.mark.parametrize("count", [200, 201])
def test_lists_of_more_than_200_values_are_not_compared_with_bounds(count: int) -> None:
    """A set of more than 200 values prunes neither files nor manifests."""
    bound = bind(column.isin([float(each) for each in range(10, 10 + count)]), schema_of("double"))
    files = Files("double")
    assert metrics.inclusive(bound, files).any() == (count > 200)
    stated = files.of(1)
    listed = summaries("double", [False] * 2, [0] * 2, [(3.0, 3.0)] * 2)
    assert manifests.inclusive(bound, {1: listed}, 2).all() == (count > 200)
    single = bind(~column.isin([float(each) for each in range(3, 3 + count)]), schema_of("double"))
    assert manifests.inclusive(single, {1: listed}, 2).all() == (count > 200)
    of_one = (stated.null_count == 0) & (stated.nan_count == 0)
    kept = metrics.inclusive(single, files)[of_one]
    assert kept.tolist() == [count > 200, True]


@pytest.mark.parametrize(("bound", "literal"), [(0.0, -0.0), (-0.0, 0.0), (0.0, 0.0), (-0.0, -0.0)])
def test_a_zero_that_is_a_bound_may_be_a_zero_of_the_other_sign(
    bound: float, literal: float
) -> None:
    """Zeros of both signs are equal as bounds, and only exact comparison distinguishes them."""
    stated = summaries("double", [False], [0], [(bound, bound)])
    schema = schema_of("double")
    for asked in (column == literal, column <= literal, column >= literal):
        assert manifests.inclusive(bind(asked, schema), {1: stated}, 1).all()
    bounds = Bounds.read(parse_primitive("double"), spans("double", [bound]))
    wanted = (math.copysign(1, bound) - math.copysign(1, literal)) / 2
    assert bounds.exact_signs(literal).tolist() == [wanted]
    assert bounds.signs(literal).tolist() == [0]


@pytest.mark.parametrize(
    ("unscaled", "is_known"),
    [
        ((1 << 127) - 1, True),
        (1 << 127, False),
        (-(1 << 127), True),
        (-(1 << 127) - 1, False),
        (0, True),
    ],
)
def test_bounds_of_decimals_have_at_most_128_bits_in_arrow(unscaled: int, is_known: bool) -> None:
    """A decimal bound above 128 bits is unknown in Arrow, and still compares."""
    of = parse_primitive("decimal(38, 0)")
    data = unscaled.to_bytes(17, "big", signed=True)
    bounds = Bounds.read(of, Spans.of([data, None]))
    assert bounds.to_arrow().is_valid().to_pylist() == [is_known, False]
    assert bounds.signs(Decimal(5)).tolist()[0] == (1 if unscaled > 5 else -1)


@pytest.mark.parametrize(
    ("of", "transform", "asked", "inclusive", "strict"), rows("iceberg/projections", "projections")
)
def test_a_question_about_a_column_becomes_one_about_its_partitions(
    of: str, transform: str, asked: str, inclusive: str, strict: str
) -> None:
    """A filter is projected to partitions that may match, and to those that match as a whole.

    Old Java wrote years, months and hours before 1970 that are one too high.
    """
    schema = schema_of(of)
    spec = PartitionSpec((PartitionField((1,), 1000, "p", parse_transform(transform)),))
    bound = bind(parse(asked), schema)
    assert str(projection.inclusive(bound, spec, schema)) == inclusive
    assert str(projection.strict(bound, spec, schema)) == strict


# ------------------------------------------------------------------------------- results that wrap

LONG, INT = 1 << 63, 1 << 31
OPERATORS = ("<", "<=", ">", ">=", "=", "!=")


def _rows(of: Type, values: list[int], field_id: int = 1) -> pa.StructArray:
    """Return a column with its id."""
    plain = pa.array(values, pa.int32() if isinstance(of, IntegerType) else pa.int64())
    held = plain.view(pa.timestamp("us")) if isinstance(of, TimestampType) else plain
    field = pa.field("x", held.type, metadata={"PARQUET:field_id": str(field_id)})
    return pa.StructArray.from_arrays([held], fields=[field])


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Type, list[int], int, str, int]:
    """Draw a type, values, a width, an operator and a literal, mostly near the ends."""
    of, half = draw(st.sampled_from([(LongType(), LONG), (IntegerType(), INT)]))
    near = st.sampled_from([-half, 0, half - 1])
    value = st.builds(
        lambda base, by: min(max(base + by, -half), half - 1), near, st.integers(-30, 30)
    )
    values = draw(st.lists(value, min_size=1, max_size=4))
    width = draw(st.one_of(st.integers(1, 20), st.integers(1, INT - 1)))
    return of, values, width, draw(st.sampled_from(OPERATORS)), draw(value)


@given(_cases())
@example((LongType(), [-LONG, -5], 10, "<", 0))
@example((IntegerType(), [-INT, 7], 10, ">", 100))
def test_truncated_integers(case: tuple[Type, list[int], int, str, int]) -> None:
    """Filters on truncated integers never prune a match, by bounds and by partition."""
    of, values, width, operator, literal = case
    schema = Schema((NestedField(1, "x", of),))
    bound = bind(parse(f"truncate({width}, x) {operator} {literal}"), schema)
    matches = evaluate(bound, _rows(of, values)).to_pylist()
    file = Stated.between(of.kind, (min(values), max(values)), rows=len(values))
    assert metrics.inclusive(bound, file)[0] or not any(matches)
    assert not metrics.strict(bound, file)[0] or all(matches)
    _check_partitions(bound, of, values, width, matches)


@pytest.mark.parametrize("operator", [*OPERATORS, "in", "not in"])
@pytest.mark.parametrize(("of", "half"), [(LongType(), LONG), (IntegerType(), INT)], ids=str)
def test_the_value_that_wrapped_is_a_literal(of: Type, half: int, operator: str) -> None:
    """Filters compare the least value by the wrapped number that its partition stores."""
    schema = Schema((NestedField(1, "x", of),))
    values = [-half, -half + 1, -half + 2, -half + 8, -10, 0, 5, half - 1]
    for literal in (half - 2, -half, -half + 8, 0, 10):
        literals = f"({literal}, 20)" if "in" in operator else literal
        bound = bind(parse(f"truncate(10, x) {operator} {literals}"), schema)
        matches = evaluate(bound, _rows(of, values)).to_pylist()
        _check_partitions(bound, of, values, 10, matches)


def _check_partitions(
    bound: Any, of: Type, values: list[int], width: int, matches: list[bool]
) -> None:
    """Check that both projections and the residual are right for each partition."""
    transform = f"truncate[{width}]"
    field = {"source-id": 1, "field-id": 1000, "name": "p", "transform": transform}
    spec = PartitionSpec.from_json({"spec-id": 0, "fields": [field]})
    schema = Schema((NestedField(1, "x", of),))
    made = apply_array(parse_transform(transform), of, _rows(of, values).field(0))
    tuples = _rows(of, made.to_pylist(), 1000)
    for project in (projection.inclusive, projection.strict):
        carried = project(bound, spec, schema)
        assert evaluate(carried, unwrapped(spec, tuples)).to_pylist() == matches
    left = residuals(bound, spec, schema, tuples)
    assert [str(left.of(each)) for each in range(len(values))] == [
        str(each).lower() for each in matches
    ]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("literal", [-2_000_000_000, 0, 2_000_000_000])
def test_hours_beyond_32_bits(operator: str, literal: int) -> None:
    """Hours of the year 300,000 wrap at 32 bits, as all writers store them."""
    schema = Schema((NestedField(1, "x", TimestampType()),))
    bound = bind(parse(f"hour(x) {operator} {literal}"), schema)
    for values in ([-LONG, LONG - 1], [-LONG, 0], [0, LONG - 1], [-5, 5], [LONG - 2, LONG - 1]):
        matches = evaluate(bound, _rows(TimestampType(), values)).to_pylist()
        assert metrics.inclusive(bound, Stated.between("timestamp", (values[0], values[1])))[
            0
        ] or not any(matches)


def test_files_are_pruned_where_all_results_wrapped_or_none() -> None:
    """Files are pruned by bounds only if all or none of their results wrapped."""
    schema = Schema((NestedField(1, "x", LongType()),))
    bound = bind(parse("truncate(10, x) < 0"), schema)
    held = {(-LONG, -LONG + 7): False, (-LONG, -LONG + 8): True, (1, 50): False, (-9, 9): True}
    for values, may in held.items():
        assert metrics.inclusive(bound, Stated.between("long", values)).tolist() == [may]


HOUR_US: Final = 3_600_000_000


@pytest.mark.parametrize(
    ("low", "high", "may"),
    [
        (0, 100, False),
        (0, 101, True),
        (-50, -1, False),
        (90, 110, True),
        (-(1 << 31), 100, False),
        (-(1 << 31) - 1, 100, True),
        ((1 << 31), (1 << 31) + 5, False),
        ((1 << 31) - 1, (1 << 31) + 5, True),
    ],
)
def test_files_are_pruned_where_all_hours_are_in_one_lap(low: int, high: int, may: bool) -> None:
    """Files are pruned by hours only if none or all wrap to the same range of 32 bits."""
    bound = bind(parse("hour(x) > 100"), Schema((NestedField(1, "x", TimestampType()),)))
    file = Stated.between("timestamp", (low * HOUR_US, high * HOUR_US))
    assert metrics.inclusive(bound, file).tolist() == [may]
