"""The answer in a browser: it comes in place, and its ruler is readable at every width."""

import math
from itertools import combinations

import pytest

from dpviz import AttackScores, explore, read_sample
from dpviz.drawing import theme
from dpviz.theory import ApproximateDP, GaussianDP
from dpviz.widgets import AnswerView
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.live import busy
from tests.browser.wait import as_read
from tests.slow import parametrize

BOXES = """name => [...document.querySelectorAll(name)].map(each => {
  const box = each.getBoundingClientRect(); return [box.x, box.y, box.right, box.bottom] })"""
LABELS = """() => [...document.querySelectorAll('.bqplot .dpviz-labels text')]
  .map(text => { const box = text.getBoundingClientRect();
                 return [text.textContent, box.x, box.y, box.right, box.bottom] })"""

# How long each line of an element's text is, in pixels.
LINES = """name => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(name));
  return [...range.getClientRects()].map(box => box.width);
}"""

# On how many lines each number such as 1e-5 in an element stands; the last one is selected.
LINES_OF_NUMBERS = """name => {
  const walker = document.createTreeWalker(document.querySelector(name), NodeFilter.SHOW_TEXT);
  const lines = [];
  while (walker.nextNode()) {
    for (const { 0: number, index } of walker.currentNode.data.matchAll(/[\\d.]+e-\\d+/g)) {
      const [node, end] = [walker.currentNode, index + number.length];
      getSelection().setBaseAndExtent(node, index, node, end);
      const boxes = [...getSelection().getRangeAt(0).getClientRects()];
      lines.push(new Set(boxes.map(({ top }) => Math.round(top))).size);
    }
  }
  return lines;
}"""


@pytest.fixture
def tiny() -> AttackScores:
    return AttackScores(member=[3.0, 1.5, 0.2, 0.9], nonmember=[0.1, -1.0, 0.5])


def known(view: AnswerView) -> bool:
    sample = view.result.sample
    return sample is not None and not sample.audit.pending


@pytest.mark.slow
def test_the_numbers_come_in_place(bridge: Bridge) -> None:
    bridge.page.set_viewport_size({"width": 1205, "height": 760})
    view = AnswerView(scores=read_sample("overfitted"))
    bridge.show(view)
    first = bridge.page.evaluate(BOXES, ".dpviz-AnswerView, .dpviz-AnswerView .bqplot")
    bridge.until(lambda: known(view))
    bridge.settle()
    answer = bridge.page.get_by_role("status").filter(has_text="contradict")
    assert "The losses contradict the claim ε = 1." in as_read(answer.inner_text())
    assert answer.get_by_role("heading", level=2).count() == 1
    assert bridge.page.evaluate(BOXES, ".dpviz-AnswerView, .dpviz-AnswerView .bqplot") == first


def test_no_short_word_of_the_headline_stands_alone(bridge: Bridge) -> None:
    bridge.page.set_viewport_size({"width": 1920, "height": 1080})
    bridge.show(explore(epsilon=1.0))
    lines = bridge.page.evaluate(LINES, ".dpviz-answer h2")
    assert len(lines) == 2
    assert min(lines) > max(lines) / 3


def test_no_line_ends_inside_a_number_which_is_copied_as_it_is(bridge: Bridge) -> None:
    """Chromium breaks a line after the hyphen of 1e-5; at some of these widths it would."""
    view = AnswerView(scores=read_sample("null"), epsilon=1.0)
    bridge.show(view)
    bridge.until(lambda: known(view))
    for width in range(300, 480, 10):
        bridge.page.set_viewport_size({"width": width, "height": 800})
        assert set(bridge.page.evaluate(LINES_OF_NUMBERS, ".dpviz-answer")) == {1}
    assert view.result.sentences["answer_detail"].count("1e-5") > 0
    copied = bridge.page.evaluate("() => `${getSelection()}`")
    assert copied == "1e-5"


@pytest.mark.slow
def test_nothing_moves_when_the_answer_depends_on_neighbours(bridge: Bridge) -> None:
    """At ε = 2 a sentence says so, at ε = 3 the headline has two lines at most widths."""
    page = bridge.page
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    bridge.show(explorer)
    moved: dict[int, set[float]] = {width: set() for width in (820, 870, 967, 1008, 1205, 1400)}
    for epsilon in (1.0, 2.0, 3.0):
        explorer.epsilon = epsilon
        explorer.complete_audit()
        assert ("Read as add/remove" in explorer.answer_view.text.value) == (epsilon == 2.0)
        for width, places in moved.items():
            page.set_viewport_size({"width": width, "height": 900})
            bridge.settle()
            [(_, top, _, _)] = page.evaluate(BOXES, ".dpviz-panel")
            places.add(top)
    assert [width for width, places in moved.items() if len(places) > 1] == []


@pytest.mark.slow
def test_the_claims_tick_follows_the_slider_while_the_kernel_sleeps(bridge: Bridge) -> None:
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    explorer.complete_audit()
    bridge.show(explorer)
    page = bridge.page

    def claimed() -> float:
        """The epsilon at which the tick stands, read off beside two other numbers."""
        [tick] = picture.lines(page, "AnswerView", theme.CLAIM)
        # The line between the two diamonds, from what chance gives to Epsilon*.
        lines = picture.lines(page, "AnswerView", theme.SELECTION)
        [(star, chance)] = (ends[:, 0] for ends in lines if ends[0, 1] == ends[1, 1])
        answer = explorer.result.answer
        per_pixel = (answer.estimate - answer.chance) / (star - chance)
        return float(answer.chance + (tick[0, 0] - chance) * per_pixel)

    assert claimed() == pytest.approx(1.0, abs=0.01)
    with busy(bridge):
        for _ in range(6):
            picture.slider(page, "ε").press("ArrowRight")
        page.locator(".dpviz-AnswerView .dpviz-labels", has_text="claimed 1.3").wait_for()
        picture.come_to_rest(page)
        assert explorer.epsilon == 1.0  # the kernel has not heard of it
        assert claimed() == pytest.approx(1.3, abs=0.01)
    assert explorer.epsilon == 1.3


@pytest.mark.slow
@parametrize(
    ("width", "sample"),
    [(width, name) for width in (320, 500, 900) for name in ("overfitted", "null", "tiny")],
    slow_but=[(320, "overfitted")],
)
def test_no_label_of_the_ruler_covers_another(
    bridge: Bridge, width: int, sample: str, tiny: AttackScores
) -> None:
    page = bridge.page
    page.set_viewport_size({"width": width, "height": 900})
    view = AnswerView(scores=read_sample("overfitted"))
    view.compute()
    bridge.show(view)
    pairs = [ApproximateDP(epsilon=epsilon, delta=1e-5) for epsilon in (1.0, 8.0, 0.0)]
    view.store.load(tiny if sample == "tiny" else read_sample(sample))
    for claim in (*pairs, GaussianDP(mu=1.0)):
        view.store.update(claim=claim)
        view.compute()
        bridge.until(lambda: known(view))
        bridge.settle()
        picture.come_to_rest(page)  # labels settle after the last change
        labels = page.evaluate(LABELS)
        answer = view.result.answer
        numbers = (answer.claimed, answer.certified, answer.chance, answer.estimate)
        shown = [n for n in (*numbers, answer.ceiling) if n is not None and not math.isnan(n)]
        assert len(labels) == len(shown) >= 4
        for text, left, _, right, _ in labels:
            assert left >= 0, text
            assert right <= width, text
        for (a, *one), (b, *other) in combinations(labels, 2):
            across = one[0] < other[2] - 1 and other[0] < one[2] - 1
            along = one[1] < other[3] - 3 and other[1] < one[3] - 3
            assert not (across and along), (a, b, claim)


@pytest.mark.slow
def test_what_waits_for_the_audit_is_whole(bridge: Bridge) -> None:
    """The button that cancels has its word and its height at each width, and the text one line."""
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    explorer.complete_audit()  # the end of a real one would hide what is looked at
    bridge.show(explorer)
    audit = explorer.answer_view.audit
    audit.job.widget.children = [audit.job.progress_bar, audit.job.cancel_button]
    audit.job.widget.is_hidden = False
    audit.text.show_sentence("computing ...")
    for width in (700, 816, 864, 916, 976, 1008, 1205, 1488):
        bridge.page.set_viewport_size({"width": width, "height": 900})
        bridge.settle()
        row, cancel, text = (
            bridge.page.evaluate(BOXES, f".dpviz-answer-below .dpviz-audit-job{part}")[0]
            for part in ("", " .widget-hbox button", " > .widget-html")
        )
        assert row[1] <= cancel[1] < cancel[3] <= row[3], width
        assert cancel[2] <= text[0] < text[2] <= row[2], width
        assert text[3] - text[1] <= 24, width
        whole = "every => every.every(each => each.scrollWidth <= each.clientWidth)"
        words = bridge.page.locator(".dpviz-answer-below .dpviz-audit-job > .widget-html *")
        assert width < 800 or words.evaluate_all(whole), width
        button = bridge.page.get_by_role("button", name="cancel")
        assert button.evaluate("each => each.scrollWidth <= each.clientWidth"), width
