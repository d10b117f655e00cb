"""The explorer's page in a browser: clicks, keys, requests, and scripts that must not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.explored import (
    HOSTILE,
    LISTS,
    PAGE,
    lists_file,
    puffin_file,
    served,
    served_lists,
)
from tests.support.peers import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer("chromium")


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """Start a browser without a window, and open a tab: each tab takes a process of its own."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=flags)
        yield browser.new_page()
        browser.close()


@pytest.fixture
def tab(window: Any) -> Any:
    """Clear the tab: no page, its usual size, and colours that no test has chosen."""
    window.goto("about:blank")
    window.set_viewport_size({"width": 1400, "height": 900})
    window.emulate_media(color_scheme="null")
    return window


@pytest.fixture
def page(tab: Any) -> Iterator[Any]:
    """Clear the tab; any error, message or dialog in it fails the test."""
    wrong = list[str]()
    listeners = {
        "pageerror": lambda error: wrong.append(str(error)),
        "console": lambda message: wrong.append(message.text),
        "dialog": lambda dialog: wrong.append(dialog.message),
    }
    for event, listener in listeners.items():
        tab.on(event, listener)
    yield tab
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    assert wrong == []


def _html(path: Path, name: str = "page.html") -> str:
    """Write the standalone page of a file; return its address."""
    done = byteloom("inspect", path, "--html")
    target = path.with_name(name)
    target.write_text(done.out)
    return target.as_uri()


def _chosen(page: Any) -> list[int]:
    """Return the offsets of the bytes that are marked."""
    marked = "cells => cells.map(cell => Number(cell.dataset.at))"
    found: list[int] = page.locator("td.chosen, td.within").evaluate_all(marked)
    return found


def test_a_field_shows_its_bytes_and_its_spec(page: Any, tmp_path: Path) -> None:
    """A click on a record opens it; a field shows its offset, value and spec lines."""
    file = puffin_file(tmp_path / "file")
    size = file.stat().st_size
    page.goto(_html(file))
    page.get_by_role("treeitem", name="footer Footer").locator(".row").first.click()
    page.get_by_role("treeitem", name="len_payload").locator(".row").click()
    assert _chosen(page) == [*range(size - 12, size - 8)]
    field = page.locator("#field").inner_text()
    assert f"4 bytes at offset {size - 12} (0x{size - 12:x})" in field
    assert "footer.len_payload" in field
    assert "specs/puffin/puffin.ksy, line " in field
    assert "- id: len_payload" in page.get_by_label("Its lines in the spec").inner_text()


def test_a_field_of_several_rows_is_shown_whole(page: Any, tmp_path: Path) -> None:
    """A field below the bytes in sight is scrolled to, and not only its first row."""
    file = puffin_file(tmp_path / "file", size=2_000)
    start = file.read_bytes().rindex(b'{"blobs"')
    page.goto(_html(file))
    page.get_by_role("treeitem", name="footer Footer").locator(".row").first.click()
    page.get_by_role("treeitem", name="payload", exact=False).locator(".row").first.click()
    frame = page.locator("#dump").bounding_box()
    end = _chosen(page)[-1]
    assert end > start + 16
    last = page.locator(f'td[data-at="{end}"]').bounding_box()
    assert last["y"] + last["height"] <= frame["y"] + frame["height"]


def test_a_byte_shows_its_field(page: Any, tmp_path: Path) -> None:
    """A click on a byte opens the tree down to its field."""
    file = puffin_file(tmp_path / "file")
    size = file.stat().st_size
    page.goto(_html(file))
    page.locator(f'td[data-at="{size - 2}"]').click()
    assert _chosen(page) == [*range(size - 4, size)]
    chosen = page.locator('[role="treeitem"][aria-selected="true"]')
    assert chosen.get_attribute("aria-label") == 'magic_end "PFA1"'
    assert chosen.is_visible()


def test_keys_move_through_fields_and_bytes(page: Any, tmp_path: Path) -> None:
    """Keys move through the tree and the bytes, and the slash focuses the search."""
    file = puffin_file(tmp_path / "file")
    size = file.stat().st_size
    page.goto(_html(file))
    focused = "document.activeElement.getAttribute('aria-label')"
    page.keyboard.press("End")
    assert page.evaluate(focused) == "footer Footer"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == 'magic "PFA1"'
    page.keyboard.press("Enter")
    assert _chosen(page) == [*range(16, 20)]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("treeitem", name="footer").get_attribute("aria-expanded") == "false"
    page.locator(f'td[data-at="{size - 4}"]').click()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.at") == str(size - 5)
    assert page.locator('[aria-selected="true"]').get_attribute("aria-label").startswith("reserved")
    page.keyboard.press("/")
    page.keyboard.type("LEN_pay")
    page.keyboard.press("Enter")
    assert page.get_by_role("status").inner_text() == "footer.len_payload"


def test_large_files_are_fetched_by_pages(page: Any, tmp_path: Path) -> None:
    """Only the pages of a large file that are shown are fetched."""
    file = puffin_file(tmp_path / "file", size=50 * PAGE)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("bytes/")[2]))
    with served(file) as server:
        page.goto(server.url)
        page.locator('td[data-at="0"]').wait_for()
        asked.clear()
        page.get_by_label("Go to byte").fill(hex(30 * PAGE + 5))
        page.keyboard.press("Enter")
        page.locator(f'td[data-at="{30 * PAGE + 5}"]').wait_for()
        data = file.read_bytes()
        assert (
            page.locator(f'td[data-at="{30 * PAGE + 5}"]').inner_text()
            == f"{data[30 * PAGE + 5]:02x}"
        )
        page.get_by_role("button", name="Next").click()
        page.locator(f'td[data-at="{31 * PAGE}"]').wait_for()
        assert asked == ["0/30", "0/31"]
        page.get_by_label("Go to byte").fill(str(len(data)))
        page.keyboard.press("Enter")
        wanted = f"There is no byte {len(data)}: wanted 0 to {len(data) - 1}."
        assert page.get_by_role("status").inner_text() == wanted


def test_a_button_shows_what_is_folded(page: Any, tmp_path: Path) -> None:
    """The button of a folded run shows its next 300 fields, until all are shown."""
    file = lists_file(tmp_path / "file", 1500)
    with served_lists(file) as server:
        page.goto(server.url)
        page.get_by_role("treeitem", name="lists Lists").locator(".row").first.click()
        page.get_by_role("button", name="Show the next 300 of lists.lists[1000]…, 500 more").click()
        page.get_by_role("treeitem", name="lists[1299] List").wait_for()
        assert page.get_by_role("status").inner_text() == "300 more are shown, 200 are left."
        focused = "document.activeElement.getAttribute('aria-label')"
        assert page.evaluate(focused) == "lists[1000] List"
        assert _chosen(page) == [3000, 3001, 3002]
        assert "{id: lists, type: list" in page.get_by_label("Its lines in the spec").inner_text()
        page.get_by_role("button", name="Show all 200 of lists.…, 200 more").click()
        page.get_by_role("treeitem", name="lists[1499] List").wait_for()
        assert page.get_by_role("treeitem", name="more").count() == 0
        page.get_by_label("Go to byte").fill("4498")
        page.keyboard.press("Enter")
        chosen = page.locator('[role="treeitem"][aria-selected="true"]')
        chosen.and_(page.get_by_role("treeitem", name="count 0")).wait_for()
        page.locator('td[data-at="4499"]:is(.chosen, .within)').wait_for()  # loaded after the tree
        assert _chosen(page) == [4498, 4499]


def test_keys_show_what_is_folded(page: Any, tmp_path: Path) -> None:
    """Enter on a folded run shows the next of its fields; a run inside these unfolds as well."""
    with served_lists(lists_file(tmp_path / "file", 1001, last=1300)) as server:
        page.goto(server.url)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("End")
        run = page.locator(":focus")
        assert run.get_attribute("aria-label") == "lists[1000]… 1 more"
        assert run.get_attribute("aria-description") == "Enter: Show all 1"
        page.keyboard.press(" ")
        assert "Enter: Show all 1" in page.locator("#field").inner_text()
        page.keyboard.press("Enter")
        page.locator(':focus[aria-label="lists[1000] List"]').wait_for()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        page.locator(':focus[aria-label="items[998] Item"]').wait_for()
        assert page.get_by_role("status").inner_text() == "300 more are shown, 2 are left."


def test_fields_that_cannot_be_fetched_are_said(tab: Any, tmp_path: Path) -> None:
    """Where the file has changed meanwhile, the page says so and keeps the run."""
    file = lists_file(tmp_path / "file", 1500)
    with served_lists(file) as server:
        tab.goto(server.url)
        tab.get_by_role("treeitem", name="lists Lists").locator(".row").first.click()
        file.write_bytes(b"")
        tab.get_by_role("button", name="Show the next 300").click()
        tab.get_by_role("status").filter(has_text="The fields could not be fetched: ").wait_for()
        assert tab.get_by_role("button", name="Show the next 300").count() == 1


def test_a_page_that_stands_alone_names_the_option(page: Any, tmp_path: Path) -> None:
    """A page by `--html` has no button at a folded run, and names the option that shows all."""
    spec, file = tmp_path / "lists.ksy", lists_file(tmp_path / "file", 1500)
    spec.write_text(LISTS)
    target = tmp_path / "page.html"
    target.write_text(byteloom("describe", file, "--spec", spec, "--html").out)
    page.goto(target.as_uri())
    page.get_by_role("treeitem", name="lists Lists").locator(".row").first.click()
    page.get_by_role("treeitem", name="500 more").locator(".row").click()
    assert page.locator("#tree button").count() == 0
    assert "one by one; with --full the page has them all" in page.locator("#field").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_can_be_read(page: Any, tmp_path: Path, scheme: str) -> None:
    """The text of a run's button has a contrast of at least 4.5, even where the run is chosen."""
    page.emulate_media(color_scheme=scheme)
    with served_lists(lists_file(tmp_path / "file", 1500)) as server:
        page.goto(server.url)
        page.get_by_role("treeitem", name="lists Lists").locator(".row").first.click()
        assert _contrast(page, "#tree button") >= 4.5
        page.get_by_role("treeitem", name="500 more").locator(".name").click()
        assert _contrast(page, '[aria-selected="true"] > .row button') >= 4.5


def test_what_a_page_lacks_is_said(page: Any, tmp_path: Path) -> None:
    """A standalone page of a large file names `byteloom explore` where it has no bytes."""
    page.goto(_html(puffin_file(tmp_path / "file", size=1100 * PAGE)))
    page.get_by_role("button", name="Next").click()
    assert "byteloom explore" in page.locator("#hex caption").inner_text()


def test_damage_is_shown_where_it_is(page: Any, tmp_path: Path) -> None:
    """The error on the page leads to the damaged byte."""
    file = puffin_file(tmp_path / "file")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    page.goto(_html(file))
    assert "magic" in page.get_by_role("alert").inner_text()
    page.get_by_role("button", name="Show the byte").click()
    wanted = f"Byte {len(data) - 4} belongs to no field of footer_tail."
    assert page.get_by_role("status").inner_text() == wanted
    assert page.locator(f'td[data-at="{len(data) - 4}"]').is_visible()


@pytest.mark.parametrize("alone", [True, False])
def test_a_file_cannot_script_the_page(page: Any, tmp_path: Path, alone: bool) -> None:
    """Texts of a file that look like HTML are shown as text."""
    file = puffin_file(tmp_path / "file", text=HOSTILE)
    with served(file) as server:
        page.goto(_html(file) if alone else server.url)
        page.get_by_text("About this file").click()
        assert page.get_by_role("cell", name=HOSTILE).count() == 2
        page.get_by_label("Find a field or value").fill("blobs")
        page.keyboard.press("Enter")
        assert page.evaluate("window.hacked") is None
        assert page.locator("img").count() == 0


def test_no_other_script_can_run(tab: Any, tmp_path: Path) -> None:
    """The page's policy blocks a script that was added to it."""
    tab.goto(_html(puffin_file(tmp_path / "file")))
    with tab.expect_console_message(lambda message: "Content Security Policy" in message.text):
        tab.evaluate(
            """() => {
                const script = document.createElement("script");
                script.text = "window.hacked = 1";
                document.body.append(script);
            }"""
        )
    assert tab.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page: Any, tmp_path: Path, scheme: str) -> None:
    """Text has a contrast of at least 4.5 to its background, as WCAG requires."""
    page.emulate_media(color_scheme=scheme)
    page.goto(_html(puffin_file(tmp_path / "file")))
    page.get_by_role("treeitem", name="footer").locator(".row").first.click()
    for where in ("body", ".value", "td.f0", "td.f1", "td.f2", "td.f3", "#status", "h2"):
        assert _contrast(page, where) >= 4.5, where
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light")


def _contrast(page: Any, selector: str) -> float:
    """Return the contrast of an element's text to the first background below it, by WCAG 2."""
    colours: list[list[int]] = page.locator(selector).first.evaluate(
        """element => {
            const parts = (text) => text.match(/[0-9.]+/g).map(Number);
            const back = (each) => parts(getComputedStyle(each).backgroundColor);
            let under = element;
            while (back(under)[3] === 0) under = under.parentElement;
            return [parts(getComputedStyle(element).color), back(under)];
        }"""
    )
    light, dark = sorted((_luminance(each[:3]) for each in colours), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: list[int]) -> float:
    parts = (each / 255 for each in colour)
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return sum(each * weight for each, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def test_everything_that_takes_focus_has_a_name(page: Any, tmp_path: Path) -> None:
    """Every element that takes focus has an accessible name."""
    page.goto(_html(puffin_file(tmp_path / "file")))
    unnamed = page.locator("input, button, [tabindex='0']").evaluate_all(
        """elements => elements.filter((each) => !(
            each.ariaLabel || each.labels?.length || each.getAttribute("aria-labelledby")
            || each.textContent.trim()
        )).map((each) => each.outerHTML)"""
    )
    assert unnamed == []


def test_a_narrow_window_shows_all_bytes_of_a_row(page: Any, tmp_path: Path) -> None:
    """In a window of 400 pixels no byte of a row is cut off, and its text is below its bytes."""
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(_html(puffin_file(tmp_path / "file")))
    assert page.locator("#dump").evaluate("each => each.scrollWidth <= each.clientWidth")
    row = page.locator("#hex tr").first
    last, text = row.locator("td").nth(15).bounding_box(), row.locator(".text").bounding_box()
    assert last["x"] + last["width"] <= 400
    assert text["y"] >= last["y"] + last["height"] - 1
