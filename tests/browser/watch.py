"""What a page complains about, and what it asks of other machines."""

import re

from playwright.sync_api import ConsoleMessage, Page, Route

# anywidget says so of a model that is not ready after two seconds, as on a machine with much to do.
# js/src/live/receive.ts sees to it that such a model hears Python nevertheless.
LATE = "[anywidget] Failed to initialize model."
ELSEWHERE = re.compile(r"https?://(?!127\.0\.0\.1:)")


class Watch:
    """Collects console errors, and requests to other machines, all of which are refused.

    That a foreign request failed is not an error; routes that a test sets later come first.
    """

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self._add(str(error)))
        page.route(ELSEWHERE, self._refuse)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and message.location["url"] not in self.foreign:
            self._add(message.text)

    def _add(self, error: str) -> None:
        if LATE not in error:
            self.errors.append(error)

    def _refuse(self, route: Route) -> None:
        self.foreign.append(route.request.url)
        route.abort()
