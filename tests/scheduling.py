"""Which process runs which file: those of the browser last, as a browser needs much of a core."""

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class BrowserLast(LoadFileScheduling):
    """All processes begin with the files that need no browser.

    Playwright leaves an event loop that counts as running, so a process that has run a file of the
    browser's goes on with those alone.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        browser = [file for file in self.workqueue if is_browser(file)]
        rest = [file for file in self.workqueue if not is_browser(file)]
        has_begun_browser = any(map(is_browser, self.assigned_work[node]))
        files = browser if has_begun_browser else rest or browser
        if files:
            self.workqueue.move_to_end(files[0], last=False)
            super()._assign_work_unit(node)
        else:
            node.shutdown()


def is_browser(file: str) -> bool:
    """Whether the tests of a file need a browser."""
    return file.startswith("tests/browser/")
