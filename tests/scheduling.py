"""Which process runs which file: `-n 3` on two cores, so that one waits while two compute."""

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class BrowserBesideTheRest(LoadFileScheduling):
    """One process begins with the browser's files, the others with all else; then all join in.

    Playwright leaves an event loop that counts as running, so a process that has run a file of the
    browser's goes on with those alone.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        browser = [file for file in self.workqueue if is_browser(file)]
        rest = [file for file in self.workqueue if not is_browser(file)]
        if any(map(is_browser, self.assigned_work[node])):
            files = browser
        elif node is self.nodes[0] and len(self.nodes) > 1:
            files = browser or rest
        else:
            files = rest or browser
        if files:
            self.workqueue.move_to_end(files[0], last=False)
            super()._assign_work_unit(node)
        else:
            node.shutdown()


def is_browser(file: str) -> bool:
    """Whether the tests of a file need a browser."""
    return file.startswith("tests/browser/")
