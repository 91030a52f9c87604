"""The view of a claim against evidence: worked out by itself, shown as counted, never stale."""

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, Spec, audit, checks
from dpviz.audit.bounds import EpsilonBound
from dpviz.audit.bounds.lower_bound import ceiling, lower_bound
from dpviz.theory import GaussianDP
from dpviz.widgets import AuditView, Explorer
from dpviz.widgets.state.store import Store
from tests.slow import parametrize
from tests.widgets.base.test_job import apart, in_a_loop, until

BOUND, CEILING, ESTIMATE, CHANCE = range(4)


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpviz.widgets.base.job.AUDIT_DELAY", 0.08)


@pytest.fixture
def view(scores: AttackScores) -> AuditView:
    return watched(AuditView(scores=scores))


def watched(view: AuditView) -> AuditView:
    """As if a browser had said that it shows the store."""
    assert view.store.live is not None
    view.store.live.ready = True
    return view


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Spec]:
    """Every spec that an audit was worked out for."""
    found: list[Spec] = []
    prepare = Store.prepare_audit

    def noted(self: Store, spec: Spec, **kwargs: Any) -> None:
        found.append(spec)
        prepare(self, spec, **kwargs)

    monkeypatch.setattr(Store, "prepare_audit", noted)
    return found


def press(view: AuditView) -> None:
    assert not view.audit.button.is_hidden
    apart(view.audit.button.click)


def marks_of(view: AuditView, kind: str) -> list[Any]:
    drawn = view.pictures[0].layers[0].marks_by_name()
    return [drawn[name].mark for name in drawn if name.startswith(kind)]


def ends(view: AuditView) -> list[float | None]:
    """Where the bars of the four kinds end; None where there is none."""
    marks = marks_of(view, "bars")
    return [float(max(mark.x)) if mark.visible else None for mark in marks]


def texts(view: AuditView) -> list[str]:
    marks = marks_of(view, "numbers")
    return [mark.names[0] if mark.visible else "" for mark in marks]


def said(view: AuditView) -> str:
    return " ".join(text.value for text in view.texts.values())


async def answered(view: AuditView) -> None:
    await until(lambda: not view.audit.job.is_running)


def test_without_a_loop_it_waits_for_the_button(view: AuditView, asked: list[Spec]) -> None:
    assert said(view).count("Not computed") == 5
    assert ends(view)[BOUND] is ends(view)[CEILING] is ends(view)[CHANCE] is None
    press(view)
    assert len(asked) == 1
    assert "Not computed" not in said(view)
    assert view.audit.button.is_hidden


def test_what_is_shown_is_what_the_functions_give(view: AuditView, scores: AttackScores) -> None:
    press(view)
    low = audit.lower_bound(scores, delta=1e-5).low
    most = ceiling(n_members=400, n_nonmembers=500, delta=1e-5)
    star = audit.epsilon_star(scores, delta=1e-5).value
    chance = audit.null_distribution(scores, delta=1e-5).quantile("epsilon_star")
    np.testing.assert_allclose(ends(view), [low, most, star, chance], rtol=1e-12)
    at_least, at_most, estimate, by_chance = texts(view)
    assert at_least.startswith("≥ ")
    assert low - 0.01 < float(at_least[2:]) <= low
    assert most <= float(at_most) < most + 0.01  # no "≤": it is no bound of ε
    assert float(estimate.removeprefix("≈ ")) == pytest.approx(star, rel=5e-3)
    assert estimate.startswith("≈ ")
    assert chance <= float(by_chance.removeprefix("up to ")) < chance + 0.01


def test_an_estimate_does_not_look_like_a_bound(view: AuditView) -> None:
    press(view)
    styles = {(str(mark.fill_opacities), mark.line_style) for mark in marks_of(view, "bars")}
    assert len(styles) == 4


def test_the_claim_stands_across_and_at_the_edge_beyond(view: AuditView) -> None:
    across = view.pictures[0].layers[1].marks_by_name()
    for epsilon, place in [(0.0, 0.0), (2.5, 2.5), (50.0, view.pictures[0].frame.x.high)]:
        view.epsilon = epsilon
        assert set(across["line"].mark.x) == {place}
        assert np.isfinite(across["line"].mark.y).all()
    view.epsilon = np.inf  # every attack is allowed: no claim
    assert not any(across[name].mark.visible for name in across)


@pytest.mark.slow
def test_no_answer_of_another_question_stays(view: AuditView, scores: AttackScores) -> None:
    changes: list[Callable[[], object]] = [
        lambda: setattr(view, "delta", 1e-3),
        lambda: setattr(view, "confidence_level", 0.9),
        lambda: setattr(view, "sampling", "independent_trainings"),
        lambda: view.store.load(AttackScores(member=scores.member, nonmember=scores.nonmember)),
    ]
    for change in changes:
        press(view)
        assert ends(view)[BOUND] is not None
        change()
        assert ends(view)[BOUND] is None
        assert "Not computed" in said(view)
    press(view)
    low = audit.lower_bound(
        scores, delta=1e-3, confidence_level=0.9, sampling="independent_trainings"
    ).low
    assert ends(view)[BOUND] == pytest.approx(low, rel=1e-12)


def test_epsilon_prior_and_fpr_leave_the_answer(view: AuditView, asked: list[Spec]) -> None:
    press(view)
    before = ends(view)
    for name, value in {"epsilon": 0.2, "prior": 0.1, "fpr": 0.2}.items():
        setattr(view, name, value)
        assert ends(view) == before
        assert "Not computed" not in said(view)
    assert "contradict the claim" in said(view)
    assert len(asked) == 1


def test_menus_choose_and_follow(view: AuditView) -> None:
    level, records, _ = (control.widget for control in view.controls)
    level.value, records.value = ("99 %", "one training, a random split of fixed sizes")
    assert (view.confidence_level, view.applies_to) == (0.99, "mechanism")
    assert view.sampling == "fixed_split"
    # A mechanism without a sampling, and a claim that fair coins say nothing of, change nothing.
    view.change(applies_to="mechanism", sampling=None)
    assert "needs random membership" in view.error
    records.value = "one training, each record included by a fair coin"
    assert "must be for add_remove adjacency" in view.error
    assert (view.sampling, records.value) == (
        "fixed_split",
        "one training, a random split of fixed sizes",
    )
    view.confidence_level = 0.8
    view.applies_to = "instance"
    assert (level.value, records.value) == ("80 %", "one model, train against hold-out")


@pytest.mark.parametrize("level", [0.0, 1.0, 1 - 2**-53, 1e-300, float("nan"), "much"])
def test_a_refused_level_is_one_line_and_the_trait_stays(view: AuditView, level: object) -> None:
    before = ends(view)
    with pytest.raises(ValueError, match="confidence_level must be"):
        view.confidence_level = level
    assert view.error.startswith("confidence_level must be")
    assert view.confidence_level == view.store.spec.confidence_level == 0.95
    assert ends(view) == before


def test_with_a_loop_it_asks_once_after_several_changes(view: AuditView, asked: list[Spec]) -> None:
    async def main() -> None:
        for delta in (1e-4, 2e-4, 3e-4):
            view.delta = delta
            assert view.audit.job.is_running
            await asyncio.sleep(0.02)
        view.epsilon = 0.3
        await answered(view)

    in_a_loop(main)
    assert [spec.delta for spec in asked] == [3e-4]
    assert view.result.sample is not None
    assert view.result.sample.audit.bound is not None
    assert view.result.sample.audit.bound.delta == 3e-4
    assert "the claim ε = 0.3" in said(view)
    assert view.audit.text.value == ""


@pytest.mark.slow
def test_it_waits_for_a_browser_and_says_so(scores: AttackScores, asked: list[Spec]) -> None:
    async def main() -> None:
        view = AuditView(scores=scores)
        view.delta = 1e-3
        await asyncio.sleep(0.2)
        assert asked == []
        assert view.audit.text.value == ""
        assert view.audit.job.widget.is_hidden
        assert said(view).count("Not computed") == 5
        watched(view)
        assert view.audit.job.is_running
        await answered(view)
        assert "Not computed" not in said(view)

    in_a_loop(main)
    assert len(asked) == 1


@pytest.mark.slow
def test_scores_that_go_while_it_works_take_the_work_along(
    view: AuditView, scores: AttackScores
) -> None:
    async def main() -> None:
        view.delta = 1e-3
        await asyncio.sleep(0.1)
        view.store.load(None)
        assert not view.audit.job.is_running
        assert view.audit.button.is_hidden
        assert view.audit.text.value == ""
        await asyncio.sleep(0.1)
        view.store.load(scores)
        await answered(view)

    in_a_loop(main)
    assert ends(view)[BOUND] == pytest.approx(audit.lower_bound(scores, delta=1e-3).low)


@pytest.mark.slow
def test_cancel_offers_the_button_and_nothing_starts_by_itself(
    view: AuditView, asked: list[Spec]
) -> None:
    async def main() -> None:
        view.delta = 1e-3
        view.audit.job.cancel_button.click()
        assert "cancelled" in view.audit.text.value
        view.epsilon = 2.0
        await asyncio.sleep(0.2)
        assert asked == []
        view.audit.button.click()
        await answered(view)

    in_a_loop(main)
    assert len(asked) == 1
    assert ends(view)[BOUND] is not None


def test_a_level_that_methods_refuse_is_said_once_and_the_rest_is_shown(
    asked: list[Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_low_levels(*scores: Any, confidence_level: float, **options: Any) -> EpsilonBound:
        checks.real("confidence_level", confidence_level, 0, 0.9999)
        return lower_bound(*scores, confidence_level=confidence_level, **options)

    monkeypatch.setattr("dpviz.analysis.audit.lower_bound", of_low_levels)
    rng = np.random.default_rng(3)
    scores = AttackScores(member=rng.normal(1, 1, 40), nonmember=rng.normal(0, 1, 40))
    view = watched(AuditView(scores=scores))

    async def main() -> None:
        view.confidence_level = 0.99999
        await answered(view)
        await asyncio.sleep(0.2)

    in_a_loop(main)
    assert len(asked) == 1
    assert "No lower bound: confidence_level must be in [0, 0.9999]" in said(view)
    assert "random labellings of these records show the estimates that chance alone gives" in said(
        view
    )
    assert ends(view)[BOUND] is None
    assert ends(view)[CHANCE] is not None
    assert view.audit.button.is_hidden
    view.confidence_level = 0.95
    assert "No lower bound" not in said(view)


@pytest.mark.slow
def test_what_is_worked_out_meanwhile_leaves_a_refusal_on_show(view: AuditView) -> None:
    async def main() -> None:
        view.delta = 1e-3
        view.change(epsilon=-1.0)
        await answered(view)

    in_a_loop(main)
    assert ends(view)[BOUND] is not None
    assert view.error == "ε must be 0 or more (you typed -1)."


def test_a_closed_view_works_no_more(view: AuditView, asked: list[Spec]) -> None:
    store = view.store

    async def main() -> None:
        view.delta = 1e-3
        view.close()
        assert not view.audit.job.is_running
        store.update(delta=1e-2)
        await asyncio.sleep(0.2)

    in_a_loop(main)
    assert asked == []


@parametrize(
    "spec",
    [{"delta": 0.0}, {"delta": 1.0, "epsilon": 0.0}, {"claim": GaussianDP(mu=1.0)}],
    slow_but=[{"delta": 0.0}, {"claim": GaussianDP(mu=1.0)}],
)
@pytest.mark.parametrize(
    ("member", "nonmember"),
    [
        ([1.0], [0.0]),
        ([0.0], [0.0]),
        (np.zeros(30), np.zeros(20)),
        (np.ones(30), np.zeros(20)),
        ([5.0], np.arange(600.0)),
        (np.array([1e299, -1e299]), np.array([1e-300, 1e298])),
    ],
)
def test_no_scores_break_it(member: Any, nonmember: Any, spec: dict[str, Any]) -> None:
    view = AuditView(scores=AttackScores(member=member, nonmember=nonmember), **spec)
    press(view)
    assert view.error == view.audit.text.value == ""
    for end in ends(view):
        assert end is None or 0 <= end < view.pictures[0].frame.x.high
    assert "Not computed" not in said(view)
    assert "nan" not in view.table.value


def test_the_explorer_has_it_and_unloading_hides_and_empties_it(explorer: Explorer) -> None:
    shown = next(view for view in explorer.shown_views if isinstance(view, AuditView))
    view = AuditView(store=explorer.store)
    press(view)
    assert shown.table.value == view.table.value
    assert view.table.value.count("<tr>") == 8
    explorer.store.load(None)
    assert shown not in explorer.shown_views
    assert (view.table.value, view.audit.button.is_hidden) == ("", True)
    assert ends(view) == [None] * 4
    assert said(view).count("Load a sample or your own file") == 6
