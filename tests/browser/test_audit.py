"""The audit picture in a browser: it follows by itself; axes, groups and canaries by hand."""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz import AttackScores, audit, explore, read_sample
from dpviz.drawing import theme
from dpviz.widgets import AuditView, Explorer, RetrainingView
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read


def worked_out(bridge: Bridge, explorer: Explorer) -> None:
    def is_known() -> bool:
        sample = explorer.result.sample
        return sample is not None and not sample.audit.pending

    bridge.until(is_known)
    bridge.settle()


def samples() -> dict[str, AttackScores]:
    rng = np.random.default_rng(5)
    return {
        "leaking": read_sample("overfitted"),
        "null": read_sample("null"),
        "reversed": AttackScores(member=rng.normal(0, 1, 500), nonmember=rng.normal(1, 1, 500)),
        "tiny": AttackScores(member=rng.normal(1, 1, 5), nonmember=rng.normal(0, 1, 6)),
    }


SAID = {
    "leaking": ["contradict the claim", "certifies at most ε = 6"],
    "null": [
        *("do not contradict", "from 2000 members and 2000 non-members", "ε ≥ 0 at δ"),
        *(
            "largest finite log of (TPR - δ)/FPR or (TNR - δ)/FNR is at most 1.9",
            "With the true labels, this log is 1.3",
            "None of these numbers is a bound",
        ),  # story 2
    ],
    "reversed": ["do not contradict", "look reversed: AUC 0.2"],
    "tiny": ["cannot decide", "from 5 members and 6 non-members", "certifies at most ε = 0.9"],
}


EDGE = {
    "leaking": "FPR 0 (< 1/1497)",
    "null": "(< 1/2000)",
    "reversed": "TPR 0 (< 1/500)",
    "tiny": "FPR 0 (< 1/6)",
}


def assert_on_log_axes(page: Page) -> None:
    """Story 9: both axes go from 1e-5 to 1, and nothing that is drawn is infinite."""
    drawn = page.locator(".dpviz-TradeoffView .bqplot g, .dpviz-TradeoffView .bqplot path")
    places = "all => all.map(e => `${e.getAttribute('d')} ${e.getAttribute('transform')}`)"
    assert re.findall("NaN|Infinity|undefined", str(drawn.evaluate_all(places))) == []
    ends = picture.read_line(page, "TradeoffView", theme.CLAIM, ("log", "log"))[[0, -1]]
    # The claim's TPR is e^ε FPR + δ at first; five in a hundred are two pixels.
    assert ends == pytest.approx(np.array([[1e-5, (math.e + 1) * 1e-5], [1, 1]]), rel=0.05)


@pytest.mark.slow
def test_the_audit_follows_by_itself(bridge: Bridge, screenshot: Callable[..., None]) -> None:
    explorer = explore(epsilon=1.0, layout="all")
    bridge.show(explorer)
    page = bridge.page
    for name, scores in samples().items():
        explorer.store.load(scores)
        explorer.views[1].axes = "linear"
        worked_out(bridge, explorer)
        text = as_read(picture.explorer(page).locator(".dpviz-AuditView").inner_text())
        for said in SAID[name]:
            assert said in text
        sample = explorer.result.sample
        assert sample is not None
        # Claim, bound and ceiling on one axis: the claim's line stands at 1.
        at_one = picture.line(page, "AuditView", theme.LEVEL)[0, 0]
        ceiling, _chance = picture.lines(page, "AuditView", theme.SELECTION)
        ceiling = ceiling[:, 0]
        end = (ceiling.max() - ceiling.min()) / (at_one - ceiling.min())
        assert end == pytest.approx(sample.audit.ceiling, rel=0.01)
        explorer.views[0].pictures[0].shows_extra_marks = True
        bridge.settle()
        limit = picture.line(page, "RegionView", theme.LIMIT)
        drawn = picture.unit(limit)[:, 0]
        np.testing.assert_allclose(drawn, sample.band.upper[:, 0], atol=2e-3)
        screenshot(page, name)
        view = picture.explorer(page).locator(".dpviz-TradeoffView")
        view.get_by_label("axes").select_option("ROC, log-log")
        bridge.until(lambda: picture.ticks(page, "TradeoffView")[:1] == ["0.01 %"])
        note, svg = EDGE[name], view.locator("svg").last
        bridge.until(lambda note=note, svg=svg: note in (svg.text_content() or ""))  # type: ignore[misc]
        assert_on_log_axes(page)
        screenshot(page, f"{name}-log-log")


@pytest.mark.slow
def test_the_table_of_rates_is_not_cut_off(bridge: Bridge) -> None:
    """Here the explorer is as wide as in JupyterLab at 1280 pixels, beside the file browser."""
    bridge.page.set_viewport_size({"width": 880, "height": 800})
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    explorer.tab = "evidence"
    bridge.show(explorer)
    worked_out(bridge, explorer)
    view = picture.explorer(bridge.page).locator(".dpviz-AuditView")
    figure = view.locator(".dpviz-figure:visible").first
    before = figure.bounding_box()
    picture.open_fold(view, "Numbers")
    bridge.settle()
    table = view.locator(".dpviz-table")
    assert table.evaluate("each => each.scrollWidth <= each.clientWidth")
    after = figure.bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] == before["width"]


def test_while_delta_is_dragged_no_bound_is_of_another_delta(bridge: Bridge) -> None:
    explorer = explore(read_sample("null"), epsilon=1.0, layout=["evidence"])
    bridge.show(explorer)
    worked_out(bridge, explorer)
    for delta in (2e-5, 5e-5, 1e-4, 2e-4):
        explorer.delta = delta
        sample = explorer.result.sample
        assert sample is not None
        # What was known was of another delta; the new bound may be there at any moment.
        assert sample.audit.bound is None or sample.audit.bound.delta == delta
        bridge.deliver()
    worked_out(bridge, explorer)
    sample = explorer.result.sample
    assert sample is not None
    assert sample.audit.bound is not None
    assert sample.audit.bound.delta == explorer.delta


@pytest.mark.slow
def test_groups_and_canaries_have_views_where_there_are_some(
    bridge: Bridge, screenshot: Callable[..., None]
) -> None:
    rng = np.random.default_rng(6)
    included = rng.random((60, 4)) < 0.5
    scores = audit.retraining_scores(
        rng.normal(3.0 * included, 1), included, kind="score", canaries=["a", "b", "<b>c</b>", "d"]
    )
    explorer = explore(scores, epsilon=6.0, sampling="independent_trainings", layout="all")
    bridge.show(explorer)
    page = bridge.page
    view = picture.explorer(page).locator(".dpviz-RetrainingView")
    view.get_by_label("threshold fixed beforehand").fill("1.5")
    view.get_by_label("threshold fixed beforehand").press("Enter")
    bridge.settle()
    view.get_by_role("button", name="audit the mechanism").click()
    bridge.until(lambda: "of the training method" in view.inner_text())
    assert "of the claimed ε is certified (tightness)" in view.inner_text()
    assert "<b>c</b>" in view.inner_text()
    assert len(picture.lines(page, "RetrainingView", theme.ATTACK)) == 4  # boxes
    groups = picture.explorer(page).locator(".dpviz-SlicesView")
    groups.get_by_role("button", name="compare groups").click()
    bridge.until(lambda: "has the largest bound" in groups.inner_text())
    screenshot(page)
    explorer.applies_to = "instance"
    bridge.settle()
    assert not view.is_visible()
    explorer.store.load(read_sample("null"))
    bridge.settle()
    assert not groups.is_visible()
    assert {type(v) for v in explorer.views} > {AuditView, RetrainingView}
