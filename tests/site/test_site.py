"""The pages of the site in Debian's Chromium; ``./lab site`` has built them."""

import functools
import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

SITE = Path(__file__).resolve().parent.parent.parent / "site"
CHROMIUM = "/usr/bin/chromium"
MOST_BYTES = 1_000_000
LINK = re.compile(r'<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\sid="([^"]*)"')
# One page of each kind, for the checks that take a second each.
KINDS = [
    "index", "docs/reading_order", "docs/glossary", "docs/passes",
    "exercises/03_session/README", "reference/ops/ops_nn",
    "reference/python/tf.train", "reference/cpp/minitf_graph",
    "reference/cpp/classes", "notebooks/02_graph_and_session",
    "source/minitf/graph/graph.h",
    "source/python/minitf/eager/context.py", "search",
]  # fmt: skip


@functools.cache
def _pages() -> dict[str, str]:
    """All pages: their text by their path in the site."""
    pages = {str(p.relative_to(SITE)): p.read_text() for p in SITE.rglob("*.html")}
    assert len(pages) > 500, "the site is not built: ./lab site"
    return pages


@functools.cache
def _anchors(name: str) -> frozenset[str]:
    return frozenset(html.unescape(anchor) for anchor in ANCHOR.findall(_pages()[name]))


def _broken(name: str, text: str) -> Iterator[str]:
    """The links of a page that lead nowhere in the site."""
    for link in dict.fromkeys(LINK.findall(text)):
        parts = urlsplit(html.unescape(link))
        if parts.scheme or parts.netloc or link in ("", "#"):
            continue
        path = unquote(parts.path)
        target = os.path.normpath(os.path.join(os.path.dirname(name), path))
        target = target if path else name
        if target in _pages():
            if parts.fragment and unquote(parts.fragment) not in _anchors(target):
                yield f"{name}: {link} has no such anchor"
        elif not (SITE / target).exists():
            yield f"{name}: {link} is no file of the site"


def test_links_lead_to_pages_and_anchors() -> None:
    """Each internal link of each page, with its anchor."""
    pages = _pages().items()
    broken = [problem for name, text in pages for problem in _broken(name, text)]
    assert not broken, "\n".join(broken[:40])


def test_pages_are_small() -> None:
    """A page has less than 1 MB; a notebook brings its own pictures."""
    sizes = {name: len(text.encode()) for name, text in _pages().items()}
    large = {n: s for n, s in sizes.items() if s > MOST_BYTES and "notebooks/" not in n}
    assert not large


def test_source_pages_have_each_line_once() -> None:
    """A page of a source file has an anchor for each of its lines, and no other."""
    root = SITE.parent
    sources = [name for name in _pages() if name.startswith("source/")]
    assert len(sources) > 500
    for name in sources:
        path = root / name.removeprefix("source/").removesuffix(".html")
        count = len(path.read_text().splitlines())
        lines = re.findall(r'\sid="L(\d+)"', _pages()[name])
        assert sorted(map(int, lines)) == list(range(1, count + 1)), path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


def _open(browser: Browser, name: str, width: int = 1280) -> tuple[Page, list[str]]:
    """A page from disk, and the errors that it prints."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    errors: list[str] = []
    page.on("console", lambda note: errors.extend([note.text] * (note.type == "error")))
    page.on("pageerror", lambda error: errors.append(str(error)))
    path, _, query = name.partition("?")
    page.goto(f"{(SITE / path).as_uri()}?{query}")
    return page, errors


@pytest.mark.parametrize("name", KINDS)
def test_page_fits_a_phone_and_is_accessible(browser: Browser, name: str) -> None:
    """No error in the console, no scrolling sideways, nothing serious from axe."""
    page, errors = _open(browser, f"{name}.html", width=390)
    page.wait_for_load_state()
    assert errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    violations = Axe().run(page).response["violations"]
    serious = [
        f"{violation['id']}: {violation['nodes'][0]['html'][:200]}"
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ]
    page.close()
    assert not serious, "\n".join(serious)


@pytest.mark.parametrize(
    ("words", "page_name"),
    [("Conv2DBackpropInput", "reference/ops/"), ("rendezvous", "docs/devices")],
)
def test_search_finds(browser: Browser, words: str, page_name: str) -> None:
    """The search works from disk, and finds the page."""
    page, errors = _open(browser, f"search.html?q={words}")
    page.wait_for_selector("#search-results li a")
    links = page.eval_on_selector_all(
        "#search-results li a", "all => all.map(one => one.getAttribute('href'))"
    )
    page.close()
    assert any(page_name in link for link in links), links
    assert errors == []


def test_definitions_are_links(browser: Browser) -> None:
    """A name in the code leads to its definition, and the tour to the next file."""
    page, _ = _open(browser, "source/minitf/gradients/add_gradients.h.html")
    page.click("nav.way a:has-text('graph.h')")
    assert page.url.endswith("source/minitf/graph/graph.h.html")
    page.click(".highlight a:text-is('PartialShape') >> nth=0")
    assert "source/minitf/tensor/shape.h.html#L" in page.url
    line = page.url.partition("#")[2]
    assert "PartialShape" in page.inner_text(f"#{line}")
    page.close()


def test_dark_mode_and_keyboard(browser: Browser) -> None:
    """The theme has a dark mode, and the Tab key comes to the search."""
    page, _ = _open(browser, "index.html")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "q":
            break
    page.keyboard.type("tape")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    page.close()


def test_graph_viewer_opens_scopes(browser: Browser) -> None:
    """A click and the Enter key open a scope of a drawn graph; Escape closes it."""
    page, errors = _open(browser, "notebooks/02_graph_and_session.html")
    closed = "[role=button][aria-label^='conv,'][aria-expanded=false]"
    opened = "[role=button][aria-label^='conv,'][aria-expanded=true]"
    page.click(closed)
    page.wait_for_selector(opened)
    page.keyboard.press("Escape")
    page.wait_for_selector(closed)
    page.focus(closed)
    page.keyboard.press("Enter")
    page.wait_for_selector(opened)
    page.close()
    assert errors == []
