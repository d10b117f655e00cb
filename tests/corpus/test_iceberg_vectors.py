"""Transforms, hashes, projections and filters give the results of Java Iceberg's own tests.

A set that is written as a list may repeat a value there; here it is a set, and one literal in it is
an equality.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.corpus import corpus_cases
from tests.support.iceberg_vectors import (
    VectorStats,
    expression,
    partition_spec,
    struct,
    summaries,
    type_of,
    value,
)

from byteloom.errors import ByteloomError
from byteloom.iceberg import (
    Expression,
    Schema,
    apply_value,
    bind,
    evaluate,
    parse_primitive,
    parse_transform,
)
from byteloom.iceberg.expressions import manifests, metrics, projection
from byteloom.iceberg.expressions.ast import BoundPredicate
from byteloom.iceberg.planning.pruning import residuals
from byteloom.iceberg.transforms import to_human
from byteloom.iceberg.transforms.arrays import hash_array, storage_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from byteloom.iceberg import PartitionSpec

FOLDER = "iceberg/vectors"
CONSTANTS = {"AlwaysTrue": "TRUE", "AlwaysFalse": "FALSE"}
SINGLE = {"IN": "EQ", "NOT_IN": "NOT_EQ"}


def cases_of(kind: str) -> Callable[[Path], Iterator[Any]]:
    """Return a finder of the cases in one file, each with the tables that the file shares."""

    def find(folder: Path) -> Iterator[Any]:
        path = folder / f"{kind}.json"
        if path.is_file():
            document = json.loads(path.read_text())
            for number, case in enumerate(document.pop("cases")):
                yield pytest.param((case, document), id=f"{kind}[{number}] {case['origin']}")

    return find


def bound(case: dict[str, Any], schema: Schema) -> Expression:
    """Return the case's expression, bound to its schema."""
    is_sensitive = case.get("case_sensitive", True)
    return bind(expression(case["expr"]), schema, case_sensitive=is_sensitive)


def spec_of(case: dict[str, Any], shared: dict[str, Any]) -> tuple[Schema, PartitionSpec]:
    """Return the case's schema and partition spec."""
    document = shared["specs"][case["spec"]]
    schema = Schema.from_json(document["schema"])
    return schema, partition_spec(document["spec"], schema)


def operation(found: Expression) -> str:
    """Return Java's name of an expression's operation."""
    if isinstance(found, BoundPredicate):
        return found.operation.name
    return CONSTANTS.get(type(found).__name__, type(found).__name__)


# ------------------------------------------------------------------------------ transforms


@corpus_cases(FOLDER, cases_of("transform"))
def test_a_transform_gives_what_java_gives(case: tuple[dict[str, Any], Any]) -> None:
    """A transform of a value gives the value that Java gives."""
    wanted, _ = case
    transform, of = parse_transform(wanted["transform"]), parse_primitive(wanted["type"])
    assert apply_value(transform, of, value(wanted["value"])) == value(wanted["expected"])


@corpus_cases(FOLDER, cases_of("human"))
def test_a_partition_value_reads_as_java_writes_it(case: tuple[dict[str, Any], Any]) -> None:
    """A partition value is written as the text that Java writes."""
    wanted, _ = case
    transform, of = parse_transform(wanted["transform"]), parse_primitive(wanted["type"])
    found = value(wanted["value"])
    if wanted["source_value"]:
        found = apply_value(transform, of, found)
    assert to_human(transform, of, found) == wanted["expected"]


@corpus_cases(FOLDER, cases_of("hash"))
def test_a_value_hashes_as_in_java(case: tuple[dict[str, Any], Any]) -> None:
    """A value has the 32-bit hash of Java, and values that are equal there have equal hashes."""
    wanted, _ = case
    found = hash_of(wanted["type"], value(wanted["value"]))
    if "equals" in wanted:
        is_same = found == hash_of(wanted["type2"], value(wanted["equals"]))
        assert is_same is (wanted["expected"] == "same-hash")
    else:
        assert found == wanted["expected"]


def hash_of(name: str, held: Any) -> int:
    """Return the hash of one value."""
    of = type_of(name, held)
    return int(hash_array(of, storage_array(of, [held]))[0])


@corpus_cases(FOLDER, cases_of("satisfies-order"))
def test_an_order_satisfies_another_as_in_java(case: tuple[dict[str, Any], Any]) -> None:
    """A sort order satisfies another one exactly if it does so in Java."""
    wanted, _ = case
    one, other = (
        parse_transform(re.split(r"[._]", wanted[key])[-1].lower().removesuffix("s"))
        for key in ("transform", "other")
    )
    assert one.is_known
    assert other.is_known
    assert one.satisfies_order_of(other) is wanted["expected"]


# ----------------------------------------------------------------------------- projections


def projected(case: dict[str, Any], shared: dict[str, Any]) -> tuple[Expression, Any]:
    """Return a case's projection, and a function that writes its partition values as text."""
    schema, spec = spec_of(case, shared)
    found = getattr(projection, case["mode"])(bound(case, schema), spec, schema)

    def human(literal: Any) -> str:
        assert isinstance(found, BoundPredicate)
        fields = {each.field_id: each for each in spec.fields}
        field = fields[found.term.reference.field.id]
        return to_human(field.transform, schema.field_by_id[field.source_id].type, literal)

    return found, human


def asked(name: str, humans: list[str]) -> tuple[str, frozenset[str]]:
    """Return an operation and its values, with a set of one value as an equality."""
    return (SINGLE.get(name, name) if len(set(humans)) == 1 else name), frozenset(humans)


@corpus_cases(FOLDER, cases_of("projection"))
def test_a_filter_is_carried_to_partitions_as_in_java(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    """A filter is projected to the same predicate on partition values as in Java."""
    wanted, shared = case
    found, human = projected(wanted, shared)
    if "facet" in wanted:
        check_facet(wanted, found)
        return
    humans = list(map(human, found.literals)) if isinstance(found, BoundPredicate) else []
    if "expected_human" not in wanted:
        assert operation(found) in {wanted["expected_op"], SINGLE.get(wanted["expected_op"])}
        return
    text = wanted["expected_human"]
    is_set = wanted["expected_op"] in SINGLE
    listed = text.removeprefix("[").removesuffix("]").split(", ") if is_set else [text]
    assert asked(operation(found), humans) == asked(wanted["expected_op"], listed)


def check_facet(wanted: dict[str, Any], found: Expression) -> None:
    """Check the part of an expression that a case is about."""
    facet, expected = wanted["facet"], wanted["expected"]
    if facet == "class":
        name = expected.removeprefix("class:").upper()
        assert operation(found).upper() == name
        return
    if facet == "op":
        assert operation(found) == expected
        return
    assert isinstance(found, BoundPredicate)
    if facet == "ref":
        assert found.term.reference.name.lower() == expected.lower()
    else:
        assert facet == "literal"
        assert found.literals == (value(expected),)


# ------------------------------------------------------------------------------ evaluators


def is_or_error(evaluate_case: Callable[[], bool], expected: object) -> None:
    """Check that an evaluation gives the expected answer or raises an error."""
    if expected == "error":
        with pytest.raises(ByteloomError, match=r": found .*, wanted "):
            evaluate_case()
    else:
        assert evaluate_case() is expected


@corpus_cases(FOLDER, cases_of("inclusive-metrics"))
def test_a_file_that_may_match_is_kept_and_no_other(case: tuple[dict[str, Any], Any]) -> None:
    """Inclusive answers from statistics are Java's, but a file of 0 rows is kept.

    Some writers state 0 for files with rows.
    """
    wanted, shared = case
    schema = Schema.from_json(shared["schemas"][wanted["schema"]])
    stats = VectorStats(shared["files"][wanted["file"]])
    expected = (
        wanted["expected"] if stats.record_count[0] or wanted["expected"] == "error" else True
    )
    is_or_error(lambda: bool(metrics.inclusive(bound(wanted, schema), stats)[0]), expected)


@corpus_cases(FOLDER, cases_of("strict-metrics"))
def test_a_file_whose_rows_all_match_is_reported(case: tuple[dict[str, Any], Any]) -> None:
    """Strict answers from statistics are Java's."""
    wanted, shared = case
    schema = Schema.from_json(shared["schemas"][wanted["schema"]])
    stats = VectorStats(shared["files"][wanted["file"]])
    is_or_error(lambda: bool(metrics.strict(bound(wanted, schema), stats)[0]), wanted["expected"])


@corpus_cases(FOLDER, cases_of("manifest"))
def test_a_manifest_that_may_match_is_kept(case: tuple[dict[str, Any], Any]) -> None:
    """Answers from the summaries of partition values are Java's."""
    wanted, shared = case
    schema = Schema.from_json(shared["schemas"][wanted["schema"]])
    spec = partition_spec(shared["specs"][wanted["spec"]], schema)
    stated = summaries(spec, shared["manifests"][wanted["manifest"]])

    def keeps() -> bool:
        carried = projection.inclusive(bound(wanted, schema), spec, schema)
        return bool(manifests.inclusive(carried, stated, 1)[0])

    is_or_error(keeps, wanted["expected"])


@corpus_cases(FOLDER, cases_of("row"))
def test_a_row_matches_as_in_java(case: tuple[dict[str, Any], Any]) -> None:
    """Evaluated over columns, a row gives Java's answer."""
    wanted, shared = case
    schema = Schema.from_json(shared["schemas"][wanted["schema"]])

    def matches() -> bool:
        rows = struct(schema.as_struct(), wanted["row"])
        return bool(evaluate(bound(wanted, schema), rows)[0].as_py())

    is_or_error(matches, wanted["expected"])


# ------------------------------------------------------------------------------- residuals


def left(case: dict[str, Any], shared: dict[str, Any]) -> tuple[Expression, Callable[..., Any]]:
    """Return a case's residual, and a function that binds an expression as the case does.

    A table without partitions binds no filter, which need not fit its schema.
    """
    schema, spec = spec_of(case, shared)

    def written(document: Any) -> Expression:
        found = expression(document)
        is_sensitive = case.get("case_sensitive", True)
        return bind(found, schema, case_sensitive=is_sensitive) if spec.fields else found

    partition = struct(spec.partition_type(schema), case["partition"])
    return residuals(written(case["expr"]), spec, schema, partition).of(0), written


@corpus_cases(FOLDER, cases_of("residual"))
def test_a_partition_leaves_of_a_filter_what_java_leaves(case: tuple[dict[str, Any], Any]) -> None:
    """The residual of a filter has Java's operation, column and literals."""
    wanted, shared = case
    if wanted.get("expected") == "error":
        with pytest.raises(ByteloomError, match=r": found .*, wanted "):
            left(wanted, shared)
        return
    found, written = left(wanted, shared)
    if "expected_op" in wanted:
        assert operation(found) == wanted["expected_op"]
    elif wanted.get("facet", "expr") == "expr":
        is_same = wanted["expected"] == "same"
        assert found == written(wanted["expr"] if is_same else wanted["expected"])
    else:
        check_facet(wanted, found)
