"""Saved pages in Chromium, from a file and without network: alive by keys, hands and boxes."""

import math
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import dpviz
from dpviz import AttackScores, theory
from dpviz.analysis.state.browser_state import SENTENCES
from dpviz.analysis.topics.epsilon_star import EPSILON_STAR
from dpviz.analysis.topics.registry import SCENES
from dpviz.analysis.topics.tradeoff import TRADEOFF
from dpviz.widgets import (
    Explorer,
    RatioView,
    RegionView,
    RiskView,
    SlicesView,
    TradeoffView,
)
from dpviz.widgets.base.view import View
from tests.browser.axe import violations
from tests.browser.saved import (
    box,
    corners,
    handle,
    path,
    sentence,
    settle,
    slider,
    type_into,
)
from tests.pictures.reading import apart, parse, vertices
from tests.slow import parametrize

EVIL = (
    "<img src=x onerror='window.hacked=1;alert(1)'>",
    "</script><script>alert(1)</script>",
    "-->",
)
REGION = "picture-region-claim_region-0"
PATHS = "all => Object.fromEntries(all.map(path => [path.id, path.getAttribute('d')]))"
SMALLEST_LETTERS = """Math.min(...[...document.querySelectorAll('.card text')]
  .filter(text => text.getClientRects().length).map(text => {
    const { b, d } = text.getScreenCTM();  // the name of an axis is turned
    return Math.hypot(b, d) * parseFloat(getComputedStyle(text).fontSize) }))"""
FOCUSED = "document.activeElement.ariaLabel ?? document.activeElement.textContent"
REFUSED = [
    ("ε", "-1", "ε must be 0 or more (you typed -1)."),
    ("prior p", "1", "Prior p must be more than 0 and less than 1 (you typed 1)."),
    ("δ", "2", "δ must be from 0 to 1 (you typed 2)."),
    ("FPR", "2", "FPR must be from 0 to 1 (you typed 2)."),
]
NOT_HERE = "The attack is not recomputed here at these settings: this needs Python."


@pytest.fixture(scope="module")
def overfitted() -> AttackScores:
    return dpviz.read_sample("overfitted")


@pytest.fixture(scope="module")
def full(overfitted: AttackScores) -> Iterator[Explorer]:
    overlays = (theory.GaussianDP(mu=1.0), theory.LaplaceMechanism(epsilon=2.0))
    explorer = dpviz.explore(overfitted, epsilon=1.0, overlays=overlays, fpr=0.01)
    yield explorer
    explorer.close()


@pytest.fixture
def saved(opened: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Save a view and open it from the file."""
    path = tmp_path / "view.html"

    def show(view: View, **options: Any) -> Page:
        view.save_html(path)
        return opened(path, **options)

    return show


@pytest.mark.slow
def test_it_opens_as_python_drew_it(saved: Callable[..., Page], full: Explorer) -> None:
    page = saved(full, java_script_enabled=False)
    python = page.locator("svg path[id]").evaluate_all(PATHS)
    page = saved(full)
    here = page.locator("svg path[id]").evaluate_all(PATHS)
    live = re.compile("region-claim_region-0|tradeoff-claim_curve-1|risk_bounds-|selected_fpr-0")
    assert here.keys() == python.keys()
    for name in here:
        if live.search(name):
            assert apart(corners(here[name]), corners(python[name])) < 0.1
        elif "attack" in name:
            assert here[name] == python[name]
    # Those are of slides, of axes that are not shown, and of a part that a view computes by itself.
    elsewhere = {"guessing", "allowed", "tail_lead", "ratio_lead"}
    elsewhere |= {name for name in SENTENCES if name.startswith("readout")}
    for name in set(SENTENCES) - elsewhere:
        assert sentence(page, name) == full.result.sentences[name]
    assert page.locator(".late:visible").all_inner_texts() == [""]
    assert page.get_by_role("button", name="reset to what was saved").is_disabled()


def test_the_headline_follows_the_claim(
    saved: Callable[..., Page], overfitted: AttackScores
) -> None:
    view = RegionView(scores=overfitted, epsilon=1.0, delta=1e-5)
    explorer = Explorer(store=view.store, layout=["region"])
    explorer.complete_audit()
    page = saved(explorer)
    assert sentence(page, "answer") == "The losses contradict the claim ε = 1."
    # The bound at this delta, 2.6 and more, decides about other epsilons; 6.4 is the ceiling.
    for epsilon in ("1.5", "3", "8", "2"):
        type_into(page, "ε", epsilon)
        result = dpviz.analyze(overfitted, epsilon=float(epsilon), delta=1e-5)
        assert sentence(page, "answer") == result.sentences["answer"]
        at, _, _ = result.sentences["at_one_percent"].partition(". The contradiction")
        assert sentence(page, "at_one_percent").startswith(at)
    # At another delta nothing is known.
    type_into(page, "δ", "0.1")
    unknown = "The test of these losses against ε = 2 needs Python."
    assert sentence(page, "answer") == unknown
    page.get_by_role("button", name="reset to what was saved").click()
    settle(page)
    assert sentence(page, "answer") == "The losses contradict the claim ε = 1."


@pytest.mark.slow
def test_ten_keys_make_ten_regions(saved: Callable[..., Page]) -> None:
    page = saved(RegionView(epsilon=1.0, delta=1e-5))
    slider(page, "ε").focus()
    seen = [path(page, REGION)]
    for _ in range(10):
        page.keyboard.press("ArrowRight")
        settle(page)
        seen.append(path(page, REGION))
    assert len(set(seen)) == 11
    assert box(page, "ε").input_value() == "1.5"
    assert slider(page, "ε").get_attribute("aria-valuetext") == "1.5"
    kink = (1 - 1e-5) / (1 + np.exp(1.5))
    np.testing.assert_allclose(
        corners(path(page, REGION))[1], [62 + 400 * kink, 12 + 400 * (1 - kink)], atol=0.0051
    )
    result = dpviz.analyze(epsilon=1.5, delta=1e-5)
    for name in ("region", "implied"):
        assert sentence(page, name) == result.sentences[name]
    page.get_by_role("button", name="reset to what was saved").click()
    settle(page)
    assert path(page, REGION) == seen[0]


@pytest.mark.slow
@parametrize(
    ("epsilon", "delta"), [("3", "0.1"), ("1", "0"), ("inf", "0.1")], slow_but=[("inf", "0.1")]
)
def test_the_ratio_of_both_densities_is_drawn_as_python_would(
    saved: Callable[..., Page], epsilon: str, delta: str
) -> None:
    def drawn(page: Page) -> tuple[Any, ...]:
        marks = page.locator("path[id*=density_ratio]:visible").evaluate_all(PATHS)
        texts = page.locator("#picture-ratio-x-axis text, #picture-ratio-y-axis text")
        return (
            {name: np.round(corners(found), 1).tolist() for name, found in marks.items()},
            texts.all_text_contents(),
            sentence(page, "ratio_lead"),
        )

    page = saved(RatioView(epsilon=1.0, delta=0.1))
    before = drawn(page)
    type_into(page, "ε", epsilon)
    type_into(page, "δ", delta)
    here = drawn(page)
    assert here != before
    assert here == drawn(saved(RatioView(epsilon=float(epsilon), delta=float(delta))))


def test_a_hand_on_the_point(saved: Callable[..., Page], overfitted: AttackScores) -> None:
    page = saved(RegionView(scores=overfitted, epsilon=1.0, fpr=0.01))
    before, back = sentence(page, "region"), page.get_by_role("button", name="Reset the point")
    assert back.is_disabled()
    point = "picture-region-region_point-0"
    scale = page.locator("#picture-region").evaluate("g => g.getScreenCTM().a")
    x, y = handle(page, point)
    page.mouse.move(x + 5, y + 5)
    page.mouse.down()
    page.mouse.move(x + 90, y + 60, steps=4)
    page.mouse.up()
    settle(page)
    at = handle(page, point)
    assert at == pytest.approx((x + 90, y + 60), abs=1)
    said = re.search(r"FPR ([\d.]+) % and FNR ([\d.]+) % lies inside", sentence(page, "region"))
    assert said is not None
    fpr, fnr = (float(number) / 100 for number in said.groups())
    attack = dpviz.analyze(overfitted, fpr=0.01).point
    assert fpr == pytest.approx(attack.fpr + 90 / scale / 400, abs=2e-3)
    assert fnr == pytest.approx(attack.fnr - 60 / scale / 400, abs=2e-3)
    note = page.locator(f"#{point}-label-0 text").last.inner_html()
    assert re.fullmatch(r"allowed; needs ε ≥ [\d.]+", note)
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] - 60, at[1] + 5000)
    page.mouse.up()
    settle(page)
    assert "FNR 0 % lies outside" in sentence(page, "region")
    back.click()
    settle(page)  # to where it was measured: of the FPR that was dragged, too, only Python knows
    assert sentence(page, "region") == f"{before} {NOT_HERE}"
    assert handle(page, point) == pytest.approx((x, y), abs=1)
    type_into(page, "ε", "0.5")
    weaker = dpviz.Analysis(overfitted).result(dpviz.Spec.of(epsilon=0.5, fpr=0.01))
    assert sentence(page, "region") == f"{weaker.sentences['region']} {NOT_HERE}"
    page.get_by_role("button", name="reset to what was saved").click()
    settle(page)
    assert sentence(page, "region") == before


def test_arrow_keys_on_pictures(saved: Callable[..., Page], overfitted: AttackScores) -> None:
    page = saved(TradeoffView(scores=overfitted, epsilon=1.0, fpr=0.01))
    figure = page.get_by_role("img", name=TRADEOFF.title)
    before = sentence(page, "tradeoff")
    figure.focus()
    late = page.locator("#picture-tradeoff-said .late")
    assert late.is_hidden()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    figure.press("Control+ArrowLeft")  # not ours
    settle(page)
    assert float(box(page, "FPR").input_value()) == pytest.approx(0.1, rel=0.02)
    permitted = dpviz.analyze(epsilon=1.0, fpr=float(box(page, "FPR").input_value()))
    assert sentence(page, "tradeoff") == f"{permitted.sentences['tradeoff']} {NOT_HERE}"
    assert "Python is needed to recompute it" in late.inner_text()
    slider(page, "ε").press("ArrowRight")
    slider(page, "ε").press("ArrowLeft")
    type_into(page, "FPR", "0.01")  # as it was saved
    assert late.is_hidden()
    assert sentence(page, "tradeoff") == before


def test_what_is_refused_is_refused_in_plain_words(saved: Callable[..., Page]) -> None:
    page = saved(RegionView())
    said = page.get_by_role("alert")
    for label, text, message in REFUSED:
        before = box(page, label).input_value()
        type_into(page, label, text)
        assert said.inner_text() == message
        assert box(page, label).input_value() == before
    type_into(page, "δ", "zero")
    assert said.inner_text() == "δ must be a number (you typed zero)."
    type_into(page, "δ", "0.25")
    assert said.inner_text() == ""
    assert box(page, "δ").input_value() == "0.25"


@pytest.mark.slow
def test_the_axis_of_the_risk_moves_with_all_that_stands_on_it(
    saved: Callable[..., Page], overfitted: AttackScores
) -> None:
    page = saved(RiskView(scores=overfitted, epsilon=1.0, delta=1e-5))
    type_into(page, "δ", "1e-11")
    type_into(page, "prior p", "1 %")
    expected = dpviz.Analysis(overfitted).result(
        dpviz.Spec.of(epsilon=1.0, delta=1e-11, prior=0.01)
    )
    drawn = parse(expected.svg("risk"))
    here = {}
    for mark in ("attack_risk-0", "selected_fpr-0", "risk_bounds-0"):
        here[mark] = corners(path(page, f"picture-risk-{mark}"))[[0, -1]]
        python = vertices(drawn, f"risk-{mark}")[[0, -1]]
        n = 1 if mark == "attack_risk-0" else 2  # the PPV of the attack is that of the prior 0.5,
        np.testing.assert_allclose(here[mark][:, :n], python[:, :n], atol=0.06)
    # at FPR 1 the prior itself: ten times as high as the axis, which is 272 pixels long.
    assert here["attack_risk-0"][1, 1] == pytest.approx(12 + 272 - 272 * 0.5 / 0.05, abs=1)
    for side, tick in (("x", "0.01 %"), ("y", "2.5 %")):
        axis = next(e for e in drawn.iter() if e.get("id") == f"risk-{side}-axis")
        ticks = [text.text for text in axis[1]]
        shown = page.locator(f"#picture-risk-{side}-axis")
        assert shown.locator("> g > text").all_text_contents() == ticks
        assert tick in ticks
        assert shown.locator("> text").text_content() == axis[2].text
    assert axis[2].text == "PPV and advantage (up to 5 %)"
    for attribute in ("x", "y"):
        places = shown.locator("> g > text").evaluate_all(
            f"texts => texts.map(text => text.getAttribute('{attribute}'))"
        )
        want = [float(text.get(attribute)) for text in axis[1]]
        assert list(map(float, places)) == pytest.approx(want, abs=0.06)


@pytest.mark.slow
def test_the_claim_moves_along_the_ruler_and_only_the_answer_is_announced(
    saved: Callable[..., Page], overfitted: AttackScores
) -> None:
    page = saved(RegionView(scores=overfitted, epsilon=1.0, delta=1e-5))
    before = page.locator("#answer-ruler-1").get_attribute("d")
    type_into(page, "ε", "2")
    assert page.locator("#answer-labels").get_by_text("claimed 2", exact=True).count() > 0
    moved = {epsilon: dpviz.analyze(overfitted, epsilon=epsilon) for epsilon in (2.0, 8.0)}
    tick = vertices(parse(moved[2.0].svg("ruler")), "ruler-claimed_tick-0")
    np.testing.assert_allclose(corners(path(page, "answer-claimed_tick-0")), tick, atol=0.06)
    assert page.locator("#answer-ruler-1").get_attribute("d") == before
    for name, number in (("δ", "1e-3"), ("prior p", "0.2")):  # at another delta, too
        type_into(page, name, number)
        assert page.locator("#answer-labels").get_by_text("claimed 2", exact=True).count() > 0
    type_into(page, "δ", "1e-5")
    type_into(page, "ε", "8")  # beyond the ceiling: the axis is longer, the bars are shorter
    bar = vertices(parse(moved[8.0].svg("ruler")), "ruler-ruler-1")
    np.testing.assert_allclose(corners(path(page, "answer-ruler-1")), bar, atol=0.06)
    assert page.locator("[role=status], [aria-live]").count() == 1
    answer = page.get_by_role("status")
    assert answer.get_by_role("heading", level=1).count() == 1
    assert "not recomputed here" in answer.inner_text()


def test_the_ruler_has_a_claim_only_while_something_is_claimed(saved: Callable[..., Page]) -> None:
    view = TradeoffView(epsilon=math.inf, delta=1e-5)
    view.axes = "log-log"
    page = saved(view)
    labels, tick = page.locator("#answer-labels"), page.locator("#answer-claimed_tick-0")
    expect(tick).to_have_attribute("display", "none")
    expect(labels).to_have_text("")
    type_into(page, "ε", "2")
    expect(tick).not_to_have_attribute("display", "none")
    expect(labels.get_by_text("claimed 2", exact=True).first).to_be_visible()
    assert sentence(page, "tail_lead") == dpviz.analyze(epsilon=2.0).sentences["tail_lead"]
    type_into(page, "ε", "∞")
    expect(tick).to_have_attribute("display", "none")
    expect(labels).to_have_text("")


def test_other_claims_have_their_own_parameters(saved: Callable[..., Page]) -> None:
    page = saved(TradeoffView(claim=theory.GaussianDP(mu=1.0)))
    assert box(page, "ε").is_disabled()
    type_into(page, "μ", "2.5")
    result = dpviz.analyze(claim=theory.GaussianDP(mu=2.5))
    assert sentence(page, "tradeoff") == result.sentences["tradeoff"]
    assert float(box(page, "ε").input_value()) == pytest.approx(result.spec.epsilon, rel=1e-12)
    drawn = corners(path(page, "picture-tradeoff-claim_curve-1"))
    python = vertices(parse(result.svg("tradeoff")), "tradeoff-claim_curve-1")
    assert apart(drawn, python) < 0.1


def test_delta_shows_and_hides_its_band(saved: Callable[..., Page]) -> None:
    view = RegionView(epsilon=1.0, delta=0.0)
    view.pictures[0].shows_extra_marks = True
    page = saved(view)
    entry = page.locator("#picture-region-labels").get_by_text("by δ alone").last
    assert entry.is_hidden()
    type_into(page, "δ", "0.25")
    assert entry.is_visible()
    band = corners(path(page, "picture-region-delta_band-0"))
    assert [62.0, 12 + 400 * 0.25] in band.tolist()
    type_into(page, "δ", "0")
    assert entry.is_hidden()
    assert page.locator("#picture-region-delta_band-0").is_hidden()


def test_statements_move_but_for_their_own_numbers(saved: Callable[..., Page]) -> None:
    # tests/claims/recorded: riskcal's FNRs of rho = 0.5 at FPR 1 % and 10 %
    page = saved(TradeoffView(claim=theory.ZeroConcentratedDP(rho=0.5), fpr=0.01))
    assert "misses at least 87.5 %" in sentence(page, "tradeoff_lead")
    type_into(page, "FPR", "10 %")
    assert "misses at least 51.6 %" in sentence(page, "tradeoff_lead")
    assert box(page, "ρ").count() == 0


def test_a_claim_without_a_closed_form_stands_still(saved: Callable[..., Page]) -> None:
    claim = theory.RandomizedResponse(epsilon=1.0, categories=4)
    page = saved(RegionView(claim=claim))
    assert page.get_by_text("a browser cannot draw this claim").is_visible()
    assert page.locator("input, button, script, [tabindex]").count() == 0


@pytest.mark.slow
def test_names_are_data(saved: Callable[..., Page]) -> None:
    rng = np.random.default_rng(20)
    groups = [np.repeat(EVIL[:2], n) for n in (40, 50)]
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 80),
        nonmember=rng.normal(2, 1, 100),
        member_groups=groups[0],
        nonmember_groups=groups[1],
    )
    custom = type(EVIL[1], (theory.PureDP,), {})(epsilon=1.0)
    explorer = dpviz.explore(scores, epsilon=1.0, overlays=[custom], method="normal")
    slices = next(view for view in explorer.views if isinstance(view, SlicesView))
    slices.choose(bound_method="e_process")
    with ThreadPoolExecutor(1) as thread:  # where no event loop runs, the answer is there at once
        thread.submit(slices.compute).result()
    page = saved(explorer)
    explorer.close()
    type_into(page, "δ", "0.001")
    shown = page.locator("svg text").all_text_contents()
    assert any(text.startswith("<img src=x") for text in shown)
    assert any(text.startswith("</script>") for text in shown)
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None


@pytest.mark.slow
@parametrize(
    ("scheme", "width"), [("light", 1400), ("dark", 700), ("dark", 400)], slow_but=[("dark", 400)]
)
def test_it_can_be_read_and_reached(
    saved: Callable[..., Page],
    full: Explorer,
    screenshot: Callable[..., None],
    scheme: str,
    width: int,
) -> None:
    page = saved(full, color_scheme=scheme, viewport={"width": width, "height": 1000})
    page.locator("body").press("Tab")
    reached = []
    for _ in range(24):
        reached.append(page.evaluate(FOCUSED))
        page.keyboard.press("Tab")
    assert {
        "ε, exact value",
        SCENES["region"].title,
        TRADEOFF.title,
        EPSILON_STAR.title,
    } <= {*reached}
    slider(page, "δ").press("ArrowRight")
    type_into(page, "prior p", "7")
    page.get_by_role("img", name=SCENES["region"].title).focus()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page, "html") == []
    screenshot(page)


@pytest.mark.slow
def test_letters_of_pictures_are_large_enough_at_every_width(
    saved: Callable[..., Page], full: Explorer
) -> None:
    page = saved(full)
    for width in (360, 400, 560, 740, 848, 1000, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(SMALLEST_LETTERS) >= 8.5, width
