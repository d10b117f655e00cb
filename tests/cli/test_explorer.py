"""`byteloom explore` and `inspect --html`: what the page contains, and who may request it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from base64 import b64decode, b64encode
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.support.cli import PROGRAM, byteloom
from tests.support.explored import (
    HOSTILE,
    document_of_lists,
    document_on,
    lists_file,
    puffin_file,
    report_on,
    served,
    served_lists,
    shown_in,
)

from byteloom.cli.explorer.document import reading
from byteloom.cli.explorer.page import MOST_EMBEDDED, MOST_SHOWN, PAGE, SERVED, embedded, page_of
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.cli.explorer.server import Explorer
    from byteloom.wire import Node

SPEC = """
meta: {id: letters, endian: be}
seq:
  - id: count
    type: u1
    doc: How many there are.
  - id: letters
    type: letter
    repeat: expr
    repeat-expr: count
types:
  letter:
    seq:
      - {id: upper, type: b1}
      - {id: code, type: b7}
"""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the samples into a folder."""
    folder = tmp_path_factory.mktemp("samples")
    assert byteloom("samples", folder).status == 0
    return folder


def _nodes(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from _nodes(node.get("c", []))


def _all(node: Node) -> int:
    return sum(1 + _all(child) for child in node.children)


@pytest.mark.parametrize("name", ["orders.puffin", "orders.hfile", "orders.lance"])
def test_every_field_of_a_report_is_on_the_page(samples: Path, name: str) -> None:
    """The page has every field of the file and of its decoded parts, with its offset."""
    document = document_on(samples / name)
    with report_on(samples / name) as report:
        roots = [report.root, *(part.root for part in report.decoded)]
    assert [sum(1 for _ in _nodes(part["nodes"])) for part in document["parts"]] == [
        *map(_all, roots)
    ]
    assert [(part["start"], part["size"]) for part in document["parts"]] == [
        (root.start, root.size) for root in roots
    ]


@pytest.mark.parametrize("port", ["65536", "80000", "-1", "x"])
def test_a_port_that_no_machine_has_is_wrong_usage(port: str) -> None:
    """A port is a number up to 65,535; any other is status 2, whatever the file."""
    outcome = byteloom("explore", "missing", "--port", port)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"found '{port}', wanted" in outcome.err
    assert byteloom("explore", "missing", "--port", "65535").status == 1


def test_a_file_of_an_unknown_format_needs_a_spec(tmp_path: Path) -> None:
    """The error for an unknown format names the command that was given, with `--spec`."""
    (tmp_path / "a").write_bytes(b"text")
    for command, named in [("explore", "explore"), ("inspect", "describe")]:
        outcome = byteloom(command, tmp_path / "a")
        assert outcome.status == 1
        assert f"of any other format, `byteloom {named} FILE --spec SPEC.ksy`" in outcome.err


def test_a_field_has_the_lines_of_its_spec(samples: Path) -> None:
    """A field has the lines of its spec, with the number of the first one."""
    document = document_on(samples / "orders.puffin")
    (length,) = (
        each for each in _nodes(document["parts"][0]["nodes"]) if each["n"] == "len_payload"
    )
    spec, line, text = document["lines"][length["l"]].values()
    lines = (Path(__file__).parents[2] / spec).read_text().splitlines()
    assert text.splitlines() == [each.removeprefix("      ") for each in lines[line - 1 : line + 4]]
    assert text.splitlines()[0] == "- id: len_payload"


def test_a_field_of_a_spec_given_has_its_lines(tmp_path: Path) -> None:
    """A field of a user's spec has its lines, and bit fields their bits."""
    spec, file = tmp_path / "letters.ksy", tmp_path / "file"
    spec.write_text(SPEC)
    file.write_bytes(b"\x02\xc1\x42")
    done = byteloom("describe", file, "--spec", spec, "--html")
    assert (done.status, done.err) == (0, "")
    document = shown_in(done.out)
    nodes = {node["n"]: node for node in _nodes(document["parts"][0]["nodes"])}
    lines = [document["lines"][nodes[name]["l"]] for name in ("count", "letters[0]", "code")]
    assert [(each["spec"], each["line"]) for each in lines] == [
        ("letters.ksy", 4),
        ("letters.ksy", 7),
        ("letters.ksy", 15),
    ]
    assert lines[0]["text"] == "- id: count\n  type: u1\n  doc: How many there are."
    assert (nodes["code"]["b"], nodes["code"]["s"], nodes["letters[0]"]["r"]) == (
        [1, 7],
        2,
        "Letter",
    )


def test_a_page_stands_alone(tmp_path: Path) -> None:
    """A page by `--html` has the file's bytes, and its policy admits its own code only."""
    file = puffin_file(tmp_path / "file", size=2 * PAGE)
    done = byteloom("inspect", file, "--html")
    assert (done.status, done.err) == (0, "")
    pages = shown_in(done.out)["content"]["pages"]["0"]
    assert b"".join(b64decode(pages[str(at)]) for at in range(3)) == file.read_bytes()
    (style,) = re.findall(r"<style>(.*?)</style>", done.out, re.DOTALL)
    script = re.findall(r"<script>(.*?)</script>", done.out, re.DOTALL)[-1]
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', done.out)
    style, script = (b64encode(sha256(each.encode()).digest()).decode() for each in (style, script))
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}';"
        " connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    assert not re.findall(r"""(?:src|href)\s*=|url\(""", done.out.replace(script, ""))


def test_what_a_file_holds_cannot_end_its_block(tmp_path: Path) -> None:
    """Text of a file that looks like HTML is escaped in the page, and decoded unchanged."""
    file = puffin_file(tmp_path / "a<b>&.puffin", text=HOSTILE)
    html = byteloom("inspect", file, "--html").out
    assert HOSTILE not in html
    assert (
        "<title>" + str(file).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        in html
    )
    assert [HOSTILE in row for table in shown_in(html)["about"] for row in table["rows"]].count(
        True
    ) == 2


def test_a_large_part_has_the_pages_where_fields_are(tmp_path: Path) -> None:
    """Of a large part, only pages where a field begins or ends are included, up to a limit."""
    size = (MOST_EMBEDDED + 10) * PAGE
    document = document_on(puffin_file(tmp_path / "file", size=size))
    asked = []

    def read(part: int, offset: int, size: int) -> bytes:
        asked.append((part, offset, size))
        return bytes(size)

    pages = embedded(document, read)["pages"]["0"]
    last = document["parts"][0]["size"] // PAGE
    assert sorted(map(int, pages)) == [0, last]
    assert asked[-1] == (0, last * PAGE, document["parts"][0]["size"] - last * PAGE)
    many = [{"n": "x", "s": at * PAGE, "e": at * PAGE + 1} for at in range(MOST_EMBEDDED + 10)]
    part = {"start": 0, "size": size, "nodes": many}
    assert len(embedded({"parts": [part]}, read)["pages"]["0"]) == MOST_EMBEDDED


def test_a_damaged_file_has_a_page(tmp_path: Path) -> None:
    """A damaged file has a page with the error and the fields before it, and status 1."""
    file = puffin_file(tmp_path / "file")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    done = byteloom("inspect", file, "--html")
    assert done.status == 1
    assert done.err.startswith(f"byteloom: {file}: ")
    error = shown_in(done.out)["error"]
    assert (error["kind"], error["offset"]) == ("Truncated", len(data) - 4)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--json"], "it cannot be combined with --format json"),
        (["--hex"], "it cannot be combined with --hex"),
    ],
)
def test_a_page_is_nothing_else_as_well(tmp_path: Path, options: list[str], wanted: str) -> None:
    """`--html` with another view is wrong usage."""
    done = byteloom("inspect", puffin_file(tmp_path / "file"), "--html", *options)
    assert done.status == 2
    assert wanted in done.err


def _base(server: Explorer) -> str:
    return urlsplit(server.url).path


def _ask(server: Explorer, path: str, host: str | None = None) -> tuple[int, bytes, dict[str, str]]:
    port = server.server_address[1]
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.headers)
    connection.close()
    return found


def test_bytes_are_served_page_by_page(tmp_path: Path) -> None:
    """Bytes are served by pages; the last has what is left, and no page comes after it."""
    file = puffin_file(tmp_path / "file", size=2 * PAGE)
    data = file.read_bytes()
    with served(file) as server:
        pages = [_ask(server, f"{_base(server)}bytes/0/{at}") for at in range(4)]
    assert [(status, body) for status, body, _ in pages[:3]] == [
        (200, data[at * PAGE : at * PAGE + PAGE]) for at in range(3)
    ]
    assert pages[3][:2] == (404, b"There are no such bytes.")


@pytest.mark.parametrize(
    "path", ["/", "/{}", "/{}x/", "/x/", "{}", "/{}/bytes/0", "/{}/bytes/0/-1",
             "/{}/bytes/1/0", "/{}/bytes/0/99999999999999999999", "/{}/../../etc/passwd"],
)  # fmt: skip
def test_other_paths_are_not_found(tmp_path: Path, path: str) -> None:
    """A request without the token, or for a malformed path, is not found."""
    with served(puffin_file(tmp_path / "file")) as server:
        assert _ask(server, path.format(_base(server).strip("/")))[0] == HTTPStatus.NOT_FOUND


def test_pages_of_others_cannot_ask(tmp_path: Path) -> None:
    """Requests under another host name are refused, and pages cannot be framed or shared."""
    with served(puffin_file(tmp_path / "file")) as server:
        port, path = server.server_address[1], _base(server)
        assert server.server_address[0] == "127.0.0.1"
        hosts = [f"localhost:{port}", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}"]
        assert [_ask(server, path, host)[0] for host in hosts] == [200, 404, 404, 404]
        headers = _ask(server, path)[2]
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Server"] == "byteloom"


def test_a_file_that_was_cut_meanwhile_is_an_error(tmp_path: Path) -> None:
    """A file that was cut while served is an error on the page; the server goes on."""
    file = puffin_file(tmp_path / "file", size=2 * PAGE)
    with served(file) as server:
        file.write_bytes(file.read_bytes()[:100])
        status, body, _ = _ask(server, f"{_base(server)}bytes/0/1")
        assert status == HTTPStatus.INTERNAL_SERVER_ERROR
        assert str(file) in body.decode()
        assert _ask(server, _base(server))[0] == HTTPStatus.OK


def test_decoded_parts_are_read_at_their_own_places(tmp_path: Path) -> None:
    """Part 0 is the file; the other parts are what `inspect` shows as decoded, in that order."""
    file = tmp_path / "file"
    (tmp_path / "a").write_bytes(b"a" * 5000)
    byteloom("puffin", "create", file)
    added = ["puffin", "add", file, "-t", "x", "-d", tmp_path / "a", "--compression", "zstd"]
    assert byteloom(*added).status == 0
    with report_on(file) as report:
        read = reading(report)
        assert (read(0, 0, 4), read(1, 4998, 2), read(1, 0, 3)) == (b"PFA1", b"aa", b"aaa")


def test_explore_serves_until_ctrl_c(tmp_path: Path) -> None:
    """`explore` prints its address and how it ends, serves the page, and ends by Ctrl-C."""
    file = puffin_file(tmp_path / "file")
    command = [*PROGRAM, "explore", str(file), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout
        url = run.stdout.readline().strip()
        address = urlsplit(url)
        connection = HTTPConnection(address.netloc, timeout=10)
        connection.request("GET", address.path)
        html = connection.getresponse().read().decode()
        connection.close()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
    assert shown_in(html)["file"] == str(file)
    said = "byteloom: the page is served until Ctrl-C\n"
    assert (run.returncode, out, err) == (130, "", said)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """A port that is in use is named in the error."""
    file = puffin_file(tmp_path / "file")
    with served(file) as server:
        port = server.server_address[1]
        done = byteloom("explore", file, "--no-browser", "--port", port)
    assert done.status == 1
    assert (
        done.err
        == f"byteloom: port {port}: Address already in use, wanted a free port, or 0 for any\n"
    )


def test_a_page_has_one_document(samples: Path) -> None:
    """The page has one JSON document, without characters that could end its HTML block."""
    document = document_on(samples / "orders.puffin")
    html = page_of(document, SERVED)
    assert shown_in(html) == {**document, "page": PAGE, "most": MOST_SHOWN, "content": SERVED}


def _fields(server: Explorer, run: int, skip: int) -> Any:
    status, body, headers = _ask(server, f"{_base(server)}fields/{run}/{skip}")
    assert (status, headers["Content-Type"]) == (HTTPStatus.OK, "application/json")
    return json.loads(body)


def _document(server: Explorer) -> dict[str, Any]:
    return shown_in(_ask(server, _base(server))[1].decode())


def test_folded_fields_are_served_some_at_a_time(tmp_path: Path) -> None:
    """The fields of a folded run are those of the page by `--full`, 300 at a time."""
    file = lists_file(tmp_path / "file", 1700)
    with served_lists(file) as server:
        *before, run = _document(server)["parts"][0]["nodes"][0]["c"]
        assert (run["m"], run["f"], len(before)) == (700, 0, 1000)
        parts = [_fields(server, 0, skip) for skip in (0, 300, 600)]
    assert [len(part["nodes"]) for part in parts] == [300, 300, 100]
    whole = document_of_lists(file, Folding.none())["parts"][0]["nodes"][0]["c"]
    assert _bare(whole) == _bare([*before, *(each for part in parts for each in part["nodes"])])
    lines = [part["lines"][part["nodes"][0]["l"]]["text"] for part in parts]
    assert lines == ["- {id: lists, type: list, repeat: eos}"] * 3


def test_runs_inside_folded_fields_are_served(tmp_path: Path) -> None:
    """A run inside a field that was folded itself has a number, and its fields are served."""
    file = lists_file(tmp_path / "file", 1100, last=1500)
    with served_lists(file) as server:
        *_, last = _fields(server, 0, 0)["nodes"]
        *_, run = last["c"]
        assert (last["n"], run["m"], run["f"]) == ("lists[1099]", 502, 1)
        assert _fields(server, 0, 0)["nodes"][-1] == last
        found = [_fields(server, 1, skip)["nodes"] for skip in (0, 300)]
    end = file.stat().st_size
    places = [(each["n"], each["s"]) for part in found for each in part]
    assert places == [(f"items[{at}]", end - 1500 + at) for at in range(998, 1500)]


@pytest.mark.parametrize(
    "path", ["fields/0", "fields/0/700", "fields/1/0", "fields/0/-1", "fields/x/0",
             "fields/0/999999999999999", "fields/999999999/0"],
)  # fmt: skip
def test_fields_that_are_not_folded_are_not_found(tmp_path: Path, path: str) -> None:
    """A request past the end of a run, or for a run that does not exist, is not found."""
    with served_lists(lists_file(tmp_path / "file", 1700)) as server:
        assert _ask(server, _base(server) + path)[0] == HTTPStatus.NOT_FOUND
        assert _ask(server, f"/fields/{path}")[0] == HTTPStatus.NOT_FOUND
        assert _ask(server, f"{_base(server)}fields/0/699")[0] == HTTPStatus.OK


def test_fields_of_a_file_that_was_cut_are_not_found(tmp_path: Path) -> None:
    """Folded fields that the file does not have any more are not found; the server goes on."""
    file = lists_file(tmp_path / "file", 1700)
    with served_lists(file) as server:
        file.write_bytes(file.read_bytes()[:1300])
        status, body, _ = _ask(server, f"{_base(server)}fields/0/600")
        assert status >= HTTPStatus.BAD_REQUEST
        assert body
        assert _ask(server, _base(server))[0] == HTTPStatus.OK


def test_secrets_are_hidden_in_folded_fields(tmp_path: Path) -> None:
    """Text that looks like a secret is hidden in fields that are served later, too."""
    secret = b"s3://AKIAIOSFODNN7:wJalrXUtnFEMI@bucket/x"
    with served_lists(lists_file(tmp_path / "file", 1100, text=secret)) as server:
        text = _fields(server, 0, 0)["nodes"][-1]["c"][0]["v"]
    assert "wJalrXUtnFEMI" not in text
    assert "bucket/x" in text


def test_a_page_that_stands_alone_asks_for_nothing(tmp_path: Path) -> None:
    """The runs of a page by `--html` have no number to ask for them by."""
    document = document_of_lists(lists_file(tmp_path / "file", 1700), Folding())
    (run,) = (each for each in _nodes(document["parts"][0]["nodes"]) if "m" in each)
    assert "f" not in run


def _bare(nodes: list[dict[str, Any]]) -> list[Any]:
    """Nodes without the indexes of their lines, which differ between documents."""
    return [
        [{key: each[key] for key in each if key not in "lc"}, _bare(each.get("c", []))]
        for each in nodes
    ]
