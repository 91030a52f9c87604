"""The view of retrained models: canaries recounted, the claim as it was made, nothing stale."""

import asyncio

import numpy as np
import pytest

from dpviz import AttackScores, audit
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.theory import ApproximateDP, GaussianDP, PureDP
from dpviz.widgets import Explorer, RetrainingView
from tests.widgets.base.test_job import apart, in_a_loop, until
from tests.widgets.words import words

LEVEL_OF_EACH = 1 - 0.05 / 2
HTML = "<b>canary</b>"


@pytest.fixture
def canaries() -> AttackScores:
    rng = np.random.default_rng(10)
    included = np.arange(240).reshape(120, 2) % 4 < 2
    table = rng.normal(0, 1, (120, 2)) - included * np.array([2.0, 0.5])
    return audit.retraining_scores(table, included, kind="loss", canaries=[HTML, "quiet"])


@pytest.fixture
def view(canaries: AttackScores) -> RetrainingView:
    return RetrainingView(scores=canaries, claim=ApproximateDP(epsilon=0.5, delta=1e-5))


def press(view: RetrainingView) -> None:
    assert not view.button.disabled
    apart(view.button.click)
    assert view.answer is not None


def points(view: RetrainingView) -> np.ndarray:
    mark = view.pictures[0].layers[1].marks_by_name()["points"].mark
    return np.column_stack([mark.x, mark.y]) if mark.visible else np.empty((0, 2))


def boxes(view: RetrainingView) -> list[tuple[float, ...]]:
    drawn = view.pictures[0].layers[1].marks_by_name()
    marks = [
        drawn[name].mark for name in drawn if name.startswith("box") and drawn[name].mark.visible
    ]
    return [(min(mark.x), max(mark.x), min(mark.y), max(mark.y)) for mark in marks]


def region(view: RetrainingView) -> np.ndarray:
    mark = view.pictures[0].layers[0].marks_by_name()["area"].mark
    return np.column_stack([mark.x, mark.y])


def gone(view: RetrainingView) -> bool:
    return view.answer is None and not view.table.value and not len(points(view))


def test_points_and_words_are_those_of_the_audit(
    view: RetrainingView, canaries: AttackScores
) -> None:
    press(view)
    for (fpr, fnr), row in zip(points(view), view.answer.rows, strict=True):
        of_one = canaries.group(row.canary)
        at = row.point.threshold
        assert (fpr, fnr) == ((of_one.nonmember >= at).mean(), (of_one.member < at).mean())
        alone = audit.lower_bound(
            of_one, delta=1e-5, confidence_level=LEVEL_OF_EACH, sampling="independent_trainings"
        )
        assert row.bound.low == pytest.approx(alone.low, rel=1e-9)
    low = view.answer.rows[0].bound.low
    assert f"is at least {np.floor(low * 100) / 100:g} at δ = 1e-5" in words(view)
    assert "which is contradicted at this confidence" in words(view)
    assert boxes(view) == []
    assert "<b>" not in words(view) + view.table.value
    assert "&lt;b&gt;canary" in view.table.value


def test_what_shows_nothing_is_said_with_its_number_of_models() -> None:
    included = np.arange(21)[:, None] < 12
    models = audit.retraining_scores(np.arange(21.0)[:, None], included, kind="score")
    view = RetrainingView(scores=models)
    press(view)
    assert "No canary certifies an ε of the training method above 0" in words(view)
    assert "from 21 models per canary" in words(view)


def test_a_threshold_fixed_beforehand_gives_every_point_its_limits(
    view: RetrainingView, canaries: AttackScores
) -> None:
    view.controls[1].widget.set_state({"value": " -0.25 "})
    assert view.threshold == -0.25
    press(view)
    for box, row in zip(boxes(view), view.answer.rows, strict=True):
        of_one = canaries.group(row.canary)  # losses: low is member-like
        accused = int((-of_one.nonmember <= -0.25).sum())
        missed = int((-of_one.member > -0.25).sum())
        limits = [
            clopper_pearson(count, 60, confidence_level=(1 + LEVEL_OF_EACH) / 2)
            for count in (accused, missed)
        ]
        assert box == pytest.approx(np.ravel(limits), rel=1e-12)
    assert " to " in view.table.value


@pytest.mark.parametrize("text", ["abc", "nan", "inf", "<img src=x>"])
def test_a_refused_threshold_is_one_line_and_the_picture_stays(
    view: RetrainingView, text: str
) -> None:
    view.controls[1].widget.set_state({"value": "0.5"})
    press(view)
    before, drawn = view.answer, boxes(view)
    view.controls[1].widget.set_state({"value": text})
    assert view.error.startswith("Threshold must be")
    assert "<img" not in view.error_line.value
    assert view.answer is before
    assert boxes(view) == drawn
    assert view.controls[1].widget.value == "0.5"


def test_another_claim_leaves_the_models_and_moves_the_comparison(view: RetrainingView) -> None:
    press(view)
    shown = points(view)
    view.epsilon = 30.0
    np.testing.assert_array_equal(points(view), shown)
    share = view.answer.rows[0].bound.low / 30
    assert f"{np.floor(share * 1e4) / 100:g} % of the claimed ε is certified" in words(view)
    assert "contradicted" not in words(view)
    view.claim = GaussianDP(mu=1.0)
    np.testing.assert_array_equal(points(view), shown)
    assert f"At this δ the claim has ε = {GaussianDP(mu=1.0).epsilon(1e-5):.3g}" in words(view)
    view.claim = PureDP(epsilon=np.inf)
    assert "no tightness" in words(view)


@pytest.mark.slow
def test_an_answer_goes_with_the_question(view: RetrainingView, canaries: AttackScores) -> None:
    menus = {control.name: control.widget for control in view.controls}
    changes = [
        lambda: setattr(view, "delta", 1e-3),
        lambda: setattr(menus["confidence_level"], "value", "90 %"),
        lambda: menus["threshold"].set_state({"value": "0.1"}),
        lambda: setattr(menus["bound_method"], "value", "betting (anytime-valid)"),
        lambda: view.store.load(
            canaries.__class__.from_losses(
                member=-canaries.member,
                nonmember=1 - canaries.nonmember,  # equal scores would keep the answer
                member_groups=canaries.member_groups,
                nonmember_groups=canaries.nonmember_groups,
            )
        ),
    ]
    for change in changes:
        press(view)
        change()
        assert gone(view)
    press(view)
    bound = view.answer.rows[0].bound
    assert (bound.delta, bound.method) == (1e-3, "e_process")
    assert "90 % confidence" in words(view)


def test_the_region_is_of_the_neighbours_that_were_trained_on(view: RetrainingView) -> None:
    """Words and tightness compare with the claim as it was made; so does the picture."""
    view.claim = PureDP(epsilon=0.5, adjacency="add_remove")
    press(view)
    assert "At this δ the claim has ε = 0.5" in words(view)
    corners = region(view)
    np.testing.assert_allclose(corners, PureDP(epsilon=0.5, adjacency="add_remove").region())
    diagonal = corners[np.isclose(corners[:, 0], corners[:, 1])][:, 0]
    assert diagonal.min() == pytest.approx(1 / (1 + np.exp(0.5)))
    view.claim = PureDP(epsilon=0.5)
    np.testing.assert_allclose(region(view), PureDP(epsilon=0.5).region())


def test_scores_without_canaries_cannot_be_asked_about(scores: AttackScores) -> None:
    view = RetrainingView(scores=scores)
    assert view.button.disabled
    assert "retraining_scores(scores, included, kind=...)" in words(view)


@pytest.mark.slow
def test_with_a_loop_the_answer_comes_back_and_a_change_cancels_it(view: RetrainingView) -> None:
    async def main() -> None:
        view.button.click()
        assert "a bound for each canary" in words(view)
        view.epsilon = 0.7
        assert view.job.is_running
        view.delta = 1e-3
        assert not view.job.is_running
        await asyncio.sleep(0.2)
        assert gone(view)
        view.button.click()
        view.epsilon = 0.9
        await until(lambda: view.answer is not None)

    in_a_loop(main)
    assert view.answer.delta == 1e-3
    assert "At this δ the claim has ε = 0.9" in words(view)


@pytest.mark.slow
def test_the_explorer_shows_it_where_records_are_said_to_be_models(
    explorer: Explorer, canaries: AttackScores
) -> None:
    view = next(view for view in explorer.views if isinstance(view, RetrainingView))
    explorer.store.load(canaries)
    assert view not in explorer.shown_views
    explorer.sampling = "independent_trainings"
    assert view in explorer.shown_views
    explorer.store.load(None)
    assert view not in explorer.shown_views
