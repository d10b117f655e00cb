"""Reference pages: their content, their escaping, and that the committed ones are current."""

from __future__ import annotations

import json
import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from tests.support.cli import PROGRAM, Outcome, byteloom
from tests.support.gallery import rows
from tests.support.specs import expression, loaded

from byteloom.wire import TracingReader
from byteloom_codegen.errors import GenerateError
from byteloom_codegen.load import load_spec, load_text
from byteloom_codegen.python.module import emit
from byteloom_codegen.reference.examples import load_examples, name_numbers
from byteloom_codegen.reference.places import places, size_words
from byteloom_codegen.reference.prose import blocks, plain, spans
from byteloom_codegen.reference.to_html import html_environment
from byteloom_codegen.reference.view import page_view
from byteloom_codegen.unparse import unparse
from byteloom_generated.puffin import puffin

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "generated" / "reference"
CASES = ROOT / "tests" / "cases" / "pages"
"""Specs with the pages that they become."""


class Tags(HTMLParser):
    """The elements of a page: which there are, what they link to, whether all are closed."""

    def __init__(self, text: str) -> None:
        """Parse the page *text*."""
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.images: list[str] = []
        self.ids: set[str] = set()
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record one; void elements are never open."""
        self.names.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in {"href", "src"}:
                self.links.append(value or "")
            if name == "src":
                self.images.append(value or "")
            if name == "id":
                self.ids.add(value or "")
        if tag not in {"meta", "br", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element, which is the last one opened."""
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def outputs() -> dict[Path, str]:
    """Return the committed pages, which are current."""
    return {path: path.read_text("utf-8") for path in REFERENCE.rglob("*") if path.is_file()}


def pages(folder: Path, body: str, vectors: str = "") -> dict[str, str]:
    """Return the pages of one spec, by file name."""
    out = folder / "out"
    outcome = written(folder, body, vectors)
    assert (outcome.status, outcome.err) == (0, "")
    files = (each for each in out.rglob("*") if each.is_file())
    return {each.relative_to(out).as_posix(): each.read_text("utf-8") for each in files}


def written(folder: Path, body: str, vectors: str = "") -> Outcome:
    """Write the pages of one spec, and of what it imports, to ``out`` in *folder*."""
    (folder / "t.ksy").write_text(f"meta:\n  id: t\n{body}", encoding="utf-8")
    if vectors:
        (folder / "vectors.yaml").write_text(vectors, encoding="utf-8")
    return byteloom("generate", folder / "t.ksy", "--reference", folder / "out")


# Expressions


@pytest.mark.parametrize(
    "text",
    rows("phrases", "spelt"),
)
def test_expressions_print_as_they_were_written(text: str) -> None:
    """Expressions are printed with the same tree, and no superfluous parenthesis."""
    body = (
        "seq:\n  - {id: n, type: u1}\n  - {id: ns, type: u1, repeat: eos}\n"
        "  - {id: raw, size: 4}\n  - {id: text, type: strz, encoding: ASCII}\n"
        "  - {id: pet, type: u1, enum: animal}\n  - {id: flag, type: b1}\n"
        "  - {id: part, type: part}\n  - {id: parts, type: part, repeat: eos}\n"
        "types:\n  part:\n    seq: [{id: real, type: f4le}]\nenums:\n  animal: {1: cat, 2: dog}\n"
    )
    assert unparse(expression(text, body)) == text


# Layout


def test_places_follow_bits_and_stop_where_the_file_decides() -> None:
    """Offsets count bits and whole bytes, and end after a variable field."""
    spec = loaded(
        "  endian: le\nseq:\n  - {id: a, type: b3}\n  - {id: b, type: b7}\n  - {id: c, type: u2}\n"
        "  - {id: d, size: c}\n  - {id: e, type: u4}\n"
    )
    found = [(each.field.name, each.at, each.bit, each.width) for each in places(spec.top)]
    assert found == [
        ("a", 0, 0, None),
        ("b", 0, 3, None),
        ("c", 2, None, 2),
        ("d", 4, None, None),
        ("e", None, None, 4),
    ]


def test_docs_fall_into_paragraphs_lists_and_drawings() -> None:
    """Docs are split into paragraphs, lists and drawings, each with its content."""
    found = blocks("One\ntwo.\n\n- a\n  b\n- c\n\n    x | y\n      `-'\n")
    assert [each.kind for each in found] == ["paragraph", "list", "drawing"]
    assert found[0].lines[0][0].text == "One two."
    assert [line[0].text for line in found[1].lines] == ["a b", "c"]
    assert found[2].text == "x | y\n  `-'"


@pytest.mark.parametrize(
    ("doc", "kinds", "first"),
    rows("phrases", "docs"),
)
def test_docs_in_markdown_are_read_as_such(doc: str, kinds: list[str], first: str) -> None:
    """Quotes, indented lists and links with a title, as public specs have them, are text."""
    found = blocks(doc)
    assert [each.kind for each in found] == kinds
    shown = found[0].text or "".join(span.text for span in found[0].lines[0])
    assert shown == first


def test_pages_are_those_of_the_cases(tmp_path: Path) -> None:
    """Pages have the text of the cases: docs, roles, rules, streams, enums, messages, vectors."""
    specs, out = CASES / "specs", tmp_path / "out"
    messages = sorted(specs.glob("*.proto"))
    assert byteloom("generate", specs, *messages, "--reference", out).status == 0
    expected = {each.name: each.read_text("utf-8") for each in (CASES / "expected").iterdir()}
    found = {each.name: each.read_text("utf-8") for each in out.iterdir() if each.is_file()}
    assert found == expected


@pytest.mark.parametrize(
    ("field", "size"),
    rows("phrases", "switches"),
)
def test_the_size_of_a_switch_is_that_of_its_types(field: str, size: str) -> None:
    """A page says the sizes of all types that a value may be, or the one that all are given."""
    spec = load_text(
        f"meta: {{id: t, endian: le}}\nseq: [{{id: n, type: u1}}, {{id: x, {field}}}]\n"
        "types: {three: {seq: [{id: a, size: 3}, {id: b, size-eos: true}]}}\n",
        "t.ksy",
    )
    assert plain(size_words(spec.top.seq[1], spec.top)) == size


# What a page never lets through

EVIL = "</pre></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<b>|`x|`"
LINKS = "[x](javascript:alert(3)) ![y](http://e.vil/z.png) <javascript:alert(4)> # *a* _b_"


@pytest.fixture
def hostile(tmp_path: Path) -> dict[str, str]:
    """Make the pages of a spec that has markup wherever a spec may have text."""
    evil = json.dumps(
        f"{EVIL} {LINKS}\n\n# {EVIL}\n\n- {LINKS}\n\n    drawn {EVIL}\n    ```\n    {EVIL}"
    )
    line = json.dumps(f"{EVIL} {LINKS}")
    text = json.dumps(json.dumps(EVIL))
    return pages(
        tmp_path,
        f"  title: {line}\n  license: {line}\n  tags: [{line}]\n  xref: {{a: {line}}}\n"
        f"doc: {evil}\ndoc-ref: [{line}, 'https://ok.example/a\"onmouseover=x <b>']\n"
        f"seq:\n  - id: a\n    -orig-id: {line}\n    contents: {json.dumps(EVIL)}\n"
        f"    doc: {evil}\n    doc-ref: {line}\n"
        f"  - id: s\n    type: strz\n    encoding: UTF-8\n    valid: {text}\n    if: a.size > 1\n"
        f"  - id: e\n    type: u1\n    enum: en\n"
        f"    -loom-since: {line}\n"
        f"enums:\n  en:\n    1: {{id: one, doc: {evil}, -orig-id: {line}}}\n"
        f"instances:\n  v:\n    value: {text}\n    doc: {evil}\n",
        f"t:\n  - {{name: {line}, hex: '00', from: {line},"
        f" refused: {{field: t.a, because: {line}}}}}\n",
    )


def test_html_lets_no_markup_of_a_spec_through(hostile: dict[str, str]) -> None:
    """An HTML page has no element, attribute or address from the text of a spec."""
    tags = Tags(hostile["t.html"])
    assert not tags.open
    assert not tags.names & {"script", "img", "b", "iframe", "link", "object"}
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert all(re.match(r"#|https?://|vectors\.json$", link) for link in tags.links)


def test_markdown_lets_no_markup_of_a_spec_through(hostile: dict[str, str]) -> None:
    """A Markdown page, rendered with raw HTML, has only the elements of our template."""
    rendered = MarkdownIt("commonmark").enable("table").render(hostile["t.md"])
    tags = Tags(re.sub(r"<!--.*?-->", "", rendered))
    assert not tags.names & {"script", "b", "iframe", "link", "em"}
    assert not {name for name in tags.attributes if name.startswith("on")}
    addresses = r"#|https?://|vectors\.json$|pictures/"
    assert all(re.match(addresses, link) for link in tags.links)
    assert tags.images == ["pictures/t.svg"]
    assert rendered.count("<h1>") == 1


def test_pictures_let_no_markup_of_a_spec_through(hostile: dict[str, str]) -> None:
    """A picture of a hostile spec is well-formed XML of drawing elements only."""
    root = ET.fromstring(hostile["pictures/t.svg"])  # noqa: S314  (we wrote it)
    names = {each.tag.removeprefix("{http://www.w3.org/2000/svg}") for each in root.iter()}
    assert names == {"svg", "style", "g", "title", "path", "text"}


# Examples


def test_a_dump_is_what_the_parser_did(outputs: dict[Path, str]) -> None:
    """A dump shows every byte of an example once, under the field that read it."""
    page = outputs[REFERENCE / "puffin" / "puffin.md"]
    dump = re.search(r"### Example: .*?```text\n(.*?)```", page, re.DOTALL)
    assert dump is not None
    rows = [(line[6:53].split(), line[73:]) for line in dump[1].splitlines()]
    raw = bytes.fromhex("".join("".join(part) for part, _ in rows))
    vectors = json.loads(outputs[REFERENCE / "puffin" / "vectors.json"])["vectors"]
    first = next(
        each for each in vectors if each["spec"] == "puffin" and each["outcome"] == "value"
    )
    assert raw.hex() == first["hex"]
    reader = TracingReader(raw)
    record = next(
        each for each in vars(puffin).values() if getattr(each, "NAME", "") == first["type"]
    )
    reader.trail.complete(record.read(reader), reader.root)
    by_place = sorted(reader.root.leaves(), key=lambda leaf: leaf[1].start)
    names = [path for path, _ in by_place]
    assert [label.split()[0].rstrip(",") for _, label in rows if label] == names


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ("nobody: [{name: x, hex: '00', value: {}}]", "found 0 types called nobody, wanted one"),
        ("t: [{name: x, hex: 0g, value: {}}]", "hexadecimal"),
        ("t: [{name: x, hex: '00'}]", "an outcome"),
        ("t: {", "while parsing"),
        ("t: 3", "int"),
    ],
)
def test_a_wrong_vector_names_its_file(tmp_path: Path, vectors: str, message: str) -> None:
    """The error for an invalid example names its file."""
    path = tmp_path / "vectors.yaml"
    path.write_text(vectors)
    with pytest.raises(GenerateError) as caught:
        load_examples(path, [loaded("seq: [{id: a, type: u1}]\n")])
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


# The pages of this repository


def test_the_committed_modules_and_pages_are_current() -> None:
    """What is in `generated` is what the specs of this repository become, and nothing else."""
    assert byteloom("generate", "--check", cwd=ROOT) == (0, "", "")


def test_every_link_of_every_page_leads_somewhere(outputs: dict[Path, str]) -> None:
    """Every link of an HTML page has a target in the repository's pages."""
    pages_ = {path: Tags(text) for path, text in outputs.items() if path.suffix == ".html"}
    for path, tags in pages_.items():
        assert not tags.open
        assert not tags.names & {"script", "link", "img"}
        for link in tags.links:
            file, _, place = link.partition("#")
            if file.startswith("http"):
                continue
            target = (path.parent / file).resolve() if file else path
            assert target in outputs
            assert not place or place in pages_[target].ids


def test_the_index_has_every_page_once_and_every_page_leads_to_it(
    outputs: dict[Path, str],
) -> None:
    """The index links every page once, and every page links the index and its folder there."""
    index = REFERENCE / "index.html"
    pages = sorted(path for path in outputs if path.suffix == ".html" and path != index)
    listed = Tags(outputs[index])
    links = [link for link in listed.links if not link.startswith("#")]
    assert sorted(links) == [path.relative_to(REFERENCE).as_posix() for path in pages]
    assert len(pages) > 40
    for path in pages:
        folder = path.parent.name
        assert folder in listed.ids
        trail = [link for link in Tags(outputs[path]).links if link.startswith("../index.html")]
        assert trail == ["../index.html", f"../index.html#{folder}"], path


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("min_sequence_number", "min_<wbr>sequence_<wbr>number"),
        ("struct<data_file>", "struct&lt;<wbr>data_<wbr>file&gt;"),
        ("12:31", "12:<wbr>31"),
        ("_io and a_ b", "_io and a_ b"),
    ],
)
def test_a_long_word_may_be_broken_where_its_parts_are_joined(text: str, shown: str) -> None:
    """A long word may be broken only where its parts are joined, and is escaped."""
    filters = html_environment().filters
    assert filters["breakable"](text) == shown
    assert filters["spans"](spans(text)) == shown


def test_every_link_of_the_markdown_pages_leads_somewhere(outputs: dict[Path, str]) -> None:
    """Every link of a Markdown page has a target, and every place has an anchor."""
    for path, text in outputs.items():
        if path.suffix != ".md":
            continue
        for file, place in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
            target = (path.parent / file).resolve() if file else path
            assert target in outputs
            assert not place or f'<a id="{place}"></a>' in outputs[target]


def test_pictures_stay_inside_their_frame(outputs: dict[Path, str]) -> None:
    """Every box of every picture is within the width that the picture claims."""
    drawn = [text for path, text in outputs.items() if path.suffix == ".svg"]
    assert drawn
    for text in drawn:
        root = ET.fromstring(text)  # noqa: S314  (we wrote it)
        width = float(root.attrib["width"])
        edges = re.findall(r'd="M([\d.]+) [\d.]+ h([\d.]+)', text)
        assert edges
        assert max(float(left) + float(wide) for left, wide in edges) <= width


def test_pages_are_the_same_whatever_the_hash_seed() -> None:
    """Another process with another hash seed prints the same modules and pages."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    run = subprocess.run(
        [*PROGRAM, "generate", "--check"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert (run.returncode, run.stdout) == (0, b"")


# The manual

MANUAL = (ROOT / "specs" / "README.md").read_text(encoding="utf-8")
SCHEMA = json.loads(
    (ROOT / "codegen/byteloom_codegen/schema/loom.schema.json").read_text(encoding="utf-8")
)
SECTIONS = dict(
    re.findall(r"^### `(-loom-[a-z-]+)`\n(.*?)(?=^##)", MANUAL, re.DOTALL | re.MULTILINE)
)


def described() -> dict[str, str]:
    """Return every key of the schema with its description."""
    return {
        key: value["description"]
        for place in ("field", "type", "value_instance")
        for key, value in SCHEMA["$defs"][place]["properties"].items()
        if "description" in value
    }


def example(key: str) -> str:
    """Return the spec that shows *key* in the manual."""
    found = re.search(r"```yaml\n(.*?)```", SECTIONS[key], re.DOTALL)
    assert found is not None
    return found[1]


def test_the_manual_has_every_key_of_the_schema_and_no_other() -> None:
    """The manual has a section for each key of the schema, with its description."""
    stated = {
        key: " ".join(re.findall(r"^> (.*)$", text, re.MULTILINE)) for key, text in SECTIONS.items()
    }
    assert stated == described()


@pytest.mark.parametrize("key", sorted(SECTIONS))
def test_examples_of_the_manual_are_specs(key: str) -> None:
    """The manual's example of each key loads, uses the key, and its page says something of it."""
    assert key in example(key)
    spec = load_text(example(key), f"{key}.ksy")
    section = page_view(spec, "x").sections[0]
    said = [each for row in section.fields for each in (*row.rules, *row.sources)]
    facts = [fact for fact in section.facts if fact[0] != "Size"]
    assert said or facts or key in OURS


@pytest.mark.parametrize("key", sorted(SECTIONS))
def test_the_manual_says_truly_which_keys_generated_code_obeys(key: str) -> None:
    """Removing a key changes the generated code if and only if the manual says so."""
    lines = example(key).splitlines()
    start = next(number for number, line in enumerate(lines) if key in line)
    deep = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > deep:
        end += 1
    without = "\n".join(lines[:start] + lines[end:]) + "\n"
    texts = [emit(load_text(text, "t.ksy"), "t.ksy") for text in (example(key), without)]
    assert (texts[0] != texts[1]) == ("Obeyed by: records" in SECTIONS[key])


OURS = {"-loom-arrow", "-loom-column", "-loom-put", "-loom-scan", "-loom-varint"}
"""Keys that ask for code and say nothing of the format, of which pages are silent."""


@pytest.mark.parametrize("key", sorted(OURS))
def test_pages_are_silent_of_keys_that_ask_for_code(key: str) -> None:
    """A key that only asks for code of byteloom's is not on a page."""
    section = page_view(load_text(example(key), f"{key}.ksy"), "x").sections[0]
    assert not [title for title, _ in section.facts if title in {"put", "scan", key}]
    said = [plain(rule) for row in section.fields for rule in row.rules]
    assert not [rule for rule in said if key.removeprefix("-loom-") in rule]


def test_specs_of_this_repository_have_no_empty_title() -> None:
    """Every spec of this repository has a title, by which its page can be found."""
    assert all(load_spec(path).title for path in (ROOT / "specs").rglob("*.ksy"))


def test_an_example_that_does_not_read_is_an_error(tmp_path: Path) -> None:
    """A vector whose value the parser refuses is an error that names it."""
    vectors = "t: [{name: short, hex: '01', value: {a: 1}}]\n"
    outcome = written(tmp_path, "  endian: le\nseq: [{id: a, type: u2}]\n", vectors)
    assert outcome.status == 1
    assert '/vectors.yaml: "short" of t: a' in outcome.err


def test_the_command_writes_pages_for_specs_of_users(tmp_path: Path) -> None:
    """`byteloom generate SPEC --reference DIR` needs no folder for code, and checks like it."""
    spec, out = tmp_path / "t.ksy", tmp_path / "out"
    spec.write_text("meta: {id: t}\nseq: [{id: a, type: u1}]\n")
    outcome = byteloom("generate", spec, "--reference", out)
    assert outcome.out.split() == [str(out / name) for name in ("t.md", "t.html", "pictures/t.svg")]
    assert byteloom("generate", spec, "--reference", out, "--check") == (0, "", "")
    (out / "t.md").write_text("stale")
    assert byteloom("generate", spec, "--reference", out, "--check").status == 1


def test_a_list_of_pages_that_somebody_wrote_is_kept(tmp_path: Path) -> None:
    """A README.md that byteloom did not write is neither stale nor replaced."""
    command = ("generate", CASES / "specs", "--reference", tmp_path / "out")
    assert byteloom(*command).status == 0
    assert byteloom(*command, "--check")[:2] == (0, "")
    (tmp_path / "out" / "README.md").write_text("# My own\n")
    assert byteloom(*command).status == 0
    assert (tmp_path / "out" / "README.md").read_text() == "# My own\n"


# What a programmer needs beside the tables


# Samples and labels


def test_a_page_shows_a_sample_of_the_user(tmp_path: Path) -> None:
    """`--sample FILE` shows a file byte by byte, with names of numbers; long fields are cut."""
    spec, sample, out = tmp_path / "t.ksy", tmp_path / "one.bin", tmp_path / "out"
    spec.write_text(
        "meta: {id: t, endian: be, imports: [other]}\nseq:\n  - {id: kind, type: u2, enum: kinds}\n"
        "  - {id: high, type: b4}\n  - {id: low, type: b4}\n  - {id: body, size: 100}\n"
        "  - {id: rest, type: other}\nenums: {kinds: {1: first, 2: second}}\n"
    )
    (tmp_path / "other.ksy").write_text("meta: {id: other}\nseq: [{id: a, type: u1}]\n")
    sample.write_bytes(b"\x00\x02\xa5" + b"z" * 100 + b"\x07")
    command = ("generate", spec, "--reference", out, "--sample", sample)
    assert byteloom(*command).status == 0
    page = (out / "t.md").read_text()
    dump = re.search(r"### Example: one\.bin\n\n```text\n(.*?)```", page, re.DOTALL)
    assert dump is not None
    assert [re.sub(r" +", " ", line) for line in dump[1].splitlines()] == [
        "0000 00 02 .. kind = second (2)",
        "0002 a5 . high = 10",
        " low = 5",
        "0003 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a zzzzzzzzzzzzzzzz body, 100 bytes",
        "0013 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a 7a zzzzzzzzzzzzzzzz",
        " ... 68 more bytes",
        "0067 07 . rest.a = 7",
    ]
    assert "one.bin" not in (out / "other.md").read_text()
    assert "### Vectors" not in page
    assert not (out / "vectors.json").exists()
    assert byteloom(*command, "--check") == (0, "", "")


def test_a_long_example_is_at_the_end_of_its_page(tmp_path: Path) -> None:
    """An example of more than 60 lines does not separate types; its type leads to it."""
    spec, sample, out = tmp_path / "t.ksy", tmp_path / "one.bin", tmp_path / "out"
    spec.write_text(
        "meta: {id: t}\nseq: [{id: a, type: part, repeat: eos}]\n"
        "types: {part: {seq: [{id: x, type: u1}]}}\n"
    )
    command = ("generate", spec, "--reference", out, "--sample", sample)
    for size, is_long in ((60, False), (61, True)):
        sample.write_bytes(bytes(size))
        assert byteloom(*command).status == 0
        page, markup = (out / "t.md").read_text(), (out / "t.html").read_text()
        begins = page.index("## Example: one.bin")
        assert (begins > page.index("### Fields of part")) is is_long
        assert (markup.index("Example: one.bin</h") > markup.index('id="type-t.part"')) is is_long
        anchor = "example-type-t-1"
        assert ([f'<a id="{anchor}"></a>' in page, page.count(f"(#{anchor})")]) == (
            [True, 2] if is_long else [False, 0]
        )
        assert Tags(markup).links.count(f"#{anchor}") == (2 if is_long else 0)
        assert (anchor in Tags(markup).ids) is is_long


def test_a_sample_needs_pages(tmp_path: Path) -> None:
    """`--sample` without `--reference` is an error of the command line."""
    spec = tmp_path / "t.ksy"
    spec.write_text("meta: {id: t}\nseq: [{id: a, type: u1}]\n")
    outcome = byteloom("generate", spec, "-o", tmp_path, "--sample", spec)
    assert (outcome.status, "--sample" in outcome.err) == (2, True)


def test_a_sample_that_the_spec_refuses_is_an_error(tmp_path: Path) -> None:
    """A sample that is cut off is an error with the field, and no more of the file than needed."""
    spec, sample = tmp_path / "t.ksy", tmp_path / "one.bin"
    spec.write_text("meta: {id: t}\nseq: [{id: a, size: 1000}]\n")
    sample.write_bytes(bytes(999))
    outcome = byteloom("generate", spec, "--reference", tmp_path / "out", "--sample", sample)
    assert outcome.status == 1
    assert "of t: a at byte 0" in outcome.err
    assert len(outcome.err) < 1000


def test_a_sample_of_many_fields_is_cut(tmp_path: Path) -> None:
    """A sample of more than 400 lines ends with the number of those that are left out."""
    spec, sample, out = tmp_path / "t.ksy", tmp_path / "one.bin", tmp_path / "out"
    spec.write_text(
        "meta: {id: t}\nseq: [{id: a, type: r, repeat: eos}]\n"
        "types: {r: {seq: [{id: x, type: u1}]}}\n"
    )
    sample.write_bytes(bytes(401))
    assert byteloom("generate", spec, "--reference", out, "--sample", sample).status == 0
    page = (out / "t.md").read_text()
    assert "a[399].x" in page
    assert "a[400].x" not in page
    assert "... 1 more lines" in page


@pytest.mark.parametrize(
    ("label", "wanted"),
    rows("reference", "numbers_of_a_dump_have_their_names"),
)
def test_numbers_of_a_dump_have_their_names(label: str, wanted: str) -> None:
    """A number has its enum's name, unless there is none or a switch leaves two to choose from."""
    spec = loaded(
        "seq: [{id: kind, type: u1, enum: e}, {id: plain, type: u1}, "
        "{id: parts, type: p, repeat: eos}]\n"
        "enums: {e: {1: one}, f: {1: uno}}\ntypes:\n  p:\n    seq:\n"
        "      - {id: which, type: {switch-on: 1, cases: {1: a, 2: b}}}\n"
        "      - {id: value, type: {switch-on: 1, cases: {1: a, 2: u1}}}\n"
        "  a: {seq: [{id: kind, type: u1, enum: e}]}\n"
        "  b: {seq: [{id: other, type: u1, enum: f}]}\n"
    )
    assert name_numbers([label], spec.top) == (wanted,)
