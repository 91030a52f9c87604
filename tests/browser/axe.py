"""axe-core on what dpviz shows in a page."""

from playwright.sync_api import Page

from tests.browser.front_end import NODE_MODULES

# Style sheets and media are not loaded again: only rules on orientation, off by default, and on
# audio, of which there is none, read them.
RUN = """async (selector) => {
  const { violations } = await axe.run(selector, { resultTypes: ['violations'], preload: false });
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""


def load(page: Page) -> None:
    """Put axe-core into the page, unless it is there."""
    if not page.evaluate("'axe' in window"):
        page.evaluate((NODE_MODULES / "axe-core" / "axe.min.js").read_text())


def violations(page: Page, selector: str = ".dpviz") -> list[str]:
    """What is serious or critical: the rule, and the element that breaks it."""
    load(page)
    return page.evaluate(RUN, selector)
