"""Take each lesson in JupyterLab as a student does, from the first cell to the last.

The student guesses, drags, types and records; each answer has to be found right.
What was seen after each cell is saved, to be looked at::

    python -m benchmarks.lessons FOLDER [NUMBER ...]       # 1280 and 700 pixels wide
"""

import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.slider import launched
from dpviz import teach
from notebooks.assignments.keys import KEYS
from tests.browser.lab import lab_server, open_notebook
from tests.browser.picture import come_to_rest, place
from tests.browser.watch import Watch
from tests.teach.notebook import LESSONS, cells, run

LOGIN = "ada"
WIDTHS = (1280, 700)
PATIENCE = 180_000  # milliseconds
CELL = """async i => {
  const { content } = jupyterapp.shell.currentWidget;
  content.activeCellIndex = i;
  await content.scrollToItem(i, 'start');
}"""
RUN = "() => jupyterapp.commands.execute('notebook:run-cell')"
CLOSE_FILES = """() => {
  if (!jupyterapp.shell.leftCollapsed) jupyterapp.commands.execute('application:toggle-left-area');
}"""


class Student:
    """A student in a notebook; `wanted` are the names that the key leaves."""

    def __init__(self, page: Page, number: int, folder: Path) -> None:
        self.page, self.number, self.folder = page, number, folder
        with tempfile.TemporaryDirectory() as scratch, chdir(scratch):  # lesson 6 writes a file
            self.wanted = run(number, KEYS[number], login=LOGIN).names
        self.lesson = teach.lesson(number, login=LOGIN)
        self.found: dict[str, str] = {}

    def take(self) -> None:
        """Take the lesson."""
        for i, cell in enumerate(cells(self.number)):
            self.page.evaluate(CELL, i)
            if cell["cell_type"] == "code":
                self._code(i, cell["source"])
            self._look(f"{i:02d}")

    def _code(self, i: int, source: str) -> None:
        if '"your login"' in source:
            self._type_login(line=source.split("\n").index('login = "your login"'))
        self.page.evaluate(RUN)
        self.page.evaluate(CELL, i)
        if "teach.predict(" in source:
            self._look(f"{i:02d}-before")
            self.output.locator("button:visible").first.click()
        if "teach.play(" in source:
            self._play()
        if asked := re.search(r'teach\.ask\(lesson\["(\w+)"\]\)', source):
            self._look(f"{i:02d}-before")
            self._answer(asked[1])

    def _play(self) -> None:
        """Flag and let go in turns until the last round."""
        for played in range(20):
            self.output.get_by_text(f"Round {played + 1} of 20.").wait_for()
            name = "let go" if played % 4 else "flag: a member"
            self.output.get_by_role("button", name=name).click()
            if played < 19:
                self.output.get_by_role("button", name="next round").click()
        self.output.get_by_text("All 20 rounds are over.").wait_for()

    @property
    def output(self) -> Locator:
        """What the active cell shows."""
        return self.page.locator(".jp-Cell.jp-mod-active .jp-OutputArea")

    def _look(self, name: str) -> None:
        come_to_rest(self.page)
        self.page.screenshot(path=self.folder / f"{name}.png")

    def _type_login(self, *, line: int) -> None:
        """Type the login between the quotes at the end of a line of the active cell."""
        editor = self.page.locator(".jp-Cell.jp-mod-active .cm-line").nth(line)
        editor.click()
        self.page.keyboard.press("End")
        self.page.keyboard.press("ArrowLeft")
        while editor.inner_text().rstrip()[-2:] != '""':
            self.page.keyboard.press("Backspace")
        self.page.keyboard.insert_text(LOGIN)

    def _answer(self, name: str) -> None:
        """Answer a question as the key does, and keep what the check says."""
        kind, record = self.lesson[name].kind, self.output.get_by_role("button", name="Record")
        if isinstance(kind, teach.question.Choice):
            chosen = kind.options[self.wanted[name]]
            self.output.get_by_role("button", name=chosen, exact=True).click()
        elif isinstance(kind, teach.question.Picture):
            MOVES[self.number](self)
            record.click()
        else:
            is_report = isinstance(kind, teach.question.Report)
            typed = "audit.json" if is_report else str(self.wanted[name])
            self.output.locator(".dpviz-typed input").fill(typed)
            record.click()
        message = self.output.locator(".dpviz-right, .dpviz-not-yet").last
        message.wait_for()
        self.found[name] = message.inner_text().strip()

    def type(self, label: str, value: float) -> None:
        """Type a number into the box beside its label, which may be folded away."""
        labels = self.page.locator(".widget-label", has_text=re.compile(f"^{label}$"))
        row = self.output.locator(".widget-hbox.dpviz-number", has=labels).last
        box = row.locator("input")
        box.fill(f"{value:.6g}")
        box.press("Enter")

    def drag(self, marker: Locator, x: float, y: float) -> None:
        """Drag a mark of a picture to a place of the page."""
        marker.scroll_into_view_if_needed()
        come_to_rest(self.page)
        box = marker.bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move(x, y, steps=8)
        self.page.mouse.up()
        come_to_rest(self.page)


def drag_point(student: Student) -> None:
    """Lesson 1: the point onto the edge."""
    wanted, region = student.wanted["explorer"], student.output.locator(".dpviz-RegionView")
    region.scroll_into_view_if_needed()
    come_to_rest(student.page)
    student.drag(
        region.locator("g.object_grp path.element").last,
        *place(region, wanted.fpr, wanted.fnr),
    )


def drag_threshold(student: Student) -> None:
    """Lesson 6: the threshold to the left, until few enough are flagged."""
    losses = student.output.locator(".dpviz-ScoresView")
    handle = losses.locator("g.object_grp path.element:visible").last
    for _ in range(20):
        box = handle.bounding_box()
        assert box is not None
        student.drag(handle, box["x"] - 8, box["y"] + box["height"] / 2)
        [share] = re.findall(r"FPR ([\d.]+)\s%", losses.inner_text())[-1:]
        if float(share) <= 7:
            return


def choose_form(student: Student) -> None:
    """Lesson 5: another form and clip, in the picture's menus."""
    menus = student.output.locator(".dpviz-pictured select:visible")
    menus.nth(0).select_option(label="normal fit")
    menus.nth(1).select_option(label="none")


MOVES: dict[int, Callable[[Student], Any]] = {
    1: drag_point,
    2: lambda student: student.type("δ", student.wanted["explorer"].delta),
    3: lambda student: student.type("ε", student.wanted["explorer"].epsilon),
    4: lambda student: student.type("prior p", student.wanted["explorer"].prior),
    5: choose_form,
    6: drag_threshold,
    7: lambda student: student.type("ε", student.wanted["explorer"].epsilon),
}


def take(browser: Browser, number: int, width: int, folder: Path) -> None:
    """Take one lesson; AssertionError with the feedback if an answer was not found right."""
    folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch = Watch(page)
    with tempfile.TemporaryDirectory() as served, lab_server(Path(served), LESSONS[number]) as at:
        open_notebook(page, at)
        page.evaluate(CLOSE_FILES)
        student = Student(page, number, folder)
        try:
            student.take()
        finally:
            page.screenshot(path=folder / "end.png")
            print(f"lesson {number}, {width} pixels, {time.perf_counter() - began:.0f} s:")
            for name, feedback in student.found.items():
                print(f"  {name}: {feedback}", flush=True)
            context.close()  # before the server ends
    assert [*student.found] == [*student.lesson.questions]
    assert [each for each in student.found.values() if not each.startswith("Right")] == []
    assert watch.errors == [], watch.errors


def main(folder: Path, numbers: list[int]) -> None:
    """Take these lessons at both widths."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for number in numbers:
            for width in WIDTHS:
                take(browser, number, width, folder / f"{number}-{width}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(each) for each in sys.argv[2:]] or list(LESSONS))
