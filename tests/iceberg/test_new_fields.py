"""A field that is added to a spec's table is read and written without further changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.iceberg_manifests import entry, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.cli import Outcome

ROOT = Path(__file__).parents[2]
ADDED: Mapping[str, Mapping[str, str]] = {
    "manifests.yaml": {
        "manifest_entry": '- {id: 900, name: reason, type: "string", v3: optional, doc: New.}',
        "data_file": """\
- {id: 901, name: checksum, type: "binary", v3: required, doc: New.}
      - {id: 902, name: tags, type: "list<903: int>", v3: optional, doc: New.}
      - {id: 904, name: distinct, type: "map<905: int, 906: long>", v3: optional, doc: New.}
      - {id: 907, name: is_sorted, type: "boolean", v3: optional, doc: New.}
      - {id: 908, name: age, type: "long", v3: optional, doc: New.}
      - {id: 909, name: fill, type: "double", v3: optional, doc: New.}
      - {id: 920, name: share, type: "float", v3: optional, doc: New.}""",
        "manifest_file": """\
- {id: 910, name: writer, type: "string", v3: required, doc: New.}
      - {id: 911, name: sizes, type: "list<912: long>", v3: optional, doc: New.}
      - {id: 913, name: totals, type: "map<914: int, 915: binary>", v3: optional, doc: New.}
      - {id: 916, name: is_cold, type: "boolean", v3: optional, doc: New.}""",
        "field_summary": '- {id: 917, name: values, type: "long", v3: optional, doc: New.}',
    },
    "table_metadata.yaml": {
        "table_metadata": """\
- {name: owner, type: string, v3: required, doc: New.}
      - {name: grants, type: list<statistics_grant>, v3: optional, doc: New.}""",
        "snapshot": "- {name: job-id, type: long, v3: optional, doc: New.}",
    },
    "schemas.yaml": {
        "struct_field": "- {name: unit, type: string, v3: optional, doc: New.}",
        "schema": "- {name: language, type: string, v3: required, doc: New.}",
    },
    "partition_specs.yaml": {
        "partition_field": "- {name: purpose, type: string, v3: optional, doc: New.}",
        "sort_order": "- {name: purposes, type: list<string>, v3: optional, doc: New.}",
    },
}
OBJECT = """
  statistics_grant:
    doc: A new object.
    clause: None
    fields:
      - {name: to, type: string, v3: required, doc: New.}
"""
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "language": "en",
    "fields": [{"id": 1, "name": "a", "required": True, "type": "long", "unit": "m"}],
}
SPEC = {
    "spec-id": 0,
    "fields": [
        {"source-id": 1, "field-id": 1000, "name": "a", "transform": "identity", "purpose": "x"}
    ],
}
ORDER = {"order-id": 0, "fields": [], "purposes": ["none"]}
METADATA: dict[str, Any] = {
    "format-version": 3,
    "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
    "location": "s3://bucket/table",
    "owner": "ada",
    "grants": [{"to": "bob", "until": 3}],
    "last-sequence-number": 1,
    "last-updated-ms": 1_602_638_573_590,
    "last-column-id": 1,
    "schemas": [SCHEMA],
    "current-schema-id": 0,
    "partition-specs": [SPEC],
    "default-spec-id": 0,
    "last-partition-id": 1000,
    "sort-orders": [ORDER],
    "default-sort-order-id": 0,
    "current-snapshot-id": 7,
    "next-row-id": 10,
    "snapshots": [
        {
            "sequence-number": 1,
            "snapshot-id": 7,
            "timestamp-ms": 1_602_638_573_590,
            "summary": {"operation": "append"},
            "manifest-list": "s3://bucket/table/list.avro",
            "first-row-id": 0,
            "added-rows": 10,
            "job-id": 1 << 40,
        }
    ],
}
NEW: dict[str, Any] = {
    "reason": "late",
    "checksum": {"hex": "00ff"},
    "tags": [3, 1],
    "distinct": [[1, 5]],
    "is_sorted": True,
    "age": 1 << 40,
    "fill": -0.1,
    "share": 0.5,
}
NEW_OF_LIST: dict[str, Any] = {
    "writer": "us",
    "sizes": [1 << 40],
    "totals": [[1, {"hex": "07"}]],
    "is_cold": False,
}


def add(text: str, name: str, rows: str) -> str:
    """Add rows after the last one of a table or an object."""
    start = text.index(
        f"\n  {name}:\n", text.index("\ntables:" if "\ntables:" in text else "\nobjects:")
    )
    end = text.find("\n\n", start)
    end = len(text.rstrip()) if end < 0 else end
    return f"{text[:end]}\n      {rows}{text[end:]}"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the output of a process with a generated package that has more fields."""
    folder = tmp_path_factory.mktemp("more")
    specs, package = folder / "specs" / "iceberg", folder / "generated" / "byteloom_generated"
    shutil.copytree(ROOT / "specs" / "iceberg", specs)
    (package / "iceberg").mkdir(parents=True)
    for file, tables in ADDED.items():
        text = (specs / file).read_text()
        for name, rows in tables.items():
            text = add(text, name, rows)
        (specs / file).write_text(text + (OBJECT if file == "table_metadata.yaml" else ""))
    made = byteloom("generate", cwd=folder)
    assert made.status == 0, made.err
    shutil.copytree(
        ROOT / "generated" / "byteloom_generated",
        package,
        dirs_exist_ok=True,
        ignore=lambda _, names: [each for each in names if (package / "iceberg" / each).is_file()],
    )
    return ask(package.parent)


def ask(generated: Path) -> dict[str, Any]:
    """Return the output of a process with this generated package."""
    row = {**entry(), **entry()["data_file"], **NEW, "partition": {}}
    for name in ("data_file", "key_metadata"):
        del row[name]
    for name, value in row.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            row[name] = None
    of_list = {**listed(b"", [entry()]), **NEW_OF_LIST, "partitions": None, "first_row_id": 0}
    of_list |= {"partitions": [{"contains_null": False, "values": 9}]}
    asked = {
        "rows": [row],
        "lacking": [{name: value for name, value in row.items() if name != "checksum"}],
        "listed": of_list,
        "schema": SCHEMA,
        "metadata": METADATA,
        "incomplete": {key: value for key, value in METADATA.items() if key != "owner"},
        "attributes": ["owner", "grants"],
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.iceberg_new_fields"],
        input=json.dumps(asked),
        capture_output=True,
        check=False,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(generated)},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_fields_of_entries_and_data_files_are_read_into_columns(answers: dict[str, Any]) -> None:
    """New fields of entries and data files, of every type, are read as they were written."""
    (row,) = answers["manifest"]["entries"]
    assert {name: row[name] for name in NEW} == NEW


def _generated(folder: Path, row: str) -> Outcome:
    """Return the output of `generate` in a repository whose manifest entries have an extra row."""
    specs = folder / "specs" / "iceberg"
    shutil.copytree(ROOT / "specs" / "iceberg", specs)
    (folder / "generated").mkdir()
    path = specs / "manifests.yaml"
    path.write_text(add(path.read_text(), "manifest_entry", row))
    return byteloom("generate", cwd=folder)


def test_a_type_that_no_column_is_made_of_is_reported(tmp_path: Path) -> None:
    """Generating a field of an unsupported type is an error with its place in the spec."""
    row = '- {id: 900, name: reason, type: "list<901: string>", v3: optional, doc: New.}'
    outcome = _generated(tmp_path, row)
    assert outcome.status == 1
    assert "manifests.yaml:" in outcome.err
    assert "/tables/manifest_entry/rows/5/type: expected text like" in outcome.err


def test_fields_of_manifest_lists_are_read_into_columns(answers: dict[str, Any]) -> None:
    """New fields of manifest lists and of partition summaries are read as they were written."""
    (row,) = answers["manifest"]["list"]
    assert {name: row[name] for name in NEW_OF_LIST} == NEW_OF_LIST
    assert row["partitions"][0]["values"] == 9


def test_a_field_that_is_required_is_asked_for(answers: dict[str, Any]) -> None:
    """A new required field is demanded by the writer of manifests and the reader of metadata."""
    assert "entries[0].checksum: found nothing" in answers["refused"]
    assert "owner: found nothing, wanted text" in answers["incomplete"]["error"]


def test_keys_of_metadata_and_snapshots_are_attributes(answers: dict[str, Any]) -> None:
    """New keys of metadata and snapshots are attributes, and unknown keys inside survive."""
    answer = answers["metadata"]
    assert answer["attributes"]["owner"] == "'ada'"
    assert answer["attributes"]["grants"] == "[StatisticsGrant(to='bob')]"
    assert answer["snapshot"] == str(1 << 40)
    assert answer["document"] == METADATA


def test_keys_of_schemas_specs_and_orders_survive(answers: dict[str, Any]) -> None:
    """New keys of schemas, specs and orders survive a round trip."""
    answer = answers["metadata"]
    assert (answer["schema"], answer["spec"], answer["order"]) == (SCHEMA, SPEC, ORDER)


def test_pages_describe_new_fields(tmp_path: Path) -> None:
    """The reference pages describe a new field, in Markdown and in HTML."""
    row = '- {id: 900, name: reason, type: "string", v3: optional, doc: Why it came.}'
    assert _generated(tmp_path, row).status == 0
    for suffix in ("md", "html"):
        page = (tmp_path / f"generated/reference/iceberg/manifests.{suffix}").read_text()
        assert "reason" in page
        assert "Why it came." in page
