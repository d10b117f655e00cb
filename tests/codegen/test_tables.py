"""Tables become modules and pages; their mistakes are reported with places."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
import yaml
from tests.support.pages import html_of, markdown_of
from tests.support.tools import complaints

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.tables.forms import Made, make_table

ROOT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parents[1] / "cases/tables").iterdir())
TABLES = sorted(each for each in (ROOT / "specs").rglob("*.yaml") if each.name != "vectors.yaml")


def made_of(text: str, folder: Path) -> Made:
    """Return what a table given as text becomes."""
    path = folder / "spec.yaml"
    path.write_text(text)
    return make_table(path, "spec.yaml")


def module_of(made: Made, name: str) -> ModuleType:
    """Run the module that a table became."""
    module = ModuleType(name)
    sys.modules[name] = module  # where dataclasses look names up
    exec(compile(made.module, name, "exec"), vars(module))  # noqa: S102  (the test)
    return module


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
class TestWhatIsPrinted:
    """The modules and pages of tables are those in the folder of each case."""

    def test_a_table_becomes_its_module(self, case: Path) -> None:
        """A table becomes the expected module, byte for byte."""
        made = make_table(case / "spec.yaml", "spec.yaml")
        assert made.module == (case / "expected.py").read_text()

    def test_a_table_becomes_its_page(self, case: Path) -> None:
        """A table becomes the expected Markdown page, byte for byte."""
        made = make_table(case / "spec.yaml", "spec.yaml")
        assert markdown_of(made) == (case / "expected.md").read_text()

    def test_a_page_is_html_too(self, case: Path) -> None:
        """A table's HTML page escapes all text and loads nothing from elsewhere."""
        made = make_table(case / "spec.yaml", "spec.yaml")
        assert html_of(made).startswith("<!DOCTYPE html>")
        assert "<green>" not in html_of(made)
        assert "src=" not in html_of(made)

    @pytest.mark.parametrize("tool", ["format", "mypy"])
    def test_tools_have_nothing_to_say(self, case: Path, tool: str, tmp_path: Path) -> None:
        """A table's module passes ruff's formatter and mypy at its strictest."""
        (tmp_path / "expected.py").write_text((case / "expected.py").read_text())
        assert not complaints(tool, ".", cwd=tmp_path)


@pytest.mark.parametrize(
    "path", [*TABLES, *(case / "spec.yaml" for case in CASES)], ids=lambda path: path.parent.name
)
def test_tables_fit_the_published_schema(path: Path) -> None:
    """Every table of the repository fits the published JSON schema."""
    resource = files("byteloom_codegen") / "schema" / "tables.schema.json"
    schema = json.loads(resource.read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(path.read_text()), schema)


def test_another_row_of_a_spec_is_in_its_module(tmp_path: Path) -> None:
    """Another row in a spec is another row of its module."""
    text = (CASES[1] / "spec.yaml").read_text()
    row = "      - {id: 4, name: pear, doc: New.}\n"
    made = made_of(text.replace("\nenums:", f"{row}\nenums:"), tmp_path)
    fruit: Any = module_of(made, "fruit_more")
    assert [each.name for each in fruit.FRUIT] == ["apple", "currant", "nothing", "pear"]
    assert fruit.FRUIT[3].sizes == ()


def test_numbers_of_a_spec_have_names(tmp_path: Path) -> None:
    """An enum of a spec is an enum of its module, with the same values and names."""
    fruit: Any = module_of(made_of((CASES[1] / "spec.yaml").read_text(), tmp_path), "fruit_colours")
    assert {each.name: each.value for each in fruit.FruitColour} == {"GREEN": 0, "DARK_RED": 7}


MISTAKES: dict[str, tuple[str, str]] = {
    "form: rows": ("form: row", "spec.yaml:3:9: /meta/form: unknown form 'row'"),
    "type: int, key": (
        "type: integer, key",
        "14:26: /records/fruit_row/columns/0/type: unknown type 'integer'",
    ),
    "record: fruit_row": ("record: fruit", "25:13: /tables/fruit/record: unknown record 'fruit'"),
    "id: 2, name": ("id: one, name", "28:14: /tables/fruit/rows/1/id: expected integer, got 'one'"),
    "id: 3, name: nothing": (
        "id: 1, name: nothing",
        "29:9: /tables/fruit/rows/2: two rows with the id 1",
    ),
    "{id: 3, name: nothing, doc": ("{id: 3, title: nothing, doc", "unknown key 'title'"),
    "grows-on: bush, sizes": ("grows-on: field, sizes", "expected tree | bush, got 'field'"),
    "is-ripe: true, grows": (
        "is-ripe: 3, grows",
        "27:39: /tables/fruit/rows/0/is-ripe: expected boolean, got '3'",
    ),
    "name: apple": ("name: Apple", "expected text like [a-z]+, got 'Apple'"),
    "pattern: '[a-z]+'": ("pattern: '[a-z'", "expected a regular expression, got '[a-z'"),
    "doc: All of it.": ("about: All of it.", "unknown key 'about'"),
    "{id: 3, name: nothing": ("{name: nothing", "29:9: /tables/fruit/rows/2: expected key 'id'"),
    "  fruit_row:": ("  FruitRow:", "11:3: /records/FruitRow: expected a name like manifest_field"),
    "7: {id": ("seven: {id", "/enums/fruit_colour/values/seven: expected an integer"),
    "id: dark_red, doc": ("id: dark_red, colour", "unknown key 'colour'"),
    "id: dark_red": ("id: green", "duplicate enum member name 'green'"),
    "clause: Colours": ("about: Colours", "/enums/fruit_colour/clause: expected key"),
    "id: fruit": ("id: Fruit", "2:7: /meta/id: expected a name like transforms"),
}


@pytest.mark.parametrize("before", MISTAKES)
def test_a_mistake_is_reported_with_its_place(before: str, tmp_path: Path) -> None:
    """A mistake has file, line and column, what was found and what was expected."""
    after, wanted = MISTAKES[before]
    text = (CASES[1] / "spec.yaml").read_text()
    assert before in text
    with pytest.raises(SpecErrors) as caught:
        made_of(text.replace(before, after, 1), tmp_path)
    message = str(caught.value)
    assert wanted in message
    assert "spec.yaml:" in message


@pytest.mark.parametrize("text", ["meta: [", "meta: {form: rows", "a: b: c", "- 1", ""])
def test_what_is_no_yaml_of_a_table_is_reported_with_its_place(text: str, tmp_path: Path) -> None:
    """Invalid YAML is reported with its place, like any mistake."""
    with pytest.raises(SpecErrors, match=r"spec\.yaml:\d+:\d+: "):
        made_of(text, tmp_path)


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    """One run of the generator reports all mistakes of a table."""
    text = (CASES[1] / "spec.yaml").read_text()
    text = text.replace("id: 2, name", "id: one, name").replace("{id: 3, name", "{id: 3, nam")
    with pytest.raises(SpecErrors) as caught:
        made_of(text, tmp_path)
    assert len(caught.value.errors) == 2
