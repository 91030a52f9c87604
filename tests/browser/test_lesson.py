"""Questions of a lesson as a student answers them: guess, drag, type, press, record, paste.

`benchmarks/lessons.py` takes the whole lessons in JupyterLab.
"""

import math
import re

import ipywidgets
import pytest

from dpviz import teach
from dpviz.widgets import RegionView
from tests.browser import picture
from tests.browser.bridge import Bridge

LESSON = teach.lesson(1, login="ada")


@pytest.mark.slow
def test_a_dragged_point_is_recorded_and_found_right(bridge: Bridge) -> None:
    """On the edge FNR = e^-2.5 (1 - δ - FPR), for an FPR above that of the kink (0.076)."""
    question = LESSON["edge"]
    explorer = teach.explore(question)
    bridge.show(explorer)
    page = bridge.page
    picture.come_to_rest(page)
    low, high = (float(each) / 100 for each in re.findall(r"(\d+) %", question.text))
    fpr = max((low + high) / 2, 0.1)
    fnr = math.exp(-2.5) * (1 - 1e-4 - fpr)
    page.mouse.move(*picture.markers(page, "RegionView")[-1])
    page.mouse.down()
    page.mouse.move(*picture.place(page.locator(".dpviz-RegionView"), fpr, fnr), steps=4)
    page.mouse.up()
    bridge.until(lambda: explorer.fnr is not None and abs(explorer.fnr - fnr) < 0.005)
    assert "You moved the picture but recorded" in teach.check("", question, explorer).message

    page.get_by_role("button", name="Record answer").click()
    bridge.until(lambda: explorer.last_recorded)
    line = page.locator(".dpviz-notes .dpviz-recorded").inner_text()  # above the pictures
    assert teach.check(line, question, explorer).is_right
    assert not teach.check(line[:-1], question).is_right  # a part is missing

    explorer.fpr = 0.9
    bridge.settle()
    page.get_by_text("The picture has changed.").wait_for()


def test_questions_are_answered_where_they_stand(bridge: Bridge) -> None:
    """The arrow keys move the point of the picture, and Enter in the box records."""
    edge, trials = teach.ask(LESSON["edge"]), teach.ask(LESSON["trials"])
    bridge.show(ipywidgets.VBox([edge, trials]))
    page = bridge.page
    picture.come_to_rest(page)
    low = float(re.findall(r"(\d+) %", LESSON["edge"].text)[0]) / 100
    fpr = max(low + 0.05, 0.1)
    edge.view.fpr, edge.view.fnr = fpr, math.exp(-2.5) * (1 - 1e-4 - fpr) + 0.03
    bridge.settle()
    page.get_by_role("button", name="Record").first.click()
    bridge.until(lambda: "Move down, towards fewer misses." in edge.message.value)
    figure = page.locator(".dpviz-RegionView .bqplot")
    figure.focus()
    for _ in range(3):
        figure.press("ArrowDown")
    bridge.settle()
    page.get_by_role("button", name="Record").first.click()
    bridge.until(lambda: "Right (2 of 2 points)." in edge.message.value)
    assert teach.check(edge.answer, LESSON["edge"]).is_right

    box = page.locator(".dpviz-typed input")
    box.fill("10")
    box.press("Enter")
    bridge.until(lambda: "Not yet (0 of 2 points)." in trials.message.value)
    box.fill("100")
    box.press("Enter")
    bridge.until(lambda: trials.answer == "100")
    page.get_by_role("status").filter(has_text=LESSON["trials"].because).wait_for()


def test_a_guess_shows_the_picture(bridge: Bridge) -> None:
    prediction = LESSON.predictions["perfect"]
    shown = teach.predict(prediction, then=RegionView(epsilon=2.5, delta=1e-4))
    bridge.show(shown)
    page = bridge.page
    assert page.locator(".bqplot").count() == 0
    page.get_by_role("button", name=prediction.options[1]).click()
    bridge.until(lambda: page.locator(".bqplot g.axis .tick").count())
    page.get_by_text(prediction.because).wait_for()
    assert page.locator(".dpviz-try").count() == 1
    assert page.locator(".dpviz-try:visible").count() == 0  # the lesson says what to try
    assert page.locator("button.dpviz-chosen:disabled").inner_text() == prediction.options[1]
