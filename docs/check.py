"""Check the built pages: `.ci/prove docs-check`.

Every link within the site leads somewhere, nothing is loaded from elsewhere, each command on a page
runs, no page of the reference is long, the glossary has the words of the screen, and each page is
listed for programs. In Chromium no page breaks a serious rule of accessibility or is wider than its
screen, and the search leads to the page that a reader wants. Of the pages of single objects, which
are alike, the longest ones are opened. Links to elsewhere are looked at, and with `--network`
followed.
"""

import html
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from playwright.sync_api import Browser, sync_playwright

from docs.extensions.terms import on_screen
from tests.browser.axe import violations
from tests.browser.conftest import ARGUMENTS

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "docs" / "_build"
SOURCES = sorted(set((ROOT / "docs").rglob("*.md")) - set(BUILT.rglob("*.md")))
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^```\{dpviz\} (.*)$", re.MULTILINE)
TAG = re.compile(r"<[^>]+>")
MARKDOWN_LINK = re.compile(r"\]\(([^)#]+)|(?:src|srcset)=\"([^\"]+)\"")
ARXIV = re.compile(r"/abs/\d{4}\.\d{4,5}")
ANSWERED = (0, 1, 3)  # not contradicted, contradicted, cannot decide; 2 is an error
SCREENS = {"light": (360, 800), "dark": (1400, 1000)}  # by theme, in pixels
BETWEEN = (700, 1000)
OBJECTS = BUILT / "reference" / "objects"
OPENED = 12  # pages of objects
MOST_WORDS = 3000  # of a page of the reference
# What a reader looks for, and the page that comes first.
SEARCHES = {
    "epsilon": "reference/glossary",
    "delta": "reference/glossary",
    "prior": "reference/glossary",
    "fpr": "reference/glossary",
    "lower bound": "reference/glossary",
    "glossary": "reference/glossary",
    "cite": "reference/cite",
    "license": "reference/cite",
    "exit code": "how-to/pipeline",
    "opacus": "how-to/own_claim",
    "pytest": "how-to/test_code",
    "report": "how-to/reports",
    "lower_bound": "reference/objects/dpviz.audit.lower_bound",
    "save_svg": "reference/objects/dpviz.widgets.base.view.View",
}
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Links(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element names and where it leads."""
        named = dict(attrs)
        self.anchors.add(named.get("id") or "")
        if tag == "a" and named.get("href"):
            self.links.append(named["href"] or "")
        loads = named.get("src") or (named.get("href") if tag == "link" else None)
        if loads:
            self.loaded.append(loads)


def dead_links(pages: list[Path]) -> Iterator[str]:
    """Links to no file or no place in it, and whatever is loaded from elsewhere."""
    known = {page: Links(page) for page in pages}
    for page, found in known.items():
        yield from (f"{page.name} loads {url}" for url in found.loaded if urlsplit(url).netloc)
        for url in found.links + found.loaded:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.exists():
                yield f"{page.name}: no file {url}"
            elif parts.fragment and target in known:
                anchors = known[target].anchors
                if unquote(parts.fragment) not in anchors:
                    yield f"{page.name}: no place {url}"


def links_elsewhere(pages: list[Path]) -> list[str]:
    """Addresses on other sites, each once."""
    found = {url for page in pages for url in Links(page).links if urlsplit(url).netloc}
    return sorted(found)


def odd_links(urls: list[str]) -> Iterator[str]:
    """Addresses without encryption, and those of papers that cannot be one."""
    for url in urls:
        parts = urlsplit(url)
        is_paper = ARXIV.fullmatch(parts.path) or parts.netloc != "arxiv.org"
        if parts.scheme != "https" or not is_paper:
            yield f"odd address {url}"


def unreachable(urls: list[str]) -> Iterator[str]:
    """Addresses that do not answer."""
    for url in urls:
        request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "dpviz"})
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except OSError as error:
            yield f"{url}: {error}"


def dead_links_of_readme() -> Iterator[str]:
    """Links of the README to no file."""
    for groups in MARKDOWN_LINK.findall((ROOT / "README.md").read_text("utf-8")):
        path = "".join(groups)
        if not urlsplit(path).scheme and not (ROOT / path).exists():
            yield f"README.md: no file {path}"


def failing_commands() -> Iterator[str]:
    """Commands on the pages that end otherwise than with an answer, run one after another."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("losses.csv", "forest.csv"):
            Path(folder, name).write_text("loss,member\n0.1,1\n0.9,0\n", encoding="utf-8")
        for page in (ROOT / "README.md", *SOURCES):
            for block in SHELL.findall(page.read_text("utf-8")):
                for line in block.splitlines():
                    if line.startswith("dpviz "):
                        command = [sys.executable, "-m", *shlex.split(line)]
                        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                        if ended.returncode not in ANSWERED:
                            yield f"{page.name}: {line}: {ended.stderr}"


def unprinted_commands() -> Iterator[str]:
    """Directives whose page does not show the command that they print."""
    for page in SOURCES:
        for arguments in PRINTED.findall(page.read_text("utf-8")):
            built = BUILT / page.relative_to(ROOT / "docs").with_suffix(".html")
            if f"$ dpviz {arguments}\n" not in TAG.sub("", built.read_text("utf-8")):
                yield f"{built.name}: dpviz {arguments} is not shown"


def long_pages() -> Iterator[str]:
    """Pages of the reference that nobody reads to the end."""
    for page in (BUILT / "reference").rglob("*.md"):
        n_words = len(page.read_text("utf-8").split())
        if n_words > MOST_WORDS:
            yield f"{page.name}: {n_words} words"


def unlisted() -> Iterator[str]:
    """Words of the screen that the glossary lacks, and pages that `llms.txt` lacks."""
    glossary = (BUILT / "reference" / "glossary.html").read_text("utf-8")
    terms = {html.unescape(TAG.sub("", term)) for term in re.findall(r"<dt.*?</dt>", glossary)}
    yield from (f"glossary: no {term}" for term in on_screen() if f"{term}#" not in terms)
    listed = (BUILT / "llms.txt").read_text("utf-8")
    for page in SOURCES:
        name = str(page.relative_to(ROOT / "docs"))
        if name not in ("index.md", "dependencies.md") and f"]({name})" not in listed:
            yield f"llms.txt: no {name}"


def wrong_searches(browser: Browser) -> Iterator[str]:
    """Searches whose first result is another page."""
    page = browser.new_page()
    for words, wanted in SEARCHES.items():
        page.goto(f"{(BUILT / 'search.html').as_uri()}?q={quote(words)}")
        first = page.locator("#search-results li a").first.get_attribute("href") or ""
        if first.partition(".html")[0] != wanted:
            yield f"search for {words!r}: {first} comes first"
    page.close()


def problems_in(browser: Browser, pages: list[Path]) -> Iterator[str]:
    """What axe-core finds in both themes, and pages wider than a screen."""
    for theme, (width, height) in SCREENS.items():
        viewport = {"width": width, "height": height}
        context = browser.new_context(viewport=viewport, color_scheme=theme)
        page = context.new_page()
        for path in pages:
            page.goto(path.as_uri())
            name = f"{path.relative_to(BUILT)} ({theme})"
            yield from (f"{name}: {each}" for each in violations(page, "body"))
            for size in (viewport, dict(zip(viewport, BETWEEN, strict=True))):
                page.set_viewport_size(size)
                if page.evaluate(WIDER) > 0:
                    yield f"{name}: wider than {size['width']} pixels"
            page.set_viewport_size(viewport)
        context.close()


def main() -> int:
    """Print the problems; return 1 if there are any."""
    ours = (p for p in BUILT.rglob("*.html") if not {"_shown", "_static"} & set(p.parts))
    pages = sorted(ours)
    of_objects = [page for page in pages if page.parent == OBJECTS]
    unopened = sorted(of_objects, key=lambda page: page.stat().st_size)[:-OPENED]
    elsewhere = links_elsewhere(pages)
    problems = [*dead_links(pages), *dead_links_of_readme(), *failing_commands()]
    problems += [*unprinted_commands(), *long_pages(), *unlisted()]
    problems += odd_links(elsewhere)
    if "--network" in sys.argv:
        problems += unreachable(elsewhere)
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        problems += wrong_searches(browser)
        problems += problems_in(browser, [page for page in pages if page not in unopened])
        browser.close()
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.stdout.write("".join(f"elsewhere: {url}\n" for url in elsewhere))
    sys.stdout.write(f"{len(pages)} pages, {len(problems)} problems\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
