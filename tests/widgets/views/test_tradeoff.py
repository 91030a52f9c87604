"""The trade-off view: bands on both axes, on the safe side, and nothing that is not finite."""

from typing import Any

import numpy as np
import pytest
from traitlets import TraitError

from dpviz import AttackScores, analyze
from dpviz.analysis.topics.attacks import AttackCurveLayer, AttackPoint, FnrBand, RuledOutArea
from dpviz.analysis.topics.claim import MIN_RATE, ClaimCurve
from dpviz.analysis.topics.tradeoff import (
    AttackTail,
    ClaimRoc,
    ClaimSlope,
    ClaimTail,
    log_odds_label_point,
)
from dpviz.audit import AttackCurve
from dpviz.audit.roc.bands import curve_band
from dpviz.theory import ApproximateDP, GaussianDP, LaplaceMechanism, PureDP
from dpviz.widgets import TradeoffView
from dpviz.widgets.views.scene_views import AXES_MENU
from tests.slow import parametrize

MOST = 512
ATTACK_BAND = ""  # around a curve that has a label of its own
CHANCE_BAND = "what chance alone gives (95 %)"
EXTREMES = [
    ([1.0], [0.0]),
    ([0.0], [1.0]),
    (np.zeros(40), np.zeros(30)),
    (np.ones(40), np.zeros(30)),
    ([2.0], np.arange(600.0)),
    (np.arange(600.0), [2.0]),
    (np.array([1e299, -1e299]), np.array([1e-300, 1e298])),
]


@pytest.fixture
def view(scores: AttackScores) -> TradeoffView:
    """A view with all marks, also those that its menu adds."""
    made = TradeoffView(scores=scores)
    for picture in made.pictures:
        picture.shows_extra_marks = True
    return made


def layer(view: TradeoffView, kind: type) -> Any:
    (picture,) = view.pictures_on_page
    return next(each for each in picture.layers if isinstance(each, kind))


def band_layer(view: TradeoffView, label: str) -> Any:
    bands = [each for each in view.pictures_on_page[0].layers if isinstance(each, FnrBand)]
    (found,) = (each for each in bands if each.label == label)
    return found


def corners(mark: Any) -> np.ndarray:
    return np.column_stack([mark.x, mark.y])


def marks(view: TradeoffView) -> list[Any]:
    return [
        mark
        for picture in view.pictures_on_page
        for mark in picture.frame.figure.marks
        if mark.visible
    ]


def test_the_bands_are_those_of_the_curve(view: TradeoffView, scores: AttackScores) -> None:
    band = curve_band(AttackCurve.from_scores(scores), most=160)
    outline = corners(band_layer(view, ATTACK_BAND).marks_by_name()["area"].mark)
    np.testing.assert_array_equal(outline, np.vstack([band.lower, band.upper[::-1]]))
    shaded = corners(layer(view, RuledOutArea).marks_by_name()["area"].mark)
    np.testing.assert_array_equal(shaded[: len(band.upper)], band.upper)
    assert shaded[len(band.upper) :].tolist() == [[1, 1], [0, 1]]
    assert not band_layer(view, CHANCE_BAND).marks_by_name()["area"].mark.visible
    view.confidence_level = 0.5
    assert len(corners(band_layer(view, ATTACK_BAND).marks_by_name()["area"].mark)) <= MOST
    assert (
        corners(layer(view, RuledOutArea).marks_by_name()["area"].mark)[1:60, 1] <= shaded[1:60, 1]
    ).all()


def test_a_claim_enters_the_shade_exactly_where_the_band_contradicts_it(view: TradeoffView) -> None:
    limit = corners(layer(view, RuledOutArea).marks_by_name()["area"].mark)[:-2]
    assert view.result.sample is not None
    band = view.result.sample.band
    for claim in (PureDP(epsilon=0.2), GaussianDP(mu=0.5), GaussianDP(mu=3.0), PureDP(epsilon=3.0)):
        x = np.linspace(0, 1, 5001)
        enters = np.max(claim.beta(x) - np.interp(x, *limit.T))
        margin = band.gap(claim).margin
        assert (enters > 0) == (margin > 0) or abs(margin) < 1e-3


def test_the_null_band_is_drawn_once_it_was_simulated(view: TradeoffView) -> None:
    view.store.prepare_audit(view.store.spec)
    view.store.refresh()
    area = band_layer(view, CHANCE_BAND).marks_by_name()["area"].mark
    assert view.result.sample is not None
    null = view.result.sample.audit.null_band
    assert null is not None
    np.testing.assert_array_equal(corners(area), np.vstack([null.lower, null.upper[::-1]]))
    assert area.visible
    view.pictures_on_page[0].shows_extra_marks = False
    assert not area.visible  # among "more marks"
    view.pictures_on_page[0].shows_extra_marks = True
    assert "inside the darker grey band in 95 % of audits (simulated)." in view.texts["band"].value
    view.delta = 1e-3
    assert not area.visible
    assert "darker grey" not in view.texts["band"].value


def test_limits_on_logarithmic_axes_are_the_same_limits(view: TradeoffView) -> None:
    assert view.result.sample is not None
    band = view.result.sample.band
    view.axes = "log-log"
    outline = corners(band_layer(view, ATTACK_BAND).marks_by_name()["area"].mark)
    shade = corners(layer(view, RuledOutArea).marks_by_name()["area"].mark)
    low = shade[:-2]
    high = outline[: -len(low)]
    assert len(outline) <= MOST
    np.testing.assert_array_equal(outline[len(high) :], low[::-1])
    x = np.geomspace(MIN_RATE, 1, 20_001)[1:-1]
    at_least, at_most = (np.exp(np.interp(np.log(x), *np.log(line).T)) for line in (low, high))
    # The limit of the TPR from above is nowhere drawn lower; at a step its upper end counts.
    place = np.searchsorted(band.lower[:, 0], x, side="left")
    assert np.all(at_most >= (1 - band.lower[place, 1]) * (1 - 1e-9))
    # That from below, whose other side is said to be ruled out, nowhere visibly higher.
    holds = np.maximum(1 - np.interp(x, *band.upper.T), MIN_RATE)
    assert np.max(at_least / holds) < 1.002
    np.testing.assert_allclose(np.interp(0.1, *low.T), 1 - np.interp(0.1, *band.upper.T), rtol=0.01)
    assert set(shade[-2:, 1]) == {MIN_RATE}


def test_the_tails_are_the_claim_and_the_steps_of_the_attack(
    view: TradeoffView, scores: AttackScores
) -> None:
    view.axes = "log-log"
    x, tpr = corners(layer(view, ClaimTail).marks_by_name()["curve"].mark).T
    np.testing.assert_allclose(tpr, np.maximum(view.result.claim.claim.tpr(x), MIN_RATE))
    steps = corners(layer(view, AttackTail).marks_by_name()["steps"].mark)
    for fpr, caught in steps[1:].tolist():
        accused = np.sort(scores.nonmember)[::-1][: round(fpr * 500)]
        assert caught >= np.mean(scores.member >= accused[-1]) - 1e-12
    at = corners(layer(view, AttackPoint).marks_by_name()["point"].mark)
    assert view.result.sample is not None
    reached = view.result.sample.at_fpr
    np.testing.assert_array_equal(at, [[reached.fpr, reached.tpr]])
    assert "(< 1/500)" in layer(view, AttackTail).marks_by_name()["zero 0"].mark.names[0]


@pytest.mark.slow
@parametrize("axes", ["linear", "log-log"], slow_but=["log-log"])
@pytest.mark.parametrize(("member", "nonmember"), EXTREMES)
def test_what_is_sent_is_finite_and_short(axes: str, member: Any, nonmember: Any) -> None:
    view = TradeoffView(scores=AttackScores(member=member, nonmember=nonmember))
    view.axes = axes
    for spec in ({"fpr": 0.0}, {"fpr": 1.0, "epsilon": np.inf}, {"delta": 1.0, "epsilon": 0.0}):
        view.change(**spec)
        view.store.prepare_audit(view.store.spec)
        view.store.refresh()
        assert view.error == ""
        for mark in marks(view):
            sent = np.concatenate([np.ravel(mark.x), np.ravel(mark.y)])
            assert np.isfinite(sent).all()
            assert sent.size <= 2 * MOST
            assert axes == "linear" or sent.min() >= MIN_RATE * (1 - 1e-12)


def test_a_roc_is_the_same_curves_upside_down(view: TradeoffView) -> None:
    linear = {
        kind: corners(layer(view, kind).marks_by_name()[name].mark)
        for kind, name in (
            (ClaimCurve, "curve"),
            (AttackCurveLayer, "curve"),
            (AttackPoint, "point"),
        )
    }
    view.axes = "roc"
    assert view.pictures_on_page[0].frame.y.label == "members caught (TPR)"
    for kind, name in ((ClaimRoc, "curve"), (AttackCurveLayer, "curve"), (AttackPoint, "point")):
        drawn = corners(layer(view, kind).marks_by_name()[name].mark)
        fpr, fnr = linear[ClaimCurve if kind is ClaimRoc else kind].T
        np.testing.assert_allclose(drawn, np.column_stack([fpr, 1 - fnr]))


def test_the_menu_chooses_the_axes(view: TradeoffView) -> None:
    for text, axes in AXES_MENU.items():
        view.menu.widget.value = text
        assert (view.axes, view.error) == (axes, "")


def test_axes_follow_the_naming_and_its_undo(view: TradeoffView) -> None:
    view.naming = "lecture"
    frame = view.pictures_on_page[0].frame
    assert frame.y.label == "members missed (type I error)"
    assert "At type II error" in view.texts["tradeoff_lead"].value
    view.store.undo()
    assert frame.y.label == "members missed (FNR)"
    view.axes = "roc"  # which was not drawn under either
    assert view.pictures_on_page[0].frame.y.label == "members caught (TPR)"


def test_scores_come_and_go_on_logarithmic_axes(view: TradeoffView, scores: AttackScores) -> None:
    view.overlays = [GaussianDP(mu=1.0), LaplaceMechanism(epsilon=1.0, adjacency="add_remove")]
    view.axes = "log-log"
    drawn = [corners(mark) for mark in marks(view)]
    view.store.load(None)
    assert len(marks(view)) < len(drawn)
    assert not band_layer(view, ATTACK_BAND).marks_by_name()["area"].mark.visible
    assert not layer(view, AttackTail).marks_by_name()["zero 0"].mark.visible
    view.store.load(scores)
    assert all(
        np.array_equal(before, corners(mark))
        for before, mark in zip(drawn, marks(view), strict=True)
    )
    view.axes = "linear"
    band = view.result.sample.band if view.result.sample else None
    assert band is not None
    assert len(corners(band_layer(view, ATTACK_BAND).marks_by_name()["area"].mark)) == len(
        band.lower
    ) + len(band.upper)


def test_axes_are_a_trait_and_a_menu(view: TradeoffView) -> None:
    menu = view.menu.widget
    menu.value = "ROC, log-log"
    assert view.axes == "log-log"
    assert view.place.children == (view.pictures_on_page[0].widget,)
    assert view.pictures_on_page[0].frame.x.spec.scale == "log"
    view.axes = "linear"
    assert menu.value == "both errors"
    with pytest.raises(TraitError, match="axes"):
        view.axes = "cubic"
    assert view.axes == "linear"


def test_what_changed_behind_other_axes_is_there_when_they_come_back(view: TradeoffView) -> None:
    view.axes = "log-log"
    view.epsilon = 0.123
    view.axes = "linear"
    claim = ApproximateDP(epsilon=0.123, delta=1e-5)
    lines = [corners(mark) for mark in marks(view)]
    assert any(
        line.shape == claim.draw().shape and np.allclose(line, claim.draw()) for line in lines
    )


def test_both_slopes_of_a_claim_are_drawn() -> None:
    view = TradeoffView(epsilon=1.0, delta=0.1)
    marks = layer(view, ClaimSlope).marks_by_name()
    np.testing.assert_allclose(corners(marks["line"].mark), [[0, 0.9], [0.9 / np.e, 0]])
    np.testing.assert_allclose(corners(marks["back"].mark), [[0, 0.9 / np.e], [0.9, 0]])


def test_the_label_of_a_pinned_claim_stands_on_its_log_odds_curve() -> None:
    pinned = GaussianDP(mu=1.0)
    (overlay,) = analyze(epsilon=1.0, overlays=(pinned,)).overlays
    for index in range(3):
        fpr, fnr = (1 / (1 + 10**-x) for x in log_odds_label_point(overlay, index))
        assert fnr == pytest.approx(pinned.beta(fpr), abs=1e-3)
